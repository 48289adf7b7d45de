"""An answer -> its readings as typed values: the grammars of all kinds, tried at the tokens where one can begin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import factorial
from typing import TypeAlias

from answersim.typed.acting_words import CHANGES, FROM_NOW, OPERATIONS
from answersim.typed.answer_words import LONGEST, NoAnswer, YesNo, read_answer_words
from answersim.typed.choice import Choice, read_choice
from answersim.typed.clock import CLOCK_WORDS, Time, scan_time
from answersim.typed.date import Date
from answersim.typed.date_grammar import DECADE_WORDS, MONTH_WORDS, SEASON_WORDS, WEEKDAY_WORDS, scan_date
from answersim.typed.hedge import Hedge, both, leading, trailing
from answersim.typed.items import Items, read_items
from answersim.typed.math.formula import Formula, is_mathematical, read_formula
from answersim.typed.math.notation import has_latex
from answersim.typed.money import Money, scan_money
from answersim.typed.number import Number, is_code, plain, scan_number
from answersim.typed.number_words import MULTIPLIERS, NUMBER_WORDS, is_number_word, is_plural_number, is_point
from answersim.typed.numbered_name import NumberedName, read_numbered_name, roman_value
from answersim.typed.person import Person, read_person
from answersim.typed.quantity import Quantity, scan_quantity
from answersim.typed.tokens import LONGEST_ANSWER, Tokens, fold, tokens
from answersim.typed.units import scan_unit
from answersim.typed.value_range import CONNECTORS, Range, Single, hedged, joined

Value: TypeAlias = (
    "Number | Quantity | Money | Date | Time | Range | Items | Person | NumberedName | YesNo | NoAnswer | Choice | "
    "Formula"
)

LANGUAGES = ("en", "de")
_OPENINGS = ("yes", "no", "ja", "nein", "true", "false")
_AROUND_NAMES = " \t\r\n,;:!?\"'*_"
_ENDS = " \t\r\n.,;:!?\"'*_"
_LEADS = {
    "en": frozenset(
        "in on at the by from since during year years circa no number nos between it's it its is was a of".split()
    ),
    "de": frozenset("im in am um der die das den dem vom seit jahr jahre ab nummer nr zwischen es ist war ca".split()),
}
_ACTING = frozenset(word for word in CHANGES | OPERATIONS | FROM_NOW if not word.endswith("s") or word == "less")
_NO_NOUNS = MULTIPLIERS | _ACTING
_NO_NOUNS |= frozenset(
    "and or to not than but out more less und oder bis nicht als aber mehr weniger per pro of von by x in".split()
)
_RATIO = {("in",): 1, ("out", "of"): 2, ("von",): 1, ("of",): 1, ("aus",): 1}
_MOST_NOUNS = 3
_LARGEST_TOTAL = 1000
_LARGEST_FACTORIAL = 20
_OPENERS = frozenset("a an ein eine einer einem einen the die den der us ad usd eur gbp minus negative".split())
_COUNTING = ("a", "an", "ein", "eine", "einer", "einem")
_BEGINNINGS = {
    lang: MONTH_WORDS[lang] | WEEKDAY_WORDS[lang] | CLOCK_WORDS | SEASON_WORDS | NUMBER_WORDS for lang in LANGUAGES
}
_BEGINNINGS["de"] |= DECADE_WORDS["de"]
_AFTER_OPENERS = {
    lang: SEASON_WORDS
    | NUMBER_WORDS
    | DECADE_WORDS[lang]
    | frozenset("million billion $ ' halbe halben milliarde viertelstunde dreiviertelstunde baker's".split())
    for lang in LANGUAGES
}
_STARTS = frozenset("$€£¥₹₽₩₪฿.+-'")
_SIGNS = frozenset(".+-'")  # a value begins with one of them only if a digit follows


def scan(toks: Tokens, i: int, lang: str) -> list[tuple[Single, int]]:
    """Return every value that may begin at token i, with the position after it; the longest come first."""
    if not may_begin(toks, i, lang):
        return []
    found: list[tuple[Single, int]] = []
    for grammar in (scan_money, scan_date, scan_time, scan_quantity, scan_number):
        result = grammar(toks, i, lang)
        if result is not None:
            found.append(result)
    return sorted(found, key=lambda entry: -entry[1])


def may_begin(toks: Tokens, i: int, lang: str) -> bool:
    """Return whether a value can begin with this token. It is fast, and most words are refused."""
    word = toks.low[i]
    if word[0].isdecimal():
        return True
    if word in _STARTS:
        following = toks.low[i + 1] if i + 1 < len(toks.low) else " "
        return following[0].isdecimal() or (word not in _SIGNS and (following in _SIGNS or following[0].isalpha()))
    if word == "point":
        return is_point(toks.low, i)
    if word in _BEGINNINGS[lang] or (lang == "de" and is_number_word(word, lang)):
        return True
    if i + 1 < len(toks.low) and word in _OPENERS:
        following = toks.low[i + 1]
        return (
            following[0].isdecimal()
            or following in _AFTER_OPENERS[lang]
            or (lang == "de" and is_number_word(following, lang))
            or (i + 2 < len(toks.low) and toks.low[i + 2] in ("and", "und") and word in _COUNTING)
        )
    return False


def spans(toks: Tokens, i: int, lang: str) -> list[tuple[Single | Range, int]]:
    """Return every value or range of values that may begin at token i, with the position after it."""
    singles = scan(toks, i, lang)
    found: list[tuple[Single | Range, int]] = list(singles)
    n = len(toks.low)
    for low, end in singles:
        connected = end + 1 < n and toks.low[end] in CONNECTORS
        if connected and (toks.low[end] != "and" or (i and toks.low[i - 1] == "between")):
            for high, last in scan(toks, end + 1, lang):
                span = joined(low, high)
                if span is not None:
                    found.append((span, last))
    return sorted(found, key=lambda entry: -entry[1])


def readings(text: str, lang: str) -> tuple[Value, ...]:
    """Return what an answer may mean as a typed value, the likeliest first; () if it is none.

    ``text``: the answer. One of more than 200 characters (a formula: 1,000) is not a typed value.
    """
    if len(text) <= LONGEST_ANSWER:
        return _readings(text, lang)
    formula = read_formula(text) if has_latex(text) or is_mathematical(text) else None
    return () if formula is None else (formula,)


def forget() -> None:
    """Forget the readings that are kept in memory, so that they are computed again."""
    _readings.cache_clear()
    read_formula.cache_clear()


@lru_cache(maxsize=1 << 13)
def _readings(text: str, lang: str) -> tuple[Value, ...]:
    """Return a formula if the text has LaTeX. Else a formula comes after all values but lists and names."""
    found = () if (latex := has_latex(text)) else _plain_readings(text, lang)
    if (not found or isinstance(found[0], (Items, Person))) and (latex or is_mathematical(text)):
        formula = read_formula(text)
        if formula is not None:
            return (formula,)
    return _plain_readings(text, lang) if latex else found


def _plain_readings(text: str, lang: str) -> tuple[Value, ...]:
    folded = fold(text).strip()
    low = folded.strip(_ENDS).casefold()
    if folded and not low:
        return ()  # punctuation only
    if len(low) <= LONGEST or low.startswith(_OPENINGS):
        word = read_answer_words(low, lang)
        if word is not None:
            return (word,)
    if len(folded) > 2 * LONGEST_ANSWER:  # one character may fold into several
        return ()
    if folded.endswith(")") and (before_bracket := _with_bracket(folded, lang)) is not None:
        return before_bracket
    whole = tokens(folded)
    trimmed = _trimmed(whole)
    found = _distinct(_values(trimmed, lang))
    if len(whole.low) == 2 and whole.low[1] == "!" and (factor := _factorial(found)) is not None:
        return (*found, factor)
    if lang == "de" and whole.low[1:] == (".",) and found and isinstance(found[0], Number):
        # "53." is the number 53 at the end of a sentence, or the 53rd
        return (*found, replace(found[0], step=Fraction(1), ordinal=True, bare=False))
    if found and not _is_counted(found[0]):
        return found
    named = read_numbered_name(trimmed, lang)
    if found or named is not None:
        return found if named is None else (*found, named)
    person = read_person(folded.strip(_AROUND_NAMES))
    if person is not None:
        return (person,)
    if (option := read_choice(text)) is not None:
        return (option,)
    items = read_items(text, lang, lambda item: _plain_number(item, lang))
    return () if items is None else (items,)


def _distinct(values: Iterator[Value]) -> tuple[Value, ...]:
    """Return each value once. A number with a noun is left out if the noun can be read as a unit or a month."""
    found = tuple(dict.fromkeys(values))
    certain = tuple(value for value in found if not _is_counted(value))
    return certain or found


def _is_counted(value: Value) -> bool:
    return isinstance(value, Number) and bool(value.noun)


def _values(toks: Tokens, lang: str) -> Iterator[Value]:
    """Yield the values that use all of these tokens, after words that add nothing ("in", "about")."""
    n = len(toks.low)
    i, hedge, when = 0, Hedge(), Hedge()  # "when" applies to dates and times
    while i < n:
        word = toks.low[i]
        if i and toks.glued[i] and toks.low[i - 1].isalpha() and word != ".":
            return  # A1
        for value, end in spans(toks, i, lang):
            if i and toks.low[i - 1] == "a" and isinstance(value, Number) and value.ordinal:
                continue  # a third
            stated = both(hedge, when) if when != Hedge() and is_when(value) else hedge
            if end == n:
                yield value if stated == Hedge() else hedged(value, stated)
            elif (after := trailing(toks.low, end)) is not None and after[1] == n:
                yield hedged(value, both(stated, after[0]))
            elif isinstance(value, Number) and not value.noun:
                unit = None if value.ordinal else scan_unit(toks, end)  # 7 km away
                if unit is None and (noun := _noun(toks, end, lang)):
                    yield replace(value, noun=noun, about=stated.about, bound=stated.bound)
                elif (share := _ratio(toks, value, end, lang)) is not None:
                    yield replace(share, about=stated.about, bound=stated.bound)
        if i == n - 1 and (roman := _roman(toks.text[i])) is not None:
            yield Number(Fraction(roman))
        if (phrase := leading(toks.low, i)) is not None:
            i = phrase[2]
            hedge, when = (hedge, phrase[0]) if phrase[1] else (both(hedge, phrase[0]), when)
            continue
        if not (word in _LEADS[lang] or word == "#" or (word == "." and i)):
            return
        i += 1


def _factorial(values: tuple[Value, ...]) -> Number | None:
    """Return what "5!" means in arithmetic."""
    number = values[0] if values else None
    if not isinstance(number, Number) or number.value.denominator > 1 or not 2 < number.value <= _LARGEST_FACTORIAL:
        return None
    return Number(Fraction(factorial(int(number.value))))


def is_when(value: Single | Range) -> bool:
    """Return whether "before" and "by" can state something about the value: a date, a year or a time of day."""
    return isinstance(value, (Date, Time)) or (isinstance(value, Number) and value.year_like)


def _ratio(toks: Tokens, number: Number, end: int, lang: str) -> Number | None:
    """Read what may follow the number in "one in five", "3 out of 4", "zwei von drei", to the end of the answer."""
    for words, length in _RATIO.items():
        at = end + length
        if toks.low[end:at] == words and at < len(toks.low):
            total = scan_number(toks, at, lang)
            if total is None or total[1] != len(toks.low) or total[0].ordinal or number.ordinal:
                return None
            value = total[0].value
            if value.denominator == number.value.denominator == 1 and 0 < number.value < value <= _LARGEST_TOTAL:
                share = number.value / value
                return Number(share, share / 1000)
    return None


def _roman(word: str) -> int | None:
    """Return the value of a Roman numeral that is hardly an abbreviation: I, V and X only, or four letters and more."""
    if word in ("XX", "XXX"):
        return None
    return roman_value(word) if len(word) > 3 or (len(word) > 1 and set(word) <= set("IVX")) else None


def _noun(toks: Tokens, start: int, lang: str) -> str:
    """Return what is counted: one to three words after a number; "" if something else follows."""
    words = toks.text[start:]
    if not 0 < len(words) <= _MOST_NOUNS or toks.glued[start] or any(not word.isalpha() for word in words):
        return ""
    if any(word in _NO_NOUNS for word in toks.low[start:]) or (lang == "en" and any(not w.islower() for w in words)):
        return ""
    low = toks.low[start:]
    if len(low[-1]) == 1 or low[-1].endswith(("million", "millionen", "milliarde", "milliarden")):
        return ""  # 5 k; eine Viertelmillion
    if any(is_number_word(word, lang) or is_plural_number(word) for word in low):
        return ""
    last = low[-1]
    return " ".join((*low[:-1], last[:-1] if last.endswith("s") and len(last) > 3 and lang == "en" else last))


def _trimmed(toks: Tokens) -> Tokens:
    """Return the tokens without quotation marks at both ends and punctuation at the end."""
    start, end = 0, len(toks.low)
    inches = toks.text[:1] != ('"',) and toks.text.count('"') == 1  # 5'11"
    while end > start and toks.text[end - 1] in '.,;:!?"*_':
        if inches and toks.text[end - 1] == '"' and toks.text[end - 2].isdecimal():
            break
        end -= 1
    while start < end and toks.text[start] in "\"'*_,;:!?":
        if toks.text[start] == "'" and end == start + 2 and toks.glued[end - 1] and len(toks.text[end - 1]) == 2:
            break  # '69
        start += 1
    return toks.part(start, end)


def _with_bracket(folded: str, lang: str) -> tuple[Value, ...] | None:
    """Return the readings before a bracket at the end ("100 °C (212 °F)"), if the bracket is a typed value too."""
    head, _, inside = folded[:-1].rpartition("(")
    if not head.strip() or not inside.strip() or "(" in head:
        return None
    before = _plain_readings(head.strip(), lang)
    if before and not isinstance(before[0], (Items, Person)) and _plain_readings(inside.strip(), lang):
        return before
    return None


def _plain_number(item: str, lang: str) -> str | None:
    """Return an item of a list as a plain number, or None if it is not a number alone."""
    toks = tokens(item)
    if not toks.low or not may_begin(toks, 0, lang):
        return None
    result = scan_number(toks, 0, lang)
    if result is None or result[1] != len(toks.low) or is_code(result[0].digits) or result[0].reducible:
        return None
    return plain(result[0].value) + ("." if result[0].ordinal else "")
