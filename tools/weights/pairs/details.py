"""Two meanings made of two paraphrases: as they are, and with one noun or number of both exchanged."""

from __future__ import annotations

import re

import numpy as np

from answersim.training.data.pairs import TrainingPair
from tools.weights.pairs.draws import draw_one
from tools.weights.pairs.lexicon import Lexicon
from tools.weights.pairs.meanings import Meanings

LEAST = 0.84  # the similarity of sentences that are paraphrases: 4.2 of 5
_WORD = re.compile(r"[A-Za-z]+|\d[\d,.]*\d|\d")


def exchanged(pair: TrainingPair, lexicon: Lexicon, rng: np.random.Generator) -> Meanings | None:
    """Draw a noun or a number that both sentences contain, and exchange it for another one of its kind in both.

    Returns:
        The sentences as they are, and with the exchanged detail; None if they have no such detail in common.
    """
    shared = [word for word in dict.fromkeys(_WORD.findall(pair.first)) if word in _WORD.findall(pair.second)]
    known = [word for word in shared if word[0].isdigit() or word in lexicon.siblings]
    if not known:
        return None
    word = draw_one(known, rng)
    if word[0].isdigit():
        digit = str((int(word[-1]) + int(rng.integers(1, 10))) % 10)
        other = word[:-1] + digit if len(word) == 1 or rng.random() < 0.5 else str(int(word[0]) % 9 + 1) + word[1:]
    else:
        other = draw_one(lexicon.siblings[word], rng)
    changed = [re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", other, text) for text in pair[:2]]
    if other == word or changed[0] == pair.first or changed[1] == pair.second:
        return None
    return Meanings(((pair.first, pair.second), (changed[0], changed[1]))).distinct()
