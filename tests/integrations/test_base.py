"""What all integrations share: scores, fields, completions, and errors."""

from __future__ import annotations

import asyncio
import copy
import pickle
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import answersim
from answersim import Reward
from answersim._base.arrays import FloatArray
from answersim.integrations.shared.base import Scorer, gold_texts
from answersim.integrations.shared.completions import column, completion_text, reward_of
from answersim.integrations.shared.fields import PREDICTION, golds_in, picked, question_in
from answersim.types import Capabilities, Pair
from tests.cases import every


class Fixed:
    """Scores that were written as predictions. It writes down its calls."""

    def __init__(self, reads: bool = False) -> None:
        self.calls: list[tuple[int, tuple[str, ...]]] = []
        self.capabilities = Capabilities(reads_questions=reads, cost="model")

    @property
    def signature(self) -> str:
        return "fixed|v:1"

    @property
    def reads_questions(self) -> bool:
        return self.capabilities.reads_questions

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        self.calls.append((len(pairs), tuple(questions or ())))
        return np.array([float(pair.pred) for pair in pairs])


def test_shared_words_of_a_short_answer_have_no_verdict_but_unsure():
    scored = Scorer("f1").score("", "Barack Obama", "Michelle Obama")
    assert (scored.verdict, scored.probability, scored.passed) == ("unsure", None, False)
    assert "unsure (fewer than 12 words)" in scored.reason
    assert Scorer("f1", threshold=0.8).score("", "Barack Obama", "Michelle Obama").verdict == "different"


@pytest.mark.parametrize("question", [None, "", "Which city?"])
def test_a_question_is_given_to_metrics_that_read_it_and_signed(question):
    fixed = Fixed(reads=True)
    scored = Scorer(fixed).score(question, "a", "0.5")
    assert fixed.calls == [(1, (question,) if question else ())]
    assert ("question:yes" in scored.signature) == bool(question)


@every(
    ("golds", "texts"),
    [
        ("a", ("a",)),
        (("a", "b"), ("a", "b")),
        ([["a"], ["b", "a"]], ("a", "b", "a")),
        (np.array(["a", "b"], dtype=object), ("a", "b")),
        ("", ("",)),
        ([None, "a"], ("a",)),
        (7, ("7",)),
        (float("nan"), ()),
        (None, ()),
        ([], ()),
        ([[]], ()),
    ],
)
def test_gold_answers_come_as_text_list_or_lists_in_a_list(golds, texts):
    assert gold_texts(golds) == texts


NO_TEXT, NOTHING = "the gold is .*, but an answer is a string", "at least one gold answer, or the empty string"


@pytest.mark.parametrize(
    ("golds", "error", "message"),
    [
        *((golds, TypeError, NO_TEXT) for golds in (True, {"text": "a"}, b"a", [{"a"}])),
        *((golds, ValueError, NOTHING) for golds in (None, [], float("nan"))),
    ],
)
def test_missing_or_other_gold_answers_are_refused(golds, error, message):
    with pytest.raises(error, match=message):
        Scorer("f1").score(None, golds, "a")


@pytest.mark.parametrize("prediction", [None, float("nan")])
def test_a_missing_prediction_is_zero_with_the_reason_or_refused(prediction):
    scored = Scorer("f1").score(None, "a", prediction)
    assert (scored.value, scored.verdict, scored.passed) == (0.0, "different", False)
    assert scored.reason.startswith("there is no prediction")
    assert scored.signature == answersim.metric("f1").signature
    with pytest.raises(ValueError, match=r"the prediction is .*must be a string"):
        Scorer("f1", missing="refuse").score(None, "a", prediction)


