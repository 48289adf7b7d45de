"""A language model as a ranker: grades, windows, replies without a ranking. All replies are recorded."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from answersim.metrics.judge.metric import MissingReplyError, UnparsedError
from answersim.metrics.judge.record import Entry, Question
from rankers.models import judge
from rankers.models.baselines import WordOverlap
from rankers.types import Ranker
from tests.rankers.commands.command_line import called

SCORE = {"complete": 1.0, "partial": 2 / 3, "related": 1 / 3, "unrelated": 0.0}
Model = Callable[[Question], str]


@pytest.fixture
def replay(tmp_path):
    """The options of a judge that replays an empty record."""
    (tmp_path / "r.jsonl").touch()
    return {"model": "m", "record": tmp_path / "r.jsonl", "replay": True}


def recorded(model: Model, call: Callable[[], Any]) -> Any:
    """Return the result of a call after the replies of this model were recorded, and the requests by turn."""
    turns = []
    while True:
        try:
            return call(), turns
        except MissingReplyError as error:
            turns.append([asked for _, asked in error.missing])
            record = error.missing[0][0].record
            with record.writing():
                for asked in turns[-1]:
                    message = {"message": {"content": model(asked)}, "finish_reason": "stop"}
                    record.append(Entry(asked, json.dumps({"model": "m-1", "choices": [message]})), {})


def by_length(asked: Question) -> str:
    """Rank longer texts first."""
    order = np.argsort([-len(text) for text in asked.gold], kind="stable") + 1
    return json.dumps({"ranking": order.tolist()})


def test_a_pointwise_judge_grades_each_candidate_once(replay):
    ranker = judge.pointwise(**replay)
    grades = {"a": "complete", "b": "unrelated", "c": "partial"}
    pools = [["a", "b", "c"], ["a"], []]
    scores, turns = recorded(
        lambda asked: json.dumps({"verdict": grades[asked.pred]}), lambda: ranker.score(["q", "q", "r"], pools)
    )
    assert [row.tolist() for row in scores] == [[SCORE[grades[text]] for text in pool] for pool in pools]
    assert [(asked.question, asked.pred) for asked in turns[0]] == [("q", "a"), ("q", "b"), ("q", "c")]
    assert ranker.signature.startswith("judge-pointwise|prompt:relevance/")
    assert isinstance(ranker, Ranker)
    messages = ranker.judge.request(turns[0][0]).body["messages"]
    assert "complete: it answers the question" in messages[1]["content"]


def test_an_unparsed_grade_is_an_error_or_the_number_of_the_user(replay):
    with pytest.raises(UnparsedError, match="1 of 1 pairs have no verdict"):
        recorded(lambda asked: "Perhaps.", lambda: judge.pointwise(**replay).score(["q"], [["a"]]))
    assert judge.pointwise(**replay, unparsed=0.2).score(["q"], [["a"]])[0].tolist() == [0.2]


def test_windows_go_from_the_end_to_the_start_and_carry_the_best_along(replay):
    pool = [letter * size for letter, size in zip("abcdefg", (3, 1, 2, 4, 5, 7, 6), strict=True)]
    ranker = judge.listwise(window=4, step=2, **replay)
    (scores, short, first), turns = recorded(by_length, lambda: ranker.score(["q", "r", "s"], [pool, pool[:2], ["x"]]))
    assert [[asked.question for asked in turn] for turn in turns] == [["q", "r"], ["q"], ["q"]]
    assert turns[0][0].gold == tuple(pool[3:7])
    assert turns[1][0].gold == (*pool[1:3], pool[5], pool[6])  # the two best of the last window
    assert turns[2][0].gold == (pool[0], pool[5], pool[6])
    assert [pool[i][0] for i in np.argsort(-scores)] == list("fgacbed")
    assert (short.tolist(), first.tolist()) == ([-1.0, -2.0], [-1.0])
    messages = ranker.judge.request(turns[0][0]).body["messages"][1]["content"]
    assert "[4]\n<<<text" in messages
    assert '{"ranking": [2, 1, ...]}' in messages


def test_the_first_order_is_that_of_a_ranker(replay):
    pool = ["it rained", "ann wrote it", "who wrote it"]
    ranker = judge.listwise(WordOverlap(), **replay)
    scores, turns = recorded(lambda asked: "[1] > [2]", lambda: ranker.score(["who wrote it"], [pool]))
    assert turns[0][0].gold == (pool[2], pool[1], pool[0])
    assert scores[0].tolist() == [-3.0, -2.0, -1.0]
    assert ranker.signature.endswith(f"|first:({WordOverlap().signature})")


def test_a_window_without_a_ranking_is_an_error_or_keeps_its_order_and_is_counted(replay):
    model: Model = lambda asked: "They are all fine." if asked.question == "q" else by_length(asked)  # noqa: E731
    pools = [["a", "bb"], ["a", "bb"]]
    with pytest.raises(UnparsedError, match=r"1 of 2 windows have no ranking.* 'q'.* unparsed='keep'"):
        recorded(model, lambda: judge.listwise(**replay).score(["q", "r"], pools))
    keeping = judge.listwise(unparsed="keep", **replay)
    with pytest.warns(judge.KeptOrderWarning, match="1 of 2 windows kept their order"):
        scores = keeping.score(["q", "r"], pools)
    assert [row.tolist() for row in scores] == [[-1.0, -2.0], [-2.0, -1.0]]
    assert (keeping.judge.usage.unparsed, keeping.judge.usage.replies) == (1, 2)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"window": 1}, ValueError, "window is 1"),
        ({"step": 21}, ValueError, "step is 21"),
        ({"unparsed": "drop"}, LookupError, "no treatment of an unparsed reply is called 'drop'"),
        ({"repeats": 2}, TypeError, "a window has one ranking"),
        ({"model": "m,n"}, TypeError, "a window has one ranking"),
    ],
)
def test_settings_that_make_no_sense_are_refused(change, error, message, replay):
    with pytest.raises(error, match=message):
        judge.listwise(**replay | change)


def test_the_command_ranks_by_a_recorded_judge(replay, tmp_path):
    rows = [{"question": "who wrote it", "candidates": ["it rained", "ann wrote it"]}]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, rows)))
    first = judge.listwise(WordOverlap(), **replay)
    recorded(lambda asked: "[2] > [1]", lambda: first.score(["who wrote it"], [["it rained", "ann wrote it"]]))
    options = f"--set model=m --set record={replay['record']} --set replay=true"
    result = called(f"rank {tmp_path / 'q.jsonl'} --model word-overlap --judge listwise {options}")
    assert result.exit_code == 0, result.stderr
    assert [json.loads(line)["candidate"] for line in result.stdout.splitlines()] == ["it rained", "ann wrote it"]
    for wrong, message in (
        ("--set window=3", "--set is given without --judge"),
        ("--judge best", "no kind of judge is called 'best'"),
        (f"--judge pointwise --model bm25 {options}", "--model would be ignored"),
        ("--judge pointwise", "a judge needs a server"),
    ):
        assert message in called(f"rank {tmp_path / 'q.jsonl'} {wrong}").stderr
