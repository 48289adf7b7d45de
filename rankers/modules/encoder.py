"""A pre-trained encoder of texts, used without training: vectors of whole texts, and states of their tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from answersim._base.errors import TruncationWarning, unknown, warn_user
from answersim._base.runtime.concurrency import forward_pass, load_once
from answersim._base.runtime.progress import bar
from answersim.metrics.checkpoints import adapter as adapters
from answersim.metrics.checkpoints import search, sentence_folder, weights
from answersim.metrics.checkpoints.search import Checkpoint
from answersim.metrics.checkpoints.sentence_folder import POOLINGS
from answersim.metrics.checkpoints.token_ids import TokenIds, positions
from rankers.modules import local_checkpoints
from rankers.modules.devices import resolve

_NEEDED = ("a pre-trained encoder", "rankers")  # what needs transformers, and the extra that installs it


@dataclass(frozen=True)
class Encoder:
    """The weights of a checkpoint, applied to texts in single precision and without padding.

    A text is encoded in a batch of texts of its own length, so that neither the other texts nor the size of the batch
    change its numbers by more than rounding.
    """

    # a hash of the weights, as in answersim. Equal fingerprints give equal numbers.
    fingerprint: str = field(init=False)
    checkpoint: Checkpoint = field(compare=False)  # the folder of weights
    # the maximum number of tokens per text, including special tokens. Longer texts are truncated, with a warning.
    max_length: int
    pooling: str = "mean"  # the pooling of token states to the vector of a text: "mean", "cls" or "max"
    device: str = field(default="auto", compare=False)  # "auto" (a GPU if there is one), or a device name of torch
    batch_tokens: int = field(default=8192, compare=False)  # the maximum number of tokens per batch
    # the folder of a LoRA adapter that is merged into the weights, or None
    adapter: Path | None = field(default=None, compare=False)
    # whether texts are lower-cased before the tokenizer gets them. The fingerprint contains it.
    lower_case: bool = False
    _added: tuple[Path, str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the settings and compute the fingerprint of the weights."""
        if self.pooling not in POOLINGS:
            raise unknown("pooling", self.pooling, POOLINGS)
        if self.max_length < 3:
            raise ValueError(f"max_length is {self.max_length}, but two special tokens and a word are 3")
        added = None if self.adapter is None else (self.adapter, adapters.fingerprint(self.adapter))
        object.__setattr__(self, "_added", added)  # the adapter as it was when the signature was made
        suffix = "" if added is None else f"+{added[0].name}@{added[1]}"
        object.__setattr__(self, "fingerprint", f"{self.checkpoint.fingerprint}{suffix}/fp32")

    def vectors(self, texts: Sequence[str]) -> Tensor:
        """Return the pooled vector of each text, not normalized, float32, (n, d); equal texts are encoded once."""
        unique, where = _unique(texts)
        ids = self._ids(unique)
        by_row: dict[int, Tensor] = {}
        for rows, states in self._states(ids):  # (b,), (b, length, d)
            by_row.update(zip(rows.tolist(), _pool(states, self.pooling).cpu(), strict=True))
        return torch.stack([by_row[i] for i in where]) if where else torch.empty(0, 0)

    def vectors_and_states(self, texts: Sequence[str]) -> tuple[Tensor, list[Tensor]]:
        """Return what ``vectors`` returns, and the last state of each token of each text, from one pass.

        States are without those of special tokens: float32, (tokens, d) each, (0, d) for a text without any token.
        Equal texts are encoded once and share their tensors.
        """
        unique, where = _unique(texts)
        ids, special = self._ids(unique), _specials(self.checkpoint)
        vectors: dict[int, Tensor] = {}
        tokens: dict[int, Tensor] = {}
        for rows, states in self._states(ids):  # (b,), (b, length, d)
            pooled = _pool(states, self.pooling).cpu()
            for row, vector, state in zip(rows.tolist(), pooled, states.cpu(), strict=True):
                vectors[row] = vector
                tokens[row] = state[[token not in special for token in ids[row]]]
        stacked = torch.stack([vectors[i] for i in where]) if where else torch.empty(0, 0)
        return stacked, [tokens[i] for i in where]

    def _ids(self, texts: list[str]) -> list[list[int]]:
        """Return token ids with special tokens, truncated to ``max_length``."""
        if not texts:
            return []
        texts = [text.lower() for text in texts] if self.lower_case else texts
        read, limit = token_ids_of(self.checkpoint), self.max_length
        pieces = read.pieces(texts, limit)
        encodings = [read.single(pieces[text], limit) for text in texts]
        if truncated := sum(encoding.truncated for encoding in encodings):
            name = f"{self.checkpoint.fingerprint}|max_length:{limit}"
            warn_user(TruncationWarning(truncated, "texts", name))
        return [encoding.ids for encoding in encodings]

    def _states(self, ids: list[list[int]]) -> Iterator[tuple[NDArray[np.int64], Tensor]]:
        """Yield rows of texts of one length, the longest first, and the last states of their tokens, (b, length, d)."""
        model = _model(self.checkpoint.folder, self.checkpoint.fingerprint, resolve(self.device), self._added)
        with torch.inference_mode(), bar(len(ids), "encoding", "text") as shown:
            for rows in _batches(np.array([len(row) for row in ids], dtype=np.int64), self.batch_tokens):
                with forward_pass():
                    batch = torch.tensor([ids[i] for i in rows], device=model.device)  # (b, length)
                    states = model(input_ids=batch).last_hidden_state
                yield rows, states
                shown.update(len(rows))


