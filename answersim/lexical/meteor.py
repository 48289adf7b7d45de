"""METEOR, equal to NLTK's: words matched by form, stem or synonym, less a penalty for scattered matches."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import compress, pairwise
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from answersim import text
from answersim.errors import unknown
from answersim.lexical import wordnet
from answersim.lexical.nltk_words import nltk_2021_words, nltk_words
from answersim.lexical.token_metric import blocks, tokens
from answersim.signature import signature
from answersim.types import FloatArray, Pair

Order: TypeAlias = Literal["gold-pred", "pred-gold"]
Split: TypeAlias = Callable[[str], list[str]]
Stem: TypeAlias = Callable[[str], str]
Synonyms: TypeAlias = Callable[[str], AbstractSet[str]]

# ISO 639-1 -> the name of NLTK's Snowball stemmer. English has Porter's, as NLTK's METEOR.
_SNOWBALL = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nb": "norwegian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
}
_NONE = -2  # the position of a word without a partner: next to no other
_CACHED = 1 << 16  # words whose stem is remembered


def meteor(
    gold: Sequence[str],
    pred: Sequence[str],
    *,
    stem: Stem,
    synonyms: Synonyms,
    alpha: float = 0.9,
    beta: float = 3.0,
    gamma: float = 0.5,
) -> float:
    """METEOR of these predicted words against these gold words, from 0 to 1; not symmetric.

    One matched word scores at most ``1 - gamma``, also when there is no other: "Paris" on itself has 0.5. No
    match, and so no words on either side or on both, is 0.

    Args:
        gold: The words of the reference, in any case.
        pred: The words of the hypothesis, in any case.
        stem: A word in lower case -> its stem. Words that are left over are stemmed, and stay so.
        synonyms: A stem (not a word: NLTK hands its stems on) -> the gold stems that it may stand for.
        alpha: The share of precision in the harmonic mean; near 1 it counts recall.
        beta: How steeply the penalty grows with the number of chunks.
        gamma: The largest penalty.

    >>> meteor("on the mat sat the cat".split(), "on the mat sat the cat".split(),
    ...        stem=str, synonyms=lambda word: set())  # six words in one chunk: 1 - 0.5 * (1/6) ** 3
    0.9976851851851852

    The source is Lavie & Agarwal 2007; the numbers are those of
    ``nltk.translate.meteor_score.single_meteor_score`` in NLTK 3.10, to the last digit, in time that is
    linear in the number of words.
    """
    if isinstance(gold, str) or isinstance(pred, str):
        raise TypeError(f"meteor takes two sequences of words, not text: split it first, {str(gold)[:40]!r}.split()")
    partners = _partners(gold, pred, stem, synonyms)
    matches = len(partners) - partners.count(_NONE)
    if not matches:
        return 0.0
    precision = matches / len(pred)
    recall = matches / len(gold)
    mean = (precision * recall) / (alpha * precision + (1 - alpha) * recall)
    penalty = gamma * (_chunks(partners) / matches) ** beta
    return (1 - penalty) * mean


def align(gold: Sequence[str], pred: Sequence[str], *, stem: Stem, synonyms: Synonyms) -> list[tuple[int, int]]:
    """The matched positions (in pred, in gold), ascending in pred; each position stands in one match at most.

    Three stages, each on what the one before left over: equal words, equal stems, a gold stem among the
    synonyms of a predicted one. Each goes through the predicted words from the right and takes the rightmost
    gold word that is free.
    """
    return [(i, j) for i, j in enumerate(_partners(gold, pred, stem, synonyms)) if j != _NONE]


def _partners(gold: Sequence[str], pred: Sequence[str], stem: Stem, synonyms: Synonyms) -> list[int]:
    """For each predicted word the position of its gold word, or none."""
    left, right = [*map(str.lower, pred)], [*map(str.lower, gold)]
    partners, free = _equal(left, right)
    over = _alone(partners)
    if not over or not free:
        return partners
    left, right = [stem(left[i]) for i in over], [stem(right[j]) for j in free]
    found, still = _equal(left, right)
    last = _alone(found)
    if last and still:
        for i, j in _near([left[i] for i in last], [right[j] for j in still], synonyms):
            found[last[i]] = still[j]
    for i, j in zip(over, found, strict=True):
        if j != _NONE:
            partners[i] = free[j]
    return partners


def _equal(left: list[str], right: list[str]) -> tuple[list[int], list[int]]:
    """For each word on the left the position of the equal one on the right, or none; and what is left on the right."""
    rightmost: dict[str, int] = {}  # of the free ones of a word
    before: list[int] = []  # for each position that of the same word before it
    position_of = rightmost.get
    for j, word in enumerate(right):
        before.append(position_of(word, _NONE))
        rightmost[word] = j
    found = [_NONE] * len(left)
    free = bytearray(b"\1") * len(right)
    for i in range(len(left) - 1, -1, -1):
        j = position_of(word := left[i], _NONE)
        if j != _NONE:
            found[i] = j
            free[j] = 0
            rightmost[word] = before[j]
    return found, [*compress(range(len(right)), free)]


def _alone(partners: list[int]) -> list[int]:
    return [i for i, j in enumerate(partners) if j == _NONE]


def _near(left: list[str], right: list[str], synonyms: Synonyms) -> Iterator[tuple[int, int]]:
    """The positions of words on the left and on the right of which the right one is among the left one's synonyms."""
    free: dict[str, list[int]] = {}  # each word -> the stack of its positions, the rightmost on top
    for j, word in enumerate(right):
        free.setdefault(word, []).append(j)
    # Of two sets the smaller one is gone through, so that many free words take no time. NLTK adds the word itself to
    # its synonyms, which changes nothing: equal stems are matched already.
    are_none = free.keys().isdisjoint
    for i in range(len(left) - 1, -1, -1):
        may = synonyms(left[i])
        if may and not are_none(may):
            best = max(free.keys() & may, key=lambda other: free[other][-1])
            yield i, free[best].pop()
            if not free[best]:
                del free[best]


