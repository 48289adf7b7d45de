"""Compare two formulas: exactly, or within a tolerance; with their units, or without."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import inf
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from answersim.answers.typed.comparison import Relation, different, equal, near, no_opinion
from answersim.answers.typed.math.grammar import Group, Labeled, Part, Scalar, Statement, UnreadableError, structures
from answersim.answers.typed.math.notation import LONGEST_FORMULA, Token, has_latex, has_operator, notation, plain_text
from answersim.answers.typed.math.values import CONSTANTS, MINUS_ONE, Node, degree, proportional, real, same

kind = "math"
Units: TypeAlias = Literal["optional", "required", "ignored"]
Tolerance: TypeAlias = "Literal['exact', 'last-digit'] | float"
Verdict: TypeAlias = "bool | str | Near"  # a text is the reason for no opinion
_TURNED = {">": "<", "≥": "≤"}
_COMPUTED = 10**-6  # a decimal with so small a last place, as a share of it, was computed
_MEASURED = 1000  # a number from here on may be measured
_WITHIN, _ROUNDED = Fraction(1, 100), Fraction(1, 20)
_UNITS = dict.fromkeys(("degree", "degrees", "deg"), "°") | dict.fromkeys(("dollar", "dollars"), "$")
_UNITS |= {"percent": "%", "ft": "foot", "in": "inch"}
_BOUND = "one is a bound"
_PERCENT = "a percentage and the same number without %"  # a reason for no opinion
_TWO = "may be two things"  # the end of another one
_INFINITY: Node = ("v", r"\infty")


class Options(NamedTuple):
    """What counts as equal: a tolerance for numbers, and whether a missing unit matters."""

    tolerance: Tolerance = "exact"
    units: Units = "optional"
    near: bool = False  # whether rounded values, and those within 1 %, are near


EXACT = Options()
USUAL = Options(near=True)


class Near(NamedTuple):
    """Two values that are equal after rounding, or within 1 %."""

    error: float  # the difference as a share of the gold answer
    rule: str  # "rounding" or "tolerance"


@dataclass(frozen=True)
class Formula:
    """A text in mathematical notation."""

    text: str  # the text without delimiters
    key: str  # its tokens. Two formulas with one key are the same.
    parts: tuple[Part, ...] = ()  # what it may mean; () if it uses other notation, so that it is only equal to itself
    mathematical: bool = False  # whether it is mathematics for sure, and no ordinary answer that could be read as such
    reason: str = ""  # why it has no meaning here

    kind: ClassVar[str] = kind

    def __str__(self) -> str:
        return self.text if len(self.text) < 80 else f"{self.text[:76]} ..."


def is_mathematical(text: str) -> bool:
    r"""Return whether a text is written in mathematical notation: LaTeX, or operators, or a bracketed list of numbers.

    A bare number, a quantity, a date, a score, a name and a word are not.
    """
    letters = text.replace(" ", "")
    is_name = letters.isascii() and letters.replace(".", "").isalpha() and "sqrt" not in letters  # "John F. Kennedy"
    if len(text) > LONGEST_FORMULA or is_name or letters.isalpha():
        return False
    may_be = has_latex(text) or has_operator(text)
    return may_be and (formula := read_formula(text)) is not None and formula.mathematical


@lru_cache(maxsize=1 << 10)
def read_formula(text: str) -> Formula | None:
    """Return a text as a formula; None if it is too long, or neither readable nor written in LaTeX."""
    tokenized = notation(text)
    if tokenized is None:
        return None
    latex, key = has_latex(text), " ".join(token.text for token in tokenized.tokens)
    try:
        parts = structures(tokenized)
    except UnreadableError as reason:
        return Formula(tokenized.text, key, (), plain_text(text) is None, str(reason)) if latex else None
    return Formula(tokenized.text, key, parts, _is_certain(text, tokenized.tokens, parts, latex))


def of_number(value: Fraction, step: Fraction | None = None) -> Formula:
    """Return a number that another grammar read as a formula, such as "three quarters"."""
    return Formula(str(value), str(value), (Scalar(("n", value), "", step),))


def written_alike(gold: str, pred: str) -> bool:
    r"""Return whether two texts have the same tokens, if names of functions count with and without "\": ``\log``."""
    one, other = notation(gold), notation(pred)
    names = [[re.sub(r"\A\\(?=\w\w)", "", token.text) for token in side.tokens] for side in (one, other) if side]
    return len(names) == 2 and names[0] == names[1]


