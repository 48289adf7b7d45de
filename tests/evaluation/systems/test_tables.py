"""Sentences and tables of an evaluation, literally."""

import math

from answersim.evaluation.labels.labeled_shares import percent
from answersim.evaluation.systems.tables import AnswerRow, SystemRow, answer_table, sentence, system_table
from answersim.stats.resampling import Estimate
from tests.cases import every

NOTHING = Estimate(math.nan, math.nan, math.nan)
ROW = SystemRow(
    *("all", "gpt", 1500, 900, Estimate(0.8, 0.75, 0.85), 1200, 250, 50),
    *(Estimate(0.8, 0.776, 0.824), Estimate(0.81, 0.79, 0.83)),
)
PLAIN = ROW._replace(right=None, wrong=None, unsure=None, share=NOTHING, probability=NOTHING)


@every(
    ("row", "settings", "expected"),
    [
        (ROW, {}, "1,200 of 1,500 right, 80 % [78, 82]; 250 wrong, 50 unsure"),
        (ROW, {"named": True}, "gpt: 1,200 of 1,500 right, 80 % [78, 82]; 250 wrong, 50 unsure"),
        (ROW, {"where": "w.csv"}, "1,200 of 1,500 right, 80 % [78, 82]; 250 wrong, 50 unsure: see w.csv"),
        (
            ROW._replace(right=1500, wrong=0, unsure=0),
            {"where": "w.csv"},
            "1,500 of 1,500 right, 80 % [78, 82]; 0 wrong, 0 unsure",
        ),
        (PLAIN, {}, "mean f1 0.800 [0.750, 0.850] over 1,500 answers; not counted as right or wrong"),
    ],
)
def test_the_result_is_a_sentence(row, settings, expected):
    assert sentence(row, metric="f1", **{"named": False, **settings}) == expected


def test_a_share_without_an_interval_or_without_rows_is_shown_as_such():
    assert percent(Estimate(0.5, math.nan, math.nan)) == "50 %"
    assert percent(NOTHING) == "-"


def test_the_table_has_counts_only_with_a_calibration():
    table = system_table([ROW], metric="f1")
    assert dict(zip(table.header, table.rows[0], strict=True)) == {
        "system": "gpt",
        "n": "1,500",
        "mean f1": "0.800 [0.750, 0.850]",
        "right": "1,200",
        "wrong": "250",
        "unsure": "50",
        "share right": "80 % [78, 82]",
        "expected right": "81 % [79, 83]",
    }
    assert system_table([PLAIN], metric="f1", first="subset").header == ("subset", "n", "mean f1")


def test_answers_are_shortened_to_one_line_and_those_not_shown_are_counted():
    answers = [AnswerRow("7", "gpt", "wrong", 0.1, 0.05, "Who?", ["a", "b"], "long\n" * 30)] * 4
    table = answer_table(answers, 3, named=True)
    assert table.header == ("row", "system", "verdict", "p", "question", "gold", "prediction")
    assert table.rows[0][:6] == ("7", "gpt", "wrong", "0.05", "Who?", "a | b")
    assert len(table.rows[0][6]) == 60
    assert "\n" not in table.rows[0][6]
    assert (len(table.rows), table.notes) == (3, ("not shown: 1 more row",))
    without = answer_table([answers[0]._replace(question=None)], 3, named=False)
    assert without.header == ("row", "verdict", "p", "gold", "prediction")
