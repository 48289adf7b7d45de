"""The table of expected right on other systems and sets."""

from __future__ import annotations

from answersim.stats.resampling import Estimate
from tools.weights.populations import Population
from tools.weights.transfer import table


def population(set_name: str, name: str, gap: float) -> Population:
    """Return answers of which .5 are right, with an expected share that is too high by this gap."""
    return Population(set_name, name, 1000, Estimate(0.5 + gap, 0.48 + gap, 0.52 + gap), 0.5, 0.01)


def test_the_interval_of_a_population_uses_the_error_of_the_other_sets_only() -> None:
    found = [population("own", name, gap) for name, gap in (("a", 0.0), ("b", 0.001))]
    found += [population("other", name, gap) for name, gap in (("d", 0.2), ("e", 0.21))]
    shown = table("made", found)
    assert [row[5] for row in shown.rows] == ["yes", "yes", "no", "no"]
    assert "in 2 of 4 populations" in shown.notes[0]
