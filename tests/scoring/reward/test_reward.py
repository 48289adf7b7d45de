"""The reward: stages, and every accident that users of other verifiers reported."""

from __future__ import annotations

import asyncio
import multiprocessing
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import answersim
from answersim import Reward
from answersim.scoring.reward.reward import UnreadableGoldError
from tests.cases import cases_of, every
from tests.made_metrics import Waiting

CASES = cases_of(__file__)

RULES = Reward("rules")


def score(gold: Any, pred: str, reward: Reward = RULES) -> float | None:
    return reward([gold], [pred]).scores[0]


@every(("gold", "pred", "stage", "expected"), CASES["the_first_stage_that_can_decides"])
def test_the_first_stage_that_can_decides(gold: str, pred: str, stage: str, expected: float) -> None:
    (row,) = RULES([gold], [pred])
    assert (row.stage, row.score) == (stage, expected), row.reason


@every(("gold", "pred"), [("0.5", "\\frac12"), ("5", "25"), ("3", "three"), ("1,000", "1000")])
def test_equality_is_symmetric(gold: str, pred: str) -> None:
    assert score(gold, pred) == score(pred, gold)


@every(("gold", "pred", "expected"), CASES["known_mistakes_of_extraction"])
def test_known_mistakes_of_extraction_are_not_made(gold: str, pred: str, expected: float) -> None:
    assert score(gold, pred) == expected


@every("gold", [None, float("nan"), "", "  ", [], [None], "\\boxed{}", {"answer": 1}])
def test_a_gold_answer_that_cannot_be_read_is_neither_0_nor_1(gold: Any) -> None:
    (row,) = RULES([gold], ["5"])
    assert (row.score, row.verdict, row.stage) == (None, "unreadable", "gold")
    assert row.reason
    assert Reward("rules", unreadable=-1.0)([gold], ["5"]).scores == [-1.0]


def test_a_column_of_unreadable_gold_answers_is_an_error_that_names_a_row() -> None:
    with pytest.raises(UnreadableGoldError, match=r"30 of 40 gold .*row 10: the gold answer is None"):
        RULES(["5"] * 10 + [None] * 30, ["5"] * 40)
    assert RULES(["5"] * 30 + [None] * 10, ["5"] * 40).counters["verdict/unreadable"] == 0.25


def test_row_by_row_calls_reach_the_error_too() -> None:
    reward = Reward("rules")
    for _ in range(19):
        reward([None], ["5"])
    with pytest.raises(UnreadableGoldError, match="20 of 20"):
        reward([None], ["5"])


def test_a_column_that_breaks_late_in_a_training_is_an_error_too() -> None:
    reward = Reward("rules")
    for _ in range(300):
        reward(["5"] * 10, ["5"] * 10)

    def broken() -> None:
        for _ in range(100):
            reward([None] * 10, ["5"] * 10)

    with pytest.raises(UnreadableGoldError):
        broken()


def test_a_row_without_a_completion_has_no_reward() -> None:
    assert RULES(["5", "5"], [None, "5"]).scores == [None, 1.0]


def test_several_gold_answers_are_all_right() -> None:
    assert score(["Rome", "Roma"], "Roma") == 1.0
    assert score(np.array(["Rome", "Roma"]), "Roma") == 1.0
    assert score(["Rome", "Roma"], "Oslo") == 0.0


def test_a_list_of_the_wrong_length_is_not_broadcast() -> None:
    with pytest.raises(ValueError, match="golds has 1, preds has 2 entries"):
        RULES(["5"], ["5", "6"])
    with pytest.raises(ValueError, match="question has 3"):
        RULES(["5", "6"], ["5", "6"], ["", "", ""])


@every(("golds", "preds"), [("5", ["5"]), (["5"], "5"), (["5"], [5]), (["5"], [["5"]])])
def test_what_is_no_list_of_texts_is_an_error(golds: Any, preds: Any) -> None:
    with pytest.raises(TypeError, match=r"golds is|preds"):
        RULES(golds, preds)


