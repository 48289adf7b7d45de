"""What the sources of training pairs share: items at random, the split of a text, and pairs of two meanings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np

from answersim.training.data.pairs import TrainingPair
from tools.tables import table

Item = TypeVar("Item")
WRONG = 0.25  # the share of texts of neither meaning, if there are such
LEAST = 0.84  # the similarity of sentences that are paraphrases: 4.2 of 5
_TRIES = 50
_WORD = re.compile(r"[A-Za-z]+|\d[\d,.]*\d|\d")

Forms = tuple[Sequence[str], Sequence[str]]  # of the first and of the second meaning
TEXTS: dict[str, Any] = table(__file__, "meanings.json")


def draw_one(items: Sequence[Item], rng: np.random.Generator) -> Item:
    """Return one of these items, drawn by rng."""
    return items[int(rng.integers(len(items)))]


def draw_two(items: Sequence[Item], rng: np.random.Generator) -> tuple[Item, Item]:
    """Return two different ones of these items, drawn by rng."""
    one, other = rng.choice(len(items), 2, replace=False)
    return items[one], items[other]


def shuffled(items: Sequence[Item], rng: np.random.Generator, most: int | None = None) -> list[Item]:
    """Return these items, at most this many of them, in an order drawn by rng."""
    return [items[i] for i in rng.permutation(len(items))[:most]]


def split_of(text: str, dev: float = 0.1) -> str:
    """Return the split of a text by its SHA-256 alone: "dev" for this share of all texts, else "train".

    >>> split_of("Why does a bulb light up?"), split_of("Why does a bulb light up?", 0.3)
    ('train', 'dev')
    """
    return "dev" if int.from_bytes(sha256(text.encode()).digest()[:8], "big") < dev * 2**64 else "train"


def every_fifth(items: Sequence[Item], split: str) -> Sequence[Item]:
    """Return the items of a split: every fifth one is in dev."""
    return [item for i, item in enumerate(items) if (i % 5 == 4) == (split == "dev")]


def capital(text: str) -> str:
    """Return the text with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]


def filled(kind: str, **slots: object) -> list[str]:
    """Return the texts of a kind of ``sources/meanings.json``, with what their slots stand for."""
    return [form.format(**slots) for form in TEXTS[kind]]


class Meanings(NamedTuple):
    """The forms of two meanings. Forms of one meaning are equivalent answers, and the meanings exclude each other."""

    forms: Forms
    question: str = ""  # that both meanings answer; "" for none
    golds: Forms = ((), ())  # the forms of the gold answers, if they are others
    wrong: Sequence[str] = ()  # texts that have neither meaning

    def distinct(self) -> Meanings | None:
        """Return these meanings, or None if they have a form in common."""
        one, other = ({form.casefold() for form in forms} for forms in self.forms)
        return None if one & other else self


class Lexicon(NamedTuple):
    """Words of WordNet, by split where they are held out."""

    verbs: Mapping[str, Sequence[Sequence[tuple[str, str]]]]  # of a split: synonyms, each as past and participle
    names: Mapping[str, Sequence[Sequence[Sequence[str]]]]  # of a split: entities with a common word, with their names
    siblings: Mapping[str, Sequence[str]]  # of a noun: other nouns of the same kind


Kinds = Mapping[Callable[[str, np.random.Generator, Lexicon], "Meanings | None"], float]  # with their shares


def drawn_pairs(
    source: str, drawn: Kinds, lexicon: Lexicon, size: int, split: str, *, rng: np.random.Generator
) -> list[TrainingPair]:
    """Draw this many pairs of kinds of two meanings with their shares, half with label 1 and half with 0.

    Both texts are drawn from the four combinations of meanings with equal chance, so that one text predicts nothing.
    """
    kinds, shares = list(drawn), np.array(list(drawn.values()))

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
