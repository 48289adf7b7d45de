"""The tables of a page of systems: what they contain, in which order, and what is left out of them."""

from typing import Any

import numpy as np

from answersim.calibration.verdicts import VerdictRule
from answersim.evaluation.human_labels import SystemLabels
from answersim.report.comparing import compared
from answersim.report.gathering import SystemAnswers
from answersim.report.system_tables import Shown, shown_tables

RULE = VerdictRule("threshold", "f1", given=0.75)


def answers(**changes: Any) -> SystemAnswers:
    scores = {"old": np.array([0.9, 0.1, 0.5, 0.8]), "new": np.array([0.1, 0.9, 0.5, 0.8])}
    verdicts = {
        "old": np.array(["right", "wrong", "unsure", "right"]),
        "new": np.array(["wrong", "right", "unsure", "right"]),
    }
    fields: dict[str, Any] = {
        "ids": ["1", "2", "3", "4"],
        "golds": ["Rome", ["Oslo", "Bergen"], "Lima", "Bern"],
        "questions": ["q1", "q2", "q3", "q4"],
        "preds": {"old": ["in Rome", "Paris", "Quito", "Bern"], "new": ["Milan", "Bergen", "Quito", "Bern"]},
        "scores": {"f1": scores, "em": {name: np.round(values) for name, values in scores.items()}},
        "signatures": {"f1": "f1|v:1", "em": "em|v:1"},
        "probabilities": scores,
        "verdicts": verdicts,
        "finals": {},
        "labels": {},
    }
    return SystemAnswers(**(fields | changes))


def columns(shown: Shown, table: str) -> dict[str, list[Any]]:
    """Return the values of each column as the reader sees them."""
    texts = shown.data["texts"]
    return {
        column["name"]: [texts[at] for at in column["at"]]
        if column["kind"] == "text"
        else [column["choices"][value] for value in column["values"]]
        if column["kind"] == "choice"
        else column["values"]
        for column in shown.data["tables"][table]["columns"]
    }


def test_all_answers_are_listed_wrong_ones_first_with_a_column_per_metric():
    shown = columns(shown_tables(answers(), ()), "answers")
    assert list(shown) == ["system", "verdict", "p right", "f1", "em", "question", "gold", "prediction", "row"]
    assert shown["verdict"] == ["wrong", "wrong", "unsure", "unsure", "right", "right", "right", "right"]
    assert shown["p right"] == [0.1, 0.1, 0.5, 0.5, 0.8, 0.8, 0.9, 0.9]
    assert (shown["system"][:2], shown["row"][:2]) == (["old", "new"], ["2", "1"])
    assert shown["gold"][0] == "Oslo | Bergen"
    assert shown["prediction"][:2] == ["Paris", "Milan"]
    assert shown["em"][:2] == [0, 0]


def test_what_changed_is_listed_with_both_answers():
    data = answers()
    shown = shown_tables(data, compared(data, "f1", RULE))
    changes = columns(shown, "changes")
    assert changes["change"] == ["went wrong", "became right"]
    assert changes["answer: old"] == ["in Rome", "Paris"]
    assert changes["answer: new"] == ["Milan", "Bergen"]
    assert changes["verdict: old"] == ["right", "wrong"]
    assert changes["score: new"] == [0.1, 0.9]
    assert changes["row"] == ["1", "2"]
    assert shown.changes_words == "2 answers changed."


def test_rows_that_are_left_out_are_counted_and_right_ones_go_first():
    data = answers()
    shown = shown_tables(data, compared(data, "f1", RULE), most_answers=4, most_changes=1)
    assert columns(shown, "answers")["verdict"] == ["wrong", "wrong", "unsure", "unsure"]
    assert columns(shown, "changes")["change"] == ["went wrong"]
    assert shown.answers_words.startswith("4 of 8 answers")
    assert "The other 4 are not on this page" in shown.answers_words
    assert "2 answers changed. The first 1 are on this page, and 1 are not" in shown.changes_words


def test_texts_that_are_shortened_are_counted():
    long = answers(questions=["q" * 10_000, *"234"])
    shown = shown_tables(long, (), budget=3_000)
    assert "1 texts have more than 2,000 characters" in shown.answers_words
    assert max(map(len, shown.data["texts"])) < 2_100


def test_labels_and_no_verdicts_are_columns_too():
    labels = {"old": SystemLabels(np.array([1, 0, np.nan, np.nan])), "new": SystemLabels(np.full(4, np.nan))}
    shown = columns(shown_tables(answers(labels=labels, verdicts={}, probabilities={}), ()), "answers")
    assert list(shown)[:3] == ["system", "label", "f1"]
    assert sorted(value for value in shown["label"] if value is not None) == [0, 1]
    assert shown["f1"] == sorted(shown["f1"])


def test_one_system_has_no_column_of_systems():
    data = answers()
    one = data._replace(
        preds={"old": data.preds["old"]},
        scores={"f1": {"old": data.scores["f1"]["old"]}},
        verdicts={"old": data.verdicts["old"]},
        probabilities={"old": data.probabilities["old"]},
    )
    assert "system" not in columns(shown_tables(one, ()), "answers")


def test_an_empty_table_is_noted():
    assert shown_tables(None, ()).answers is None
    assert "Single answers are not shown" in shown_tables(None, ()).answers_words
    data = answers()
    systems = ("old", "new")
    same = data._replace(
        scores={"f1": dict.fromkeys(systems, data.scores["f1"]["old"])},
        verdicts=dict.fromkeys(systems, data.verdicts["old"]),
    )
    assert shown_tables(same, compared(same, "f1", RULE)).changes is None
