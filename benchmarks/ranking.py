"""Answer-selection systems on one page: ranking measures and answer similarity side by side, over seeds, with tests.

    python -m benchmarks.ranking --dataset toy
    python -m benchmarks.ranking --dataset wikiqa --systems bm25,man,man-adv,man-advcom --seeds 3 --format json

Every system is trained on the train split under a preset, its best epoch chosen on dev, and its first choices on the
test split are judged as rankings and, against the gold answers, by metrics of answersim. Trainings are kept in a
folder: what is there is not trained again, what was stopped goes on, and runs lie beside them as TREC files.
"""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

import answersim
import rankers
from answersim.complaints import complaints
from answersim.types import FloatArray, Metric, Pair
from benchmarks.tables import Cell, Column, Format, Table, interval, render, save, signed
from rankers import catalog, runs
from rankers.comparison import Comparison, compare_all, spread
from rankers.evaluation import WRONG, Evaluation, evaluate
from rankers.types import Questions

METRICS = ("f1", "bi-encoder", "sas")
FOLDER = Path("runs/ranking")
PLAIN = (
    *("random", "word-overlap", "bm25", "minilm-biencoder", "minilm-maxsim"),
    *("match-pyramid", "dmn", "man"),
    *("qa-lstm", "ctrn-pointwise", "global", "ggsa", "iggsa"),
)


class Dataset(NamedTuple):
    """How a corpus is looked at.

    Attributes:
        title: Its name as a heading.
        tests: Its test splits.
        measures: Those that papers give for it, the first for the tests.
        dev_measure: What chooses the best epoch and weighs the members of a committee.
        changes: What is changed in every recipe: mostly how long texts are.
        options: Of ``rankers.data.load``.
        note: What a reader must know.
    """

    title: str
    tests: tuple[str, ...]
    measures: tuple[str, ...]
    dev_measure: str
    changes: Mapping[str, Any] = {}
    options: Mapping[str, Any] = {}
    note: str = ""


DATASETS: dict[str, Dataset] = {
    "toy": Dataset("Toy", ("test",), ("MAP", "MRR", "P@1", "nDCG@5"), "MRR", {"answer_length": 40}),
    "wikiqa": Dataset(
        "WikiQA, clean",
        ("test",),
        ("MAP", "MRR", "P@1", "nDCG@5"),
        "MRR",
        note="237 test questions; the committee paper's own test set of 5.8k pairs is not known",
    ),
    "insuranceqa-mini": Dataset(
        "InsuranceQA, reduced",
        ("test1", "test2"),
        ("P@1", "MRR"),
        "P@1",
        {"answer_length": 80, "limit": 1000},
        note="trained on 1,000 of 3,288 questions; a third of the answers and 43 candidates instead of 500: not to be "
        "compared with published numbers",
    ),
    "yahoocqa-small": Dataset(
        "YahooCQA, a 3 % sample",
        ("test",),
        ("P@1", "MRR"),
        "MRR",
        note="1,295 training questions, not the split of the papers; it also stands in for the private Tax set",
    ),
    "fiqa-partial": Dataset(
        "FiQA, what is at hand",
        ("test",),
        ("nDCG@5", "MRR"),
        "MRR",
        {"answer_length": 100},
        note="333 questions over 865 answers, split by question: a small retrieval test, not the published task",
    ),
    "selqa": Dataset("SelQA", ("test",), ("MAP", "MRR", "P@1"), "MRR"),
    "antique": Dataset("ANTIQUE, judged pools", ("test",), ("MAP", "MRR", "P@1", "nDCG@3", "nDCG@10"), "nDCG@10"),
    "trecdl19": Dataset("TREC DL 2019, reranking", ("test",), ("nDCG@10", "MAP", "MRR@10"), "nDCG@10"),
}


@dataclass
class Remembered:
    """A metric that looks at each pair once, however many systems choose it."""

    metric: Metric
    known: dict[Pair, float] = field(default_factory=dict)

    @property
    def signature(self) -> str:
        """That of the metric."""
        return self.metric.signature

    def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
        """What the metric says, (n,)."""
        import numpy as np

        fresh = list(dict.fromkeys(pair for pair in map(Pair._make, pairs) if pair not in self.known))
        if fresh:
            self.known.update(zip(fresh, map(float, self.metric(fresh)), strict=True))
        return np.array([self.known[Pair(*pair)] for pair in pairs], dtype=np.float64)


