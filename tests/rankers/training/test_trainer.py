"""The trainer: it learns, follows from its seed, and reads what the recipe says."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from answersim._base.runtime import training_checkpoints
from answersim._base.runtime.training_checkpoints import FILE
from rankers.training.adversarial import Adversarial, Adversary
from rankers.training.objective import DivergenceError, StatefulObjective
from rankers.training.sampling import Hardest, NoNegatives, labeled_pairs
from rankers.training.trainer import Epoch, Recipe, Step

SHORT = Recipe(epochs=3, batch_size=6, learning_rate=0.03)


def weights(network: nn.Module) -> dict[str, bytes]:
    return {name: parameter.detach().numpy().tobytes() for name, parameter in network.named_parameters()}


def killer(epoch: int) -> Callable[[Epoch, nn.Module], None]:
    """A hook that stops a run at the end of this epoch, before its state is kept."""

    def hook(entry: Epoch, network: nn.Module) -> None:
        if entry.epoch == epoch:
            raise KeyboardInterrupt

    return hook


def scripted(*values: float) -> Callable[[nn.Module], float]:
    """A measure on dev that says these values, epoch by epoch."""
    output: Iterator[float] = iter(values)
    return lambda network: next(output)


def history_of(trainer: Any) -> list[tuple[int, float, float]]:
    """What a run's history says, without the time it took."""
    return [(epoch.epoch, -1.0 if np.isnan(epoch.loss) else epoch.loss, epoch.dev) for epoch in trainer.history]


ROWS = Recipe(epochs=3, batch_size=7, loss="pointwise", reads="rows", learning_rate=0.03)


@pytest.mark.parametrize(("recipe", "negatives"), [(SHORT, None), (ROWS, NoNegatives())], ids=["lists", "rows"])
def test_it_learns(recipe, negatives, bench):
    trainer = bench.trainer(replace(recipe, epochs=15), negatives)
    trainer.finish()
    assert trainer.history[0].dev < 0.7
    assert trainer.best_epoch.dev > 0.9
    assert bench.dev(trainer.network) == trainer.best_epoch.dev


@pytest.mark.parametrize(("loss", "optimizer"), [("hinge", "adam"), ("pointwise", "adamw"), ("listwise", "rmsprop")])
def test_every_loss_goes_down_with_every_optimizer(loss, optimizer, bench):
    rate = 0.005 if optimizer == "rmsprop" else 0.03
    recipe = Recipe(epochs=12, batch_size=6, loss=loss, optimizer=optimizer, learning_rate=rate, negatives=2)
    trainer = bench.trainer(recipe, network=bench.network(dropout=0.0))
    trainer.finish()
    losses = [epoch.loss for epoch in trainer.history[1:]]
    assert min(losses) < 0.7 * losses[0]


def test_a_run_follows_from_the_seed(bench):
    runs = [bench.trainer(replace(SHORT, seed=seed)) for seed in (0, 0, 1)]
    for run in runs:
        run.finish()
    first, again, second = (weights(run.network) for run in runs)
    assert first == again
    assert history_of(runs[0]) == history_of(runs[1])
    assert not any(first[name] == second[name] for name in first)


def test_torchs_random_state_is_neither_used_nor_changed(bench):
    result = []
    for seed in (7, 8):
        torch.manual_seed(seed)
        before = torch.get_rng_state()
        trainer = bench.trainer(SHORT)
        trainer.finish()
        assert torch.equal(torch.get_rng_state(), before)
        result.append(weights(trainer.network))
    assert result[0] == result[1]


