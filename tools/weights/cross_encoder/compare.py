"""Compare two adapters of ``sas-answers`` on held-out pairs of the sources, each source read as users read it.

    python -m tools.weights.cross_encoder.compare --after runs/committed/adapter --split dev --cache runs/scores

A row is a source, or a kind of texts of a source. The AUC is that of labels above .5. The interval of the difference
and its p come from 2,000 paired resamples of questions (of pairs without one). Sources with questions are read with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from answersim._base.arrays import FloatArray
from answersim._base.runtime.cli_errors import user_errors
from answersim._base.text_tables import TextTable, markdown_table
from answersim.metrics.catalog import lookup
from answersim.scoring.cache import ScoreCache, score_all
from answersim.stats.auc import auc
from answersim.stats.cluster_bootstrap import draw
from answersim.stats.resampling import Difference, difference_of, generator
from answersim.training.data.pairs import TrainingPair
from answersim.types import Pair
from tools.weights.cross_encoder.inputs import spread
from tools.weights.pairs import mixture

RESAMPLES = 2000
MOST = 2500  # pairs of a source
LEAST = 40  # pairs of a kind that has a row
SOURCES = "judged,judged-nq,diver,efficientqa,commitment,contrast,confusable,negations,sts,task7,numbers,dates,names"


class Change(NamedTuple):
    """The AUC of both adapters on a source or a kind of texts, and their difference."""

    name: str
    pairs: int
    before: float
    after: float
    difference: Difference


def changes(pairs: Sequence[TrainingPair], scores: FloatArray, name: str) -> Iterator[Change]:
    """Yield the change on all pairs, and on each kind if a source has several kinds with questions.

    ``scores``: the scores before and after, shape (2, n).
    """
    labels = np.array([pair.label for pair in pairs], dtype=np.float64)
    kinds = np.array([pair.source for pair in pairs])
    rows = {name: np.arange(len(pairs))}
    if len(listed := sorted(set(kinds))) > 1 and all(pair.question for pair in pairs):
        rows |= {kind: np.flatnonzero(kinds == kind) for kind in listed}
    for title, at in rows.items():
        right = (labels[at] > 0.5).astype(np.float64)
        if (title != name and len(at) < LEAST) or np.ptp(right) == 0:
            continue
        groups = [pairs[i].question or str(i) for i in at.tolist()]
        counts = draw(groups, RESAMPLES, generator(0, title)).counts
        before, after = (float(auc(column[at], right, 1.0)[0]) for column in scores)
        resampled = auc(scores[:, at], right, 1.0, counts)
        yield Change(title, len(at), before, after, difference_of(after - before, resampled[1] - resampled[0]))


def table(rows: Sequence[Change]) -> TextTable:
    """Return the table of these changes."""
    header = ("pairs of", "n", "before", "after", "difference", "p")
    body = tuple(
        (
            row.name,
            f"{row.pairs:,}",
            f"{row.before:.3f}",
            f"{row.after:.3f}",
            f"{row.difference.value:+.3f} [{row.difference.low:+.3f}, {row.difference.high:+.3f}]",
            f"{row.difference.p:.3f}",
        )
        for row in rows
    )
    return TextTable("", header, body, ())


def main(
    after: Annotated[Path, typer.Option(help="The folder of the new adapter.")],
    before: Annotated[
        Path | None, typer.Option(help="The folder of the former adapter. Default: the shipped one.")
    ] = None,
    profile: Annotated[str, typer.Option(help="The profile whose base both adapters are for.")] = "embedded",
    split: Annotated[str, typer.Option(help="dev, or test for the report.")] = "dev",
    sources: Annotated[str, typer.Option(help="Sources, separated by commas.")] = SOURCES,
    data: Annotated[Path | None, typer.Option(help="Folder of the data. Default: $ANSWERSIM_DATA.")] = None,
    precision: Annotated[str, typer.Option(help="The precision of the networks: fp32 or bf16.")] = "fp32",
    cache: Annotated[Path | None, typer.Option(help="A folder that stores the scores for the next run.")] = None,
) -> None:
    """Print the AUC of both adapters on each source, with paired intervals."""
    with user_errors():
        places = mixture.Places(data or mixture.default_data())
        folders: list[dict[str, Any]] = [{} if folder is None else {"adapter": folder} for folder in (before, after)]
        metrics = [lookup.metric("sas-answers", profile=profile, device=precision, **folder) for folder in folders]
        store = None if cache is None else ScoreCache(cache)
        rows: list[Change] = []
        for name in sources.split(","):
            pairs = spread(mixture.load(name, places, split, 0), MOST)
            asked = [pair.question for pair in pairs] if all(pair.question for pair in pairs) else None
            answers = [Pair(pair.first, pair.second) for pair in pairs]
            scores = np.stack(score_all(metrics, answers, asked, store))  # (2, n)
            rows += changes(pairs, scores, name)
        typer.echo("\n".join(markdown_table(table(rows))))


if __name__ == "__main__":
    typer.run(main)
