"""METEOR as in NLTK: words matched by form, stem or synonym, less a penalty for scattered matches."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import compress, pairwise
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from answersim._base.arguments import shown
from answersim._base.arrays import FloatArray
from answersim._base.errors import unknown
from answersim._base.runtime.concurrency import imported
from answersim._base.signature import Stored, computed_once, signature
from answersim.answers.text import tokens as text
from answersim.metrics.definitions import definition
from answersim.metrics.lexical.nltk_words import nltk_2021_words, nltk_words, nltk_words_and_characters
from answersim.metrics.lexical.token_metric import blocks, check_profile, tokens
from answersim.metrics.lexical.wordnet import reader as wordnet
from answersim.types import Capabilities, Metric, Pair

Synonyms: TypeAlias = Callable[[str], AbstractSet[str]]

NONE = -2  # the position of a word without a partner, which is adjacent to no other


def counts(
    gold: Sequence[str], pred: Sequence[str], *, stem: Callable[[str], str], synonyms: Synonyms
) -> tuple[int, int]:
    """Return how many predicted words have a partner, and how many runs of neighbors in order they make."""
    matched = partners(gold, pred, stem=stem, synonyms=synonyms)
    runs = [j for i, j in pairwise([NONE, *matched]) if j - i != 1 and j != NONE]
    return (len(matched) - matched.count(NONE), len(runs))


def partners(gold: Sequence[str], pred: Sequence[str], *, stem: Callable[[str], str], synonyms: Synonyms) -> list[int]:
    """Return for each predicted word the position of its gold word, or ``NONE``. No gold word has two partners.

    There are three stages, each on the unmatched words of the one before: equal words, equal stems, and a gold stem
    among the synonyms of a predicted stem. Each stage iterates over the predicted words from the right and takes the
    rightmost free gold word.
    """
    left, right = [*map(str.lower, pred)], [*map(str.lower, gold)]
    matched, free = _equal(left, right)
    over = _alone(matched)
    if not over or not free:
        return matched
    left, right = [stem(left[i]) for i in over], [stem(right[j]) for j in free]
    by_stem, still = _equal(left, right)
    last = _alone(by_stem)
    if last and still:
        for i, j in _near([left[i] for i in last], [right[j] for j in still], synonyms):
            by_stem[last[i]] = still[j]
    for i, j in zip(over, by_stem, strict=True):
        if j != NONE:
            matched[i] = free[j]
    return matched


def _equal(left: Sequence[str], right: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return for each word on the left the position of an equal one on the right, or none, and the unmatched words."""
    rightmost: dict[str, int] = {}  # of the free ones of a word
    before: list[int] = []  # for each position that of the same word before it
    position_of = rightmost.get
    for j, word in enumerate(right):
        before.append(position_of(word, NONE))
        rightmost[word] = j
    partners = [NONE] * len(left)
    free = bytearray(b"\1") * len(right)
    for i in range(len(left) - 1, -1, -1):
        j = position_of(word := left[i], NONE)
        if j != NONE:
            partners[i] = j
            free[j] = 0
            rightmost[word] = before[j]
    return partners, [*compress(range(len(right)), free)]


def _alone(matched: list[int]) -> list[int]:
    return [i for i, j in enumerate(matched) if j == NONE]


def _near(left: Sequence[str], right: Sequence[str], synonyms: Synonyms) -> Iterator[tuple[int, int]]:
    """Yield the positions of words on the left and right of which the right one is a synonym of the left one."""
    free: dict[str, list[int]] = {}  # each word -> the stack of its positions, the rightmost on top
    for j, word in enumerate(right):
        free.setdefault(word, []).append(j)
    # The smaller one of two sets is iterated over, so many free words take no time. NLTK adds the word itself to its
    # synonyms, which changes nothing: equal stems are matched already.
    are_none = free.keys().isdisjoint
    for i in range(len(left) - 1, -1, -1):
        may = synonyms(left[i])
        if may and not are_none(may):
            best = max(free.keys() & may, key=lambda candidate: free[candidate][-1])
            yield i, free[best].pop()
            if not free[best]:
                del free[best]


REVISION = 1  # raise it when a number changes; it is signed

_ORDERS = ("gold-pred", "pred-gold")
_WEIGHTS = {"alpha": 1.0, "beta": math.inf, "gamma": 1.0}  # the settings that are numbers, and the largest of each

# ISO 639-1 -> the name of NLTK's Snowball stemmer. English has Porter's, as NLTK's METEOR.
_SNOWBALL = {
    "ar": "arabic", "da": "danish", "de": "german", "es": "spanish", "fi": "finnish", "fr": "french", "hu": "hungarian",
    "it": "italian", "nb": "norwegian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sv": "swedish",
}  # fmt: skip
_CACHED = 1 << 16  # words whose stem is cached


