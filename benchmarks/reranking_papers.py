r"""The table of ``benchmarks.reranking`` with the systems of the four papers, whose test runs are archived.

    python -m benchmarks.reranking --split test --archive benchmarks/results/runs --keep FOLDER \
        --datasets wikiqa,antique,selqa,fiqa-disjoint,trecdl19

The system of a paper is the one that the paper itself reports as its best, so no test split chooses it. Published
cross-encoders and bi-encoders are not in the table: their weights cannot be had where it is made.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

import rankers
from answersim.stats.bounded_mean import bounded_mean
from benchmarks.ranking_archive import Archive
from benchmarks.ranking_datasets import DATASETS
from benchmarks.tables import Table, interval, signed
from rankers.evaluation.comparison import compare, with_holm
from rankers.evaluation.evaluate import Evaluation
from rankers.types import Questions, Ranker, Run

PAPERS = {
    "scan": "SCAN",
    "addax": "ADDAX",
    "man-advcom": "adversarial committees",
    "iggsa-att": "GGSA",
    "ggsa": "GGSA",
}
# The archive and the name of the texts in it, if they are not those of the collection.
TRAINED_ON = {"trecdl19": ("wikiqa", "trecdl19.test")}
UNTRAINED = ("bm25", "minilm-hybrid", "minilm-reranker")
REFERENCE = "minilm-hybrid"
TIMED, N_TIMED = "wikiqa", 20  # the collection and the number of questions that are timed


class Archived(NamedTuple):
    """The evaluations of a system of a paper on a collection."""

    evaluations: list[Evaluation]  # one per seed
    milliseconds: float  # the wall time of scoring one question, mean of the seeds


def archived(dataset: str, questions: Questions, folder: Path, measure: str) -> dict[str, Archived]:
    """Return the archived systems of the papers by name, evaluated on these questions and their candidates only.

    Args:
        dataset: The collection.
        questions: Some of its test questions, with some of their candidates.
        folder: The folder of the archive.
        measure: What is measured.

    Raises:
        ValueError: If the archive is damaged, or has runs on other questions.
    """
    trained, texts = TRAINED_ON.get(dataset, (dataset, "test"))
    archive = Archive(folder / trained / "cpu.parquet")
    whole = rankers.data.load(dataset, "test", **DATASETS[dataset].options)
    found: dict[str, Archived] = {}
    for system in PAPERS:
        keys = [key for key in archive.rows if (key.system, key.texts) == (system, texts)]
        stored = [run for key in sorted(keys) if (run := archive.get(key, whole, None)) is not None]
        if stored:
            evaluations = [
                rankers.evaluate(_part(one.run, questions), questions, measures=[measure], seed=key.seed)
                for key, one in zip(sorted(keys), stored, strict=True)
            ]
            found[system] = Archived(evaluations, 1000 * float(np.mean([one.scoring for one in stored])) / len(whole))
    return found


def milliseconds(ranker: Ranker, questions: Questions) -> float:
    """Return the CPU time of scoring one question, over the first questions after a first call."""
    items = questions.items[:N_TIMED]
    part = replace(questions, items=items)
    rankers.run(ranker, replace(questions, items=items[:1]))
    start = time.process_time()
    rankers.run(ranker, part)
    return 1000 * (time.process_time() - start) / len(items)


def tables(
    untrained: Mapping[tuple[str, str], Evaluation],
    papers: Mapping[str, Mapping[str, Archived]],
    cost: Mapping[str, float],
    measure: str,
) -> list[Table]:
    """Return the table of means with the time of a question, and that of the differences from the default.

    Args:
        untrained: By collection and ranker.
        papers: By collection, then by system.
        cost: The milliseconds of a question by ranker.
        measure: What is measured.
    """
    datasets = list(papers)
    lines = [
        (name, "", *(_mean([untrained[dataset, name]], measure) for dataset in datasets), f"{cost[name]:.1f}")
        for name in UNTRAINED
    ]
    for system, paper in PAPERS.items():
        cells = [
            _mean(papers[dataset][system].evaluations, measure) if system in papers[dataset] else ""
            for dataset in datasets
        ]
        timed = papers.get(TIMED, {}).get(system)
        lines.append((system, paper, *cells, "" if timed is None else f"{timed.milliseconds:.1f}"))
    columns = ("ranker", "paper", *datasets, "ms per question")
    notes = (
        "[95 %]: interval of the mean of a bounded quantity, over questions; the value of a question is the mean of "
        "three trainings of a system of a paper",
        "the system of a paper is the one that the paper reports as its best; of GGSA also the one that more "
        "collections have. An empty cell was not trained here. On trecdl19, addax was trained on WikiQA",
        f"ms per question: on {TIMED}, 10 candidates on average. Of the first rows: CPU time of one thread, {N_TIMED} "
        "questions, without loading. Of the others: wall time of the archived scoring, one thread, on another day",
        "published cross-encoders and bi-encoders (rankers fetch) are missing, because no hub could be reached",
    )
    means = Table.of(f"{measure} beside the systems of four papers", columns, lines, notes)
    return [means, _against(untrained, papers, measure)]


def _against(
    untrained: Mapping[tuple[str, str], Evaluation], papers: Mapping[str, Mapping[str, Archived]], measure: str
) -> Table:
    """Return the table of each system of a paper against the default ranker."""
    places = [(dataset, system) for dataset, systems in papers.items() for system in systems]
    family = with_holm(
        [
            compare(untrained[dataset, REFERENCE], papers[dataset][system].evaluations, measure)
            for dataset, system in places
        ]
    )
    lines = [
        (
            dataset,
            system,
            one.n_questions,
            f"{signed(one.difference)} {interval(one.low, one.high)}",
            one.p,
            one.p_holm,
            "" if one.p_seeds is None else one.p_seeds,
        )
        for (dataset, system), one in zip(places, family, strict=True)
    ]
    columns = ("collection", "system", "questions", f"minus {REFERENCE}", "p", "p (Holm)", "p (seeds)")
    notes = (
        "[95 %]: bootstrap over the questions; p: Fisher's randomization test over the questions; p (Holm): for all "
        f"{len(lines)} tests of this table; p (seeds): t-test over the trainings",
    )
    return Table.of(f"{measure} of the systems against {REFERENCE}", columns, lines, notes)


def _mean(evaluations: Sequence[Evaluation], measure: str) -> str:
    values = np.mean([one.defined_values(measure) for one in evaluations], axis=0)
    mean, low, high = bounded_mean(values)
    return f"{mean:.3f} {interval(low, high)}"


def _part(run: Run, questions: Questions) -> Run:
    """Return the scores of these questions and candidates."""
    scores = {q.id: {c.id: run.scores[q.id][c.id] for c in q.candidates} for q in questions}
    return run._replace(scores=scores)
