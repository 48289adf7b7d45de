"""How often the intervals of ``answersim.estimate_mean`` contain the truth, and how many labels a metric is worth.

    python -m benchmarks.coverage
    python -m benchmarks.coverage --sets evouna --metrics recall --repeats 200

Every answer of a judged set has a human label, so the true share of correct answers is known. A simulation draws a file
of answers from the set with replacement (with clusters: questions with all their answers), hides all labels but n, and
estimates the share. An interval of 95 % should contain the share of the whole set in 95 % of the simulations. With
``these rows``, the file is the set itself, and only the choice of the labeled rows is random.

The bins of ``answersim.stats.few_labels.prediction_powered`` were chosen on made populations
(``benchmarks.interval_coverage``), and its virtual rows on TriviaQA (EVOUNA) with recall and f1. EfficientQA and the
metric ``answersim`` had no part in these choices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

import answersim
from answersim._base.arrays import FloatArray, Interval
from answersim._base.errors import unknown
from answersim._base.runtime.cli_errors import user_errors
from answersim.evaluation.labels.labeling import STRATA
from answersim.stats.few_labels.prediction_powered import PredictionPowered, prediction_powered
from answersim.stats.few_labels.rogan_gladen import rogan_gladen_of_rows
from answersim.stats.few_labels.stratified import strata_of, stratified
from answersim.stats.intervals.cluster_bootstrap import numbered
from answersim.stats.intervals.proportion import t_quantile
from answersim.stats.intervals.resampling import generator
from benchmarks.judged_scores import columns_of
from benchmarks.judged_sets import SETS
from benchmarks.options import FORM, OUTPUT, check_folder, names_in, run_program, show
from benchmarks.paper_sets import say
from benchmarks.system_answers import SystemAnswer, load_efficientqa
from benchmarks.tables import Cell, Column, Format, Table

LABELS = (50, 100, 200, 500)
REPEATS, SEED, HALF = 2000, 0, 0.5
LEXICAL = ("recall", "f1")
SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
DESIGNS = ("uniform", "proportional", "equal")


class Population(NamedTuple):
    """Judged answers with one column of scores."""

    dataset: str  # the name of the set
    system: str  # the system, or "all" for answers of several or unknown systems
    column: str  # the name of the metric
    scores: FloatArray  # shape (N,)
    labels: FloatArray  # 0 or 1 each, shape (N,)
    clusters: Any  # the number of the question of each row, shape (N,); None if each row has its own
    # the scores by which rows are drawn, shape (N,), if they differ from ``scores``: for differences, those of the
    # first system
    drawn_by: FloatArray | None = None


class Coverage(NamedTuple):
    """The simulations of one population with n labels."""

    dataset: str  # as in ``Population``, like ``system`` and ``column``
    system: str
    column: str
    target: str  # "population" or "these rows"
    design: str  # how the labeled rows are drawn: "uniform", "proportional" or "equal"
    n: int  # the number of labels
    repeats: int  # the number of simulations
    covered: float  # the share of the intervals of ``estimate_mean`` that contain the truth
    alone: float  # the same share for the labels alone, by the Wilson interval
    published: float  # the same share for PPI++ as published; nan if it is not simulated
    rogan_gladen: float  # the same share for Rogan-Gladen with the threshold .5; nan if it is not simulated
    worth: float  # the median of ``labels_worth`` / n
    real_worth: float  # the variance of the mean of n labels over the variance of the estimate
    width: float  # the mean width of the interval, and ``width_alone`` of that of the labels alone
    width_alone: float


def main(
    sets: str = typer.Option(
        "evouna,efficientqa", help="Sets of benchmarks.judged, and efficientqa, separated by commas."
    ),
    metrics: str = typer.Option(",".join(LEXICAL), help="Metrics, separated by commas."),
    repeats: int = typer.Option(REPEATS, min=1, help="Simulations per cell."),
    cache: Path | None = typer.Option(None, help="A folder that keeps the scores of networks for the next run."),
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Simulate the coverage of intervals from few labels, and what a metric is worth in labels."""
    with user_errors():
        check_folder(output)
        rows: list[Coverage] = []
        gaps: list[Coverage] = []
        for name in names_in(sets):
            answers = loaded(name)
            say(f"{name}: {len(answers):,} answers")
            found = populations(name, answers, names_in(metrics), cache)
            rows += [row for population in found for row in simulated(population, repeats)]
            gaps += [row for population in differences(found) for row in of_difference(population, repeats)]
        show(list(tables(rows, gaps)), [*rows, *gaps], form, output)


