"""Official scorers evaluate systems with the numbers of their programs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from answersim.evaluation.data.minimal_pairs import MinimalPair
from answersim.evaluation.systems import official_probe as module
from answersim.evaluation.systems.official_probe import SIDES, official_probe
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
    (result, *_) = [disagreement for disagreement in table.disagreements if disagreement.word == "containment"]
    assert (result.system, result.high, result.low, result.lowest) == ("a", 100.0, 50.0, OURS)
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


def family(i: int, gold: str, same: str, different: str) -> MinimalPair:
    return MinimalPair("en", "x", f"en-x-{i:03}", "dev", "", gold, same, different)


@pytest.fixture
def families(monkeypatch: Any) -> None:
    pairs = [family(0, "U.S.A.", "USA", "UK"), family(1, "art", "the art", "Mozart"), family(2, "5", "five", "-5")]
    monkeypatch.setattr(module, "minimal_pairs", lambda lang, part: pairs)


def test_each_definition_has_its_share_of_rewrites_and_of_close_misses(families: None) -> None:
    table = official_probe(profiles=["squad", "triviaqa", "drop", "popqa"])
    assert table.systems == SIDES
    shares = {row.name: [round(row.values[side].value, 1) for side in SIDES] for row in table.rows}
    assert shares["official:squad"] == [66.7, 33.3]  # U.S.A. is usa, and -5 is 5
    assert shares["official:triviaqa"] == [33.3, 33.3]  # U.S.A. is u s a
    assert shares["official:drop, em"] == [66.7, 33.3]
    assert shares["official:popqa"] == [33.3, 66.7]  # art is in Mozart


def test_twins_are_one_cluster() -> None:
    assert official_probe(profiles=["squad"], part="test").n > 100


def test_another_part_is_an_error_that_names_the_parts() -> None:
    with pytest.raises(LookupError, match="dev"):
        official_probe(part="train")
