"""Committees and best members of a training."""

from __future__ import annotations

import numpy as np
import pytest

from answersim._base.runtime import training_checkpoints
from answersim._base.runtime.training_checkpoints import FILE
from rankers.models import store
from rankers.models.combinations import Committee
from rankers.models.neural_ranker import NeuralRanker
from rankers.systems import fit as fitting
from rankers.systems.members import MEMBERS, assemble
from rankers.types import Questions, Ranker
from tests.rankers.fitting.small_systems import history

pytestmark = pytest.mark.usefixtures("_small_systems")


@pytest.fixture(scope="module")
def home(_small_systems, train, dev, tmp_path_factory):
    """The folder of one training with its committee, which tests only read."""
    folder = tmp_path_factory.mktemp("committee")
    fitting.fit("small-advcom", train, dev, folder=folder, preset="smoke")
    return folder


def scores_of(ranker: Ranker, questions: Questions) -> list[list[float]]:
    scores = ranker.score(
        [question.text for question in questions], [[c.text for c in question.candidates] for question in questions]
    )
    return [score.tolist() for score in scores]


def test_a_start_is_the_trained_network_and_member_0_of_the_committee(fitted, home):
    committee = fitted("small-advcom", folder=home)
    assert isinstance(committee, Committee)
    assert committee.members[0] == fitted("small", folder=home)
    assert committee.members[-1] == fitted("small-adv", folder=home)


@pytest.mark.parametrize(
    ("epochs", "numbers"), [(12, [0, 3, 6, 9, 12]), (4, [0, 3, 4]), (3, [0, 3]), (2, [0, 2]), (0, [0])]
)
def test_members_are_every_third_epoch_the_start_and_the_last(epochs, numbers, fitted, tmp_path):
    committee = fitted("small-ckptcom", overrides={"epochs": epochs})
    remaining = sorted((tmp_path / "small-ckpt" / MEMBERS).iterdir())
    assert [training_checkpoints.load(entry).metadata["epoch"] for entry in remaining] == numbers  # type: ignore[union-attr]
    assert isinstance(committee, Committee)
    assert len(committee.members) == len(numbers)
    assert len({member.signature for member in committee.members}) == len(numbers)


def test_weights_are_the_members_dev_measures_over_their_sum(fitted, home):
    committee, uniform = fitted("small-advcom", folder=home), fitted("small-uniform", folder=home)
    devs = [epoch["dev"] for epoch in history(home)["epochs"]]
    expected = np.array([devs[epoch] for epoch in (0, 3, 4)])
    assert isinstance(committee, Committee)
    assert isinstance(uniform, Committee)
    np.testing.assert_allclose(committee.weights, expected / expected.sum())
    assert len(set(devs)) > 1
    assert uniform.weights == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert uniform.members == committee.members
    assert {committee.calibration, uniform.calibration} == {"question"}


def test_the_best_member_is_the_one_with_the_best_dev_measure(fitted, dev, home):
    best = fitted("small-best", folder=home)
    devs = {epoch: history(home)["epochs"][epoch]["dev"] for epoch in (0, 3, 4)}
    committee = fitted("small-advcom", folder=home)
    assert isinstance(committee, Committee)
    assert best == committee.members[[0, 3, 4].index(max(devs, key=lambda epoch: devs[epoch]))]


def test_the_best_epoch_is_that_of_dev_though_the_last_is_kept(fitted, dev, tmp_path):
    from rankers.training.sampling import Dev

    best, last = fitted("small-best-epoch"), fitted("small-adv")
    devs = [epoch["dev"] for epoch in history(tmp_path)["epochs"]]
    assert max(devs) > devs[-1], "or the last epoch would be the best one"
    assert isinstance(best, NeuralRanker)
    assert Dev.of(dev, best.inputs.vocabulary, best.lengths, "MRR")(best.network) == max(devs)
    assert best != last
    (tmp_path / "small-adv" / FILE).unlink()
    with pytest.raises(FileNotFoundError, match="only it has the weights of the best epoch"):
        fitted("small-best-epoch")


def test_members_score_as_their_states_did(fitted, dev, home):
    from rankers.training.sampling import Dev

    committee = fitted("small-advcom", folder=home)
    assert isinstance(committee, Committee)
    for member, epoch in zip(committee.members, (0, 3, 4), strict=True):
        assert isinstance(member, NeuralRanker)
        measure = Dev.of(dev, member.inputs.vocabulary, member.lengths, "MRR")
        assert measure(member.network) == history(home)["epochs"][epoch]["dev"]


def test_states_that_are_equal_are_one_member(fitted, tmp_path):
    fitted("small-advcom")
    home = tmp_path / "small-adv"
    first = training_checkpoints.load(home / MEMBERS / "epoch-00.safetensors")
    assert first is not None
    training_checkpoints.save(home / MEMBERS / "epoch-03.safetensors", first.tensors, {"epoch": 3, "dev": 0.5})
    committee = assemble(home, "committee", "none")
    assert isinstance(committee, Committee)
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
    assert isinstance(committee, Committee)
    np.testing.assert_allclose(committee.weights, np.array([0.1, 0.3, 0.5, 0.9]) / 1.8)
    assert committee.members[-1] == store.load(tmp_path / "small-ckpt" / "model")
    best = assemble(tmp_path / "small-ckpt", "best-member", "none")
    assert best == committee.members[-1]


def test_an_unknown_committee_is_refused(home):
    with pytest.raises(LookupError, match="no committee is called 'comittee'; did you mean 'committee'"):
        assemble(home / "small-adv", "comittee", "none")
