"""Choose the strength of the adapter of the shipped reranker and the weight of MaxSim.

    python -m tools.weights.reranker --output runs/whole --strength 1
    python -m tools.weights.reranker_choice --adapter runs/whole/adapter --keep runs/choice

The questions are of dev and train splits of six collections. None of them trained the reranker, and none of them is a
test split. An adapter of strength .5 adds half of what was learned to the weights.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer

import rankers
from answersim._base.runtime.cli_errors import user_errors
from answersim.metrics.neural import adapter as adapters
from benchmarks.reranking import SEED, both_parts, macro_difference, some
from benchmarks.tables import Column, Table, interval, render, save, signed
from rankers.models.minilm import MiniLmHybrid
from rankers.types import FloatArray, Questions, Run

# The splits of a collection, and the most questions of each split.
SETS: Mapping[str, Mapping[str, int]] = {
    "wikiqa": {"dev": 122, "train": 200},
    "trecqa": {"dev": 65, "train": 94},
    "antique": {"dev": 200},
    "insuranceqa-mini": {"dev": 80},
    "fiqa-disjoint": {"dev": 51, "train": 49},
    "yahoocqa-disjoint": {"dev": 240, "train": 160},
}
STRENGTHS = (0.0, 0.3, 0.5, 0.7, 1.0)
WEIGHTS = (0.0, 0.3, 0.5, 0.7, 1.0)
MEASURE = "MRR"


class Setting(NamedTuple):
    """A candidate for what ships: the strength of the adapter and the weight of MaxSim."""

    strength: float
    late: float


COSINE = Setting(0.0, 0.0)


def main(
    adapter: Annotated[Path, typer.Option(help="The folder of the adapter, trained at full strength.")],
    kept: Annotated[Path | None, typer.Option("--keep", help="A folder for the scores, to go on with later.")] = None,
    output: Annotated[Path | None, typer.Option(help="A file for the table. [print it]")] = None,
    form: Annotated[str, typer.Option("--format", help="text, markdown, csv or json.")] = "text",
) -> None:
    """Compare strengths of an adapter and weights of MaxSim on questions that trained nothing."""
    with user_errors():
        adapters.verify(adapter)
        collections = {name: load(name, splits) for name, splits in SETS.items()}
        found = {name: [values(part, adapter, kept) for part in questions] for name, questions in collections.items()}
        by_setting = {
            setting: {name: np.concatenate([part[setting] for part in parts]) for name, parts in found.items()}
            for setting in settings()
        }
        shown = render([table(by_setting)], records(by_setting), form)
        if output is None:
            typer.echo(shown)
        else:
            save(shown, output)


def load(name: str, splits: Mapping[str, int]) -> list[Questions]:
    """Return the questions of each split that have relevant and irrelevant candidates, at most its limit."""
    found = []
    for split, limit in splits.items():
        questions = rankers.data.load(name, split)
        mixed = tuple(
            question for question in questions if len({questions.is_relevant(c) for c in question.candidates}) == 2
        )
        ids = {question.id for question in mixed}
        judged = {question: rest for question, rest in questions.judged.items() if question in ids}
        found.append(some(replace(questions, items=mixed, judged=judged), limit))
    return found


def settings() -> list[Setting]:
    """Return every setting that is compared."""
    return [Setting(strength, late) for strength in STRENGTHS for late in WEIGHTS]


def values(questions: Questions, adapter: Path, kept: Path | None = None) -> dict[Setting, FloatArray]:
    """Return the measure of each question, float64, (questions,), by setting."""
    found = {}
    for strength in STRENGTHS:
        with tempfile.TemporaryDirectory() as place:
            ranker = MiniLmHybrid(adapter=scaled(adapter, strength, Path(place))) if strength else MiniLmHybrid()
            cosines, max_sims = both_parts(ranker, questions, kept)
        for late in WEIGHTS:
            scores = {
                question: {key: value + late * max_sims.scores[question][key] for key, value in row.items()}
                for question, row in cosines.scores.items()
            }
            run = Run("reranker", scores)
            found[Setting(strength, late)] = rankers.evaluate(run, questions, measures=(MEASURE,)).values[MEASURE]
    return found


def scaled(adapter: Path, strength: float, folder: Path) -> Path:
    """Copy an adapter into this folder with its matrices multiplied by the strength, and return the folder."""
    config = json.loads((adapter / adapters.CONFIG).read_text(encoding="utf-8"))
    config["lora_alpha"] *= strength
    (folder / adapters.CONFIG).write_text(json.dumps(config), encoding="utf-8")
    shutil.copyfile(adapter / adapters.WEIGHTS, folder / adapters.WEIGHTS)
    return folder


def table(by_setting: Mapping[Setting, Mapping[str, FloatArray]]) -> Table:
    """Return a line per setting: the mean of each collection, the mean of these, and the difference from the cosine."""
    names = list(by_setting[COSINE])
    sizes = {name: len(by_setting[COSINE][name]) for name in names}
    return Table(
        f"{MEASURE} by the strength of the adapter and the weight of MaxSim",
        (
            Column("strength"),
            Column("weight of MaxSim"),
            *map(Column, names),
            Column("mean of the collections"),
            Column("minus the cosine of MiniLM"),
            Column("collections above it"),
        ),
        tuple(_line(setting, rows, by_setting[COSINE]) for setting, rows in by_setting.items()),
        (
            "questions: " + ", ".join(f"{name} {size}" for name, size in sizes.items()) + f" (seed {SEED})",
            "dev and train splits: no question trained the adapter, and none is of a test split",
            "strength 0 is MiniLM without the adapter; with MaxSim 1 it is minilm-hybrid",
            "[95 %]: paired bootstrap over the questions of each collection",
        ),
    )


def _line(
    setting: Setting, rows: Mapping[str, FloatArray], cosine: Mapping[str, FloatArray]
) -> tuple[str | float | int, ...]:
    means = [float(np.nanmean(rows[name])) for name in rows]
    found = macro_difference(dict(rows), dict(cosine))
    above = sum(float(np.nanmean(rows[name] - cosine[name])) > 0 for name in rows)
    difference = f"{signed(found.value)} {interval(found.low, found.high)}"
    return (setting.strength, setting.late, *means, float(np.mean(means)), difference, above)


def records(by_setting: Mapping[Setting, Mapping[str, FloatArray]]) -> list[dict[str, str | float | int]]:
    """Return one record per setting and collection."""
    return [
        {
            "strength": setting.strength,
            "late": setting.late,
            "dataset": name,
            "measure": MEASURE,
            "value": float(np.nanmean(row)),
            "questions": len(row),
        }
        for setting, rows in by_setting.items()
        for name, row in rows.items()
    ]


if __name__ == "__main__":
    typer.run(main)
