"""Scores do not depend on the batch, and several metrics share their work."""

from __future__ import annotations

import builtins
import os
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import answersim
from answersim import metric
from answersim._base.arrays import FloatArray
from answersim._base.errors import CheckpointNotFoundError
from answersim.metrics.catalog.lookup import metric as metric_by_name
from answersim.scoring import batching
from answersim.scoring.batching import Batcher, Best, Row, batcher
from answersim.types import Capabilities, Pair
from tests.cases import cases_of, every
from tests.made_metrics import Length


class Lengths:
    """The length of the prediction; it writes down its calls, and fails for some predictions."""

    def __init__(self, fails: str = "", error: type[BaseException] = RuntimeError, seconds: float = 0.0) -> None:
        self.calls: list[int] = []
        self.fails, self.error, self.seconds = fails, error, seconds

    @property
    def signature(self) -> str:
        return "lengths|v:1"

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        self.calls.append(len(pairs))
        time.sleep(self.seconds)
        if self.fails and any(self.fails in pair.pred for pair in pairs):
            raise self.error(f"{self.fails!r} is refused")
        return np.array([float(len(pair.pred)) for pair in pairs])


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let batches wait long enough for threads of a busy machine."""
    monkeypatch.setattr(batching, "WINDOW", 0.3)


def rows(*predictions: str) -> list[Row]:
    return [Row(("gold",), prediction) for prediction in predictions]


@pytest.mark.usefixtures("patient")
def test_rows_that_wait_become_one_call():
    lengths = Lengths()
    batches = Batcher(lengths)
    futures = [batches.submit(row, wait=True) for row in rows(*("x" * n for n in range(1, 17)))]
    assert [future.result(10).value for future in futures] == list(range(1, 17))
    assert lengths.calls == [16]


def test_the_same_content_is_computed_once():
    lengths = Lengths()
    batches = Batcher(lengths)
    assert batches.score(rows("a", "ab", "a")) == [Best(1.0, 0), Best(2.0, 0), Best(1.0, 0)]
    assert batches.score(rows("ab")) == [Best(2.0, 0)]
    assert batches.submit(rows("a")[0], wait=True).result(10) == Best(1.0, 0)
    assert lengths.calls == [2]


def test_scores_are_dropped_if_they_become_too_many(monkeypatch):
    monkeypatch.setattr(batching, "MOST_KEPT", 2)
    lengths = Lengths()
    batches = Batcher(lengths)
    batches.score(rows("a", "ab"))
    batches.score(rows("a"))  # used last
    batches.score(rows("abc"))
    assert lengths.calls == [2, 1]
    batches.score(rows("a", "abc"))
    assert lengths.calls == [2, 1]
    batches.score(rows("ab"))
    assert lengths.calls == [2, 1, 1]


def test_a_light_metric_keeps_nothing_and_no_thread_starts_for_it():
    batches = Batcher(metric("f1"))
    assert batches.is_light
    assert batches.score(rows("gold")) == [Best(1.0, 0)]
    assert not batches._kept


def test_an_error_reaches_its_row_only():
    lengths = Lengths("bad")
    results = Batcher(lengths).score(rows("a", "bad", "abc"))
    assert [type(result) for result in results] == [Best, RuntimeError, Best]
    assert lengths.calls == [3, 1, 1, 1]


def test_weights_that_are_missing_are_not_searched_again_for_each_row():
    lengths = Lengths("a", CheckpointNotFoundError)
    results = Batcher(lengths).score(rows("a", "b"))
    assert [type(result) for result in results] == [CheckpointNotFoundError] * 2
    assert lengths.calls == [2]


def test_what_ends_a_program_reaches_those_who_wait():
    batches = Batcher(Lengths("bad", SystemExit))
    future = batches.submit(rows("bad")[0], wait=False)
    with pytest.raises(SystemExit):
        future.result(10)
    assert batches.submit(rows("fine")[0], wait=False).result(10).value == 4  # the thread lives on


def test_a_question_is_given_to_a_metric_that_reads_it_for_each_gold_answer():
    class Asked(Lengths):
        capabilities = Capabilities(reads_questions=True, batches_all=True)

        def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
            assert questions is None or len(questions) == len(pairs)
            stated = questions or [""] * len(pairs)
            return np.array([len(gold) + 10.0 * len(text) for (gold, _), text in zip(pairs, stated, strict=True)])

    batches = Batcher(Asked())
    assert batches.score([Row(("a", "abc", "ab"), "x", "why"), Row(("ab",), "x")]) == [Best(33, 1), Best(2, 0)]
    assert batches.score([Row(("a", "abc"), "x"), Row(("ab",), "x")]) == [Best(3, 1), Best(2, 0)]


def test_a_thread_without_work_ends_and_a_new_row_starts_another(monkeypatch):
    monkeypatch.setattr(batching, "_IDLE", 0.02)
    batches = Batcher(Lengths())
    for text in ("a", "ab"):
        assert batches.submit(rows(text)[0], wait=False).result(10).value == len(text)
        until = time.monotonic() + 10
        while batches._thread and time.monotonic() < until:
            time.sleep(0.005)
        assert not batches._thread


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # Python 3.12: threads and forks
def test_a_forked_process_scores_although_its_parent_is_busy():
    lengths = Lengths(seconds=0.3)
    ours = batcher(lengths)
    future = ours.submit(rows("abc")[0], wait=False)
    with ours._changed, ours._keeping, batching._lock:
        child = os.fork()
        if not child:
            status = 1
            try:
                result = batcher(lengths).submit(rows("ab")[0], wait=False).result(20)
                status = 0 if result.value == 2 else 2
            finally:
                os._exit(status)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert future.result(10).value == 3


def test_a_row_that_is_late_is_none_and_the_others_are_answered() -> None:
    assert Batcher(Lengths()).score_within(rows("a"), lambda n: 20.0) == [Best(1.0, 0)]
    batches = Batcher(Lengths(seconds=0.3))
    assert batches.score_within(rows("a", "ab"), lambda n: 0.01) == [None, None]
    assert batches.score_within(rows("abc"), lambda n: 30.0) == [Best(3.0, 0)]


def test_a_metric_is_loaded_once() -> None:
    lengths = Lengths()
    batches = Batcher(lengths)
    batches.load()
    batches.load()
    assert lengths.calls == [1]
    with pytest.raises(CheckpointNotFoundError):
        Batcher(Lengths("the", CheckpointNotFoundError)).load()


def test_the_end_of_a_program_ends_a_thread_without_work() -> None:
    batches = Batcher(Lengths())
    batches.submit(rows("a")[0], wait=False).result(10)
    thread = batches._thread
    assert thread is not None
    batches.end(10)
    assert not thread.is_alive()
    assert batches.submit(rows("ab")[0], wait=False).result(10) == Best(2.0, 0)


def test_without_a_metric_it_is_that_of_the_calibration_or_the_default_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("answersim.metrics.catalog.lookup.DEFAULT_METRIC", "recall")
    assert answersim.score("Rome", "in Rome").signature == metric_by_name("recall").signature
    assert answersim.score("Rome", "in Rome", calibration="shipped").signature == metric_by_name("recall").signature
    assert (
        answersim.score("Rome", "in Rome", calibration="typed+recall").signature
        == metric_by_name("typed+recall").signature
    )
    assert answersim.score(["Rome"], ["in Rome"]).signature == metric_by_name("recall").signature


@every(("asked", "error", "words"), cases_of(__file__)["a_wrong_request"])
def test_a_wrong_request_names_the_value_the_rule_and_the_way_out(asked, error, words):
    with pytest.raises(getattr(builtins, error), match=words):
        answersim.score("a", "b", **asked)


@pytest.mark.parametrize("asked", [{"lang": "de"}, {"lang": "en"}, {"profile": "squad"}])
def test_what_a_built_metric_cannot_obey_is_refused(asked: dict[str, Any]) -> None:
    mine, (name,) = Length(), asked
    with pytest.raises(TypeError, match=rf"{name} is .*length\|v:1 is already built and has its own"):
        answersim.score("a", "b", metric=mine, **asked)
    with pytest.raises(TypeError, match=rf"{name} is .*already built"):
        answersim.score_pairs([("a", "b")], ["em", mine], **asked)
    with pytest.raises(TypeError, match="already built"):
        answersim.score("a", "b", metric=metric_by_name("f1"), **asked)
    assert mine.calls == 0


@every("name", ["sas", "bi-encoder", "bertscore-vanilla"])
@every("profile", ["paper", "embedded", "papr"])
def test_a_profile_and_a_model_are_not_given_together(name: str, profile: str) -> None:
    with pytest.raises(TypeError, match=f"model is 'here' and profile is '{profile}'.*give one"):
        metric_by_name(name, model="here", profile=profile)


def test_a_class_is_no_metric_and_the_error_says_what_to_give() -> None:
    with pytest.raises(TypeError, match=r"metric is the class Length, but it must be an object; give Length\(\)"):
        answersim.score("a", "b", metric=Length)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="metric is the class Length"):
        answersim.score_pairs([("a", "b")], [Length])  # type: ignore[list-item]


def test_a_built_metric_takes_no_options() -> None:
    with pytest.raises(TypeError, match="already built"):
        answersim.score("a", "b", metric=Length(), layer=3)
