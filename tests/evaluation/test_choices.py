"""Multiple choice: a column of options is read by every metric with rules, alike in files, in Python and in rewards."""

import csv
import json
from pathlib import Path

import pytest

import answersim
from answersim._base.errors import ReadingWarning
from answersim._base.io import files
from answersim.evaluation.systems.systems import evaluate
from tests.cases import every

FILE = Path(__file__).with_name("choices.csv")  # 60 right and 60 wrong answers in about 40 wordings
ROWS = list(csv.DictReader(FILE.read_text(encoding="utf-8").splitlines()))
OPTIONS = ["Rome", "Paris", "Oslo"]


def expected():
    return ["right" if row["label"] == "1" else "wrong" for row in ROWS]


def verdicts(metric, data=FILE):
    evaluation = evaluate(data, metric, question="question", keep=["right", "wrong", "unsure", "not attempted"])
    by_row = {answer.row: answer.verdict for answer in evaluation.answers}
    return [by_row[str(i)] for i in range(1, len(ROWS) + 1)]


def test_the_file_has_as_many_right_answers_as_wrong_ones():
    assert [row["label"] for row in ROWS].count("1") == 60
    assert len({row["pred"] for row in ROWS}) > 80


@pytest.mark.filterwarnings("ignore::answersim._base.errors.UnreadScriptWarning")
@pytest.mark.parametrize("metric", [None, "typed", "typed+recall", "typed+f1"])
def test_all_answers_of_the_file_are_counted(metric):
    if metric == "typed+f1":
        evaluation = evaluate(FILE, metric, question="question", calibration=answersim.Verdicts(threshold=0.5))
        assert (evaluation.row().right, evaluation.row().wrong) == (60, 60)
    else:
        assert verdicts(metric) == expected()


@pytest.mark.parametrize("name", [None, "rules", "typed+recall"])
def test_rewards_read_the_same_options(name):
    columns = [[row[column] for row in ROWS] for column in ("gold", "pred", "question", "choices")]
    reward = answersim.Reward(name)
    assert [row.verdict for row in reward(*columns)] == expected()
    golds = [{"answer": row["gold"], "choices": json.loads(row["choices"])} for row in ROWS]
    assert [row.verdict for row in reward(golds, *columns[1:3])] == expected()


def test_scores_in_python_read_them_for_one_and_for_several():
    golds, preds, options = ([row[name] for row in ROWS] for name in ("gold", "pred", "choices"))
    lists = [json.loads(listed) for listed in options]
    scores = answersim.score(golds, preds, "typed", choices=lists)
    assert ["right" if score == 1 else "wrong" for score in scores] == expected()
    assert answersim.score(golds[0], preds[0], "typed", choices=lists[0]) == scores[0]
    assert answersim.score_pairs([("B", "Paris"), ("B", "Oslo")], ["em", "typed"], choices=OPTIONS)["typed"].mean == 0.5
    assert answersim.score(["B", "A"], ["Paris", "Paris"], "typed", choices=OPTIONS).values.tolist() == [1.0, 0.0]


@every(
    ("call", "error", "words"),
    [
        (
            lambda: answersim.score("B", "Paris", "f1", choices=OPTIONS),
            ValueError,
            "f1 reads no options; answersim, typed",
        ),
        (lambda: answersim.score("B", "Paris", "typed", choices="Rome"), TypeError, "choices is the string"),
        (
            lambda: answersim.score(["B"], ["Paris"], "typed", choices=[OPTIONS] * 2),
            ValueError,
            "2 lists, but there are 1",
        ),
        (lambda: answersim.Reward("rules")(["B"], ["Paris"], choices=[]), ValueError, "choices has 0 entries"),
    ],
)
def test_options_without_effect_are_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


@every(
    "cells",
    [
        OPTIONS,
        json.dumps(OPTIONS),
        str(OPTIONS),
        "['Rome' 'Paris' 'Oslo']",
        "A) Rome B) Paris C) Oslo",
        "(A) Rome\n(B) Paris\n(C) Oslo",
        "A. Rome; B. Paris; C. Oslo",
        dict(zip("ABC", OPTIONS, strict=True)),
        json.dumps(dict(zip("ABC", OPTIONS, strict=True))),
        {"label": ["C", "B", "A"], "text": OPTIONS[::-1]},
        ("Rome", "Paris", "Oslo"),
    ],
)
def test_options_have_many_forms(cells):
    golds = answersim.read_answers({"gold": ["B"], "pred": ["x"], "choices": [cells]}).golds
    assert golds[0].choices == tuple(OPTIONS)


