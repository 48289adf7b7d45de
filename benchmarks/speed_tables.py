"""The speed of what surrounds the metrics: whole tables, coefficients, and the rules of benchmarks, each beside a peer.

    python -m benchmarks.speed tables

The answers are synthetic (``benchmarks.made_answers``), with one to four words. ``evaluate`` reads a CSV file, scores
it by f1 and counts its answers. Its peer is the scoring loop of the SQuAD script over the same file, which only has the
mean. ``compare`` compares two systems by exact match, with all intervals and tests. Its peer is one permutation test of
scipy for the same mean difference.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import typer
from scipy import stats

import answersim
from answersim._base.arrays import FloatArray
from answersim._base.runtime.cli_errors import user_errors
from answersim.metrics import official
from answersim.stats.coefficients.kendall import kendall
from answersim.types import Pair
from benchmarks import references
from benchmarks.machine import machine
from benchmarks.made_answers import made_pairs
from benchmarks.options import FORM, OUTPUT, show
from benchmarks.speed_rows import CLOCK, Clocks, Row, compared, table
from benchmarks.tables import Format

ROWS = 100_000
QUESTIONS = 1_000
PERMUTATIONS = 9_999
_OUTPUTS = 2_000
_ANSWERS = (  # of MATH: numbers, fractions, roots, units, equations
    ("\\frac{1}{2}", "0.5"), ("12", "12"), ("\\sqrt{3}", "\\sqrt3"), ("(3,\\infty)", "(3, \\infty)"), ("x = 5", "5"),
    ("10\\%", "11"), ("\\frac34", "\\dfrac{3}{4}"), ("90^\\circ", "90"), ("3/4", "\\frac{3}{4}"), ("x^2 + 1", "x^2+1"),
)  # fmt: skip


def main(
    rows: int = typer.Option(ROWS, min=100, help="The rows of the table for evaluate; a fifth of them for kendall."),
    repetitions: int = typer.Option(5, min=1, help="The number of measurements of each, in turns."),
    clock: Clocks = CLOCK,
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Measure evaluate, compare, Kendall's tau-b and the rules of GSM8K and MATH, each beside a peer."""
    with user_errors(), tempfile.TemporaryDirectory() as folder:
        measured = list(_rows(Path(folder), rows, repetitions, clock))
    notes = (f"seconds of {clock.description}; medians of alternating repetitions", machine().line)
    show([table("Tables", measured, notes)], measured, form, output)


def _rows(folder: Path, n: int, repetitions: int, clock: Clocks) -> Iterator[Row]:
    rng = np.random.default_rng(0)
    pairs = made_pairs(n, 1, 4, rng=rng)
    path = folder / "answers.csv"
    _write(path, ("question", "gold", "pred"), [(f"{i}?", *pair) for i, pair in enumerate(pairs)])

    def evaluated() -> FloatArray:
        return np.array([answersim.evaluate(path, "f1", lang="en").rows[0].mean.value])

    def looped() -> FloatArray:
        with path.open(encoding="utf-8", newline="") as file:
            scores = references.squad_f1([Pair(row["gold"], row["pred"]) for row in csv.DictReader(file)])
        return np.array([scores.mean()])

    yield compared("evaluate, f1", "squad_v2 script", evaluated, looped, min(repetitions, 3), clock=clock.clock)
    right = rng.random((2, QUESTIONS)) < [[0.7], [0.72]]
    both = folder / "both.csv"
    _write(
        both,
        ("question", "gold", "a", "b"),
        [(f"{i}?", "yes", *("yes" if one else "no" for one in row)) for i, row in enumerate(right.T.tolist())],
    )

    def compared_systems() -> FloatArray:
        result = answersim.compare(both, "em", pred=["a", "b"], lang="en")
        return np.array([result.pairs[0].scores.difference.value])

    def permuted() -> FloatArray:
        gain = right[1].astype(float) - right[0]
        test = stats.permutation_test(
            (gain,), np.mean, permutation_type="samples", vectorized=True, n_resamples=PERMUTATIONS, rng=0
        )
        return np.array([float(test.statistic)])

    yield compared(
        f"compare, em, {QUESTIONS:,} questions", "scipy permutation test", compared_systems, permuted, repetitions,
        clock=clock.clock,
    )  # fmt: skip
    x, y = rng.normal(size=n // 5), rng.integers(0, 3, n // 5).astype(float)
    yield compared(
        f"kendall, {n // 5:,} rows", "scipy.stats.kendalltau", lambda: np.ravel(kendall(x, y)),
        lambda: np.array([stats.kendalltau(x, y).statistic]), repetitions, clock=clock.clock,
    )  # fmt: skip
    sums = [(f"So {i} eggs.\n#### {i}", f"There are {i} - 3 eggs, and 3.\n#### {i + i % 2}") for i in range(_OUTPUTS)]
    boxes = [
        (f"The answer is $\\boxed{{{gold}}}$.", f"We add, and get {i}.\nThe answer is $\\boxed{{{pred}}}$.")
        for i, (gold, pred) in enumerate(_ANSWERS * (_OUTPUTS // len(_ANSWERS)))
    ]
    yield _official("gsm8k", "correct", references.gsm8k_correct, sums, repetitions, clock)
    yield _official("math", "equiv", references.math_equal, boxes, repetitions, clock)


def _official(
    profile: str,
    number: str,
    peer: Callable[[str, str], bool],
    texts: Sequence[tuple[str, str]],
    repetitions: int,
    clock: Clocks,
) -> Row:
    """Return the speed of a rule, one call per output."""
    return compared(
        f"official {profile}, per call", "the owner's functions",
        lambda: np.array([float(official.score(profile, [gold], pred)[number]) for gold, pred in texts]),
        lambda: np.array([float(peer(gold, pred)) for gold, pred in texts]), repetitions, clock=clock.clock,
    )  # fmt: skip


def _write(path: Path, columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows((columns, *rows))
