"""Which model `rankers.rank` uses if none is named: rankers without training, compared over collections.

    python -m benchmarks.reranking                              # the dev splits, which chose the default
    python -m benchmarks.reranking --split test --limit 200     # the test splits, which chose nothing

Every ranker scores the same candidates. "bm25" counts words in the candidates of a question, as ``rankers.rank`` does.
Questions are drawn with a seed if there are more than the limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, NamedTuple

import numpy as np
import typer

import rankers
from answersim.cli_errors import user_errors
from answersim.errors import unknown
from benchmarks.tables import Column, Table, interval, render, signed
from rankers.api import DEFAULT_TO_RANK
from rankers.models.fusion import reciprocal_rank_fusion
from rankers.models.pool_bm25 import PoolBm25
from rankers.types import FloatArray, Questions, Run

DATASETS = ("wikiqa", "trecqa", "selqa", "antique", "insuranceqa-mini", "fiqa-partial")
SPLITS = {"insuranceqa-mini": {"test": "test1"}}  # other names of a split
BM25 = "bm25"
RANKERS = ("word-overlap", "minilm-biencoder", "minilm-maxsim", DEFAULT_TO_RANK)
FUSED: dict[str, tuple[str, ...]] = {
    "fusion of bi-encoder, maxsim": ("minilm-biencoder", "minilm-maxsim"),
    "fusion of bi-encoder, maxsim, bm25": ("minilm-biencoder", "minilm-maxsim", BM25),
}
MEASURES = ("MRR", "P@1")
SEED = 0


class Row(NamedTuple):
    """The measures of one ranker on one collection, question by question.

    Attributes:
        dataset: The collection.
        system: The ranker.
        values: By measure, float64, (questions,); nan for a question without a relevant candidate.
    """

    dataset: str
    system: str
    values: dict[str, FloatArray]


def main(
    datasets: Annotated[str, typer.Option(help="Collections, separated by commas.")] = ",".join(DATASETS),
    split: Annotated[str, typer.Option(help="dev or test.")] = "dev",
    limit: Annotated[int, typer.Option(min=10, help="The most questions of a collection.")] = 250,
    form: Annotated[str, typer.Option("--format", help="text, markdown, latex or json.")] = "text",
) -> None:
    """Compare rankers without training on several collections."""
    with user_errors():
        names = [name.strip() for name in datasets.split(",") if name.strip()]
        if split not in ("dev", "test"):
            raise unknown("split", split, ("dev", "test"))
        loaded = {name: some(rankers.data.load(name, SPLITS.get(name, {}).get(split, split)), limit) for name in names}
        rows = [row for name, questions in loaded.items() for row in rows_of(name, questions)]
        typer.echo(render(tables(rows, loaded, split, limit), records(rows), form))


def some(questions: Questions, limit: int) -> Questions:
    """Return the questions, or as many as the limit, drawn with the seed and in their order."""
    if len(questions) <= limit:
        return questions
    drawn = sorted(np.random.default_rng(SEED).choice(len(questions), limit, replace=False).tolist())
    return replace(questions, items=tuple(questions.items[i] for i in drawn), judged={})


def rows_of(dataset: str, questions: Questions) -> list[Row]:
    """Return the measures of every ranker and every fusion on these questions."""
    runs = {name: rankers.run(PoolBm25() if name == BM25 else name, questions, name) for name in (BM25, *RANKERS)}
    runs |= {name: fused([runs[part] for part in parts], questions, name) for name, parts in FUSED.items()}
    found = {name: rankers.evaluate(run, questions, measures=MEASURES) for name, run in runs.items()}
    return [Row(dataset, name, {m: result.values[m] for m in MEASURES}) for name, result in found.items()]


def fused(runs: Sequence[Run], questions: Questions, name: str) -> Run:
    """Return the run that fuses these runs by reciprocal ranks."""
    scores = {}
    for question in questions:
        ids = [candidate.id for candidate in question.candidates]
        columns = [np.array([run.scores[question.id][key] for key in ids]) for run in runs]
        scores[question.id] = dict(zip(ids, reciprocal_rank_fusion(columns).tolist(), strict=True))
    return Run(name, scores)


def tables(rows: Sequence[Row], loaded: dict[str, Questions], split: str, limit: int) -> list[Table]:
    """Return one table per measure: the mean per collection, and the mean of these means with its interval."""
    systems = list(dict.fromkeys(row.system for row in rows))
    columns = (
        Column("ranker"),
        *map(Column, loaded),
        Column("mean of the collections"),
        Column(f"minus {DEFAULT_TO_RANK}"),
    )
    notes = (
        f"{split} splits; "
        + ", ".join(f"{name} {len(questions)} questions" for name, questions in loaded.items())
        + f" (at most {limit}, seed {SEED})",
        f"[95 %]: paired bootstrap over the questions of each collection; the difference from {DEFAULT_TO_RANK}",
        "MiniLM learned from Yahoo Answers and StackExchange among others: the sources of ANTIQUE and of a part "
        "of FiQA",
    )
    return [
        Table(
            f"{measure} of rankers without training",
            columns,
            tuple(_line(rows, system, measure) for system in systems),
            notes,
        )
        for measure in MEASURES
    ]


def _line(rows: Sequence[Row], system: str, measure: str) -> tuple[str | float, ...]:
    by_set = {row.dataset: row.values[measure] for row in rows if row.system == system}
    default = {row.dataset: row.values[measure] for row in rows if row.system == DEFAULT_TO_RANK}
    means = [float(np.nanmean(values)) for values in by_set.values()]
    if system == DEFAULT_TO_RANK:
        return (system, *means, float(np.mean(means)), "")
    value, low, high = macro_difference(by_set, default)
    return (system, *means, float(np.mean(means)), f"{signed(value)} {interval(low, high)}")


def macro_difference(ours: dict[str, FloatArray], theirs: dict[str, FloatArray]) -> tuple[float, float, float]:
    """Return the mean over collections of the difference of two rankers, with its 95 % interval.

    The questions of each collection are drawn again, 2,000 times, and each collection counts the same.
    """
    rng = np.random.default_rng(SEED)
    differences = []
    for name, values in ours.items():
        paired = values - theirs[name]
        differences.append(paired[~np.isnan(paired)])
    value = float(np.mean([each.mean() for each in differences]))
    drawn = [each[rng.integers(len(each), size=(2000, len(each)))].mean(axis=1) for each in differences]
    low, high = np.percentile(np.mean(drawn, axis=0), [2.5, 97.5])
    return value, float(low), float(high)


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
    typer.run(main)
