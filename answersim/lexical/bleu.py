"""BLEU of one answer: n-gram precision and a brevity penalty; smoothed for people, unsmoothed as in the SAS paper."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import count

import numpy as np

from answersim.lexical.f1 import shared
from answersim.text import Pieces, Words, language

_MAX_ORDER = 4
_LONG = 40  # words, from which on arrays are faster than lists
_SYMBOLS = re.compile(r"([{-~\[-` -&(-+:-@/])")
_STOP_AFTER_NON_DIGIT = re.compile(r"([^0-9])([.,])")
_STOP_BEFORE_NON_DIGIT = re.compile(r"([.,])([^0-9])")
_DASH_AFTER_DIGIT = re.compile(r"([0-9])(-)")
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_BY_CHARACTER = frozenset("ja th lo km my bo".split())  # languages without spaces that sacrebleu has no words for


def bleu(gold: Sequence[str], pred: Sequence[str]) -> float:
    """Sentence BLEU with exponential smoothing and effective order, between 0 and 1; pred is the hypothesis.

    Not symmetric. Two empty answers agree (1.0; sacrebleu gives 0 there); an empty one agrees with no other (0.0).

    >>> bleu(["yes"], ["yes"]), bleu(["yes"], ["no"])
    (1.0, 0.0)

    Source: Papineni et al. 2002; equal to ``sacrebleu.sentence_bleu(pred, [gold]).score / 100`` (smoothing method 3 of
    Chen & Cherry 2014).
    """
    if not gold and not pred:
        return 1.0
    matched, total = _matches(gold, pred)
    if not any(matched):
        return 0.0
    orders = sum(map(bool, total))
    smoothing, log_precision = 1.0, 0.0
    for hits, grams in zip(matched[:orders], total[:orders], strict=True):
        if not hits:
            smoothing *= 2
        log_precision += math.log(hits / grams if hits else 1 / (smoothing * grams))
    return _brevity_penalty(len(gold), len(pred)) * math.exp(log_precision / orders)


def bleu_paper(gold: Sequence[str], pred: Sequence[str]) -> float:
    """BLEU as the SAS paper recorded it: 4-gram corpus BLEU of the one pair, unsmoothed, the *gold* as hypothesis.

    0.0 wherever the two have no four words in a row in common, so for nearly every short answer, even against itself.
    Kept to reproduce the paper's tables; for anything else use ``bleu``.

    >>> bleu_paper(["yes"], ["yes"])
    0.0

    Source: Papineni et al. 2002; Mustafazade & Ebbinghaus 2022, Tables 2 and 3.
    """
    matched, total = _matches(pred, gold)
    if not all(matched):
        return 0.0
    log_precision = math.fsum(math.log(hits / grams) for hits, grams in zip(matched, total, strict=True))
    return _brevity_penalty(len(pred), len(gold)) * math.exp(log_precision / _MAX_ORDER)


def bleu_words(lang: str = "en") -> Words:
    """The way from answers to tokens for BLEU: mteval-v13a's, Chinese by sacrebleu's, unspaced scripts by character.

    >>> bleu_words()("It's 3.5 km, isn't it?")
    ["It's", '3.5', 'km', ',', "isn't", 'it', '?']
    """
    code = language(lang)
    if code == "zh":
        return Words("zh", _or_plain(_sacrebleu("zh")))
    if code in _BY_CHARACTER:
        return Words("char", _or_plain(_sacrebleu("char")))
    return Words("13a", _or_plain(_13a))


def _matches(reference: Sequence[str], hypothesis: Sequence[str]) -> tuple[list[int], list[int]]:
    """For the orders 1 to 4: how many n-grams of the hypothesis the reference has (clipped), and how many there are."""
    total = [max(len(hypothesis) - order, 0) for order in range(_MAX_ORDER)]
    matched = [0] * _MAX_ORDER
    if not reference or not hypothesis:
        return matched, total
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    left, right = ([*map(numbers.__getitem__, tokens)] for tokens in (reference, hypothesis))
    theirs, ours = _grams(left, len(numbers)), _grams(right, len(numbers))
    for order in range(_MAX_ORDER):
        matched[order] = _shared(next(theirs), next(ours))
        if not matched[order]:
            break  # where no n-gram is shared no longer one is
    return matched, total


def _shared(theirs: Sequence[int], ours: Sequence[int]) -> int:
    """How many n-grams both have, as ``shared`` counts them; few are repeated, so sets mostly do."""
    for one, other in ((theirs, ours), (ours, theirs)):
        if len(kinds := set(one)) == len(one):
            return len(kinds.intersection(other))
    return shared(theirs, ours)


def _grams(words: list[int], base: int) -> Iterator[list[int]]:
    """The n-grams of these numbered words for n = 1, 2 ..., each as one integer: a word is a digit to this base."""
    yield words
    if len(words) < _LONG or base**_MAX_ORDER >= 1 << 63:
        grams = words
        for order in range(1, _MAX_ORDER):
            grams = [gram * base + last for gram, last in zip(grams, words[order:], strict=False)]
            yield grams
        return
    digits = many = np.array(words, dtype=np.int64)
    for order in range(1, _MAX_ORDER):
        many = many[:-1] * base + digits[order:]
        yield many.tolist()


def _brevity_penalty(reference: int, hypothesis: int) -> float:
    return 1.0 if hypothesis >= reference else math.exp(1 - reference / hypothesis)


def _13a(text: str) -> list[str]:
    """Tokens by mteval-v13a's rules for western languages."""
    if "-\n" in text or ("\n" in text and "<skipped>" in text):  # a hyphen that joins two words over a line break
        return _by_rules(text)
    found = text.split()
    if "".join(found).isalnum():
        return found
    for i in [i for i, word in enumerate(found) if not word.isalnum()][::-1]:
        found[i : i + 1] = _PIECES[found[i]]
    return found


def _by_rules(text: str) -> list[str]:
    """The rules themselves: each reads a character and its neighbours, so white space parts what it may touch."""
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in text:
        for entity, character in _ENTITIES:
            text = text.replace(entity, character)
    text = _SYMBOLS.sub(r" \1 ", f" {text} ")
    text = _STOP_AFTER_NON_DIGIT.sub(r"\1 \2 ", text)
    text = _STOP_BEFORE_NON_DIGIT.sub(r" \1 \2", text)
    return _DASH_AFTER_DIGIT.sub(r"\1 \2 ", text).split()


_PIECES = Pieces(_by_rules)


def _sacrebleu(tokenizer: str) -> Callable[[str], list[str]]:
    from sacrebleu.metrics.bleu import _get_tokenizer

    tokenize = _get_tokenizer(tokenizer)()
    return lambda text: tokenize(text.rstrip()).split()


def _or_plain(split: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    return lambda text: split(text) or text.split()
