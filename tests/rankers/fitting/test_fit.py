"""From a name to a ranker: each training once, what was stopped goes on, and a committee has the members it should."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from answersim.runtime import training_checkpoints
from answersim.runtime.training_checkpoints import FILE
from rankers.artifacts import neural
from rankers.fitting import fit as fitting
from rankers.fitting.fit import fit
from rankers.fitting.members import HISTORY, MEMBERS, assemble
from rankers.inputs.words import InputConfig
from rankers.models import neural_ranker
from rankers.models.match_pyramid import Config
from rankers.models.neural_ranker import NeuralRanker
from rankers.systems import catalog
from rankers.systems.definitions import Trained, Training, TrainingConfig
from rankers.training.adversarial import Adversarial, Adversary
from rankers.training.committee import Committee
from rankers.training.recipe import Recipe
from rankers.types import Questions, Ranker

Fit = Callable[..., Ranker]


def plan(phase: str, preset: str) -> TrainingConfig:
    recipe = Recipe(epochs=2, batch_size=8, learning_rate=0.03, question_length=8, answer_length=12, dev_measure="MRR")
    made = TrainingConfig(
        Config(channels=(4,), grid=(2, 3)), InputConfig("random", size=16, at_least=1, project=8), recipe
    )
    if phase == "plain":
        return made
    adversary = Adversary(pool=6, samples=3, pairs=6, learning_rate=0.003) if phase == "adv" else None
    further = replace(recipe, epochs=4 if preset == "smoke" else 12, keep="last", learning_rate=0.01, batch_size=14)
    return replace(made, recipe=further, pool=6, adversary=adversary, every=3, calibration="question")


@pytest.fixture(autouse=True)
def _small_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalogue of one small network and what is made of it; no checkpoint is needed."""
    kinds = {
        "": ("plain", ""),
        "-adv": ("adv", "adversarial"),
        "-dns": ("dns", "hardest"),
        "-ckpt": ("ckpt", "sampled"),
    }
    trainings = {
        f"small{suffix}": Training(
            "match-pyramid",
            lambda preset, phase=phase: plan(phase, preset),
            "small" if suffix else "",
            negatives or "sampled",
        )
        for suffix, (phase, negatives) in kinds.items()
    }
    trainings["small-remembering"] = Training(
        "match-pyramid", lambda preset: replace(plan("adv", preset), forgetting=5), "small", "adversarial"
    )
    systems = {name: Trained(name, "model", "") for name in trainings} | {
        "small-advcom": Trained("small-adv", "committee", ""),
        "small-uniform": Trained("small-adv", "uniform", ""),
        "small-best": Trained("small-adv", "best-member", ""),
        "small-best-epoch": Trained("small-adv", "best-epoch", ""),
        "small-generator": Trained("small-adv", "generator", ""),
        "small-ckptcom": Trained("small-ckpt", "committee", ""),
    }
    monkeypatch.setattr(catalog, "TRAININGS", trainings)
    monkeypatch.setattr(catalog, "SYSTEMS", systems)


@pytest.fixture(scope="module")
def train(asked: Callable[..., Questions]) -> Questions:
    return asked(10)


@pytest.fixture(scope="module")
def dev(asked: Callable[..., Questions]) -> Questions:
    return asked(6, split="dev", start=4)


@pytest.fixture
def fitted(train: Questions, dev: Questions, tmp_path: Path) -> Fit:
    """``fitted(name)`` is the trained ranker, in the folder of the test."""

    def make(name: str, **settings: Any) -> Ranker:
        return fit(name, train, dev, **{"folder": tmp_path, "preset": "smoke", **settings})

    return make


def scores_of(ranker: Ranker, questions: Questions) -> list[list[float]]:
    scores = ranker.score(
        [question.text for question in questions], [[c.text for c in question.candidates] for question in questions]
    )
    return [score.tolist() for score in scores]


