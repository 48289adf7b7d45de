"""A training that is killed resumes with the same result, and a broken one leaves nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
import torch

from answersim._base.runtime import training_checkpoints
from answersim._base.runtime.training_checkpoints import FILE
from rankers.training.objective import DivergenceError
from rankers.training.sampling import Hardest
from tests.rankers.training.small_runs import SHORT, history_of, killer, scripted, weights


@pytest.mark.parametrize(
    ("epoch", "changes"),
    [
        (0, {}),
        (3, {}),
        (1, {"keep": "last", "optimizer": "rmsprop", "learning_rate": 0.003}),
        (2, {"optimizer": "adamw", "schedule": "linear", "warmup_ratio": 0.4, "weight_decay": 0.01}),
    ],
)
def test_a_killed_run_is_resumed_with_the_same_result(epoch, changes, bench, tmp_path):
    recipe = replace(SHORT, **changes)
    whole = bench.trainer(recipe)
    whole.finish()
    with pytest.raises(KeyboardInterrupt):
        bench.trainer(recipe, hooks=(killer(epoch),)).finish(tmp_path)
    assert (tmp_path / FILE).exists() is (epoch > 0)

    resumed = bench.trainer(recipe)
    resumed.finish(tmp_path)
    assert weights(resumed.network) == weights(whole.network)
    assert history_of(resumed) == history_of(whole)
    assert {name: value.numpy().tobytes() for name, value in resumed.best.items()} == {
        name: value.numpy().tobytes() for name, value in whole.best.items()
    }


def test_a_run_that_was_killed_inside_an_epoch_reads_that_epoch_again(bench, tmp_path):
    whole = bench.trainer(SHORT, Hardest(1, 4))
    whole.finish()
    broken = bench.trainer(SHORT, Hardest(1, 4))
    objective, calls = broken.objective, Counter()

    def dies(network, step):
        calls["steps"] += 1
        if calls["steps"] == 5:  # the second step of the second epoch
            raise KeyboardInterrupt
        return objective(network, step)

    broken.objective = dies
    with pytest.raises(KeyboardInterrupt):
        broken.finish(tmp_path)
    resumed = bench.trainer(SHORT, Hardest(1, 4))
    resumed.finish(tmp_path)
    assert (weights(resumed.network), history_of(resumed)) == (weights(whole.network), history_of(whole))


def test_a_finished_run_is_not_run_again(bench, tmp_path):
    first = bench.trainer(SHORT)
    first.finish(tmp_path)

    def never(network, step):
        raise AssertionError("a step was taken")

    again = bench.trainer(SHORT, objective=never, dev=scripted())
    again.finish(tmp_path)
    assert weights(again.network) == weights(first.network)
    assert history_of(again) == history_of(first)
    assert [epoch.seconds for epoch in again.history] == [epoch.seconds for epoch in first.history]


def test_the_best_weights_survive_a_kill(bench, tmp_path):
    seen = []
    with pytest.raises(KeyboardInterrupt):
        bench.trainer(
            SHORT, dev=scripted(0.1, 0.9, 0.5), hooks=(lambda _, entry: seen.append(weights(entry)), killer(2))
        ).finish(tmp_path)
    resumed = bench.trainer(SHORT, dev=scripted(0.5, 0.2))
    resumed.finish(tmp_path)
    assert weights(resumed.network) == seen[1]


@pytest.mark.parametrize("damage", ["cut", "text", "foreign"])
def test_a_damaged_state_is_refused(damage, bench, tmp_path):
    bench.trainer(SHORT).finish(tmp_path)
    path = tmp_path / FILE
    if damage == "foreign":
        from safetensors.torch import save_file

        save_file({"weight": torch.ones(2)}, path)
    else:
        path.write_bytes(path.read_bytes()[:-7] if damage == "cut" else b"no tensors")
    with pytest.raises(ValueError, match=rf"{FILE} is damaged .*give another folder, or remove it"):
        bench.trainer(SHORT).finish(tmp_path)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_loss_that_is_no_number_stops_the_run_and_spoils_nothing(value, bench, tmp_path):
    whole = bench.trainer(SHORT)
    whole.finish()
    broken = bench.trainer(SHORT)
    objective = broken.objective
    broken.objective = lambda network, step: objective(network, step) * (value if len(broken.history) == 2 else 1)
    with pytest.raises(
        FloatingPointError, match=rf"the loss is {value} in epoch 2, batch 1 of \d+; the learning rate 0\.03"
    ):
        broken.finish(tmp_path)
    resumed = bench.trainer(SHORT)
    resumed.finish(tmp_path)
    assert weights(resumed.network) == weights(whole.network)


@pytest.mark.parametrize("settings", [{}, {"epochs": 1, "batch_size": 100}, {"optimizer": "rmsprop"}, {"clip": 1e30}])
def test_a_learning_rate_that_breaks_the_network_is_an_error(settings, bench, tmp_path):

    broken = bench.trainer(replace(SHORT, learning_rate=1e30, **settings))
    with pytest.raises(ValueError, match=r"in epoch 1(, batch \d+ of \d+)?; the learning rate 1e\+30"):
        broken.finish(tmp_path)
    state = training_checkpoints.load(tmp_path / FILE)
    assert state is None or all(torch.isfinite(tensor).all() for tensor in state.tensors.values())


def test_a_gradient_that_is_no_number_stops_the_run(bench):
    broken = bench.trainer(SHORT)
    objective = broken.objective

    def rooted(network, step):
        loss = objective(network, step)
        return loss + (loss - loss).sqrt()  # 0, with a gradient of nan

    broken.objective = rooted
    with pytest.raises(DivergenceError, match="the norm of the gradient is nan in epoch 1, batch 1 of"):
        broken.finish()
