"""The cost of group, global and local self-attention by the length of texts: time, memory, operations.

    python -m benchmarks.attention
    python -m benchmarks.attention --lengths 50,200 --repetitions 20 --format json

Every row processes the same number of words, split into texts of one length. A cost that grows as L x l is therefore
the same in all rows, and a cost that grows as L x L increases with the length.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import typer

from answersim.runtime.cli_errors import user_errors
from answersim.types import FloatArray
from benchmarks.machine import one_thread
from benchmarks.options import FORM, OUTPUT, chosen, program, show
from benchmarks.tables import Format, Table

if TYPE_CHECKING:  # torch is imported only for a measurement
    from torch import Tensor

app = program()

DIM, HEADS, GROUP, OFFSETS, REACH = 300, 6, 10, (0, 0, 0, 5, 5, 5), 5  # the GGSA paper, section 4.2
NETWORKS = ("ggsa", "local-gate", "global")
REFERENCE = {"kernel": "group", "network": "ggsa"}


class Cost(NamedTuple):
    """The cost of one system at one length, forward and backward. Times are medians, with quartiles."""

    # "kernel" (attention alone, from queries, keys and values) or "network" (a whole step of a small network)
    part: str
    system: str  # the name of the system
    length: int  # words per text
    texts: int  # texts per batch
    forward_ms: float  # milliseconds of CPU time
    backward_ms: float  # the same for gradients
    low_ms: float  # the first quartile of the sum of both
    high_ms: float  # the third quartile of the sum of both
    ratio: float  # the cost divided by that of group attention (of GGSA, for networks) in the same repetition
    ratio_low: float  # its first quartile
    ratio_high: float  # its third quartile
    peak_mb: float  # the peak of allocated memory beyond the inputs, in 10^6 bytes
    mflop: float | None  # 10^6 floating-point operations of all matrix products; None for networks
    repetitions: int  # the number of measurements


Forward = Callable[[], "Tensor"]


@app.command()
def main(
    lengths: str = typer.Option("50,200,1000,4000", help="Words per text, separated by commas."),
    words: int = typer.Option(4000, min=1, help="Words per batch. A batch contains more texts if they are shorter."),
    repetitions: int = typer.Option(9, min=1, help="The number of measurements of each, in turns."),
    part: str = typer.Option("kernel,network", help="The parts to measure: kernel, network."),
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Time, memory and operations of group, local and global self-attention, on one thread."""
    with user_errors():
        parts = chosen("part", part, REFERENCE)
        measured = [
            cost for one in parts for length in _numbers(lengths) for cost in costs(one, length, words, repetitions)
        ]
    show([table(measured, one) for one in parts], measured, form, output)


