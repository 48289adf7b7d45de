"""The common form of lexical metrics, a pure function of the tokens of gold and prediction, and their factory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.errors import unknown
from answersim._base.signature import Stored, computed_once, signature
from answersim.answers.text.tokens import BY_LANGUAGE, PROFILES, Tokenizer, squad_or_plain_words, tokenizer
from answersim.types import Capabilities, Metric, Pair, Scale

# A block of pairs whose tokens are in memory together: this many short ones, or this many characters of long ones,
# because data is read faster while it is in the CPU cache.
_PAIRS = 4096
_CHARACTERS = 1 << 16


@dataclass(frozen=True)
class TokenMetric(Stored):
    """A metric that consists of a tokenizer and a similarity of two token lists."""

    name: str  # the name of the similarity, which begins the signature
    text: Tokenizer  # the tokenizer. Its name is signed.
    # computes a number from the tokens of gold and prediction. It is determined by ``name`` and therefore not compared.
    # It must not modify the lists, because other metrics share them.
    similarity: Callable[[Sequence[str], Sequence[str]], float] = field(compare=False, repr=False)
    # further settings that determine the number, as (key, value). They are signed in this order.
    settings: tuple[tuple[str, str], ...] = ()
    revision: int = 1  # the revision of the similarity; signed
    # the scale of the similarity, which is also determined by ``name``
    scale: Scale = field(default="similarity", compare=False, repr=False)

    @computed_once
    def capabilities(self) -> Capabilities:
        """The capabilities of a light metric with this scale."""
        return Capabilities(scale=self.scale)

    @computed_once
    def signature(self) -> str:
        """Return the signature, such as ``f1|text:en|rev:1``."""
        return signature(self.name, revision=self.revision, text=self.text, **dict(self.settings))

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        """Return one number per pair, in order, shape (n,)."""
        if len(pairs) == 1:  # the preparation for many pairs takes longer than a single pair
            (gold, pred), split = pairs[0], self.text.split
            return np.array([self.similarity(split(gold), split(pred))], dtype=np.float64)
        return token_columns([self], pairs)[0]


def token_columns(metrics: Sequence[TokenMetric], pairs: Sequence[Pair]) -> list[FloatArray]:
    """Return for each metric, in order, one number per pair, shape (n,).

    Each answer is tokenized once per tokenizer and once per block of pairs. Apart from the scores, the memory does not
    grow with the number of pairs.
    """
    columns = [np.empty(len(pairs), dtype=np.float64) for _ in metrics]
    # The signed name does not identify the tokenizer: "en" means one in F1 and another in ROUGE.
    ways: dict[Callable[[str], list[str]], list[int]] = {}
    for i, metric in enumerate(metrics):
        ways.setdefault(metric.text.split, []).append(i)
    for block in blocks(pairs):
        batch = pairs[block]
        for split, alike in ways.items():
            sides = tokens(split, batch)
            for i in alike:
                columns[i][block] = np.fromiter(map(metrics[i].similarity, *sides), np.float64, len(batch))
    return columns


def tokens(split: Callable[[str], list[str]], pairs: Sequence[Pair]) -> tuple[list[list[str]], list[list[str]]]:
    """Return the tokens of the gold answer and of the prediction of every pair; equal answers have one list."""
    split_once = _Once(split)
    return [split_once[gold] for gold, _ in pairs], [split_once[pred] for _, pred in pairs]


def blocks(pairs: Sequence[Pair], most: int = _CHARACTERS) -> Iterator[slice]:
    """Yield the pairs in blocks that need little memory, as slices of at least one pair, in order.

    A block ends with the pair that reaches this many characters, or with 4,096 pairs.
    """
    start = characters = 0
    for i, (gold, pred) in enumerate(pairs):
        characters += len(gold) + len(pred)
        if characters >= most or i + 1 - start >= _PAIRS:
            yield slice(start, i + 1)
            start, characters = i + 1, 0
    if start < len(pairs):
        yield slice(start, len(pairs))


class _Once(dict[str, list[str]]):
    """The tokens of each answer, computed once per distinct answer."""

    def __init__(self, split: Callable[[str], list[str]]) -> None:
        super().__init__()
        self._split = split

    def __missing__(self, answer: str) -> list[str]:
        words = self[answer] = self._split(answer)
        return words


def answer_tokens(
    name: str,
    similarity: Callable[..., float],
    revision: int,
    scale: Scale = "similarity",
    *,
    reference: bool = False,
    **settings: str,
) -> Callable[..., Metric]:
    """Return the factory of a metric on the tokens of answers.

    ``reference``: whether the SQuAD script contains the metric. If so, the profiles "squad" and "paper" count two
    answers that lose all tokens ("the" and "?") as equal, as the script does. Else such an answer keeps its plain
    words.
    """

    def build(*, lang: str, profile: str | None) -> Metric:
        words = tokenizer(lang, profile)
        if words.name == "squad" and not reference:
            words = Tokenizer("squad-or-plain", squad_or_plain_words)
        return TokenMetric(name, words, similarity, tuple(settings.items()), revision, scale)

    return build


def check_profile(name: str, profile: str | None, allowed: tuple[str, ...]) -> None:
    """Raise LookupError for a profile that does not exist, or that this metric does not have."""
    if profile not in (None, *PROFILES):
        raise unknown("profile", profile, PROFILES)
    if profile not in (None, *BY_LANGUAGE, *allowed):
        raise LookupError(
            f"{name} has no profile {profile!r}, only {', '.join(allowed)}: its tokens are those of its source; leave "
            "the profile out"
        )
