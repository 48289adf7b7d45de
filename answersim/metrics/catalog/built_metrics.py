"""Metrics that were built by name. They are reused as long as the files and settings behind them are unchanged."""

from __future__ import annotations

import os
import stat
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from operator import attrgetter
from typing import Any, NamedTuple

from answersim import metrics
from answersim._base.runtime.concurrency import alone, forget_loaded
from answersim.types import Metric

_MOST = 128  # metrics; of files, only names and times are stored, and models are stored elsewhere
# The change time of the inode reveals a file that was replaced by one with an older modification time.
_STATE = attrgetter("st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")
_TICK = 50_000_000  # nanoseconds: no clock of a file system is coarser


class Built(NamedTuple):
    """A metric and what it was built from."""

    metric: Metric  # the metric
    origin: Hashable  # what determines it in addition to the key, such as its factory and the weights of its profile
    paths: tuple[str, ...]  # the files and folders that it was built from, and the places that are searched before them
    stamps: tuple[tuple[Any, ...] | None, ...]  # the state of each path. See ``stamp``.


_built: OrderedDict[Hashable, Built] = OrderedDict()


def reuse(key: Hashable, origin: Hashable, build: Callable[[], Metric], files: Iterable[str] = ()) -> Metric:
    """Return the metric with this key that was built before, or build it. One thread builds at a time.

    A metric is built again if its origin differs, or if a file that it was built from has changed. It is not kept if a
    file changed while it was built, because its settings could then be older than the state of that file. ``origin``:
    what else decides the metric. ``files``: files that it reads besides the weights of its networks.
    """
    previous = _current(key, origin)
    if previous is not None:
        return previous
    with alone():
        previous = _current(key, origin)
        if previous is not None:
            return previous
        start = time.time_ns()
        metric = build()
        paths = tuple(dict.fromkeys([*_paths(metric), *map(os.path.abspath, files)]))
        stamps = tuple(map(stamp, paths))
        newest = max((time for files in stamps for state in files or () for time in state[-2:]), default=0)
        if newest < start - _TICK:
            _built[key] = Built(metric, origin, paths, stamps)
            while len(_built) > _MOST:
                _built.popitem(last=False)
        return metric


def release() -> None:
    """Forget all metrics that were built by name, and all models and tokenizers in memory that no caller uses."""
    _built.clear()
    forget_loaded()


def _current(key: Hashable, origin: Hashable) -> Metric | None:
    """Return the metric with this key if a new one would be the same."""
    previous = _built.get(key)
    if previous is None or previous.origin != origin or tuple(map(stamp, previous.paths)) != previous.stamps:
        return None
    with suppress(KeyError):  # another thread may have dropped it
        _built.move_to_end(key)
    return previous.metric


def surroundings() -> tuple[str | None, ...]:
    """Return what determines where a model is searched, and which engine runs it, besides its name."""
    try:
        folder = os.getcwd()
    except FileNotFoundError:  # it was deleted
        folder = ""
    variables = metrics.checkpoints.search.MODELS_VARIABLE, metrics.neural.engines.choice.VARIABLE, "HOME"
    return (*map(os.environ.get, variables), folder)


def stamp(path: str) -> tuple[Any, ...] | None:
    """Return size and times of a file, or of all files in a folder and its subfolders. Return None if it is missing."""
    try:
        status = os.stat(path)
        if not stat.S_ISDIR(status.st_mode):
            return (_STATE(status),)
        states, folders = [], [path]
        for folder in folders:  # the subfolders are appended
            with os.scandir(folder) as entries:
                for entry in entries:
                    if not entry.is_dir():
                        states.append((entry.path, *_STATE(entry.stat())))
                    elif folder == path:
                        folders.append(entry.path)
        return tuple(sorted(states))
    except OSError:
        return None


def _paths(metric: Metric) -> Iterable[str]:
    """Return the folders that the networks of this metric were read from, and those that are searched before them."""
    for inner in getattr(metric, "parts", ()):
        yield from _paths(inner)
    backbone: Any = getattr(metric, "encoder", getattr(metric, "scorer", None))
    checkpoint = getattr(backbone, "checkpoint", None)
    if checkpoint is None:
        return
    yield os.path.abspath(checkpoint.folder)
    if backbone.adapter is not None:
        yield os.path.abspath(backbone.adapter)
    name = checkpoint.name.partition("@")[0]
    yield os.path.abspath(name)
    if home := os.environ.get(metrics.checkpoints.search.MODELS_VARIABLE):
        for model in (name, metrics.checkpoints.search.ALIASES.get(name, name)):
            yield os.path.abspath(os.path.join(home, model))
            yield os.path.abspath(os.path.join(home, model.rpartition("/")[2]))
