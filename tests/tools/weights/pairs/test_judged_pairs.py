"""Pairs from judged answers: which gold answer stands for a question, and which pairs a question gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.evaluation.data.system_answers import SystemAnswer
from answersim.training.data.pairs import TrainingPair
from tools.weights.pairs.judged_pairs import (
    alias_pairs,
    main_gold,
    names_of,
)


def answered(golds, *answers, question="Who?", part="train"):
    """The answers, each with its verdict, to one question."""
    return [
        SystemAnswer(question, golds, f"system{i}", answer, right, part) for i, (answer, right) in enumerate(answers)
    ]


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("golds", "names"),
    [
        pytest.param(("Paris", "Lutetia"), ["Paris", "Lutetia"], id="plain"),
        pytest.param(("Ox (beast)", "Ox", "Elk (a, b) "), ["Ox", "Elk"], id="what tells namesakes apart, each once"),
        pytest.param(("List of oxen", "History of oxen", "Ox"), ["Ox"], id="lists"),
        pytest.param(("Listeria", "Historian"), ["Listeria", "Historian"], id="words that begin so"),
        pytest.param(("Ox (disambiguation)", "Ox (1999 film)", "Oxen"), ["Oxen"], id="other things of that name"),
        pytest.param(("ISO 3166-1:OX", "RGB 1 2 3", "Ox"), ["Ox"], id="codes"),
        pytest.param(("!!", "(Ox)", "!! (Ox)", "Elk"), ["Elk"], id="nothing is left"),
        pytest.param(("x" * 61, "x" * 60, "Ox"), ["x" * 60, "Ox"], id="too long"),
        pytest.param(("List of oxen", "!!"), ["List of oxen"], id="else the first"),
    ],
)
def test_names_are_gold_answers_that_can_be_names(golds, names):
    assert names_of(answered(golds, ("Ox", True))[0]) == names


texts = st.text("ab (/.", max_size=8)


@given(st.lists(texts, min_size=1, max_size=5), st.lists(st.tuples(texts, st.booleans()), min_size=1, max_size=4))
def test_the_main_gold_is_a_name_of_its_question(golds, answers):
    question = answered(tuple(golds), *answers)
    assert main_gold(question) in names_of(question[0])


def test_aliases_are_other_names_but_no_pages_about_the_entity():
    pages = ("Big Utah State", "Land of Salt", "Bees in Hives")
    golds = ("Utah", "UTAH", "Deseret", "Utah State", *pages, "US-UT")
    pairs = alias_pairs(answered(golds, ("Utah", True), question="Where?"), most=9, rng=rng())
    assert {pair.second for pair in pairs} == {"Deseret", "Utah State", "US-UT"}
    assert {pair._replace(second="") for pair in pairs} == {
        TrainingPair("Utah", "", 1.0, "train", "evouna:alias", "Where?")
    }


def several(*golds):
    """A question for each of these gold answers, rightly answered."""
    return [each for i, gold in enumerate(golds) for each in answered((gold, "Bull"), (gold, True), question=f"{i}?")]
