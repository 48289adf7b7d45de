"""Every training library gets the same rewards for the same rows, in the form that its contract states.

No library is needed: each is called with what it passes. Runs in the libraries themselves are in ``hosts``.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import pickle
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import pytest

from answersim import Reward
from answersim.integrations.rewards import ms_swift, nemo_gym, open_instruct, openrlhf, trl, verifiers, verl
from answersim.scoring.reward.reward import UnreadableGoldError

torch: Any = pytest.importorskip("torch", reason="needs torch")
RULES = {"metric": "rules"}
ROWS = [  # question, gold answer, completion, reward; None: there is none
    ("2 + 3?", "5", "\\boxed{5}", 1.0),
    ("2 + 4?", "6", "5", 0.0),
    ("Which city?", ["Rome", "Roma"], "<think>Oslo?</think>It is Roma.", 1.0),
    ("Which city?", None, "Oslo", None),
    ("Which city?", "Rome", "Which city?", 0.0),  # it repeats the question
]
Rows = Sequence[tuple[Any, ...]]


class Rewarded(NamedTuple):
    """What a library gets for a row."""

    reward: float | None
    scored: bool | None = None  # whether the row has a reward, if the library is told


def _messages(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": "?"}, {"role": "assistant", "content": text}]


def of_trl(rows: Rows, how: str = "texts") -> list[Rewarded]:
    reward = trl.AnswerReward(gold="answer", question="prompts", **RULES)
    texts = [row[2] for row in rows]
    call = {
        "prompts": [[{"role": "user", "content": row[0]}] for row in rows],
        "completions": [*map(_messages, texts)] if how == "messages" else texts,
        "answer": [row[1] for row in rows],
        "completion_ids": [[1]] * len(rows),
        "trainer_state": object(),
    }
    result = asyncio.run(reward.answersim_async(**call)) if how == "async" else reward(**call)
    return [Rewarded(number, number is not None) for number in result]


def of_ms_swift(rows: Rows) -> list[Rewarded]:
    class Rules(ms_swift.AnswerORM):
        gold = "answer"  # as a user names settings and the column

        def __init__(self, args: object = None) -> None:
            super().__init__(args, **RULES)

    columns = {"answer": [row[1] for row in rows], "messages": [[]] * len(rows)}
    return [*map(Rewarded, Rules(object())([row[2] for row in rows], **columns))]


def of_openrlhf(rows: Rows, is_remote: bool = False) -> list[Rewarded]:
    prompts = [f"{row[0]} " for row in rows]
    queries = [f"<|begin_of_text|>{prompt}{row[2]}<|eot_id|>" for prompt, row in zip(prompts, rows, strict=True)]
    labels = [row[1] for row in rows]
    if is_remote:
        body = {"query": queries, "prompts": prompts, "labels": labels}
        completed = asyncio.run(openrlhf.remote(body, Reward(**RULES)))
        numbers, unscored = completed["rewards"], completed["extra_logs"]["unscored"]
    else:
        completed = openrlhf.reward_func(queries, prompts, labels, experience=object(), **RULES)
        assert completed["rewards"].dtype == torch.float32
        numbers, unscored = completed["rewards"].tolist(), completed["extra_logs"]["unscored"].tolist()
    return [Rewarded(number, not bool(without)) for number, without in zip(numbers, unscored, strict=True)]


def of_verl(rows: Rows, in_batches: bool = False) -> list[Rewarded]:
    columns = (["x"] * len(rows), *([row[i] for row in rows] for i in (2, 1)), [{"question": row[0]} for row in rows])
    if in_batches:
        result = verl.compute_score_batch(*columns, **RULES)
    else:
        result = [verl.compute_score(*row, **RULES) for row in zip(*columns, strict=True)]
    assert [row["acc"] for row in result] == [row["score"] for row in result]
    return [Rewarded(row["score"], bool(row["scored"])) for row in result]


def of_nemo_gym(rows: Rows) -> list[Rewarded]:
    results = []
    for question, gold, completion, _ in rows:
        message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": completion}]}
        body = {
            "responses_create_params": {"input": [{"role": "user", "content": question}]},
            "response": {"output": [{"type": "reasoning", "summary": [{"text": "5"}]}, message]},
            "expected_answer": gold,
        }
        result = asyncio.run(nemo_gym.verify(body, Reward(**RULES)))
        assert body.items() <= result.items()
        assert bool(result["failure_reason"]) is result["mask_sample"]
        results.append(Rewarded(result["reward"], not result["mask_sample"]))
    return results


class VerifierFunction:
    """The base class of open-instruct, which is on no package index."""

    def __init__(self, name: str, weight: float = 1.0, verifier_config: Any = None) -> None:
        self.name, self.weight, self.verifier_config = name, weight, verifier_config


def of_open_instruct(rows: Rows, awaited: bool = False) -> list[Rewarded]:
    open_instruct.verifier("Capitals", **RULES)
    gc.collect()
    (outcome,) = VerifierFunction.__subclasses__()  # as the training finds it
    built: Any = outcome({})
    assert (built.name, built.weight) == ("Capitals", 1.0)
    calls = [([1, 2], row[2], row[1], row[0], {}) for row in rows]
    results = _all_at_once([built.async_call(*call) for call in calls]) if awaited else [built(*call) for call in calls]
    return [Rewarded(result.score, not result.reasoning.startswith("unreadable: ")) for result in results]


def of_verifiers(rows: Rows) -> list[Rewarded]:
    reward = verifiers.AnswerReward(**RULES)
    names = set(inspect.signature(reward).parameters)  # a rubric passes arguments by these names
    assert names <= {"prompt", "completion", "answer", "state", "parser", "info", "task", "trace"}
    calls = [reward(_messages(row[2]), row[1], [{"role": "user", "content": row[0]}]) for row in rows]
    return [*map(Rewarded, _all_at_once(calls))]


class Trace:
    """What a reward reads of a trace of version 1 of verifiers, and records in it."""

    def __init__(self, reply: str) -> None:
        self.last_reply = reply
        self.metrics: dict[str, float] = {}
        self.info: dict[str, Any] = {}

    def record_metric(self, name: str, value: float) -> None:
        self.metrics[name] = value


def of_verifiers_trace(rows: Rows) -> list[Rewarded]:
    reward, result = verifiers.AnswerReward(gold="city", name="capital", **RULES), []
    for question, gold, completion, _ in rows:
        trace, task = Trace(completion), SimpleNamespace(prompt=question, city=gold)
        number = asyncio.run(reward(task=task, trace=trace))
        assert trace.info["capital"]["reason"]
        result.append(Rewarded(number, bool(trace.metrics["capital_scored"])))
    return result


def _all_at_once(calls: Sequence[Any]) -> list[Any]:
    async def gathered() -> list[Any]:
        return await asyncio.gather(*calls)

    return asyncio.run(gathered())


LIBRARIES: tuple[Callable[[Rows], list[Rewarded]], ...] = (
    *(partial(of_trl, how=settings) for settings in ("texts", "messages", "async")),
    *(of_ms_swift, of_openrlhf, partial(of_openrlhf, is_remote=True), of_verl, partial(of_verl, in_batches=True)),
    *(of_nemo_gym, of_open_instruct, partial(of_open_instruct, awaited=True), of_verifiers, of_verifiers_trace),
)


@pytest.fixture(autouse=True)
def _open_instruct(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the base class where open-instruct has it."""
    module = ModuleType("open_instruct.ground_truth_utils")
    module.VerifierFunction, module.VerificationResult = VerifierFunction, SimpleNamespace  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "open_instruct", ModuleType("open_instruct"))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(open_instruct, "_KEPT", {})
    gc.collect()


