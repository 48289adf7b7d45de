"""Token states of a pre-trained encoder for networks on top of it. Each text is encoded once in a training.

Frozen weights are not trained, have no dropout, and are neither parameters nor in the state dict. They are found by the
name of the checkpoint, and the state dict contains their fingerprint. The states of the last frozen layer are cached by
the ids of the text, in half precision. The trained layers above them run with a gradient.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from answersim.metrics.checkpoints.search import Checkpoint
from rankers.modules import encoder, local_checkpoints
from rankers.modules.composition import States
from rankers.modules.scoring import Embedding, Texts


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
    """States of texts by their ids, up to a number of tokens. The first ones stay, because epochs repeat the texts."""

    def __init__(self, limit: int) -> None:
        self.limit, self.tokens = limit, 0  # the maximum number of tokens, and the current one
        self.misses = 0  # the number of requested texts that were not in the cache
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

    Equal rows of ids are encoded once. ``encoded`` gets rows of one length, at most a few dozen. Its states are kept.
    """
    stored = {row: cache.get(row) for row in dict.fromkeys(rows)}
    by_row = {row: states for row, states in stored.items() if states is not None}
    missing = [row for row, states in stored.items() if states is None]
    for _, group in groupby(sorted(missing, key=len), key=len):
        alike = list(group)
        for start in range(0, len(alike), _AT_ONCE):
            batch = alike[start : start + _AT_ONCE]
            for row, states in zip(batch, encoded(batch), strict=True):
                by_row[row] = states
                cache.put(row, states)
    return [by_row[row] for row in rows]


class LowRank(nn.Module):
    """W x + b + B A x, in which only A, (rank, inputs), and B, (outputs, rank), are trained.

    B starts at zero, so that the layer starts as the frozen one. What is frozen is not in the state dict.

    Source: Hu et al. 2021, "LoRA", equation 3, with alpha = rank; A starts as in peft.
    """

    def __init__(self, linear: nn.Linear, rank: int) -> None:
        """Wrap a linear layer; rank is at least 1."""
        super().__init__()
        self.register_buffer("weight", linear.weight.detach(), persistent=False)
        self.register_buffer("bias", None if linear.bias is None else linear.bias.detach(), persistent=False)
        self.a = nn.Parameter(torch.empty(rank, linear.in_features))
        self.b = nn.Parameter(torch.zeros(linear.out_features, rank))
        nn.init.kaiming_uniform_(self.a, a=math.sqrt(5))

    def forward(self, x: Tensor) -> Tensor:
        """Return (..., outputs) for (..., inputs)."""
        frozen = functional.linear(x, self.weight, self.bias)  # type: ignore[arg-type] # a buffer is a Tensor
        return frozen + functional.linear(functional.linear(x, self.a), self.b)


def adapt(module: nn.Module, rank: int) -> nn.Module:
    """Replace every linear layer inside a module by its ``LowRank`` version and return the same module."""
    for name, child in list(module.named_children()):
        if isinstance(child, nn.Linear):
            setattr(module, name, LowRank(child, rank))
        else:
            adapt(child, rank)
    return module


KEPT = 600_000  # tokens: 460 MB of MiniLM's states, about one and a half of WikiQA


