"""The trainable part of a corpus: its train and dev splits, or its dev split in two if it has no train split."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from rankers.data.catalog import corpora, load
from rankers.types import Questions

_EVERY = 8  # one of this many questions of a divided dev split is not trained on


def trainable(
    corpus: str, *, home: str | os.PathLike[str] | None = None, seed: int = 0, **options: Any
) -> tuple[Questions, Questions]:
    """Return questions for training, and others that choose the best epoch, but never a test split.

    If a corpus has a dev split but no train split, such as SelQA, the dev split is divided: every eighth question,
    beginning with the first, chooses the epoch, and the others are for training. The notes of both parts state this.

    Args:
        corpus: A name in ``corpora()``.
        home: The data folder. The default is ``$ANSWERSIM_DATA``.
        seed: As for ``load``.
        options: The options of this corpus.

    Raises:
        LookupError: If there is no such corpus, or it has neither split.
        FileNotFoundError: If a file does not exist. The message names the file and its source.
    """
    definition = corpora().get(corpus)
    if definition is None or ("dev" in definition.splits and "train" in definition.splits):
        return (
            load(corpus, "train", home=home, seed=seed, **options),
            load(corpus, "dev", home=home, seed=seed, **options),
        )
    if "dev" not in definition.splits:
        raise LookupError(
            f"{corpus} has no split to be trained on, only {', '.join(definition.splits)}: give another corpus"
        )
    whole = load(corpus, "dev", home=home, seed=seed, **options)
    kept = [place % _EVERY == 0 for place in range(len(whole))]
    parts = []
    for name, wanted, of in (("train", False, "seven"), ("dev", True, "one")):
        items = tuple(question for question, is_kept in zip(whole, kept, strict=True) if is_kept is wanted)
        note = f"{of} of eight questions of the dev split: {corpus} has no train split"
        parts.append(replace(whole, split=f"dev-as-{name}", items=items, notes=(*whole.notes, note)))
    return parts[0], parts[1]