class Result(NamedTuple):
    """One system on one test split: an evaluation a seed, and what it cost.

    Attributes:
        system: Its name.
        seeds: One evaluation each.
        parameters: Trained numbers, of one member where there are several; None where nothing is trained.
        training: Seconds of training, all it started from included, the mean over seeds; None as before.
        scoring: Seconds for the split, the mean over seeds.
    """

    system: str
    seeds: list[Evaluation]
    parameters: int | None
    training: float | None
    scoring: float


def base_of(system: str) -> str:
    """The system that this one is held against: the plain network, or global self-attention; "" for none.

    >>> base_of("man-advcom"), base_of("iggsa-att"), base_of("ggsa-group-4"), base_of("bm25")
    ('man', 'global-att', 'global', '')
    """
    for kind in ("match-pyramid", "dmn", "man"):
        if system.startswith(f"{kind}-"):
            return kind
    if system.startswith(("qa-lstm-", "ap-lstm")):
        return "qa-lstm-pointwise" if system.endswith("-pointwise") else "qa-lstm"
    if system.split("-")[0] in ("local", "group", "ggsa", "iggsa"):
        composed = "".join(f"-{each}" for each in ("att", "multihop", "pointwise") if f"-{each}" in system)
        return "global" + composed
    return ""


def results(
    name: str,
    systems: Sequence[str],
    seeds: Sequence[int],
    preset: str,
    metrics: Sequence[str],
    folder: Path,
    changes: Mapping[str, Any],
) -> Iterator[tuple[Questions, list[Result]]]:
    """Each test split of a dataset with the results of these systems on it."""
    dataset = DATASETS[name]
    load = rankers.data.load
    tests = {split: load(name, split, **dataset.options) for split in dataset.tests}
    known = rankers.data.corpora()[name].splits
    train, dev = (load(name, split, **dataset.options) if split in known else None for split in ("train", "dev"))
    if train is None:  # BM25 counts words of candidates, without their labels
        train = tests[dataset.tests[0]]
    remembered = {each: Remembered(answersim.metric(each)) for each in metrics}
    found: dict[str, list[Result]] = {split: [] for split in tests}
    for system in systems:
        own = seeds if _is_seeded(system) else seeds[:1]
        made: dict[str, list[tuple[Evaluation, float]]] = {split: [] for split in tests}
        costs = []
        for seed in own:
            home = folder / name / preset / f"seed-{seed}"
            ranker, cost = _fitted(
                system, train, dev, home, preset, seed, {"dev_measure": dataset.dev_measure, **changes}
            )
            costs.append(cost)
            for split, questions in tests.items():
                started = time.perf_counter()
                run = runs.run(ranker, questions, system)
                spent = time.perf_counter() - started
                kept = home / "runs" / f"{system}.{split}.trec"
                kept.parent.mkdir(parents=True, exist_ok=True)
                runs.write_trec(run, kept)
                said = evaluate(run, questions, dataset.measures, remembered, dataset=name, seed=seed)
                made[split].append((said, spent))
                _say(
                    f"{name} {split}: {system}, seed {seed}: {dataset.measures[0]} {said.mean(dataset.measures[0]):.4f}"
                )
        for split, each in made.items():
            scoring = sum(spent for _, spent in each) / len(each)
            parameters, training = costs[0][0], _mean([cost[1] for cost in costs])
            found[split].append(Result(system, [said for said, _ in each], parameters, training, scoring))
    for split, questions in tests.items():
        yield questions, found[split]


def _fitted(
    system: str,
    train: Questions | None,
    dev: Questions | None,
    home: Path,
    preset: str,
    seed: int,
    changes: Mapping[str, Any],
) -> tuple[rankers.Ranker, tuple[int | None, float | None]]:
    """The ranker, and its parameters and seconds of training."""
    known = catalog.system(system)
    if isinstance(known, catalog.Untrained):
        return known.make(train, seed), (None, None)
    if train is None or dev is None:
        raise ValueError(f"{system} has to be trained, but this dataset has no train and dev split; leave it out")
    from rankers import fitting

    ranker = fitting.fit(system, train, dev, folder=home, preset=preset, seed=seed, changes=changes, say=_say)
    story = fitting.history(home, known.training)
    return ranker, (story["parameters"], fitting.seconds(home, known.training))