def test_rows_without_options_are_counted_and_compared_without_them():
    data = {"gold": ["B", "Rome", "12 kg"], "pred": ["Paris", "rome", "12 lb"], "choices": [OPTIONS, None, 3]}
    with pytest.warns(ReadingWarning, match="'choices' lists no options, in 2 of 3 rows, .* without options"):
        evaluation = evaluate(data, "typed", keep=["right"])
    assert evaluation.row().right == 2


@every(("golds", "letters", "first"), [([0, 2, 1], "ACB", 0), ([1, 3, 2], "ACB", 1), (["1", "0", "B"], "BAB", 0)])
def test_whole_numbers_that_are_no_options_are_positions_with_a_note(golds, letters, first):
    data = {"gold": golds, "pred": ["x"] * 3, "choices": [OPTIONS] * 3}
    with pytest.warns(ReadingWarning) as notes:
        assert "".join(answersim.read_answers(data).golds) == letters
    assert f"whole numbers are positions of options, counted from {first}" in str(notes[-1].message)


def test_a_number_that_is_an_option_is_no_position_and_open_positions_are_an_error():
    numbers = ["2", "4", "8"]
    data = {"gold": ["2", "8"], "pred": ["A", "8"], "choices": [numbers] * 2}
    assert answersim.read_answers(data).golds == ["2", "8"]
    assert evaluate(data, "typed").row().right == 2
    for golds in (["1", "2"], ["0", "3"]):
        with pytest.raises(ValueError, match="row 1: the gold answer is a position in 'choices', but"):
            answersim.read_answers({"gold": golds, "pred": ["x"] * 2, "choices": [OPTIONS] * 2})
    row = answersim.Reward("rules")(["1"], ["Rome"], choices=[OPTIONS]).rows[0]
    assert (row.verdict, row.reason) == (
        "unreadable",
        "the gold answer 1 is none of the options; give a letter for a position",
    )


def test_a_metric_that_reads_no_options_says_so():
    data = {"gold": ["B", "A"], "pred": ["Paris", "A"], "choices": [OPTIONS] * 2}
    notes = [note for note in evaluate(data, "em").notes if "reads no options" in note]
    assert notes == [
        "em reads no options, so the column 'choices' does not count; answersim, typed and typed+NAME read it"
    ]
    assert not any("reads no options" in note for note in evaluate(data, "typed").notes)


@every(
    ("pred", "verdict"),
    [
        *(
            ("Paris", "right"),
            ("The capital of France is Paris.", "right"),
            ("(B) Paris, because of the Seine", "right"),
        ),
        *(("Everything but Paris", "wrong"), ("Paris is wrong", "wrong"), ("kein Paris", "wrong"), ("A or B", "wrong")),
        *(
            ("B) Oslo", "wrong"),
            ("C) Paris", "wrong"),
            ("A, B", "wrong"),
            ("I do not know", "wrong"),
            ("Bern", "wrong"),
        ),
    ],
)
def test_a_reward_pays_for_a_chosen_option_alone(pred, verdict):
    row = answersim.Reward("rules")(["B"], [pred], ["What is the capital of France?"], [OPTIONS]).rows[0]
    assert (row.verdict, row.score) == (verdict, float(verdict == "right"))


def test_equal_rows_with_other_options_are_decided_apart():
    result = answersim.Reward("rules")(["B"] * 3, ["Paris"] * 3, choices=[OPTIONS, OPTIONS[::-1], OPTIONS[1:]])
    assert result.scores == [1.0, 1.0, 0.0]
    assert answersim.Reward("typed+recall")(["B"] * 2, ["Paris"] * 2, choices=[OPTIONS, OPTIONS[1:]]).scores == [
        1.0,
        0.0,
    ]


def test_a_letter_without_options_never_falls_to_words_or_to_a_network():
    preds = ["Paris", "A and B", "B or C", "not B", "The capital of France is Paris.", "I think so", "Vitamin C"]
    for reward in (answersim.Reward(), answersim.Reward("rules")):
        assert not any(reward(["B"] * len(preds), preds).scores)
    for metric in ("answersim", "typed+recall"):
        scores = answersim.score(["B"] * len(preds), preds, metric, calibration="shipped")
        assert "equivalent" not in scores.verdicts.tolist()


def test_the_options_of_a_table_are_written_as_they_were(tmp_path):
    out = tmp_path / "out.csv"
    answersim.score_file(FILE, ["typed"], out)
    assert [row["choices"] for row in files.read(out).rows] == [row["choices"] for row in ROWS]
