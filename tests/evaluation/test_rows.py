"""The names of what an evaluation calls an answer."""

from answersim.evaluation.rows import AnswerRow, SystemRow

from answersim.calibration.decision import VERDICTS
from answersim.calibration.verdicts import ANSWER_VERDICTS, OF_ANSWER


def test_each_verdict_of_a_pair_is_one_of_an_answer():
    assert {OF_ANSWER[verdict] for verdict in VERDICTS} == set(ANSWER_VERDICTS)
    assert OF_ANSWER["equivalent"] == "right"
    assert OF_ANSWER["different"] == "wrong"


def test_rows_begin_with_what_they_are_of():
    assert SystemRow._fields[:2] == ("subset", "system")
    assert AnswerRow._fields[:3] == ("row", "system", "verdict")
