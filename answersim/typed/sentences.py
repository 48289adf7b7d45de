"""The typed gold answer against the values that are found in a longer prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from answersim.typed.acting_words import CHANGES, FROM_NOW, OPERATIONS
from answersim.typed.comparison import Relation, different, no_opinion
from answersim.typed.date import Date
from answersim.typed.hedge import HEDGE_WORDS, Hedge, ahead, both, trailing
from answersim.typed.money import MONEY_WORDS, Money
from answersim.typed.number import Number
from answersim.typed.number_words import MULTIPLIERS, is_number_word, is_plural_number
from answersim.typed.pairing import compare_pair
from answersim.typed.quantity import Quantity
from answersim.typed.reading import Value, is_when, spans
from answersim.typed.tokens import LONGEST_TEXT, Tokens, fold, tokens
from answersim.typed.units import NONE
from answersim.typed.value_range import Range, Single, hedged

_MOST_VALUES = 50
_ONE = ("one", "a", "ein", "eine", "einer", "eins")
_ARTICLES = ("the", "a", "an", "der", "die", "das", "den", "dem", "first", "ersten")
_PRONOUNS = frozenset(
    "one ones first second a an ein eine einen einer einem may march half halb halbe hälfte quarter viertel "
    "couple".split()
)
_OPENING = frozenset("( [ { \" ' , ; : * _ # ~ ≈ = < > |".split())
_CLOSING = frozenset(". , ; : ! ? ) ] } [ \" ' * _ |".split())
# After one of these words a number is not what is meant, or the number of something else. The last lines are "about",
# "more than" and "almost" in French, Spanish, Italian, Portuguese, Dutch and Polish.
_DOUBT_BEFORE = frozenset(
    "not never than als nor nicht kein keine keinen keiner nie except but without ohne außer versus vs another "
    "additional extra several many few mehrere mehreren einige einigen viele vielen paar twice double half triple "
    "thrice quarter doppelt halb dreimal zweimal times mal plus minus negative every each jede jeder jedes alle "
    "chapter page section volume version table figure line verse act scene route highway interstate channel room "
    "per pro flight article psalm kapitel seite band abschnitt absatz paragraph § artikel vers zimmer raum linie "
    "de di dan que do du environ presque quelque unos unas casi quasi oltre ongeveer bijna onder aproximadamente około "
    "ponad sobre hasta até fino jusqu'à".split()
)
_NEARBY = HEDGE_WORDS | frozenset("twice double triple thrice half doppelt dreifach halb".split())
_DOUBT_AFTER = frozenset("+ / ^ % ‰ - × ÷ hundredfold below unter".split()) | FROM_NOW
# Between a value and a number word that may belong to it: "one point oh five", "ten to the sixth", "nine-one-one".
_JOINTS = frozenset("- over and und a an ein eine oh o nought naught nil point komma zero to the by".split())
_BEFORE, _AFTER = 6, 4  # tokens before and after a value in which an operation may belong to it
# After one of these words a number has no unit that the rules do not know: "It is 7 in total".
_NO_UNITS = frozenset(
    "of in and or at on for to from by with as is was are were be that which who when if but so because than per each "
    "total altogether und oder bei auf für zu von mit als ist war sind waren dass wenn aber weil im am".split()
)


class Found(NamedTuple):
    """A value in a sentence."""

    values: tuple[Single | Range, ...]  # all its readings
    doubtful: bool  # whether the words around it may change it, so that it contradicts nothing: "not 11", "twice 12"
    counts: bool  # whether it may be in a unit that the rules do not know: "3.6 therms"
    changes: bool  # whether the sentence contains a word of change, such as "fell"


def found_values(text: str, lang: str) -> list[tuple[Single | Range, ...]]:
    """Return the values in a text, in order; each with all its readings. Words such as "one" and "first" are skipped.

    >>> [str(values[0]) for values in found_values("It has 11 players, and was founded in May 1904.", "en")]
    ['11', 'May 1904']
    """
    return [found.values for found in _found(text, lang)]


def _found(text: str, lang: str) -> list[Found]:
    toks = tokens(fold(text[:LONGEST_TEXT]))
    found: list[Found] = []
    changes = not CHANGES.isdisjoint(toks.low)
    i = 0
    while i < len(toks.low) and len(found) < _MOST_VALUES:
        longest = _longest(toks, i, lang)
        if longest is None:
            i += 1
            continue
        values, end = longest
        stated, near, after = _hedges(toks.low, i, end)
        when = both(stated, near)
        hedges = [when if near != Hedge() and is_when(value) else stated for value in values]
        kept = tuple(
            value if hedge == Hedge() else hedged(value, hedge) for value, hedge in zip(values, hedges, strict=True)
        )
        found.append(Found(kept, _is_doubtful(toks, i, end, after, lang), _has_word(toks, end), changes))
        i = end
    return found


def _hedges(low: tuple[str, ...], i: int, end: int) -> tuple[Hedge, Hedge, int]:
    """Return what the words next to a value state, what they state of a date only, and the position after them."""
    before = ahead(low, i) or (ahead(low, i - 1) if i and low[i - 1] in _ARTICLES else None)
    stated, near = (before[0], before[0]) if before is not None else (Hedge(), Hedge())
    if before is not None and before[1]:
        stated = Hedge()
    elif before is not None:
        near = Hedge()
    after = trailing(low, end)
    return (stated, near, end) if after is None else (both(stated, after[0]), near, after[1])


def _has_word(toks: Tokens, at: int) -> bool:
    """Return whether a word that may be a unit begins at this position."""
    word = toks.low[at] if at < len(toks.low) else "."
    return word not in _NO_UNITS and word not in _CLOSING


def _is_operand(toks: Tokens, i: int, end: int, lang: str) -> bool:
    """Return whether the value from i to end may be a part of a larger number, or an operand: "the square of 3"."""
    low, n = toks.low, len(toks.low)
    near = (*low[max(i - _BEFORE, 0) : i], *low[end : end + _AFTER])
    if not (OPERATIONS.isdisjoint(near) or (low[i].isdecimal() and len(low[i]) == 4)):  # in power since 1933
        return True
    for at, step in ((i - 1, -1), (end, 1)):
        last = at + 3 * step
        while 0 <= at < n and at != last and low[at] in _JOINTS:
            at += step
        if 0 <= at < n and at != last and (low[at][0].isdecimal() or is_number_word(low[at], lang)):
            return True
        if 0 <= at < n and step == -1 and low[at] in MONEY_WORDS:
            return True  # a dollar fifty, a dollar and a quarter
    if low[end : end + 1] == (",",) and end + 1 < n and low[end + 1].isalpha() and is_number_word(low[end + 1], lang):
        return True  # nine, one, one
    return low[i] == "point" or low[end : end + 2] == ("to", "the") or (end < n and is_plural_number(low[end]))


def _is_doubtful(toks: Tokens, i: int, end: int, after: int, lang: str) -> bool:
    """Return whether the text around the tokens from i to end may change their value.

    ``after``: the position after a hedge behind it.
    """
    low, n = toks.low, len(toks.low)
    if _is_operand(toks, i, end, lang):
        return True
    if i:
        word = low[i - 1]
        if word == "-" or (toks.glued[i] and word not in _OPENING) or word in _DOUBT_BEFORE or word.endswith("n't"):
            return True
        if word in ("in", "of", "von", "aus") and i > 1 and (low[i - 2] in _ONE or low[i - 2][0].isdecimal()):
            return True  # one in five
    if not _NEARBY.isdisjoint(low[max(i - 4, 0) : max(i - 1, 0)]) or not _NEARBY.isdisjoint(low[after + 1 : after + 4]):
        return True
    if any(trailing(low, at) is not None for at in range(end + 1, min(end + 3, n))):
        return True  # 300 people or so
    if after > end or end == n:
        return False
    word = low[end]
    if toks.glued[end] and (word not in _CLOSING or (word in ":.,'" and _goes_on(toks, end))):
        return True
    return word in MULTIPLIERS or word in _DOUBT_AFTER or (len(word) == 1 and word.isalpha() and word not in "ai")


def _goes_on(toks: Tokens, at: int) -> bool:
    """Return whether a letter or digit is glued to the sign at this position: 300:1, 300's."""
    return at + 1 < len(toks.low) and toks.glued[at + 1] and toks.low[at + 1][0].isalnum()


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


