"""Inspect: scorers by entry point, finished logs scored again without a model, samples without a target."""

import math
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

import answersim

pytest.importorskip("inspect_ai", reason="could not import 'inspect_ai'")

from inspect_ai import Task, eval, score
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Scorer, match
from inspect_ai.solver import Generate, Solver, TaskState, solver

from answersim.integrations.inspect_ai import SCORERS, metric

ROWS = [  # question, targets, recorded answer
    ("Which city is the capital of Italy?", ["Rome", "Roma"], "It is Rome."),
    ("How many players has a team?", ["eleven"], "11"),
    ("Who wrote it?", [""], "nobody"),
]


@solver
def replay() -> Solver:
    """Take the recorded answer for that of a model; mockllm would fetch a tokenizer."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("replay", state.metadata["recorded"])
        return state

    return solve


def evaluated(folder: Path, scorers: list[Scorer], log_format: Any = "eval") -> EvalLog:
    """The log of a task with recorded answers."""
    samples = [
        Sample(input=question, target=targets, metadata={"recorded": answer}, id=i)
        for i, (question, targets, answer) in enumerate(ROWS, start=1)
    ]
    task = Task(dataset=samples, solver=replay(), scorer=scorers)
    (log,) = eval(task, model="mockllm/model", log_dir=str(folder), log_format=log_format, display="none")
    assert log.status == "success", log.error
    return log


def scores(log: EvalLog, name: str) -> list[Any]:
    return [sample.scores[name] for sample in sorted(log.samples or [], key=lambda sample: sample.id)]


def test_a_task_is_scored_with_reason_verdict_and_signature(tmp_path):
    log = evaluated(tmp_path, [SCORERS["f1"](), metric("recall", threshold=0.5)])
    for name, gold in (("f1", ["Rome", "Roma"]), ("metric", ["Rome", "Roma"])):
        ours = answersim.score(gold, "It is Rome.", "f1" if name == "f1" else "recall")
        first = scores(log, name)[0]
        assert first.value == ours
        assert first.metadata["signature"] == ours.signature
        assert first.metadata["verdict"] == "equivalent"
        assert ours.signature in first.explanation
        assert first.answer == "It is Rome."
    assert log.results.scores[0].metrics["mean"].value == pytest.approx(0.25)  # of the two samples with a target


def test_a_sample_without_a_target_is_unscored(tmp_path):
    last = scores(evaluated(tmp_path, [SCORERS["f1"]()]), "f1")[2]
    assert math.isnan(last.value)
    assert "no target" in last.explanation


def test_a_sample_without_an_answer_scores_0_with_the_reason(tmp_path):
    log = evaluated(tmp_path, [match()])
    log.samples[0].output = ModelOutput()  # as that of a sample with an error
    first = scores(score(log, SCORERS["f1"](), action="overwrite", display="none"), "f1")[0]
    assert (first.value, first.metadata["verdict"]) == (0.0, "different")
    assert "there is no prediction" in first.explanation


@pytest.mark.parametrize("log_format", ["eval", "json"])
def test_a_finished_log_is_scored_again_by_the_command_of_inspect(tmp_path, log_format):
    if "answersim" not in {point.name for point in entry_points(group="inspect_ai")}:
        pytest.skip("this environment has no entry point of answersim: install the tree again")
    log = evaluated(tmp_path, [match()], log_format)
    output = tmp_path / f"again.{log_format}"
    command = [sys.executable, "-m", "inspect_ai", "score", log.location, "--scorer", "answersim/f1"]
    subprocess.run(
        [*command, "--output-file", str(output), "--overwrite", "--action", "append"],
        check=True,
        cwd=tmp_path,
        env=os.environ | {"INSPECT_DISPLAY": "none"},
    )
    again = read_eval_log(str(output))
    assert [score.name for score in again.results.scores] == ["match", "f1"]
    assert [value.value for value in scores(again, "f1")][:2] == [0.5, 0.0]


def test_scoring_in_python_and_each_name_of_the_catalog(tmp_path):
    assert list(SCORERS) == list(answersim.names())
    again = score(evaluated(tmp_path, [match()]), metric("em", threshold=1), action="overwrite", display="none")
    assert [value.value for value in scores(again, "metric")][:2] == [0.0, 0.0]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_samples_at_the_same_time_are_scored_on_both_backends(backend):
    anyio = pytest.importorskip("anyio")
    if backend == "trio":
        pytest.importorskip("trio", reason="could not import 'trio'")
    import numpy as np

    from answersim.integrations.base import Scorer as Ours

    class Slow:
        signature = "slow|v:1"
        calls = 0

        def __call__(self, pairs: Any) -> Any:
            Slow.calls += 1
            return np.array([float(len(pair.pred)) for pair in pairs])

    ours, found = Ours(Slow()), {}

    async def one(n: int) -> None:
        found[n] = (await ours.score_async(None, "a", "x" * n)).value

    async def main() -> None:
        async with anyio.create_task_group() as group:
            for n in range(16):
                group.start_soon(one, n)

    Slow.calls = 0
    anyio.run(main, backend=backend)
    assert found == {n: float(n) for n in range(16)}
    assert Slow.calls < 16