def _name(library: Callable[[Rows], list[Rewarded]]) -> str:
    """The function and its settings, without its address in memory."""
    if isinstance(library, partial):
        return "-".join([library.func.__name__, *(f"{name}={value}" for name, value in library.keywords.items())])
    return library.__name__


@pytest.mark.parametrize("library", LIBRARIES, ids=_name)
def test_each_row_has_its_reward_and_one_without_a_reward_is_told(library: Callable[[Rows], list[Rewarded]]) -> None:
    result = library(ROWS)
    is_trl = getattr(library, "func", library) is of_trl  # which leaves out a row whose reward is None
    assert [row.reward for row in result] == [None if is_trl and row[3] is None else row[3] or 0.0 for row in ROWS]
    assert all(row.reward is None or type(row.reward) is float for row in result)
    if result[0].scored is not None:
        assert [row.scored for row in result] == [row[3] is not None for row in ROWS]


@pytest.mark.parametrize("library", [of_trl, of_ms_swift, of_openrlhf, of_verl, of_nemo_gym, of_verifiers])
def test_rows_in_threads_have_their_own_rewards(library: Callable[[Rows], list[Rewarded]]) -> None:
    rows = [[(f"{i} + 1?", "2", str(i % 3))] for i in range(24)]
    with ThreadPoolExecutor(8) as pool:  # verl PR 5635: every score was 0, because a signal failed in a thread
        result = list(pool.map(lambda row: library([(*row[0], None)])[0].reward, rows))
    assert result == [0.0, 0.0, 1.0] * 8


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda golds: trl.AnswerReward(**RULES)(completions=["5"] * 20, solution=golds), "20 of 20 gold answers"),
        (lambda golds: of_ms_swift([("", gold, "5") for gold in golds]), "20 of 20 gold answers"),
        (lambda golds: verl.compute_score_batch(["x"] * 20, ["5"] * 20, golds, **RULES), "20 of 20 gold answers"),
    ],
)
def test_a_batch_of_unreadable_gold_answers_ends_the_training(call: Any, message: str) -> None:
    with pytest.raises(UnreadableGoldError, match=message):
        call([None] * 20)