def meteor(
    gold: Sequence[str],
    pred: Sequence[str],
    *,
    stem: Callable[[str], str],
    synonyms: Synonyms,
    alpha: float = 0.9,
    beta: float = 3.0,
    gamma: float = 0.5,
) -> float:
    """Return METEOR of the predicted words against the gold words, from 0 to 1. It is not symmetric.

    One matched word scores at most ``1 - gamma``, even if there is no other word: "Paris" against itself scores 0.5.
    Without a match, and so without words on either side, the score is 0. ``stem``: returns the stem of a word in lower
    case. Unmatched words are replaced by their stems. ``synonyms``: returns the gold stems that a stem may match. NLTK
    passes stems here, not words. ``alpha``: the share of precision in the harmonic mean; near 1 it counts recall.
    ``beta``: how steeply the penalty grows with the number of chunks. ``gamma``: the largest penalty.

    >>> meteor("on the mat sat the cat".split(), "on the mat sat the cat".split(),
    ...        stem=str, synonyms=lambda word: set())  # six words in one chunk: 1 - 0.5 * (1/6) ** 3
    0.9976851851851852

    Source: Lavie & Agarwal 2007. Equal to ``nltk.translate.meteor_score.single_meteor_score`` of NLTK 3.10 to the last
    digit, in time linear in the number of words.
    """
    if isinstance(gold, str) or isinstance(pred, str):
        raise TypeError(f"meteor takes two sequences of words, not text: split it first, {str(gold)[:40]!r}.split()")
    matches, chunks = counts(gold, pred, stem=stem, synonyms=synonyms)
    if not matches:
        return 0.0
    # In Python floats, as NLTK does. The powers of numpy differ in the last bit.
    precision, recall = matches / len(pred), matches / len(gold)
    mean = (precision * recall) / (alpha * precision + (1 - alpha) * recall)
    penalty = gamma * (chunks / matches) ** beta
    return (1 - penalty) * mean


@dataclass(frozen=True)
class Meteor(Stored):
    """METEOR of answers: a metric (see ``answersim.types.Metric``) with every setting signed.

    English has METEOR as in NLTK: words by the rules of the NLTK tokenizer, Porter stems and synonyms of WordNet 3.0.
    Nothing is downloaded. One rule is added: each character of a script without spaces is a word. Any other language
    has the words of ``answersim.answers.text.tokens.tokenizer`` (without articles, and one word per character in
    scripts without spaces), the Snowball stemmer of NLTK if there is one, and no synonyms. In every script, an answer
    against itself scores above 0, unless it is empty or blank, which scores 0 as in NLTK. It scores below 1: a single
    word against itself has ``1 - gamma``.

    ``nltk.word_tokenize`` would first split the text into sentences with a trained model, which is a download. This
    changes scores only for a period inside an answer ("ca. 2 million"): for 4 of the 942 pairs of SQuAD and 7 of the
    3,559 pairs of NQ-open in the SAS paper, by at most .16.

    Raises:
        LookupError: If there is no such language, order or tokenizer.
        TypeError: If lang is not text, or alpha, beta or gamma is not a number.
        ValueError: If alpha, beta or gamma is out of its range.

    >>> Meteor()([Pair("the car", "the auto"), Pair("Paris", "Paris"), Pair("", "")])
    array([0.9375, 0.5   , 0.    ])
    >>> Meteor(lang="de").signature.split("|rev:")[0]
    'meteor|lang:de|alpha:0.9|beta:3.0|gamma:0.5|order:gold-pred|words:de|stem:snowball-german|synonyms:none'

    Source: Lavie & Agarwal 2007. Equal to NLTK 3.10 to the last digit.
    """

    lang: str = "en"  # an ISO 639-1 code, with or without a region. It is stored without the region.
    alpha: float = 0.9  # the share of precision in the harmonic mean, from 0 to 1; near 1 it counts recall
    beta: float = 3.0  # how steeply the penalty grows with the number of chunks, at least 0
    gamma: float = 0.5  # the largest penalty, from 0 to 1
    # "gold-pred": gold is the reference and pred the hypothesis. "pred-gold": the other way round, as in the recorded
    # column of the SAS paper, for which answer1 (gold) was the hypothesis.
    order: Literal["gold-pred", "pred-gold"] = "gold-pred"
    # English only. "nltk-3.10+char", the default: one sentence, the tokens of NLTK 3.10, and each character of a script
    # without spaces. "nltk-3.10": the tokens of NLTK and no others. "nltk-2021": the tokens of the SAS paper (see
    # ``nltk_2021_words``). With "pred-gold" they reproduce 942 of 942 (SQuAD) and 3,557 of 3,559 (NQ-open) recorded
    # scores. For other languages, the name of their tokenizer.
    words: str | None = None

    capabilities: ClassVar[Capabilities] = Capabilities(scale="similarity")

    def __post_init__(self) -> None:
        object.__setattr__(self, "lang", text.language(self.lang))
        for name, most in _WEIGHTS.items():
            object.__setattr__(self, name, _within(name, getattr(self, name), most))
        if self.order not in _ORDERS:
            raise unknown("order", self.order, _ORDERS)
        names = tuple(_ENGLISH) if self.lang == "en" else (text.tokenizer(self.lang).name,)
        object.__setattr__(self, "words", names[0] if self.words is None else self.words)
        if self.words not in names:
            raise unknown(f"tokenizer of METEOR in {self.lang!r}", self.words, names)

    @computed_once
    def signature(self) -> str:
        """All settings, and the origin of the stems and synonyms."""
        if self.lang == "en":
            stem, synonyms = "porter-nltk", f"wordnet30-{wordnet.fingerprint()}"
        else:
            stemmer = _SNOWBALL.get(self.lang)
            stem, synonyms = f"snowball-{stemmer}" if stemmer else "none", "none"
        return signature("meteor", self, revision=REVISION, stem=stem, synonyms=synonyms)

    def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
        """Return one number per pair, in order, shape (n,), from 0 to 1."""
        split, stem, synonyms = _tools(self.lang, self.words or "")
        weights = {name: getattr(self, name) for name in _WEIGHTS}
        score = partial(meteor, stem=stem, synonyms=synonyms, **weights)
        numbers = np.empty(len(pairs), dtype=np.float64)
        for block in blocks(pairs):
            gold, pred = tokens(split, pairs[block])
            sides = (gold, pred) if self.order == "gold-pred" else (pred, gold)
            numbers[block] = [*map(score, *sides)]
        return numbers


