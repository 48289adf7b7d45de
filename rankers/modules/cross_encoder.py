"""A pre-trained encoder that reads question and answer together, and one vector for both of them."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from itertools import groupby
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from answersim.metrics.checkpoints.search import Checkpoint
from answersim.metrics.checkpoints.token_ids import positions
from rankers.modules import local_checkpoints
from rankers.modules.encoder import model_in, tokenizer_of
from rankers.modules.frozen_encoder import IdRow, StateCache, embed, layers_of, shared_cache, states_after, states_of
from rankers.modules.scoring import Batch, Texts

POOLERS = ("checkpoint", "new", "cls")
KEPT = 1_000_000  # tokens of pairs: 770 MB of MiniLM's states


class PairTexts(NamedTuple):
    """Pairs as one text each, as the encoder reads them, padded to the longest."""

    ids: Tensor  # the ids of word pieces and special tokens, int64, (pairs, length)
    mask: Tensor  # false at padding, bool, (pairs, length)
    types: Tensor  # 1 from the answer on, 0 before it and at padding, int64, (pairs, length)


class Around(NamedTuple):
    """The special tokens before, between and after the two texts of a pair."""

    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of special tokens."""
        return sum(map(len, self))


class PairEncoder(nn.Module):
    """``[CLS] question [SEP] answer [SEP]``, or with the special tokens of the checkpoint, through its layers.

    Frozen layers run without dropout, and their states of a pair are cached by its ids, in half precision (relative
    error up to 2^-11, which is the same for cached and new states).

    Source: SCAN, equation 1; Devlin et al. 2019, section 3.
    """

    def __init__(self, checkpoint: str, *, max_length: int = 128, pooler: str = "checkpoint", frozen: int = 0) -> None:
        """Load the weights of this checkpoint, in the state in which training starts.

        The ids of batches are of its word pieces. A pair has at most ``max_length`` tokens, with special ones. In a
        longer pair the answer is truncated. The question is only truncated if it would leave no word of the answer. The
        pooler "checkpoint" is the layer of the checkpoint, or a new one if it has none; "new" is a new layer, tanh of a
        linear map of the first state; "cls" uses the first state itself. The ``frozen`` lowest layers are not trained,
        and neither is then the table of words.
        """
        super().__init__()
        resolved = local_checkpoints.checkpoint(checkpoint)
        tokenizer = tokenizer_of(resolved)
        self.around = _around(tokenizer, checkpoint)
        self.padding = int(tokenizer.pad_token_id)
        _check_length(max_length, self.around.size, resolved)
        self.max_length = max_length
        self.model, has_pooler = model_in(resolved.folder, resolved.fingerprint)
        self.dim = int(self.model.config.hidden_size)
        self.words = int(self.model.config.vocab_size)
        self._reads_types = getattr(self.model.config, "type_vocab_size", 0) > 1
        self.pooler: nn.Linear | None = None
        if pooler != "checkpoint" or not has_pooler:
            self.model.pooler = None
            self.pooler = None if pooler == "cls" else nn.Linear(self.dim, self.dim)
        self.frozen = _freeze(self.model, frozen, checkpoint) if frozen else ()
        self._frozen_layers, self._layers = frozen, layers_of(self.model)
        self._below = _Below()

    def forward(self, batch: Batch) -> Tensor:
        """Return one vector per pair, (pairs, d), in [-1, 1] except for "cls"."""
        read = self.inputs(batch)
        if self._layers is None:
            others = {"token_type_ids": read.types} if self._reads_types else {}
            states = self.model(input_ids=read.ids, attention_mask=read.mask.long(), **others).last_hidden_state
            first = states[:, 0]  # (pairs, d)
        else:
            first = self._first(read, self._layers)
        if self.pooler is not None:
            return self.pooler(first).tanh()
        return first if self.model.pooler is None else self.model.pooler(first[:, None])

    def train(self, mode: bool = True) -> PairEncoder:
        """Set the mode of the layers that are not frozen. Frozen layers never have dropout."""
        super().train(mode)
        for part in self.frozen:
            part.eval()
        return self

    def _first(self, read: PairTexts, layers: list[nn.Module]) -> Tensor:
        """Return the first state of the last layer for each pair, (pairs, d)."""
        x = self._states(read, layers) if self.frozen else self._embedded(read.ids, read.types)  # (pairs, length, d)
        above = layers[self._frozen_layers :]
        hidden = None if bool(read.mask.all()) else read.mask[:, None, None]  # (pairs, 1, 1, length)
        for layer in above:
            x = states_after(layer, x, hidden)
        return x[:, 0]

    def _embedded(self, ids: Tensor, types: Tensor) -> Tensor:
        return embed(self.model, ids, types if self._reads_types else None)

    def _states(self, read: PairTexts, layers: list[nn.Module]) -> Tensor:
        """Return the states of frozen layers, (pairs, length, d), from the cache if it has the pair."""
        lengths, answer_at = read.mask.sum(dim=1).tolist(), (read.types == 0).logical_and(read.mask).sum(dim=1).tolist()
        rows = [(at, *row[:n]) for at, row, n in zip(answer_at, read.ids.tolist(), lengths, strict=True)]

        def encoded(missing: list[IdRow]) -> list[Tensor]:
            pairs = torch.tensor(missing, device=read.ids.device)
            ids, starts = pairs[:, 1:], pairs[:, :1]  # (n, tokens), (n, 1)
            types = (torch.arange(ids.shape[1], device=ids.device) >= starts).long()
            with torch.no_grad(), torch.autocast(ids.device.type, enabled=False):
                x = self._embedded(ids, types)
                for layer in layers[: self._frozen_layers]:
                    x = states_after(layer, x)  # pairs of one length: nothing is hidden
                return [state.clone() for state in x.half().cpu()]

        cache = self._below.shared_cache(self.frozen, self._frozen_layers, self.model.config.to_json_string())
        states = states_of(rows, cache, encoded)
        return pad_sequence(states, batch_first=True).to(read.ids.device).float()

    def inputs(self, batch: Batch) -> PairTexts:
        """Return the pairs of a batch as the encoder reads them."""
        questions, answers = batch.pairs()
        before, between, after = (len(special) for special in self.around)
        room = self.max_length - self.around.size
        question_size = questions.mask.sum(dim=1).clamp(
            max=room - 1
        )  # (pairs,): a word at least is left for the answer
        answer_size = torch.minimum(answers.mask.sum(dim=1), room - question_size)  # (pairs,)
        answer_at = before + question_size + between
        place = torch.arange(
            int((question_size + answer_size).max()) + self.around.size, device=question_size.device
        )  # (length,)
        ids = torch.full((len(question_size), len(place)), self.padding, device=question_size.device)
        for texts, start, size in (
            (questions, torch.full_like(question_size, before), question_size),
            (answers, answer_at, answer_size),
        ):
            ids = _put(ids, texts, start[:, None], size[:, None], place)
        for tokens, start in (
            (self.around.before, torch.zeros_like(question_size)),
            (self.around.between, before + question_size),
            (self.around.after, answer_at + answer_size),
        ):
            for step, token in enumerate(tokens):
                ids = ids.scatter(1, (start + step)[:, None], token)
        mask = place < (answer_at + answer_size + after)[:, None]  # (pairs, length)
        return PairTexts(ids, mask, (mask & (place >= answer_at[:, None])).long())