def compare_in_sentence(golds: Sequence[Value], pred: str, lang: str, question: str | None = None) -> Relation:
    """Compare a typed gold answer with the values in a sentence.

    The value of the gold answer in a sentence is not a match by itself, because it may have another role: there is no
    opinion. See ``docs/typed.md`` for when a sentence is different. ``question``: the question. Its values are not
    counted as answers.
    """
    kind = golds[0].kind
    if not isinstance(golds[0], (Number, Date)) and not hasattr(golds[0], "number") and not isinstance(golds[0], Range):
        return no_opinion(f"the prediction as a whole is not of the kind {kind}", kind)
    echoed = {value for values in found_values(question, lang) for value in values} if question else set()
    others = 0
    last: Relation | None = None
    for found in _found(pred, lang):
        values = found.values
        if any(value in echoed for value in values):
            continue
        results = _results(golds, values)
        for result in results:
            if result.relation in ("equal", "near"):
                return no_opinion(f"the prediction contains it, maybe in another role: {result.reason}", kind)
        if results and (found.doubtful or _is_part(golds, values)):
            return no_opinion(f"the words around {values[0]} may change it", kind)
        if results and found.counts and _may_lack_unit(golds, values):
            return no_opinion(f"the word after {values[0]} may be a unit", kind)
        if results and all(result.relation == "different" for result in results):
            changed = _changed(values, found.changes)
            if any(result.relation != "different" for result in _results(golds, changed)):
                return no_opinion(f"{values[0]} may be a change", kind)
            others += 1
            last = results[0]
        elif results:
            return no_opinion(results[0].reason, kind)
    if others == 1 and last is not None and _is_safe(golds):
        return different(f"the only {kind} in the prediction contradicts it: {last.reason}", kind)
    return no_opinion(f"the prediction contains {others or 'no'} other values of the kind {kind}", kind)


