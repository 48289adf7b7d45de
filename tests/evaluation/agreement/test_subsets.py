"""Subsets: by shared words always, by length, question, language, or a column where asked."""

from typing import Any

import numpy as np
import pytest

from answersim.evaluation.agreement.judgments import judgments
from answersim.evaluation.agreement.subsets import f1_is_zero, question_kind, subsets
from answersim.types import Pair
from tests.cases import every

COLUMNS: dict[str, list[Any]] = {
    "gold": ["Rome", "the big blue whale", "Oslo", "1", "Paris France", "a b c d e f g"],
    "pred": ["rome", "whale", "Bergen", "2", "Lyon", "g"],
    "label": [1, 1, 0, 0, 1, 1],
    "question": ["Where?", "what is it", "Which town?", "how many", "name it", "Who?"],
    "source": ["x", "y", "x", "y", "x", "y"],
    "year": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
}


def found(by, **changed):
    return subsets(judgments(COLUMNS | changed, question="question", lang="en"), by)


def test_all_and_the_two_of_shared_words_are_always_there():
    parts = found([])
    assert list(parts) == ["all", "F1=0", "F1!=0"]
    assert parts["F1=0"].tolist() == [False, False, True, True, True, False]
    assert (parts["F1=0"] ^ parts["F1!=0"]).all()


@every("by", ["length", "question", "lang", "source", "year"])
def test_the_subsets_of_one_kind_hold_every_row_once(by):
    parts = [mask for name, mask in found([by]).items() if name.startswith(f"{by}=")]
    assert np.sum(parts, axis=0).tolist() == [1] * 6


def test_lengths_are_counted_in_words_of_the_gold_answer():
    parts = found(["length"])
    assert parts["length=0-1"].tolist() == [True, False, True, True, False, False]
    assert parts["length=2"].tolist() == [False, False, False, False, True, False]
    assert parts["length=3-5"].tolist() == [False, True, False, False, False, False]
    assert parts["length=6+"].tolist() == [False] * 5 + [True]


def test_questions_are_reported_by_the_word_that_asks():
    assert [name.removeprefix("question=") for name in found(["question"]) if "question" in name] == [
        *("how many", "what", "where", "which", "who", "other")
    ]
    assert question_kind("In welchem Jahr starb er?", "de") == "welche"
    assert question_kind("Wie viele Monde hat er?", "de-AT") == "wie viele"
    assert question_kind("somewhere over the rainbow") == "other"


def test_a_column_of_many_numbers_is_cut_into_quarters():
    year = list(range(100))
    columns = {name: [values[i % 6] for i in range(100)] for name, values in COLUMNS.items()}
    parts = subsets(judgments(columns | {"year": year}), ["year"])
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
        subsets(judgments(unasked), ["question"])
    columns = {name: [values[i % 6] for i in range(30)] for name, values in COLUMNS.items()}
    with pytest.raises(ValueError, match="30 different values"):
        subsets(judgments(columns | {"note": [f"n{i}" for i in range(30)]}), ["note"])


def test_where_f1_is_0_is_decided_by_the_words_of_the_language_that_is_named():
    pairs = [
        Pair("der Hund", "der Baum"),
        Pair("the dog", "the tree"),
        Pair("US", "Russia"),
        Pair("The", "A"),
        Pair("", ""),
    ]
    masks = {
        key: f1_is_zero(pairs, lang=key[0], profile=key[1]).tolist()
        for key in (("de", None), ("en", None), ("en", "squad"))
    }
    assert masks["de", None] == [True, False, True, True, False]
    assert masks["en", None] == [False, True, True, True, False]
    assert masks["en", "squad"] == [False, True, True, False, False]  # no word is left of "The" and "A": both are empty


def test_a_recorded_f1_decides_where_it_is_0():
    pairs = [Pair("a b", "c"), Pair("b", "b")]
    assert f1_is_zero(pairs, lang="en", profile="squad", recorded=[0.3, 0]).tolist() == [False, True]
    with pytest.raises(ValueError, match=r"recorded has the shape \(1,\), but there are 2 pairs"):
        f1_is_zero(pairs, lang="en", profile="squad", recorded=[0.3])


def test_all_that_split_by_shared_words_ask_the_same_function(monkeypatch):
    """Study, tables of the paper and regression report have no rule of their own."""
    from answersim.evaluation.data import LabeledPairs
    from answersim.training import regression
    from benchmarks import figures, paper_sets

    def every(pairs, *, lang, profile, recorded=None):
        return np.arange(len(pairs)) == 1

    pairs = (Pair("x", "x"), Pair("y", "y"), Pair("z", "q"))
    data = LabeledPairs("probe", "en", pairs, [0, 1, 2])
    monkeypatch.setattr("answersim.evaluation.agreement.subsets.f1_is_zero", every)
    for split in (regression.subsets, paper_sets.subsets, figures.parts):
        assert split(data)["F1=0"].tolist() == [False, True, False]
        assert split(data)["F1!=0"].tolist() == [True, False, True]
    table = {"gold": ["x", "y", "z"], "pred": ["x", "y", "q"], "label": [0, 1, 2]}
    assert subsets(judgments(table))["F1=0"].tolist() == [False, True, False]
