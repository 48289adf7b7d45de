"""A training leaves no trace in the process: random states, precision of accelerate, messages of libraries."""

from __future__ import annotations

import contextlib
import os
import random

import numpy as np
import pytest

from answersim.training.isolation import isolated

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


def draw() -> tuple[list[float], float, float]:
    return torch.rand(3).tolist(), random.random(), np.random.random()  # noqa: NPY002


def test_random_states_are_as_before_and_those_of_torch_follow_from_the_seed() -> None:
    torch.manual_seed(5), random.seed(5), np.random.seed(5)  # noqa: NPY002
    expected = draw()
    torch.manual_seed(5), random.seed(5), np.random.seed(5)  # noqa: NPY002
    inside = []
    for seed in (7, 7, 8):
        with isolated(seed, "fp32"):
            inside.append(torch.rand(3).tolist())
            draw()
    assert draw() == expected
    assert inside[0] == inside[1] != inside[2]


@pytest.mark.parametrize("before", [None, "fp16"])
@pytest.mark.parametrize(("precision", "inside"), [("bf16", "bf16"), ("fp32", "no")])
def test_the_precision_of_accelerate_is_set_and_restored_also_after_an_error(
    before: str | None, precision: str, inside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "ACCELERATE_MIXED_PRECISION"
    monkeypatch.delenv(name, raising=False)
    if before is not None:
        monkeypatch.setenv(name, before)
    with contextlib.suppress(KeyError), isolated(0, precision):
        assert os.environ[name] == inside
        raise KeyError
    assert os.environ.get(name) == before


def test_libraries_are_quiet_and_then_as_before() -> None:
    from transformers.utils import logging

    before = logging.get_verbosity(), logging.is_progress_bar_enabled()
    with isolated(0, "fp32"):
        assert not logging.is_progress_bar_enabled()
    assert (logging.get_verbosity(), logging.is_progress_bar_enabled()) == before
