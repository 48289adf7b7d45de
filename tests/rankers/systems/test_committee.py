"""The systems of the committee paper: which training each ranks by, and the settings of each phase."""

from __future__ import annotations

import pytest

from rankers.systems import committee
from tests.cases import every


def test_each_network_has_seven_trainings_of_which_six_start_from_the_first() -> None:
    trainings = committee.trainings()
    assert len(trainings) == 21
    for kind in ("match-pyramid", "dmn", "man"):
        assert trainings[kind].start == ""
        phases = {
            f"{kind}-{phase}{end}": negatives
            for phase, negatives in (("adv", "adversarial"), ("ckpt", "sampled"), ("dns", "hardest"))
            for end in ("", "-k5")
        }
        assert {name: trainings[name].negatives for name in phases} == phases
        assert all(trainings[name].start == kind == trainings[name].kind for name in phases)


@every(
    ("system", "training", "ranks"),
    [
        ("dmn", "dmn", "model"),
        ("dmn-adv-generator", "dmn-adv", "generator"),
        ("dmn-advcom", "dmn-adv", "committee"),
        ("dmn-advcom-uniform", "dmn-adv", "uniform"),
        ("dmn-best-checkpoint", "dmn-adv", "best-member"),
        ("dmn-ckpt-committee", "dmn-ckpt", "committee"),
        ("dmn-dns", "dmn-dns", "model"),
        ("dmn-adv-best", "dmn-adv", "best-epoch"),
        ("dmn-adv-k5", "dmn-adv-k5", "model"),
        ("dmn-advcom-k5", "dmn-adv-k5", "committee"),
        ("dmn-ckpt-k5", "dmn-ckpt-k5", "model"),
    ],
)
def test_a_system_ranks_by_a_part_of_its_training(system: str, training: str, ranks: str) -> None:
    definition = committee.systems()[system]
    assert (definition.training, definition.ranks) == (training, ranks)


@pytest.mark.parametrize("preset", ["smoke", "cpu", "paper"])
@pytest.mark.parametrize(("kind", "margin", "calibration"), [("dmn", 1.0, "question"), ("man", 0.2, "none")])
def test_a_later_phase_learns_more_slowly_and_only_one_has_a_generator(
    preset: str, kind: str, margin: float, calibration: str
) -> None:
    pytest.importorskip("torch")
    trainings = committee.trainings()
    first = trainings[kind].config(preset)
    assert first.recipe.margin == margin
    assert first.adversary is None
    for phase in ("adv", "ckpt", "dns"):
        later = trainings[f"{kind}-{phase}"].config(preset)
        assert later.recipe.learning_rate < first.recipe.learning_rate
        assert (later.adversary is not None) == (phase == "adv")
        assert later.calibration == calibration


@pytest.mark.parametrize("preset", ["cpu", "paper"])
@pytest.mark.parametrize("kind", ["match-pyramid", "dmn", "man"])
def test_with_equal_k_the_generator_moves_and_only_the_source_of_negatives_differs(preset: str, kind: str) -> None:
    pytest.importorskip("torch")
    trainings = committee.trainings()
    usual, equal = (trainings[f"{kind}-adv{end}"].config(preset) for end in ("", "-k5"))
    assert usual.adversary is not None
    assert equal.adversary is not None
    assert usual.recipe.negatives == 1 != usual.adversary.samples
    assert equal.recipe.negatives == equal.adversary.samples == 5
    assert equal.recipe.keep == "best"
    assert equal.adversary.learning_rate == 10 * usual.adversary.learning_rate
    assert (equal.adversary.pairs, equal.adversary.baseline) == (0, "mean")
    for phase in ("ckpt", "dns"):
        control = trainings[f"{kind}-{phase}-k5"].config(preset)
        assert control.adversary is None
        assert control.recipe == equal.recipe
