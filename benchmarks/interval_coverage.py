"""How often the intervals of shares, of differences and of few labels contain the truth of made populations.

    python -m benchmarks.interval_coverage --format markdown

Each draw is a sample of a population whose mean is known. An interval of 95 % should contain it in 95 % of the draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer

from answersim._base.arrays import FloatArray
from answersim._base.runtime.cli_errors import user_errors
from answersim.stats.few_labels.prediction_powered import prediction_powered
from answersim.stats.intervals.bounded_mean import bounded_mean
from answersim.stats.intervals.paired import paired_all
from answersim.stats.intervals.resampling import generator
from benchmarks.options import FORM, OUTPUT, check_folder, run_program, show
from benchmarks.tables import Cell, Format, Table

QUESTIONS, PAIRS, LABELS = (10, 30, 100, 300), (30, 100, 300, 1000), (10, 20, 50, 100)
SHARES = (0.5, 0.86, 0.905, 0.98)
DRAWS, SEED, ROWS, LEVEL = 1000, 0, 1000, 0.95

Draw = Callable[[np.random.Generator, int], FloatArray]


class Sampled(NamedTuple):
    """A population that samples are drawn from."""

    name: str  # its description
    truth: float  # its mean
    draw: Draw  # from a generator and a number of questions to values, shape (questions, answers)
    limit: bool = False  # whether the documentation excludes it: a rare difference above all observed ones


class Covered(NamedTuple):
    """The draws of one population and one number of questions or labels."""

    name: str  # the population
    n: int  # the number of questions or labels
    covered: float  # the share of the intervals that contain the truth
    width: float  # their mean width
    above: float  # the share of the intervals above the truth: a gate passes although the true drop is the allowed one
    more: float = 0.0  # for differences, how often p and interval disagree; for few labels, the bias
    worth: float = 1.0  # for few labels, the median of ``labels_worth`` / n


def main(
    draws: int = typer.Option(DRAWS, min=2, help="Draws per cell."),
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Simulate the coverage of intervals of shares, of differences and of few labels on made populations."""
    with user_errors():
        check_folder(output)
        means = [of_means(one, n, draws) for one in means_of_populations() for n in QUESTIONS]
        gaps = [(one, of_differences(one, n, draws)) for one in differences_of_systems() for n in PAIRS]
        labels = [of_labels(name, n, draws) for name in SCORED for n in LABELS]
        rows = (*means, *(row for _, row in gaps), *labels)
        show(list(tables(means, gaps, labels, draws)), rows, form, output)


def means_of_populations() -> Iterator[Sampled]:
    """Yield verdicts and probabilities, one answer per question and five that are alike, and scores."""
    for answers in (1, 5):
        words = "1 answer per question" if answers == 1 else "5 alike answers per question"
        for share in SHARES:
            yield Sampled(f"verdicts, {share:g} right, {words}", share, _alike(share, answers, 0.0, 1.0))
        for share in (0.9, 0.97):
            name = f"probabilities, {share:g} near .97, others near .05, {words}"
            yield Sampled(name, 0.05 + 0.92 * share, _alike(share, answers, 0.05, 0.97, 0.01))
    yield Sampled("scores, uniform, 1 answer per question", 0.5, lambda rng, n: rng.random((n, 1)))


def _alike(share: float, answers: int, low: float, high: float, spread: float = 0.0) -> Draw:
    """Return draws of two values; the answers of a question are equal, but for 5 % (1 % above .95) flipped ones."""
    flips = 0.0 if answers == 1 else 0.05 if share < 0.95 else 0.01

    def draw(rng: np.random.Generator, n: int) -> FloatArray:
        of_question = rng.random((n, 1)) < (share - flips) / (1 - 2 * flips)
        right = of_question ^ (rng.random((n, answers)) < flips)
        values: FloatArray = low + (high - low) * right + spread * rng.uniform(-1, 1, (n, answers))
        return values

    return draw