def loaded(name: str) -> list[SystemAnswer]:
    """Return the answers of a set. Raise LookupError if there is no such set."""
    if name == "efficientqa":
        return load_efficientqa()
    if name not in SETS:
        raise unknown("data set", name, [*SETS, "efficientqa"])
    return SETS[name].load()


def populations(
    name: str, answers: Sequence[SystemAnswer], metrics: Sequence[str], cache: Path | None
) -> list[Population]:
    """Return the answers of each system, and of all systems with questions as clusters, for each metric."""
    columns = columns_of(answers, {metric: answersim.metric(metric) for metric in metrics}, cache)
    labels = np.array([float(answer.verdict) for answer in answers])
    systems = np.array([answer.system for answer in answers])
    questions = numbered([answer.question for answer in answers])
    found = []
    for column in columns:
        alone = [system for system in dict.fromkeys(systems.tolist()) if (systems == system).sum() >= 2 * LABELS[-1]]
        for system in alone if len(set(systems.tolist())) > 1 else []:
            at = systems == system
            found.append(Population(name, system, column.name, column.values[at], labels[at], None))
        found.append(Population(name, "all", column.name, column.values, labels, questions))
    return found


def differences(found: Sequence[Population]) -> list[Population]:
    """Return the differences of every two systems, question by question."""
    by_metric: dict[str, list[Population]] = {}
    for population in found:
        if population.clusters is None:
            by_metric.setdefault(population.column, []).append(population)
    return [
        one._replace(
            system=f"{other.system} - {one.system}",
            scores=other.scores - one.scores,
            labels=other.labels - one.labels,
            drawn_by=one.scores,
        )
        for group in by_metric.values()
        for one, other in combinations(group, 2)
    ]


def simulated(population: Population, repeats: int) -> Iterator[Coverage]:
    """Yield the coverage of shares for each target, design and number of labels."""
    for n in LABELS:
        yield _coverage(population, n, repeats, "population", "uniform", every=True)
        yield _coverage(population, n, repeats, "these rows", "uniform")
        if population.clusters is None and population.column == LEXICAL[0]:
            for design in DESIGNS[1:]:
                yield _coverage(population, n, repeats, "population", design)


def of_difference(population: Population, repeats: int) -> Iterator[Coverage]:
    """Yield the coverage of the difference of two systems for each number of labels."""
    for n in LABELS:
        yield _coverage(population, n, repeats, "population", "uniform", share=False)
        if population.column == LEXICAL[0]:
            for design in DESIGNS[1:]:
                yield _coverage(population, n, repeats, "population", design, share=False)


def _coverage(
    population: Population,
    n: int,
    repeats: int,
    target: str,
    design: str,
    *,
    every: bool = False,
    share: bool = True,
) -> Coverage:
    rng = generator(SEED, *population[:3], target, design, str(n))
    truth = float(population.labels.mean())
    found: list[PredictionPowered] = []
    others: list[tuple[bool, bool]] = []
    for _ in range(repeats):
        at, clusters = _file(population, target, rng)
        scores, truths = population.scores[at], population.labels[at]
        drawn_by = scores if population.drawn_by is None else population.drawn_by[at]
        labels, weights, strata = _labeled(drawn_by, truths, n, design, rng)
        finite = target == "these rows"
        found.append(
            prediction_powered(
                scores,
                labels,
                weights=weights,
                groups=clusters,
                strata=strata,
                finite=finite,
                share=share,
                reach=1.0,
            )
        )
        if every and clusters is None:
            low, high = published(scores, labels)
            others.append((low <= truth <= high, _by_rogan_gladen(truth, scores, labels)))
    values = np.array(found)  # (repeats, fields)
    column = dict(zip(PredictionPowered._fields, values.T, strict=True))
    both = np.mean(others, axis=0) if others else (np.nan, np.nan)
    return Coverage(
        *population[:3],
        target,
        design,
        n,
        repeats,
        covered=float(((column["low"] <= truth) & (truth <= column["high"])).mean()),
        alone=float(((column["plain_low"] <= truth) & (truth <= column["plain_high"])).mean()),
        published=float(both[0]),
        rogan_gladen=float(both[1]),
        worth=float(np.median(column["labels_worth"])) / n,
        real_worth=float(column["plain"].var() / column["value"].var()),
        width=float((column["high"] - column["low"]).mean()),
        width_alone=float((column["plain_high"] - column["plain_low"]).mean()),
    )


