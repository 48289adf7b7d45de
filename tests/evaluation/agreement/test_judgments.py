"""Judged pairs read from files, data frames and columns: no answer lost, no number taken for what it is not."""

import json

import numpy as np
import pandas as pd
import pytest

import answersim
from answersim.evaluation.agreement.judgments import judgments
from answersim.types import Pair
from tests.cases import every

COLUMNS = {
    "id": [1, 2, 3],
    "gold": ["NA", "Rome", "1945"],
    "pred": ["None", "in Rome", "1946"],
    "label": [0, 2, 1],
    "tool": [0.1, 0.9, 0.5],
    "source": ["web", "book", "web"],
    "question": ["who?", "where?", "when?"],
}


def test_a_file_a_data_frame_and_columns_say_the_same(tmp_path):
    path = tmp_path / "judged.csv"
    pd.DataFrame(COLUMNS).to_csv(path, index=False)
    result = [judgments(each, question="question") for each in (path, pd.DataFrame(COLUMNS), COLUMNS)]
    assert [each.name for each in result] == ["judged", "judgments", "judgments"]
    for each in result:
        assert each.pairs == (Pair("NA", "None"), Pair("Rome", "in Rome"), Pair("1945", "1946"))
        assert each.labels.tolist() == [0.0, 2.0, 1.0]
        assert each.scores["tool"].values.tolist() == [0.1, 0.9, 0.5]
        assert list(each.scores) == ["tool"]
        assert each.questions == ("who?", "where?", "when?")
        assert list(each.columns) == ["id", "source"]
        assert each.lang == "en"


def test_scores_can_be_chosen_and_columns_kept_from_being_scores():
    assert list(judgments(COLUMNS, scores=["id"]).scores) == ["id"]
    assert list(judgments(COLUMNS, scores=[]).scores) == []
    kept = judgments(COLUMNS, columns=["tool"])
    assert list(kept.scores) == []
    assert kept.columns["tool"] == [0.1, 0.9, 0.5]


def test_metrics_are_computed_under_the_name_they_are_asked_by():
    data = judgments(COLUMNS, metric=["f1", "em"])
    expected = answersim.score(COLUMNS["gold"], COLUMNS["pred"], "f1")
    assert data.scores["f1"] == expected
    assert list(data.scores) == ["tool", "f1", "em"]


def test_a_column_that_bears_the_name_of_a_computed_metric_is_kept_apart():
    data = judgments(COLUMNS | {"f1": [0.3, 0.2, 0.1]}, metric=["f1"])
    assert data.scores["f1 (file)"].values.tolist() == [0.3, 0.2, 0.1]
    assert data.scores["f1"].signature.startswith("f1|")


def test_the_label_of_several_raters_is_their_mean():
    data = judgments(COLUMNS | {"other": [1, None, 1]}, label=["label", "other"])
    assert data.labels.tolist() == [0.5, 2.0, 1.0]
    np.testing.assert_array_equal(data.raters["other"], [1.0, np.nan, 1.0])


def test_rows_that_nobody_judged_are_left_out_and_counted():
    with pytest.warns(UserWarning, match="1 of 3 rows have no label"):
        data = judgments(COLUMNS | {"label": ["0", " ", "1"]}, metric=["em"], question="question")
    assert data.pairs == (Pair("NA", "None"), Pair("1945", "1946"))
    assert data.scores["tool"].values.tolist() == [0.1, 0.5]
    assert data.columns["source"] == ["web", "web"]
    assert data.questions == ("who?", "when?")


def test_of_several_references_the_best_counts_and_the_nearest_is_kept(tmp_path):
    path = tmp_path / "several.jsonl"
    rows = [{"gold": ["Big Apple", "New York City"], "pred": "New York", "label": 2}] * 2
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    data = judgments(path, metric=["f1"])
    assert data.pairs[0] == Pair("New York City", "New York")
    assert data.scores["f1"].values.tolist() == [0.8, 0.8]


def test_the_nearest_reference_is_found_by_the_words_of_the_language():
    german = {"gold": [["der der Baum", "Hund laut"]], "pred": ["der Hund bellt der"], "label": [1]}
    assert judgments(german, lang="de").pairs[0].gold == "Hund laut"
    assert judgments(german, lang="en").pairs[0].gold == "der der Baum"  # to English, "der" is a word