def history(folder: Path, training: str = "small-adv") -> dict[str, Any]:
    return json.loads((folder / training / HISTORY).read_text())


def test_trainings_are_shared_and_each_is_done_once(fitted: Fit, tmp_path: Path) -> None:
    lines: list[str] = []
    for name in ("small-advcom", "small-adv", "small-uniform", "small-best", "small-generator", "small"):
        fitted(name, log=lines.append)
    assert [line.split(":")[0] for line in lines] == ["small"] * 3 + ["small-adv"] * 5
    assert {path.name for path in tmp_path.iterdir()} == {"small", "small-adv"}
    fitted("small-dns", log=lines.append)
    assert [line.split(":")[0] for line in lines[8:]] == ["small-dns"] * 5


@pytest.mark.parametrize(("victim", "epoch"), [("small", 1), ("small-adv", 2)])
def test_a_killed_training_is_resumed_with_the_same_result(
    victim: str, epoch: int, fitted: Fit, tmp_path: Path
) -> None:
    def dies(line: str) -> None:
        if line.startswith(f"{victim}: epoch {epoch:3d}"):
            raise KeyboardInterrupt

    whole = fitted("small-advcom", folder=tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        fitted("small-advcom", folder=tmp_path / "killed", log=dies)
    assert not (tmp_path / "killed" / "small-adv" / HISTORY).exists()
    lines: list[str] = []
    resumed = fitted("small-advcom", folder=tmp_path / "killed", log=lines.append)
    assert resumed == whole
    assert resumed.signature == whole.signature
    # The line comes before the state is kept, so the epoch of the line is read anew; nothing before it is.
    assert lines[0].startswith(f"{victim}: epoch {epoch:3d}")


def test_a_start_is_the_trained_network_and_member_0_of_the_committee(fitted: Fit, tmp_path: Path) -> None:
    committee = fitted("small-advcom")
    assert isinstance(committee, Committee)
    assert committee.members[0] == fitted("small")
    assert committee.members[-1] == fitted("small-adv")


@pytest.mark.parametrize(
    ("epochs", "numbers"), [(12, [0, 3, 6, 9, 12]), (4, [0, 3, 4]), (3, [0, 3]), (2, [0, 2]), (0, [0])]
)
def test_members_are_every_third_epoch_the_start_and_the_last(
    epochs: int, numbers: list[int], fitted: Fit, tmp_path: Path
) -> None:
    committee = fitted("small-ckptcom", overrides={"epochs": epochs})
    kept = sorted((tmp_path / "small-ckpt" / MEMBERS).iterdir())
    assert [training_checkpoints.load(each).metadata["epoch"] for each in kept] == numbers  # type: ignore[union-attr]
    assert isinstance(committee, Committee)
    assert len(committee.members) == len(numbers)
    assert len({member.signature for member in committee.members}) == len(numbers)


def test_weights_are_the_members_dev_measures_over_their_sum(fitted: Fit, tmp_path: Path) -> None:
    committee, uniform = fitted("small-advcom"), fitted("small-uniform")
    devs = [each["dev"] for each in history(tmp_path)["epochs"]]
    expected = np.array([devs[epoch] for epoch in (0, 3, 4)])
    assert isinstance(committee, Committee)
    assert isinstance(uniform, Committee)
    np.testing.assert_allclose(committee.weights, expected / expected.sum())
    assert len(set(devs)) > 1
    assert uniform.weights == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert uniform.members == committee.members
    assert {committee.calibration, uniform.calibration} == {"question"}


def test_the_best_member_is_the_one_with_the_best_dev_measure(fitted: Fit, dev: Questions, tmp_path: Path) -> None:
    best = fitted("small-best")
    devs = {epoch: history(tmp_path)["epochs"][epoch]["dev"] for epoch in (0, 3, 4)}
    committee = fitted("small-advcom")
    assert isinstance(committee, Committee)
    assert best == committee.members[[0, 3, 4].index(max(devs, key=lambda epoch: devs[epoch]))]


def test_the_best_epoch_is_that_of_dev_though_the_last_is_kept(fitted: Fit, dev: Questions, tmp_path: Path) -> None:
    from rankers.training.dev import Dev

    best, last = fitted("small-best-epoch"), fitted("small-adv")
    devs = [each["dev"] for each in history(tmp_path)["epochs"]]
    assert max(devs) > devs[-1], "or the last epoch would be the best one"
    assert isinstance(best, NeuralRanker)
    assert Dev.of(dev, best.inputs.vocabulary, best.lengths, "MRR")(best.network) == max(devs)
    assert best != last
    (tmp_path / "small-adv" / FILE).unlink()
    with pytest.raises(FileNotFoundError, match="only it has the weights of the best epoch"):
        fitted("small-best-epoch")


def test_what_is_remembered_is_in_the_history_and_changes_nothing(fitted: Fit, tmp_path: Path) -> None:
    assert "forgetting" not in (fitted("small-adv") and history(tmp_path))
    remembering = fitted("small-remembering", folder=tmp_path / "other")
    rows = history(tmp_path / "other", "small-remembering")["forgetting"]
    assert [(row["epoch"], row["examples"]) for row in rows] == [(e, of) for e in range(5) for of in range(e + 1)]
    assert all(0 <= row["accuracy"] <= 1 for row in rows)
    usual = fitted("small-adv")
    assert isinstance(remembering, NeuralRanker)
    assert isinstance(usual, NeuralRanker)
    assert neural_ranker.fingerprint(remembering.network) == neural_ranker.fingerprint(usual.network)


def test_a_resumed_training_remembers_what_it_had_drawn(fitted: Fit, tmp_path: Path) -> None:
    def dies(line: str) -> None:
        if line.startswith("small-remembering: epoch   2"):
            raise KeyboardInterrupt

    fitted("small-remembering", folder=tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        fitted("small-remembering", folder=tmp_path / "killed", log=dies)
    fitted("small-remembering", folder=tmp_path / "killed")
    whole, resumed = (history(tmp_path / place, "small-remembering")["forgetting"] for place in ("whole", "killed"))
    assert resumed == whole


def test_members_score_as_their_states_did(fitted: Fit, dev: Questions, tmp_path: Path) -> None:
    from rankers.training.dev import Dev

    committee = fitted("small-advcom")
    assert isinstance(committee, Committee)
    for member, epoch in zip(committee.members, (0, 3, 4), strict=True):
        assert isinstance(member, NeuralRanker)
        measure = Dev.of(dev, member.inputs.vocabulary, member.lengths, "MRR")
        assert measure(member.network) == history(tmp_path)["epochs"][epoch]["dev"]


def test_states_that_are_equal_are_one_member(fitted: Fit, tmp_path: Path) -> None:
    fitted("small-advcom")
    home = tmp_path / "small-adv"
    first = training_checkpoints.load(home / MEMBERS / "epoch-00.safetensors")
    assert first is not None
    training_checkpoints.save(home / MEMBERS / "epoch-03.safetensors", first.tensors, {"epoch": 3, "dev": 0.5})
    committee = assemble(home, "committee", "none")
    assert isinstance(committee, Committee)
    assert len(committee.members) == 2


def test_a_committee_of_one_member_ranks_as_the_member(fitted: Fit, dev: Questions) -> None:
    alone = fitted("small-ckptcom", overrides={"epochs": 0})
    member = fitted("small", overrides={"epochs": 0})
    for ours, theirs in zip(scores_of(alone, dev), scores_of(member, dev), strict=True):
        assert np.argsort(ours).tolist() == np.argsort(theirs).tolist()


def test_the_weights_that_dev_chose_are_a_member_with_their_own_measure(
    fitted: Fit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Scripted:
        """A measure on dev that is best after epoch 2, in every training."""

        @staticmethod
        def of(*args: Any) -> Callable[[Any], float]:
            output = iter((0.1, 0.2, 0.9, 0.3, 0.4, 0.5))
            return lambda network: next(output)

    monkeypatch.setattr(fitting, "Dev", Scripted)
    committee = fitted("small-ckptcom", overrides={"epochs": 5, "keep": "best"})
    assert isinstance(committee, Committee)
    np.testing.assert_allclose(committee.weights, np.array([0.1, 0.3, 0.5, 0.9]) / 1.8)
    assert committee.members[-1] == neural.load(tmp_path / "small-ckpt" / "model")
    best = assemble(tmp_path / "small-ckpt", "best-member", "none")
    assert best == committee.members[-1]


def test_the_generators_draws_follow_from_the_seed(
    fitted: Fit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seeds = []

    class Watched(Adversarial):
        def __init__(self, generator: Any, texts: Any, settings: Adversary) -> None:
            seeds.append(settings.seed)
            super().__init__(generator, texts, settings)

    monkeypatch.setattr(fitting, "Adversarial", Watched)
    for seed in (0, 5):
        fitted("small-generator", seed=seed, folder=tmp_path / str(seed))
    assert seeds == [0, 5]


def test_members_of_a_run_that_was_given_up_are_none_of_the_next_one(fitted: Fit, tmp_path: Path) -> None:
    def dies(line: str) -> None:
        if line.startswith("small-ckpt: epoch   4"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fitted("small-ckptcom", overrides={"epochs": 6}, log=dies)
    with pytest.raises(ValueError, match="small contains a training with other settings"):
        fitted("small-ckptcom", overrides={"epochs": 2})
    (tmp_path / "small" / HISTORY).unlink()
    for training in ("small", "small-ckpt"):
        (tmp_path / training / FILE).unlink()  # what the complaint advises
    committee = fitted("small-ckptcom", overrides={"epochs": 2})
    assert isinstance(committee, Committee)
    assert sorted(path.name[6:8] for path in (tmp_path / "small-ckpt" / MEMBERS).iterdir()) == ["00", "02"]
    assert len(committee.members) == 2


def test_members_are_in_the_order_of_their_epochs_for_any_file_names(fitted: Fit, tmp_path: Path) -> None:
    committee = fitted("small-advcom")
    folder = tmp_path / "small-adv" / MEMBERS
    for name, other in (("epoch-00", "epoch-100"), ("epoch-03", "epoch-20")):
        (folder / f"{name}.safetensors").rename(folder / f"{other}.safetensors")
    assert assemble(tmp_path / "small-adv", "committee", "question") == committee


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({"overrides": {"margin": 0.5}}, "'margin': 1.0"),
        ({"seed": 1}, "'seed': 0"),
        ({"train": 9}, "'train'"),
        ({"dev": 5}, "'dev'"),
    ],
)
@pytest.mark.parametrize("finished", [True, False])
def test_the_folder_of_another_training_is_refused(
    settings: dict[str, Any],
    found: str,
    finished: bool,
    train: Questions,
    dev: Questions,
    asked: Callable[..., Questions],
    tmp_path: Path,
) -> None:
    fit("small", train, dev, folder=tmp_path, preset="smoke")
    if not finished:
        (tmp_path / "small" / HISTORY).unlink()
    others = {key: value for key, value in settings.items() if key not in ("train", "dev")}
    data = [
        asked(settings["train"]) if "train" in settings else train,
        asked(settings["dev"], split="dev", start=4) if "dev" in settings else dev,
    ]
    with pytest.raises(ValueError, match=rf"with other settings \(.*{found}.*remove it"):
        fit("small", *data, folder=tmp_path, preset="smoke", **others)


@pytest.mark.parametrize(
    ("settings", "error", "complaint"),
    [
        ({"name": "smal"}, LookupError, "no ranker is called 'smal'; did you mean 'small'"),
        ({"preset": "tiny"}, LookupError, "no preset is called 'tiny'"),
        ({"overrides": {"epoch": 3}}, LookupError, "no setting that may be changed is called 'epoch'"),
        ({"overrides": {"seed": 3}}, LookupError, "may be changed is called 'seed'"),
        ({"overrides": {"epochs": -3}}, ValueError, "epochs is -3"),
        ({"overrides": {"dev_measure": "MPR"}}, LookupError, "no measure is called 'MPR'"),
        ({"overrides": {"negatives": 40}}, ValueError, "pools of 40 negatives were requested"),
        (
            {"name": "small-adv", "overrides": {"negatives": 7}},
            ValueError,
            "k is 7, but it must be from 1 to the size of the pool, 6",
        ),
        ({"train": 1, "name": "small-adv"}, ValueError, "pools of 6 negatives were requested"),
        ({"train": 1, "name": "small-dns"}, ValueError, "pools of 6 negatives were requested"),
        ({"train": 0}, ValueError, "made-up train cannot be trained on"),
        ({"dev": 0}, ValueError, "none of the 0 questions of made-up dev"),
    ],
)
def test_impossible_settings_are_an_error_before_any_training(
    settings: dict[str, Any],
    error: type[Exception],
    complaint: str,
    asked: Callable[..., Questions],
    tmp_path: Path,
) -> None:
    data = asked(settings.pop("train", 10)), asked(settings.pop("dev", 6), split="dev")
    with pytest.raises(error, match=complaint):
        fit(settings.pop("name", "small"), *data, folder=tmp_path / "new", **{"preset": "smoke", **settings})
    assert not (tmp_path / "new").exists()


def test_a_history_is_plain_json_with_all_that_decided_the_run(fitted: Fit, train: Questions, tmp_path: Path) -> None:
    fitted("small-generator")
    text = (tmp_path / "small-adv" / HISTORY).read_text()
    assert "NaN" not in text
    content = json.loads(text)
    assert [each["epoch"] for each in content["epochs"]] == [0, 1, 2, 3, 4]
    assert content["epochs"][0]["loss"] is None
    assert [each["epoch"] for each in content["generator_statistics"]] == [0, 1, 2, 3]
    assert content["provenance"]["adversary"]["pool"] == 6
    assert content["provenance"]["train"] == train.fingerprint
    network = neural.load(tmp_path / "small-adv" / "model").network
    assert content["parameters"] == sum(parameter.numel() for parameter in network.parameters())
    assert fitting.history(tmp_path, "small-adv") == content
    both = [history(tmp_path, name)["epochs"][-1]["seconds"] for name in ("small", "small-adv")]
    assert fitting.seconds(tmp_path, "small-adv") == pytest.approx(sum(both))


def test_the_fingerprint_of_a_split_covers_texts_grades_and_their_reading(train: Questions) -> None:
    first = train.items[0]
    other_text = replace(train, items=(first._replace(text="else?"), *train.items[1:]))
    other_grade = first._replace(candidates=(first.candidates[0]._replace(grade=3), *first.candidates[1:]))
    made = [
        train,
        replace(train, split="dev"),
        replace(train, relevant=2),
        replace(train, gains={1: 2}),
        replace(train, judged={"q0": {"x": 1}}),
        replace(train, items=train.items[1:]),
        other_text,
        replace(train, items=(other_grade, *train.items[1:])),
    ]
    assert len({each.fingerprint for each in made}) == len(made)
    assert replace(train, source="another place", notes=("a note",)).fingerprint == train.fingerprint


def test_an_unknown_committee_is_refused(fitted: Fit, tmp_path: Path) -> None:
    fitted("small-adv")
    with pytest.raises(LookupError, match="no committee is called 'comittee'; did you mean 'committee'"):
        assemble(tmp_path / "small-adv", "comittee", "none")
