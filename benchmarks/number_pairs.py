"""Pairs of numbers in digits and words: the same value labeled 1, a neighbor labeled 0 (appendix C of the paper)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import product

import numpy as np

from answersim.training.data.pairs import SHARES, SPLITS, TrainingPair
from benchmarks.number_words import KINDS, LANGUAGES, Spellings, Value, spellings

PAPER_SIZE = 9_110
_BLOCK = 10  # whole numbers that are in one split together, so that most have their neighbors in it
_TRIES = 200  # draws for one pair before a kind counts as exhausted
_SAME_SCRIPT = 0.1  # the share of pairs labeled 1 that are digits twice or words twice, if there are two spellings


@dataclass(frozen=True)
class NumberPairConfig:
    """The settings that determine a set of number pairs."""

    languages: tuple[str, ...] = LANGUAGES  # ``en``, ``de``, or both. Both texts of a pair have the same language.
    # the number of all pairs, in equal parts over languages and kinds. The set of the paper has 9,110.
    size: int = PAPER_SIZE
    negatives: float = 0.5  # the share of pairs labeled 0
    seed: int = 0  # the random seed

    def __post_init__(self) -> None:
        """Raise a ValueError that names a setting out of its range."""
        values = self.languages
        if not values or len(set(values)) < len(values) or not set(values) <= set(LANGUAGES):
            raise ValueError(f"languages is {values!r}, but it must be some of {', '.join(LANGUAGES)}, each once")
        if self.size < 1:
            raise ValueError(f"size is {self.size}, but it must be at least 1")
        if not 0 <= self.negatives <= 1:
            raise ValueError(f"negatives is {self.negatives}, but it must be a share, from 0 to 1")


def number_pairs(config: NumberPairConfig | None = None) -> list[TrainingPair]:
    """Draw exactly this many pairs, each (in its order) once, with no number in two splits.

    A pair labeled 1 writes one value twice, mostly once in digits and once in words, in either order. A pair labeled 0
    writes a value and a neighbor: one or two more or less, ten times or a tenth, two digits swapped, or a digit
    changed. The source is ``number:<kind>:<language>``. A value is in one split (``split_of``) for all kinds and
    languages. Raise ValueError if there are fewer different pairs than requested, MissingExtraError if num2words is not
    installed.

    Source: appendix C of the SAS paper; the words are those of num2words.

    >>> pairs = number_pairs(NumberPairConfig(size=20))
    >>> len(pairs), sum(pair.label for pair in pairs)
    (20, 10.0)
    """
    config = NumberPairConfig() if config is None else config
    rng = np.random.default_rng([0, config.seed])
    cells = list(product((1.0, 0.0), config.languages, KINDS))
    pairs: dict[tuple[str, str], TrainingPair] = {}
    for cell, size in zip(cells, _sizes(config), strict=True):
        _fill(pairs, cell, size, config, rng)
    return list(pairs.values())


def paper_pairs(seed: int = 0) -> list[TrainingPair]:
    """Return the recorded rows of the paper with splits by number, without those of two numbers in different splits.

    The splits are those of ``split_of``. A number below 0, which is the neighbor of 0, is in the split of its absolute
    value. Raise MissingExtraError if num2words is not installed.
    """
    rows = list(paper_rows())
    by_words = {_words_of(n).words[0]: n for n in range(1001)}

    def split(text: str) -> str:
        return split_of((Decimal(abs(by_words[text] if text in by_words else int(text))),), seed)

    splits = {text: split(text) for row in rows for text in row[:2]}
    return [row._replace(split=splits[row.first]) for row in rows if splits[row.first] == splits[row.second]]


def split_of(value: Value, seed: int) -> str:
    """Return the split of a value, which depends on the seed only.

    Whole numbers go by blocks of ten, fractions by their whole part, ranges by their lower end. Ten of these in a row
    have the shares as closely as possible. The first ones (above all 0 to 9) are in train, because other words contain
    theirs.
    """
    at = int(value[0])
    whole = len(value) == 1 and value[0] == at
    group, place = divmod(at // _BLOCK if whole else at, 10)
    if group == place == 0:
        return "train"
    quantile = (_order(seed, int(whole), len(value), group)[place] + 0.5) / 10
    return SPLITS[int(quantile >= SHARES[0]) + int(quantile >= SHARES[0] + SHARES[1])]


@lru_cache(maxsize=1 << 16)
def _order(*seed: int) -> tuple[int, ...]:
    """Return ten places in an order that depends on the seed."""
    return tuple(np.random.default_rng([1, *seed]).permutation(10).tolist())


def neighbours(kind: str, value: Value) -> list[Value]:
    """Return values of the same kind that are near this one or look like it, each once, without the value itself.

    >>> [int(near) for (near,) in neighbours("cardinal", (Decimal(12),))]
    [13, 11, 14, 10, 120, 21, 22]
    """
    if kind == "range":
        ends = [(low, value[1]) for low in _near(value[0])] + [(value[0], high) for high in _near(value[1])]
        there = [near for near in dict.fromkeys(ends) if all(_belongs("cardinal", end) for end in near)]
        return [near for near in there if near[0] < near[1] and near != value]
    step = Decimal(1).scaleb(int(value[0].as_tuple().exponent)) if kind == "decimal" else Decimal(1)
    return [(near,) for near in _near(value[0], step) if _belongs(kind, near) and near != value[0]]


def _sizes(config: NumberPairConfig) -> list[int]:
    """Yield how many pairs there are of every label, language and kind, in the order of their product."""
    cells = len(config.languages) * len(KINDS)
    zeros = round(config.size * config.negatives)
    return [total // cells + (i < total % cells) for total in (config.size - zeros, zeros) for i in range(cells)]


def _fill(
    pairs: dict[tuple[str, str], TrainingPair],
    cell: tuple[float, str, str],
    size: int,
    config: NumberPairConfig,
    rng: np.random.Generator,
) -> None:
    """Add this many new pairs of one label, language and kind."""
    label, language, kind = cell
    for count in range(size):
        for _ in range(_TRIES):
            value = _draw(kind, rng)
            texts = _same(kind, value, language, rng) if label else _different(kind, value, language, config, rng)
            if texts and texts not in pairs:
                split = split_of(value, config.seed)
                pairs[texts] = TrainingPair(*texts, label, split, f"number:{kind}:{language}")
                break
        else:
            raise ValueError(
                f"size is {config.size:,}, but after {count:,} pairs labeled {label:g} no further {kind} of "
                f"{language!r} was found; choose a smaller size"
            )


def _draw(kind: str, rng: np.random.Generator) -> Value:
    """Draw a value of this kind. Every order of magnitude is equally frequent."""
    if kind == "year":
        return (Decimal(int(rng.integers(1000, 2101))),)
    if kind == "decimal":
        places = int(rng.integers(1, 3))
        whole = _whole(rng, 4) * 10**places
        ending = int(rng.integers(10 ** (places - 1))) * 10 + int(rng.integers(1, 10))  # the last digit is not a 0
        return (Decimal(whole + ending).scaleb(-places),)
    if kind == "range":
        low = _whole(rng, 4)
        return Decimal(low), Decimal(low + 1 + _whole(rng, max(1, len(str(low)))))
    return (Decimal(_whole(rng, 4) + 1 if kind == "ordinal" else _whole(rng, 7)),)


def _whole(rng: np.random.Generator, digits: int) -> int:
    """Draw a whole number from 0 with at most this many digits. Above a hundred, half of them are mostly round."""
    length = int(rng.integers(1, digits + 1))
    number = int(rng.integers(0 if length <= 2 else 10 ** (length - 1), 10**length))
    if length > 2 and rng.random() < 0.5:
        kept = 10 ** int(rng.integers(1, length))
        number = number // kept * kept
    return number


def _same(kind: str, value: Value, language: str, rng: np.random.Generator) -> tuple[str, str]:
    written = spellings(kind, value, language)
    if rng.random() < _SAME_SCRIPT:
        for texts in (written.digits, written.words):
            if len(texts) > 1:
                one, two = rng.permutation(len(texts))[:2]
                return texts[one], texts[two]
    return _turned(_pick(written.digits, rng), _pick(written.words, rng), rng)


def _different(
    kind: str, value: Value, language: str, config: NumberPairConfig, rng: np.random.Generator
) -> tuple[str, str] | None:
    split = split_of(value, config.seed)
    near = [other for other in neighbours(kind, value) if split_of(other, config.seed) == split]
    if not near:
        return None
    one, two = (spellings(kind, number, language) for number in (value, near[int(rng.integers(len(near)))]))
    sides = ((one.digits, two.words), (one.words, two.digits), (one.digits, two.digits))
    first, second = sides[int(rng.integers(len(sides)))]
    return _turned(_pick(first, rng), _pick(second, rng), rng)


def _near(number: Decimal, step: Decimal = Decimal(1)) -> Iterator[Decimal]:
    """Yield the numbers one and two steps away, ten times, a tenth, with digits swapped or changed; each once."""
    sign, digits, scale = number.as_tuple()
    exponent = int(scale)  # NaN and infinity, which have none, are not values here
    neighbors = [number + step, number - step, number + 2 * step, number - 2 * step, number * 10, number / 10]
    for i in range(len(digits) - 1):
        neighbors.append(Decimal((sign, (*digits[:i], digits[i + 1], digits[i], *digits[i + 2 :]), exponent)))
    for i, digit in enumerate(digits):
        neighbors.append(Decimal((sign, (*digits[:i], (digit + 1) % 10, *digits[i + 1 :]), exponent)))
    return iter(dict.fromkeys(neighbor for neighbor in neighbors if neighbor >= 0))


def _belongs(kind: str, number: Decimal) -> bool:
    """Return whether there is such a value of this kind."""
    whole = number == number.to_integral_value()
    if kind == "decimal":
        return not whole and int(number.as_tuple().exponent) >= -2
    low, high = {"year": (1000, 2100), "ordinal": (1, 99_999)}.get(kind, (0, math.inf))
    return whole and low <= number <= high


def _pick(texts: tuple[str, ...], rng: np.random.Generator) -> str:
    return texts[int(rng.integers(len(texts)))]


def _turned(one: str, two: str, rng: np.random.Generator) -> tuple[str, str]:
    return (one, two) if rng.random() < 0.5 else (two, one)


def paper_rows() -> Iterator[TrainingPair]:
    """Yield the recorded set of the paper, row by row: 9,110 pairs, all in train, 3,704 of them labeled 1.

    They are 0 to 1000 with words, both ways, and with itself, then neighbors, then years. Raise MissingExtraError if
    num2words is not installed.
    """
    counted, years = range(1001), range(1400, 2101)
    words = [_words_of(n).words[0] for n in counted]
    yield from (_row(str(n), words[n], 1) for n in counted)
    yield from (_row(words[n], str(n), 1) for n in counted)
    yield from (_row(str(n), str(n), 1) for n in counted)
    yield from (_row(str(n), str(n + step), 0) for step in (1, -1, 2, -2) for n in counted)
    yield from (_row(str(n), str(n), 1) for n in years)
    yield from (_row(str(n), str(n + step), 0) for step in (1, -1) for n in years)


def _words_of(number: int) -> Spellings:
    return spellings("cardinal", (Decimal(number),), "en")


def _row(first: str, second: str, label: float) -> TrainingPair:
    return TrainingPair(first, second, float(label), source="number:cardinal:en")
