"""Labeled pairs as a value, and the traps of CSV files."""

import builtins

import numpy as np
import pytest

from answersim._base.errors import MissingExtraError
from answersim.evaluation.data.labeled import LabeledPairs, read_csv, read_pairs
from answersim.types import Pair
from tests.cases import every


@pytest.fixture
def three():
    return LabeledPairs(
        name="three",
        lang="en",
        pairs=(Pair("a", "b"), Pair("c", "c"), Pair("d", "")),
        labels=[0, 2, np.nan],
        questions=("q1", "q2", "q3"),
        categories=("x", "y", "x"),
        recorded={"f1": [0, 1, 0.5]},
    )


def written(folder, text, encoding="utf-8"):
    path = folder / "pairs.csv"
    path.write_bytes(text.encode(encoding))
    return path


def test_where_keeps_what_belongs_to_a_pair_together(three):
    some = three.where(np.array([True, False, True]))
    assert (some.name, some.lang, len(some)) == ("three", "en", 2)
    assert some.pairs == (Pair("a", "b"), Pair("d", ""))
    assert some.questions == ("q1", "q3")
    assert some.categories == ("x", "x")
    np.testing.assert_array_equal(some.labels, [0, np.nan])
    np.testing.assert_array_equal(some.recorded["f1"], [0, 0.5])


def test_where_of_a_set_without_questions_has_none():
    bare = LabeledPairs("bare", "de", (Pair("a", "b"),), np.array([1.0]))
    assert bare.where([True]).questions is None
    assert len(bare.where([False])) == 0


@pytest.mark.parametrize("mask", [[True, False], [1, 0, 1], [[True, False, True]]])
def test_a_mask_is_one_boolean_a_pair(three, mask):
    with pytest.raises(ValueError, match="a mask for 3 pairs is 3 booleans"):
        three.where(mask)


def test_take_follows_the_order_of_the_positions(three):
    assert three.take([2, 0]).pairs == (Pair("d", ""), Pair("a", "b"))


@every(
    ("field", "value"),
    [("labels", [0.0]), ("questions", ("q",)), ("categories", ("c", "c", "c")), ("recorded", {"f1": [1.0, 2.0, 3.0]})],
)
def test_each_pair_has_one_of_everything(field, value):
    whole = {"name": "two", "lang": "en", "pairs": (Pair("a", "b"),) * 2, "labels": [0, 1]}
    with pytest.raises(ValueError, match="two has 2 pairs but"):
        LabeledPairs(**(whole | {field: value}))


def test_nothing_in_it_can_be_written_into(three):
    with pytest.raises(ValueError, match="read-only"):
        three.labels[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        three.recorded["f1"][0] = 1
    with pytest.raises(TypeError):
        three.recorded["em"] = three.labels
    with pytest.raises(AttributeError):
        three.name = "four"


def test_what_it_was_made_of_stays_free():
    labels = np.array([0.0, 1.0])
    made = LabeledPairs("two", "en", (Pair("a", "b"),) * 2, labels)
    labels[0] = 2
    assert made.labels[0] == 0


def test_to_pandas_has_a_column_for_everything(three):
    pytest.importorskip("pandas")
    frame = three.to_pandas()
    assert list(frame.columns) == ["question", "category", "gold", "pred", "label", "f1"]
    assert frame["pred"].tolist() == ["b", "c", ""]
    frame.loc[0, "f1"] = 9.0
    assert three.recorded["f1"][0] == 0


def test_to_pandas_without_pandas_names_the_extra(three, monkeypatch):
    original = builtins.__import__

    def refuse(name, *rest):
        if name == "pandas":
            raise ImportError(name)
        return original(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtraError, match=r"\[tables\]"):
        three.to_pandas()


def test_columns_go_by_name_and_answers_are_the_texts_of_their_cells(tmp_path):
    path = written(tmp_path, '\ufefflabel,pred,more,gold\n1,NA,x," two\nlines "\n')
    assert read_pairs(path).pairs == (Pair(" two\nlines ", "NA"),)
    assert len(read_pairs(written(tmp_path, "gold,pred,label\n"))) == 0


def test_a_label_that_is_not_there_is_nan(tmp_path):
    labels = read_pairs(written(tmp_path, "gold,pred,label\na,b,\nc,d,2.0\n")).labels
    np.testing.assert_array_equal(labels, [np.nan, 2])


def test_other_columns_are_read_when_they_are_named(tmp_path):
    path = written(tmp_path, "q,answer1,answer2,label,kind,rouge_L\nwhy?,a,b,1, names ,.25\n")
    data = read_pairs(
        path, lang="de", gold="answer1", pred="answer2", question="q", category="kind", recorded={"rouge-l": "rouge_L"}
    )
    assert (data.name, data.lang, data.questions, data.categories) == ("pairs", "de", ("why?",), ("names",))
    assert data.recorded["rouge-l"].tolist() == [0.25]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("gold,label\na,1\n", "no column 'pred'; its first line names: gold, label", id="a column short"),
        pytest.param("gold,pred,label\na,b,good\n", "row 1: label is 'good', but it must be a number", id="a word"),
    ],
)
def test_the_error_for_a_wrong_file_names_the_place(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        read_pairs(written(tmp_path, text))


def test_bytes_of_another_encoding_are_an_error_unless_it_is_named(tmp_path):
    path = written(tmp_path, "gold,pred,label\nMünchen,b,1\n", encoding="mac_roman")
    with pytest.raises(ValueError, match=r"is not UTF-8: byte 0x9f at position 17"):
        read_csv(path)
    assert read_csv(path, encoding="mac_roman")[0]["gold"] == "München"