@pytest.mark.parametrize(
    ("limits", "raw", "value"),
    [("any", "-0.25", -0.25), ("clip", "-0.25", 0.0), ("clip", "1.5", 1.0), ("refuse", "1", 1.0)],
)
def test_limits_decide_what_a_host_gets(limits, raw, value):
    scored = Scorer(Fixed(), limits=limits).score(None, "a", raw)
    assert (scored.value, scored.raw) == (value, float(raw))
    assert ("clipped from" in scored.reason) == (value != float(raw))
    with pytest.raises(ValueError, match=r"fixed is 1\.5000, but this host accepts scores from 0 to 1"):
        Scorer(Fixed(), limits="refuse").score(None, "a", "1.5")


def test_without_a_basis_there_is_no_verdict_and_the_rule_states_how_to_get_one():
    scorer = Scorer("bleu")
    scored = scorer.score(None, "a", "a")
    assert (scored.verdict, scored.passed) == (None, None)
    assert "no verdict (no calibration ships for bleu" in scored.reason
    assert "give the score from which an answer is right" in scorer.rule(scored.signature).sentence
    assert Scorer("recall", calibration=None).score(None, "a", "a").verdict is None


def test_a_calibration_for_another_metric_is_refused():
    with pytest.raises(ValueError, match="this calibration is for"):
        Scorer("recall", calibration="f1").score(None, "a", "a")
    assert Scorer(calibration="f1").name == "f1"


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"metric": "f2"}, LookupError, "no metric is called 'f2'"),
        ({"metric": 5}, TypeError, "metric is 5"),
        ({"threshold": float("nan")}, ValueError, "threshold is nan"),
        ({"threshold": 0.5, "calibration": "f1"}, ValueError, "a verdict has one rule"),
        ({"limits": "clib"}, LookupError, "did you mean 'clip'"),
        ({"missing": "skip"}, LookupError, "no missing is called 'skip'"),
    ],
)
def test_settings_are_checked_at_once(settings, error, message):
    with pytest.raises(error, match=message):
        Scorer(**settings)


def test_a_batch_is_one_call_and_errors_stay_with_their_rows():
    fixed = Fixed()
    rows: list[tuple[Any, Any, Any]] = [
        (None, "a", "1"),
        (None, [], "1"),
        (None, "a", 2),
        (None, "a", None),
        (None, "a", b""),
    ]
    with pytest.raises(ValueError, match="at least one gold answer"):
        Scorer(fixed).score_batch(rows)
    assert fixed.calls == [(2, ())]
    assert Scorer(fixed).score_batch([]) == []


async def _gathered(scorer: Scorer, rows: Sequence[tuple[Any, Any, Any]]) -> list[Any]:
    return await asyncio.gather(*(scorer.score_async(*row) for row in rows), return_exceptions=True)


def test_awaits_at_the_same_time_become_one_call(monkeypatch):
    monkeypatch.setattr("answersim.scoring.batching.WINDOW", 0.3)  # for a busy machine
    fixed = Fixed()
    scorer = Scorer(fixed)
    assert scorer.built is fixed
    results = asyncio.run(_gathered(scorer, [(None, "a", str(n)) for n in range(16)]))
    assert [scored.value for scored in results] == list(range(16))
    assert len(fixed.calls) == 1


