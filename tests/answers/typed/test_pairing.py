"""Any two readings can be compared: kinds that have nothing in common give no result."""

from answersim.answers.typed.pairing import compare_pair
from answersim.answers.typed.reading import readings
from tests.cases import every

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
    "choice": "(B)",
    "no answer": "n/a",
    "math": "x^2 + 1",
}
COMPARED = {
    frozenset({"number", kind}) for kind in ("ordinal", "quantity", "duration", "percentage", "money", "range")
} | {frozenset({"quantity", "duration"}), frozenset({"quantity", "percentage"}), frozenset({"duration", "percentage"})}


@every("gold", EXAMPLES)
def test_two_kinds_are_compared_or_have_nothing_in_common(gold):
    first = readings(EXAMPLES[gold], "en")[0]
    for pred, text in EXAMPLES.items():
        second = readings(text, "en")[0]
        assert (first.kind, second.kind) == (gold, pred)
        result = compare_pair(first, second)
        relation = result and result.relation
        if gold == pred:
            assert relation == "equal"
        elif "no answer" in (gold, pred):
            assert relation == "different", pred
        elif frozenset({gold, pred}) in COMPARED:
            assert relation not in (None, "equal"), pred
        else:
            assert relation in (None, "none"), pred