def test_every_epoch_is_reported_to_the_hooks_and_the_log(bench, tmp_path):
    seen: list[tuple[int, int]] = []
    lines, states = list[str](), []

    def hook(epoch, network):
        seen.append((epoch.epoch, (tmp_path / FILE).exists()))
        states.append(weights(network))

    trainer = bench.trainer(SHORT, hooks=(hook,), dev=scripted(0.1, 0.5, 0.25, 0.75))
    trainer.finish(tmp_path, lines.append)
    assert seen == [(0, False), (1, True), (2, True), (3, True)]  # the hooks come before the state
    assert states[0] == weights(bench.network())  # epoch 0 is the network as it started
    assert np.isnan(trainer.history[0].loss)
    assert [epoch.dev for epoch in trainer.history] == [0.1, 0.5, 0.25, 0.75]
    assert [line.endswith("*") for line in lines] == [True, True, False, True]
    assert lines[0].startswith("epoch   0 of 3")
    assert "dev 0.1000" in lines[0]
    assert "loss" not in lines[0]
    assert f"loss {trainer.history[2].loss:.4f}, dev 0.2500" in lines[2]
    assert [epoch.seconds for epoch in trainer.history] == sorted(epoch.seconds for epoch in trainer.history)


@pytest.mark.parametrize(
    ("keep", "devs", "kept"),
    [
        ("best", (0.1, 0.9, 0.5, 0.2), 1),
        ("best", (0.1, 0.9, 0.9, 0.9), 1),  # of equal ones the first
        ("best", (0.5, 0.1, 0.1, 0.4), 0),
        ("last", (0.1, 0.9, 0.5, 0.2), 3),
    ],
)
def test_the_weights_of_the_best_epoch_or_the_last_are_kept(keep, devs, kept, bench):
    seen = []
    trainer = bench.trainer(
        replace(SHORT, keep=keep), dev=scripted(*devs), hooks=(lambda _, network: seen.append(weights(network)),)
    )
    trainer.finish()
    assert weights(trainer.network) == seen[kept]
    assert len({tuple(entry.values()) for entry in seen}) == 4
    assert trainer.best_epoch.epoch == (1 if keep == "last" else kept)


@pytest.mark.parametrize(
    ("patience", "devs", "last"),
    [
        (0, (0.9, 0.1, 0.1, 0.1, 0.1, 0.1), 5),
        (1, (0.1, 0.2, 0.2, 0.3, 0.3, 0.3), 2),  # equal is not better
        (2, (0.1, 0.2, 0.2, 0.3, 0.3, 0.3), 5),
        (2, (0.5, 0.4, 0.3, 0.9, 0.9, 0.9), 2),  # epoch 0 counts too
    ],
)
def test_it_stops_when_dev_is_not_better_for_so_many_epochs(patience, devs, last, bench):
    trainer = bench.trainer(replace(SHORT, epochs=5, patience=patience), dev=scripted(*devs))
    trainer.finish()
    assert trainer.history[-1].epoch == last
    assert trainer.is_done


def steps_of(bench: Any, recipe: Recipe, negatives: Any = None) -> list[list[list[tuple[Any, Any, float]]]]:
    """Question, answer and relevance of each pair, step by step and row by row; nothing is learned."""
    steps = []

    def objective(network, step):
        sides = [[tuple(ids[there].tolist()) for ids, there in zip(*side, strict=True)] for side in step.batch.pairs()]
        pairs = list(zip(*sides, step.relevance.flatten().tolist(), strict=True))
        assert step.mask.all()
        n = step.relevance.shape[1]
        steps.append([pairs[start : start + n] for start in range(0, len(pairs), n)])
        return network(step.batch).sum() * 0

    bench.trainer(recipe, negatives, objective=objective).finish()
    return steps


def known(bench: Any) -> dict[tuple[int, ...], set[tuple[int, ...]]]:
    """The right answers of each question, by their ids."""
    answers = [tuple(ids) for ids in bench.texts.answers]
    rows = zip(bench.texts.questions, bench.data.positives, strict=True)
    return {tuple(ids): {answers[row] for row in positives} for ids, positives in rows}


