from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike

from tools.weights.ensemble import Set, area, fit, left_out


def made(name: str, labels: ArrayLike, **features: ArrayLike) -> Set:
    y = np.asarray(labels, dtype=np.float64)
    columns = {key: np.asarray(value, dtype=np.float64) for key, value in features.items()}
    return Set(name, y, columns)


def drawn(name: str, seed: int, intercept: float = 0.0, n: int = 4000) -> Set:
    """Judgments by a model of known weights: 3 for x, 0 for noise; "against" speaks against them."""
    rng = np.random.default_rng(seed)
    x, noise = rng.uniform(-1, 1, n), rng.uniform(-1, 1, n)
    labels = rng.random(n) < 1 / (1 + np.exp(-(3 * x + intercept)))
    return made(name, labels, x=x, noise=noise, against=-x)


def test_known_weights_are_found_again_and_none_is_negative() -> None:
    fitted = fit([drawn("one", 0), drawn("two", 1, intercept=1.5)], ["x", "noise", "against"], penalty=1e-6)
    assert fitted.weights["x"] == pytest.approx(3, abs=0.25)
    assert fitted.weights["noise"] == pytest.approx(0, abs=0.1)
    assert fitted.weights["against"] == pytest.approx(0, abs=0.02)
    assert fitted.intercepts["two"] - fitted.intercepts["one"] == pytest.approx(1.5, abs=0.25)


def test_every_set_has_the_same_weight() -> None:
    one, two = drawn("one", 0, n=200), drawn("two", 1, n=4000)
    twice = made("two", np.tile(two.labels, 2), **{name: np.tile(value, 2) for name, value in two.features.items()})
    weights = [fit([one, other], ["x"]).weights["x"] for other in (two, twice)]
    assert weights[0] == pytest.approx(weights[1], rel=1e-4)


def test_a_set_is_judged_by_weights_that_never_saw_it() -> None:
    x = np.linspace(-1, 1, 100)
    result = left_out([made("plain", x > 0, x=x, y=-x), made("bent", x < 0, x=x, y=-x)], ["x", "y"])
    assert result["bent"] < 0.5
    assert result["plain"] < 0.5


def test_a_made_set_counts_half() -> None:
    x = np.linspace(-1, 1, 200)
    right, wrong = made("right", x > 0, x=x), made("wrong", (x < 0) | (x > 0.5), x=x)
    even, half = (fit([right, wrong._replace(weight=weight)], ["x"]).weights["x"] for weight in (1.0, 0.5))
    assert half > even


def test_the_area_is_of_the_weighted_sum() -> None:
    x = np.arange(120.0)
    one = made("one", x > 60, x=x, y=-x)
    assert area(one, {"x": 1.0}) == 1.0
    assert area(one, {"x": 1.0, "y": 2.0}) == 0.0
    assert np.isnan(area(one, {"x": 1.0, "y": 1.0}))
