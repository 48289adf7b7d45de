"""What only Inspect does: targets and answers that are missing, finished logs scored again, two event loops."""

import math
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.integrations.shared.base import Scorer
from tests.integrations.hosts.calls import inspect_log, integration

pytest.importorskip("inspect_ai", reason="needs inspect_ai")

from inspect_ai import score
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import match

ANSWERS = ["It is Rome.", "11", "nobody"]
SAMPLES = [
    Sample(input="Which city is the capital of Italy?", target=["Rome", "Roma"], id=1),
    Sample(input="How many players has a team?", target=["eleven"], id=2),
    Sample(input="Who wrote it?", target=[""], id=3),
]


def log_of(folder: Path, *scorers: Any, log_format: str = "eval") -> Any:
    return inspect_log(SAMPLES, ANSWERS, scorers, folder, log_format)


def scores(log: Any, name: str) -> list[Any]:
    return [sample.scores[name] for sample in sorted(log.samples or [], key=lambda sample: sample.id)]


def test_a_sample_without_a_target_is_unscored_and_counts_in_no_mean(tmp_path: Path) -> None:
    log = log_of(tmp_path, integration("harnesses.inspect_ai").SCORERS["f1"]())
    first, _, last = scores(log, "f1")
    assert (first.value, first.answer) == (0.5, "It is Rome.")
    assert math.isnan(last.value)
    assert "no target" in last.explanation
    assert log.results.scores[0].metrics["mean"].value == pytest.approx(0.25)  # of the two samples with a target


def test_a_sample_without_an_answer_scores_0_with_the_reason(tmp_path: Path) -> None:
    log = log_of(tmp_path, match())
    log.samples[0].output = ModelOutput()  # as that of a sample with an error
    again = score(log, integration("harnesses.inspect_ai").SCORERS["f1"](), action="overwrite", display="none")
    first = scores(again, "f1")[0]
    assert (first.value, first.metadata["verdict"]) == (0.0, "different")
    assert "there is no prediction" in first.explanation


@pytest.mark.parametrize("log_format", ["eval", "json"])
def test_a_finished_log_is_scored_again_by_the_command_of_inspect(tmp_path: Path, log_format: str) -> None:
    if "answersim" not in {point.name for point in entry_points(group="inspect_ai")}:
        pytest.skip("this environment has no entry point of answersim: install the tree again")
    log, output = log_of(tmp_path, match(), log_format=log_format), tmp_path / f"again.{log_format}"
    options = ["--scorer", "answersim/f1", "-S", "threshold=0.4", "--output-file", str(output), "--overwrite"]
    subprocess.run(
        [sys.executable, "-m", "inspect_ai", "score", log.location, *options, "--action", "append"],
        check=True,
        cwd=tmp_path,
        env=os.environ | {"INSPECT_DISPLAY": "none"},
    )
    again = read_eval_log(str(output))
    assert [scored.name for scored in again.results.scores] == ["match", "f1"]
    result = scores(again, "f1")[:2]
    assert [entry.value for entry in result] == [0.5, 0.0]
    assert [entry.metadata["verdict"] for entry in result] == ["equivalent", "different"]


def test_each_metric_is_a_scorer_and_another_name_is_an_option(tmp_path: Path) -> None:
    ours = integration("harnesses.inspect_ai")
    assert list(ours.SCORERS) == list(answersim.names())
    again = score(log_of(tmp_path, match()), ours.metric("em", threshold=1), action="overwrite", display="none")
    assert [score.value for score in scores(again, "metric")][:2] == [0.0, 0.0]


class Counting:
    """A metric that gives the length of the prediction."""

    signature = "counting|v:1"
    calls = 0

    def __call__(self, pairs: Any) -> Any:
        self.calls += 1
        return np.array([float(len(pair.pred)) for pair in pairs])


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_samples_at_the_same_time_are_scored_together_on_both_backends(backend: str) -> None:
    anyio = pytest.importorskip("anyio")
    if backend == "trio":
        pytest.importorskip("trio", reason="could not import 'trio'")
    metric, result = Counting(), {}
    scorer = Scorer(metric)

    async def one(n: int) -> None:
        result[n] = (await scorer.score_async(None, "a", "x" * n)).value

    async def main() -> None:
        async with anyio.create_task_group() as group:
            for n in range(16):
                group.start_soon(one, n)

    anyio.run(main, backend=backend)
    assert result == {n: float(n) for n in range(16)}
    assert metric.calls < 16
