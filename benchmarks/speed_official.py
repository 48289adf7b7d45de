"""The speed of ``official:NAME``, beside a loop that applies the same rule to one pair after the other.

    python -m benchmarks.speed official
    python -m benchmarks.speed official --size 10000 --repetitions 3 --format json

The loops are plain Python, written from the description of each rule. They are not the owners' code, which is not
installed. The pairs are synthetic, and few texts occur twice. The table shows the largest difference of two numbers,
which is 0 if both follow the rule.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import typer

import answersim
from answersim.runtime.cli_errors import user_errors
from answersim.types import FloatArray, Pair
from benchmarks.made_answers import made_pairs
from benchmarks.options import FORM, OUTPUT, show
from benchmarks.speed_rows import CLOCK, Clocks, Row, compared, table
from benchmarks.tables import Format

SIZE = 100_000
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_ASCII = frozenset(string.punctuation)
_TRIVIA = _ASCII | frozenset("‘’´`")

Normalize = Callable[[str], str]


def main(
    size: int = typer.Option(SIZE, min=1, help="The number of pairs."),
    repetitions: int = typer.Option(3, min=1, help="The number of measurements of each."),
    clock: Clocks = CLOCK,
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Seconds of official:squad, nq_open and triviaqa, and of a loop over the same rule, on one thread."""
    with user_errors():
        measured = rows(size, repetitions, clock)
    note = f"seconds of {clock.description}; medians of alternating repetitions after a first one that is not counted"
    show([table("Official rules", measured, [note])], measured, form, output)


def rows(size: int = SIZE, repetitions: int = 3, clock: Clocks = Clocks.processor) -> list[Row]:
    """Return one row per number of a rule."""
    pairs = made_pairs(size, 1, 6, rng=np.random.default_rng(0))
    return [
        compared(
            f"official:{profile}, {part}",
            "loop",
            partial(answersim.metric(f"official:{profile}", part=part), pairs),
            partial(_numbers, rule, normalize, pairs),
            repetitions,
            clock=clock.clock,
        )
        for profile, part, rule, normalize in (
            ("squad", "exact_match", _same, _squad),
            ("squad", "f1", _f1, _squad),
            ("nq_open", "correct", _same, _nq_open),
            ("triviaqa", "em", _same, _triviaqa),
            ("triviaqa", "f1", _f1, _triviaqa),
        )
    ]


def _numbers(rule: Callable[[str, str], float], normalize: Normalize, pairs: Sequence[Pair]) -> FloatArray:
    return np.array([rule(normalize(gold), normalize(pred)) for gold, pred in pairs])


def _same(gold: str, pred: str) -> float:
    return float(gold == pred)


def _f1(gold: str, pred: str) -> float:
    golds, preds = gold.split(), pred.split()
    common = sum((Counter(golds) & Counter(preds)).values())
    if common == 0:
        return 0.0
    precision, recall = common / len(preds), common / len(golds)
    return 2 * precision * recall / (precision + recall)


def _squad(text: str) -> str:
    without = "".join(character for character in text.lower() if character not in _ASCII)
    return " ".join(_ARTICLES.sub(" ", without).split())


def _nq_open(text: str) -> str:
    return _squad(unicodedata.normalize("NFD", text))


def _triviaqa(text: str) -> str:
    spaced = "".join(" " if character in _TRIVIA else character for character in text.replace("_", " ").lower())
    return " ".join(_ARTICLES.sub(" ", spaced).split())