def test_an_epoch_reads_each_right_answer_once_beside_its_wrong_ones(bench):
    steps, right = steps_of(bench, replace(SHORT, epochs=2, negatives=2, batch_size=5)), known(bench)
    expected = Counter((question, answer) for question, answers in right.items() for answer in answers)
    epochs = [[row for step in steps[start : start + 4] for row in step] for start in (0, 4)]
    for epoch in epochs:
        assert Counter(row[0][:2] for row in epoch) == expected
        for row in epoch:
            assert [relevance for *_, relevance in row] == [1.0, 0.0, 0.0]
            assert {question for question, *_ in row} == {row[0][0]}
            wrong = {answer for _, answer, _ in row[1:]}
            assert len(wrong) == 2
            assert not right[row[0][0]] & wrong
    assert sorted(map(len, steps[:4])) == [1, 5, 5, 5]
    by_pair = [{row[0][:2]: row[1:] for row in epoch} for epoch in epochs]
    assert list(by_pair[0]) != list(by_pair[1])  # epochs differ in their order,
    assert by_pair[0] != by_pair[1]  # and in their wrong answers


@pytest.mark.parametrize(
    ("settings", "rates"),
    [
        ({}, [1, 1, 1, 1]),
        ({"warmup_ratio": 0.5}, [0.5, 1, 1, 1]),
        ({"warmup_ratio": 0.1}, [1, 1, 1, 1]),  # less than a step: the rate is never above its peak
        ({"warmup_ratio": 0.3}, [1 / 1.2, 1, 1, 1]),
        ({"schedule": "linear"}, [1, 0.75, 0.5, 0.25]),
        ({"schedule": "linear", "warmup_ratio": 0.5}, [0.5, 1, 1, 0.5]),
    ],
)
def test_the_learning_rate_follows_its_schedule(settings, rates, bench):
    pairs = len(bench.data.pairs)
    trainer = bench.trainer(replace(SHORT, epochs=2, batch_size=pairs // 2, learning_rate=0.1, **settings))
    steps = trainer._optimizer.step
    seen = []
    trainer._optimizer.step = lambda: (seen.append(trainer._optimizer.param_groups[0]["lr"]), steps())
    trainer.finish()
    assert seen == pytest.approx([0.1 * rate for rate in rates])


def test_no_step_has_a_larger_gradient_than_the_recipe_allows(bench):
    norms = []

    def objective(network, step):
        grown = [parameter.grad.norm() for parameter in network.parameters() if parameter.grad is not None]
        if grown:
            norms.append(float(torch.stack(grown).norm()))
        return 1e6 * network(step.batch).sum()

    bench.trainer(replace(SHORT, clip=0.5), objective=objective).finish()
    assert norms == pytest.approx([0.5] * len(norms), rel=1e-3)


def test_only_what_requires_a_gradient_is_trained(bench):
    network = bench.network()
    network.score.weight.requires_grad_(False)
    before = weights(network)
    trainer = bench.trainer(replace(SHORT, keep="last", loss="pointwise"), network=network)
    trainer.finish()
    after = weights(trainer.network)
    assert {name for name in before if before[name] == after[name]} == {"score.weight"}
    assert "score.weight" not in trainer.best


def test_a_dev_measure_that_is_no_number_can_choose_no_epoch(bench):
    with pytest.raises(FloatingPointError, match="the measure on dev is nan after epoch 1"):
        bench.trainer(SHORT, dev=scripted(0.1, float("nan"))).finish()


def test_rows_are_every_pair_once_with_its_label_in_batches_of_like_length(bench):
    steps = steps_of(bench, replace(ROWS, epochs=2), NoNegatives())
    read = [pair for step in steps for (pair,) in step]
    (pairs, labels), texts = labeled_pairs(bench.data), bench.texts
    expected = [
        (tuple(texts.questions[q]), tuple(texts.answers[a]), float(label))
        for (q, a), label in zip(pairs.tolist(), labels.tolist(), strict=True)
    ]
    first, second = read[: len(expected)], read[len(expected) :]
    assert Counter(first) == Counter(second) == Counter(expected)
    assert first != second  # each epoch has its own order
    spans = [{len(question) + len(answer) for ((question, answer, _),) in step} for step in steps]
    longest = list(map(max, spans[: len(spans) // 2]))
    assert longest != sorted(longest)
    assert {label for *_, label in read} == {0.0, 1.0}
    assert sum(map(len, spans)) < sum(len(set(map(len, texts.answers))) for _ in spans)


def test_mixed_precision_trains_differently_and_follows_from_the_seed(bench):
    seen = []

    def objective(network, step):
        seen.append(torch.is_autocast_enabled("cpu"))
        scores = network(step.batch).float().view_as(step.relevance)
        return nn.functional.binary_cross_entropy_with_logits(scores, step.relevance)

    runs = [
        bench.trainer(replace(ROWS, precision=name, keep="last"), NoNegatives(), objective=objective)
        for name in ("float32", "bfloat16", "bfloat16")
    ]
    for run in runs:
        run.finish()
    single, half, again = (weights(run.network) for run in runs)
    assert half == again
    assert not any(single[name] == half[name] for name in single)
    assert seen == [False] * 21 + [True] * 42
    assert all(parameter.dtype == torch.float32 for parameter in runs[1].network.parameters())


@pytest.mark.parametrize("loss", ["hinge", "pointwise", "listwise"])
def test_the_passes_of_a_step_have_the_gradient_of_the_step(loss, bench):
    recipe = replace(SHORT, epochs=1, loss=loss, negatives=2, batch_size=100, keep="last")  # one step
    sizes, losses = list[int](), list[float]()

    def trained(micro_batch):
        trainer = bench.trainer(replace(recipe, micro_batch=micro_batch), network=bench.network(dropout=0.0))
        usual = trainer.objective

        def objective(network, step):
            value = usual(network, step)
            sizes.append(len(step.relevance))
            losses.append(float(value.detach()))
            return value

        trainer.objective = objective
        trainer.finish()
        return dict(trainer.network.named_parameters()), trainer.history[-1].loss

    (whole, whole_loss), (parts, parts_loss) = trained(0), trained(6)
    assert sizes == [16, 6, 6, 4]
    assert whole_loss == pytest.approx(losses[0], rel=1e-5)
    assert parts_loss == pytest.approx(whole_loss, rel=1e-5)
    assert any(weight.grad.abs().max() > 1e-3 for weight in whole.values())
    for name, weight in whole.items():
        torch.testing.assert_close(parts[name].grad, weight.grad, atol=1e-6, rtol=1e-4)


def test_a_state_has_equal_weights_once_and_after_the_last_epoch_no_optimizer(bench, tmp_path):
    recipe = replace(SHORT, epochs=2)
    parts = []

    def note(epoch, network):
        state = training_checkpoints.load(tmp_path / FILE)
        parts.append({name.split("/")[0] for name in state.tensors} if state else set())

    bench.trainer(recipe, dev=scripted(0.5, 0.1, 0.2), hooks=(note,)).finish(tmp_path)
    note(Epoch(0, 0, 0, 0), bench.network())
    assert parts == [set(), {"now"}, {"now", "best", "optimizer"}, {"best"}]


class Counting(StatefulObjective):
    """An objective that remembers how many steps it took, and weighs the loss by it."""

    def __init__(self) -> None:
        self.steps, self.statistics = 0, []

    def __call__(self, network: nn.Module, step: Step) -> Tensor:
        self.steps += 1
        scores = network(step.batch).view_as(step.relevance)
        return nn.functional.binary_cross_entropy_with_logits(scores, step.relevance) * (1 + self.steps / 10)

    def end_epoch(self, epoch: Epoch, network: nn.Module) -> None:
        self.statistics.append(epoch.epoch)

    def summary(self) -> str:
        return f"{self.steps} steps"

    def state(self) -> dict[str, Tensor]:
        return {"steps": torch.tensor(self.steps), "statistics": torch.tensor(self.statistics)}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        self.steps, self.statistics = int(state["steps"]), state["statistics"].tolist()


def against(bench: Any, **settings: Any) -> Adversarial:
    """A generator that proposes negatives."""
    adversary = Adversary(**{"pool": 6, "k": 2, "samples": 3, "learning_rate": 0.003, **settings})
    return Adversarial(bench.network(0), bench.texts, adversary)


FEW_PAIRS = {"pairs": 5, "baseline": "mean", "batch_size": 2}
TWO = replace(SHORT, learning_rate=0.01, negatives=2, keep="last")


@pytest.mark.parametrize(
    ("recipe", "negatives", "objective", "epoch"),
    [
        (SHORT, None, None, 0),
        (SHORT, None, None, 3),
        (replace(SHORT, keep="last", optimizer="rmsprop", learning_rate=0.003), None, None, 1),
        (replace(SHORT, optimizer="adamw", schedule="linear", warmup_ratio=0.4, weight_decay=0.01), None, None, 2),
        (ROWS, lambda bench: NoNegatives(), Counting, 1),
        (ROWS, lambda bench: NoNegatives(), Counting, 2),
        (TWO, against, None, 2),
        (TWO, lambda bench: against(bench, **FEW_PAIRS), None, 1),
        (SHORT, lambda bench: Hardest(1, 4), None, 1.5),  # inside the second epoch
    ],
)
def test_a_killed_run_is_resumed_with_the_same_result(recipe, negatives, objective, epoch, bench, tmp_path):
    def trainer(hooks=()):
        return bench.trainer(recipe, negatives and negatives(bench), objective=objective and objective(), hooks=hooks)

    whole, lines = trainer(), list[str]()
    whole.finish()
    broken = trainer((killer(epoch),))
    if epoch == 1.5:
        usual, steps = broken.objective, iter(range(4))

        def dies(network, step):
            if next(steps, None) is None:
                raise KeyboardInterrupt
            return usual(network, step)

        broken.objective = dies
    with pytest.raises(KeyboardInterrupt):
        broken.finish(tmp_path)
    assert (tmp_path / FILE).exists() is (epoch > 0)

    resumed = trainer()
    resumed.finish(tmp_path, lines.append)
    assert weights(resumed.network) == weights(whole.network)
    assert history_of(resumed) == history_of(whole)
    assert {name: value.numpy().tobytes() for name, value in resumed.best.items()} == {
        name: value.numpy().tobytes() for name, value in whole.best.items()
    }
    for part in ("negatives", "objective") if objective else ("negatives",):
        ours, theirs = getattr(resumed, part), getattr(whole, part)
        assert {name: tensor.tolist() for name, tensor in ours.state().items()} == {
            name: tensor.tolist() for name, tensor in theirs.state().items()
        }  # of a generator, Adam's moments and counts too
        assert getattr(ours, "statistics", []) == getattr(theirs, "statistics", [])
    if objective:
        assert resumed.objective.steps == 3 * -(-48 // 7)
        assert lines[-1].endswith("; 21 steps")


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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda loss: loss * math.nan, "the loss is nan"),
        (lambda loss: loss * math.inf, "the loss is inf"),
        (lambda loss: loss + (loss - loss).sqrt(), "the norm of the gradient is nan"),  # 0, with a gradient of nan
    ],
)
def test_a_number_that_is_none_stops_the_run_and_spoils_nothing(change, message, bench, tmp_path):
    whole = bench.trainer(SHORT)
    whole.finish()
    broken = bench.trainer(SHORT)
    usual = broken.objective
    broken.objective = lambda *step: change(usual(*step)) if len(broken.history) == 2 else usual(*step)
    with pytest.raises(DivergenceError, match=rf"{message} in epoch 2, batch 1 of \d+; the learning rate 0\.03"):
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
