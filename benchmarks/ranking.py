"""Answer-selection systems on one page: ranking measures and answer similarity side by side, over seeds, with tests.

    python -m benchmarks.ranking --dataset toy
    python -m benchmarks.ranking --dataset wikiqa --systems bm25,man,man-adv,man-advcom --seeds 3 --format json

Every system is trained on the train split under a preset, and dev selects its best epoch. Ranking measures evaluate its
ranking of the test split, and metrics of answersim compare its top candidates with the gold answers. Trainings are
stored in a folder: a finished training is not repeated, and an interrupted one resumes. ``--archive`` also archives the
runs of trained systems, and an archived run needs no training. Beside a measure is the number that a paper published
for the system on this corpus (``published_numbers.csv``).
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer

import answersim
import rankers
from answersim._base.arrays import FloatArray
from answersim._base.errors import unknown
from answersim._base.runtime.option_groups import command
from answersim.types import Metric, Pair
from benchmarks.machine import Machine, machine
from benchmarks.options import names_in, run_program, write_out
from benchmarks.ranking_archive import Archive
from benchmarks.ranking_datasets import DATASETS
from benchmarks.ranking_runs import RunSource, TimedRun, is_trained, log, reads_rows
from benchmarks.ranking_tables import Result, base_of, compared, meaning, records, table
from benchmarks.tables import Format, Table, render
from rankers.evaluation.evaluate import Evaluation, evaluate
from rankers.evaluation.semantic import top_candidates
from rankers.settings import parsed
from rankers.systems import catalog
from rankers.training.sampling import with_positives
from rankers.types import Questions, Run

METRICS = ("f1", "bi-encoder", "sas")
FOLDER = Path("runs/ranking")
__all__ = ["DATASETS", "METRICS", "PLAIN", "Remembered", "Result", "base_of", "main", "results"]
PLAIN = (
    *("random", "answer-only", "word-overlap", "bm25", "minilm-biencoder", "minilm-maxsim"),
    *("match-pyramid", "dmn", "man"),
    *("qa-lstm", "ctrn-pointwise", "global", "ggsa", "iggsa"),
)


@dataclass
class Remembered:
    """A metric that scores each pair once, however many systems select it."""

    metric: Metric
    known: dict[Pair, float] = field(default_factory=dict)

    @property
    def signature(self) -> str:
        """The signature of the metric."""
        return self.metric.signature

    def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
        """Return the scores of the metric, (n,)."""
        import numpy as np

        fresh = list(dict.fromkeys(pair for pair in map(Pair._make, pairs) if pair not in self.known))
        if fresh:
            self.known.update(zip(fresh, map(float, self.metric(fresh)), strict=True))
        return np.array([self.known[Pair(*pair)] for pair in pairs], dtype=np.float64)


def results(
    name: str,
    systems: Sequence[str],
    seeds: Sequence[int],
    preset: str,
    metrics: Sequence[str],
    folder: Path,
    overrides: Mapping[str, Any],
    trained_on: str = "",
    archive: Path | None = None,
) -> Iterator[tuple[Questions, list[Result]]]:
    """Yield each test split of a dataset with the results of these systems on it.

    ``overrides``: changed settings of every recipe, in addition to those of the training dataset. ``archive``: the
    folder of archived runs. An archived run needs no training, and other runs are added. ``folder``: the folder of
    trainings. Those of a GPU and of a CPU are separate. ``trained_on``: another dataset, whose trainings rank.
    """
    dataset = DATASETS[name]
    load = rankers.data.load
    tests = {split: load(name, split, **dataset.options) for split in dataset.tests}
    source = trained_on or name
    (train, dev), (own_train, _) = _learned_from(source), _learned_from(name)
    counted = own_train or tests[dataset.tests[0]]  # BM25 counts the words of the candidates and ignores the labels
    remembered = {metric: Remembered(answersim.metric(metric)) for metric in metrics}
    taught = [*_controls(systems, train, None if own_train else tests)]
    taught += _taught(overrides, DATASETS[source].overrides, train) if any(map(is_trained, systems)) else []
    taught += _limited(systems, {**DATASETS[source].overrides, **overrides}, DATASETS[source].row_limit, train)
    overrides = {"dev_measure": DATASETS[source].dev_measure, **DATASETS[source].overrides, **overrides}
    evaluated: dict[str, list[Result]] = {split: [] for split in tests}
    device = machine().device
    place = Path(source) / (preset if device == "cpu" else f"{preset}-{device}")  # of trainings, which differ by device
    archived = Archive(archive / f"{place}.parquet") if archive else None
    source_of_runs = RunSource(
        counted, train, dev, folder / place, archived, preset, overrides, DATASETS[source].row_limit
    )
    files = {split: split if source == name else f"{name}.{split}" for split in tests}
    texts = {files[split]: questions for split, questions in tests.items()}
    for system in systems:
        for seed in seeds:
            source_of_runs.archived(system, seed, texts)  # raises an error for an unusable run before any training
    timed: dict[str, list[tuple[str, int, TimedRun]]] = {split: [] for split in tests}
    for system in systems:
        for seed in seeds if system == "random" or is_trained(system) else seeds[:1]:
            runs = source_of_runs.runs(system, seed, texts)
            for split, questions in tests.items():
                (measure,), run = dataset.measures[:1], runs[files[split]].run
                value = evaluate(run, questions, [measure]).mean(measure)
                log(f"{name} {split}: {system}, seed {seed}: {measure} {value:.4f}")
                timed[split].append((system, seed, runs[files[split]]))
    for split, questions in tests.items():
        _judge_at_once(remembered, [run_of.run for _, _, run_of in timed[split]], questions)
        for system, of_system in groupby(timed[split], key=lambda entry: entry[0]):
            costs = [(seed, timed_run) for _, seed, timed_run in of_system]
            evaluations = [
                evaluate(
                    timed_run.run,
                    questions,
                    dataset.measures,
                    remembered,
                    floor_candidates=0,  # the pages have a row of random choices instead
                    dataset=name,
                    seed=seed,
                )
                for seed, timed_run in costs
            ]
            evaluated[split].append(_result(system, evaluations, [timed_run for _, timed_run in costs]))
    for split, questions in tests.items():
        notes = (*questions.notes, *taught)
        if source != name:
            notes = (*notes, f"trained systems were fine-tuned on {DATASETS[source].title}")
        if "answer-only" in systems and train is not None:
            notes = (*notes, str(rankers.data.leak(train, questions)))  # what labels of train reveal of the candidates
        yield replace(questions, notes=(*notes, *source_of_runs.notes())), evaluated[split]


def _result(system: str, evaluations: list[Evaluation], runs: Sequence[TimedRun]) -> Result:
    """Return the result of a system with its mean costs over the seeds."""
    training, scoring = _mean([run.training for run in runs]), _mean([run.scoring for run in runs])
    return Result(system, evaluations, runs[0].parameters, training, scoring or 0.0)


def _controls(
    systems: Sequence[str], train: Questions | None, counted: Mapping[str, Questions] | None
) -> Iterator[str]:
    """Yield notes on the baselines.

    ``train``: what ``answer-only`` learned from. ``counted``: the test splits, if BM25 counts words in the first of
    them because there is no train split.
    """
    if "answer-only" in systems and train is not None:
        yield (
            f"answer-only never reads the question: it learned from the labels of all {len(train):,} training "
            "questions, and is not in the orders of systems"
        )
    if "bm25" in systems and counted:
        first = next(iter(counted.values()))
        n_candidates = sum(len(question.candidates) for question in first)
        yield (
            f"bm25 counts words in the {n_candidates:,} candidates of the test questions only: there is no train "
            "split, and the counts of the collection are not available"
        )


def _taught(overrides: Mapping[str, Any], usual: Mapping[str, Any], train: Questions | None) -> list[str]:
    """Return notes on the trainings: the changed settings, and the number of training questions."""
    changed = ", ".join(f"{name}={value}" for name, value in overrides.items())
    limit = {**usual, **overrides}.get("limit")
    notes = [f"changed in every recipe: {changed}"] if changed else []
    if train is not None and isinstance(limit, int) and 0 < limit < len(train):
        notes.append(f"trained on {limit:,} of {len(train):,} questions")
    return notes


def _limited(
    systems: Sequence[str], overrides: Mapping[str, Any], row_limit: int, train: Questions | None
) -> Iterator[str]:
    """Yield a note on the systems that read fewer training questions than the others."""
    limited = [system for system in systems if reads_rows(system)]
    if not limited or train is None or not row_limit or "limit" in overrides:
        return
    if row_limit < (n := len(with_positives(train))):
        yield f"{', '.join(limited)}: trained on {row_limit:,} of {n:,} questions (limit)"


def _judge_at_once(metrics: Mapping[str, Remembered], runs: Sequence[Run], questions: Questions) -> None:
    """Score the top candidates of all these runs together, so that an encoder reads each text once."""
    choices = [choice for run in runs for choice in top_candidates(run, questions)]
    pairs = dict.fromkeys((choice.golds, choice.text) for choice in choices if choice.golds)
    if pairs and metrics:
        answersim.score_pairs(list(pairs), list(metrics.values()))


def _learned_from(name: str) -> tuple[Questions | None, Questions | None]:
    """Return the train and dev questions of a dataset, None for a missing split."""
    options, splits = DATASETS[name].options, rankers.data.corpora()[name].splits
    train, dev = (rankers.data.load(name, split, **options) if split in splits else None for split in ("train", "dev"))
    if train is None and dev is not None:
        train, dev = rankers.data.trainable(name, **options)  # SelQA: its dev split in two
    return train, dev


@command
def main(
    dataset: Annotated[
        str,
        typer.Option(
            help=f"Datasets, separated by commas: {', '.join(DATASETS)}. Their files are in $ANSWERSIM_DATA/ranking, "
            "and an error names a missing file and its source."
        ),
    ] = "toy",
    systems: Annotated[
        str, typer.Option(help="Systems, separated by commas, or 'all'; `rankers list` shows them.")
    ] = ",".join(PLAIN),
    seeds: Annotated[int, typer.Option(help="The number of seeds, from 0.", min=1)] = 1,
    preset: Annotated[str, typer.Option(help="smoke (seconds), cpu (minutes) or paper.")] = "cpu",
    metrics: Annotated[
        str, typer.Option(help="Metrics for the top candidates, separated by commas; '' for none.")
    ] = ",".join(METRICS),
    change: Annotated[
        list[str] | None, typer.Option(help="A setting of every recipe as SETTING=VALUE, such as epochs=3.")
    ] = None,
    format: Annotated[Format, typer.Option(help="The format of the output.")] = Format.text,
    folder: Annotated[Path, typer.Option(help="The folder of trainings.")] = FOLDER,
    output: Annotated[Path | None, typer.Option(help="A file to write to, instead of the terminal.")] = None,
    archive: Annotated[
        Path | None,
        typer.Option(help="An archive of runs. Runs in it are not repeated, and others are added."),
    ] = None,
    trained_on: Annotated[
        str, typer.Option(help="Rank with the trainings of another dataset, such as wikiqa for trecdl19.")
    ] = "",
) -> None:
    """Train systems, rank, and print measures and metrics side by side."""
    shown: list[Table] = []
    rows: list[dict[str, Any]] = []
    metric_names = names_in(metrics)
    datasets = names_in(dataset)
    for name in (*names_in(trained_on), *datasets):
        if name not in DATASETS:
            raise unknown("dataset", name, DATASETS)
    overrides, made_on = parsed(change or []), machine()
    chosen = catalog.names() if systems == "all" else names_in(systems)
    for system in chosen:
        catalog.system(system)
    for name in datasets:
        for questions, evaluated in results(
            name, chosen, range(seeds), preset, metric_names, folder, overrides, trained_on, archive
        ):
            shown += _tables(name, questions, evaluated, metric_names, preset, made_on)
            rows += records(evaluated, questions.split, preset, made_on)
    write_out(render(shown, rows, format.value), output)


def _tables(
    name: str,
    questions: Questions,
    evaluated: Sequence[Result],
    metrics: Sequence[str],
    preset: str,
    made_on: Machine,
) -> Iterator[Table]:
    """Yield the tables of one split."""
    dataset = DATASETS[name]
    title = dataset.title + (f", {questions.split}" if len(dataset.tests) > 1 else "")
    measured = table(title, dataset, questions, evaluated, metrics, preset)
    origin = f"python -m benchmarks.ranking {shlex.join(sys.argv[1:])} ({made_on.line})"
    yield replace(measured, notes=(*measured.notes, origin))
    tests = compared(title, dataset, evaluated, metrics)
    if tests.rows:
        yield tests
    if metrics:
        yield meaning(title, evaluated, metrics)


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None


if __name__ == "__main__":
    run_program(main)
