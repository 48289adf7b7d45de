"""The names of what an evaluation calls an answer."""

from answersim.calibration.decision import VERDICTS
from answersim.evaluation.rows import CALL_OF, CALLS, AnswerRow, SystemRow


def test_each_verdict_is_one_call():
    assert {CALL_OF[verdict] for verdict in VERDICTS} == set(CALLS)
    assert CALL_OF["equivalent"] == "right"
    assert CALL_OF["different"] == "wrong"


def test_rows_begin_with_what_they_are_of():
    assert SystemRow._fields[:2] == ("subset", "system")
    assert AnswerRow._fields[:3] == ("row", "system", "call")