def test_loops_threads_and_batches_get_the_numbers_of_a_plain_loop():
    """With an encoder: hosts/test_sentence_transformers.py."""
    scorer = Scorer("f1")
    rows = [(None, f"gold {i % 7}", f"answer number {i}") for i in range(20)]
    plain = [float(answersim.score(gold, prediction, scorer.built)) for _, gold, prediction in rows]
    by_name: dict[int, list[float]] = {}

    def loop(i: int) -> None:
        fresh = Scorer(scorer.built)
        if i % 2:
            by_name[i] = [scored.value for scored in asyncio.run(_gathered(fresh, rows))]
        else:
            by_name[i] = [fresh.score(*row).value for row in rows]

    threads = [threading.Thread(target=loop, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    by_name[6] = [scored.value for scored in scorer.score_batch(rows)]
    assert sorted(by_name) == list(range(7))
    for values in by_name.values():
        np.testing.assert_allclose(values, plain, atol=1e-6)


def test_a_scorer_can_be_pickled_after_use_and_copies_are_the_scorer_itself():
    scorer = Scorer("f1", threshold=0.5)
    scorer.score(None, "a", "a")
    again = pickle.loads(pickle.dumps(scorer))
    assert again.score(None, "a", "a") == scorer.score(None, "a", "a")
    assert copy.deepcopy(scorer) is scorer


@every(
    ("row", "golds"),
    [
        ("Rome", "Rome"),
        (["Rome", "Roma"], ["Rome", "Roma"]),
        (None, None),
        ({"question": "Which?", "answer": ["Rome"]}, ["Rome"]),  # NQ-open
        ({"question": "Which?", "answers": {"text": ["Rome"], "answer_start": [4]}}, ["Rome"]),  # SQuAD
        ({"answer": {"value": "Rome", "aliases": ["Rome", "Roma"]}}, ["Rome", "Roma"]),  # TriviaQA
        ({"expected_response": "Rome", "id": 1}, "Rome"),  # mlflow
        ({"city": "Rome"}, "Rome"),  # the only entry
        ({"gold": "Rome", "answer": "Milan"}, "Rome"),  # the usual names are ordered
    ],
)
def test_golds_are_found_where_hosts_and_data_sets_have_them(row, golds):
    assert golds_in(row) == golds


@every(
    ("row", "question"),
    [
        ("Which?", "Which?"),
        ({"question": "Which?", "prompt": "Q: Which?"}, "Which?"),
        ({"messages": ["Which?"], "input": "Which?"}, "Which?"),
        ({"question": ["Which?"]}, None),  # no text
        ({"a": "x", "b": "y"}, None),
        ({}, None),
        (None, None),
        (7, None),
    ],
)
def test_a_question_is_a_text_or_none(row, question):
    assert question_in(row) == question


def test_a_named_entry_is_needed_and_a_named_question_is_a_text():
    assert question_in({"q": "Which?"}, "q") == "Which?"
    assert question_in({"q": None}, "q") is None
    assert golds_in({"city": "Rome", "gold": "Milan"}, "city") == "Rome"
    with pytest.raises(LookupError, match="the question is expected under 'q', but the row has the entries 'a'"):
        question_in({"a": "x"}, "q")
    with pytest.raises(TypeError, match="a question is a string"):
        question_in({"q": 7}, "q")


def test_an_entry_that_is_not_sure_is_refused_with_what_there_is():
    with pytest.raises(LookupError, match="the row has the entries 'a', 'b'; name the entry of the prediction"):
        picked({"a": "x", "b": "y"}, None, PREDICTION, "prediction")
    with pytest.raises(LookupError, match="the row has no entries"):
        golds_in({})


class Message:
    """A message of pydantic."""

    def model_dump(self) -> dict[str, str]:
        return {"role": "assistant", "content": "5"}


@every(
    ("completion", "text"),
    [
        ("5", "5"),
        (None, None),
        ({"role": "assistant", "content": "5"}, "5"),
        ([{"role": "assistant", "content": "4"}, {"role": "user", "content": "?"}, {"content": "5"}], "5"),
        ([{"role": "assistant", "content": [{"type": "text", "text": "5"}, {"type": "image"}]}], "5"),
        ([{"role": "user", "content": "5"}], None),
        ([], None),
        ([Message()], "5"),
        (7, None),
    ],
)
def test_the_text_of_a_completion(completion: Any, text: str | None) -> None:
    assert completion_text(completion) == text


def test_a_column_that_is_missing_or_short_is_an_error() -> None:
    with pytest.raises(LookupError, match="solution"):
        column({"solutions": ["5"]}, "solution", 1)
    with pytest.raises(ValueError, match="has 1 rows, but there are 2"):
        column({"solution": ["5"]}, "solution", 2)


def test_a_reward_is_built_once_for_its_settings() -> None:
    assert reward_of(None, {"metric": "em"}) is reward_of(None, {"metric": "em"})
    with pytest.raises(TypeError, match="have no effect"):
        reward_of(Reward("em"), {"limit": 3})
