"""Calls of the benchmark programs in this process, and judged answers for them."""

from __future__ import annotations

from importlib import import_module

import numpy as np
from typer.testing import CliRunner, Result

import answersim
from benchmarks.judged_scores import ScoredColumn
from benchmarks.options import program
from benchmarks.system_answers import SystemAnswer


def invoke(module: str, *arguments: str) -> Result:
    """Call a program by the name of its module in benchmarks."""
    found = import_module(f"benchmarks.{module}")
    return CliRunner().invoke(getattr(found, "app", None) or program(found.main), list(arguments))


def message(result: Result) -> str:
    """Return the output on one line, without the frame that typer draws around errors."""
    return " ".join(result.output.replace("│", " ").split())


def metrics(*names):
    return {name: answersim.metric(name) for name in names}


def answered(question, golds, system, answer, verdict, part="train"):
    return SystemAnswer(question, golds, system, answer, verdict, part)


def column(values, name="m", kind="metric", half=True):
    return ScoredColumn(name, kind, np.asarray(values, dtype=float), f"{name}|rev:1", half)


# Twenty questions; the system "one" is always correct, "two" in three of four, and in whole sentences.
ANSWERS = [
    answered(f"q{i}", ("x", f"gold {i}"), system, answer, verdict)
    for i in range(20)
    for system, answer, verdict in (
        ("one", f"gold {i}", True),
        ("two", f"I think that it is {'gold' if i % 2 else 'no'} {i}", i % 4 > 0),
    )
]
VERDICTS = np.array([answer.verdict for answer in ANSWERS])
