"""Rankers in threads: the numbers of a plain loop, whatever the others do at the same time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest

import rankers
from rankers.systems.fit import fit

torch = pytest.importorskip("torch")

T = TypeVar("T")
THREADS = 8
LENGTHS = {"question_length": 6, "answer_length": 8}
WORDS = "the apple is kept on a table under some bridge near my old house".split()


def texts(n: int) -> list[str]:
    rng = np.random.default_rng(0)
    return [" ".join(rng.choice(WORDS, size=int(rng.integers(1, 40)))) for _ in range(n)]


def together(work: Callable[[int], T], n: int) -> list[T]:
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(work, range(n)))


def same(one: Sequence[Any], other: Sequence[Any], atol: float = 0) -> None:
    for first, second in zip(one, other, strict=True):
        np.testing.assert_allclose(first, second, rtol=0, atol=atol)


def saved(folder: Path, kind: str, tiny: Callable[..., Path]) -> Path:
    """A folder with a small ranker of this kind, with dropout."""
    from rankers.models import neural_ranker, store
    from rankers.modules import words
    from rankers.modules.scoring import Lengths
    from rankers.modules.words import InputConfig

    checkpoint = str(tiny("bert"))
    settings: dict[str, Any] = {
        "match-pyramid": {"channels": [4], "grid": [2, 3], "dropout": 0.5},
        "scan": {"checkpoint": checkpoint, "max_length": 24},
        "late-interaction": {"checkpoint": checkpoint, "project": 8, "dropout": 0.5, **LENGTHS},
    }[kind]
    inputs = words.build(InputConfig(checkpoint=checkpoint), texts(10))
    config = neural_ranker.from_json(kind, settings)
    network = neural_ranker.build(kind, config, inputs, 0)
    store.save(neural_ranker.NeuralRanker(kind, config, inputs, Lengths(6, 8), network, {}), folder / kind)
    return folder / kind


@pytest.mark.parametrize("kind", ["match-pyramid", pytest.param("scan", marks=pytest.mark.slow), "late-interaction"])
def test_a_trained_ranker_scores_alike_in_threads(kind, tiny, tmp_path):
    folder, some = saved(tmp_path, kind, tiny), texts(60)
    ranker = rankers.load(folder)

    def scored(i):
        return rankers.score(some[i % 7], some[i % 50 : i % 50 + 1 + i % 9], ranker)

    same(together(scored, 80), [scored(i) for i in range(80)], atol=2e-6)
    assert not ranker.network.training  # type: ignore[attr-defined]


def test_a_ranker_loads_alike_in_threads(tiny, tmp_path):
    folders = [saved(tmp_path, kind, tiny) for kind in ("match-pyramid", "scan", "late-interaction")]
    expected = [rankers.load(folder).signature for folder in folders]
    state = torch.get_rng_state()
    assert together(lambda i: rankers.load(folders[i % 3]).signature, 24) == expected * 8
    assert torch.equal(torch.get_rng_state(), state)


def test_an_encoder_reads_long_and_short_texts_alike_in_threads(tiny):
    from answersim._base.errors import TruncationWarning
    from rankers.models.minilm import MiniLmMaxSim

    some, ranker = texts(60), MiniLmMaxSim(str(tiny("bert")))
    object.__setattr__(ranker, "encoder", replace(ranker.encoder, max_length=8))

    def scored(i):
        return rankers.score(some[i % 11], some[i % 50 : i % 50 + 1 + i % 9], ranker)

    with pytest.warns(TruncationWarning):
        same(together(scored, 80), [scored(i) for i in range(80)], atol=2e-5)


def test_trainings_in_threads_are_those_of_a_plain_loop(asked, tmp_path):
    changes = {"inputs.source": "random", "inputs.at_least": 1, "network.dropout": 0.3, "epochs": 2, "batch_size": 4}

    def trained(place, seed):
        return fit(
            "match-pyramid",
            asked(12),
            asked(8, split="dev", start=4),
            folder=tmp_path / f"{place}-{seed}",
            preset="smoke",
            seed=seed,
            overrides=changes,
        ).signature

    assert together(lambda i: trained("threads", i), 4) == [trained("alone", i) for i in range(4)]