def test_a_subset_keeps_all_that_is_its_own():
    whole = judgments(COLUMNS | {"other": [1, None, 1]}, label=["label", "other"], metric=["f1"], question="question")
    part = whole.where(np.array([False, True, True]))
    assert part.pairs == whole.pairs[1:]
    assert part.scores["f1"].values.tolist() == whole.scores["f1"].values[1:].tolist()
    assert part.scores["f1"].signature == whole.scores["f1"].signature
    assert part.columns["id"] == [2, 3]
    assert part.questions == ("where?", "when?")
    np.testing.assert_array_equal(part.raters["other"], [np.nan, 1.0])


@every(
    ("changed", "how", "message"),
    [
        ({}, {"label": "labels"}, "did you mean 'label'"),
        ({}, {"label": []}, "label names no column"),
        ({}, {"label": ["label", "label"]}, "requested twice"),
        ({}, {"scores": ["source"]}, "row 1: the score 'source' is 'web'"),
        ({}, {"metric": ["f2"]}, "no metric is called 'f2'"),
        ({"label": [0, "good", 1]}, {}, "row 2: 'label' is 'good', but it must be a number"),
        ({"label": [0, float("inf"), 1]}, {}, "row 2: 'label' is inf, but it must be a finite number"),
        ({"label": ["", "", ""]}, {}, "none has a label"),
        ({"pred": ["a", b"c", "b"]}, {}, "row 2: 'pred' is b'c'"),
        ({"pred": ["a"]}, {}, "different lengths"),
    ],
)
def test_what_cannot_be_read_is_stated_in_one_line(changed, how, message):
    with pytest.raises((ValueError, LookupError), match=message):
        judgments(COLUMNS | changed, **how)


def test_data_of_another_kind_are_refused():
    with pytest.raises(TypeError, match="data is 5"):
        judgments(5)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "nan", "-inf", None, ""])
def test_a_column_of_scores_with_a_gap_is_left_out_aloud_and_refused_by_name(value):
    flawed = COLUMNS | {"tool": [0.1, value, 0.5], "label": [None, 2, 1], "other": [1.0, 2.0, 3.0]}
    with (
        pytest.warns(UserWarning, match="1 of 3 rows"),
        pytest.warns(UserWarning, match=r"row 2: the score 'tool' is .* not studied as scores"),
    ):
        data = judgments(flawed)
    assert list(data.scores) == ["other"]
    with pytest.warns(UserWarning, match="1 of 3 rows"), pytest.raises(ValueError, match="row 2: the score 'tool' is"):
        judgments(flawed, scores=["tool"])


def test_a_table_without_rows_is_refused(tmp_path):
    (tmp_path / "empty.csv").write_text("gold,pred,label\n")
    with pytest.raises(ValueError, match=r"empty\.csv has no rows"):
        judgments(tmp_path / "empty.csv")


def test_a_column_that_stands_twice_in_a_data_frame_is_refused():
    frame = pd.DataFrame([["a", "b", 1, 2]], columns=["gold", "pred", "label", "label"])
    with pytest.raises(ValueError, match="has the column 'label' twice"):
        judgments(frame)


def test_a_column_has_one_role():
    for how in ({"pred": "gold"}, {"question": "gold"}):
        with pytest.raises(ValueError, match="both name the column 'gold'"):
            judgments(COLUMNS, **how)
    for columns in ({"label": ["label", "gold"]}, {"scores": ["label"]}):
        with pytest.raises(ValueError, match="is requested twice"):
            judgments(COLUMNS, **columns)
    with pytest.raises(ValueError, match="'label' contains answers, labels or scores"):
        judgments(COLUMNS, columns=["label"])


def test_no_scores_take_the_name_of_others():
    with pytest.raises(ValueError, match=r"two columns of scores would be called 'f1 \(file\)'"):
        judgments(COLUMNS | {"f1": [0, 0, 1], "f1 (file)": [1, 0, 1]}, metric=["f1"])