def costs(part: str, length: int, words: int = 4000, repetitions: int = 9, seed: int = 0) -> list[Cost]:
    """Measure the cost of each system of this part for so many words in texts of this length, on one thread.

    Every repetition measures all systems once, one after the other, so that other work on the machine affects all of
    them alike. The first round, in which memory is allocated, is not counted.
    """
    texts = max(1, words // length)
    systems = kernels(texts, length, seed) if part == "kernel" else networks(texts, length, seed)
    with one_thread():
        rounds = [{name: seconds(step) for name, step in systems.items()} for _ in range(repetitions + 1)][1:]
        peaks = {name: peak(step) for name, step in systems.items()}
    beside = [sum(times[REFERENCE[part]]) for times in rounds]
    return [
        Cost(
            part=part,
            system=name,
            length=length,
            texts=texts,
            **_times(np.array([times[name] for times in rounds]), np.array(beside)),
            peak_mb=peaks[name] / 1e6,
            mflop=operations(name, texts, length) / 1e6 if part == "kernel" else None,
            repetitions=repetitions,
        )
        for name in systems
    ]


def _times(taken: FloatArray, beside: FloatArray) -> dict[str, float]:
    """Return the times of a cost by field, from seconds forward and backward, (repetitions, 2), and a reference."""
    total = taken.sum(axis=1)
    return {
        "forward_ms": 1000 * float(np.median(taken[:, 0])),
        "backward_ms": 1000 * float(np.median(taken[:, 1])),
        "low_ms": 1000 * float(np.quantile(total, 0.25)),
        "high_ms": 1000 * float(np.quantile(total, 0.75)),
        "ratio": float(np.median(total / beside)),
        "ratio_low": float(np.quantile(total / beside, 0.25)),
        "ratio_high": float(np.quantile(total / beside, 0.75)),
    }


def kernels(texts: int, length: int, seed: int, device: str = "cpu") -> dict[str, Forward]:
    """Return attention alone by name, on random queries, keys and values of six heads with 50 features."""
    import torch

    from rankers.modules.self_attention import global_attention, group_attention, local_attention

    generator = torch.Generator().manual_seed(seed)
    shape = (texts, length, HEADS, DIM // HEADS)
    q, k, v = (torch.randn(shape, generator=generator).to(device).requires_grad_() for _ in range(3))
    mask = torch.ones(texts, length, dtype=torch.bool, device=device)
    return {
        "group": partial(group_attention, q, k, v, mask, size=GROUP, offsets=OFFSETS),
        "local": partial(local_attention, q, k, v, mask, reach=REACH),
        "global": partial(global_attention, q, k, v, mask),
        "global-matrix": partial(matrix_attention, q, k, v),
    }


def matrix_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Compute global attention with an explicit L x L matrix, as was usual then. Our code never allocates it."""
    q, k, v = (tensor.transpose(1, 2) for tensor in (q, k, v))  # (n, heads, length, d)
    weights = (q * q.shape[-1] ** -0.5 @ k.transpose(-1, -2)).softmax(dim=-1)  # (n, heads, length, length)
    return (weights @ v).transpose(1, 2)


def networks(texts: int, length: int, seed: int) -> dict[str, Forward]:
    """Return whole networks (D 192) by name, each on as many questions of 12 words as answers of this length."""
    import torch

    from rankers.inputs.batch import Batch, Texts
    from rankers.inputs.embedding import Embedding
    from rankers.systems.ggsa import architecture

    generator = torch.Generator().manual_seed(seed)
    table = torch.randn(1000, 384, generator=generator)

    def random_texts(width: int) -> Texts:
        ids = torch.randint(1, len(table), (texts, width), generator=generator)
        return Texts(ids, torch.ones(texts, width, dtype=torch.bool))

    batch = Batch(random_texts(12), random_texts(length), torch.arange(texts), torch.arange(texts))
    built: dict[str, Forward] = {}
    with torch.random.fork_rng(devices=[]):  # layers are initialized from the global generator
        torch.manual_seed(seed)
        for name in NETWORKS:
            network, config, dim = architecture(name)
            built[name] = partial(network(config, Embedding(table, dim=dim, normalise=True)), batch)
    return built


def seconds(step: Forward) -> tuple[float, float]:
    """Return the CPU time of one forward and one backward pass."""
    import torch

    start = time.process_time()
    output = step()
    middle = time.process_time()
    torch.autograd.backward(output, torch.ones_like(output))
    return middle - start, time.process_time() - middle


def peak(step: Forward) -> int:
    """Return the peak of bytes that one forward and backward pass allocates, by the profiler of PyTorch."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        seconds(step)
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        seen.export_chrome_trace(str(trace))
        events = json.loads(trace.read_text())["traceEvents"]
    allocations = [
        event["args"] for event in sorted(events, key=lambda event: event.get("ts", 0)) if event["name"] == "[memory]"
    ]
    before = allocations[0]["Total Allocated"] - allocations[0]["Bytes"]
    return max(allocation["Total Allocated"] for allocation in allocations) - before


def operations(name: str, texts: int, length: int) -> int:
    """Count the floating-point operations of all matrix products, forward and backward, without executing them."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.flop_counter import FlopCounterMode

    step = kernels(texts, length, 0, device="meta")[name]
    with FlopCounterMode(display=False) as counter, sdpa_kernel(SDPBackend.MATH):
        seconds(step)
    return int(counter.get_total_flops())


def table(measured: Sequence[Cost], part: str) -> Table:
    """Return the costs of one part as a table."""
    titles = {
        "kernel": f"Self-attention alone: {HEADS} heads, D {DIM}, groups of {GROUP}, windows of {2 * REACH + 1}",
        "network": "A whole step, forward and backward: D 192, answers of L words",
    }
    names = ("L", "texts", "system", "forward ms", "backward ms", "quartiles", "times", "quartiles", "MB", "MFLOP")
    rows = []
    for cost in (cost for cost in measured if cost.part == part):
        spread = f"{cost.low_ms:.1f}-{cost.high_ms:.1f}"
        beside = f"{cost.ratio_low:.2f}-{cost.ratio_high:.2f}"
        times = (cost.forward_ms, cost.backward_ms, spread, cost.ratio, beside)
        rows.append((cost.length, cost.texts, cost.system, *times, cost.peak_mb, cost.mflop))
    notes = (
        f"medians of {measured[0].repetitions if measured else 0} repetitions in CPU time of one thread; "
        f"times: the cost divided by that of {REFERENCE[part]}",
    )
    return Table.of(titles[part], names, rows, notes)


def _numbers(given: str) -> list[int]:
    try:
        numbers = [int(number) for number in given.split(",")]
    except ValueError:
        numbers = [0]
    if min(numbers) < 1:
        raise ValueError(f"--lengths is {given!r}, but it must be numbers from 1, separated by commas: 50,200")
    return numbers


if __name__ == "__main__":
    app()
