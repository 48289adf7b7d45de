"""cascade: each pair is decided by the first sure stage, and later stages run only for the others."""

import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import answersim
from answersim import planning
from answersim.composite.cascade import NOT_NEEDED, Cascade, Decisions
from answersim.composite.stages import DIFFERENT, EQUAL, EVERY, Stage
from answersim.scoring.cache import ScoreCache
from answersim.scoring.cache import score_all as score_all_cached
from answersim.scoring.pairs import check
from answersim.scoring.score import score_checked
from answersim.stats.monotone import Logistic
from answersim.testing.check import PAIRS, check_metric
from answersim.types import Pair, capabilities
from tests.table_metric import Table

ROOT = Path(__file__).parents[2]


def stage(metric: Table, low: float = 0.05, high: float = 0.95) -> Stage:
    return Stage(metric.name, metric, low, high, raw=True)


def last(metric: Table) -> Stage:
    return Stage(metric.name, metric, *EVERY, raw=True)


RULES = Stage("typed", None, *EVERY)
SURE, NOT, OPEN, VALUE, OTHER = (
    Pair("a", "sure"),
    Pair("a", "not"),
    Pair("a", "open"),
    Pair("11", "eleven"),
    Pair("1987", "1978"),
)
ALL = [SURE, NOT, OPEN, VALUE, OTHER]


def tables(cost: str = "remote") -> tuple[Table, Table]:
    cheap = Table("cheap", {SURE: 0.96, NOT: 0.04, OPEN: 0.7}, "light")
    return cheap, Table("judge", {SURE: 0.0, NOT: 1.0, OPEN: 0.2}, cost)


def test_each_pair_has_the_probability_of_the_first_stage_that_is_sure():
    cheap, judge = tables()
    metric = Cascade((RULES, stage(cheap), last(judge)))
    assert metric(ALL).tolist() == [0.96, 0.04, 0.2, EQUAL, DIFFERENT]
    assert cheap.called == [SURE, NOT, OPEN]
    assert judge.called == [OPEN]


@pytest.mark.parametrize(("low", "high", "asked"), [(0.04, 0.96, 1), (0.03, 0.97, 3), (-1.0, 0.96, 2), (0.5, 0.5, 0)])
def test_the_ends_of_the_cuts_are_sure(low, high, asked):
    cheap, judge = tables()
    Cascade((stage(cheap, low, high), last(judge)))([SURE, NOT, OPEN])
    assert len(judge.called) == asked


def test_a_later_stage_that_no_pair_needs_is_not_called():
    cheap, judge = tables()
    assert len(Cascade((RULES, stage(cheap), last(judge)))([SURE, VALUE])) == 2
    assert judge.calls == []
    assert Cascade((RULES, stage(cheap), last(judge)))([]).shape == (0,)


def test_a_single_stage_is_that_metric():
    _, judge = tables()
    assert Cascade((last(judge),))(ALL[:3]).tolist() == [0.0, 1.0, 0.2]


WORDS = ("sure", "not", "open", "eleven", "11", "a", "1978")
texts = st.sampled_from(WORDS)


@given(pairs=st.lists(st.builds(Pair, texts, texts), min_size=1, max_size=8), seed=st.integers(0, 3))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_each_pair_is_decided_by_itself(pairs, seed):
    rng = np.random.default_rng(seed)
    every = [Pair(one, other) for one in WORDS for other in WORDS]
    cheap = Table("cheap", dict(zip(every, rng.random(len(every)), strict=True)))
    judge = Table("judge", dict(zip(every, rng.random(len(every)), strict=True)), "remote")
    metric = Cascade((RULES, stage(cheap, 0.2, 0.8), last(judge)))
    together = metric(pairs)
    assert together.tolist() == [metric([pair])[0] for pair in pairs]
    assert together[::-1].tolist() == metric(pairs[::-1]).tolist()


def test_a_cascade_keeps_the_promises_of_metrics():
    check_metric(answersim.metric("cascade", stages=["typed", "f1", "recall"]))
    cheap, judge = tables()
    check_metric(Cascade((RULES, stage(cheap), last(judge))))
    reading = Table("judge", {}, "remote", reads=True)
    check_metric(Cascade((RULES, stage(cheap), last(reading))), PAIRS)


