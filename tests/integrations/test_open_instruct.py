"""The contract of verifiers of open-instruct, with the base class that its source has; no package index has it."""

from __future__ import annotations

import asyncio
import gc
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest

from answersim.integrations import open_instruct


@dataclass
class VerificationResult:
    """As there."""

    score: float
    cost: float = 0.0
    reasoning: str | None = None


@pytest.fixture
def base(monkeypatch: pytest.MonkeyPatch) -> type:
    """Put the base class where open-instruct has it."""

    class VerifierFunction(ABC):
        def __init__(self, name: str, weight: float = 1.0, verifier_config: Any = None) -> None:
            self.name, self.weight, self.verifier_config = name, weight, verifier_config

        @classmethod
        def get_config_class(cls) -> type:
            return dict

        @abstractmethod
        def __call__(
            self, tokenized_prediction: Any, prediction: str, label: Any, query: Any = None, rollout_state: Any = None
        ) -> VerificationResult: ...

    module = ModuleType("open_instruct.ground_truth_utils")
    module.VerifierFunction, module.VerificationResult = VerifierFunction, VerificationResult
    monkeypatch.setitem(sys.modules, "open_instruct", ModuleType("open_instruct"))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return VerifierFunction


def test_the_training_finds_the_class_and_builds_it(base: Any) -> None:
    open_instruct.verifier("Capitals", metric="rules")
    gc.collect()
    (found,) = base.__subclasses__()
    built = found(found.get_config_class()())
    assert (built.name.lower(), built.weight) == ("capitals", 1.0)
    result = built([1, 2], "<think>Oslo?</think>It is Rome.", "Rome", query="Which city?", rollout_state={})
    assert (result.score, result.cost) == (1.0, 0.0)
    assert result.reasoning.startswith("right: ")


def test_awaited_rows_have_their_own_results(base: Any) -> None:
    built = open_instruct.verifier(metric="rules")()

    async def rows() -> list[float]:
        found = await asyncio.gather(*(built.async_call([], str(i % 3), "2") for i in range(30)))
        return [result.score for result in found]

    assert asyncio.run(rows()) == [0.0, 0.0, 1.0] * 10


def test_a_row_without_a_reward_has_its_reason(base: Any) -> None:
    result = open_instruct.verifier(metric="rules")()([], "5", None)
    assert result.score == 0.0
    assert result.reasoning.startswith("unreadable: the gold answer is None")


def test_without_open_instruct_it_cannot_be_built() -> None:
    with pytest.raises(ImportError):
        open_instruct.verifier()