class _Below:
    """A cache of the states of frozen layers, identified by the weights of the layers."""

    def __init__(self) -> None:
        self._found: tuple[tuple[tuple[int, int], ...], StateCache] | None = (
            None  # one value: threads see both or neither
        )

    def shared_cache(self, frozen: Iterable[nn.Module], layers: int, config: str) -> StateCache:
        """Return the cache for these weights and this config. Weights are hashed again only if written to or moved."""
        tensors = [tensor for part in frozen for tensor in (*part.parameters(), *part.buffers())]
        now = tuple((tensor.data_ptr(), tensor._version) for tensor in tensors)
        entry = self._found
        if entry is None or now != entry[0]:
            digest = sha256(config.encode())  # equal weights with other heads give other states
            for tensor in tensors:
                digest.update(tensor.detach().float().cpu().contiguous().numpy().tobytes())
            self._found = entry = now, shared_cache(f"pairs/{digest.hexdigest()}", layers, KEPT)
        return entry[1]


def _put(ids: Tensor, texts: Texts, start: Tensor, size: Tensor, place: Tensor) -> Tensor:
    """Return the ids with the first ``size`` words of each text from ``start`` on: (n, length), ..., (n, 1), (n, 1)."""
    inside = (place >= start) & (place < start + size)  # (n, length)
    from_text = (place - start).clamp(0, texts.ids.shape[1] - 1)  # (n, length)
    return torch.where(inside, texts.ids.gather(1, from_text), ids)


def _around(tokenizer: Any, name: str) -> Around:
    """Return the special tokens that this tokenizer puts around the texts of a pair."""
    encoded = tokenizer("a", "b", return_special_tokens_mask=True)
    marked = zip(encoded["input_ids"], encoded["special_tokens_mask"], strict=True)
    parts = [(special, [token for token, _ in group]) for special, group in groupby(marked, key=lambda token: token[1])]
    if [special for special, _ in parts] != [1, 0, 1, 0, 1] or tokenizer.pad_token_id is None:
        raise ValueError(
            f"the tokenizer of {name} makes {encoded['input_ids']} of a pair, but it must put special tokens before, "
            "between and after the texts, and have one for padding: give an encoder such as BERT or RoBERTa"
        )
    return Around(*(tuple(ids) for special, ids in parts if special))


def _check_length(max_length: int, specials: int, checkpoint: Checkpoint) -> None:
    """Check that pairs with this many tokens can be read. Raise ValueError if not."""
    if max_length < specials + 2:
        raise ValueError(f"max_length is {max_length}, but {specials} special tokens and two words need {specials + 2}")
    most = positions(checkpoint) or 512
    if max_length > most:
        raise ValueError(f"max_length is {max_length}, but {checkpoint.name} has {most} positions; give no more")


def _freeze(model: Any, frozen: int, name: str) -> tuple[nn.Module, ...]:
    """Freeze the table of words and the ``frozen`` lowest layers, and return them from the lowest to the highest."""
    layers = getattr(getattr(model, "encoder", None), "layer", ())
    if frozen > len(layers):
        raise ValueError(
            f"{frozen} layers are to be frozen, but {name} has {len(layers)} that can be; give a lower network.frozen"
        )
    between = [model.embeddings_project] if hasattr(model, "embeddings_project") else []
    parts = (model.embeddings, *between, *layers[:frozen])
    for part in parts:
        part.requires_grad_(False)
    return parts
