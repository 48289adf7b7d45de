"""What a model learns of a source of pairs if it does not read the question, the gold answer or the prediction.

    python -m tools.weights.blind_models --sources judged,judged-nq,diver,efficientqa,commitment,contrast

A linear model over words and pairs of words of each side, and over the shares of words that two sides have in common,
is trained on the part train of a source and scored on dev. An AUC of .5 reveals nothing of the label. ``--write`` puts
the highest AUC of a model that does not read both answers into the column "blind" of ``mixture.tsv``, with its side.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
import typer

from answersim._base.runtime.cli_errors import user_errors
from answersim._base.text_tables import TextTable, markdown_table
from answersim.answers.text.tokens import tokenizer
from answersim.metrics.lexical.f1 import f1
from answersim.metrics.lexical.recall import recall
from answersim.training.data.pairs import TrainingPair
from benchmarks.options import run_program
from tools.weights.pairs import mixture

MOST = 8_000  # training pairs
SIDES = {  # what a model reads
    "question": ("question",),
    "gold": ("first",),
    "prediction": ("second",),
    "question and gold": ("question", "first"),
    "question and prediction": ("question", "second"),
    "gold and prediction": ("first", "second"),
}
BOTH = "gold and prediction"  # not blind: what words alone tell


def parts_of(source: str, places: mixture.Places) -> tuple[list[TrainingPair], list[TrainingPair]]:
    """Return up to ``MOST`` training pairs of a source, drawn with seed 0, and its pairs of dev."""
    train, dev = (mixture.load(source, places, split, 0) for split in ("train", "dev"))
    return [train[i] for i in np.random.default_rng(0).permutation(len(train))[:MOST]], dev


def area_under_curve(train: Sequence[TrainingPair], dev: Sequence[TrainingPair], sides: Sequence[str]) -> float:
    """Return the AUC on dev of a model that reads these sides of each pair: question, first (gold), second.

    The label of a pair is whether its similarity is above .5. The AUC is nan if a part has only one label.
    """
    if min(len({*_right(train)}), len({*_right(dev)})) < 2:
        return math.nan

    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    vectorizers = [TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True) for _ in sides]
    model = LogisticRegression(C=3, max_iter=300)
    model.fit(_features(train, sides, vectorizers, fit=True), _right(train))
    scores = model.decision_function(_features(dev, sides, vectorizers, fit=False))
    return float(roc_auc_score(_right(dev), scores))


def _right(pairs: Sequence[TrainingPair]) -> list[bool]:
    return [pair.label is not None and pair.label > 0.5 for pair in pairs]


def _features(pairs: Sequence[TrainingPair], sides: Sequence[str], vectorizers: Sequence[Any], *, fit: bool) -> Any:
    from scipy.sparse import csr_matrix, hstack

    columns = []
    for side, vectorizer in zip(sides, vectorizers, strict=True):
        texts = [getattr(pair, side) for pair in pairs]
        columns.append(vectorizer.fit_transform(texts) if fit else vectorizer.transform(texts))
    if len(sides) == 2:
        tokens, (one, two) = tokenizer("en"), sides
        read = [(tokens(getattr(pair, one)), tokens(getattr(pair, two))) for pair in pairs]
        columns.append(csr_matrix([[f1(a, b), recall(a, b)] for a, b in read]))
    return hstack(columns)


def main(
    sources: Annotated[str, typer.Option(help="Sources, separated by commas; all for each of the mixture.")] = "all",
    write: Annotated[bool, typer.Option("--write", help="Write the highest of a source into the mixture.")] = False,
) -> None:
    """Print the AUC of blind models on each source."""
    with user_errors():
        places = mixture.Places(mixture.default_data())
        names = [row["source"] for row in mixture.table_rows()] if sources == "all" else sources.split(",")
        areas = {}
        for source in names:
            train, dev = parts_of(source, places)
            sides = [side for side in SIDES if "question" not in side or all(pair.question for pair in train)]
            areas[source] = {side: area_under_curve(train, dev, SIDES[side]) for side in sides}
        rows = [
            (source, *(f"{found[side]:.3f}" if side in found else "-" for side in SIDES))
            for source, found in areas.items()
        ]
        typer.echo("\n".join(markdown_table(TextTable("", ("source", *SIDES), tuple(rows), ()))))
        if write:
            mixture.write_blind({source: highest(found) for source, found in areas.items()})


def highest(areas: Mapping[str, float]) -> str:
    """Return the highest AUC of a side or two that are not both answers, and what it reads: "0.61 (gold)"."""
    side = max((side for side in areas if side != BOTH), key=areas.__getitem__)
    return "one label" if math.isnan(areas[side]) else f"{areas[side]:.2f} ({side})"


if __name__ == "__main__":
    run_program(main)
