"""BLEU of one answer: n-gram precision and a brevity penalty; smoothed for people, unsmoothed as in the SAS paper."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

from answersim.text import Words, language

_MAX_ORDER = 4
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
    orders = sum(count > 0 for count in total)
    smoothing, log_precision = 1.0, 0.0
    for hits, count in zip(matched[:orders], total[:orders], strict=True):
        if not hits:
            smoothing *= 2
        log_precision += math.log(hits / count if hits else 1 / (smoothing * count))
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
    log_precision = math.fsum(math.log(hits / count) for hits, count in zip(matched, total, strict=True))
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
    matched, total = [], []
    for order in range(1, _MAX_ORDER + 1):
        theirs = _ngrams(reference, order)
        ours = _ngrams(hypothesis, order)
        matched.append(sum(min(count, theirs[gram]) for gram, count in ours.items() if gram in theirs))
        total.append(max(len(hypothesis) - order + 1, 0))
    return matched, total


def _ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[i:] for i in range(order)), strict=False))


def _brevity_penalty(reference: int, hypothesis: int) -> float:
    return 1.0 if hypothesis >= reference else math.exp(1 - reference / hypothesis)


def _13a(text: str) -> list[str]:
    """Tokens by mteval-v13a's rules for western languages."""
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in text:
        for entity, character in _ENTITIES:
            text = text.replace(entity, character)
    text = _SYMBOLS.sub(r" \1 ", f" {text} ")
    text = _STOP_AFTER_NON_DIGIT.sub(r"\1 \2 ", text)
    text = _STOP_BEFORE_NON_DIGIT.sub(r" \1 \2", text)
    return _DASH_AFTER_DIGIT.sub(r"\1 \2 ", text).split()


def _sacrebleu(tokenizer: str) -> Callable[[str], list[str]]:
    from sacrebleu.metrics.bleu import _get_tokenizer

    tokenize = _get_tokenizer(tokenizer)()
    return lambda text: tokenize(text.rstrip()).split()


def _or_plain(split: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    return lambda text: split(text) or text.split()