class FrozenEncoder(nn.Module):
    """The token states of single texts, ``[CLS] text [SEP]``, of a BERT-like encoder.

    The relative error of half precision is up to .05 % (2^-11), which is the same for cached and new states. A text
    goes through the frozen layers in a batch of texts of its own length, so padding never enters them; the trained
    layers run on padded batches with a mask. ``dim`` is the size of a state.
    """

    def __init__(
        self,
        checkpoint: str,
        *,
        unfrozen_layers: int = 0,
        lora_r: int = 0,
        keep_special: bool = False,
        longest: int = 1,
        limit: int = KEPT,
    ) -> None:
        """Load the encoder of this checkpoint, found by ``answersim.metrics.checkpoints.search.find``.

        The last ``unfrozen_layers`` are trained, with the dropout of the checkpoint; with ``lora_r``, matrices of this
        rank are trained in their place. The table of word pieces is always frozen. ``keep_special``: whether the states
        of [CLS] and [SEP] are returned as well. ``longest`` is the number of word pieces of the longest text, and
        ``limit`` that of cached tokens.
        """
        super().__init__()
        resolved = local_checkpoints.checkpoint(checkpoint)
        self.name, self.fingerprint = checkpoint, resolved.fingerprint
        model, self.special = _loaded(resolved)
        layers, positions = model.encoder.layer, int(model.config.max_position_embeddings)
        if not 0 <= unfrozen_layers <= len(layers):
            raise ValueError(
                f"unfrozen_layers is {unfrozen_layers}, but {checkpoint} has {len(layers)} layers: choose 0 to as many"
            )
        if longest + 2 > positions:
            raise ValueError(
                f"texts of {longest} word pieces and two special tokens were requested, but {checkpoint} has "
                f"{positions} positions: read at most {positions - 2}"
            )
        lower = len(layers) - unfrozen_layers
        self.above = nn.ModuleList(layers[lower:])
        model.encoder.layer, model.pooler = nn.ModuleList(layers[:lower]), None
        self.below = as_buffers(model)
        if lora_r:
            adapt(as_buffers(self.above), lora_r)
        self.dim, self.words = int(model.config.hidden_size), int(model.config.vocab_size)
        self.keep_special = keep_special
        self.kept = shared_cache(resolved.fingerprint, lower, limit)

    def forward(self, texts: Texts) -> States:
        """Return the states of these texts with their mask: (n, length, d), or (n, length + 2, d) if ``keep_special``.

        Values at padding have no meaning.
        """
        lengths = texts.mask.sum(dim=1)  # (n,)
        rows = [tuple(row[:n]) for row, n in zip(texts.ids.tolist(), lengths.tolist(), strict=True)]
        width = texts.mask.shape[1] + 2
        below = pad_sequence(states_of(rows, self.kept, self._encoded), batch_first=True)  # (n, longest + 2, d)
        x = functional.pad(below, (0, 0, 0, width - below.shape[1])).to(lengths.device).float()  # (n, width, d)
        mask = torch.arange(width, device=lengths.device) < lengths[:, None] + 2  # (n, width)
        if len(self.above):
            hidden = None if bool(mask.all()) else _hidden(mask)
            for layer in self.above:
                x = states_after(layer, x, hidden)
        return States(x, mask) if self.keep_special else States(x[:, 1:-1], texts.mask)

    def get_extra_state(self) -> Tensor:
        """Return the fingerprint of the checkpoint, whose frozen weights are not saved, as bytes."""
        return torch.tensor(list(self.fingerprint.encode()), dtype=torch.uint8)

    def set_extra_state(self, state: Tensor) -> None:
        """Check that these are weights for this checkpoint. Raise RuntimeError if they were trained on another."""
        theirs = bytes(state.tolist()).decode()
        if theirs != self.fingerprint:
            raise RuntimeError(f"these weights were trained on {theirs}, but {self.name} is {self.fingerprint} here")

    def fits(self, embedding: Embedding) -> None:
        """Check that this embedding has a row for each word piece of the encoder. Raise ValueError if not.

        The embedding of a network on an encoder is not used, but a table of other words means other ids.
        """
        if len(embedding.table) != self.words:
            raise ValueError(
                f"the words have {len(embedding.table)} ids, but {self.name} has {self.words}: a network on this "
                f"encoder reads its word pieces, rankers.modules.words.InputConfig(checkpoint={self.name!r})"
            )

    def train(self, mode: bool = True) -> FrozenEncoder:
        """Set the mode of the layers that are not frozen. Frozen layers never have dropout."""
        super().train(mode)
        self.below.eval()
        return self

    def _encoded(self, rows: list[IdRow]) -> list[Tensor]:
        """Return the last frozen states of [CLS], words and [SEP] of texts of one length, float16, on the CPU."""
        begin, end = self.special
        device = next(self.below.buffers()).device
        with torch.no_grad():  # states of inference mode are also used in training: a batch is always a copy of them
            ids = torch.tensor([[begin, *row, end] for row in rows], device=device)  # (n, tokens)
            states = self.below(input_ids=ids).last_hidden_state  # (n, tokens, d)
            return [state.clone() for state in states.half().cpu()]


def _loaded(checkpoint: Checkpoint) -> tuple[Any, tuple[int, int]]:
    """Return the model of a checkpoint, and the ids of [CLS] and [SEP]."""
    tokenizer, (model, _) = (
        encoder.tokenizer_of(checkpoint),
        encoder.model_in(checkpoint.folder, checkpoint.fingerprint),
    )
    if not hasattr(getattr(model, "encoder", None), "layer"):
        raise ValueError(
            f"{checkpoint.name} is a {type(model).__name__} without encoder.layer: give a checkpoint like BERT"
        )
    special = tokenizer.cls_token_id, tokenizer.sep_token_id
    if None in special:
        raise ValueError(f"the tokenizer of {checkpoint.name} has no [CLS] or no [SEP]: give a checkpoint like BERT")
    return model, special


def as_buffers(model: Any) -> Any:
    """Return the same model with buffers instead of parameters, which move with it and are not trained or saved."""
    for module in model.modules():
        for name, parameter in list(module._parameters.items()):
            if parameter is not None:
                del module._parameters[name]
                module.register_buffer(name, parameter.detach(), persistent=False)
    return model.eval()


def _hidden(mask: Tensor) -> Tensor:
    """Return the mask to add to attention logits, the lowest number at padding: (n, length) -> (n, 1, 1, length)."""
    return torch.where(mask, 0.0, torch.finfo(torch.float32).min)[:, None, None]
