"""Any two readings can be compared: kinds that have nothing in common give no result."""

import pytest

from answersim.typed.pairing import compare_pair
from answersim.typed.reading import readings

EXAMPLES = {
    "number": "11",
    "ordinal": "21st",
    "quantity": "12 liters",
    "duration": "90 minutes",
    "percentage": "50 %",
    "money": "$5",
    "date": "March 4, 1865",
    "time": "12:00",
    "range": "10-20",
    "list": "red, blue",
    "person name": "J. F. Kennedy",
    "name with number": "Louis XIV",
    "yes/no": "yes",
    "no answer": "n/a",
    "math": "x^2 + 1",
}
COMPARED = {
    frozenset({"number", kind}) for kind in ("ordinal", "quantity", "duration", "percentage", "money", "range")
} | {frozenset({"quantity", "duration"}), frozenset({"quantity", "percentage"}), frozenset({"duration", "percentage"})}


@pytest.mark.parametrize("gold", EXAMPLES)
@pytest.mark.parametrize("pred", EXAMPLES)
def test_two_kinds_are_compared_or_have_nothing_in_common(gold, pred):
    one, other = (readings(EXAMPLES[kind], "en")[0] for kind in (gold, pred))
    assert (one.kind, other.kind) == (gold, pred)
    result = compare_pair(one, other)
    if gold == pred:
        assert result is not None
        assert result.relation == "equal"
    elif "no answer" in (gold, pred):
        assert result is not None
        assert result.relation == "different"
    elif frozenset({gold, pred}) in COMPARED:
        assert result is not None
        assert result.relation != "equal"
    else:
        assert result is None or result.relation == "not comparable"