def _is_seeded(system: str) -> bool:
    return system == "random" or isinstance(catalog.system(system), catalog.Trained)


def table(
    title: str, dataset: Dataset, questions: Questions, found: Sequence[Result], metrics: Sequence[str], preset: str
) -> Table:
    """Measures and metrics, the mean over seeds with the standard deviation, and the costs."""
    judged = [*dataset.measures, *metrics, *(metric + WRONG for metric in metrics)]
    columns = [Column("system"), Column("seeds")]
    columns += [Column(each, "ranking") for each in dataset.measures]
    columns += [Column(each, "first choice, all") for each in metrics]
    columns += [Column(each, "where P@1=0") for each in metrics]
    columns += [Column("parameters"), Column("training s"), Column("scoring s")]
    rows = [
        (
            each.system,
            len(each.seeds),
            *(_spread(each, name) for name in judged),
            each.parameters,
            None if each.training is None else f"{each.training:.0f}",
            f"{each.scoring:.1f}",
        )
        for each in found
    ]
    return Table(f"{title} ({preset})", tuple(columns), tuple(rows), tuple(_notes(dataset, questions, found)))


def _spread(result: Result, name: str) -> Cell:
    said = spread(result.seeds, name)
    return said.mean if said.n_seeds == 1 else f"{said.mean:.3f}±{said.deviation:.3f}"


def _notes(dataset: Dataset, questions: Questions, found: Sequence[Result]) -> Iterator[str]:
    first = found[0].seeds[0]
    counts = first.counts
    yield (
        f"{counts.questions} questions: {counts.without_positives} without a right answer, "
        f"{counts.all_positive} with right ones only; pool: {first.pool}"
    )
    yield from (each for each in (dataset.note, *questions.notes) if each)
    if tied := [
        f"{each.system} {each.seeds[0].counts.tied_at_top}" for each in found if each.seeds[0].counts.tied_at_top
    ]:
        yield f"questions with a tie at the top, broken by a hash: {', '.join(tied)}"
    circular: dict[str, list[str]] = {}
    for each in found:
        for metric, said in each.seeds[0].judgements.items():
            if said.shares_weights in ("yes", "partly"):
                circular.setdefault(f"{metric} ({said.shares_weights})", []).append(each.system)
    for metric, systems in circular.items():
        yield f"{metric}: weights that judge also ranked, for {', '.join(systems)}"


def compared(
    title: str, dataset: Dataset, found: Sequence[Result], metrics: Sequence[str]
) -> tuple[Table, list[Comparison]]:
    """Each system against the base of its family, question by question; Holm over the family, within each measure.

    Measures and metrics of one run move together, so that all of them together would be no more tests than one.
    """
    known = {each.system: each.seeds for each in found}
    names = [*dataset.measures, *metrics]
    tests: list[Comparison] = []
    pairs = sorted((base_of(each), each) for each in known if base_of(each) in known)
    for base, family in groupby(pairs, key=lambda pair: pair[0]):
        systems = {system: known[system] for _, system in family}
        for name in names:
            tests += compare_all(known[base], systems, [name])
    columns = ("system", "against", "measure", "n", "difference", "95 %", "p", "p (Holm)")
    rows = tuple(
        (
            each.second,
            each.first,
            each.measure,
            each.n_questions,
            signed(each.difference),
            interval(each.low, each.high),
            f"{each.p:.4f}",
            f"{each.p_holm:.4f}",
        )
        for each in tests
    )
    return Table(f"{title}: against the base of the family", tuple(map(Column, columns)), rows), tests


