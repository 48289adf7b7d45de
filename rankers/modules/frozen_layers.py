"""The frozen layers of encoders such as BERT, run one by one, and a cache of their states by text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

from torch import Tensor, nn


def layers_of(model: Any) -> list[nn.Module] | None:
    """Return the layers of an encoder if they can be run one by one, as in BERT, RoBERTa and ELECTRA, or else None."""
    layers = list(getattr(getattr(model, "encoder", None), "layer", ()))
    runs = getattr(model.config, "_attn_implementation", "") == "sdpa" and not getattr(model.config, "is_decoder", True)
    absolute = getattr(model.config, "position_embedding_type", "absolute") in ("absolute", None)
    return layers if layers and runs and absolute else None


def embed(model: Any, ids: Tensor, types: Tensor | None) -> Tensor:
    """Return the input of the first layer, (n, length) -> (n, length, d)."""
    others = {} if types is None else {"token_type_ids": types}
    x: Tensor = model.embeddings(input_ids=ids, **others)
    return model.embeddings_project(x) if hasattr(model, "embeddings_project") else x


def states_after(layer: Any, x: Tensor, hidden: Tensor | None = None) -> Tensor:
    """Return the output of a layer for the states below it, (n, length, d). ``hidden`` is its attention mask.

    A layer of transformers 4 returns a tuple that begins with the states; a layer of transformers 5 returns the states
    alone.
    """
    output = layer(x, hidden)
    return output[0] if isinstance(output, tuple) else output


_AT_ONCE = 32  # texts of one length

IdRow = tuple[int, ...]


class StateCache:
    """States of texts by their ids, up to a number of tokens. The first ones stay, because epochs repeat the texts.

    Attributes:
        limit: The maximum number of tokens that are kept.
        tokens: The number of tokens that are currently kept.
        misses: The number of requested texts that were not in the cache.
    """

    def __init__(self, limit: int) -> None:
        self.limit, self.tokens, self.misses = limit, 0, 0
        self._states: dict[IdRow, Tensor] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> StateCache:
        """Return the object itself, because the states of a text are the same for every copy of a network."""
        return self

    def get(self, ids: IdRow) -> Tensor | None:
        """Return the states of this text, (tokens, d), or None."""
        states = self._states.get(ids)
        self.misses += states is None
        return states

    def put(self, ids: IdRow, states: Tensor) -> None:
        """Keep the states of this text if the limit allows it."""
        if ids not in self._states and self.tokens + len(states) <= self.limit:
            self._states[ids] = states
            self.tokens += len(states)


@lru_cache(maxsize=2)
def shared_cache(fingerprint: str, layers: int, limit: int) -> StateCache:
    """Return the cached states after this many layers of these weights, which all networks of this process share."""
    return StateCache(limit)


def states_of(rows: Sequence[IdRow], cache: StateCache, encoded: Callable[[list[IdRow]], list[Tensor]]) -> list[Tensor]:
    """Return the states of each text, (tokens, d), from the cache, or from ``encoded`` if they are not in it.

    Args:
        rows: The texts, as ids. Equal rows are encoded once.
        cache: The states that are kept. The states that are computed here are added to it.
        encoded: A function from rows of one length, at most a few dozen, to the states of each.
    """
    by_row: dict[IdRow, Tensor] = {}
    missing: list[IdRow] = []
    for row in dict.fromkeys(rows):
        states = cache.get(row)
        if states is None:
            missing.append(row)
        else:
            by_row[row] = states
    for _, group in groupby(sorted(missing, key=len), key=len):
        alike = list(group)
        for start in range(0, len(alike), _AT_ONCE):
            part = alike[start : start + _AT_ONCE]
            for row, states in zip(part, encoded(part), strict=True):
                by_row[row] = states
                cache.put(row, states)
    return [by_row[row] for row in rows]