def test_the_probability_of_a_stage_is_that_of_its_calibration():
    recall, f1 = answersim.metric("recall"), answersim.metric("f1")
    metric = answersim.metric("cascade", stages=["recall", "f1"])
    pairs = [Pair("National Football League", "the football league"), Pair("Rome", "it was in Rome")]
    from answersim.calibration.storing import find

    expected_recall = find("recall").probability(recall(pairs))
    expected_f1 = find("f1").probability(f1(pairs))
    assert expected_recall[0] < 0.95 <= expected_recall[1]
    assert metric(pairs).tolist() == [expected_f1[0], expected_recall[1]]


# --- several gold answers


def golds(scores: dict[str, tuple[float, float]], cost: str) -> tuple[Cascade, Table, Table]:
    cheap = Table("cheap", {(gold, "pred"): one for gold, (one, _) in scores.items()}, "light")
    judge = Table("judge", {(gold, "pred"): other for gold, (_, other) in scores.items()}, cost)
    return Cascade((RULES, stage(cheap), last(judge))), cheap, judge


@pytest.mark.parametrize("cost", ["model", "remote"])
def test_the_judge_is_not_called_if_one_gold_answer_is_accepted(cost):
    metric, cheap, judge = golds({"no": (0.01, 1.0), "open": (0.9, 1.0), "yes": (0.97, 0.0)}, cost)
    score = answersim.score(["no", "open", "yes"], "pred", metric)
    assert (float(score), score.reference) == (0.97, 2)
    assert len(cheap.called) == 3
    assert judge.called == []


@pytest.mark.parametrize("cost", ["model", "remote"])
def test_the_judge_does_not_get_gold_answers_that_were_rejected(cost):
    metric, _, judge = golds({"no": (0.01, 1.0), "open": (0.6, 0.2)}, cost)
    score = answersim.score(["no", "open"], "pred", metric)
    assert (float(score), score.reference) == (0.2, 1)
    assert judge.called == [Pair("open", "pred")]


def test_a_service_gets_the_likeliest_gold_answer_first_and_no_other_if_it_accepts():
    metric, _, judge = golds({"b": (0.3, 1.0), "a": (0.8, 1.0), "c": (0.5, 1.0)}, "remote")
    score = answersim.score(["b", "a", "c"], "pred", metric)
    assert (float(score), score.reference) == (1.0, 1)
    assert judge.called == [Pair("a", "pred")]
    metric, _, judge = golds({"b": (0.3, 0.1), "a": (0.8, 0.3), "c": (0.5, 0.2)}, "remote")
    assert float(answersim.score(["b", "a", "c"], "pred", metric)) == 0.3
    assert [pair.gold for pair in judge.called] == ["a", "c", "b"]


def test_a_network_here_gets_all_open_gold_answers_at_once():
    metric, _, judge = golds({"b": (0.3, 0.9), "a": (0.8, 0.8)}, "model")
    score = answersim.score(["b", "a"], "pred", metric)
    assert (float(score), score.reference, len(judge.calls)) == (0.9, 0, 1)


numbers = st.floats(0, 1)


@given(
    predictions=st.lists(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=4), min_size=1, max_size=4),
    cost=st.sampled_from(["model", "remote"]),
)
def test_the_verdict_is_that_of_the_best_gold_answer_decided_by_itself(predictions, cost):
    scores = {(f"g{j}", f"p{i}"): pair for i, prediction in enumerate(predictions) for j, pair in enumerate(prediction)}
    cheap = Table("cheap", {key: one for key, (one, _) in scores.items()}, "light")
    judge = Table("judge", {key: other for key, (_, other) in scores.items()}, cost)
    metric = Cascade((stage(cheap), last(judge)))
    pairs = [([f"g{j}" for j in range(len(prediction))], f"p{i}") for i, prediction in enumerate(predictions)]
    together = answersim.score_pairs(pairs, [metric])[metric.signature]
    for i, (answers, pred) in enumerate(pairs):
        alone = metric([Pair(gold, pred) for gold in answers])
        assert (together.values[i] >= 0.5) == (alone.max() >= 0.5)
        assert together.values[i] <= alone.max()
        assert together.values[i] == alone[together.references[i]]
        assert answersim.score(answers, pred, metric) == together.values[i]