NASTY = [
    "5^5^5^5",
    "10^(10^9)",
    "\\boxed{9^{9^{9^{9}}}}",
    "9" * 1_000_000,
    "1" + "0" * 100_000,
    "\\boxed{" * 100_000 + "7",
    "{" * 1_000_000,
    "<think>" * 150_000,
    "<answer>" * 100_000 + "7",
    "<!--" * 200_000,
    "\\frac{" * 3000 + "1",
    "(" * 2000 + "1" + ")" * 2000,
    "**" * 500_000,
    "a," * 9_000 + "7",
    "x " * 500_000 + "\\boxed{7}",
    "#### " * 100_000,
    "the answer is " * 70_000,
    "\ud800 7",
    "\x00" * 1000,
]


@every("i", range(len(NASTY)))
def test_no_text_hangs_the_reward(i: int) -> None:
    (row,) = Reward("rules", limit=120)(["7"], [NASTY[i]])
    assert row.verdict in ("right", "wrong")
    assert len(row.answer) <= 20_000
    (gold,) = Reward("rules", most_unreadable=1)([NASTY[i]], ["7"])
    assert gold.verdict in ("right", "wrong", "unreadable")


def test_the_time_of_a_text_grows_no_faster_than_its_length() -> None:
    def seconds(n: int) -> float:
        start = time.process_time()
        RULES(["7"] * 4, [form * n + "\\boxed{7}" for form in ("<think>", "\\boxed{", "<!--", "{")])
        return time.process_time() - start

    seconds(1000)
    assert seconds(128_000) < 200 * max(seconds(4_000), 0.01)  # 32 times as long; a quadratic time would be 1,000 times


def test_a_right_answer_behind_a_megabyte_is_found() -> None:
    assert score("7", "x " * 500_000 + "\\boxed{7}") == 1.0
    assert score("7", f"<think>{'x ' * 500_000}</think>7") == 1.0


def test_a_metric_that_hangs_leaves_rows_undecided_and_names_them() -> None:
    metric = Waiting(20)
    try:
        start = time.monotonic()
        result = Reward(metric, limit=0.2)(["Rome"] * 3, ["Oslo", "Bern", "Oslo"])
        assert time.monotonic() - start < 15
        assert [row.verdict for row in result] == ["undecided"] * 3
        assert result.scores == [None] * 3
        assert "row 1 ('Bern'" in result.rows[1].reason
        assert result.summary()[1].startswith("row 0: undecided")
    finally:
        metric.released.set()


@every(("gold", "pred"), [("Moscow", "Москва"), ("서울", "부산"), ("東京", "京都")])
def test_what_the_weights_cannot_read_is_undecided(gold: str, pred: str) -> None:
    (row,) = Reward()([gold], [pred])
    assert (row.score, row.verdict, row.stage) == (None, "undecided", "rules")
    (row,) = Reward()([[gold, "Rome"]], ["Paris"])  # another gold answer can be read
    assert row.stage == "answersim"


def test_the_limit_is_also_checked_between_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 1.0])
    clock = SimpleNamespace(monotonic=lambda: next(times, 99.0))  # of this module only: other threads read the clock
    monkeypatch.setattr("answersim.scoring.reward.reward.time", clock)
    result = Reward("rules", limit=5)(["5", "5"], ["5", "6"])
    assert [row.verdict for row in result] == ["right", "undecided"]


def test_the_error_of_a_row_is_no_zero_of_the_batch() -> None:
    result = Reward(Waiting())(["x", "x"], ["good", "bad"])
    assert [row.verdict for row in result] == ["right", "undecided"]
    assert "raised" in result.rows[1].reason
    with pytest.raises(RuntimeError):
        Reward(Waiting())(["x", "x"], ["bad", "bad too"])


def test_calls_in_threads_work_and_share_batches() -> None:
    metric = Waiting(20)
    metric.released.set()
    reward = Reward(metric)
    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(lambda i: reward(["Rome"], [f"city {i}"]).scores[0], range(64)))
    assert results == [1.0] * 64
    assert len(metric.calls) < 64  # row by row there would be 64


def test_awaited_calls_do_not_block_the_loop() -> None:
    async def both() -> list[list[float | None]]:
        results = await asyncio.gather(*(RULES.score_async(["5"], [text]) for text in ("5", "6")))
        return [result.scores for result in results]

    assert asyncio.run(both()) == [[1.0], [0.0]]