def _is_certain(text: str, tokens: Sequence[Token], parts: tuple[Part, ...], latex: bool) -> bool:
    """Return whether a readable text is certainly mathematics."""
    has_number = any(kind == "n" or word in (r"\pi", r"\infty") for kind, word in tokens)
    if latex:
        return plain_text(text) is None or has_number or len(tokens) > 1
    if isinstance(parts[0], Group) and parts[0].form != "list":
        return has_number
    has_letter = any(kind == "w" and len(word) == 1 and word.islower() for kind, word in tokens)
    return (has_number or has_letter) and has_operator(text)


def compare_formulas(gold: Formula, pred: Formula, options: Options = EXACT) -> Relation:
    """Compare two formulas. The relation is "equal", "different" or "none", and symmetric if exact."""
    if gold.key == pred.key:
        return equal(f"both are {gold}", kind)
    for formula, name in ((gold, "gold answer"), (pred, "prediction")):
        if not formula.parts:
            return no_opinion(f"the {name} is not read as a formula: {formula.reason or formula}", kind)
    verdicts = [_parts(one, other, options) for one in gold.parts for other in pred.parts]
    if True in verdicts:
        return equal(f"both are {gold}", kind)
    reasons = sorted((verdict for verdict in verdicts if verdict), key=lambda verdict: isinstance(verdict, str))
    if reasons and isinstance(close := reasons[0], Near):
        return near(f"{pred} is {gold} after rounding", kind, close.error, close.rule)
    if reasons:
        reason = str(reasons[0])
        rule = {_PERCENT: "percent", _BOUND: "sign"}.get(reason, "substitution" if reason.endswith(_TWO) else "")
        return no_opinion(reason, kind, rule=rule)
    return different(f"{pred} is not {gold}", kind)


def _parts(gold: Part, pred: Part, options: Options) -> Verdict:
    labels = [part.label for part in (gold, pred) if isinstance(part, Labeled)]
    one, other = (part.value if isinstance(part, Labeled) else part for part in (gold, pred))
    if isinstance(one, Statement) or isinstance(other, Statement) or len(set(labels)) == 2:
        equations = _equation(gold), _equation(pred)
        if equations[0] is not None and equations[1] is not None:
            verdict = _relations(*equations)  # type: ignore[arg-type]
            return verdict if len(labels) < 2 or verdict is True else f"{labels[0]} and {labels[1]} {_TWO}"
        if isinstance(one, Scalar) != isinstance(other, Scalar):  # 20 + 30 = 50
            return _of_chain(one, other, options)
        first, second = (_interval(part) if isinstance(part, Statement) else part for part in (one, other))
        if len(labels) == 2 or not (isinstance(first, Group) and isinstance(second, Group)):
            return "they are of two kinds"
        one, other = first, second
    if isinstance(one, Scalar) and isinstance(other, Scalar):
        return _scalars(one, other, options)
    if isinstance(one, Group) and isinstance(other, Group):
        return _groups(one, other, options)
    (group,) = (part for part in (one, other) if isinstance(part, Group))
    several = len(group.items) > 1 and not any(isinstance(item, Statement) for item in group.items)
    return False if several else "a set and a value"


def _of_chain(gold: Part, pred: Part, options: Options) -> Verdict:
    """Compare a value with the result of a chain of equations: 50 and 20 + 30 = 50."""
    golds, preds = (part.results if isinstance(part, Statement) else (part,) for part in (gold, pred))
    verdicts = [_parts(one, other, options) for one in golds for other in preds]
    if not verdicts:
        is_bound = any(isinstance(part, Statement) and not {*part.signs} <= {"=", "≈"} for part in (gold, pred))
        return _BOUND if is_bound else "they are of two kinds"
    if True in verdicts:
        holds = all(part.holds for part in (gold, pred) if isinstance(part, Statement))
        return holds or "the sides of an equation differ"
    return next((verdict for verdict in verdicts if verdict), False)


def _equation(part: Part) -> Statement | None:
    """Return a relation, also of x = 5; None for other values."""
    if isinstance(part, Labeled) and isinstance(part.value, Scalar) and not part.value.unit:
        return Statement(("=",), (("v", part.label), part.value.node))
    return part if isinstance(part, Statement) else None


