"""A training of a bi-encoder that is stopped resumes with the same weights."""

import json
import shutil
import signal
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from answersim._base.runtime import training_checkpoints
from answersim.training.data.pairs import write_pairs
from tests.training.bi_encoder.conftest import PAIRS, TINY, assert_equal, made, train, weights

torch = pytest.importorskip("torch")
for module in ("safetensors.torch", "sentence_transformers", "peft", "accelerate", "datasets"):
    pytest.importorskip(module)

ROOT = Path(__file__).parents[3]


@pytest.fixture
def again(finished, tmp_path):
    """A copy of the folder of the finished training."""
    return shutil.copytree(finished.folder.parent, tmp_path / "again")


KILLED = """
import os, signal, sys
from pathlib import Path
from answersim.training.bi_encoder import train as bi_encoder
from answersim.training import checkpointing
from answersim.training.data.pairs import read_pairs
from answersim.training.bi_encoder.recipe import BiEncoderRecipe
import json

begin = checkpointing._Steering.on_step_begin

def begin_or_die(self, args, state, control, **others):
    if state.global_step == int(sys.argv[5]):
        os.kill(os.getpid(), signal.SIGKILL)
    begin(self, args, state, control, **others)

checkpointing._Steering.on_step_begin = begin_or_die
recipe = BiEncoderRecipe(**json.loads(sys.argv[1]))
bi_encoder.train(recipe, read_pairs(Path(sys.argv[2])), Path(sys.argv[4]), base=sys.argv[3])
"""


def killed_at(step, base, output, pairs_file, recipe=TINY):
    """Run a training in a process of its own, which kill -9 ends before this step."""
    command = [sys.executable, "-c", KILLED, json.dumps(asdict(recipe)), pairs_file, base, output, step]
    run = subprocess.run([str(entry) for entry in command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == -signal.SIGKILL, run.stderr


@pytest.mark.slow
def test_a_run_ended_by_kill_9_and_resumed_has_the_weights_of_one_that_was_not(base, tmp_path, finished):
    write_pairs(PAIRS, tmp_path / "pairs.csv")
    killed_at(5, base, tmp_path / "killed", tmp_path / "pairs.csv")
    assert training_checkpoints.load(tmp_path / "killed" / training_checkpoints.FILE).metadata["step"] == 4
    lines = []
    resumed = train(base, tmp_path / "killed", log=lines.append)
    assert "resumed after step 4 of 6" in lines
    assert_equal(resumed.folder, finished.folder)
    assert resumed.evaluations == finished.evaluations
    assert resumed.results == finished.results


@pytest.fixture(scope="module")
def uninterrupted(base, tmp_path_factory, finished):
    """By method, what a recipe and an uninterrupted training by it give."""
    full = replace(TINY, method="full", learning_rate=0.005)
    return {"lora": (TINY, finished), "full": (full, train(base, tmp_path_factory.mktemp("full"), full))}


@pytest.mark.parametrize("method", ["lora", "full"])
@pytest.mark.parametrize("stopped_at", [2, *(pytest.param(at, marks=pytest.mark.slow) for at in (1, 3, 5))])
def test_a_resumed_run_ends_as_an_uninterrupted_one(base, tmp_path, steps, uninterrupted, method, stopped_at):
    recipe, whole = uninterrupted[method]
    with steps.interrupted_before(stopped_at):
        train(base, tmp_path / "stopped", recipe)
    taken = steps.taken()
    torch.manual_seed(99)  # the random state of the process does not matter
    resumed = train(base, tmp_path / "stopped", recipe)
    assert_equal(resumed.folder, whole.folder)
    assert resumed.evaluations == whole.evaluations
    assert 0 <= stopped_at - taken[0] < recipe.checkpoint_every
    assert taken[-1] == 5


def test_a_finished_run_only_writes_its_files_again(base, finished, again, steps):
    next(again.rglob("adapter_model.safetensors")).unlink()
    taken = steps.taken()
    written = train(base, again).folder / "adapter_model.safetensors"
    assert taken == []
    assert written.read_bytes() == (finished.folder / "adapter_model.safetensors").read_bytes()


@pytest.fixture
def dev_values(monkeypatch):
    """Set the values of the evaluations on dev: a function of the step to the Pearson and Spearman correlation."""

    def replaced(by_step):
        from answersim.training.bi_encoder import trainer

        names = ("pearson_cosine", "spearman_cosine")
        monkeypatch.setattr(
            trainer.EmbeddingSimilarityEvaluator,
            "__call__",
            lambda *_, steps, **__: dict(zip(names, by_step(steps), strict=True)),
        )

    return replaced


def test_the_best_weights_by_dev_are_kept_and_not_the_last_ones(base, tmp_path, dev_values):
    dev_values({2: (0.0, 0.5), 4: (0.0, 0.9), 6: (0.0, 0.1)}.__getitem__)
    whole = train(base, tmp_path / "whole", replace(TINY, evaluate_every=2, epochs=2, warmup_ratio=0.0))
    snapshot = training_checkpoints.load(tmp_path / "whole" / training_checkpoints.FILE)
    assert [evaluation["spearman"] for evaluation in whole.evaluations] == [0.5, 0.9, 0.1]
    name = next(iter(weights(whole.folder)))
    inside = name.removeprefix("base_model.model.").removesuffix(".weight")
    (best,) = (tensor for key, tensor in snapshot.tensors.items() if key.startswith("best/") and inside in key)
    (now,) = (tensor for key, tensor in snapshot.tensors.items() if key.startswith("now/") and inside in key)
    assert torch.equal(weights(whole.folder)[name], best.half())
    assert not torch.equal(best, now)


def test_patience_ends_a_run_that_no_longer_gets_better(base, tmp_path, dev_values):
    dev_values(lambda step: (0.0, [0.1, 0.5, 0.4, 0.5, 0.9, 0.9][step - 1]))
    recipe = replace(TINY, evaluate_every=1, patience=2)
    trained = train(base, tmp_path, recipe)
    assert [evaluation["step"] for evaluation in trained.evaluations] == [1, 2, 3, 4]
    again = train(base, tmp_path, recipe)  # a run that was stopped stays stopped
    assert again.evaluations == trained.evaluations
    assert len(train(base, tmp_path / "patient", replace(recipe, patience=3)).evaluations) == 6


def test_a_checkpoint_of_another_run_is_never_resumed(base, tiny, again):
    with pytest.raises(ValueError, match="another recipe: lora_r was 2 and is 3 now; start over with --no-resume"):
        train(base, again, replace(TINY, lora_r=3))
    with pytest.raises(ValueError, match="another data: pairs was"):
        train(base, again, pairs=made(seed=1))
    with pytest.raises(ValueError, match="another base: fingerprint was"):
        train(tiny("bert", seed=3), again)
    anew = train(base, again, replace(TINY, lora_r=3), resume=False)
    assert json.loads((anew.folder / "adapter_config.json").read_text())["r"] == 3