def agrees_in_sentence(golds: Sequence[Value], pred: str, lang: str) -> bool:
    """Return whether the prediction contains the value of the gold answer, if it is read in this language."""
    return any(
        result.relation in ("equal", "near") for found in _found(pred, lang) for result in _results(golds, found.values)
    )


def _results(golds: Sequence[Value], values: Sequence[Single | Range]) -> list[Relation]:
    """Return how each reading of a value relates to each reading of the gold answer, if they have a relation."""
    return [
        result
        for gold in golds
        for value in values
        if _ordinal(gold) == _ordinal(value) and (result := compare_pair(gold, value)) is not None
    ]


def _changed(values: Sequence[Single | Range], changes: bool) -> list[Single]:
    """Return what a change by this value may mean: its negative, and for a percentage what is left, or the sum.

    A sentence has many ways to state a negative value ("5 in the red"), so that it is always one of the meanings.
    """
    changed: list[Single] = []
    for value in values:
        if isinstance(value, Number):
            changed.append(replace(value, value=-value.value, bare=False))
        elif isinstance(value, (Quantity, Money)):
            number = value.number
            changed.append(replace(value, number=replace(number, value=-number.value)))
            if changes and isinstance(value, Quantity) and value.unit.dimension == NONE:
                whole = 1 / value.unit.factor
                changed += [
                    replace(value, number=replace(number, value=whole + v)) for v in (number.value, -number.value)
                ]
    return changed


def _may_lack_unit(golds: Sequence[Value], values: Sequence[Single | Range]) -> bool:
    """Return whether the gold answer has a unit or currency, and no reading of the value has one."""
    return isinstance(golds[0], (Quantity, Money)) and all(isinstance(value, Number) for value in values)


def _is_part(golds: Sequence[Value], values: Sequence[Value]) -> bool:
    """Return whether the value is a share in words, and the gold answer a count: "a third of the players" and 11."""
    return any(isinstance(value, Number) and 0 < value.value < 1 for value in values) and any(
        isinstance(gold, Number) and gold.value.denominator == 1 for gold in golds
    )


def _ordinal(value: Value) -> bool:
    return isinstance(value, Number) and value.ordinal


def _is_safe(golds: Sequence[Value]) -> bool:
    """Return whether another value in a sentence contradicts: not for ordinals, and what is counted has many names."""
    return not any(isinstance(gold, Number) and (gold.ordinal or gold.noun) for gold in golds)
