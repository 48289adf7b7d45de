"""The tables of the ranking benchmark: measures beside metrics, tests, false negatives, and semantic scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from benchmarks.machine import Machine
from benchmarks.ranking_datasets import Dataset
from benchmarks.tables import Cell, Column, Table, interval, signed
from rankers.evaluation.comparison import Comparison, compare_all, spread
from rankers.evaluation.evaluate import WRONG, Evaluation
from rankers.systems import catalog
from rankers.training.definitions import Trained
from rankers.types import Questions


class Result(NamedTuple):
    """One system on one test split: one evaluation per seed, and the cost."""

    system: str  # the name of the system
    seeds: list[Evaluation]  # one evaluation per seed
    # the parameters of the network that ranks, or of one member of a committee; None without training
    parameters: int | None
    # seconds of training with all trainings that it starts from, mean over seeds; None without training
    training: float | None
    scoring: float  # seconds for the split, mean over seeds


def base_of(system: str) -> str:
    """Return the baseline of a system: the system without the additions of its paper; "" for none.

    >>> base_of("man-advcom"), base_of("iggsa-att"), base_of("ggsa-group-4"), base_of("bm25")
    ('man', 'global-att', 'global', '')
    >>> base_of("scan-wo-fd"), base_of("scan-noisy"), base_of("addax-wo-hd"), base_of("addax")
    ('tanda', 'tanda-noisy', 'addax', 'late-interaction')
    """
    bases = {
        "ce-plain": "tanda",
        "addax": "late-interaction",
        "late-interaction": "minilm-maxsim",
        "scan-wo-both": "",
        "hybrid": "minilm-hybrid",
    }
    if system in bases:
        return bases[system]
    if system.startswith(("tanda-", "addax-")):
        return system.partition("-")[0]
    if system.split("-")[0] == "scan":
        damage = system.rpartition("-")[2]
        return f"tanda-{damage}" if damage in ("perturbed", "noisy") else "tanda"
    for kind in ("match-pyramid", "dmn", "man"):
        if system.startswith(f"{kind}-"):
            return kind
    if system.startswith(("qa-lstm-", "ap-lstm")):
        return "qa-lstm"
    if system.split("-")[0] in ("local", "group", "ggsa", "iggsa"):
        composed = "".join(f"-{part}" for part in ("att", "multihop", "pointwise") if f"-{part}" in system)
        return f"global{composed}" if composed in ("", "-att") else ""
    return ""


def table(
    title: str, dataset: Dataset, questions: Questions, results: Sequence[Result], metrics: Sequence[str], preset: str
) -> Table:
    """Return the table of measures and metrics, mean and standard deviation over seeds, and of the costs."""
    judged = [*metrics, *(metric + WRONG for metric in metrics)]
    published = dataset.published_numbers(questions.split)
    printed = [name for name in dataset.measures if any((result.system, name) in published for result in results)]
    columns = [Column("system"), Column("seeds")]
    columns += [Column(name, "ranking") for name in dataset.measures]
    columns += [Column(name, "published") for name in printed]
    columns += [Column(name, "top candidate, all") for name in metrics]
    columns += [Column(name, "where P@1=0") for name in metrics]
    columns += [Column("parameters"), Column("training (s)"), Column("scoring (s)")]
    rows = [
        (
            result.system,
            len(result.seeds),
            *(_spread(result, name) for name in dataset.measures),
            *(published.get((result.system, name)) for name in printed),
            *(_spread(result, name) for name in judged),
            result.parameters,
            None if result.training is None else f"{result.training:.0f}",
            f"{result.scoring:.1f}",
        )
        for result in results
    ]
    return Table(f"{title} ({preset})", tuple(columns), tuple(rows), tuple(_notes(dataset, questions, results)))


def _spread(result: Result, name: str) -> Cell:
    mean, deviation = spread(result.seeds, name)
    return mean if len(result.seeds) == 1 else f"{mean:.3f}±{deviation:.3f}"


def _notes(dataset: Dataset, questions: Questions, results: Sequence[Result]) -> Iterator[str]:
    first = results[0].seeds[0]
    counts = first.counts
    yield (
        f"{counts.questions} questions: {counts.without_positives} without a positive, "
        f"{counts.all_positive} with positives only; pool: {first.pool}"
    )
    yield from (note for note in (dataset.note, *questions.notes) if note)
    if any(result.parameters is not None for result in results):
        yield (
            "parameters: those of the network that ranks (one member of a committee), without frozen tables and "
            "encoders; training (s): wall time with all trainings that it starts from, without that of its checkpoint; "
            "the machine may have had other work during both times"
        )
    ties = [(result.system, result.seeds[0].counts.tied_at_top) for result in results]
    if tied := [f"{system} {n}" for system, n in ties if n]:
        yield f"questions with a tie at the top, broken by a hash: {', '.join(tied)}"
    circular: dict[str, list[str]] = {}
    for result in results:
        for metric, scores in result.seeds[0].semantic.items():
            if scores.shares_weights in ("yes", "partly"):
                circular.setdefault(f"{metric} ({scores.shares_weights})", []).append(result.system)
    for metric, systems in circular.items():
        yield f"{metric}: the weights of the metric also ranked, for {', '.join(systems)}"


def compared(title: str, dataset: Dataset, results: Sequence[Result], metrics: Sequence[str]) -> Table:
    """Compare each system with the base of its family, by question; Holm over the family, within each measure.

    The measures and metrics of a run are strongly correlated, so Holm's procedure does not apply across them.
    """
    evaluations = {result.system: result.seeds for result in results}
    names = [*dataset.measures, *metrics]
    tests: list[Comparison] = []
    pairs = sorted((base_of(system), system) for system in evaluations if base_of(system) in evaluations)
    for base, family in groupby(pairs, key=lambda pair: pair[0]):
        systems = {system: evaluations[system] for _, system in family}
        for name in names:
            tests += compare_all(
                evaluations[base],
                systems,
                [name],
                paired_seeds=lambda other: share_training(base, other),  # noqa: B023
            )
    columns = ("system", "against", "measure", "n", "difference", "95 %", "p", "p (Holm)", "p (seeds)")
    rows = tuple(
        (
            test.second,
            test.first,
            test.measure,
            test.n_questions,
            signed(test.difference),
            interval(test.low, test.high),
            f"{test.p:.4f}",
            f"{test.p_holm:.4f}",
            "" if test.p_seeds is None else f"{test.p_seeds:.4f}",
        )
        for test in tests
    )
    return Table.of(f"{title}: against the base of the family", columns, rows, (SEEDS,))


SEEDS = (
    "p (seeds): the p of a t-test over the means of the seeds, for further trainings; paired by seed if the systems "
    "share a training, else Welch's test; with three seeds only large differences are significant"
)


def share_training(one: str, other: str) -> bool:
    """Return whether two systems share a training or a start of their trainings, so that their seeds are paired.

    >>> share_training("man", "man-advcom"), share_training("tanda", "scan"), share_training("ggsa", "iggsa")
    (True, True, False)
    >>> share_training("addax", "minilm-maxsim")
    False
    """
    return bool(_trainings(one) & _trainings(other))


def _trainings(system: str) -> set[str]:
    definition = catalog.system(system)
    names = [definition.training] if isinstance(definition, Trained) else []
    for name in names:
        names += [catalog.TRAININGS[name].start] if catalog.TRAININGS[name].start else []
    return set(names)


def meaning(title: str, results: Sequence[Result], metrics: Sequence[str]) -> Table:
    """Return a table of irrelevant top candidates: their number, their scores, and how many reach a threshold."""
    columns = [Column("system"), Column("wrong"), Column("questions")]
    for metric in metrics:
        limit = results[0].seeds[0].semantic[metric].threshold
        columns += [Column("mean", metric), Column(f">= {limit:.3g}", metric), Column("share", metric)]
    rows = []
    for result in results:
        judged = [evaluation.semantic for evaluation in result.seeds]
        cells: list[Cell] = [result.system]
        for metric in metrics:
            scores = [of[metric] for of in judged]
            wrong = _average([float(of.irrelevant.sum()) for of in scores])
            reached = _average([float(len(of.false_negatives)) for of in scores])
            if len(cells) == 1:
                cells += [f"{wrong:.1f}", int((~np.isnan(scores[0].values)).sum())]
            share = reached / wrong if wrong else float("nan")
            cells += [_average([of.mean_irrelevant for of in scores]), f"{reached:.1f}", share]
        rows.append(tuple(cells))
    notes = (
        "wrong: the number of top candidates without a positive label, over the questions with a gold answer, mean "
        "over seeds; mean: the mean of the metric over them; then how many reach the limit, and their share",
        "compare with the row 'random', which shows how many negatives reach the limit by chance",
    )
    return Table(f"{title}: wrong top candidates that are right in meaning", tuple(columns), tuple(rows), notes)


def _average(values: Sequence[float]) -> float:
    """Return the mean of the defined values; nan if there are none."""
    defined = [value for value in values if not np.isnan(value)]
    return float(np.mean(defined)) if defined else float("nan")


def records(results: Sequence[Result], split: str, preset: str, machine: Machine) -> Iterator[dict[str, Any]]:
    """Yield one row per system, seed and measure or metric, with the machine. Equal calls give equal rows."""
    made_on = {"device": machine.device, "threads": machine.threads, "machine": machine.line}
    for result in results:
        for evaluation in result.seeds:
            for row in evaluation.records():
                yield {**row, "split": split, "preset": preset, **made_on}
