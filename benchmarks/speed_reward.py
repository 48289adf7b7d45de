"""The speed of a reward on one step of a training, beside Math-Verify in the same run.

    python -m benchmarks.speed reward
    python -m benchmarks.speed reward --programs rules,math-verify --prompts 256

The outputs are synthetic (``benchmarks.reasoning_outputs``): 1,024 prompts with 8 outputs of 1,500 characters each. The
gold answers are numbers, names and phrases. The rules leave about a fifth of the rows to the encoder. Models are loaded
before the measurement. In bf16, the encoder has no shipped calibration, so its rows have scores and no verdict.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import numpy as np
import typer

from answersim import Reward
from answersim._base.runtime.cli_errors import user_errors
from benchmarks import math_verify
from benchmarks.machine import machine
from benchmarks.options import FORM, OUTPUT, chosen, show
from benchmarks.reasoning_outputs import ReasoningOutput, reasoning_outputs
from benchmarks.tables import Format, Table

PROMPTS = 1024
Scores = Callable[[Sequence[ReasoningOutput]], tuple[list[float | None], float]]
"""Rewards, and the share of the outputs that a model scored."""


class RewardSpeed(NamedTuple):
    """The seconds of a program for all rows, and what it accepts."""

    program: str  # the program
    n: int  # the number of outputs
    seconds: float  # wall time
    cpu_seconds: float  # CPU time of all threads
    per_second: float  # outputs per second of CPU time
    of_model: float  # the share of the outputs that a model scored
    accepted: float  # the share of accepted outputs whose final answer is the gold answer
    accepted_wrong: float  # the same of those with another answer


def rules() -> Scores:
    """Return the rules and recall."""
    return _of_reward(Reward("rules"))


def default() -> Scores:
    """Return the default reward with its encoder in fp32."""
    return _of_reward(Reward())


def bf16() -> Scores:
    """Return the default reward with its encoder in bf16."""
    return _of_reward(Reward(options={"precision": "bf16"}, binary=False))


def _of_reward(reward: Reward) -> Scores:
    reward(["load"], ["the network"])

    def scores(rows: Sequence[ReasoningOutput]) -> tuple[list[float | None], float]:
        result = reward([row.gold for row in rows], [row.completion for row in rows])
        of_model = np.mean([row.stage == "answersim" for row in result])
        return [None if row.verdict == "unsure" else row.score for row in result], float(of_model)

    return scores


def of_math_verify() -> Scores:
    """Return Math-Verify with its own limits of time. Raise ImportError if it is not installed."""
    import_module("math_verify")
    return lambda rows: (
        [*math_verify.rewards([row.gold for row in rows], [row.completion for row in rows], [""] * len(rows))],
        0.0,
    )


PROGRAMS: dict[str, Callable[[], Scores]] = {
    "rules": rules,
    "default, bf16": bf16,
    "default, fp32": default,
    "math-verify": of_math_verify,
}


def main(
    programs: str = typer.Option("rules,math-verify", help="Of: rules, bf16, fp32, math-verify."),
    prompts: int = typer.Option(PROMPTS, min=3, help="The number of prompts, with 8 outputs each."),
    seed: int = typer.Option(0, help="The seed of the outputs."),
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Measure rewards on synthetic outputs of a reasoning model."""
    with user_errors():
        names = chosen("program", programs, [_short(name) for name in PROGRAMS])
        rows = reasoning_outputs(prompts, rng=np.random.default_rng(seed))
        found = [measured(name, build(), rows) for name, build in PROGRAMS.items() if _short(name) in names]
    show([table(found)], found, form, output)


def _short(name: str) -> str:
    return name.rpartition(", ")[2]


def measured(name: str, scores: Scores, rows: Sequence[ReasoningOutput]) -> RewardSpeed:
    """Return the seconds of one call with all rows, and the shares that it accepts."""
    start, cpu = time.perf_counter(), time.process_time()
    found, of_model = scores(rows)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu
    accepted = {
        answer: [score == 1.0 for score, row in zip(found, rows, strict=True) if row.answer == answer]
        for answer in ("right", "wrong")
    }
    shares = (float(np.mean(accepted["right"])), float(np.mean(accepted["wrong"])))
    return RewardSpeed(name, len(rows), seconds, cpu_seconds, len(rows) / cpu_seconds, of_model, *shares)


def table(rows: Sequence[RewardSpeed]) -> Table:
    """Return the table of these rows."""
    columns = ("program", "n", "s", "CPU s", "n per CPU s", "scored by a model", "right accepted", "wrong accepted")
    cells = tuple((*row[:4], round(row.per_second), *row[5:]) for row in rows)
    return Table.of("A step of a training", columns, cells, (machine().line,))
