"""The systems of the committee paper: which training each ranks by, and the settings of each phase."""

from __future__ import annotations

import pytest

from rankers.systems import committee


def test_each_network_has_four_trainings_of_which_three_start_from_the_first() -> None:
    trainings = committee.trainings()
    assert len(trainings) == 12
    for kind in ("match-pyramid", "dmn", "man"):
        assert trainings[kind].start == ""
        phases = {f"{kind}-adv": "adversarial", f"{kind}-ckpt": "sampled", f"{kind}-dns": "hardest"}
        assert {name: trainings[name].negatives for name in phases} == phases
        assert all(trainings[name].start == kind == trainings[name].kind for name in phases)


@pytest.mark.parametrize(
    ("system", "training", "ranks"),
    [
        ("dmn", "dmn", "model"),
        ("dmn-adv-generator", "dmn-adv", "generator"),
        ("dmn-advcom", "dmn-adv", "committee"),
        ("dmn-advcom-uniform", "dmn-adv", "uniform"),
        ("dmn-best-checkpoint", "dmn-adv", "best-member"),
        ("dmn-ckpt-committee", "dmn-ckpt", "committee"),
        ("dmn-dns", "dmn-dns", "model"),
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
