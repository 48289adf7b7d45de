import json

import pytest

from answersim.evaluation.systems.official_tables import DEFINITIONS, OURS, official_table
from answersim.metrics import official

# 40 answers: "US" inside a longer word counts as a substring, and not as a word.
DATA = {
    "gold": [["US", "U.S."]] * 20 + [["Rome"]] * 20,
    "a": ["He used it"] * 20 + ["Rome"] * 20,
    "b": ["the U.S."] * 20 + ["Oslo"] * 20,
}


def test_each_definition_is_the_mean_of_the_owners_rule():
    table = official_table(DATA, pred=["a", "b"], profiles=["all"])
    assert len(table.rows) == len(DEFINITIONS)
    rows = list(zip(DATA["gold"], DATA["b"], strict=True))
    by_name = {row.name: row for row in table.rows}
    em = [float(official.score("squad", golds, pred)["exact_match"]) for golds, pred in rows]
    assert by_name["official:squad"].values["b"].value == 100 * sum(em) / len(em) == 50
    assert by_name["official:triviaqa"].values["b"].value == 50  # "u s" is among the gold answers
    assert by_name["official:asqa_str_em"].values["a"].value == 100
    assert by_name[OURS].values["a"].value == 50
    low, high = by_name[OURS].values["a"][1:]
    assert 30 < low < 50 < high < 70


def test_definitions_of_one_word_that_disagree_are_named():
    table = official_table(DATA, pred=["a", "b"])
    (found, *_) = [one for one in table.disagreements if one.word == "containment"]
    assert (found.system, found.high, found.low, found.lowest) == ("a", 100.0, 50.0, OURS)
    assert "containment of a: 100.0" in str(table)
    assert OURS in table.orders["containment"] or table.orders["containment"] == ()
    equal = official_table({"gold": ["Rome"], "pred": ["Rome"]})
    assert str(equal) == "no two definitions of one word differ by more than their intervals"


def test_an_order_that_depends_on_the_definition_is_named():
    data = {"gold": ["US"] * 4, "a": ["used"] * 4, "b": ["US"] * 3 + ["x"]}
    table = official_table(data, pred=["a", "b"])
    assert OURS in table.orders["containment"]
    assert any(line.startswith("the order of the systems by containment") for line in table.summary())


def test_the_result_is_json_and_markdown():
    table = official_table(DATA, pred=["a", "b"])
    assert json.loads(table.to_json())["systems"] == ["a", "b"]
    assert "| official:squad |" in table.to_markdown().replace("  ", " ")


def test_a_profile_without_a_definition_for_short_answers_is_refused():
    with pytest.raises(LookupError, match="short answers"):
        official_table(DATA, pred="a", profiles=["mmlu_pro"])
    with pytest.raises(LookupError, match="triviaqa"):
        official_table(DATA, pred="a", profiles=["trivia"])
