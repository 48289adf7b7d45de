"""Subsets: by shared words always, by length, question, language, or a column where asked."""

import numpy as np
import pytest

from answersim.agreement.subsets import question_kind, subsets
from answersim.judgements import judgements

COLUMNS = {
    "gold": ["Rome", "the big blue whale", "Oslo", "1", "Paris France", "a b c d e f g"],
    "pred": ["rome", "whale", "Bergen", "2", "Lyon", "g"],
    "label": [1, 1, 0, 0, 1, 1],
    "question": ["Where?", "what is it", "Which town?", "how many", "name it", "Who?"],
    "source": ["x", "y", "x", "y", "x", "y"],
    "year": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
}


def found(by, **changed):
    return subsets(judgements(COLUMNS | changed, question="question", lang="en"), by)


def test_all_and_the_two_of_shared_words_are_always_there():
    parts = found([])
    assert list(parts) == ["all", "F1=0", "F1!=0"]
    assert parts["F1=0"].tolist() == [False, False, True, True, True, False]
    assert (parts["F1=0"] ^ parts["F1!=0"]).all()


@pytest.mark.parametrize("by", ["length", "question", "lang", "source", "year"])
def test_the_subsets_of_one_kind_hold_every_row_once(by):
    parts = [mask for name, mask in found([by]).items() if name.startswith(f"{by}=")]
    assert np.sum(parts, axis=0).tolist() == [1] * 6


def test_lengths_are_counted_in_words_of_the_gold_answer():
    parts = found(["length"])
    assert parts["length=0-1"].tolist() == [True, False, True, True, False, False]
    assert parts["length=2"].tolist() == [False, False, False, False, True, False]
    assert parts["length=3-5"].tolist() == [False, True, False, False, False, False]
    assert parts["length=6+"].tolist() == [False] * 5 + [True]


def test_questions_are_told_by_the_word_that_asks():
    assert [name.removeprefix("question=") for name in found(["question"]) if "question" in name] == [
        *("how many", "what", "where", "which", "who", "other")
    ]
    assert question_kind("In welchem Jahr starb er?", "de") == "welche"
    assert question_kind("Wie viele Monde hat er?", "de-AT") == "wie viele"
    assert question_kind("somewhere over the rainbow") == "other"


def test_a_column_of_many_numbers_is_cut_into_quarters():
    year = list(range(100))
    columns = {name: [values[i % 6] for i in range(100)] for name, values in COLUMNS.items()}
    parts = subsets(judgements(columns | {"year": year}), ["year"])
    assert [name for name in parts if "year" in name] == [
        "year=0 .. 24.75",
        "year=24.75 .. 49.5",
        "year=49.5 .. 74.25",
        "year=74.25 .. 99",
    ]
    assert [int(mask.sum()) for name, mask in parts.items() if "year" in name] == [25] * 4


def test_a_column_goes_before_the_built_in_of_its_name():
    assert "length=short" in found(["length"], length=["short"] * 6)


def test_what_makes_no_subsets_is_refused():
    with pytest.raises(LookupError, match="did you mean 'source'"):
        found(["sources"])
    unasked = {name: values for name, values in COLUMNS.items() if name != "question"}
    with pytest.raises(ValueError, match="has no questions"):
        subsets(judgements(unasked), ["question"])
    columns = {name: [values[i % 6] for i in range(30)] for name, values in COLUMNS.items()}
    with pytest.raises(ValueError, match="30 different values"):
        subsets(judgements(columns | {"note": [f"n{i}" for i in range(30)]}), ["note"])
