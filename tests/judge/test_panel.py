"""A panel: unanimous judges decide, and the arbiter is asked only where they are not."""

from importlib.util import find_spec
from typing import Any

import pytest

import answersim
from answersim.judge.client import JudgeError
from answersim.judge.metric import Judge, UnparsedError
from answersim.judge.panel import Panel
from answersim.judge.prompts import REGISTRY
from answersim.types import Pair
from tests.judge.fake_server import Running, running

pytestmark = pytest.mark.skipif(
    not any(map(find_spec, ("httpx", "httpx2"))), reason="needs httpx: pip install '.[judge]'"
)
PAIRS = [Pair("g", "all"), Pair("g", "none"), Pair("g", "some"), Pair("g", "odd"), Pair("g", "some")]
SAYS = {f"all|{model}": "yes" for model in "abc"} | {
    **{"some|a": "yes", "some|b": "no", "some|c": "yes"},
    **{"odd|a": "perhaps", "odd|b": "no", "odd|c": "no"},
}


def panel(server: Running, **options: Any) -> Panel:
    built = answersim.metric("judge", **{"base_url": server.url, "model": "a,b", "backoff": 0.01} | options)
    assert isinstance(built, Panel)
    return built


def test_without_an_arbiter_the_score_is_the_mean(tmp_path):
    with running(say=SAYS) as server:
        metric = panel(server, record=tmp_path / "r.jsonl")
        assert metric(PAIRS[:3]).tolist() == [1.0, 0.0, 0.5]
        assert (metric.usage.pairs, metric.usage.replies, metric.usage.disputed) == (3, 6, 1)
        with pytest.raises(UnparsedError, match="1 of 5 pairs"):
            metric(PAIRS)
        assert panel(server, record=tmp_path / "r.jsonl", unparsed=0.5)(PAIRS).tolist() == [1, 0, 0.5, 0.25, 0.5]


def test_an_arbiter_gets_only_pairs_on_which_judges_disagree(tmp_path):
    record = tmp_path / "r.jsonl"
    with running(say=SAYS) as server:
        metric = panel(server, record=record, model=["a", "b"], arbiter="c")
        assert metric(PAIRS).tolist() == [1.0, 0.0, 1.0, 0.0, 1.0]
        assert sorted(event["pred"] for event in server.events("asked") if event["model"] == "c") == ["odd", "some"]
        assert (metric.usage.disputed, metric.usage.pairs, metric.usage.asked) == (2, 4, 10)
    again = answersim.metric("judge", model="a,b", arbiter="c", record=record, replay=True)
    assert again(PAIRS).tolist() == [1.0, 0.0, 1.0, 0.0, 1.0]
    assert again == metric
    assert again.signature == metric.signature
    assert "|model:a,b|" in again.signature
    assert "|arbiter:c|rev:" in again.signature


def test_what_the_first_judge_cost_is_counted_if_the_second_one_fails():
    with running(say=SAYS, plan={"all": ["", "400"]}) as server:
        metric = panel(server)
        with pytest.raises(JudgeError):
            metric(PAIRS[:1])
        assert metric.usage.asked == 1


def test_a_panel_has_different_models_and_equal_settings():
    one, other = Judge(REGISTRY["equivalent"], "a"), Judge(REGISTRY["equivalent"], "b")
    assert Panel((one, other)).reads_questions
    for judges, arbiter in (((one,), None), ((one, one), None), ((one, other), one)):
        with pytest.raises(ValueError, match="all models differ"):
            Panel(judges, arbiter)
    with pytest.raises(ValueError, match="differ in their models only"):
        Panel((one, Judge(REGISTRY["grades"], "b")))
    with pytest.raises(ValueError, match="differ in their models only"):
        Panel((one, other), Judge(REGISTRY["equivalent"], "c", repeats=2))
