"""Which model `rankers.rank` uses if none is named: rankers that need no training, compared over collections.

    python -m benchmarks.reranking                              # the dev splits, which chose the default
    python -m benchmarks.reranking --split test --limit 200     # the test splits, which chose nothing

Every ranker scores the same candidates. "bm25" counts words in the candidates of a question, as ``rankers.rank`` does.
The bi-encoder, MaxSim and the hybrid of one encoder share a pass through it. Questions are drawn with a seed if there
are more than the limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

import rankers
from answersim._base.errors import unknown
from answersim._base.runtime.cli_errors import user_errors
from benchmarks.options import names_in, run_program, write_out
from benchmarks.tables import Table, interval, render, signed
from rankers.api import DEFAULT, resolve
from rankers.evaluation.comparison import compare, with_holm
from rankers.evaluation.evaluate import Evaluation
from rankers.evaluation.randomization import randomization
from rankers.models.baselines import PoolBm25
from rankers.models.combinations import reciprocal_rank_fusion
from rankers.models.minilm import MiniLmHybrid
from rankers.systems.baselines import RERANKER_LATE
from rankers.types import FloatArray, Questions, Run

DATASETS = {
    # Not SelQA, whose dev split trained the reranker.
    "dev": ("wikiqa", "trecqa", "antique", "insuranceqa-mini", "fiqa-disjoint", "yahoocqa-disjoint"),
    "test": (
        "wikiqa",
        "trecqa",
        "selqa",
        "antique",
        "insuranceqa-mini",
        "fiqa-disjoint",
        "yahoocqa-disjoint",
        "trecdl19",
    ),
}
SPLITS = {"insuranceqa-mini": {"test": "test1"}}  # other names of a split
# Collections with many or long candidates: the most questions of them, and what is read of them.
FEWER = {"insuranceqa-mini": 150}
OPTIONS: dict[str, dict[str, Any]] = {"trecdl19": {"depth": 50}}
BM25 = "bm25"
RANKERS = ("word-overlap",)
BI_ENCODER, MAX_SIM, HYBRID, RERANKER = "minilm-biencoder", "minilm-maxsim", "minilm-hybrid", "minilm-reranker"
# By the ranker that makes the pass: what is ranked by, and the weights of its cosine and its MaxSim.
SHARED: dict[str, dict[str, tuple[float, float]]] = {
    HYBRID: {BI_ENCODER: (1.0, 0.0), MAX_SIM: (0.0, 1.0), HYBRID: (1.0, 1.0)},
    RERANKER: {f"{RERANKER}, its cosine alone": (1.0, 0.0), RERANKER: (1.0, RERANKER_LATE)},
}
FUSED: dict[str, tuple[str, ...]] = {
    "fusion of bi-encoder, maxsim": (BI_ENCODER, MAX_SIM),
    "fusion of bi-encoder, maxsim, bm25": (BI_ENCODER, MAX_SIM, BM25),
}
REFERENCES = (BI_ENCODER, HYBRID)  # what the reranker is compared with, collection by collection
MEASURES = ("MRR", "P@1")
SEED = 0
SEEN = (
    "all-MiniLM-L6-v2 learned from Yahoo Answers, StackExchange and MS MARCO, by its model card: sources of ANTIQUE, "
    "YahooQA, a part of FiQA, and TREC DL 2019",
    "minilm-reranker learned from seven of eight questions of the dev split of SelQA, and from no other collection",
)


class Row(NamedTuple):
    """The evaluation of one ranker on one collection."""

    dataset: str  # the collection
    system: str  # the ranker
    evaluation: Evaluation  # its measures, question by question

    @property
    def values(self) -> dict[str, FloatArray]:
        """By measure, float64, (questions,); nan for a question without a relevant candidate."""
        return {measure: self.evaluation.values[measure] for measure in MEASURES}


def main(
    datasets: Annotated[str, typer.Option(help="Collections, separated by commas. [those of the split]")] = "",
    split: Annotated[str, typer.Option(help="dev or test.")] = "dev",
    limit: Annotated[int, typer.Option(min=10, help="The most questions of a collection.")] = 250,
    output: Annotated[Path | None, typer.Option(help="A file for the tables. [print them]")] = None,
    form: Annotated[str, typer.Option("--format", help="text, markdown, csv or json.")] = "text",
) -> None:
    """Compare rankers that need no training on several collections."""
    with user_errors():
        if split not in DATASETS:
            raise unknown("split", split, DATASETS)
        names = names_in(datasets) or list(DATASETS[split])
        loaded = {name: load(name, split, limit) for name in names}
        rows = [row for name, questions in loaded.items() for row in rows_of(name, questions)]
        shown = render(tables(rows, loaded, split, limit), records(rows), form)
        write_out(shown, output)


def load(name: str, split: str, limit: int) -> Questions:
    """Return the questions of a collection, at most the limit, and at most as many as ``FEWER`` says."""
    questions = rankers.data.load(name, SPLITS.get(name, {}).get(split, split), **OPTIONS.get(name, {}))
    return some(questions, min(limit, FEWER.get(name, limit)))


def some(questions: Questions, limit: int) -> Questions:
    """Return the questions, or as many as the limit, drawn with the seed and in their order."""
    if len(questions) <= limit:
        return questions
    drawn = sorted(np.random.default_rng(SEED).choice(len(questions), limit, replace=False).tolist())
    kept = tuple(questions.items[i] for i in drawn)
    ids = {question.id for question in kept}
    return replace(questions, items=kept, judged={name: rest for name, rest in questions.judged.items() if name in ids})


def rows_of(dataset: str, questions: Questions) -> list[Row]:
    """Return the measures of every ranker and every fusion on these questions."""
    runs = {name: rankers.run(PoolBm25() if name == BM25 else name, questions, name) for name in (BM25, *RANKERS)}
    for name, weights in SHARED.items():
        runs |= shared(name, weights, questions)
    runs |= {name: fused([runs[part] for part in parts], questions, name) for name, parts in FUSED.items()}
    return [Row(dataset, name, rankers.evaluate(run, questions, measures=MEASURES)) for name, run in runs.items()]


def shared(ranker: str, weights: Mapping[str, tuple[float, float]], questions: Questions) -> dict[str, Run]:
    """Return the runs by sums of cosine and MaxSim with these weights, from one pass through the encoder of a ranker.

    Raise TypeError if the ranker has no such parts.
    """
    hybrid = resolve(ranker)
    if not isinstance(hybrid, MiniLmHybrid):
        raise TypeError(f"{ranker} is a {type(hybrid).__name__}, but only a MiniLmHybrid has a cosine and a MaxSim")
    cosines, max_sims = both_parts(hybrid, questions)
    return {
        name: Run(
            name,
            {
                question: {
                    key: of_cosine * value + of_max_sim * max_sims.scores[question][key] for key, value in row.items()
                }
                for question, row in cosines.scores.items()
            },
        )
        for name, (of_cosine, of_max_sim) in weights.items()
    }


def both_parts(hybrid: MiniLmHybrid, questions: Questions) -> tuple[Run, Run]:
    """Return the cosines and the MaxSims of all candidates."""
    pools = [[candidate.text for candidate in question.candidates] for question in questions]
    parts = hybrid.parts([question.text for question in questions], pools)
    ids = [(question.id, [candidate.id for candidate in question.candidates]) for question in questions]
    cosines, max_sims = (
        Run(name, {key: dict(zip(keys, row.tolist(), strict=True)) for (key, keys), row in zip(ids, rows, strict=True)})
        for name, rows in zip(("cosine", "max-sim"), zip(*parts, strict=True), strict=True)
    )
    return cosines, max_sims


def fused(runs: Sequence[Run], questions: Questions, name: str) -> Run:
    """Return the run that fuses these runs by reciprocal ranks."""
    scores = {}
    for question in questions:
        ids = [candidate.id for candidate in question.candidates]
        columns = [np.array([run.scores[question.id][key] for key in ids]) for run in runs]
        scores[question.id] = dict(zip(ids, reciprocal_rank_fusion(columns).tolist(), strict=True))
    return Run(name, scores)


def tables(rows: Sequence[Row], loaded: dict[str, Questions], split: str, limit: int) -> list[Table]:
    """Return one table per measure, and one of the reranker against each reference on each collection."""
    systems = list(dict.fromkeys(row.system for row in rows))
    columns = ("ranker", *loaded, "mean of the collections", f"minus {DEFAULT}", "p")
    notes = (
        f"{split} splits; "
        + ", ".join(f"{name} {len(questions)} questions" for name, questions in loaded.items())
        + f" (at most {limit}, seed {SEED})",
        f"[95 %]: paired bootstrap over the questions of each collection; the difference from {DEFAULT}; p: "
        "randomization test, each collection with the same weight",
        *SEEN,
    )
    made = []
    for measure in MEASURES:
        lines = [_line(rows, system, measure) for system in systems]
        made.append(Table.of(f"{measure} of rankers that need no training", columns, lines, notes))
    return [*made, *_against(rows, list(loaded))]


def _line(rows: Sequence[Row], system: str, measure: str) -> tuple[str | float, ...]:
    by_set = {row.dataset: row.values[measure] for row in rows if row.system == system}
    default = {row.dataset: row.values[measure] for row in rows if row.system == DEFAULT}
    means = [float(np.nanmean(values)) for values in by_set.values()]
    if system == DEFAULT:
        return (system, *means, float(np.mean(means)), "", "")
    found = macro_difference(by_set, default)
    return (system, *means, float(np.mean(means)), f"{signed(found.value)} {interval(found.low, found.high)}", found.p)


def _against(rows: Sequence[Row], datasets: Sequence[str]) -> list[Table]:
    """Return the table of the reranker against each reference; none if one of them was not run."""
    by_place = {(row.dataset, row.system): row.evaluation for row in rows}
    if any((dataset, system) not in by_place for dataset in datasets for system in (RERANKER, *REFERENCES)):
        return []
    places = [(dataset, reference) for reference in REFERENCES for dataset in datasets]
    tests = [compare(by_place[place], by_place[place[0], RERANKER], MEASURES[0]) for place in places]
    lines = [
        (
            dataset,
            reference,
            one.n_questions,
            by_place[dataset, reference].mean(MEASURES[0]),
            by_place[dataset, RERANKER].mean(MEASURES[0]),
            f"{signed(one.difference)} {interval(one.low, one.high)}",
            one.p,
            one.p_holm,
        )
        for (dataset, reference), one in zip(places, with_holm(tests), strict=True)
    ]
    columns = ("collection", "other ranker", "questions", "the other", RERANKER, "difference", "p", "p (Holm)")
    notes = (
        "[95 %]: bootstrap over the questions; p: Fisher's randomization test over the questions",
        f"p (Holm): corrected for all {len(lines)} tests of this table",
    )
    return [Table.of(f"{MEASURES[0]} of {RERANKER}, collection by collection", columns, lines, notes)]


class MacroDifference(NamedTuple):
    """The mean over collections of the difference of two rankers, its 95 % interval, and p."""

    value: float
    low: float
    high: float
    p: float


def macro_difference(ours: dict[str, FloatArray], theirs: dict[str, FloatArray]) -> MacroDifference:
    """Compare two rankers over collections, each of which counts the same.

    The questions of each collection are drawn again, 2,000 times, for the interval. For p, the differences of random
    questions change their sign.
    """
    rng = np.random.default_rng(SEED)
    differences = []
    for name, values in ours.items():
        paired = values - theirs[name]
        differences.append(paired[~np.isnan(paired)])
    value = float(np.mean([each.mean() for each in differences]))
    drawn = [each[rng.integers(len(each), size=(2000, len(each)))].mean(axis=1) for each in differences]
    low, high = np.percentile(np.mean(drawn, axis=0), [2.5, 97.5])
    p = randomization(np.concatenate([each / len(each) for each in differences]), 10_000, rng)
    return MacroDifference(value, float(low), float(high), p)


def records(rows: Sequence[Row]) -> list[dict[str, str | float | int]]:
    """Return one record per ranker, collection and measure."""
    return [
        {
            "dataset": row.dataset,
            "system": row.system,
            "measure": measure,
            "value": float(np.nanmean(values)),
            "questions": int(np.isfinite(values).sum()),
        }
        for row in rows
        for measure, values in row.values.items()
    ]


if __name__ == "__main__":
    run_program(main)
