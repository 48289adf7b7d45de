"""One pass over the texts for each encoder: equal ones share it, others do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim import planning
from answersim.neural.transformer import Transformer
from answersim.types import FloatArray, Metric, Pair

pytest.importorskip("torch")
pytest.importorskip("peft")

PAIRS = [Pair("eleven", "11"), Pair("cortex", "the NFL"), Pair("Paris", "paris")]


@dataclass(frozen=True)
class Mean:
    """A combined metric: the mean of its parts."""

    parts: tuple[Metric, ...]

    @property
    def signature(self) -> str:
        return f"mean|parts:{'+'.join(each.signature for each in self.parts)}|v:1"

    def combine(self, pairs: Sequence[Pair], columns: Sequence[FloatArray]) -> FloatArray:
        return np.mean(columns, axis=0)

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        return self.combine(pairs, planning.columns(self.parts, pairs))


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The fingerprint of each encoder that runs, in order."""
    seen: list[str] = []
    encode = Transformer.encode

    def counting(self: Transformer, requests: Any) -> Any:
        seen.append(self.fingerprint)
        return encode(self, requests)

    monkeypatch.setattr(Transformer, "encode", counting)
    return seen


def test_equal_encoders_share_a_pass_and_different_adapters_do_not(
    tiny: Callable[..., Path], adapter: Callable[..., Path], passes: list[str]
) -> None:
    adapters: list[Path | None] = [None, adapter(seed=0), adapter(seed=1)]
    vectors = [answersim.metric("bi-encoder", model=tiny(), adapter=each) for each in adapters]
    tokens = [answersim.metric("bertscore-trained", model=tiny(), layer=3, adapter=each) for each in adapters]
    combined = Mean((*vectors, *tokens))
    together = answersim.score_pairs(PAIRS, [combined, *vectors, *tokens])
    assert len(passes) == len(set(passes)) == 3
    for each in (combined, *vectors, *tokens):
        np.testing.assert_allclose(together[each.signature], each(PAIRS), atol=1e-6, rtol=0)
