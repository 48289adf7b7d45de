"""Compare two readings, whatever their kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from answersim.typed.answer_words import NoAnswer, YesNo, compare_yes_no
from answersim.typed.choice import Choice, compare_choices
from answersim.typed.comparison import Relation, different, equal
from answersim.typed.items import Items, compare_items
from answersim.typed.math.formula import Formula, compare_formulas
from answersim.typed.numbered_name import NumberedName, compare_numbered_names
from answersim.typed.person import Person, compare_people
from answersim.typed.reading import Value
from answersim.typed.value_range import Range, compare_ranges, compare_singles, compare_with_single

_BY_TYPE: dict[type, Callable[[Any, Any], Relation | None]] = {
    Person: compare_people,
    NumberedName: compare_numbered_names,
    YesNo: compare_yes_no,
    Choice: compare_choices,
    Formula: compare_formulas,
}
_OTHERS = (Items, Person, NumberedName, YesNo, NoAnswer, Choice, Formula)


def compare_pair(gold: Value, pred: Value, question: str | None = None) -> Relation | None:
    """Compare two readings; None if their kinds have nothing in common."""
    if isinstance(gold, NoAnswer) or isinstance(pred, NoAnswer):
        if gold == pred:
            return equal("both give no answer", "no answer")
        return different(f"{pred} is not {gold}", gold.kind)
    if isinstance(gold, Items) and isinstance(pred, Items):
        return compare_items(gold, pred, question)
    if isinstance(gold, _OTHERS) or isinstance(pred, _OTHERS):
        return _BY_TYPE[type(gold)](gold, pred) if type(gold) is type(pred) else None
    if isinstance(gold, Range):
        return compare_ranges(gold, pred) if isinstance(pred, Range) else compare_with_single(gold, pred, is_gold=True)
    if isinstance(pred, Range):
        return compare_with_single(pred, gold, is_gold=False)
    return compare_singles(gold, pred)