@cache
def _tools(lang: str, words: str) -> tuple[Callable[[str], list[str]], Callable[[str], str], Synonyms]:
    """Return the tokenizer, stemmer and synonyms of a language."""
    if lang == "en":
        stem = imported("nltk.stem.porter").PorterStemmer().stem
        return _ENGLISH[words], lru_cache(maxsize=_CACHED)(stem), wordnet.synonyms
    return text.tokenizer(lang), _snowball(lang), lambda word: frozenset()


def _snowball(lang: str) -> Callable[[str], str]:
    if lang not in _SNOWBALL:
        return str  # the word itself
    stemmer = imported("nltk.stem.snowball").SnowballStemmer

    @lru_cache(maxsize=_CACHED)
    def stem(word: str) -> str:
        # A new stemmer for each word, because the Arabic one keeps state of the previous word; it takes a microsecond.
        # A stem that is empty (the Russian one has some) would match any other.
        return stemmer(_SNOWBALL[lang]).stem(word) or word

    return stem


# Name -> split, by which an English metric is signed; the first is the default.
_ENGLISH: dict[str, Callable[[str], list[str]]] = {
    "nltk-3.10+char": nltk_words_and_characters,
    "nltk-3.10": nltk_words,
    "nltk-2021": nltk_2021_words,
}


def _within(name: str, value: object, most: float) -> float:
    """Return the setting as a float, without a negative zero, which would change the signature."""
    if not isinstance(value, (int, float, np.number)) or isinstance(value, bool):
        raise TypeError(f"{name} is {shown(value)}, but METEOR's {name} is a number, such as {getattr(Meteor, name)}")
    if not 0 <= value <= most or math.isinf(value):
        most_is = f"must be between 0 and {most:g}" if most < math.inf else "must be finite and at least 0"
        raise ValueError(
            f"{name} is {value!r}, but METEOR's {name} {most_is}; the usual one is {getattr(Meteor, name)}"
        )
    return float(value) + 0.0


def build(
    *,
    lang: str,
    profile: str | None,
    alpha: float = 0.9,
    beta: float = 3.0,
    gamma: float = 0.5,
    order: Literal["gold-pred", "pred-gold"] | None = None,
    words: str | None = None,
) -> Metric:
    """Build METEOR."""
    check_profile("meteor", profile, ("embedded", "paper", "squad"))
    if profile == "squad" and text.language(lang) == "en":
        words = words or "nltk-3.10"
    if profile == "paper":  # the gold answer is the hypothesis, and the words are those of NLTK 3.6
        order = order or "pred-gold"
        words = words or ("nltk-2021" if text.language(lang) == "en" else None)
    return Meteor(text.language(lang), alpha, beta, gamma, order or "gold-pred", words)


METEOR = definition("meteor", build)
