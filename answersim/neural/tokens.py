"""Texts to token ids, by the tokenizer of a checkpoint: how long a text may be, and how many were cut."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from answersim.checkpoints import Checkpoint, check_unchanged
from answersim.errors import MissingExtraError
from answersim.weights import unfit

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


class Tokens(NamedTuple):
    """One of them; ``types`` is None for a model that knows no types of tokens."""

    ids: list[int]
    types: list[int] | None


def tokenize(
    checkpoint: Checkpoint, texts: Sequence[Any], max_length: int, questions: Sequence[str] | None = None
) -> Sequences:
    """Token ids of texts, or of pairs of texts with their questions, with special tokens, cut to ``max_length``."""
    if not texts:
        return Sequences([], None, 0)
    if questions is not None and any(questions):
        return encode(_tokenizer(checkpoint.folder, checkpoint.fingerprint), texts, max_length, questions)
    return cut(checkpoint, texts, max_length, uncut(checkpoint, texts))


def uncut(checkpoint: Checkpoint, texts: Sequence[Any]) -> Mapping[Any, Tokens]:
    """What a model would read of each distinct text, or pair of texts, if it could read texts of any length.

    A tokenizer written in Rust is asked for ids alone, which takes a fraction of the time that ``encode`` does.
    """
    distinct = list(dict.fromkeys(texts))
    tokenizer = _tokenizer(checkpoint.folder, checkpoint.fingerprint)
    if not distinct or not tokenizer.is_fast:
        found = encode(tokenizer, distinct, sys.maxsize) if distinct else Sequences([], None, 0)
        types: Sequence[list[int] | None] = found.types or [None] * len(distinct)
        return dict(zip(distinct, map(Tokens, found.ids, types), strict=True))
    core = tokenizer.backend_tokenizer
    core.no_truncation()  # the tokenizer's own file, or the call before, may have set some
    core.no_padding()
    typed = "token_type_ids" in tokenizer.model_input_names
    encoded = core.encode_batch_fast(distinct)
    return {
        text: Tokens(each.ids, each.type_ids if typed else None) for text, each in zip(distinct, encoded, strict=True)
    }


def cut(checkpoint: Checkpoint, texts: Sequence[Any], max_length: int, known: Mapping[Any, Tokens]) -> Sequences:
    """The sequences of these texts, of which all are known uncut; what is too long is read again and cut."""
    long = [text for text in dict.fromkeys(texts) if len(known[text].ids) > max_length]
    if long:
        again = encode(_tokenizer(checkpoint.folder, checkpoint.fingerprint), long, max_length)
        types: Sequence[list[int] | None] = again.types or [None] * len(long)
        known = {**known, **dict(zip(long, map(Tokens, again.ids, types), strict=True))}
    found = [known[text] for text in texts]
    kinds = [each.types for each in found if each.types is not None]
    too_long = set(long)
    return Sequences(
        [each.ids for each in found],
        kinds if len(kinds) == len(found) else None,
        sum(text in too_long for text in texts) if long else 0,
    )


def encode(tokenizer: Any, texts: Sequence[Any], max_length: int, questions: Sequence[str] | None = None) -> Sequences:
    """What a model reads of texts, or of pairs of texts with their questions: for scoring and for training alike.

    A pair with a question is ``[CLS] first [SEP] second [SEP] question [SEP]`` (a RoBERTa has its own two signs), where
    the question is of the type of the second text. Of what is too long the question is cut first, from its end, and
    left out where no token of it has room; then the longer text. An empty question leaves the pair as it is.

    Args:
        tokenizer: A tokenizer of transformers.
        texts: Texts, or pairs of texts; at least one.
        max_length: The most tokens, special ones included.
        questions: One a pair; or None.
    """
    arguments = (list(texts),) if isinstance(texts[0], str) else tuple(map(list, zip(*texts, strict=True)))
    with quiet():
        # padding is said, since the tokenizer's own file may ask for some
        encoded = tokenizer(*arguments, truncation="longest_first", max_length=max_length, padding=False)
        if encoded.encodings is not None:
            cut = [bool(each.overflowing) for each in encoded.encodings]
        else:  # a tokenizer written in Python does not tell what it cut
            whole = tokenizer(*arguments, truncation=False)["input_ids"]
            cut = [len(ids) > max_length for ids in whole]
    found = Sequences(encoded["input_ids"], encoded.get("token_type_ids"), sum(cut))
    if questions is None or not any(questions):
        return found
    return _with_questions(tokenizer, found, cut, questions, max_length)


def _with_questions(
    tokenizer: Any, pairs: Sequences, cut: Sequence[bool], questions: Sequence[str], max_length: int
) -> Sequences:
    """The same sequences, each followed by as many tokens of its question as have room, and the sign at its end."""
    with quiet():
        asked = tokenizer(
            list(questions), add_special_tokens=False, truncation=True, max_length=max_length, padding=False
        )["input_ids"]
    room = [max(0, max_length - len(ids) - 1) for ids in pairs.ids]
    added = [
        [*question[:most], tokenizer.sep_token_id] if question and most else []
        for question, most in zip(asked, room, strict=True)
    ]
    types = pairs.types and [kinds + kinds[-1:] * len(more) for kinds, more in zip(pairs.types, added, strict=True)]
    short = [len(question) > most for question, most in zip(asked, room, strict=True)]
    return Sequences(
        [ids + more for ids, more in zip(pairs.ids, added, strict=True)],
        types,
        sum(one or other for one, other in zip(cut, short, strict=True)),
    )


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
    with quiet(), unfit(folder):
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **SAFE)
    check_unchanged(folder, fingerprint)
    return tokenizer


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
