"""Pairs made of two meanings that share their words: each text is one of several forms of one of both meanings.

Both texts of a pair are drawn from the four combinations of meanings with equal chance, so that one text alone predicts
nothing. A kind ``details`` has two paraphrases as they are, and with one noun or number of both exchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

import numpy as np

from answersim.training.data.pairs import TrainingPair
from tools.weights.pairs import amounts, near_names, roles
from tools.weights.pairs.draws import Meanings, draw_one
from tools.weights.pairs.lexicon import Lexicon

WRONG = 0.25  # the share of texts of neither meaning, if there are such
LEAST = 0.84  # the similarity of sentences that are paraphrases: 4.2 of 5
_TRIES = 50
_WORD = re.compile(r"[A-Za-z]+|\d[\d,.]*\d|\d")

# By source, what draws two meanings of each kind, and the share of the kind.
KINDS: Mapping[str, Mapping[Callable[[str, np.random.Generator, Lexicon], Meanings | None], float]] = {
    "roles": {roles.listed: 0.55, roles.asked: 0.2, roles.verbs: 0.25},
    "amounts": {amounts.money: 0.3, amounts.ratio: 0.2, amounts.count: 0.2, amounts.measure: 0.2, amounts.power: 0.1},
    "near": {
        **{near_names.family: 0.25, near_names.team: 0.1, near_names.field: 0.3},
        **{near_names.name: 0.15, near_names.list_: 0.2},
    },
}


def drawn_pairs(
    source: str, lexicon: Lexicon, size: int, split: str, *, rng: np.random.Generator
) -> list[TrainingPair]:
    """Draw this many pairs of a source of ``KINDS``, half of them with label 1 and half with 0."""
    kinds, shares = list(KINDS[source]), np.array(list(KINDS[source].values()))

    def draw() -> tuple[Meanings | None, str]:
        kind = kinds[int(rng.choice(len(kinds), p=shares / shares.sum()))]
        return kind(split, rng, lexicon), f"{source}:{kind.__name__.rstrip('_')}"

    return _pairs(draw, size, split, rng)


def detail_pairs(
    sentences: Sequence[TrainingPair], lexicon: Lexicon, size: int, split: str, *, rng: np.random.Generator
) -> list[TrainingPair]:
    """Draw this many pairs of paraphrases with one detail of both or of one text exchanged."""
    close = [pair for pair in sentences if (pair.label or 0.0) >= LEAST]
    return _pairs(lambda: (_exchanged(draw_one(close, rng), lexicon, rng), "details"), size, split, rng)


def _exchanged(pair: TrainingPair, lexicon: Lexicon, rng: np.random.Generator) -> Meanings | None:
    """Draw a noun or number that both sentences contain, and exchange it for another one; None if there is none."""
    shared = [word for word in dict.fromkeys(_WORD.findall(pair.first)) if word in _WORD.findall(pair.second)]
    known = [word for word in shared if word[0].isdigit() or word in lexicon.siblings]
    if not known:
        return None
    if (word := draw_one(known, rng))[0].isdigit():
        digit = str((int(word[-1]) + int(rng.integers(1, 10))) % 10)
        other = word[:-1] + digit if len(word) == 1 or rng.random() < 0.5 else str(int(word[0]) % 9 + 1) + word[1:]
    else:
        other = draw_one(lexicon.siblings[word], rng)
    one, two = (re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", other, text) for text in pair[:2])
    if other == word or one == pair.first or two == pair.second:
        return None
    return Meanings(((pair.first, pair.second), (one, two))).distinct()


def _pairs(
    draw: Callable[[], tuple[Meanings | None, str]], size: int, split: str, rng: np.random.Generator
) -> list[TrainingPair]:
    """Return pairs of what is drawn with the name of its source, until there are enough or too many draws failed."""
    drawn = (draw() for _ in range(_TRIES * size))
    pairs = (_pair(meanings, source, split, rng) for meanings, source in drawn if meanings is not None)
    return list(islice(filter(None, pairs), size))


def _pair(meanings: Meanings, source: str, split: str, rng: np.random.Generator) -> TrainingPair | None:
    """Draw one of the four combinations, and different forms; None if there are none. Texts of neither are wrong."""
    at, to = int(rng.integers(2)), int(rng.integers(2))
    golds, texts = meanings.golds[at] or meanings.forms[at], meanings.forms[to]
    if meanings.wrong and rng.random() < WRONG:
        to, texts = -1, meanings.wrong
    for _ in range(_TRIES):
        first, second = draw_one(golds, rng), draw_one(texts, rng)
        if first.casefold() != second.casefold():
            return TrainingPair(first, second, float(at == to), split, source, meanings.question)
    return None