def encoder(name: str, device: str = "auto", adapter: Path | None = None) -> Encoder:
    """Return the encoder of this checkpoint, with its own length and pooling, or with a LoRA adapter in this folder."""
    checkpoint = local_checkpoints.checkpoint(name)
    settings = sentence_folder.read(checkpoint)
    if settings.prompt or settings.dimensions is not None:
        raise ValueError(
            f"{checkpoint.folder} requires {settings}, but a prompt for all texts and a part of the vectors are not "
            "supported; remove default_prompt_name and truncate_dim from its settings, or choose another model"
        )
    limit = settings.max_length or min(tokenizer_of(checkpoint).model_max_length, positions(checkpoint) or 512)
    if adapter is not None:
        adapters.verify(adapter)
    return Encoder(checkpoint, limit, settings.pooling, device, adapter=adapter, lower_case=settings.lower_case)


def _unique(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return the distinct texts, and the place of each text among them."""
    places: dict[str, int] = {}
    where = [places.setdefault(text, len(places)) for text in texts]
    return list(places), where


def _batches(lengths: NDArray[np.int64], tokens: int) -> Iterator[NDArray[np.int64]]:
    """Yield rows of texts of one length, the longest first, with at most so many tokens at a time."""
    for length in np.unique(lengths)[::-1]:
        rows = np.flatnonzero(lengths == length)
        size = max(1, tokens // int(length))
        yield from (rows[i : i + size] for i in range(0, len(rows), size))


def _pool(states: Tensor, pooling: str) -> Tensor:
    """Pool (b, length, d) -> (b, d). Special tokens count as ordinary ones, as in sentence-transformers."""
    if pooling == "mean":
        return states.mean(dim=1)
    return states[:, 0] if pooling == "cls" else states.amax(dim=1)


@load_once(4)
def _model(folder: Path, fingerprint: str, device: torch.device, adapter: tuple[Path, str] | None) -> Any:
    model, _ = model_in(folder, fingerprint)
    if adapter is not None:
        read = adapters.read(adapter[0])
        search.check_same(adapter[0], adapter[1], read.fingerprint)
        adapters.merge(model, read)
    return model.to(device)


def model_in(folder: Path, fingerprint: str) -> tuple[Any, bool]:
    """Load the encoder in this folder in single precision. Return it, and whether the folder contains its pooler.

    Raise ChecksumError if a file has changed since the fingerprint was computed. Raise ValueError if the weights cannot
    be read, do not fit the configuration, lack a tensor other than the pooler's, which would then be random, or contain
    a number that is not finite. The message names the tensor.
    """
    with weights.quiet(*_NEEDED):
        loaded = weights.load(folder, dtype=torch.float32)
    search.check_same(folder, fingerprint, loaded.fingerprint)
    for name, tensor in loaded.model.named_parameters():
        if not torch.isfinite(tensor).all():
            raise ValueError(
                f"the weights in {folder} contain numbers that are not finite ({name}): copy the model again"
            )
    lacks = any(name.startswith("pooler.") for name in loaded.missing)
    return loaded.model, getattr(loaded.model, "pooler", None) is not None and not lacks


def token_ids_of(checkpoint: Checkpoint) -> TokenIds:
    """Return the function from texts to token ids of these weights, loaded once."""
    return _token_ids(checkpoint.folder, checkpoint.fingerprint)


def tokenizer_of(checkpoint: Checkpoint) -> Any:
    """Return the tokenizer of these weights, loaded once. Threads share it: do not set truncation or padding."""
    return token_ids_of(checkpoint).tokenizer


@load_once(8)
def _token_ids(folder: Path, fingerprint: str) -> TokenIds:
    with weights.quiet(*_NEEDED) as transformers, _readable(folder, "tokenizer"):
        return TokenIds(transformers.AutoTokenizer.from_pretrained(folder, **weights.SAFE))


@contextmanager
def _readable(folder: Path, what: str) -> Iterator[None]:
    """Convert any error of the libraries about damaged or hostile files to a ValueError that names the folder."""
    try:
        yield
    except (ImportError, MemoryError):
        raise
    except Exception as error:  # each of the libraries fails in its own way
        reason = str(error).strip().splitlines()[0][:300] if str(error).strip() else ""
        raise ValueError(
            f"the {what} in {folder} cannot be read, or do not fit its config.json ({type(error).__name__}: "
            f"{reason}); copy the model again, or give another"
        ) from error


def _specials(checkpoint: Checkpoint) -> set[int]:
    """Return the ids of the special tokens around every text."""
    tokenizer = tokenizer_of(checkpoint)
    return {tokenizer.cls_token_id, tokenizer.sep_token_id}
