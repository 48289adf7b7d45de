"""parse and compare: answers as typed values, by rules that give a reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from answersim._base.arguments import shown, texts
from answersim.answers.text.tokens import language
from answersim.answers.typed.answer_words import NoAnswer
from answersim.answers.typed.choice import Choice, compare_letters, compare_options
from answersim.answers.typed.comparison import Relation, different, equal, no_opinion
from answersim.answers.typed.date import Date
from answersim.answers.typed.items import Items
from answersim.answers.typed.math import formula
from answersim.answers.typed.math.formula import Formula, Options, Tolerance, Units
from answersim.answers.typed.math.notation import has_latex, plain_text
from answersim.answers.typed.number import Number
from answersim.answers.typed.person import LONGEST_NAME, Person, compare_as_people
from answersim.answers.typed.quantity import COIN, Quantity
from answersim.answers.typed.question import Asked, asked
from answersim.answers.typed.reading import REVISION, Value, best, readings
from answersim.answers.typed.sentences import agrees_in_text, compare_in_text, contrary_change, rises_against

_NOTHING = frozenset("none nobody nil nothing zero".split())
_OF_THEM = frozenset("of them one at all the any single a".split())  # words behind "none" and "no"
_LONGEST_REFUSAL = 60  # characters
# 1.500 is 1500 or 1.5, 03/04/2021 is in March or April, and a billion is 10^9 or 10^12, by the language.
_BY_LANGUAGE = re.compile(r"\d[.,/]\d|illi", re.IGNORECASE)


class Parsed(NamedTuple):
    """An answer as a typed value.

    Attributes:
        kind: What it is, such as "number", "date", "list" or "person name"; docs/values.md lists all kinds.
        value: The likeliest reading. ``str(value)`` is its usual form.
        readings: All readings, the likeliest first. "1865" is a year, and a number.
    """

    kind: str
    value: Value
    readings: tuple[Value, ...]

    @property
    def ambiguous(self) -> bool:
        """Whether the likeliest reading is a date that means several days, such as 03/04/2021."""
        return isinstance(self.value, Date) and self.value.ambiguous

    def __str__(self) -> str:
        return str(self.value)


def parse(text: str, lang: str = "en") -> Parsed | None:
    """Return an answer as a typed value, or None if it is not one.

    Args:
        text: The answer. The empty text is the value "no answer". One of more than 200 characters is not a value,
            unless it is a formula of up to 1,000.
        lang: An ISO 639-1 code. Words are read in en, de, fr, es, it, pt, nl, ru, zh and ja; digits and signs in all.

    Raises:
        TypeError: If the answer is not a string.
        LookupError: If there is no such language.

    >>> str(parse("1.5 million")), parse("03/04/2021").ambiguous
    ('1,500,000', True)
    >>> parse("North Korea") is None
    True
    """
    values = readings(_checked("text", text), language(lang))
    return Parsed(values[0].kind, values[0], values) if values else None


def compare(
    gold: str, pred: str, lang: str = "en", question: str | None = None, choices: Sequence[str] = ()
) -> Relation:
    """Compare a prediction with a gold answer by rules. ``relation`` is "none" if no rule applies.

    If an answer has several readings, they are different only if no reading agrees. A prediction in another language
    (English, or German for English answers) than ``lang`` can be equal or near, and never different.

    Args:
        gold: The gold answer.
        pred: The prediction, a phrase or a sentence.
        lang: An ISO 639-1 code, as of ``parse``.
        question: The question. Lists have an order if it is about an order, and its values are not answers.
        choices: The texts of the options A, B, ... of a multiple-choice question. The letter or the text of an option
            counts.

    Raises:
        TypeError: If an argument is not a string, or not a list of strings.
        LookupError: If there is no such language.

    >>> compare("24,900 miles", "24,901 miles").relation
    'near'
    >>> compare("12:00", "1:00").relation
    'different'
    >>> compare("12 liters", "12 gallons").reason
    '12 gallons (45.4249 liters) is not 12 liters'
    >>> compare("B", "Oslo", choices=["Rome", "Oslo"]).relation
    'equal'
    """
    if question is not None:
        _checked("question", question)
    options = texts("choices", choices) if len(choices) else []
    return compare_checked(_checked("gold", gold), _checked("pred", pred), language(lang), question or "", options)


def signed_rules(lang: str) -> str:
    """Return the language and the revision of the rules, as signatures have them."""
    return f"{language(lang)}.{REVISION}"


def compare_checked(
    gold: str, pred: str, rules: str, question: str = "", choices: Sequence[str] = (), options: Options | None = None
) -> Relation:
    """Compare two answers as ``compare`` does, after its checks.

    ``options``: those of ``compare_math``, which decide first if the gold answer is a formula or a number.
    """
    golds, preds, hints = readings(gold, rules), readings(pred, rules), asked(question)
    gold_value = golds[0] if golds else None
    sides = (gold_value, pred), (preds[0] if preds else None, gold)
    if hints.counts and any(_is_zero(value) and _counts_nothing(text, question) for value, text in sides):
        return equal("both are 0", "number")
    is_refusal = len(pred) < _LONGEST_REFUSAL and gold.strip() and bool(preds) and isinstance(preds[0], NoAnswer)
    if choices:
        by_options = compare_options(
            gold, pred, choices, lambda option, text: _is_option(compare_checked(option, text, rules))
        )
        if by_options is not None and (by_options.opinion is not None or not is_refusal):
            return by_options
    if isinstance(gold_value, Choice) and gold != pred and not is_refusal:
        return compare_letters(gold_value, pred)
    if options is not None and isinstance(gold_value, (Formula, Number, Quantity)):
        strict = _as_formulas(gold, pred, rules, options)
        if strict.opinion is not None:
            return strict
    if isinstance(gold_value, Formula) or (preds and isinstance(preds[0], Formula)):
        return _as_formulas(gold, pred, rules, question=question)
    if gold_value is not None and gold == pred:
        return equal(f"both are {gold_value}", gold_value.kind)
    if is_refusal and not isinstance(gold_value, NoAnswer):
        return different("the prediction gives no answer", "no answer")
    result = _values(gold, pred, rules, question, hints)
    if result.relation == "none" and (rises_against(golds, pred, rules) or rises_against(preds, gold, rules)):
        return no_opinion("one of them is negative, and the other one is an increase", result.kind, rule="sign")
    if result.relation in ("equal", "near") and isinstance(gold_value, (Number, Quantity)):
        reason = contrary_change(gold, pred, question, rules)
        return no_opinion(reason, result.kind, rule="sign") if reason else result
    return result


def _is_zero(value: Value | None) -> bool:
    return isinstance(value, Number) and not value.value


def _counts_nothing(text: str, question: str) -> bool:
    """Return whether a text says that there is none of what a question counts: "none", "no goals at all"."""
    first, *others = re.findall(r"\w+", text[:_LONGEST_REFUSAL].casefold()) or ("",)
    is_nothing = first in _NOTHING or (first == "no" and bool(others))
    return is_nothing and _OF_THEM.union(re.findall(r"\w+", question.casefold())).issuperset(others)


def _is_option(relation: Relation) -> bool:
    return relation.relation == "equal" or (relation.relation == "near" and relation.rule == "unit")  # 4.5 for 4.5 m


def _values(gold: str, pred: str, rules: str, question: str, hints: Asked) -> Relation:
    """Compare two answers as values, also in the other language, and as names of people."""
    golds, preds, second = readings(gold, rules), readings(pred, rules), "de" if rules == "en" else "en"
    # A list is rather a sentence with commas if the gold answer is none.
    is_clause = preds and isinstance(preds[0], Items) and golds and not isinstance(golds[0], (Items, Person))
    result = best(golds, preds, hints) if golds and preds and not is_clause else None
    if result is not None and result.relation == "different":
        if (_BY_LANGUAGE.search(gold) or _BY_LANGUAGE.search(pred)) and any(
            best(one, two, hints).relation in ("equal", "near")
            for one, two in ((golds, readings(pred, second)), (readings(gold, second), preds))
        ):
            return no_opinion("they agree if one of them is read in the other language", result.kind)
        plain = [text.rstrip(" .").removesuffix("!") for text in (gold, pred)]
        if "!" in gold + pred and best(readings(plain[0], rules), readings(plain[1], rules), hints).relation == "equal":
            return no_opinion("one of them may be a factorial", result.kind, rule="sign")
    if result is not None and result.relation != "none":
        return result
    if max(len(gold), len(pred)) <= LONGEST_NAME:
        names = [isinstance(next(iter(readings(text, "en")), None), Person) for text in (gold, pred)]
        if (people := compare_as_people(gold, pred, names)) is not None:
            return people
    if result is not None:
        return result
    if golds or preds:
        foreign = best(golds or _foreign(gold, second), _foreign(pred, second) if golds else preds, hints)
        if foreign.relation in ("equal", "near"):
            return foreign
    if not golds:
        return no_opinion("the gold answer is not a typed value")
    if isinstance(golds[0], Person):
        return no_opinion("the prediction is not a name of this person", golds[0].kind)
    result = compare_in_text(golds, pred, rules, question, hints)
    if result.relation == "none" and preds and isinstance(preds[0], Items) and preds[0].typed:
        return no_opinion(f"{pred} lists several numbers", result.kind, rule="several")
    if result.relation == "different" and has_latex(pred):
        return no_opinion("the prediction contains a formula", result.kind)
    both = (*golds, *readings(gold, second)) if result.relation == "different" and _BY_LANGUAGE.search(pred) else ()
    if both and agrees_in_text(both, pred, second):
        return no_opinion("they agree if both are read in the other language", result.kind)
    return result


def compare_math(
    gold: str, pred: str, lang: str = "en", *, tolerance: Tolerance = "exact", units: Units = "optional"
) -> Relation:
    r"""Compare two answers as formulas, also if they are plain numbers, which ``compare`` reads by other rules.

    Args:
        gold: The gold answer, in LaTeX or plain notation.
        pred: The prediction, without the text around the answer.
        lang: An ISO 639-1 code, as of ``parse``.
        tolerance: "exact"; "last-digit" (half a unit of the last decimal of the gold answer); or a number, the largest
            difference as a share of the gold answer.
        units: "optional" (a value without a unit is equal to the same value with one), "required" or "ignored".

    Raises:
        TypeError: If an answer is not a string.
        ValueError: If an option is not one of these.
        LookupError: If there is no such language.

    >>> compare_math(r"\frac{1}{3}", "0.33").relation
    'none'
    >>> compare_math("0.33", r"\frac{1}{3}", tolerance=0.02).relation
    'equal'
    """
    golds, preds = _checked("gold", gold), _checked("pred", pred)
    return _as_formulas(golds, preds, language(lang), math_options(tolerance, units))


def math_options(tolerance: Tolerance | str, units: str) -> Options:
    """Return the options of ``compare_math``, checked. A share may be a text such as "0.01"."""
    if isinstance(tolerance, str) and re.fullmatch(r"[\d.]+(?:e-\d+)?", tolerance):
        tolerance = float(tolerance)
    if isinstance(tolerance, (str, bool)) or not isinstance(tolerance, (int, float)):
        if tolerance not in ("exact", "last-digit"):
            raise ValueError(f"tolerance is {shown(tolerance)}, but it must be 'exact', 'last-digit' or a number")
    elif not 0 <= tolerance < 1:
        raise ValueError(f"tolerance is {tolerance}, but a share of the gold answer is at least 0 and less than 1")
    if units not in ("optional", "required", "ignored"):
        raise ValueError(f"units is {shown(units)}, but it must be 'optional', 'required' or 'ignored'")
    return Options(tolerance, units)  # type: ignore[arg-type] # checked


def _as_formulas(gold: str, pred: str, rules: str, options: Options | None = None, question: str = "") -> Relation:
    r"""Compare two answers as formulas, and what \text{} and dollar signs only surround also as plain text."""
    gold_formula, pred_formula = _formula(gold, rules), _formula(pred, rules)
    if gold_formula is None or pred_formula is None:
        unread = "gold answer" if gold_formula is None else "prediction"
        result = no_opinion(f"the {unread} is not a formula", formula.kind)
    else:
        result = formula.compare_formulas(gold_formula, pred_formula, options or formula.USUAL)
    if result.opinion is None and has_latex(gold) != has_latex(pred) and formula.written_alike(gold, pred):
        return equal(f"both are {gold}", formula.kind)
    if result.opinion is not None or options not in (None, formula.EXACT):
        return result
    golds, preds = plain_text(gold), plain_text(pred)
    if golds is None or preds is None or (golds, preds) == (gold, pred):
        return result
    if golds == preds:
        return equal(f"both are {golds}", formula.kind)
    if options is None:
        second = compare_checked(golds, preds, rules, question)
    else:  # as whole values, so that the order of the answers does not matter
        second = best(readings(golds, rules), readings(preds, rules))
    return result if second.relation == "none" else second


def _formula(text: str, rules: str) -> Formula | None:
    """Return an answer as a formula, also if it is a number in words or in German."""
    read = formula.read_formula(text)
    values = readings(text, rules) if read is None or (rules != "en" and not read.mathematical) else ()
    number = values[0] if values else None
    if isinstance(number, Number) and not (number.hedge or number.noun or number.ordinal):
        return formula.of_number(number.value, number.step if number.step < 1 and not number.as_fraction else None)
    return read


def _foreign(text: str, lang: str) -> tuple[Value, ...]:
    """Return the readings in the other language, without a number with a noun or in cents: "12 Monkeys", "50 Cent"."""
    return tuple(
        value
        for value in readings(text, lang)
        if not (isinstance(value, Number) and value.noun)
        and not (isinstance(value, Quantity) and value.unit.dimension == COIN)
    )


def _checked(name: str, text: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{name} is {shown(text)}, but it must be a string; for 'no answer' give the empty string")
    return text if type(text) is str else str.__str__(text)