def test_it_pickles_with_its_settings_and_without_its_state() -> None:
    reward = Reward("em", unreadable=0.0, extract="boxed")
    reward(["5"], ["\\boxed{5}"])
    copied = pickle.loads(pickle.dumps(reward))
    assert copied == reward
    assert "built" not in copied.__dict__
    assert copied(["5"], ["\\boxed{5}"]).scores == [1.0]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_other_processes_give_the_same_rewards(method: str) -> None:
    rows = (["72", "Paris", None], ["\\boxed{72}", "Rome", "5"])
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply(Reward("em"), rows).scores == Reward("em")(*rows).scores == [1.0, 0.0, None]


def test_the_reason_names_the_answer_and_not_the_text_that_it_was_read_from() -> None:
    assert Reward()(["Paris"], ["It is Paris."]).rows[0].reason == "the answer is the same text"


def test_one_named_metric_decides_alone() -> None:
    assert score("1/2", "0.5", Reward("em")) == 0.0
    assert score("Rome", "The answer is Rome.", Reward("em")) == 1.0
    assert score("Rome", "The answer is Rome.", Reward("em", extract=None)) == 0.0
    assert 0 < (score("Rome and Oslo", "Rome", Reward("recall", binary=False)) or 0) < 1
    row = Reward("f1")(["Barack Obama"], ["Michelle Obama"]).rows[0]
    assert (row.score, row.verdict) == (None, "undecided")
    assert row.reason == "f1 0.5000, no verdict for fewer than 12 words"
    with pytest.raises(ValueError, match="binary is True"):
        score("Rome", "Oslo", Reward("bleu"))


def test_the_question_alone_is_no_answer() -> None:
    asked = "Is it Rome or Oslo?"
    assert RULES(["Rome"], [asked], [asked]).scores == [0.0]
    assert RULES(["Rome"], [f"{asked} Rome"], [asked]).scores == [1.0]


def test_a_result_is_json_and_has_shares_for_a_log() -> None:
    result = RULES(["5", "6", None], ["#### 5", "5", "5"])
    counters = result.counters
    assert counters["verdict/right"] == counters["verdict/unreadable"] == pytest.approx(1 / 3)
    assert counters["stage/rules"] == counters["not_extracted"] == pytest.approx(2 / 3)
    assert '"verdict": "right"' in result.to_json()
    assert str(result) == "3 rewards: 1 right, 1 wrong, 1 unreadable"
    assert list(result.to_pandas()["score"])[:2] == [1.0, 0.0]
    assert len(RULES([], [])) == 0


def test_the_signature_has_every_setting_that_decides() -> None:
    signatures = {
        reward.signature
        for reward in (RULES, Reward("em"), Reward("rules", extract="boxed"), Reward("rules", lang="de"))
    }
    assert len(signatures) == 4
    assert Reward("rules", limit=9).signature == RULES.signature


@every(
    ("settings", "message"),
    [
        ({"metric": "no such"}, "no such"),
        *(({"metric": name}, "did you mean 'rules'") for name in ("rule", "Rules")),
        ({"extract": "no such"}, "no such"),
        ({"limit": 0}, "limit is 0"),
        ({"most_unreadable": 2}, "most_unreadable"),
        ({"unreadable": float("nan")}, "unreadable"),
        ({"least": 0.3}, "least"),
        ({"lang": "no such"}, "no such"),
    ],
)
def test_a_wrong_setting_is_an_error_before_any_work(settings: dict[str, Any], message: str) -> None:
    with pytest.raises((LookupError, ValueError, TypeError), match=message):
        Reward(**settings)


def test_the_encoder_scores_what_the_rules_leave() -> None:
    pytest.importorskip("torch")
    result = answersim.Reward()(["Los Angeles Lakers", "72", "Paris"], ["LA Lakers", "\\boxed{72}", "London"])
    assert result.scores == [1.0, 1.0, 0.0]
    assert [row.stage for row in result] == ["answersim", "rules", "answersim"]