def _interval(relation: Statement) -> Group | None:
    """Return x > 3 or 1 < x <= 2 as an interval."""
    signs, sides = relation.signs, relation.sides
    if set(signs) <= {">", "≥"}:
        signs, sides = tuple(_TURNED[sign] for sign in reversed(signs)), tuple(reversed(sides))
    if not set(signs) <= {"<", "≤"} or len(sides) > 3:
        return None
    at = [i for i, side in enumerate(sides) if side[0] == "v" and side[1] not in CONSTANTS]
    if len(at) != 1 or (len(sides) == 3 and at != [1]):
        return None
    low = sides[at[0] - 1] if at[0] else ("*", MINUS_ONE, _INFINITY)
    high = sides[at[0] + 1] if at[0] + 1 < len(sides) else _INFINITY
    opening = "[" if at[0] and signs[at[0] - 1] == "≤" else "("
    closing = "]" if at[0] < len(signs) and signs[at[0]] == "≤" else ")"
    return Group(opening + closing, (Scalar(low), Scalar(high)))


def _relations(gold: Statement, pred: Statement) -> Verdict:
    """Compare equations and inequalities, whose sides may be multiplied by a number."""
    one, other = _constraints(gold), _constraints(pred)
    if any(degree(node) == 0 for _, node in (*one, *other)):
        return "a relation without a variable states no value"
    left = list(other)
    for sign, node in one:
        same = [entry for entry in left if entry[0] == sign and proportional(node, entry[1], sign not in ("=", "≠"))]
        left = [entry for entry in left if not same or entry is not same[0]]
    if not left and len(one) == len(other):
        return True
    degrees = {degree(node) for _, node in (*one, *other)}
    if len(one) == len(other) and len(degrees) == 1 and None not in degrees:
        return False
    return "they are not multiples of each other"


def _constraints(relation: Statement) -> list[tuple[str, Node]]:
    """Return each relation of a chain as a sign and an expression: b - a > 0."""
    constraints: list[tuple[str, Node]] = []
    for sign, left, right in zip(relation.signs, relation.sides, relation.sides[1:], strict=False):
        low, high = (right, left) if sign in _TURNED else (left, right)
        constraints.append((_TURNED.get(sign, sign), ("+", (high, ("*", MINUS_ONE, low)))))
    return constraints


def _point(group: Group, form: str) -> Group:
    """Return "x = 2, y = 5" as the point (2, 5) if another group is one; any other group as it is."""
    values = {item.label: item.value for item in group.items if isinstance(item, Labeled)}
    is_named = len(values) == len(group.items) and sorted(values) in (["x", "y"], ["x", "y", "z"])
    is_point = form == "()" and group.form == "list" and is_named
    return Group("()", tuple(values[label] for label in sorted(values))) if is_point else group


def _groups(gold: Group, pred: Group, options: Options) -> Verdict:
    gold, pred = _point(gold, pred.form), _point(pred, gold.form)
    forms = {gold.form, pred.form}
    if forms <= {"set", "list", "union"}:
        return _unordered(gold.items, pred.items, options, "list" not in forms)
    if gold.form == pred.form:
        return _ordered(gold.items, pred.items, options)
    if forms & {"set", "list", "union"}:
        verdict = _unordered(gold.items, pred.items, options, False)
        return verdict if verdict is False or isinstance(verdict, str) else "the brackets differ"
    if forms <= {"()", "[]", "(]", "[)"} and len(gold.items) == len(pred.items) == 2:
        return False
    if "matrix" in forms:
        return "a matrix and another group"
    verdict = _ordered(gold.items, pred.items, options)
    return verdict if verdict is False or isinstance(verdict, str) else "the brackets differ"


def _ordered(gold: Sequence[Part], pred: Sequence[Part], options: Options) -> Verdict:
    if len(gold) != len(pred):
        return False
    return _together([_parts(one, other, options) for one, other in zip(gold, pred, strict=True)])


def _unordered(gold: Sequence[Part], pred: Sequence[Part], options: Options, distinct: bool) -> Verdict:
    """Compare items in any order. In sets, repeated items count once."""
    if distinct:
        gold, pred = _distinct(gold), _distinct(pred)
    left, rest, found = list(pred), list(gold), list[Verdict]()
    for kind in (bool, Near):  # the same items first
        wanted, rest = rest, []
        for one in wanted:
            verdicts = [_item(one, other, options) for other in left]
            at = next((i for i, verdict in enumerate(verdicts) if verdict and isinstance(verdict, kind)), None)
            if at is None:
                rest.append(one)
            else:
                found.append(verdicts[at])
                del left[at]
    if not rest and not left:
        return _together(found)
    verdicts = [_item(one, other, options) for one in rest for other in left]
    return next((verdict for verdict in verdicts if isinstance(verdict, str)), False)