def _file(population: Population, target: str, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return the rows of a simulated file, and their clusters."""
    size = len(population.labels)
    if target == "these rows":
        return np.arange(size), None  # which rows are labeled is random, and not which questions there are
    if population.clusters is None:
        return rng.integers(size, size=size), None
    n_clusters = int(population.clusters.max()) + 1
    order = np.argsort(population.clusters, kind="stable")
    starts = np.searchsorted(population.clusters[order], np.arange(n_clusters + 1))
    drawn = rng.integers(n_clusters, size=n_clusters)
    at = np.concatenate([order[starts[i] : starts[i + 1]] for i in drawn])
    return at, np.repeat(np.arange(n_clusters), np.diff(starts)[drawn])


def _labeled(
    drawn_by: FloatArray, truths: FloatArray, n: int, design: str, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray | None, NDArray[np.int64] | None]:
    """Return the labels of a sample of n rows, nan for the others; and the weights and strata of rows."""
    labels = np.full(len(truths), np.nan)
    if design == "uniform":
        at = rng.choice(len(truths), n, replace=False)
        labels[at] = truths[at]
        return labels, None, None
    drawn = stratified(strata_of(drawn_by, STRATA), n, design, rng)
    labels[drawn.rows] = truths[drawn.rows]
    return labels, 1 / drawn.inclusion, drawn.strata


def published(scores: FloatArray, labels: FloatArray, level: float = 0.95) -> Interval:
    """Return the interval of PPI++ as published: power tuning, and the normal approximation.

    >>> rng = np.random.default_rng(0)
    >>> low, high = published(rng.random(500), np.where(np.arange(500) < 100, rng.random(500) < 0.8, np.nan))
    >>> round(low, 3), round(high, 3)
    (0.743, 0.894)

    Source: Angelopoulos, Duchi & Zrnic 2023, equations 4 and 6; ``ppi_mean_ci`` of ppi_python 0.2.3.
    """
    labeled = ~np.isnan(labels)
    given, here, there = labels[labeled], scores[labeled], scores[~labeled]
    n, rest = len(given), len(there)
    spread = float(scores.var())
    covariance = float(np.cov(given, here, bias=True)[0, 1])
    weight = min(max(covariance / ((1 + n / rest) * spread), 0.0), 1.0) if spread > 0 else 0.0
    value = weight * there.mean() + float((given - weight * here).mean())
    error = np.sqrt(weight**2 * there.var() / rest + (given - weight * here).var() / n)
    half = t_quantile(level, np.inf) * error
    return Interval(float(value - half), float(value + half))


def _by_rogan_gladen(truth: float, scores: FloatArray, labels: FloatArray) -> bool:
    """Return whether the interval contains the truth; an estimate that cannot be made does not."""
    try:
        found = rogan_gladen_of_rows(scores >= HALF, labels)
    except ValueError:
        return False
    return found.low <= truth <= found.high


def tables(rows: Sequence[Coverage], gaps: Sequence[Coverage]) -> Iterator[Table]:
    """Return the tables of the page."""
    repeats = rows[0].repeats if rows else REPEATS
    note = (
        f"{repeats:,} simulations per cell, seed {SEED}: the standard error of a coverage of .95 is "
        f"{(0.0475 / repeats) ** 0.5:.4f}"
    )
    for target in ("population", "these rows"):
        cells = [row for row in rows if row.target == target and row.design == "uniform"]
        if cells:
            title = f"Share of correct answers, {target}: coverage of 95 % intervals, and worth of a label"
            yield _by_n(title, cells, note)
    methods = [row for row in rows if not np.isnan(row.published)]
    if methods:
        yield _methods(methods, note)
    designs = [row for row in rows if row.system != "all" and row.target == "population" and row.column == LEXICAL[0]]
    if any(row.design != "uniform" for row in designs):
        title = f"How the labeled rows are drawn: strata by {LEXICAL[0]}, systems one by one"
        yield _designs(title, designs, note)
    if gaps:
        uniform = [row for row in gaps if row.design == "uniform"]
        yield _by_n("Difference of two systems: coverage of 95 % intervals, and worth of a label", uniform, note)
        drawn = [row for row in gaps if row.column == LEXICAL[0]]
        if any(row.design != "uniform" for row in drawn):
            title = f"Difference of two systems: labeled questions drawn by strata of {LEXICAL[0]} of the first system"
            yield _designs(title, drawn, note)


def _by_n(title: str, rows: Sequence[Coverage], note: str) -> Table:
    groups: dict[tuple[str, str, str], dict[int, Coverage]] = {}
    for row in rows:
        groups.setdefault((row.dataset, row.system, row.column), {})[row.n] = row
    names = [Column("set"), Column("system"), Column("metric")]
    names += [Column(str(n), "covered") for n in LABELS] + [Column(str(n), "worth") for n in LABELS]
    lines: list[tuple[Cell, ...]] = [
        (*group, *(_with_error(by_n[n]) for n in LABELS), *(f"{by_n[n].worth:.2f}" for n in LABELS))
        for group, by_n in groups.items()
    ]
    inside = np.mean([0.93 <= row.covered <= 0.97 for row in rows])
    ends = min(row.covered for row in rows), max(row.covered for row in rows)
    summary = (
        f"{inside:.0%} of the {len(rows)} cells cover between .93 and .97; all between {ends[0]:.3f} and {ends[1]:.3f}"
    )
    worth = "worth: the median of labels_worth / n, so 2 means that a label with the score is worth two without"
    notes = [summary, worth]
    if all(row.target == "population" for row in rows):
        ratios = [row.real_worth / row.worth for row in rows]
        notes.append(
            "the variance of the mean of n labels over that of the estimate, in the simulations, is "
            f"{min(ratios):.2f} to {max(ratios):.2f} times the worth"
        )
    return Table(title, tuple(names), tuple(lines), (*notes, note))


def _with_error(row: Coverage) -> str:
    """Return a coverage with the standard error that the number of simulations leaves."""
    return f"{row.covered:.3f} ± {(row.covered * (1 - row.covered) / row.repeats) ** 0.5:.3f}"


def _methods(rows: Sequence[Coverage], note: str) -> Table:
    names: Mapping[str, str] = {
        "covered": "corrected (ppi)",
        "alone": "labels alone (Wilson)",
        "published": "PPI++ as published",
        "rogan_gladen": "Rogan-Gladen, threshold .5",
    }
    lines = []
    for field, name in names.items():
        for n in LABELS:
            # One number is a threshold of recall only; f1 has no meaning at .5 for whole sentences.
            of = [
                getattr(row, field)
                for row in rows
                if row.n == n and (field != "rogan_gladen" or row.column == "recall")
            ]
            if of:
                lines.append((name, n, len(of), min(of), float(np.median(of)), max(of)))
    columns = ("interval", "labels", "cells", "least", "median", "most")
    return Table.of("Coverage of four intervals over systems and metrics", columns, lines, (note,))


def _designs(title: str, rows: Sequence[Coverage], note: str) -> Table:
    lines = []
    for design in DESIGNS:
        for n in LABELS:
            of = [row for row in rows if row.design == design and row.n == n]
            covered = [row.covered for row in of]
            widths = float(np.mean([row.width for row in of]))
            lines.append((design, n, min(covered), float(np.median(covered)), max(covered), widths))
    columns = ("labeled rows", "labels", "least covered", "median covered", "most covered", "mean width")
    return Table.of(title, columns, lines, (note,))


if __name__ == "__main__":
    run_program(main)
