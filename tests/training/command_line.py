"""The command `answersim train`, called in this process."""

from typer.testing import CliRunner

from answersim.__main__ import app


def invoke(*words):
    return CliRunner().invoke(app, ["train", *map(str, words)])