@pytest.mark.parametrize(
    "call",
    [
        lambda **settings: ms_swift.AnswerORM(**settings),
        lambda **settings: verifiers.AnswerReward(**settings),
        lambda **settings: verl.compute_score("x", "5", "5", **settings),
        lambda **settings: openrlhf.reward_func(["5"], [""], ["5"], **settings),
        lambda **settings: open_instruct.verifier(**settings),
    ],
)
def test_a_library_that_accepts_no_none_needs_a_number_for_rows_without_a_reward(call: Any) -> None:
    with pytest.raises(ValueError, match="unreadable is None"):
        call(unreadable=None, **RULES)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: trl.AnswerReward(**RULES)(completions=["5", "6"], solution=["5"]), ValueError, "has 1 rows"),
        (lambda: verl.compute_score_batch(["x"], ["5", "6"], ["5"], **RULES), ValueError, "golds has 1"),
        (lambda: asyncio.run(nemo_gym.verify({"response": {}}, Reward(**RULES))), LookupError, "expected_answer"),
        (
            lambda: asyncio.run(verifiers.AnswerReward(**RULES)(task=SimpleNamespace(prompt=""), trace=Trace("5"))),
            *(AttributeError, "no field 'answer'"),
        ),
    ],
)
def test_a_column_that_is_short_or_missing_is_an_error(call: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_the_reward_of_trl_has_a_name_pickles_and_logs_counters_and_answers() -> None:
    reward = pickle.loads(pickle.dumps(trl.AnswerReward(name="mine", **RULES)))
    assert reward.__name__ == "mine"
    function = pickle.loads(pickle.dumps(reward.answersim_async))
    assert (inspect.iscoroutinefunction(function), function.__name__) == (True, "answersim_async")
    metrics: dict[str, float] = {}
    extras: dict[str, list[Any]] = {}
    logs = {"log_metric": metrics.__setitem__, "log_extra": extras.__setitem__}
    assert reward(completions=["5", "6", "7"], solution=["5", "5", None], **logs) == [1.0, 0.0, None]
    assert metrics["mine/verdict/unreadable"] == pytest.approx(1 / 3)
    assert extras["mine_answer"] == ["5", "6", ""]


def test_the_file_of_verl_is_loaded_by_its_path() -> None:
    spec = spec_from_file_location("custom_module", verl.__file__)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.compute_score("x", "#### 5", "5", {"index": 1}, metric="rules") == {
        "score": 1.0,
        "acc": 1.0,
        "pred": "5",
        "verdict": "right",
        "scored": 1.0,
    }


def verified(**changes: Any) -> dict[str, Any]:
    message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is Rome."}]}
    body = {"response": {"output": [message]}, "expected_answer": "Rome", **changes}
    return asyncio.run(nemo_gym.verify(body, Reward(**RULES)))


def test_the_gold_answer_of_nemo_gym_may_be_in_the_metadata() -> None:
    body = {"response": verified()["response"], "verifier_metadata": {"expected_answer": "Rome"}}
    assert asyncio.run(nemo_gym.verify(body, Reward(**RULES)))["reward"] == 1.0


def test_a_response_of_reasoning_only_is_wrong_as_a_text_that_only_thinks_is() -> None:
    for output in ([{"type": "reasoning", "content": "5"}], [{"type": "message", "content": [{"text": "<think> 5"}]}]):
        result = verified(response={"output": output})
        assert (result["reward"], result["mask_sample"], result["verdict"]) == (0.0, False, "wrong")
    result = verified(response={"output": []})  # a rollout that failed
    assert (result["reward"], result["mask_sample"], result["failure_reason"]) == (0.0, True, "there is no completion")


def test_scores_of_openrlhf_are_from_0_to_1_also_if_a_reward_is_not() -> None:
    columns = (["a? 5", "b? 6", "c? 7"], ["a? ", "b? ", "c? "], ["5", "5", ""])
    result = openrlhf.reward_func(*columns, unreadable=-1.0, **RULES)
    assert result["rewards"].tolist() == [1.0, 0.0, -1.0]
    assert result["scores"].tolist() == [1.0, 0.0, 0.0]


PROMPT = "<s>[INST]Put the answer in \\boxed{}. E.g. 2+2 gives \\boxed{4}. What is 1+3?[/INST]"


@pytest.mark.parametrize(
    ("query", "prompt"),
    [
        (f"{PROMPT} I refuse to do this.", PROMPT.replace("What is", "What  is")),  # two blanks
        (f"{PROMPT} \\boxed{{4}}", f"{PROMPT}\n"),
        ("4", "What is 1+3?"),
        ("", "What is 1+3?"),
        ("x" * 101 + "What is 1+3? 4", "What is 1+3?"),  # not at the start
    ],
)
def test_a_prompt_of_openrlhf_that_is_not_in_its_query_is_a_row_without_a_reward(query: str, prompt: str) -> None:
    with pytest.warns(openrlhf.PromptNotFoundWarning, match=r"1 of 2 queries .* \(the first is row 1\)"):
        result = openrlhf.reward_func(["1+3? 4", query], ["1+3? ", prompt], ["4", "4"], **RULES)
    assert result["rewards"].tolist() == [1.0, 0.0]
    logs = {name: log.tolist() for name, log in result["extra_logs"].items()}
    assert logs == {"right": [1.0, 0.0], "unscored": [0.0, 1.0], "prompt_not_found": [0.0, 1.0]}


def test_texts_of_openrlhf_that_are_none_or_missing_are_an_error() -> None:
    with pytest.raises(TypeError, match=r"prompts\[0\] is None"):
        openrlhf.reward_func(["5"], [None], ["5"], **RULES)  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"queries\[0\] is 5"):
        openrlhf.reward_func([5], ["5"], ["5"], **RULES)  # type: ignore[list-item]
    with pytest.raises(LookupError, match="labels"):
        asyncio.run(openrlhf.remote({"query": ["5"], "prompts": [""]}, Reward(**RULES)))
    with pytest.raises(ValueError, match="'labels' has 1 rows"):
        asyncio.run(openrlhf.remote({"query": ["5", "6"], "prompts": ["", ""], "labels": ["5"]}, Reward(**RULES)))


def test_without_open_instruct_its_verifier_cannot_be_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "open_instruct.ground_truth_utils")
    monkeypatch.setitem(sys.modules, "open_instruct", None)
    with pytest.raises(ImportError):
        open_instruct.verifier()
