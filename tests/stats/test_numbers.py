"""Results of all statistics on made data: numbers.txt has a call and its result in each line."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tests.cases import as_listed

FILE = Path(__file__).with_name("numbers.txt")
DRAWN = np.random.default_rng(5)
X = np.round(DRAWN.uniform(size=60), 2)
DATA = {
    "x": X,
    "x2": np.round(np.clip(X + DRAWN.normal(0, 0.2, 60), 0, 1), 1),
    "y": (X + DRAWN.normal(0, 0.3, 60) > 0.5).astype(float),
    "o": np.clip(np.round(2 * X + DRAWN.normal(0, 0.5, 60)), 0, 2),
    "g": np.repeat(np.arange(20), 3),
    "w": np.round(DRAWN.uniform(0.5, 2, 60), 1),
    "few": np.where(np.arange(60) % 3 == 0, (X > 0.4).astype(float), np.nan),
    "np": np,
    "rng": np.random.default_rng,
}


def shown(value: Any) -> str:
    """A result with eight digits of each number."""
    if isinstance(value, (bool, np.bool_, str, type(None), int, np.integer)):
        return str(value)
    if isinstance(value, (float, np.floating)):
        return f"{value + 0.0:.8g}"
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return shown(value.item())
    fields = value if isinstance(value, (tuple, list, np.ndarray, set)) else vars(value).values()
    return f"({', '.join(map(shown, fields))})"


def test_the_statistics_have_the_numbers_that_are_listed() -> None:
    calls = [line.partition(" -> ")[0] for line in FILE.read_text(encoding="utf-8").splitlines()]
    results = []
    for call in calls:
        module, _, expression = call.partition(": ")
        names = vars(import_module(f"answersim.stats.{module}"))
        results.append(f"{call} -> {shown(eval(expression, {**names, **DATA}))}")
    as_listed(FILE, results)