def _chunks(partners: list[int]) -> int:
    """The number of runs of matches that are adjacent and in order on both sides."""
    return len([j for i, j in pairwise([_NONE, *partners]) if j - i != 1 and j != _NONE])


@dataclass(frozen=True)
class Meteor:
    """METEOR of answers: a metric (see ``answersim.types.Metric``) with every setting signed.

    English is NLTK's METEOR: words by the rules of NLTK's word tokenizer, Porter's stems, synonyms by WordNet
    3.0; nothing is downloaded. Any other language has the words of ``answersim.text.words`` (articles
    dropped; one character a word for scripts without spaces), NLTK's Snowball stemmer where there is one, and
    no synonyms. So in every script an answer on itself is more than 0, unless it is empty or blank: no words
    on either side, or on both, is 0 as in NLTK. And it is less than 1: a single word on itself
    has ``1 - gamma``.

    ``nltk.word_tokenize`` would part the text into sentences first, by a trained model that is a download. It
    matters for a period inside an answer ("ca. 2 million"): for 4 of the 942 pairs of the SAS paper's SQuAD
    set and 7 of the 3,559 of its NQ-open set, by at most .16.

    Attributes:
        lang: An ISO 639-1 code, with or without a region; kept without.
        alpha: The share of precision in the harmonic mean, from 0 to 1; near 1 it counts recall.
        beta: How steeply the penalty grows with the number of chunks, at least 0.
        gamma: The largest penalty, from 0 to 1.
        order: "gold-pred": gold is the reference and pred the hypothesis. "pred-gold": the other way round,
            as in the recorded column of the SAS paper, where answer1 (gold) went in as the hypothesis.
        words: English only. "nltk-3.10", the default: one sentence, the tokens of today's NLTK. "nltk-2021": the
            tokens that the SAS paper had (see ``nltk_2021_words``); with "pred-gold" they give 942 of 942 (SQuAD)
            and 3,557 of 3,559 (NQ-open) of its recorded numbers. Elsewhere the name of the language's words.

    Raises:
        LookupError: There is no such language, order or way to words.
        TypeError: lang is not text, or alpha, beta or gamma is not a number.
        ValueError: alpha, beta or gamma is out of its range.

    >>> Meteor()([Pair("the car", "the auto"), Pair("Paris", "Paris"), Pair("", "")])
    array([0.9375, 0.5   , 0.    ])
    >>> Meteor(lang="de").signature.split("|v:")[0]
    'meteor|lang:de|alpha:0.9|beta:3.0|gamma:0.5|order:gold-pred|words:de|stem:snowball-german|synonyms:none'

    The source is Lavie & Agarwal 2007 by way of NLTK 3.10, whose numbers these are to the last digit.
    """

    lang: str = "en"
    alpha: float = 0.9
    beta: float = 3.0
    gamma: float = 0.5
    order: Order = "gold-pred"
    words: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "lang", text.language(self.lang))
        for name, most in (("alpha", 1.0), ("beta", math.inf), ("gamma", 1.0)):
            object.__setattr__(self, name, _within(name, getattr(self, name), most))
        if self.order not in get_args(Order):
            raise unknown("order", self.order, get_args(Order))
        names = tuple(_ENGLISH) if self.lang == "en" else (text.words(self.lang).name,)
        object.__setattr__(self, "words", names[0] if self.words is None else self.words)
        if self.words not in names:
            raise unknown(f"way to words of {self.lang!r}", self.words, names)

    @property
    def signature(self) -> str:
        """Every setting, and where the stems and synonyms come from."""
        if self.lang == "en":
            return signature("meteor", self, stem="porter-nltk", synonyms=f"wordnet30-{wordnet.fingerprint()}")
        stemmer = _SNOWBALL.get(self.lang)
        return signature("meteor", self, stem=f"snowball-{stemmer}" if stemmer else "none", synonyms="none")

    def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
        """One number a pair, in order, shape (n,); from 0 to 1."""
        tools = _tools(self.lang, self.words or "")
        numbers = np.empty(len(pairs), dtype=np.float64)
        for block in blocks(pairs):
            some = pairs[block]
            gold, pred = tokens(tools.words, some)
            sides = (gold, pred) if self.order == "gold-pred" else (pred, gold)
            numbers[block] = np.fromiter((self._number(tools, *side) for side in zip(*sides, strict=True)), np.float64)
        return numbers

    def _number(self, tools: _Tools, reference: Sequence[str], hypothesis: Sequence[str]) -> float:
        return meteor(
            reference,
            hypothesis,
            stem=tools.stem,
            synonyms=tools.synonyms,
            alpha=self.alpha,
            beta=self.beta,
            gamma=self.gamma,
        )


