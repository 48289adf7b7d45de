"""What a model learns of a source of pairs if it does not read the question, the gold answer or the prediction.

    python -m tools.weights.blind_models --sources judged,judged-nq,diver,efficientqa,commitment,contrast

A linear model over words and pairs of words of each side, and over the shares of words that two sides have in common,
is trained on the part train of a source and scored on dev. An AUC of .5 reveals nothing of the label.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from answersim._base.runtime.cli_errors import user_errors
from answersim._base.text_tables import TextTable, markdown_table
from answersim.answers.text.tokens import tokenizer
from answersim.metrics.lexical.f1 import f1
from answersim.metrics.lexical.recall import recall
from answersim.training.data.pairs import TrainingPair
from tools.weights.pairs import mixture

SOURCES = ("judged", "judged-nq", "diver", "efficientqa", "commitment", "contrast", "confusable")
MOST = 8_000  # training pairs
SIDES = {  # what a model reads
    "question": ("question",),
    "gold": ("first",),
    "prediction": ("second",),
    "question and gold": ("question", "first"),
    "question and prediction": ("question", "second"),
    "gold and prediction": ("first", "second"),
}


def parts_of(source: str, places: mixture.Places) -> tuple[list[TrainingPair], list[TrainingPair]]:
    """Return up to ``MOST`` training pairs of a source, drawn with seed 0, and its pairs of dev."""
    train, dev = (mixture.load(source, places, split, 0) for split in ("train", "dev"))
    return [train[i] for i in np.random.default_rng(0).permutation(len(train))[:MOST]], dev


def area_under_curve(train: Sequence[TrainingPair], dev: Sequence[TrainingPair], sides: Sequence[str]) -> float:
    """Return the AUC on dev of a model that reads these sides of each pair: question, first (gold), second.

    The label of a pair is whether its similarity is above .5.
    """
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
    data: Annotated[
        Path | None, typer.Option(help="Folder of judged/ and the others. Default: $ANSWERSIM_DATA.")
    ] = None,
    sources: Annotated[str, typer.Option(help="Sources, separated by commas.")] = ",".join(SOURCES),
) -> None:
    """Print the AUC of blind models on each source."""
    with user_errors():
        places = mixture.Places(data or mixture.default_data())
        rows = []
        for source in sources.split(","):
            train, dev = parts_of(source, places)
            asked = all(pair.question for pair in train)
            cells = [
                f"{area_under_curve(train, dev, sides):.3f}" if asked or "question" not in sides else "-"
                for sides in SIDES.values()
            ]
            rows.append((source, *cells))
        typer.echo("\n".join(markdown_table(TextTable("", ("source", *SIDES), tuple(rows), ()))))


if __name__ == "__main__":
    typer.run(main)