# --- questions


def test_questions_go_to_the_stages_that_read_them_and_an_empty_one_is_none():
    plain, asked = Logistic(0.0, 0.0), Logistic(0.0, 3.0)
    cheap = Table("cheap", {}, "model", reads=True)
    judge = Table("judge", {}, "remote", reads=True)
    lexical = Table("words", {}, "light")
    stages = (
        Stage("words", lexical, 0.05, 0.95, raw=True),
        Stage("cheap", cheap, 0.05, 0.95, plain, asked),
        last(judge),
    )
    metric = Cascade(stages)
    assert metric.reads_questions
    assert metric([Pair("a", "b"), Pair("a", "c")], ["who?", ""]).tolist() == [asked(0.5), 0.5]
    assert lexical.questions == [None]
    assert cheap.questions == [["who?", ""]]
    assert judge.questions == [None]  # the question of the pair that is left is empty
    without = Cascade((Stage("cheap", cheap, 0.05, 0.95, plain), last(Table("words", {}))))
    assert not without.reads_questions


def test_a_stage_with_a_calibration_for_questions_only_refuses_a_pair_without_one():
    judge = Table("judge", {}, "model", reads=True)
    metric = Cascade((Stage("judge", judge, *EVERY, None, Logistic(1.0, 0.0)),))
    assert len(metric([Pair("a", "b")], ["who?"])) == 1
    with pytest.raises(ValueError, match="the stage 'judge' has a calibration of scores with questions only"):
        metric([Pair("a", "b"), Pair("a", "c")], ["who?", ""])


# --- planning and cache


def test_a_stage_that_is_also_computed_for_all_pairs_runs_once():
    cheap, judge = tables("model")
    metric = Cascade((stage(cheap), last(judge)))
    columns = planning.score_all([metric, judge], ALL[:3])
    assert columns[0].tolist() == [0.96, 0.04, 0.2]
    assert columns[1].tolist() == [0.0, 1.0, 0.2]
    assert len(judge.called) == 3
    composite = answersim.metric("typed+f1")
    both = Cascade((stage(cheap), Stage("typed+f1", composite, *EVERY, raw=True)))
    assert planning.score_all([both, composite], [OPEN])[0].tolist() == composite([OPEN]).tolist()


def test_the_cache_stores_the_scores_of_stages_and_not_of_the_whole(tmp_path):
    cheap, judge = tables("model")  # scores of a service are in its record, not in the cache
    cache = ScoreCache(tmp_path)
    metric = Cascade((RULES, stage(cheap), last(judge)))
    first = score_all_cached([metric], ALL, None, cache)[0]
    assert cache.info().scores == {"judge|rev:1": 1}
    other = Cascade((RULES, stage(cheap, -1.0, 0.95), last(judge)))
    second = score_all_cached([other, judge], ALL, None, cache)
    assert first.tolist() == [0.96, 0.04, 0.2, EQUAL, DIFFERENT]
    assert second[0].tolist() == [0.96, 1.0, 0.2, EQUAL, DIFFERENT]
    assert len(judge.called) == len(set(judge.called)) == 5  # nothing twice
    typed = replace(metric, stages=(stage(cheap), last(judge)))
    wrapped = answersim.composite.typed.TypedMetric(typed)
    assert score_all_cached([wrapped], ALL, None, cache)[0].tolist() == [0.96, 0.04, 0.2, 1.0, 0.0]
    assert cache.info().scores == {"judge|rev:1": 5}


def test_a_score_with_a_cache_is_the_same_as_without_one(tmp_path):
    pairs = [(["NFL", "National Football League"], "the football league"), ("11", "eleven"), ("Rome", "Romania")]
    plain = answersim.score_pairs(pairs, ["cascade", "answersim"])
    for _ in range(2):
        stored = answersim.score_pairs(pairs, ["cascade", "answersim"], cache=tmp_path)
        assert stored == plain
    assert stored["cascade"].signature == answersim.metric("cascade").signature


