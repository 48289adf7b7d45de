"""Helpers of trainings: begun, from the command line, and made tables."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

from answersim.__main__ import app
from answersim.training.run import artifact


@contextmanager
def begun(seed: int, precision: str) -> Iterator[None]:
    with artifact.quiet_libraries():
        artifact.begin(seed, precision)
        yield


def invoke(*words):
    return CliRunner().invoke(app, ["train", *map(str, words)])


def rng(seed=0):
    return np.random.default_rng(seed)


def put(path, text):
    path.write_text(text, encoding="utf-8", newline="")
    return path


def sets(*pairs):
    return {frozenset(pair) for pair in pairs}


WORDS = "old john feather merchant growth cortex eleven paris football league".split()


def people_table(path: Path) -> Path:
    """Write forty people, every second of them with an alias; half are of the group US."""
    rows = [("entity", "alias", "group")]
    for i in range(40):
        first, last = WORDS[i % 10].title(), f"{WORDS[(i + i // 10) % 10].title()}son"
        rows.append((f"{first} Ann {last}", f"{first} {last}" if i % 2 else "", "US" if i < 20 else "DE"))
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path