def doubts(title: str, found: Sequence[Result], metric: str) -> Table:
    """First choices that count as wrong and mean the same as a gold answer, by the systems that chose them."""
    chosen: dict[tuple[str, str], tuple[float, set[str]]] = {}
    texts = {}
    for each in found:
        for said in each.seeds:
            for doubt in said.judgements[metric].doubts:
                key = (doubt.question_id, doubt.choice_id)
                chosen.setdefault(key, (doubt.value, set()))[1].add(each.system)
                texts[key] = doubt
    rows = tuple(
        (value, texts[key].question, texts[key].choice, texts[key].gold, len(systems))
        for key, (value, systems) in sorted(chosen.items(), key=lambda each: (-each[1][0], each[0]))
    )
    columns = tuple(map(Column, (metric, "question", "first choice", "gold answer", "systems")))
    return Table(f"{title}: counted as wrong, and the same in meaning by {metric}", columns, rows)


def records(found: Sequence[Result], split: str, preset: str) -> Iterator[dict[str, Any]]:
    """One row a system, seed and measure or metric."""
    for each in found:
        for said in each.seeds:
            for row in said.rows():
                yield {**row, "split": split, "preset": preset}


def main(
    dataset: Annotated[str, typer.Option(help=f"One or more, by commas: {', '.join(DATASETS)}.")] = "toy",
    systems: Annotated[str, typer.Option(help="By commas, or 'all'; `rankers list` shows them.")] = ",".join(PLAIN),
    seeds: Annotated[int, typer.Option(help="How many, from 0.", min=1)] = 1,
    preset: Annotated[str, typer.Option(help="smoke (seconds), cpu (minutes) or paper.")] = "cpu",
    metrics: Annotated[str, typer.Option(help="Metrics for the first choices, by commas; '' for none.")] = ",".join(
        METRICS
    ),
    change: Annotated[list[str] | None, typer.Option(help="SETTING=VALUE of every recipe, such as epochs=3.")] = None,
    format: Annotated[Format, typer.Option(help="What is printed.")] = Format.text,
    folder: Annotated[Path, typer.Option(help="Where trainings and runs are kept.")] = FOLDER,
    output: Annotated[Path | None, typer.Option(help="A file to write to instead of printing.")] = None,
    show_doubts: Annotated[str, typer.Option(help="A metric: list the wrong first choices it calls right.")] = "",
) -> None:
    """Train systems, rank, and show measures and metrics side by side."""
    with complaints():
        shown, rows = [], []
        asked = [each for each in metrics.split(",") if each]
        if show_doubts and show_doubts not in asked:
            asked.append(show_doubts)
        for name in _known_datasets(dataset):
            chosen = catalog.names() if systems == "all" else [each for each in systems.split(",") if each]
            for each in chosen:
                catalog.system(each)
            changes = {**DATASETS[name].changes, **_changes(change or [])}
            for questions, found in results(name, chosen, range(seeds), preset, asked, folder, changes):
                title = DATASETS[name].title + (f", {questions.split}" if len(DATASETS[name].tests) > 1 else "")
                page = table(title, DATASETS[name], questions, found, asked, preset)
                shown.append(replace(page, notes=(*page.notes, _command())))
                tests, compared_ = compared(title, DATASETS[name], found, asked)
                shown += [tests] * bool(compared_)
                if show_doubts:
                    shown.append(doubts(title, found, show_doubts))
                rows += list(records(found, questions.split, preset))
        written = render(shown, rows, format.value)
        if output is None:
            typer.echo(written, nl=False)
        else:
            save(written, output)


def _known_datasets(names: str) -> list[str]:
    from answersim.errors import unknown

    found = [each for each in names.split(",") if each]
    for each in found:
        if each not in DATASETS:
            raise unknown("dataset", each, DATASETS)
    return found


def _changes(texts: Sequence[str]) -> dict[str, Any]:
    """Settings from texts such as ``epochs=3``; values are JSON, or else text."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"{text!r} is not of the form SETTING=VALUE, for example epochs=3")
        try:
            found[name] = json.loads(value)
        except json.JSONDecodeError:
            found[name] = value
    return found


def _command() -> str:
    """How this page was asked for, and on what it was made."""
    import torch

    asked = shlex.join(each for each in sys.argv[1:])
    threads = torch.get_num_threads()
    return f"python -m benchmarks.ranking {asked} (torch {version('torch')}, {threads} thread{'s' * (threads > 1)})"


def _mean(values: Sequence[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    return sum(known) / len(known) if known else None


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    typer.run(main)
