"""Batches without padding: short texts attend side by side in windows of 32 tokens, long texts by length.

The engines of torch and of numpy share this layout. ``attention`` contains the reason for the windows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

WINDOW = 32  # tokens


class Run(NamedTuple):
    """Texts of one length, which are together: the first token in the batch, the one after the last, and the length."""

    start: int
    stop: int
    length: int


class Batch(NamedTuple):
    """Token sequences one after the other, those of one length together."""

    ids: Any  # token ids, (t,), of numpy or torch
    types: Any  # token types, (t,), or None for all 0
    runs: tuple[Run, ...]  # the positions of the sequences of each length, in order


class Windows(NamedTuple):
    """The windows of a batch, in arrays of numpy or torch."""

    long: tuple[Run, ...]  # texts of one length that are longer than a window, or all texts if windows are not wanted
    places: Any  # the positions in the batch of the tokens of the other texts, (s,). They are in windows.
    slots: Any  # their positions in the windows, (s,)
    # the position in the batch of the token in each slot, (windows x 32,). A free slot contains any token.
    source: Any
    apart: Any  # whether two slots of a window belong to different texts, (windows, 1, 32, 32)


def batch_of(sequences: Sequence[Sequence[int]], types: Sequence[Sequence[int]] | None) -> Batch:
    """Build a batch in numpy of sequences in which those of one length are together."""
    lengths = np.array([len(sequence) for sequence in sequences], dtype=np.int64)
    ids = np.fromiter(chain.from_iterable(sequences), np.int64)
    return Batch(ids, None if types is None else np.fromiter(chain.from_iterable(types), np.int64), runs_of(lengths))


def firsts(runs: Sequence[Run]) -> NDArray[np.int64]:
    """Return the position of the first token of each text, (texts,).

    >>> firsts([Run(0, 6, 3), Run(6, 8, 2)]).tolist()
    [0, 3, 6]
    """
    return np.concatenate([np.arange(start, stop, length) for start, stop, length in runs])


def windows(runs: Sequence[tuple[int, int, int]], *, all_rows: bool = True) -> Windows:
    """Plan the windows of a batch whose texts of each length are together.

    ``runs``: the first token, the token after the last, and the length of the texts between.

    >>> layout = windows([(0, 80, 40), (80, 98, 9), (98, 110, 6)])
    >>> layout.long, layout.places.shape, layout.apart.shape
    ((Run(start=0, stop=80, length=40),), (30,), (1, 1, 32, 32))
    """
    short = [run for run in runs if run[2] <= WINDOW and all_rows]
    lengths = np.array([size for start, stop, size in short for _ in range(start, stop, size)], dtype=np.int64)
    starts = np.array([at for start, stop, size in short for at in range(start, stop, size)], dtype=np.int64)
    opens = _opening_slots(lengths)
    text = np.repeat(np.arange(len(lengths)), lengths)  # (s,), of each token
    within = np.arange(len(text)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    places, slots = starts[text] + within, opens[text] + within
    source = np.zeros(-(-int(slots.max(initial=-1) + 1) // WINDOW) * WINDOW, dtype=np.int64)
    source[slots] = places
    # free slots attend to free slots only, so that no row of the mask is all minus infinity
    owner = np.full(len(source), -1)
    owner[slots] = text
    by_window = owner.reshape(-1, 1, WINDOW)
    apart = by_window[:, :, :, None] != by_window[:, :, None, :]
    return Windows(tuple(Run(*run) for run in runs if run not in short), places, slots, source, apart)


def runs_of(lengths: NDArray[np.int64]) -> tuple[Run, ...]:
    """Return where the sequences of each length are. Those of one length are together.

    >>> runs_of(np.array([3, 3, 2]))
    (Run(start=0, stop=6, length=3), Run(start=6, stop=8, length=2))
    """
    opens = np.flatnonzero(np.append(True, lengths[1:] != lengths[:-1]))
    ends = np.cumsum(lengths)
    closes = ends[np.append(opens[1:], len(lengths)) - 1]
    starts = np.append(0, closes[:-1])
    return tuple(Run(*map(int, run)) for run in zip(starts, closes, lengths[opens], strict=True))


def _opening_slots(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the slot of the first token of each text, (n,): the next one, or that of a new window if it does not fit.

    >>> _opening_slots(np.array([20, 12, 30, 5])).tolist()
    [0, 20, 32, 64]
    """
    slots, free = np.empty_like(lengths), 0
    for i, length in enumerate(lengths.tolist()):
        left = -free % WINDOW
        if left < length and left:
            free += left
        slots[i] = free
        free += length
    return slots
