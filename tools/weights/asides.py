"""Make the classifier of asides, ``aside_weights.npz``, from the pieces of text in ``sources/asides.tsv``.

    python -m tools.weights.asides
    python -m tools.weights.asides --check

The pieces were written for this project by a language model, in twelve languages: half of them as twins of which one
or two words change the label. Sentences of STS, their parts and nouns of WordNet are other answers, which are harmful.
"{W}" stands for another answer. The folder of the data is $ANSWERSIM_DATA. ``--check`` prints the area under the ROC
curve of five trainings, each on four fifths of the written pieces, by language, and that of side and number of words.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer

from answersim.answers.extraction.asides import SIZE, hashed, pieces
from benchmarks.options import run_program
from tools.tables import table
from tools.weights import abstentions, ngrams
from tools.weights.pairs import mixture

OTHERS = table(__file__, "asides.json")
GUESSES = {"en": 3000} | dict.fromkeys(("de", "es", "fr", "it", "nl", "pt", "ru", "zh", "ja"), 300)  # of each kind
VALUES = 1500  # names, numbers and lists of nouns, and pairs of each of these sources
DRAWN = ("amounts", "dates", "numbers", "near", "roles")
SIDES, ENDS = ("before", "after"), (";", ";", "", ".", ",")
COPIES = 3  # of a piece with another answer, each with another name
DRAWS = 8  # of names and of other answers
REGULARIZATION = 100.0  # the inverse of its strength
LEVELS = 60  # of a weight
FOLDS = 5


class Piece(NamedTuple):
    """A piece of text beside an answer."""

    text: str
    side: str  # "before" or "after" the answer
    lang: str
    is_harmless: bool
    row: int  # of the table; -1 if it is not from there


def written(rng: random.Random) -> Iterator[Piece]:
    """Yield the pieces of the table with names for "{W}". A text is one piece unless all its sentences are harmless."""
    for row, (label, side, lang, text) in enumerate(table(__file__, "asides.tsv")):
        for _ in range(COPIES if "{W}" in text else 1):
            named = text.replace("{W}", rng.choice(OTHERS["names"]))
            for piece in pieces(named) if label == "ok" else [named]:
                yield Piece(piece, side, lang, label == "ok", row)


def guesses(rng: random.Random, places: mixture.Places) -> Iterator[Piece]:
    """Yield texts that may be other answers: sentences, parts of sentences, nouns, names, numbers and lists."""
    for lang, n in GUESSES.items():
        sentences = abstentions.sentences(places.data, lang, "train")
        texts = rng.sample(sentences, n) + [*abstentions.parts(sentences, rng)][:n]
        texts += abstentions.wordnet_nouns(places.dictionary, rng)[:n] if lang == "en" else []
        for text in texts:
            side = rng.choice(SIDES)
            end = rng.choice(".,:!;" if side == "before" else ("", ".", ".", "!"))
            yield Piece(text.rstrip(".。") + end, side, lang, False, -1)
    drawn = (pair for name in DRAWN for pair in rng.sample(mixture.load(name, places, "train"), VALUES))
    for pair in drawn:
        yield Piece(rng.choice((pair.first, pair.second)) + rng.choice(ENDS), rng.choice(SIDES), "en", False, -1)
    nouns = abstentions.wordnet_nouns(places.dictionary, rng)
    for _ in range(VALUES):
        items = rng.sample(nouns, rng.choice((1, 1, 2, 3, 4))) if rng.random() < 0.5 else [rng.choice(OTHERS["names"])]
        text = rng.choice(OTHERS["beside"]).format(rng.choice(OTHERS["joined"]).join(items))
        yield Piece(text + rng.choice(ENDS), rng.choice(SIDES), "en", False, -1)


def check(listed: Sequence[Piece]) -> Iterator[str]:
    """Yield what trainings without a fifth of the rows recognize of them, by language."""
    from sklearn.metrics import roc_auc_score

    features = ngrams.matrix([hashed(piece.text, piece.side) for piece in listed], SIZE)
    sizes = np.array([[len(piece.text.split()), piece.side == "before"] for piece in listed], float)
    labels, folds = np.array([p.is_harmless for p in listed]), np.array([p.row for p in listed]) * 7919 % FOLDS
    scores, blind = np.empty(len(listed)), np.empty(len(listed))
    for fold in range(FOLDS):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        for matrix, result in ((features, scores), (sizes, blind)):
            weights, intercept = ngrams.fitted(matrix[train], labels[train], None, REGULARIZATION)
            result[test] = matrix[test] @ weights + intercept
    langs = np.array([piece.lang for piece in listed])
    for lang in sorted(set(langs)):
        if len(set(labels[rows := langs == lang])) == 2:
            areas = [roc_auc_score(labels[rows], values[rows]) for values in (scores, blind)]
            yield f"{lang}: {rows.sum():,} pieces, AUC {areas[0]:.3f}, by side and number of words {areas[1]:.3f}"


def main(
    output: Annotated[Path, typer.Option(help="The file of the weights.")] = ngrams.FOLDER / "aside_weights.npz",
    only_check: Annotated[bool, typer.Option("--check", help="Print the check, and write nothing.")] = False,
) -> None:
    """Train the classifier: the mean of fits on several draws of the names and of the other answers."""
    if only_check:
        typer.echo("\n".join(check(list(written(random.Random(0))))))
        return
    places, fits = mixture.Places(mixture.default_data()), []
    for seed in range(DRAWS):
        rng = random.Random(seed)
        listed = [*written(rng), *guesses(rng, places)]
        features = ngrams.matrix([hashed(piece.text, piece.side) for piece in listed], SIZE)
        fits.append(ngrams.fitted(features, [piece.is_harmless for piece in listed], None, REGULARIZATION))
    weights, intercept = np.mean([fit[0] for fit in fits], axis=0), float(np.mean([fit[1] for fit in fits]))
    ngrams.store(output, weights, intercept, LEVELS)
    typer.echo(f"{output}: {output.stat().st_size:,} bytes, from {DRAWS} draws of {len(listed):,} pieces")


if __name__ == "__main__":
    run_program(main)