# --- the whole


def test_the_signature_contains_stages_cuts_and_calibrations():
    cheap, judge = tables()
    metric = Cascade((RULES, stage(cheap), last(judge)))
    assert metric.signature.startswith("cascade|stages:typed,cheap,judge|low:0.05|high:0.95|parts:")
    others = [
        Cascade((RULES, stage(cheap, 0.04), last(judge))),
        Cascade((RULES, stage(cheap, 0.05, 0.96), last(judge))),
        Cascade((RULES, Stage("cheap", cheap, 0.05, 0.95, Logistic(1.0, 0.0)), last(judge))),
        Cascade((RULES, Stage("cheap", cheap, 0.05, 0.95, Logistic(1.0, 0.1)), last(judge))),
        Cascade((RULES, Stage("cheap", cheap, 0.05, 0.95, None, Logistic(1.0, 0.1)), last(judge))),
        Cascade((RULES, Stage("cheap", judge, 0.05, 0.95, raw=True), last(judge))),
        Cascade((stage(cheap), last(judge))),
        Cascade((replace(RULES, lang="de"), stage(cheap), last(judge)), "de"),
    ]
    assert len({metric.signature, *(other.signature for other in others)}) == 9
    assert metric == Cascade((RULES, stage(cheap), last(judge)))


def test_a_cascade_of_names_is_equal_to_itself_and_survives_pickle():
    metric = answersim.metric("cascade")
    assert metric == answersim.metric("cascade")
    assert hash(metric) == hash(answersim.metric("cascade"))
    copied = pickle.loads(pickle.dumps(metric))
    assert copied == metric
    assert copied.signature == metric.signature
    assert capabilities(metric).cost == "model"
    assert capabilities(answersim.metric("cascade", stages="typed,recall,f1")).cost == "light"


@pytest.mark.parametrize(
    ("stages", "message"),
    [
        ((), "here there is no stage"),
        ((RULES,), "here the last stage is 'typed'"),
        ((last(Table("a", {})), last(Table("a", {}))), "two stages have the same name: a, a"),
        ((stage(Table("a", {}), 0.6, 0.9), last(Table("b", {}))), "the cuts of the stage 'a' are 0.6 and 0.9"),
        ((stage(Table("a", {})),), "the last stage 'a' decides every pair"),
    ],
)
def test_stages_that_make_no_cascade_are_refused(stages, message):
    with pytest.raises(ValueError, match=message):
        Cascade(stages)


def test_decisions_are_reported():
    metric, _, _ = golds({"no": (0.01, 1.0), "open": (0.9, 1.0), "yes": (0.97, 0.0)}, "remote")
    seen: list[tuple[str, Decisions]] = []
    checked = check([["no", "open", "yes"]], ["pred"])
    score_checked(metric, checked, report=lambda ran, decisions: seen.append((ran.signature, decisions)))
    ((signature, decisions),) = seen
    assert signature == metric.signature
    assert decisions.stages.tolist() == [1, NOT_NEEDED, 1]
    assert decisions.asked.tolist() == [3, 3, 0]
    assert decisions.of_predictions.tolist() == [1]
    assert decisions.best.tolist() == [0.97]


def test_the_network_of_a_stage_that_no_pair_needs_is_not_loaded():
    code = (
        "import sys, answersim\n"
        "for pred in ('it was in Rome', 'Milan'):\n"
        "    answersim.score(['Rome'], [pred], 'cascade'); print('torch' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert run.stdout.split() == ["False", "True"]


def test_texts_that_a_stage_cannot_read_whole_are_reported():
    metric = answersim.metric("cascade", stages="typed,sas", high=0.99)
    long = Pair("Rome", "word " * 600)
    assert planning.truncated(metric, [long, Pair("a", "b")]).tolist() == [True, False]
    assert planning.truncated(answersim.metric("cascade", stages="typed,recall"), [long]).tolist() == [False]
