"""From a name to a ranker: each training once, what was stopped is resumed, and settings are checked."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext

import numpy as np
import pytest

from answersim._base.runtime import training_checkpoints
from answersim._base.runtime.training_checkpoints import FILE
from rankers.models import store
from rankers.systems import fit as fitting
from rankers.systems import members
from rankers.systems.catalog import HISTORY
from rankers.systems.fit import fit
from rankers.systems.members import MEMBERS, assemble
from rankers.training.adversarial import Adversarial
from rankers.training.sampling import Dev

pytestmark = pytest.mark.usefixtures("_small_systems")


def test_trainings_are_shared_and_each_is_done_once(fitted, tmp_path):
    lines: list[str] = []
    for name in ("small-advcom", "small-adv", "small-uniform", "small-best", "small-generator", "small"):
        fitted(name, log=lines.append)
    assert [line.split(":")[0] for line in lines] == ["small"] * 3 + ["small-adv"] * 5
    assert {path.name for path in tmp_path.iterdir()} == {"small", "small-adv"}
    fitted("small-dns", log=lines.append)
    assert [line.split(":")[0] for line in lines[8:]] == ["small-dns"] * 5


@pytest.mark.parametrize(("victim", "epoch"), [("small", 1), ("small-adv", 2)])
def test_a_killed_training_is_resumed_with_the_same_result(victim, epoch, fitted, tmp_path):
    def dies(line):
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
    assert lines[0] == f"{victim}: resumed after epoch {epoch - 1}"
    assert lines[1].startswith(f"{victim}: epoch {epoch:3d}")


def test_the_generators_draws_follow_from_the_seed(fitted, monkeypatch, tmp_path):
    seeds = []

    class Watched(Adversarial):
        def __init__(self, generator, texts, settings):
            seeds.append(settings.seed)
            super().__init__(generator, texts, settings)

    monkeypatch.setattr(fitting, "Adversarial", Watched)
    for seed in (0, 5):
        fitted("small-generator", seed=seed, folder=tmp_path / str(seed))
    assert seeds == [0, 5]


def test_members_of_a_run_that_was_given_up_are_none_of_the_next_one(fitted, tmp_path):
    def dies(line):
        if line.startswith("small-ckpt: epoch   4"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fitted("small-ckptcom", overrides={"epochs": 6}, log=dies)
    with pytest.raises(ValueError, match="small contains a training with other settings"):
        fitted("small-ckptcom", overrides={"epochs": 2})
    (tmp_path / "small" / HISTORY).unlink()
    (tmp_path / "small-ckpt" / FILE).unlink()  # what the complaint advises
    assert not (tmp_path / "small" / FILE).exists()  # its model has the weights
    committee = fitted("small-ckptcom", overrides={"epochs": 2})
    assert sorted(path.name[6:8] for path in (tmp_path / "small-ckpt" / MEMBERS).iterdir()) == ["00", "02"]
    assert len(committee.members) == 2


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({"overrides": {"margin": 0.5}}, "margin is 1.0"),
        ({"seed": 1}, "seed is 0 there and 1"),
        ({"train": 9}, "train is"),
        ({"dev": 5}, "dev is"),
    ],
)
@pytest.mark.parametrize("finished", [True, False])
def test_the_folder_of_another_training_is_refused(settings, found, finished, train, dev, asked, tmp_path):
    def log(line):
        if "epoch   1" in line and not finished:
            raise KeyboardInterrupt

    with nullcontext() if finished else pytest.raises(KeyboardInterrupt):
        fit("small", train, dev, folder=tmp_path, preset="smoke", log=log)
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
def test_impossible_settings_are_an_error_before_any_training(settings, error, complaint, asked, tmp_path):
    data = asked(settings.pop("train", 10)), asked(settings.pop("dev", 6), split="dev")
    with pytest.raises(error, match=complaint):
        fit(settings.pop("name", "small"), *data, folder=tmp_path / "new", **{"preset": "smoke", **settings})
    assert not (tmp_path / "new").exists()


def test_a_history_is_plain_json_with_all_that_decided_the_run(fitted, train, tmp_path):
    fitted("small-generator")
    text = (tmp_path / "small-adv" / HISTORY).read_text()
    assert "NaN" not in text
    content = json.loads(text)
    assert [entry["epoch"] for entry in content["epochs"]] == [0, 1, 2, 3, 4]
    assert content["epochs"][0]["loss"] is None
    assert [entry["epoch"] for entry in content["generator_statistics"]] == [0, 1, 2, 3]
    assert content["provenance"]["adversary"]["pool"] == 6
    assert content["provenance"]["train"] == train.fingerprint
    network = store.load(tmp_path / "small-adv" / "model").network
    assert content["parameters"] == sum(parameter.numel() for parameter in network.parameters())
    assert fitting.history(tmp_path, "small-adv") == content
    both = [fitting.history(tmp_path, name)["epochs"][-1]["seconds"] for name in ("small", "small-adv")]
    assert fitting.seconds(tmp_path, "small-adv") == pytest.approx(sum(both))


def test_truncated_texts_are_counted_before_the_training(fitted):
    lines: list[str] = []
    fitted("small", overrides={"answer_length": 4}, log=lines.append)
    assert re.fullmatch(
        r"small: (\d+) of \1 answers are truncated to 4 words or word pieces \(answer_length\)", lines[0]
    )
    assert "epoch   0" in lines[1]


@pytest.fixture(scope="module")
def home(_small_systems, train, dev, tmp_path_factory):
    """The folder of one training with its committee, which tests only read."""
    folder = tmp_path_factory.mktemp("committee")
    fitting.fit("small-advcom", train, dev, folder=folder, preset="smoke")
    return folder


@pytest.mark.parametrize(
    ("epochs", "numbers"), [(12, [0, 3, 6, 9, 12]), (4, [0, 3, 4]), (3, [0, 3]), (2, [0, 2]), (0, [0])]
)
def test_members_are_every_third_epoch_the_start_and_the_last(epochs, numbers, fitted, tmp_path):
    committee = fitted("small-ckptcom", overrides={"epochs": epochs})
    remaining = sorted((tmp_path / "small-ckpt" / MEMBERS).iterdir())
    assert [training_checkpoints.load(entry).metadata["epoch"] for entry in remaining] == numbers  # type: ignore[union-attr]
    assert len(committee.members) == len(numbers)
    assert len({member.signature for member in committee.members}) == len(numbers)


def test_a_committee_has_the_start_and_the_states_weighted_by_dev(fitted, dev, home):
    committee, uniform = fitted("small-advcom", folder=home), fitted("small-uniform", folder=home)
    devs = [epoch["dev"] for epoch in fitting.history(home, "small-adv")["epochs"]]
    expected = np.array([devs[epoch] for epoch in (0, 3, 4)])
    np.testing.assert_allclose(committee.weights, expected / expected.sum())
    assert len(set(devs)) > 1
    assert uniform.weights == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert uniform.members == committee.members
    assert {committee.calibration, uniform.calibration} == {"question"}
    assert committee.members[0] == fitted("small", folder=home)
    assert committee.members[-1] == fitted("small-adv", folder=home)
    assert fitted("small-best", folder=home) == committee.members[expected.argmax()]
    for member, value in zip(committee.members, expected, strict=True):
        assert Dev.of(dev, member.inputs.vocabulary, member.lengths, "MRR")(member.network) == value


def test_the_best_epoch_is_that_of_dev_though_the_last_is_kept(fitted, dev, tmp_path):
    best, last = fitted("small-best-epoch"), fitted("small-adv")
    devs = [epoch["dev"] for epoch in fitting.history(tmp_path, "small-adv")["epochs"]]
    if max(devs) == devs[-1]:
        pytest.skip("the last epoch is the best one, by another version of torch")
    assert Dev.of(dev, best.inputs.vocabulary, best.lengths, "MRR")(best.network) == max(devs)
    assert best != last
    (tmp_path / "small-adv" / FILE).unlink()
    with pytest.raises(FileNotFoundError, match="only it has the weights of the best epoch"):
        fitted("small-best-epoch")


def test_states_that_are_equal_are_one_member(fitted, tmp_path):
    fitted("small-advcom")
    home = tmp_path / "small-adv"
    first = training_checkpoints.load(home / MEMBERS / "epoch-00.safetensors")
    assert first is not None
    training_checkpoints.save(home / MEMBERS / "epoch-03.safetensors", first.tensors, {"epoch": 3, "dev": 0.5})
    committee = assemble(home, "committee", "none")
    assert len(committee.members) == 2


def test_the_weights_that_dev_chose_are_a_member_with_their_own_measure(fitted, monkeypatch, tmp_path):
    class Scripted:
        """A measure on dev that is best after epoch 2, in every training."""

        @staticmethod
        def of(*args):
            output = iter((0.1, 0.2, 0.9, 0.3, 0.4, 0.5))
            return lambda network: next(output)

    monkeypatch.setattr(fitting, "Dev", Scripted)
    committee = fitted("small-ckptcom", overrides={"epochs": 5, "keep": "best"})
    np.testing.assert_allclose(committee.weights, np.array([0.1, 0.3, 0.5, 0.9]) / 1.8)
    assert committee.members[-1] == store.load(tmp_path / "small-ckpt" / "model")
    best = assemble(tmp_path / "small-ckpt", "best-member", "none")
    assert best == committee.members[-1]


def test_what_no_training_has_is_refused(home):
    with pytest.raises(LookupError, match="no committee is called 'comittee'; did you mean 'committee'"):
        members.ranker(home / "small-adv", "comittee")
    with pytest.raises(ValueError, match="a match-pyramid ranker without codes has no signs"):
        members.ranker(home / "small-adv", "signs")
