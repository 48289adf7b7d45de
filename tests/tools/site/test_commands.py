"""The reference of the command lines lists every command and option."""

from __future__ import annotations

import re

import pytest
from typer.testing import CliRunner

from answersim.__main__ import app
from tools.site.commands import PROGRAMS, command_pages, commands


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_command_has_a_section(program: str) -> None:
    page = command_pages()[f"reference/command-{program}.md"]
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == [name for name, _ in commands(program)]
    assert len(commands(program)) > 3


@pytest.mark.parametrize("name", ["score", "label", "data fetch"])
def test_the_options_are_those_of_the_help(name: str) -> None:
    page = command_pages()["reference/command-answersim.md"]
    (section,) = re.findall(rf"^## answersim {name}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    printed = CliRunner().invoke(app, [*name.split(), "--help-all"], env={"COLUMNS": "200", "NO_COLOR": "1"}).output
    options = set(re.findall(r"(?<![\w-])--[a-z][\w-]+", printed)) - {"--help"}
    assert options - set(re.findall(r"--[a-z][\w-]+", section)) == set()
    assert options
