"""Convert texts to token ids with the tokenizer of a checkpoint, up to a maximum length, and count truncated texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from answersim._base.runtime.concurrency import load_once
from answersim.metrics.checkpoints import packed, unigram, wordpiece
from answersim.metrics.checkpoints.search import Checkpoint, check_unchanged
from answersim.metrics.checkpoints.token_ids import Pieces, TokenIds, Tokens, distinct, positions
from answersim.metrics.checkpoints.weights import SAFE, quiet, unfit

_AROUND = 16  # at most as many tokens stand around a text


class Sequences(NamedTuple):
    """Token sequences without padding, special tokens included, and whether tokens of each were cut off."""

    ids: list[list[int]]
    types: list[list[int]] | None
    truncated: list[bool]

    @property
    def n_truncated(self) -> int:
        """How many were truncated."""
        return sum(self.truncated)


def tokenize(
    checkpoint: Checkpoint, texts: Sequence[Any], max_length: int, questions: Sequence[str] | None = None
) -> Sequences:
    """Return the token ids of texts, or of pairs with their questions, truncated to ``max_length``. See ``encode``."""
    return encode(token_ids(checkpoint), texts, max_length, questions)


def encode(read: TokenIds, texts: Sequence[Any], max_length: int, questions: Sequence[str] | None = None) -> Sequences:
    """Return the input of a model for texts, or for pairs of texts with their questions, for scoring and training.

    A pair with a question is ``[CLS] first [SEP] second [SEP] question [SEP]`` (RoBERTa has two other special tokens).
    The question has the token type of the second text. If the sequence is too long, the question is truncated first,
    from its end, and left out if none of its tokens fits. Then the longer text is truncated. An empty question leaves
    the pair as it is.
    """
    if not texts:
        return Sequences([], None, [])
    pieces = read.pieces(distinct(texts), max_length)
    if isinstance(texts[0], str):
        return _of_texts(read, pieces, texts, max_length)
    pairs = [read.pair(pieces[first], pieces[second], max_length) for first, second in texts]
    if questions is None or not any(questions):
        return _sequences(pairs)
    question_pieces = read.pieces(questions, max_length)
    end = read.tokenizer.sep_token_id
    return _sequences(
        [
            _with_question(pair, question_pieces[question], end, max_length)
            for pair, question in zip(pairs, questions, strict=True)
        ]
    )


def single_texts(checkpoint: Checkpoint, requests: Sequence[tuple[Sequence[str], int, bool]]) -> list[Sequences]:
    """Return the sequences of each request. A text of several requests is tokenized once.

    ``requests``: texts, how many tokens of each are read, and whether they are lower-cased first.
    """
    pieces: dict[bool, dict[str, Pieces]] = {}
    for lower_case in {request[2] for request in requests}:
        group = [(texts, max_length) for texts, max_length, lower in requests if lower == lower_case]
        texts = (text for texts, _ in group for text in texts)
        pieces[lower_case] = token_ids(checkpoint, lower_case=lower_case).pieces(
            texts, max(request[1] for request in group)
        )
    return [
        _of_texts(token_ids(checkpoint, lower_case=lower_case), pieces[lower_case], texts, max_length)
        for texts, max_length, lower_case in requests
    ]


def _of_texts(read: TokenIds, pieces: Mapping[str, Pieces], texts: Sequence[str], max_length: int) -> Sequences:
    tokens = {text: read.single(pieces[text], max_length) for text in dict.fromkeys(texts)}
    return _sequences([tokens[text] for text in texts])


def _sequences(encoded: Sequence[Tokens]) -> Sequences:
    if not all(tokens.ids for tokens in encoded):
        remedy = "copy the model again, or leave the text out"
        raise ValueError(f"an empty text has no token, because the tokenizer adds no special tokens; {remedy}")
    types = [tokens.types for tokens in encoded if tokens.types is not None]
    return Sequences(
        [tokens.ids for tokens in encoded],
        types if encoded and len(types) == len(encoded) else None,
        [tokens.truncated for tokens in encoded],
    )


def _with_question(pair: Tokens, question: Pieces, end: int, max_length: int) -> Tokens:
    """Append as many tokens of the question as fit, and the closing token."""
    room = max(0, max_length - len(pair.ids) - 1)
    added = [*question.ids[:room], end] if question.length and room else []
    types = pair.types and pair.types + pair.types[-1:] * len(added)
    return Tokens(pair.ids + added, types, pair.truncated or question.length > room)


def max_length(checkpoint: Checkpoint) -> int:
    """Return the maximum number of tokens: the smaller of the position table and the limit of the tokenizer."""
    table = positions(checkpoint)
    limits = [] if table is None else [table]
    stated = token_ids(checkpoint).tokenizer.model_max_length
    if stated < 1_000_000:  # a tokenizer without a limit has 10^30
        limits.append(stated)
    return min(limits, default=512)


def all_fit(sides: Sequence[Sequence[str]], max_length: int) -> bool:
    """Return whether sequences certainly fit: ASCII texts whose longest ones together have fewer characters.

    A token of an ASCII text has at least one character of it. ``sides``: the texts at each place of the sequences.

    >>> all_fit([["Rome", "Oslo"], ["Bergen"]], 128), all_fit([["Rome"]], 16), all_fit([["Zürich"]], 128)
    (True, False, False)
    """
    longest = [max(map(len, texts), default=0) + _AROUND for texts in sides]
    return sum(longest) <= max_length and all(map(str.isascii, chain.from_iterable(sides)))


@load_once(8)
def _token_ids(folder: Path, fingerprint: str, lower_case: bool) -> TokenIds:
    with unfit(folder):
        tokenizer: Any
        if packed.is_packed(folder):
            path = folder / packed.FILE
            tokenizer = unigram.read(path, packed.read_config(path)["max_position_embeddings"])
        else:
            tokenizer = wordpiece.read(folder)
        if tokenizer is None:
            with quiet() as transformers:
                tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **SAFE)
        ids = TokenIds(tokenizer, lower_case=lower_case)
    check_unchanged(folder, fingerprint)
    return ids


def token_ids(checkpoint: Checkpoint, *, lower_case: bool = False) -> TokenIds:
    """Load the tokenizer of these weights once. With ``lower_case``, it first lower-cases texts."""
    return _token_ids(checkpoint.folder, checkpoint.fingerprint, lower_case)


def special_ids(checkpoint: Checkpoint) -> list[int]:
    """Return the ids of the special tokens around every text."""
    tokenizer = token_ids(checkpoint).tokenizer
    return [token_id for token_id in (tokenizer.cls_token_id, tokenizer.sep_token_id) if token_id is not None]