def differences_of_systems() -> Iterator[Sampled]:
    """Yield verdicts, graded losses and noise. The last ones are those that the documentation excludes."""
    for up, down in ((0.0, 0.02), (0.0, 0.1), (0.05, 0.05), (0.1, 0.02)):
        name = f"verdicts, better on {up:g}, worse on {down:g}"
        yield Sampled(name, up - down, _changes(((1.0, up), (-1.0, down))))
    yield Sampled("verdicts of 5 alike answers, worse on 0.1", -0.1, _changes(((-1.0, 0.1),), answers=5))
    for down in (0.02, 0.1):
        yield Sampled(f"scores, worse by .3 on {down:g}", -0.3 * down, _changes(((-0.3, down),)))
        yield Sampled(f"scores, worse by 0 to 1 on {down:g}", -0.5 * down, _changes(((-1.0, down),), graded=True))
    for noise in (0.03, 0.1):
        yield Sampled(f"scores, noise {noise:g}", 0.0, _changes((), noise=noise))
    for noise in (0.03, 0.1):
        for down in (0.02, 0.1):
            name = f"scores, noise {noise:g}, and worse by 1 on {down:g}"
            yield Sampled(name, -down, _changes(((-1.0, down),), noise=noise), limit=True)


def _changes(
    sizes: Sequence[tuple[float, float]], *, noise: float = 0.0, graded: bool = False, answers: int = 1
) -> Draw:
    """Return draws of differences: each size with its probability, graded or whole, and noise on the others."""

    def draw(rng: np.random.Generator, n: int) -> FloatArray:
        place, values = rng.random((n, 1)), noise * rng.standard_normal((n, 1))
        start = 0.0
        for size, share in sizes:
            inside = (place >= start) & (place < start + share)
            values = np.where(inside, size * (rng.random((n, 1)) if graded else 1.0), values)
            start += share
        return np.repeat(values, answers, axis=1)

    return draw


def of_means(population: Sampled, n: int, draws: int) -> Covered:
    """Return the coverage of ``bounded_mean``."""
    found = [bounded_mean(values, groups=groups, level=LEVEL)[1:] for values, groups in _samples(population, n, draws)]
    return _covered(population, n, np.array(found))


def of_differences(population: Sampled, n: int, draws: int) -> Covered:
    """Return the coverage of ``paired``, and how often p and interval disagree."""
    found = [
        paired_all([values], groups=groups, bounds=[(-1.0, 1.0)], level=LEVEL)[0]
        for values, groups in _samples(population, n, draws)
    ]
    disagree = sum((one.p < 1 - LEVEL) != (one.low > 0 or one.high < 0) for one in found)
    row = _covered(population, n, np.array([(one.low, one.high) for one in found]))
    return row._replace(more=disagree / draws)


def _samples(population: Sampled, n: int, draws: int) -> Iterator[tuple[FloatArray, Any]]:
    """Yield the values of each draw and the question of each value."""
    rng = generator(SEED, population.name, str(n))
    for _ in range(draws):
        values = population.draw(rng, n)
        yield values.ravel(), np.repeat(np.arange(n), values.shape[1])


def _covered(population: Sampled, n: int, found: FloatArray) -> Covered:
    truth = population.truth
    low, high = found.T
    inside = ((low <= truth) & (truth <= high)).mean()
    return Covered(population.name, n, float(inside), float((high - low).mean()), float((low > truth).mean()))


def _verdicts(rng: np.random.Generator, right: FloatArray, errors: float) -> FloatArray:
    return np.where(rng.random(ROWS) < errors, 1 - right, right)


def _tail(rng: np.random.Generator, right: FloatArray, spread: float, gain: float) -> FloatArray:
    return np.exp(spread * rng.standard_normal(ROWS) + gain * right)


