"""Pairs made of two meanings that share their words: each text is one of several forms of one of both meanings.

Both texts of a pair are drawn from the four combinations of meanings with equal chance, so that one text alone predicts
nothing: a model that ignores one side is right half the time. A kind ``details`` has two paraphrases as they are, and
with one noun or number of both exchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from answersim.training.data.pairs import TrainingPair
from tools.weights.pairs import amounts, near_names, roles
from tools.weights.pairs.draws import draw_one
from tools.weights.pairs.lexicon import Lexicon
from tools.weights.pairs.meanings import Meanings

WRONG = 0.25  # the share of texts of neither meaning, if there are such
LEAST = 0.84  # the similarity of sentences that are paraphrases: 4.2 of 5
_TRIES = 50
_WORD = re.compile(r"[A-Za-z]+|\d[\d,.]*\d|\d")

Draw: TypeAlias = Callable[[str, np.random.Generator, Lexicon], "Meanings | None"]
# By source, what draws two meanings of each kind, and the share of the kind.
KINDS: Mapping[str, Mapping[str, tuple[Draw, float]]] = {
    "roles": {"listed": (roles.listed, 0.55), "asked": (roles.asked, 0.2), "verbs": (roles.of_verbs, 0.25)},
    "amounts": {
        "money": (amounts.money, 0.3),
        "ratio": (amounts.ratio, 0.2),
        "count": (amounts.count, 0.2),
        "measure": (amounts.measure, 0.2),
        "power": (amounts.power, 0.1),
    },
    "near": {
        "family": (near_names.family, 0.25),
        "team": (near_names.team, 0.1),
        "field": (near_names.field, 0.3),
        "name": (near_names.named, 0.15),
        "list": (near_names.listed, 0.2),
    },
}


def drawn_pairs(
    source: str, lexicon: Lexicon, size: int, split: str, *, rng: np.random.Generator
) -> list[TrainingPair]:
    """Draw this many pairs of a source of ``KINDS``, half of them with label 1 and half with 0."""
    names, shares = list(KINDS[source]), np.array([share for _, share in KINDS[source].values()])

    def draw() -> tuple[Meanings | None, str]:
        name = names[int(rng.choice(len(names), p=shares / shares.sum()))]
        return KINDS[source][name][0](split, rng, lexicon), f"{source}:{name}"

    return _pairs(draw, size, split, rng)


def detail_pairs(
    sentences: Sequence[TrainingPair], lexicon: Lexicon, size: int, split: str, *, rng: np.random.Generator
) -> list[TrainingPair]:
    """Draw this many pairs of paraphrases with one detail of both or of one text exchanged."""
    close = [pair for pair in sentences if (pair.label or 0.0) >= LEAST]
    return _pairs(lambda: (_exchanged(draw_one(close, rng), lexicon, rng), "details"), size, split, rng)


def _exchanged(pair: TrainingPair, lexicon: Lexicon, rng: np.random.Generator) -> Meanings | None:
    """Draw a noun or a number that both sentences contain, and exchange it for another one of its kind in both.

    The result is None if they have no such detail in common.
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
    one, two = (re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", other, text) for text in pair[:2])
    if other == word or one == pair.first or two == pair.second:
        return None
    return Meanings(((pair.first, pair.second), (one, two))).distinct()


def _pairs(
    draw: Callable[[], tuple[Meanings | None, str]], size: int, split: str, rng: np.random.Generator
) -> list[TrainingPair]:
    """Return pairs of what is drawn with the name of its source, until there are enough or too many draws failed."""
    pairs: list[TrainingPair] = []
    for _ in range(_TRIES * size):
        if len(pairs) == size:
            break
        meanings, source = draw()
        if meanings is not None and (pair := _pair(meanings, source, split, rng)) is not None:
            pairs.append(pair)
    return pairs


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
