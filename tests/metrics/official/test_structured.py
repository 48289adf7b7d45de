"""Structured gold answers in files: JSON lines and CSV give the same numbers in each function that reads answers."""

import csv
import json

import pytest
from typer.testing import CliRunner

import answersim
from answersim.__main__ import app
from answersim._base.golds import StructuredGold
from answersim.evaluation.systems.official_tables import official_table

ROWS = [  # DROP: several spans, a number, a date, and two annotators who differ
    ({"spans": ["Tom Brady", "Peyton Manning"]}, "Tom Brady and Peyton Manning", 0.29),
    ({"number": "5"}, "five 5", 0.67),
    ({"date": {"day": "5", "month": "May", "year": ""}}, "5 May", 1.0),
    ([{"number": "5"}, {"spans": ["6 yards"]}], "6 yards", 1.0),
    ([["Tom Brady", "Peyton Manning"]], "Tom Brady", 0.5),
]


def jsonl(folder, rows):
    file = folder / "answers.jsonl"
    lines = [json.dumps({"id": str(i), "gold": gold, "pred": pred}) for i, (gold, pred, *_) in enumerate(rows)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def table(folder, rows):
    file = folder / "answers.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(["id", "gold", "pred"])
        writer.writerows([i, json.dumps(gold), pred] for i, (gold, pred, *_) in enumerate(rows))
    return file


@pytest.mark.parametrize("written", [jsonl, table])
def test_evaluate_and_score_read_the_structure(tmp_path, written):
    file = written(tmp_path, ROWS)
    (row,) = answersim.evaluate(file, metric="official:drop").rows
    assert row.mean.value == pytest.approx(sum(score for *_, score in ROWS) / len(ROWS))
    result = CliRunner().invoke(app, ["score", str(file), "--metric", "official:drop", "-o", str(tmp_path / "out.csv")])
    assert result.exit_code == 0, result.output
    with (tmp_path / "out.csv").open(encoding="utf-8") as scored:
        assert [float(row["official:drop"]) for row in csv.DictReader(scored)] == [score for *_, score in ROWS]


def test_a_structure_is_read_from_values_too():
    assert answersim.score([[["Rome", "Roma"], ["Oslo"]]], ["Roma"], metric="official:asqa_str_em")[0] == 50.0
    row = {"golds": [5], "scale": "million", "answer_type": "arithmetic"}
    assert answersim.score([row], ["5 million"], metric="official:tatqa")[0] == 1.0


def test_the_answers_of_all_annotators_are_one_gold_answer():
    assert answersim.score(["yes", "no"], "yes", metric="official:coqa") == 0.5
    assert (
        answersim.score(["the", "x"], "the", metric="official:squad2") == 0.0
    )  # "the" is dropped, because "x" is left
    scores = answersim.score_pairs([(["yes", "no"], "yes"), ("no", "no")], ["em", "official:coqa"])
    assert scores["em"].values.tolist() == [1.0, 1.0]
    assert scores["official:coqa"].values.tolist() == [0.5, 1.0]


def test_a_metric_of_texts_refuses_a_structure_and_says_what_reads_it():
    with pytest.raises(ValueError, match="is a structure, but em"):
        answersim.score([{"spans": ["Rome"]}], ["Rome"], metric="em")
    with pytest.raises(ValueError, match="official:squad"):
        answersim.score_pairs([({"spans": ["Rome"]}, "Rome")], ["official:drop", "official:squad"])


def test_a_reader_of_answers_marks_structures_and_leaves_alternatives(tmp_path):
    answers = answersim.read_answers(jsonl(tmp_path, [(["Rome", "Roma"], "x"), ({"spans": ["a|b"]}, "x")]))
    assert answers.golds == [["Rome", "Roma"], '{"spans": ["a|b"]}']
    assert isinstance(answers.golds[1], StructuredGold)
    answers = answersim.read_answers(jsonl(tmp_path, [({"spans": ["a|b"]}, "x")]), split_gold="|")
    assert answers.golds == ['{"spans": ["a|b"]}']


def test_the_table_of_definitions_reads_structures_and_their_texts(tmp_path):
    rows = [({"number": "5"}, "-5"), ([["Rome", "Roma"]], "Roma"), ([{"number": "7"}, {"spans": ["8"]}], "8")]
    found = official_table(jsonl(tmp_path, rows), profiles=["squad", "drop"])
    shares = {row.name: round(row.values["answers"].value, 1) for row in found.rows if row.word == "exact match"}
    assert shares == {"official:squad": 100.0, "official:drop, em": 66.7}
    with pytest.raises(ValueError, match="several spans or answers"):
        official_table(jsonl(tmp_path, ROWS), profiles=["squad"])
    found = official_table(jsonl(tmp_path, ROWS), profiles=["drop"])
    (f1,) = [row for row in found.rows if row.word == "F1"]
    assert f1.values["answers"].value == pytest.approx(100 * sum(score for *_, score in ROWS) / len(ROWS))
