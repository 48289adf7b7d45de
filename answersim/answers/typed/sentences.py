"""The typed gold answer against the values that are found in a longer prediction."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from answersim.answers.typed.comparison import Relation, different, no_opinion
from answersim.answers.typed.date import Date
from answersim.answers.typed.localized import localized
from answersim.answers.typed.number import Number
from answersim.answers.typed.quantity import MONEY_WORDS, SHARE, Quantity
from answersim.answers.typed.question import NOTHING, Asked
from answersim.answers.typed.reading import Value, compare_pair, may_begin, spans
from answersim.answers.typed.span import HEDGE_WORDS, Range, Single, ahead, both, hedged, is_when, trailing
from answersim.answers.typed.tokens import LONGEST_TEXT, Tokens, fold
from answersim.answers.typed.vocabulary import listed
from answersim.answers.typed.words import MULTIPLIERS, NUMBER_WORDS, is_plural_number

_MOST_VALUES = 50
_LONGEST_WORKING = 300  # characters of a text whose sign of equality announces the answer
_ONE = ("one", "a", "ein", "eine", "einer", "eins")
_ARTICLES = ("the", "a", "an", "der", "die", "das", "den", "dem", "first", "ersten")
_SINCE = ("since", "seit")  # a point in time that a sentence names
_PRONOUNS = listed("pronoun")
_RISES, _OPERATIONS = listed("rise"), listed("operation")
_NEAR_CHANGE = 4  # words from that of a change to its value
_CHANGES, _PROFITS, _FALLS = listed("change", "rise"), listed("profit"), listed("fall")
_DOWN = _FALLS | (_CHANGES - _RISES)
_OPENING = frozenset("( [ { \" ' , ; : * _ # ~ ≈ = < > |".split())
_CLOSING = frozenset(". , ; : ! ? ) ] } [ \" ' * _ |".split())
_NO_UNITS = listed("no unit") | _CLOSING
# Next to one of these words a number is not what is meant, or the number of something else.
_DOUBT_BEFORE, _DOUBT_AFTER = listed("doubt before"), listed("doubt after", "from now")
_NEARBY = HEDGE_WORDS | frozenset("twice double triple thrice half doppelt dreifach halb".split())
# Between a value and a number word that may belong to it: "one point oh five", "ten to the sixth", "nine-one-one".
_JOINTS = listed("joint")
_PLURALS = listed("irregular plural")
_VERBS, _DENIALS, _DENYING = listed("verb"), listed("denial"), listed("denial", "condition")
_LONGEST_PHRASE = 8  # tokens of a text that may be no sentence
_MOST_WORDS = 3  # of what is counted
_BEFORE, _AFTER = 6, 4  # tokens before and after a value in which an operation may belong to it


class InText(NamedTuple):
    """A value in a text."""

    values: tuple[Single | Range, ...]  # all its readings
    doubtful: bool  # whether the words around it may change it, so that it contradicts nothing: "not 11", "twice 12"
    counts: bool  # whether it may be in a unit that the rules do not know: "3.6 therms"
    # whether it confirms nothing: it is denied, or belongs to something that is named: "no 7", "the six wives of Henry"
    unsure: bool


@lru_cache(maxsize=64)  # of the texts that are compared now, whose rules ask several times
def values_in(text: str, lang: str) -> Sequence[InText]:
    """Return the values in a text, in order, with all readings of each. Words such as "one" and "first" are skipped."""
    toks = localized(fold(text[:LONGEST_TEXT]), lang)
    low = toks.low
    places: list[InText] = []
    i = 0
    while i < len(low) and len(places) < _MOST_VALUES:
        is_part = toks.glued[i] and low[i - 1][0].isalpha()  # a footnote, or a part of a name: "martyr1", "A7"
        candidates = spans(toks, i, lang) if may_begin(toks, i, lang) and not is_part else []
        end = candidates[0][1] if candidates else i
        if end == i or (end == i + 1 and low[i] in _PRONOUNS):
            i += 1
            continue
        stated, when, after = _hedges(low, i, end)
        values = []
        for value in (value for value, last in candidates if last == end):
            hedge = both(stated, when) if when and is_when(value) else stated
            values.append(hedged(value, hedge) if hedge else value)
        counts = end < len(low) and low[end] not in _NO_UNITS
        denied = not (_DENYING.isdisjoint(low[max(i - 4, 0) : i]) and _DENIALS.isdisjoint(low[end : end + 4]))
        unsure = denied or (counts and isinstance(values[0], Number) and _modifies(toks, i, end, values[0], lang))
        places.append(InText(tuple(values), _is_doubtful(toks, i, end, after), counts, unsure))
        i = end
    return tuple(places)


def _hedges(low: tuple[str, ...], i: int, end: int) -> tuple[str, str, int]:
    """Return what the words next to a value state, what they state of a date only, and the position after them."""
    before = ahead(low, i) or (ahead(low, i - 1) if i and low[i - 1] in _ARTICLES else None)
    sign, of_dates = ("", False) if before is None or low[i - 1] in _SINCE else before
    behind, after = trailing(low, end) or ("", end)
    return (behind, sign, after) if of_dates else (both(sign, behind), "", after)


def _modifies(toks: Tokens, i: int, end: int, number: Number, lang: str) -> bool:
    """Return whether a number in a phrase belongs to something that is named, and does not count things."""
    if len(toks.low) > _LONGEST_PHRASE or not _VERBS.isdisjoint(toks.low):
        return False
    if toks.text[end][0].isupper() or (i > 0 and toks.low[i - 1] in _ARTICLES):
        return True
    if lang in ("ru", "zh", "ja"):  # a sentence needs no verb
        return False
    following = toks.low[end : end + _MOST_WORDS]
    return number.value != 1 and not any(word.endswith("s") or word in _PLURALS for word in following)


def _is_operand(toks: Tokens, i: int, end: int) -> bool:
    """Return whether the value from i to end may be a part of a larger number, or an operand: "the square of 3"."""
    low, n = toks.low, len(toks.low)
    near = (*low[max(i - _BEFORE, 0) : i], *low[end : end + _AFTER])
    if not (_OPERATIONS.isdisjoint(near) or (low[i].isdecimal() and len(low[i]) == 4)):  # in power since 1933
        return True
    for at, step in ((i - 1, -1), (end, 1)):
        last = at + 3 * step
        while 0 <= at < n and at != last and low[at] in _JOINTS:
            at += step
        if 0 <= at < n and at != last and (low[at][0].isdecimal() or low[at] in NUMBER_WORDS):
            return True
        if 0 <= at < n and step == -1 and low[at] in MONEY_WORDS:
            return True  # a dollar fifty, a dollar and a quarter
    if low[end : end + 1] == (",",) and end + 1 < n and low[end + 1].isalpha() and low[end + 1] in NUMBER_WORDS:
        return True  # nine, one, one
    return low[i] == "point" or low[end : end + 2] == ("to", "the") or (end < n and is_plural_number(low[end]))


def _is_doubtful(toks: Tokens, i: int, end: int, after: int) -> bool:
    """Return whether the text around tokens i to end, and behind a hedge up to ``after``, may change their value."""
    low, n = toks.low, len(toks.low)
    if _is_operand(toks, i, end):
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
    goes_on = end + 1 < n and toks.glued[end + 1] and low[end + 1][0].isalnum()  # 300:1, 300's
    if toks.glued[end] and (word not in _CLOSING or (word in ":.,'" and goes_on)):
        return True
    return word in MULTIPLIERS or word in _DOUBT_AFTER or (len(word) == 1 and word.isalpha() and word not in "ai")


def compare_in_text(
    golds: Sequence[Value], pred: str, lang: str, question: str = "", asked: Asked = NOTHING
) -> Relation:
    """Compare a typed gold answer with the values in a text.

    If the text has exactly one value of that kind, no words around it may change it, and the question has another one,
    this value is the answer. A text with several values contains it maybe in another role, so that there is no opinion.
    After a sign of equality, only the last value counts: "9 * 2 = $18".
    """
    kind = golds[0].kind
    if not isinstance(golds[0], (Number, Quantity, Date, Range)):
        return no_opinion(f"the prediction as a whole is not of the kind {kind}", kind)
    start = pred.rfind("=") + 1 if len(pred) <= _LONGEST_WORKING else 0
    places = values_in(pred[start:] if any(map(str.isdecimal, pred[start:])) else pred, lang)
    echoed = {value for place in values_in(question, lang) for value in place.values} if question and places else set()
    changes = not _CHANGES.isdisjoint(localized(fold(pred[:LONGEST_TEXT]), lang).low)
    comparable: list[tuple[InText, list[Relation]]] = []
    for place in places:
        if not any(value in echoed for value in place.values) and (results := _results(golds, place.values, asked)):
            comparable.append((place, results))
    agreeing = [result for _, results in comparable for result in results if result.relation in ("equal", "near")]
    sure = len(comparable) == 1 and not (comparable[0][0].doubtful or comparable[0][0].unsure)
    # A word of change may give the gold answer another sign: a percentage, or a number below 0.
    is_negative = any(gold.number.value < 0 for gold in golds if isinstance(gold, (Number, Quantity)))
    if agreeing and sure and not (changes and is_negative):
        nearest = min(agreeing, key=lambda result: result.relation != "equal")
        if nearest.rule not in ("period", "hedge"):
            return nearest
    if agreeing:
        return no_opinion(f"the prediction contains it, maybe in another role: {agreeing[0].reason}", kind)
    for place, results in comparable:
        if place.doubtful:
            return no_opinion(f"the words around {place.values[0]} may change it", kind)
        if any(result.relation == "none" for result in results):
            return no_opinion(results[0].reason, kind, rule=results[0].rule)
        changed = _results(golds, _changed(place.values, changes), asked)
        if any(result.relation != "different" and result.rule != "dimension" for result in changed):
            return no_opinion(f"{place.values[0]} may be a change", kind)
        has_unit = any(isinstance(value, (Quantity, Range)) for value in place.values)
        if isinstance(golds[0], Quantity) and not has_unit and place.counts:
            return no_opinion(f"the unit of {place.values[0]} is unknown", kind)
        if _is_year(place.values) and not _is_year(golds):
            return no_opinion(f"{place.values[0]} may be a year", kind)
        is_share = any(isinstance(value, Number) and 0 < value.value < 1 for value in place.values)
        if is_share and any(isinstance(gold, Number) and gold.value.denominator == 1 for gold in golds):
            return no_opinion(f"{place.values[0]} may be a share of something", kind)
    # Another value contradicts no ordinal, and what is counted has many names.
    is_safe = not any(isinstance(gold, Number) and (gold.ordinal or gold.noun) for gold in golds)
    if len(comparable) == 1 and is_safe:
        return different(f"the only {kind} in the prediction contradicts it: {comparable[0][1][0].reason}", kind)
    return no_opinion(f"the prediction contains {len(comparable) or 'no'} other values of the kind {kind}", kind)


def rises_against(values: Sequence[Value], text: str, lang: str) -> bool:
    """Return whether a value is below 0, and the text states an increase by the same amount: "-3 %" and "up 3 %"."""
    lower = [
        value.with_number(value=-value.number.value, bare=False)
        for value in values
        if isinstance(value, (Number, Quantity)) and value.number.value < 0
    ]
    words = set(localized(fold(text[:LONGEST_TEXT]), lang).low) if lower else set()
    return not _RISES.isdisjoint(words) and words & _CHANGES <= _RISES and agrees_in_text(lower, text, lang)


def contrary_change(gold: str, pred: str, question: str, lang: str) -> str:
    """Return why one of two equal amounts is a fall or a loss, and the other one is not; "" if nothing says so."""
    asked, wanted, given = (localized(fold(text[:LONGEST_TEXT]), lang).low for text in (question, gold, pred))
    rises, falls = (
        [not kind.isdisjoint(side) for side in ((*asked, *wanted), given)] for kind in (_RISES | _PROFITS, _FALLS)
    )
    if rises == falls[::-1] and rises[0] != rises[1]:
        return "one of them is an increase, and the other one a decrease"
    if any(_falls_by(one) and _DOWN.isdisjoint((*asked, *other)) for one, other in ((given, wanted), (wanted, given))):
        return "only one of them is a decrease or a loss"
    return ""


def _falls_by(words: Sequence[str]) -> bool:
    """Return whether a number follows a word of a fall or a loss: "a net loss of $4", but not "fell to 4 %"."""
    ends = (words[i + 1 : i + 1 + _NEAR_CHANGE] for i, word in enumerate(words) if word in _FALLS)
    return any("to" not in end and any(word[0].isdecimal() for word in end) for end in ends)


def agrees_in_text(golds: Sequence[Value], pred: str, lang: str) -> bool:
    """Return whether the prediction contains the value of the gold answer, if it is read in this language."""
    results = (result for place in values_in(pred, lang) for result in _results(golds, place.values, NOTHING))
    return any(result.relation in ("equal", "near") for result in results)


def _results(golds: Sequence[Value], values: Sequence[Single | Range], asked: Asked) -> list[Relation]:
    """Return how each reading of a value relates to each reading of the gold answer, if they have a relation."""
    return [
        result
        for gold in golds
        for value in values
        if _ordinal(gold) == _ordinal(value) and (result := compare_pair(gold, value, asked)) is not None
    ]


def _changed(values: Sequence[Single | Range], changes: bool) -> list[Single | Range]:
    """Return what a change by this value may mean: its negative, always; of a percentage, what is left, or the sum."""
    changed: list[Single | Range] = []
    for value in values:
        if isinstance(value, (Number, Quantity)):
            changed.append(value.with_number(value=-value.number.value, bare=False))
        if isinstance(value, Quantity) and changes and value.unit.dimension == SHARE:
            sums = (1 / value.unit.factor + sign * value.number.value for sign in (1, -1))
            changed += [value.with_number(value=total) for total in sums]
    return changed


def _is_year(values: Sequence[Value]) -> bool:
    """Return whether a value is a year, or a number that may be one."""
    return any(isinstance(value, Date) or (isinstance(value, Number) and value.year_like) for value in values)


def _ordinal(value: Value) -> bool:
    return isinstance(value, Number) and value.ordinal
