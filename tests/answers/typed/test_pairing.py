"""Any two readings can be compared: kinds that have nothing in common give no result."""

from answersim.answers.typed.reading import compare_pair, readings
from tests.answers.typed.kinds import EXAMPLES
from tests.cases import every

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
