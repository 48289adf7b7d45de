"""The information that the minimal pairs reveal to a scorer that ignores the gold answer. Its AUC should be near .5.

    python -m tools.weights.minimal_pairs.leakage --language en

A linear model over letters, words and the length of a text is trained by cross-validation. A fold takes whole couples,
so that twins are never on both sides. It needs scikit-learn, which ``answersim[neural]`` brings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from answersim.data.minimal_pairs import ProbeRow, rows
from answersim.runtime.cli_errors import user_errors
from answersim.stats.auc import auc
from answersim.stats.cluster_bootstrap import draw, numbered
from answersim.types import FloatArray
from benchmarks.tables import Column, Format, Table, interval, render

FOLDS, RESAMPLES, SEED = 10, 1000, 0
READ = ("candidate", "length", "question and candidate", "difference of lengths")


class Leak(NamedTuple):
    """The AUC of a blind scorer on the pairs of a kind."""

    kind: str  # a kind, or "all"
    reads: str  # the input of the scorer, one of ``READ``
    couples: int  # the number of couples
    auc: float  # the share of pairs of rows with labels 1 and 0 that it orders rightly. .5 is chance.
    low: float  # the lower end of the 95 % interval, by resampling couples
    high: float  # its upper end


app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=__doc__)
def main(
    language: Annotated[str, typer.Option(help="en, de, zh or ja.")] = "en",
    form: Annotated[Format, typer.Option("--format", help="The format of the table.")] = Format.text,
) -> None:
    """Print the AUC of each blind scorer, for all kinds and for each."""
    with user_errors():
        found = leaks(rows(language))  # type: ignore[arg-type]  # rows checks it
    by_kind: dict[str, list[Leak]] = {}
    for leak in found:
        by_kind.setdefault(leak.kind, []).append(leak)
    cells = [
        (kind, parts[0].couples, *(cell for leak in parts for cell in (leak.auc, interval(leak.low, leak.high))))
        for kind, parts in by_kind.items()
    ]
    columns = (Column("kind"), Column("couples"), *(Column(name, read) for read in READ for name in ("AUC", "95 %")))
    table = Table(f"AUC of scorers that ignore the gold answer, {language}", columns, tuple(cells))
    typer.echo(render([table], [leak._asdict() for leak in found], form.value))


def leaks(table: Sequence[ProbeRow]) -> list[Leak]:
    """Measure all blind scorers on these rows: on all, then by kind. The text models are trained on all kinds together.

    Raise ValueError if there are fewer couples than folds.
    """
    couples = [row.family.rstrip("ab") for row in table]
    labels = np.array([row.label for row in table], dtype=float)
    lengths = np.array([len(row.candidate) for row in table], dtype=float)
    scores = {
        "candidate": held_out([row.candidate for row in table], labels, couples),
        "length": lengths,
        "question and candidate": held_out([f"{row.question} | {row.candidate}" for row in table], labels, couples),
        "difference of lengths": -np.abs(lengths - np.array([len(row.gold) for row in table])),
    }
    result = []
    kinds = [row.kind for row in table]
    for kind in ["all", *dict.fromkeys(kinds)]:
        at = [i for i in range(len(table)) if kind in ("all", kinds[i])]
        drawn = draw([couples[i] for i in at], RESAMPLES, np.random.default_rng(SEED))
        for read in READ:
            value = float(auc(scores[read][at], labels[at], 1.0)[0])
            low, high = np.quantile(auc(scores[read][at], labels[at], 1.0, drawn.counts), [0.025, 0.975])
            result.append(Leak(kind, read, drawn.times.shape[1], value, float(low), float(high)))
    return result


def held_out(texts: Sequence[str], labels: FloatArray, couples: Sequence[str]) -> FloatArray:
    """Return the score of each text by a model that was trained without its couple; shape (n,)."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_union

    cluster = numbered(couples)
    if cluster.max() + 1 < FOLDS:
        raise ValueError(f"{cluster.max() + 1} couples cannot be split into {FOLDS} folds; take more rows")
    fold = np.random.default_rng(SEED).permutation(cluster.max() + 1)[cluster] % FOLDS
    letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 4), min_df=2, sublinear_tf=True)
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    features: Any = make_union(letters, words).fit_transform(texts)
    scores = np.empty(len(texts))
    for i in range(FOLDS):
        model = LogisticRegression(C=3, max_iter=1000).fit(features[fold != i], labels[fold != i])
        scores[fold == i] = model.decision_function(features[fold == i])
    return scores


if __name__ == "__main__":
    app()
