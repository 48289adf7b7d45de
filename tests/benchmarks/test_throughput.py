"""Pairs a second: the operations that pairs need by their tokens, shares of a limit, and no card no number."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import answersim
from answersim import profiles
from answersim.runtime.concurrency import forget_loaded
from answersim.types import Pair
from benchmarks import throughput
from benchmarks.products import Shape, operations
from benchmarks.throughput import needs, read_by_the_first, rows
from tests.benchmarks.programs import invoke

torch = pytest.importorskip("torch")

PAIRS = [Pair("eleven", "11"), Pair("cortex", "eleven"), Pair("eleven", "11")]


def lengths(folder: Path, *texts: Any) -> list[int]:
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return [len(tokenizer(*text if isinstance(text, tuple) else (text,))["input_ids"]) for text in texts]


def test_a_text_counts_once_and_layers_above_the_wanted_one_not(tiny: Callable[..., Path]) -> None:
    folder = tiny()
    apart = lengths(folder, "eleven", "11", "cortex")
    for metric, layers in (
        (answersim.metric("bi-encoder", model=folder), 3),
        (answersim.metric("bertscore-trained", model=folder, layer=2), 2),
    ):
        shape = Shape(layers, 32, 64)
        assert needs(metric, PAIRS) == {shape: operations(apart, shape)}


def test_operations_of_a_cross_encoder_by_hand(
    tiny: Callable[..., Path],
) -> None:
    folder = tiny(classifier=True)
    shape = Shape(3, 32, 64)
    one = lengths(folder, ("eleven", "11"), ("cortex", "eleven"))
    both = one + lengths(folder, ("11", "eleven"), ("eleven", "cortex"))
    for order, read in (("gold-pred", one), ("mean", both)):
        expected = operations(read, Shape(2, 32, 64)) + read_by_the_first(read, shape)
        assert needs(answersim.metric("sas", model=folder, order=order), PAIRS) == {shape: expected}


def test_a_layer_read_by_the_first_token_alone_costs_less() -> None:
    shape = Shape(1, 8, 16)
    assert read_by_the_first([1, 1], shape) == operations([1, 1], shape)
    assert read_by_the_first([5, 9], shape) < operations([5, 9], shape)


def test_parts_of_one_encoder_count_once(tiny: Callable[..., Path]) -> None:
    class Both:
        parts = (answersim.metric("bi-encoder", model=tiny()), answersim.metric("bertscore-trained", model=tiny()))

    assert needs(Both(), PAIRS) == needs(Both.parts[0], PAIRS)


def test_rows_are_medians_and_shares_of_the_limit(tiny: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    takes = iter([100.0, 1.0, 9.0, 2.0] * 2)

    def seconds(*_: Any) -> float:
        return next(takes)

    monkeypatch.setitem(profiles.WEIGHTS, "bi-encoder", {"embedded": {"*": profiles.Weights(str(tiny()))}})
    monkeypatch.setattr(throughput, "_seconds", seconds)
    limits = {"fp32": 1e6, "bf16": 4e6}
    monkeypatch.setattr(throughput, "multiplied_a_second", lambda shape, precision, device, clock: limits[precision])
    result = rows(["bi-encoder"], ["fp32", "bf16"], "cpu", PAIRS, 3, 64, clock=lambda: now[0])
    (needed,) = needs(answersim.metric("bi-encoder"), PAIRS).values()
    for row, (precision, limit) in zip(result, limits.items(), strict=True):
        assert (row.precision, row.n, row.pairs_a_second) == (precision, 3, 1.5)
        assert row.operations_a_pair == pytest.approx(needed / 3)
        assert row.limit_share == pytest.approx(needed / 2.0 / limit)
        assert f"/{precision}|" in row.signature


def test_a_device_computes_the_pairs_and_the_limit_and_is_waited_for(
    tiny: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a device that every machine has; see ``pretend_device``."""
    from answersim.neural import loading
    from benchmarks import products

    pretend: Any = pytest.importorskip("tests.rankers.pretend_device")
    waits: list[Any] = []
    monkeypatch.setitem(profiles.WEIGHTS, "bi-encoder", {"embedded": {"*": profiles.Weights(str(tiny()))}})
    monkeypatch.setattr(products, "_TOKENS", 64)
    monkeypatch.setattr(products, "_TIMES", 1)
    forget_loaded()
    with pretend.pretend_device() as device:
        monkeypatch.setattr(loading, "device", lambda name: device)
        module = SimpleNamespace(synchronize=lambda: waits.append(device))
        monkeypatch.setattr(torch, "get_device_module", lambda place: module)
        (row,) = rows(["bi-encoder"], ["fp32"], str(device), PAIRS, 2, 64)
    forget_loaded()
    assert (row.device, row.n) == ("meta", 3)
    assert row.pairs_a_second > 0
    assert row.limit_share > 0
    assert len(waits) == 3 + 4  # after each of three measurements, and each of four rounds of the limit


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU of CUDA")
def test_the_command_measures_a_gpu() -> None:
    run = invoke("throughput", "--metrics", "bi-encoder", "--size", "200", "--repetitions", "1", "--format", "json")
    assert run.exit_code == 0, run.output
    assert '"device": "cuda"' in run.output


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a card")
def test_without_a_gpu_the_error_names_the_remedy() -> None:
    run = invoke("throughput")
    assert run.exit_code == 2
    assert "no device 'cuda' in this machine" in run.output
    assert "--device cpu" in run.output
