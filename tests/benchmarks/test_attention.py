"""What attention costs is counted and measured as it should be, on short texts."""

import json

import numpy as np
import pytest
import torch

from benchmarks import attention
from benchmarks.attention import costs, kernels, matrix_attention, operations, peak
from rankers.modules.self_attention import global_attention
from tests.benchmarks.programs import invoke

D = 50  # features of one of six heads


def products(pairs):
    """Operations for so many pairs of words in one head: two products of D forward, twice that backward."""
    return 3 * 2 * 2 * pairs * D


@pytest.mark.parametrize(
    ("system", "pairs"),
    [
        ("global", 6 * 40 * 40),
        ("global-matrix", 6 * 40 * 40),
        ("local", 6 * 40 * 11),
        ("group", 3 * 4 * 10 * 10 + 3 * 5 * 10 * 10),  # four groups, or five with the first and last cut short
    ],
)
def test_operations_count_the_pairs_of_words_that_attend(system, pairs):
    assert operations(system, texts=2, length=40) == 2 * products(pairs)


def test_the_matrix_is_global_attention():
    q, k, v = torch.randn(3, 2, 7, 3, 4, generator=torch.Generator().manual_seed(0))
    everything = torch.ones(2, 7, dtype=torch.bool)
    torch.testing.assert_close(matrix_attention(q, k, v), global_attention(q, k, v, everything), rtol=0, atol=1e-5)


def test_the_peak_is_the_memory_in_use_at_once():
    x = torch.zeros(1_000_000, requires_grad=True)

    def step():
        for _ in range(5):
            x.detach() + 1.0  # 4 MB each time, given back each time
        return x[:1] * 1.0

    assert 4_000_000 <= peak(step) < 4_000_000 * 2.5  # one of them, then the gradient of x and one piece of it


def test_only_the_matrix_holds_a_number_for_each_pair_of_words():
    length = 1200
    steps = kernels(1, length, seed=0)
    matrix = 4 * 6 * length * length
    assert peak(steps["global-matrix"]) > matrix
    assert peak(steps["group"]) < matrix / 2


def test_ratios_are_of_times_in_the_same_repetition(monkeypatch):
    first, second = [(1.0, 3.0), (2.0, 6.0)], [(3.0, 1.0), (2.0, 2.0)]  # of group and local; the rest does not matter
    clock = iter([(9.0, 9.0)] * 4 + first + [(1.0, 1.0)] * 2 + second + [(1.0, 1.0)] * 2)
    monkeypatch.setattr(attention, "seconds", lambda step: next(clock))
    monkeypatch.setattr(attention, "peak", lambda step: 5_000_000)
    monkeypatch.setattr(attention, "operations", lambda *_: 7_000_000)
    group, local, *_ = costs("kernel", 10, words=20, repetitions=2)
    assert (group.forward_ms, group.backward_ms) == (2000.0, 2000.0)  # (1 and 3, 3 and 1), after a round not counted
    assert group.ratio == group.ratio_low == group.ratio_high == 1
    assert local.ratio == 1.5  # 8 / 4 and 4 / 4
    assert (local.low_ms, local.high_ms) == (5000.0, 7000.0)
    assert (local.texts, local.peak_mb, local.mflop) == (2, 5.0, 7.0)


def test_a_row_states_what_was_measured():
    done = invoke("speed", "attention", *"--lengths 8,16 --words 32 --repetitions 2 --format json".split())
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)
    kernels, networks = ("group", "local", "global", "global-matrix"), ("ggsa", "local-gate", "global")
    assert [(row["part"], row["length"], row["texts"], row["system"]) for row in rows] == [
        (part, length, texts, system)
        for part, systems in (("kernel", kernels), ("network", networks))
        for length, texts in ((8, 4), (16, 2))
        for system in systems
    ]
    assert all(np.isfinite(row["ratio"]) and row["forward_ms"] > 0 < row["peak_mb"] for row in rows)
    assert all((row["mflop"] is None) == (row["part"] == "network") for row in rows)
