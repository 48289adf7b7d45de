"""The answers of a page: those of the evaluation in the order of the file, more metrics, and labels by id."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from answersim.answers.blocks import Columns
from answersim.answers.reader import Answers, read_answers
from answersim.calibration.verdicts import ANSWER_VERDICTS
from answersim.catalog.lookup import metric
from answersim.evaluation.systems import evaluate
from answersim.report.gathering import answers_of, answers_read, labels_of, with_labels, with_metrics

DATA: dict[str, Any] = {
    "gold": ["Rome", ["NFL", "National Football League"], "Oslo", "red stone", "Lima"],
    "a": ["in Rome", "NBA", "Bergen", "a red", "Lima"],
    "b": ["Milan", "the NFL", "Oslo", "red stone", "Quito"],
    "question": ["q1", "q2", "q3", "q4", "q5"],
}


def evaluated(**changes: Any) -> Any:
    how: dict[str, Any] = {"pred": ["a", "b"], "question": "question", "keep": ANSWER_VERDICTS}
    return evaluate(DATA, "recall", **(how | changes))


def test_answers_are_those_of_the_data_in_their_order():
    answers = answers_of(evaluated())
    assert answers.ids == ["1", "2", "3", "4", "5"]
    assert answers.golds == DATA["gold"]
    assert answers.questions == DATA["question"]
    assert answers.preds == {"a": DATA["a"], "b": DATA["b"]}
    assert answers.scores["recall"]["a"].tolist() == [1, 0, 0, 0.5, 1]
    assert answers.verdicts["a"].tolist()[:2] == ["right", "wrong"]
    assert list(answers.signatures) == ["recall"]


def test_rows_are_in_numerical_order_and_names_in_that_of_the_alphabet():
    data = {"gold": ["x"] * 12, "pred": ["x"] * 12, "id": [str(i) for i in range(12)]}
    assert answers_of(evaluate(read_answers(data, id="id"), "recall", keep=ANSWER_VERDICTS)).ids == [
        str(i) for i in range(12)
    ]


def test_an_evaluation_that_does_not_list_all_answers_is_refused():
    with pytest.raises(ValueError, match=r'lists 2 of 5 answers of a, .*evaluate with keep=\("right"'):
        answers_of(evaluated(keep=("wrong",)))


def test_answers_are_read_without_a_calibration_and_scored():
    read = answers_read(Answers(DATA, Columns(preds=("a", "b"), question="question")))
    assert read.scores == {}
    answers = with_metrics(read, {name: metric(name) for name in ("em", "recall")})
    assert answers.scores["em"]["b"].tolist() == [0, 1, 1, 1, 0]  # without articles
    expected = answers_of(evaluated())
    for system in ("a", "b"):
        np.testing.assert_array_equal(answers.scores["recall"][system], expected.scores["recall"][system])
    assert answers.signatures["recall"] == expected.signatures["recall"]


def test_no_more_metrics_change_nothing():
    answers = answers_of(evaluated())
    assert with_metrics(answers, {}) is answers


def rows(tmp_path: Path, name: str, values: list[dict[str, Any]]) -> Path:
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in values))
    return path


def test_labels_are_joined_by_id_in_any_order(tmp_path):
    paths = []
    for system in ("a", "b"):
        table = [
            {"id": f"k{i}", "gold": DATA["gold"][i], "pred": DATA[system][i], "label": i % 2 if i < 4 else None}
            for i in range(5)
        ]
        paths.append(rows(tmp_path, f"{system}.jsonl", table[::-1] if system == "a" else table))
    answers = answers_of(evaluate(paths, "recall", keep=ANSWER_VERDICTS))
    source = read_answers(paths)
    labeled = with_labels(answers, source, labels_of(source, ["label"]))
    at = {key: i for i, key in enumerate(labeled.ids)}
    for system in ("a", "b"):
        values = labeled.labels[system].labels
        assert [values[at[f"k{i}"]] for i in range(4)] == [0, 1, 0, 1]
        assert np.isnan(values[at["k4"]])
    assert labeled.labels["a"].inclusion is None
    with pytest.raises(ValueError, match="2 columns of labels for 2 systems; give one column, which each table has"):
        labels_of(source, ["label", "other"])


def test_the_probabilities_of_a_sample_are_kept(tmp_path):
    table = [
        {"gold": "x", "pred": "x", "label": 1 if i < 2 else float("nan"), "inclusion": 0.2 if i < 2 else None}
        | {"stratum": i if i < 2 else None}
        for i in range(4)
    ]
    path = rows(tmp_path, "one.jsonl", table)
    answers = answers_of(evaluate(path, "recall", keep=ANSWER_VERDICTS))
    source = read_answers(path)
    labeled = with_labels(answers, source, labels_of(source, ["label"]))
    nan = np.nan
    expected = [[1, 1, nan, nan], [0.2, 0.2, nan, nan], [0, 1, nan, nan]]
    np.testing.assert_array_equal(np.stack(labeled.labels["one"]), expected)


@pytest.mark.parametrize(("labels", "expected"), [(["", " "], False), (["", "0"], True), ([None, None], False)])
def test_a_column_without_any_label_is_none(labels, expected, tmp_path):
    path = rows(tmp_path, "one.jsonl", [{"gold": "x", "pred": "x", "label": label} for label in labels])
    source = read_answers(path)
    assert bool(labels_of(source, ["label"])) is expected
    assert not labels_of(source, ["other"])
