"""The typed gold answer against the values that are found in a longer prediction."""

from __future__ import annotations

from collections.abc import Sequence

from answersim.typed.comparison import Comparison, different, no_opinion
from answersim.typed.date import Date
from answersim.typed.number import Number
from answersim.typed.pairing import compare_pair
from answersim.typed.reading import Value, spans
from answersim.typed.tokens import LONGEST_TEXT, Tokens, fold, tokens
from answersim.typed.value_range import Range, Single

_MOST_VALUES = 50
_PRONOUNS = frozenset("one ones first second a an ein eine einen einer einem may march".split())


def found_values(text: str, lang: str) -> list[tuple[Single | Range, ...]]:
    """Return the values in a text, in order; each with all its readings. Words such as "one" and "first" are skipped.

    >>> [str(values[0]) for values in found_values("It has 11 players, and was founded in May 1904.", "en")]
    ['11', 'May 1904']
    """
    toks = tokens(fold(text[:LONGEST_TEXT]))
    found: list[tuple[Single | Range, ...]] = []
    i = 0
    while i < len(toks.low) and len(found) < _MOST_VALUES:
        longest = _longest(toks, i, lang)
        if longest is None:
            i += 1
            continue
        values, i = longest
        found.append(values)
    return found


def _longest(toks: Tokens, i: int, lang: str) -> tuple[tuple[Single | Range, ...], int] | None:
    if toks.glued[i] and toks.low[i - 1][0].isalpha():
        return None  # a footnote, or a part of a name: "martyr1", "A7"
    candidates = spans(toks, i, lang)
    if not candidates:
        return None
    end = candidates[0][1]
    if end == i + 1 and toks.low[i] in _PRONOUNS:
        return None
    return tuple(value for value, last in candidates if last == end), end


def compare_in_sentence(golds: Sequence[Value], pred: str, lang: str, question: str | None = None) -> Comparison:
    """Compare a typed gold answer with the values in a sentence.

    The value of the gold answer in a sentence is no match by itself, because it may have another role: there is no
    opinion. See ``docs/typed.md`` for when a sentence is different.

    Args:
        golds: The readings of the gold answer.
        pred: The prediction.
        lang: "en" or "de".
        question: The question. Its values are not counted as answers.
    """
    kind = golds[0].kind
    if not isinstance(golds[0], (Number, Date)) and not hasattr(golds[0], "number") and not isinstance(golds[0], Range):
        return no_opinion(f"the prediction is no {kind} by itself", kind)
    echoed = {value for values in found_values(question, lang) for value in values} if question else set()
    others = 0
    last: Comparison | None = None
    for values in found_values(pred, lang):
        if any(value in echoed for value in values):
            continue
        results = [
            result
            for gold in golds
            for value in values
            if _ordinal(gold) == _ordinal(value) and (result := compare_pair(gold, value)) is not None
        ]
        for result in results:
            if result.relation in ("equal", "compatible"):
                return no_opinion(f"the prediction contains it, maybe in another role: {result.reason}", kind)
        if results and all(result.relation == "different" for result in results):
            others += 1
            last = results[0]
        elif results:
            return no_opinion(results[0].reason, kind)
    if others == 1 and last is not None and _is_safe(golds):
        return different(f"the only {kind} in the prediction contradicts it: {last.reason}", kind)
    return no_opinion(f"the prediction contains {others or 'no'} other values of the kind {kind}", kind)


def _ordinal(value: Value) -> bool:
    return isinstance(value, Number) and value.ordinal


def _is_safe(golds: Sequence[Value]) -> bool:
    """Return whether another value in a sentence contradicts: not for ordinals, and what is counted has many names."""
    return not any(isinstance(gold, Number) and (gold.ordinal or gold.noun) for gold in golds)
