"""Compare two readings, whatever their kinds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from answersim.answers.typed.amounts import NOTHING
from answersim.answers.typed.answer_words import NoAnswer, YesNo, compare_yes_no
from answersim.answers.typed.choice import Choice, compare_choices
from answersim.answers.typed.comparison import Relation, different, equal, no_opinion
from answersim.answers.typed.date import Date
from answersim.answers.typed.items import Items, compare_items
from answersim.answers.typed.math.formula import Formula, compare_formulas
from answersim.answers.typed.number import Number
from answersim.answers.typed.numbered_name import NumberedName, compare_numbered_names
from answersim.answers.typed.person import Person, compare_people
from answersim.answers.typed.quantity import Quantity
from answersim.answers.typed.question import Asked
from answersim.answers.typed.span import Range, Time, compare_ranges, compare_singles, compare_with_single

Value: TypeAlias = (
    "Number | Quantity | Date | Time | Range | Items | Person | NumberedName | YesNo | NoAnswer | Choice | Formula"
)

_BY_TYPE: dict[type, Callable[[Any, Any], Relation | None]] = {
    Person: compare_people,
    NumberedName: compare_numbered_names,
    YesNo: compare_yes_no,
    Choice: compare_choices,
    Formula: compare_formulas,
}
_SINGLES = (Number, Quantity, Date, Time)


def compare_pair(gold: Value, pred: Value, asked: Asked = NOTHING) -> Relation | None:
    """Compare two readings; None if their kinds have nothing in common."""
    if isinstance(gold, NoAnswer) or isinstance(pred, NoAnswer):
        same = gold == pred
        return equal("both give no answer", "no answer") if same else different(f"{pred} is not {gold}", "no answer")
    if isinstance(gold, Items) and isinstance(pred, Items):
        return compare_items(gold, pred, asked)
    if isinstance(gold, Range) and isinstance(pred, Range):
        return compare_ranges(gold, pred, asked)
    if isinstance(gold, (Range, *_SINGLES)) and isinstance(pred, (Range, *_SINGLES)):
        compare = compare_with_single if Range in (type(gold), type(pred)) else compare_singles
        return compare(gold, pred, asked)  # type: ignore[arg-type] # a range is compared by the first one
    compare_same = _BY_TYPE.get(type(gold))
    return compare_same(gold, pred) if compare_same is not None and type(gold) is type(pred) else None


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