def _together(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict on several items that must all agree: the one that says the least."""
    if False in verdicts:
        return False
    reasons = (verdict for verdict in verdicts if isinstance(verdict, str))
    return next(reasons, max((verdict for verdict in verdicts if isinstance(verdict, Near)), default=True))


def _item(gold: Part, pred: Part, options: Options) -> Verdict:
    if isinstance(gold, Labeled) and isinstance(pred, Labeled) and gold.label != pred.label:
        return False
    return _parts(gold, pred, options)


def _distinct(items: Sequence[Part]) -> list[Part]:
    distinct: list[Part] = []
    for item in items:
        if not any(_parts(item, earlier, EXACT) is True for earlier in distinct):
            distinct.append(item)
    return distinct


def _scalars(gold: Scalar, pred: Scalar, options: Options) -> Verdict:
    """Compare two values with their units. Units in several spellings or sizes are left to the rules of quantities."""
    one, other = unit(gold.unit), unit(pred.unit)
    if options.units == "ignored" or one == other:
        return _values(gold, pred, options)
    if "_" in (one[:1], other[:1]) and not (one and other):
        return "one states the base of its digits"
    if one and other:
        same_digits = one[0] == other[0] == "_" and _values(gold, pred, options) is True
        return False if same_digits else f"the units {gold.unit} and {pred.unit}"
    if one == "%" or other == "%":
        verdict = _values(_share(gold), _share(pred), options)
        same = verdict is False and _values(gold, pred, options) is True
        return _PERCENT if same else verdict
    if options.units == "required":
        return False
    verdict = _values(gold, pred, options)
    return "one has no unit" if verdict is False and (one or other) != "$" else verdict


def _share(value: Scalar) -> Scalar:
    """Return a percentage as a number."""
    if unit(value.unit) != "%":
        return value
    return Scalar(("*", ("n", Fraction(1, 100)), value.node), "", (value.step or 1) * Fraction(1, 100))


def unit(text: str) -> str:
    """Return a unit without its plural, in the usual spelling if it is a sign."""
    low = " ".join(text.lower().replace(".", " ").split())
    return _UNITS.get(low) or (low[:-1] if len(low) > 2 and low.endswith("s") else low)


def _values(gold: Scalar, pred: Scalar, options: Options) -> Verdict:
    """Compare two values without units."""
    verdict = same(gold.node, pred.node)
    if verdict is True:
        return True
    one, other, tolerance = real(gold.node), real(pred.node), options.tolerance
    if one is None or other is None:
        return verdict
    if not isinstance(tolerance, str):
        return abs(one - other) <= Fraction(tolerance) * abs(one)
    if tolerance == "last-digit" and gold.step is not None:
        return abs(one - other) <= gold.step / 2
    return verdict or _rounded(gold, pred, one, other, options)


def _rounded(gold: Scalar, pred: Scalar, one: Fraction, other: Fraction, options: Options) -> Verdict:
    """Return whether one of two unequal values may be the other one with fewer decimals, or within 1 %."""
    steps = [value.step for value in (gold, pred) if value.step is not None]
    gap, size = abs(one - other), max(abs(one), abs(other))
    within = bool(steps) and (len(steps) == 1 or steps[0] != steps[1]) and gap < max(steps)
    if within and len(steps) == 1 and max(steps) <= _COMPUTED * size and options.tolerance == "exact":
        return True
    error = float(gap / abs(one)) if one else inf
    if options.near and within and 2 * gap <= max(steps) and gap <= _ROUNDED * size:
        return Near(error, "rounding")
    factors = gold.node[1:] if gold.node[0] == "*" else ()
    is_power = any(factor[0] == "^" and factor[1] == ("n", 10) for factor in factors)  # 1.5 * 10^-3
    if options.near and (gold.step is not None or abs(one) >= _MEASURED or is_power) and gap <= _WITHIN * abs(one):
        return Near(error, "tolerance")
    return "it may be rounded" if within else False
