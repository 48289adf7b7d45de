import pickle

import pytest

import answersim
from answersim.metrics import official
from answersim.metrics.catalog import lookup
from answersim.types import Pair
from tests.cases import every

TEXTS = [name for name in official.profiles() if official.profile(name).input == "texts"]


@every("name", TEXTS)
def test_the_metric_is_the_first_number_of_the_result(name):
    pairs = [Pair("Rome", "in Rome"), Pair("the 5", "-5"), Pair("", "x"), Pair("a b", "b")]
    metric = answersim.metric(f"official:{name}")
    first = official.profile(name).parts[0]
    expected = [official.score(name, [gold], pred).get(first) for gold, pred in pairs[:2]]
    assert metric(pairs[:2]).tolist() == [float(value) for value in expected]
    assert pickle.loads(pickle.dumps(metric)) == metric


def test_the_signature_has_the_commit_the_part_and_the_settings():
    assert answersim.metric("official:drop").signature == "official:drop@b1f3722|rev:2"
    assert answersim.metric("official:drop", part="em").signature == "official:drop@b1f3722|part:em|rev:2"
    assert answersim.metric("official:math", mode="pair").signature == "official:math@985bdc1|mode:pair|rev:1"


def test_the_best_of_several_gold_answers_counts():
    assert answersim.score(["Oslo", "U.S."], "us", metric="official:squad") == 1.0


def test_structured_gold_answers_are_json_text():
    gold = '["Tom Brady", "Peyton Manning"]'
    assert answersim.score(gold, "Tom Brady and Peyton Manning", metric="official:drop") == 0.29
    assert answersim.score('{"number": "5"}', "five 5", metric="official:drop") == 0.67
    assert answersim.score('[["Rome", "Roma"], ["Oslo"]]', "Roma", metric="official:asqa_str_em") == 50.0
    assert answersim.score('[["Rome", "Roma"]]', '["Roma"]', metric="official:qampari") == 1.0
    row = '{"golds": [5], "scale": "million", "answer_type": "arithmetic"}'
    assert answersim.score(row, "5 million", metric="official:tatqa") == 1.0
    assert answersim.score('["yes", "no"]', "yes", metric="official:coqa") == 0.5


def test_a_gold_answer_that_the_rule_cannot_read_is_named():
    with pytest.raises(ValueError, match=r"official:gsm8k, pair 1.*'Rome'"):
        answersim.score("Rome", "#### 5", metric="official:gsm8k")


def test_what_is_no_metric_says_why():
    with pytest.raises(LookupError, match="reply of a judge"):
        answersim.metric("official:simpleqa")
    with pytest.raises(LookupError, match="see minerva"):
        answersim.metric("official:lmeval_minerva_text")
    with pytest.raises(LookupError, match="'f1'"):
        answersim.metric("official:drop", part="f2")
    with pytest.raises(TypeError, match="part"):
        answersim.metric("official:drop", mode="pair")
    with pytest.raises(LookupError, match="profile"):
        answersim.metric("official:drop", profile="squad")


def test_the_catalog_knows_the_entry_and_no_plug_in_can_take_the_name():
    assert lookup.entry("official:drop").kind == "lexical"
    assert lookup.options_of("official:verl_gsm8k") == ("part", "format_score")
    assert not lookup.reads_question("official:drop")
    assert lookup._is_taken("official:mine")
