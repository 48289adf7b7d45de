"""Texts to token ids, by the tokenizer of a checkpoint: how long a text may be, and how many were cut."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from answersim.checkpoints import Checkpoint
from answersim.errors import MissingExtraError

try:
    import transformers
except ImportError as error:
    raise MissingExtraError("a neural metric", "neural", error.name or "transformers") from error

# No code from a repository is ever run, and a pickle is read as tensors only.
SAFE = {"trust_remote_code": False, "local_files_only": True}


class Sequences(NamedTuple):
    """Token sequences without padding, special tokens included."""

    ids: list[list[int]]
    types: list[list[int]] | None
    truncated: int


def tokenize(checkpoint: Checkpoint, texts: Sequence[Any], max_length: int) -> Sequences:
    """Token ids of texts, or of pairs of texts, with special tokens, cut to ``max_length``."""
    if not texts:
        return Sequences([], None, 0)
    tokenizer = _tokenizer(checkpoint.folder, checkpoint.fingerprint)
    arguments = (list(texts),) if isinstance(texts[0], str) else tuple(map(list, zip(*texts, strict=True)))
    with quiet():
        encoded = tokenizer(*arguments, truncation="longest_first", max_length=max_length)
        if encoded.encodings is not None:
            truncated = sum(bool(each.overflowing) for each in encoded.encodings)
        else:  # a tokenizer written in Python does not tell what it cut
            whole = tokenizer(*arguments, truncation=False)["input_ids"]
            truncated = sum(len(ids) > max_length for ids in whole)
    return Sequences(encoded["input_ids"], encoded.get("token_type_ids"), truncated)


def max_length(checkpoint: Checkpoint) -> int:
    """The most tokens the model can read: the smaller of its position table and its tokenizer's limit."""
    config = checkpoint.config
    positions = int(config.get("max_position_embeddings") or 0)
    if positions > 0 and config.get("model_type") in (
        "roberta",
        "xlm-roberta",
        "camembert",
        "xlm-roberta-xl",
    ):
        positions -= int(config.get("pad_token_id", 1)) + 1  # these models count positions from after the padding id
    limits = [positions] if positions > 0 else []
    stated = _tokenizer(checkpoint.folder, checkpoint.fingerprint).model_max_length
    if stated < 1_000_000:  # a tokenizer without a limit says 10^30
        limits.append(stated)
    return min(limits, default=512)


@lru_cache(maxsize=8)
def _tokenizer(folder: Path, fingerprint: str) -> Any:
    with quiet():
        return transformers.AutoTokenizer.from_pretrained(folder, **SAFE)


@lru_cache(maxsize=8)
def special_ids(folder: Path) -> list[int]:
    """The ids of the special tokens that stand around every text."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **SAFE)
    return [each for each in (tokenizer.cls_token_id, tokenizer.sep_token_id) if each is not None]


@contextmanager
def quiet() -> Iterator[None]:
    """Within it, transformers tells errors only: what it reports of unused heads and long texts, we count ourselves."""
    logger = logging.getLogger("transformers")
    level, bars = logger.level, transformers.utils.logging.is_progress_bar_enabled()
    logger.setLevel(logging.ERROR)
    transformers.utils.logging.disable_progress_bar()
    try:
        yield
    finally:
        logger.setLevel(level)
        if bars:
            transformers.utils.logging.enable_progress_bar()
