"""Blocks of a pass in threads: each block once, one thread of the BLAS meanwhile, no warnings, errors passed on."""

import warnings

import numpy as np
import pytest

from answersim.metrics.neural.engines import blocks as module

threadpoolctl = pytest.importorskip("threadpoolctl")


def threads_of_blas():
    return [library["num_threads"] for library in threadpoolctl.threadpool_info() if library["user_api"] == "blas"]


class Control:
    """Stands for a BLAS of four threads."""

    def __init__(self):
        self.threads, self.calls = 4, []

    def limit(self, limits):
        self.threads = limits
        self.calls.append("limit")
        return self

    def restore_original_limits(self):
        self.threads = 4
        self.calls.append("restore")


@pytest.fixture
def control(monkeypatch):
    control = Control()
    monkeypatch.setattr(module, "_blas", lambda: (control, 4))
    return control


def test_each_block_is_computed_once_with_one_thread_of_the_blas(control):
    found = np.zeros(100, dtype=int)
    seen = set()

    def compute(start):
        found[start] += 1
        seen.add(control.threads)

    with module.blocks() as each:
        each(compute, range(100))
        with module.blocks() as inner:  # a pass of another thread at the same time
            inner(compute, range(100))
        assert control.threads == 1
    assert found.tolist() == [2] * 100
    assert (seen, control.threads, control.calls) == ({1}, 4, ["limit", "restore"])


def test_an_overflow_is_no_warning_and_an_error_is_passed_on_and_the_limit_ends(control):
    values = np.full(4, 3e38, dtype=np.float32)

    def double(start):
        values[start] = values[start : start + 1][0] * values[start : start + 1][0]

    def fail(start):
        raise RuntimeError("a block failed")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with module.blocks() as each:
            each(double, range(4))
    assert np.isinf(values).all()
    with pytest.raises(RuntimeError, match="a block failed"), module.blocks() as each:
        each(fail, range(4))
    assert control.threads == 4


def test_the_threads_of_this_machine_are_the_same_before_and_after():
    before = threads_of_blas()
    with module.blocks() as each:
        each(lambda start: None, range(3))
    assert threads_of_blas() == before


def test_without_threadpoolctl_blocks_are_computed_in_turn(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    module._blas.cache_clear()
    order = []
    with module.blocks() as each:
        each(order.append, range(5))
    module._blas.cache_clear()
    assert order == [0, 1, 2, 3, 4]