class _Tools(NamedTuple):
    words: Split
    stem: Stem
    synonyms: Synonyms


@cache
def _tools(lang: str, words: str) -> _Tools:
    if lang == "en":
        return _Tools(_ENGLISH[words], _porter(), wordnet.synonyms)
    return _Tools(text.words(lang), _snowball(lang), _no_synonyms)


def _porter() -> Stem:
    from nltk.stem.porter import PorterStemmer

    return lru_cache(maxsize=_CACHED)(PorterStemmer().stem)


def _snowball(lang: str) -> Stem:
    if lang not in _SNOWBALL:
        return str  # the word itself

    from nltk.stem.snowball import SnowballStemmer

    @lru_cache(maxsize=_CACHED)
    def stem(word: str) -> str:
        # A new stemmer for each word, as the Arabic one remembers the word before; it takes a microsecond. A
        # stem that is empty (the Russian one has some) would match any other.
        return SnowballStemmer(_SNOWBALL[lang]).stem(word) or word

    return stem


# Name -> split, by which an English metric is signed; the first is the default.
_ENGLISH: dict[str, Split] = {"nltk-3.10": nltk_words, "nltk-2021": nltk_2021_words}


def _no_synonyms(word: str) -> frozenset[str]:
    return frozenset()


def _within(name: str, value: object, most: float) -> float:
    """The setting as a float (and no negative zero, which would sign as another setting)."""
    if not isinstance(value, (int, float, np.number)) or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}, but METEOR's {name} is a number, such as {getattr(Meteor, name)}")
    if not 0 <= value <= most or math.isinf(value):
        most_is = f"lies between 0 and {most:g}" if most < math.inf else "is 0 or more, and finite"
        raise ValueError(
            f"{name} is {value!r}, but METEOR's {name} {most_is}; the usual one is {getattr(Meteor, name)}"
        )
    return float(value) + 0.0
