"""An answer -> its readings as typed values, and how two readings compare: the one table of all kinds.

The grammars are tried at the tokens where one can begin.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import factorial
from typing import Any, TypeAlias

from answersim.answers.extraction.abstention import surely_refuses
from answersim.answers.typed import span
from answersim.answers.typed.answer_words import NoAnswer, YesNo, compare_yes_no, read_yes_no
from answersim.answers.typed.choice import Choice, compare_choices, read_choice
from answersim.answers.typed.comparison import Relation, different, equal, no_opinion
from answersim.answers.typed.date_grammar import DATE_WORDS, PARTS, scan_date
from answersim.answers.typed.items import Items, compare_items, read_items
from answersim.answers.typed.localized import MARK, localized
from answersim.answers.typed.math.formula import Formula, compare_formulas, is_mathematical, read_formula
from answersim.answers.typed.math.notation import has_latex
from answersim.answers.typed.number import Number, is_code, plain, scan_number
from answersim.answers.typed.numbered_name import NumberedName, compare_numbered_names, read_numbered_name
from answersim.answers.typed.numerals import roman_value
from answersim.answers.typed.person import Person, compare_people, person_name, read_person
from answersim.answers.typed.quantity import (
    PREFIX_STARTS,
    Amount,
    Quantity,
    as_money,
    read_frequency,
    scan_quantity,
    scan_unit,
)
from answersim.answers.typed.question import NOTHING, Asked
from answersim.answers.typed.span import Range, Single
from answersim.answers.typed.tokens import LONGEST_ANSWER, Tokens, fold
from answersim.answers.typed.vocabulary import listed, meanings
from answersim.answers.typed.words import ARTICLES, MULTIPLIERS, NUMBER_WORDS, SCALES, is_plural_number, is_point

REVISION = 17  # of the rules: increase it when a verdict changes; it is signed
Value: TypeAlias = "Single | Range | Items | Person | NumberedName | YesNo | NoAnswer | Choice | Formula"
_COMPARE: dict[type, Callable[[Any, Any], Relation | None]] = {
    Person: compare_people,
    NumberedName: compare_numbered_names,
    YesNo: compare_yes_no,
    Choice: compare_choices,
    Formula: compare_formulas,
}
_AROUND_NAMES = " \t\r\n,;:!?\"'*_"
_ENDS = " \t\r\n.,;:!?\"'*_"
_LEADS = frozenset(meanings("lead", "en"))  # words that add nothing: in, on, about
_NO_NOUNS = MULTIPLIERS | listed("no noun", "verb")
_NO_NOUNS |= {word for word in listed("change", "operation", "from now") if not word.endswith("s") or word == "less"}
_DIGITS = re.compile(r"(?!\d{1,3}(?:,\d{3})+\Z)-?\d{1,3}(?:,-?\d{1,3})+")
_ROMAN = re.compile(r"(?!XXX?\Z)(?:[IVX]{2,}|[A-Z]{4,})")  # hardly an abbreviation
_NUMBERED = ("no", "nos", "nr")
_PLURALS = listed("irregular plural")
_RATIOS = tuple(tuple(phrase.split()) for phrase in sorted(listed("ratio"), key=len, reverse=True))
_SCALE_WORDS = tuple(word for word in SCALES if len(word) > 5)
_MOST_NOUNS = 3
_LARGEST_TOTAL = 1000
_YEAR = 4  # digits
_LARGEST_FACTORIAL = 20
_LONGEST_REFUSAL = 60  # characters
_OPENERS = (
    ARTICLES | PREFIX_STARTS | {"the", "die", "den", "der", "us", "ad", "anno", "minus", "negative"} | frozenset(PARTS)
)
_BEGINNINGS = DATE_WORDS | span.CLOCK_WORDS | NUMBER_WORDS
_AFTER_OPENERS = frozenset(
    "million billion hundred $ ' - half halbe halben milliarde viertelstunde dreiviertelstunde quarter".split()
)
_STARTS = frozenset("$€£¥₹₽₩₪฿.+-'")
_SIGNS = frozenset(".+-'")  # a value begins with one of them only if a digit follows


def compare_pair(gold: Value, pred: Value, asked: Asked = NOTHING) -> Relation | None:
    """Compare two readings; None if their kinds have nothing in common."""
    if isinstance(gold, NoAnswer) or isinstance(pred, NoAnswer):
        same = gold == pred
        return equal("both give no answer", "no answer") if same else different(f"{pred} is not {gold}", "no answer")
    if isinstance(gold, span.KINDS) and isinstance(pred, span.KINDS):
        return span.compare_spans(gold, pred, asked)
    if isinstance(gold, Items) and isinstance(pred, Items):
        return compare_items(gold, pred, asked)
    return _COMPARE[type(gold)](gold, pred) if type(gold) is type(pred) else None


def best(golds: Sequence[Value], preds: Sequence[Value], asked: Asked = NOTHING) -> Relation:
    """Return the most favorable comparison of all readings."""
    results = [result for gold in golds for pred in preds if (result := compare_pair(gold, pred, asked)) is not None]
    # "16 pounds" is a mass or an amount of money, and only one of them is of the kind of the other answer.
    results = [result for result in results if result.rule != "dimension"] or results
    for relation in ("equal", "near", "none", "different"):
        for result in results:
            if result.relation == relation:
                return result
    kind = golds[0].kind if golds else ""
    if golds and preds and preds[0].kind == kind:
        return no_opinion(f"two values of the kind {kind} that share nothing", kind)
    return no_opinion(f"a {kind} and {'a ' + preds[0].kind if preds else 'another text'}", kind)


def scan(toks: Tokens, i: int, lang: str) -> list[tuple[Single, int]]:
    """Return every value that may begin at token i, with the position after it; the longest come first."""
    if not may_begin(toks, i, lang):
        return []
    results: list[tuple[Single, int]] = []
    # Digits at the end are a number alone, unless they may be a year.
    is_last = i + 1 == len(toks.low) and toks.low[i].isdecimal() and len(toks.low[i]) != _YEAR
    for grammar in (scan_number,) if is_last else (scan_quantity, scan_date, span.scan_time, scan_number):
        if (result := grammar(toks, i, lang)) is not None:
            results.append(result)
            if isinstance(result[0], Quantity) and (sterling := as_money(result[0])) is not None:
                results.append((sterling, result[1]))
    return sorted(results, key=lambda entry: -entry[1]) if len(results) > 1 else results


def may_begin(toks: Tokens, i: int, lang: str) -> bool:
    """Return whether a value can begin with this token. It is fast, and most words are refused."""
    word = toks.low[i]
    if word[0].isdecimal():
        return True
    following = toks.low[i + 1] if i + 1 < len(toks.low) else " "
    if word in _STARTS:
        if word == "-" and following in _STARTS - _SIGNS:
            return True  # -$5
        return following[0].isdecimal() or (word not in _SIGNS and (following in _SIGNS or following[0].isalpha()))
    if word == "point":
        return is_point(toks.low, i)
    if word in _BEGINNINGS:
        return True
    if following == " " or word not in _OPENERS:
        return False
    return (
        following[0].isdecimal()
        or following in _AFTER_OPENERS
        or following in _BEGINNINGS
        or (toks.low[i + 2 : i + 3] == ("and",) and word in ARTICLES)
    )


def spans(toks: Tokens, i: int, lang: str) -> list[tuple[Single | Range, int]]:
    """Return every value or range of values that may begin at token i, with the position after it."""
    if not (singles := scan(toks, i, lang)):
        return []
    results: list[tuple[Single | Range, int]] = list(singles)
    for low, end in singles:
        word, at = toks.low[end] if end + 1 < len(toks.low) else "", end + 1
        if word in span.CONNECTORS and (word != "and" or (i and toks.low[i - 1] == "between")):
            highs = ((span.joined(low, high), last) for high, last in scan(toks, at, lang))
            results += ((values, last) for values, last in highs if values is not None)
        elif word == "±" or toks.low[end : end + 3] == ("plus", "or", "minus"):
            at += 2 * (word != "±")
            results += _around(low, scan(toks, at, lang)) if at < len(toks.low) else ()
    return sorted(results, key=lambda entry: -entry[1])


def _around(middle: Single, spreads: list[tuple[Single, int]]) -> Iterator[tuple[Range, int]]:
    """Yield "86 ± 5" and "86 ± 5 kg" as ranges."""
    for spread, end in spreads:
        if isinstance(spread, Quantity) and isinstance(middle, Number):
            middle = Quantity(middle, spread.unit)
        if type(middle) is type(spread) and isinstance(middle, Amount) and isinstance(spread, Amount):
            value, size = middle.number.value, spread.number.value
            low, high = (middle.with_number(value=value + sign * size, bare=False, digits="") for sign in (-1, 1))
            yield Range(low, high), end


@lru_cache(maxsize=256)  # of the answers that are compared now, whose rules ask several times
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
    for cached in (readings, _readings, read_formula, read_choice, read_person, person_name):
        cached.cache_clear()


@lru_cache(maxsize=1 << 13)
def _readings(text: str, lang: str) -> tuple[Value, ...]:
    """Return a formula if the text has LaTeX. Else a formula comes after all values but lists and names."""
    latex = has_latex(text)
    values = () if latex else _plain_readings(text, lang)
    if (not values or isinstance(values[0], (Items, Person))) and (latex or is_mathematical(text)):
        formula = read_formula(text)
        if formula is not None:
            return (formula,)
    return _plain_readings(text, lang) if latex else values


def _plain_readings(text: str, lang: str) -> tuple[Value, ...]:
    folded = fold(text).strip()
    low = folded.strip(_ENDS).casefold()
    if not low:
        return () if folded else (NoAnswer(),)  # punctuation only
    if (word := read_yes_no(low, lang)) is not None:
        return (word,)
    if len(folded) > 2 * LONGEST_ANSWER:  # one character may fold into several
        return ()
    if lang == "en" and (frequency := read_frequency(low)) is not None:
        return (frequency,)
    if folded.endswith(")") and (before_bracket := _with_bracket(folded, lang)) is not None:
        return before_bracket
    whole = localized(folded, lang)
    trimmed = _trimmed(whole)
    values = tuple(_values(trimmed, lang))
    values = tuple(dict.fromkeys(values)) if len(values) > 1 else values
    # A number with a noun is left out if the noun can be read as a unit or a month.
    certain = tuple(value for value in values if not (isinstance(value, Number) and value.noun))
    values = certain or values
    if whole.low[1:] == ("!",) and whole.glued[1] and values and isinstance(values[0], Number):
        n = values[0].value
        return (Number(Fraction(factorial(int(n)))),) if n.denominator == 1 and 2 < n <= _LARGEST_FACTORIAL else ()
    if lang == "de" and whole.low[1:] == (".",) and values and isinstance(values[0], Number):
        # "53." is the number 53 at the end of a sentence, or the 53rd
        return (*values, replace(values[0], step=Fraction(1), ordinal=True, bare=False))
    if certain:
        pair = read_items(low.replace(",", ", "), lang, _plain_number) if _DIGITS.fullmatch(low) else None  # 6,8
        return (*values, pair) if pair else values
    named = read_numbered_name(trimmed, lang)
    if values or named is not None:
        return values if named is None else (*values, named)
    if len(low) <= _LONGEST_REFUSAL and any(map(str.isalnum, low)) and surely_refuses(text):
        return (NoAnswer(),)
    option, person = read_choice(text), read_person(folded.strip(_AROUND_NAMES))
    if option is not None and (person is None or len(option.letters) > 1):
        return (option,)
    if person is not None:
        return (person,)
    items = read_items(text, lang, _plain_number)
    return () if items is None else (items,)


def _values(toks: Tokens, lang: str) -> Iterator[Value]:
    """Yield the values that use all of these tokens, after words that add nothing ("in", "about")."""
    n = len(toks.low)
    i, hedge, when = 0, "", ""  # "when" applies to dates and times
    while i < n:
        word = toks.low[i]
        if i and toks.glued[i] and toks.low[i - 1].isalpha() and word != ".":
            return  # A1
        for value, end in spans(toks, i, lang):
            if i and toks.low[i - 1] == "a" and isinstance(value, Number) and value.ordinal:
                continue  # a third
            stated = span.both(hedge, when) if when and span.is_when(value) else hedge
            if end == n:
                yield span.hedged(value, stated) if stated else value
            elif (after := span.trailing(toks.low, end)) is not None and after[1] == n:
                yield span.hedged(value, span.both(stated, after[0]))
            elif isinstance(value, Number) and not value.noun:
                unit = None if value.ordinal else scan_unit(toks, end)  # 7 km away
                if unit is None and (noun := _noun(toks, value, end, lang)):
                    yield replace(value, noun=noun, hedge=stated)
                elif (share := _ratio(toks, value, end, lang)) is not None:
                    yield replace(share, hedge=stated)
        if i == n - 1 and _ROMAN.fullmatch(toks.text[i]) and (roman := roman_value(toks.text[i])) is not None:
            yield Number(Fraction(roman), bare=True)
        if (phrase := span.leading(toks.low, i)) is not None:
            sign, of_dates, i = phrase
            hedge, when = (hedge, sign) if of_dates else (span.both(hedge, sign), when)
            continue
        numbered = word in _NUMBERED and toks.low[i + 1 : i + 2] == (".",)  # No. 5
        if not (word in _LEADS or word == "#" or (word == "." and i) or numbered):
            return
        i += 1


def _ratio(toks: Tokens, number: Number, end: int, lang: str) -> Number | None:
    """Read what may follow the number in "one in five", "3 out of 4", "zwei von drei", to the end of the answer."""
    for words in _RATIOS:
        at = end + len(words)
        if toks.low[end:at] == words and at < len(toks.low):
            total = scan_number(toks, at, lang)
            if total is None or total[1] != len(toks.low) or total[0].ordinal or number.ordinal:
                return None
            value = total[0].value
            if value.denominator == number.value.denominator == 1 and 0 < number.value < value <= _LARGEST_TOTAL:
                return Number(number.value / value, number.value / value / 1000)
    return None


def _noun(toks: Tokens, number: Number, start: int, lang: str) -> str:
    """Return what is counted: one to three words after a number; "" if something else follows."""
    words, low = toks.text[start:], tuple(word.removesuffix(MARK) for word in toks.low[start:])
    if not 0 < len(words) <= _MOST_NOUNS or toks.glued[start] or not all(map(str.isalpha, words)):
        return ""
    if not _NO_NOUNS.isdisjoint(low) or (lang == "en" and not all(map(str.islower, words))):
        return ""
    last = low[-1]
    is_number = any(word in NUMBER_WORDS or is_plural_number(word) for word in low)
    if len(last) == 1 or last.endswith(_SCALE_WORDS) or is_number:
        return ""  # 5 k
    is_plural = number.ordinal or number.value == 1 or any(word.endswith("s") or word in _PLURALS for word in low)
    if lang == "en" and not is_plural:
        return ""  # 12 hoax
    return " ".join((*low[:-1], last[:-1] if last.endswith("s") and len(last) > 3 and lang == "en" else last))


def _trimmed(toks: Tokens) -> Tokens:
    """Return the tokens without quotation marks at both ends and punctuation at the end."""
    start, end = 0, len(toks.low)
    inches = toks.text[:1] != ('"',) and toks.text.count('"') == 1  # 5'11"
    while end > start and toks.text[end - 1] in '.,;:!?"*_':
        if inches and toks.text[end - 1] == '"' and toks.text[end - 2].isdecimal():
            break
        end -= 1
    while start < end and toks.text[start] in "\"'*_,;:":
        short_year = toks.text[start] == "'" and end == start + 2 and toks.glued[end - 1]
        if short_year and len(toks.text[end - 1]) == 2:
            break  # '69
        start += 1
    return Tokens(toks.text[start:end], toks.low[start:end], toks.glued[start:end])


def _with_bracket(folded: str, lang: str) -> tuple[Value, ...] | None:
    """Return the readings before a value in brackets at the end: "100 °C (212 °F)", "5 million (2018)", not "7 (8)"."""
    head, _, inside = folded[:-1].rpartition("(")
    if not head.strip() or not inside.strip() or "(" in head:
        return None
    before, within = _plain_readings(head.strip(), lang), _plain_readings(inside.strip(), lang)
    unread = (Items, Person, NoAnswer, Choice)
    if not before or not within or isinstance(before[0], unread) or isinstance(within[0], unread[1:]):
        return None
    if isinstance(within[0], Items) and not all(_plain_readings(item.split()[0], lang) for item in within[0].items):
        return None  # "4 (two atria and two ventricles)" counts
    same_kind = before[0].kind == within[0].kind
    return before if not same_kind or best(before, within).relation in ("equal", "near") else None


def _plain_number(item: str, lang: str) -> str | None:
    """Return an item of a list as a plain number, or None if it is not a number alone."""
    toks = localized(item, lang)
    result = scan_number(toks, 0, lang) if toks.low and may_begin(toks, 0, lang) else None
    if result is None or result[1] != len(toks.low) or is_code(result[0].digits):
        return None
    return plain(result[0].value) + ("." if result[0].ordinal else "")