def _piled(rng: np.random.Generator, right: FloatArray, errors: float) -> FloatArray:
    return np.where(_verdicts(rng, right, errors) > 0, rng.beta(40, 1, ROWS), rng.beta(1, 10, ROWS))


def _graded(rng: np.random.Generator, right: FloatArray) -> FloatArray:
    return rng.beta(1 + 2 * right, 3 - 2 * right)


# The share of right rows, and the scores of rows of which these are right.
SCORED: dict[str, tuple[float, Callable[[np.random.Generator, FloatArray], FloatArray]]] = {
    "exp(3 z + 2 y), share .5": (0.5, partial(_tail, spread=3, gain=2)),
    "exp(3 z + 2 y), share .9": (0.9, partial(_tail, spread=3, gain=2)),
    "exp(z + y), share .5": (0.5, partial(_tail, spread=1, gain=1)),
    "verdicts, 3 % wrong, share .97": (0.97, partial(_verdicts, errors=0.03)),
    "verdicts, 10 % wrong, share .7": (0.7, partial(_verdicts, errors=0.1)),
    "probabilities near 0 and 1, share .97": (0.97, partial(_piled, errors=0.02)),
    "probabilities near 0 and 1, share .9": (0.9, partial(_piled, errors=0.05)),
    "graded scores, share .6": (0.6, _graded),
}


def of_labels(name: str, n: int, draws: int) -> Covered:
    """Return the coverage, the bias and the worth of few labels."""
    truth, score = SCORED[name]
    rng = generator(SEED, name, str(n))
    found: list[Any] = []
    for _ in range(draws):
        right = (rng.random(ROWS) < truth).astype(np.float64)
        scores = score(rng, right)
        found.append(prediction_powered(scores, np.where(np.arange(ROWS) < n, right, np.nan), level=LEVEL))
    results = np.array(found)
    row = _covered(Sampled(name, truth, lambda rng, n: np.empty(0)), n, results[:, 1:3])
    worth = results[:, found[0]._fields.index("labels_worth")]
    return row._replace(more=float(results[:, 0].mean()) - truth, worth=float(np.median(worth)) / n)


def tables(
    means: Sequence[Covered], gaps: Sequence[tuple[Sampled, Covered]], labels: Sequence[Covered], draws: int
) -> Iterator[Table]:
    """Return the tables of the page."""
    error = (0.0475 / draws) ** 0.5
    note = f"{draws:,} draws per cell, seed {SEED}: the standard error of a coverage of .95 is {error:.4f}"
    title = "Shares and mean probabilities: coverage of 95 % intervals, and mean widths"
    lines: list[tuple[Cell, ...]]
    lines = [(row.name, row.n, row.covered, row.width) for row in means]
    yield Table.of(title, ("population", "questions", "covered", "width"), lines, (_least(means), note))
    title = "Differences of two systems: coverage, and intervals above the truth"
    names = ("population", "questions", "covered", "above the truth", "width")
    for is_limit in (False, True):
        rows = [row for one, row in gaps if one.limit == is_limit]
        lines = [(row.name, row.n, row.covered, row.above, row.width) for row in rows]
        disagree = f"p and interval disagree in {sum(row.more for row in rows):.0f} draws"
        most = f"above the truth in at most {max(row.above for row in rows):.3f}"
        caption = f"{title}: beyond the documented limit" if is_limit else title
        yield Table.of(caption, names, lines, (_least(rows), most, disagree, note))
    title = "Few labels with a score: coverage, bias and worth of a label"
    lines = [(row.name, row.n, row.covered, f"{row.more:+.3f}", f"{row.worth:.2f}") for row in labels]
    names = ("scores", "labels", "covered", "bias", "worth")
    yield Table.of(title, names, lines, (_least(labels), f"{ROWS:,} rows", note))


def _least(rows: Sequence[Covered]) -> str:
    return f"the least coverage of the {len(rows)} cells is {min(row.covered for row in rows):.3f}"


if __name__ == "__main__":
    run_program(main)
