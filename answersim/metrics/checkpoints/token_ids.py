"""Convert texts to token ids with a tokenizer of transformers, without state that a call could change.

The library sets truncation on the shared tokenizer at each call, so that two threads with different limits interfere.
For a pair of long texts, it also builds every combination of the truncated parts, and memory grows with the square of
their lengths. Here a tokenizer returns all ids of single texts, which are truncated and combined afterwards, as in the
library.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from answersim._base.arrays import runs
from answersim._base.runtime.concurrency import alone
from answersim.metrics.checkpoints.search import Checkpoint
from answersim.metrics.checkpoints.unigram import Unigram

_BLOCK = 1 << 19  # characters that are tokenized at a time, for at most some tens of megabytes
# Their first position is after the padding id: that of the configuration, or a fixed one.
_FROM_PADDING = ("roberta", "xlm-roberta", "camembert", "xlm-roberta-xl")
_FROM_FIXED_PADDING = {"mpnet": 1}
_PROBES = ("a", "0", "?", "北", "the")


class Pieces(NamedTuple):
    """The tokens of one text without special tokens: the first (or last) ones, and the number of all."""

    ids: list[int]
    length: int


class Tokens(NamedTuple):
    """The input of a model for a text or a pair, special tokens included."""

    ids: list[int]  # token ids
    types: list[int] | None  # token types, or None for a model without them
    truncated: bool  # whether tokens were cut off


class _Around(NamedTuple):
    """The special tokens around one text or two: before, between and after; and the type of each token."""

    ids: tuple[list[int], ...]
    types: tuple[int, ...]  # of the first special tokens, the first text, the next special tokens, ...

    @property
    def number(self) -> int:
        return sum(map(len, self.ids))


class TokenIds:
    """A tokenizer that never changes after it was created: safe for threads, and in a forked process.

    Attributes:
        tokenizer: The tokenizer of transformers, with its own truncation and padding switched off, or a ``Unigram``.
    """

    def __init__(self, tokenizer: Any, *, lower_case: bool = False) -> None:
        """Take over a tokenizer, which must not be changed afterwards.

        ``lower_case``: whether texts are lower-cased before the tokenizer gets them.
        """
        self._lowers = lower_case and isinstance(tokenizer, Unigram)
        if lower_case and not self._lowers:
            _lower_case(tokenizer)
        self.tokenizer = tokenizer
        self._typed = "token_type_ids" in tokenizer.model_input_names
        self._from_left = tokenizer.truncation_side == "left"
        self._core = tokenizer.backend_tokenizer if tokenizer.is_fast else None
        if self._core is not None:
            if self._core.truncation is not None:  # the file of the tokenizer may set it
                self._core.no_truncation()
            if self._core.padding is not None:
                self._core.no_padding()
            self._special: tuple[_Around, _Around] | None = self._around(pair=False), self._around(pair=True)
        elif isinstance(tokenizer, Unigram):  # as XLM-R
            begin, end = [tokenizer.cls_token_id], [tokenizer.sep_token_id]
            self._special = _Around((begin, end), (0,) * 3), _Around((begin, end * 2, end), (0,) * 5)
        else:
            self._special = None

    def pieces(self, texts: Iterable[str], most: int) -> dict[str, Pieces]:
        """Return the tokens of each distinct text.

        ``most``: how many tokens of a text are kept, from the side that truncation keeps.
        """
        by_text: dict[str, Pieces] = {}
        unique = list(dict.fromkeys(texts))
        for start, stop in runs(map(len, unique), _BLOCK):
            block = unique[start:stop]
            for text, ids in zip(block, self._whole(block), strict=True):
                by_text[text] = Pieces(ids if len(ids) <= most else self._kept(ids, most), len(ids))
        return by_text

    def single(self, text: Pieces, max_length: int) -> Tokens:
        """Return one text with its special tokens, truncated to ``max_length`` tokens.

        ``text``: from ``pieces`` with ``most`` of at least ``max_length``. Raise ValueError if the special tokens alone
        are more.
        """
        room = self._room(max_length, pair=False)
        if text.length <= room:
            return self._tokens((text.ids,), False)
        return self._tokens((self._kept(text.ids, room),), True)

    def pair(self, first: Pieces, second: Pieces, max_length: int) -> Tokens:
        """Return two texts with their special tokens, truncated longest first to ``max_length`` tokens in all.

        ``first``: from ``pieces`` with ``most`` of at least ``max_length``. Raise ValueError if the special tokens
        alone are more.
        """
        room = self._room(max_length, pair=True)
        if first.length + second.length <= room:
            return self._tokens((first.ids, second.ids), False)
        first_length, second_length = longest_first(first.length, second.length, room, rust=self._special is not None)
        return self._tokens((self._kept(first.ids, first_length), self._kept(second.ids, second_length)), True)

    def _whole(self, texts: list[str]) -> list[list[int]]:
        if self._core is not None:
            return [encoding.ids for encoding in self._core.encode_batch_fast(texts, add_special_tokens=False)]
        if isinstance(self.tokenizer, Unigram):
            return [self.tokenizer(text.lower() if self._lowers else text) for text in texts]
        with alone():  # a tokenizer written in Python may change while it works
            convert, tokenize = self.tokenizer.convert_tokens_to_ids, self.tokenizer.tokenize
            return [convert(tokenize(text)) for text in texts]

    def _kept(self, ids: list[int], most: int) -> list[int]:
        return ids[max(0, len(ids) - most) :] if self._from_left else ids[:most]

    def _room(self, max_length: int, *, pair: bool) -> int:
        if self._special is not None:
            special = self._special[pair].number
        else:
            special = self.tokenizer.num_special_tokens_to_add(pair=pair)
        if max_length < special:
            raise ValueError(
                f"max_length is {max_length}, but the special tokens around {'two texts' if pair else 'a text'} are "
                f"{special}; give at least one more"
            )
        return max_length - special

    def _tokens(self, texts: tuple[list[int], ...], truncated: bool) -> Tokens:
        if self._special is None:
            with alone():
                prepared = self.tokenizer.prepare_for_model(*texts, truncation=False, padding=False, verbose=False)
            return Tokens(list(prepared["input_ids"]), prepared.get("token_type_ids"), truncated)
        around = self._special[len(texts) == 2]
        pieces = [around.ids[0]]
        for text, special in zip(texts, around.ids[1:], strict=True):
            pieces += text, special
        ids, types = [], []
        for kind, piece in zip(around.types, pieces, strict=True):
            ids += piece
            types += [kind] * len(piece)
        return Tokens(ids, types if self._typed else None, truncated)

    def _around(self, *, pair: bool) -> _Around:
        """Return the special tokens that the tokenizer puts around texts, determined with a short text."""
        assert self._core is not None
        probes = (*_PROBES, *self.tokenizer.get_vocab())
        samples = ((text, self._core.encode(text, add_special_tokens=False).ids) for text in probes)
        text, _ = next((sample for sample in samples if sample[1]), ("", ()))
        encoding = self._core.encode(text, text) if pair else self._core.encode(text)
        parts: list[tuple[int | None, list[int], set[int]]] = []
        for token, sequence, kind in zip(encoding.ids, encoding.sequence_ids, encoding.type_ids, strict=True):
            if not parts or parts[-1][0] != sequence:
                parts.append((sequence, [], set()))
            parts[-1][1].append(token)
            parts[-1][2].add(kind)
        ids: list[list[int]] = [[]]
        types: list[int] = [0]
        order = []
        for sequence, tokens, kinds in parts:
            if sequence is None:
                ids[-1], types[-1] = tokens, min(kinds)
            else:
                order.append(sequence)
                ids.append([])
                types += [min(kinds), 0]
        if order != ([0, 1] if pair else [0]) or any(len(kinds) > 1 for *_, kinds in parts):
            raise ValueError(
                f"{self.tokenizer.name_or_path or 'this tokenizer'} makes {encoding.tokens} of {text!r}"
                f"{' and itself' if pair else ''}, but only special tokens of one type before, between and after the "
                f"texts are supported; choose another model"
            )
        return _Around(tuple(ids), tuple(types))


def positions(checkpoint: Checkpoint) -> int | None:
    """Return the number of tokens in the position table of this model; None if its configuration has no limit."""
    config = checkpoint.config
    limit = int(config.get("max_position_embeddings") or 0)
    if limit <= 0:
        return None
    kind = config.get("model_type")
    if kind in _FROM_FIXED_PADDING:
        return limit - (_FROM_FIXED_PADDING[kind] + 1)
    if kind not in _FROM_PADDING:
        return limit
    padding = config.get("pad_token_id", 1)
    if not isinstance(padding, int) or isinstance(padding, bool):
        raise ValueError(
            f"{checkpoint.folder / 'config.json'}: pad_token_id is {padding!r}, but a {config['model_type']} counts "
            "positions from it; give the id of the padding token, as in the model's vocabulary"
        )
    return limit - (padding + 1)


def longest_first(first: int, second: int, room: int, *, rust: bool = True) -> tuple[int, int]:
    """Return how many tokens of each text are kept, given these numbers of tokens and a limit of ``room`` for both.

    The longer text is truncated until both are equally long, then both are. If ``room`` is odd, a tokenizer written in
    Rust keeps one more of the longer text, or of the second. A tokenizer in Python keeps one more of the first.

    >>> longest_first(2, 9, 8), longest_first(7, 9, 7), longest_first(9, 7, 7), longest_first(7, 9, 7, rust=False)
    ((2, 6), (3, 4), (4, 3), (4, 3))
    """
    if first + second <= room:
        return first, second
    if 2 * min(first, second) <= room:
        return (first, room - first) if first <= second else (room - second, second)
    less, more = room // 2, room - room // 2
    return (more, less) if first > second or not rust else (less, more)


def _lower_case(tokenizer: Any) -> None:
    """Let a tokenizer lower-case texts first, as ``do_lower_case`` of sentence-transformers does."""
    if not tokenizer.is_fast:
        tokenizer.do_lower_case = True
        return
    from tokenizers import normalizers

    core = tokenizer.backend_tokenizer
    normalizer = core.normalizer
    state = {} if normalizer is None else json.loads(normalizer.__getstate__())
    if "Lowercase" not in [state.get("type"), *(normalizer.get("type") for normalizer in state.get("normalizers", ()))]:
        core.normalizer = normalizers.Sequence([normalizers.Lowercase(), *([] if normalizer is None else [normalizer])])


def distinct(texts: Sequence[Any]) -> Iterator[str]:
    """Yield every text of texts or of pairs of texts, in order."""
    for item in texts:
        if isinstance(item, str):
            yield item
        else:
            yield from item
