"""Networks under threads and forks: passes run concurrently, but loading a model and forking the process run alone.

Loading changes state of the whole process: the log level and the progress bars of transformers, and the default dtype
of torch. A fork copies the state of every lock, also of a lock that another thread holds. Therefore both wait until no
pass is running, and no pass starts until they are done.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_DONE: set[str] = set()  # modules whose import by ``imported`` is done

# The variables that decide how threads wait: of OpenMP, and of its implementations by GNU and by Intel and LLVM.
_WAITING = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")


class Gate:
    """A lock that many threads can share, or one thread can hold alone. A thread that holds it can acquire it again.

    A thread that waits to be alone has priority over new passes, so that it never waits forever.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Reset to the state of a new process, in which no other thread runs."""
        self.used = False  # whether a network was loaded or run since this process was started or forked
        self._changed = threading.Condition(threading.Lock())
        self._inside: dict[int, int] = {}  # thread -> how often it has entered
        self._owner, self._depth, self._waiting = 0, 0, 0

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Run the block beside those of other threads, but not while one is alone."""
        me = threading.get_ident()
        with self._changed:
            while self._owner not in (0, me) or (self._waiting and me not in self._inside and self._owner != me):
                self._changed.wait()
            self._inside[me] = self._inside.get(me, 0) + 1
        try:
            yield
        finally:
            with self._changed:
                left = self._inside.pop(me, 1) - 1  # no entry: the process was forked inside the block
                if left:
                    self._inside[me] = left
                else:
                    self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Run the block while no other thread is inside."""
        self.enter()
        try:
            yield
        finally:
            self.leave()

    def enter(self) -> None:
        """Wait until no other thread is inside, and keep them out until ``leave``."""
        me = threading.get_ident()
        with self._changed:
            self._waiting += 1
            try:
                while self._owner not in (0, me) or self._inside.keys() - {me}:
                    self._changed.wait()
                self._owner, self._depth = me, self._depth + 1
            finally:
                self._waiting -= 1
                self._changed.notify_all()

    def leave(self) -> None:
        """Let other threads in again."""
        with self._changed:
            self._depth = max(0, self._depth - 1)
            if not self._depth:
                self._owner = 0
                self._changed.notify_all()


_GATE = Gate()
_RANDOM = Gate()
alone = _GATE.alone
# Guards the random state of torch, which all threads share. Enter it before ``alone``, never inside.
drawing = _RANDOM.alone
_LOADED: list[Callable[[], None]] = []  # each one clears the results of a function that loads once


@contextmanager
def forward_pass() -> Iterator[None]:
    """Run a pass beside those of other threads, but not while one loads, imports or forks. Load before entering."""
    _GATE.used = True
    with _GATE.shared():
        yield


def wait_passively() -> None:
    """Let the threads of torch, which is not imported yet, give up their core while they wait for each other.

    Otherwise, they keep it busy, and scoring beside other programs takes up to 20 times as long. The variable stays set
    for worker processes. A choice of the user, or a torch that is already imported, is respected.
    """
    if "torch" not in sys.modules and not any(name in os.environ for name in _WAITING):
        os.environ[_WAITING[0]] = "PASSIVE"


def imported(name: str) -> Any:
    """Import a module by one thread and return it. The type checker of a user does not follow it into its library."""
    module = sys.modules.get(name)
    if module is not None and name in _DONE:
        return module
    with importing(name):
        module = import_module(name)
    _DONE.add(name)
    return module


@contextmanager
def importing(*modules: str) -> Iterator[None]:
    """Let the block import these modules, by full names, and for the first import keep other threads out.

    Threads that import parts of one package at once may get it incomplete: nltk and torch have circular imports.
    """
    if all(map(_is_imported, modules)):
        yield
    else:
        with alone():
            yield


def _is_imported(name: str) -> bool:
    """Return whether this module and the packages around it are loaded, and their own imports are done."""
    parts = name.split(".")
    modules = [sys.modules.get(".".join(parts[:i])) for i in range(1, len(parts) + 1)]
    return not any(module is None or getattr(module.__spec__, "_initializing", False) for module in modules)


def forget_loaded() -> None:
    """Drop all results that ``load_once`` keeps: models and tokenizers that no caller uses are freed."""
    with alone():
        for clear in _LOADED:
            clear()


def load_once(most: int) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """Keep the last results of a function that loads something, and let only one thread load at a time."""

    def decorate(load: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        results: OrderedDict[Hashable, Result] = OrderedDict()

        @wraps(load)
        def loaded(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            key = (args, tuple(sorted(kwargs.items())))
            try:
                results.move_to_end(key)
                return results[key]
            except KeyError:  # not loaded yet, or dropped by another thread between the two lines
                pass
            with alone():
                _GATE.used = True
                if key not in results:
                    results[key] = load(*args, **kwargs)
                    while len(results) > most:
                        results.popitem(last=False)
                return results[key]

        loaded.cache_clear = results.clear  # type: ignore[attr-defined] # like functools.lru_cache
        _LOADED.append(results.clear)
        return loaded

    return decorate


def _after_fork_in_child() -> None:
    """Make torch usable in the new process, whose only thread is this one.

    The worker threads of OpenMP no longer exist, but its state still lists them. A matrix multiplication on more than
    one thread would wait for them forever.
    """
    used = _GATE.used
    _GATE.reset()
    _RANDOM.reset()
    if used and "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(before=_GATE.enter, after_in_parent=_GATE.leave, after_in_child=_after_fork_in_child)
