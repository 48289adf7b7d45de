"""The tokenizer of a packed encoder: the most probable sequence of pieces of each word, as in SentencePiece.

The library tokenizers takes 300 MB and three seconds for a vocabulary of this size. This module takes 50 MB and a third
of a second.

Source: Kudo 2018, section 3.1 (the Viterbi algorithm on a unigram model). Equal to the model ``Unigram`` of tokenizers.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from pathlib import Path

from answersim.metrics.checkpoints.packed import Vocabulary, vocabulary

_SPACE = "\u2581"
_UNKNOWN = 10.0  # an unknown character has the lowest score of a piece, minus this
_LONGEST_KEPT = 24  # characters of a word whose pieces are kept
_KEPT = 1 << 16  # words


class Unigram:
    """Words into ids of pieces. The attributes are those of a tokenizer of transformers that ``TokenIds`` reads."""

    model_input_names = ("input_ids", "attention_mask")
    truncation_side = "right"
    is_fast = False

    def __init__(self, stored: Vocabulary, name: str, max_length: int) -> None:
        """Take a vocabulary. ``name``: for messages. ``max_length``: the number of tokens that the model reads."""
        self.name_or_path, self.model_max_length = name, max_length
        self.cls_token_id, self.sep_token_id, self.unk_token_id = stored.begin, stored.end, stored.unknown
        scores, control = stored.scores.tolist(), stored.control
        self._ids = {piece: id_ for id_, piece in enumerate(stored.pieces) if id_ not in control}
        self._scores = scores
        self._longest = max(map(len, self._ids), default=1)
        self._unknown_score = min(scores, default=0.0) - _UNKNOWN
        # NFKC composes characters, so only what differs from it is replaced before it.
        self._replaced = {
            point: text
            for point, text in stored.normalized.items()
            if unicodedata.normalize("NFKC", chr(point)) != text
        }
        self._of_word = lru_cache(_KEPT)(self._pieces)

    def __call__(self, text: str) -> list[int]:
        """Return the ids of the pieces of a text, without special tokens."""
        ids: list[int] = []
        for word in self.normalized(text).split(" "):
            if word:
                marked = _SPACE + word
                ids += self._of_word(marked) if len(marked) <= _LONGEST_KEPT else self._pieces(marked)
        return ids

    def normalized(self, text: str) -> str:
        """Return the text in NFKC, without control characters, its white space as single spaces."""
        if not text.isascii() or not text.isprintable():
            text = unicodedata.normalize("NFKC", text.translate(self._replaced))
        return re.sub(" {2,}", " ", text).strip(" ")

    def _pieces(self, word: str) -> tuple[int, ...]:
        """Return the pieces with the highest sum of scores. A run of unknown characters is one unknown piece."""
        n, ids, scores, longest = len(word), self._ids, self._scores, self._longest
        best = [0.0, *[float("-inf")] * n]  # of the first characters of the word
        back: list[tuple[int, int]] = [(0, 0)] * (n + 1)  # where the last piece begins, and its id
        for start in range(n):
            before = best[start]
            single = False
            for stop in range(start + 1, min(start + longest, n) + 1):
                id_ = ids.get(word[start:stop])
                if id_ is None:
                    continue
                single = single or stop == start + 1
                if (score := before + scores[id_]) > best[stop]:
                    best[stop], back[stop] = score, (start, id_)
            if not single and (score := before + self._unknown_score) > best[start + 1]:
                best[start + 1], back[start + 1] = score, (start, self.unk_token_id)
        known_ids: list[int] = []
        at = n
        while at:
            at, id_ = back[at]
            if id_ != self.unk_token_id or not known_ids or known_ids[-1] != id_:
                known_ids.append(id_)
        return tuple(reversed(known_ids))


def read(path: Path, max_length: int) -> Unigram:
    """Read the tokenizer in this file. Raise ValueError if the file is damaged."""
    return Unigram(vocabulary(path), str(path.parent), max_length)
