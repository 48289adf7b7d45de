"""Words for networks: vocabularies (pieces of a checkpoint, or words learned from texts), ids and masks.

Id 0 is padding and never a word. A text without any word is one unknown word, so no text is empty.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from answersim._base.io.output_files import atomic_write
from answersim.metrics.checkpoints import search
from rankers.modules import local_checkpoints

PADDING, UNKNOWN = 0, 1
_WORD = re.compile(r"\w+|[^\w\s]")


class WordPieces:
    """The vocabulary of a checkpoint, of WordPiece or byte BPE, without its special tokens.

    Padding is id 0, which is the checkpoint's own padding, or else another special token of it (RoBERTa's start of a
    text): no word has this id. A text that contains the spelling of a special token, such as "[SEP]", has the pieces of
    that spelling.
    """

    def __init__(self, name: str = "sentence-transformers/all-MiniLM-L6-v2") -> None:
        """Load the tokenizer of this checkpoint, found by ``answersim.metrics.checkpoints.search.find``.

        Raise CheckpointNotFoundError if there is no such checkpoint. Raise ValueError if it has no tokenizer.json, or
        one without an unknown word or with an ordinary word at 0. The message names the file.
        """
        self.name = name
        path = local_checkpoints.checkpoint(name).folder / "tokenizer.json"
        if not path.is_file():
            raise ValueError(f"{path} is not there: give a checkpoint with a fast tokenizer, such as all-MiniLM-L6-v2")
        self._tokenizer = _tokenizer(path, search.sha256(path))
        self._unknown = _unknown(self._tokenizer)

    @property
    def size(self) -> int:
        """How many ids there are."""
        return self._tokenizer.get_vocab_size()

    @property
    def fingerprint(self) -> str:
        """A hash of everything that decides the ids, wherever the checkpoint is."""
        return f"pieces:{self.size}@{sha256(self._tokenizer.to_str().encode()).hexdigest()[:12]}"

    def ids(self, texts: Sequence[str], length: int) -> list[list[int]]:
        """Return at most ``length`` ids of each text. A text without any word is the unknown word."""
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [encoding.ids[:length] or [self._unknown] for encoding in encodings]


class Words:
    """A vocabulary learned from texts: lowercase words and punctuation, the most frequent first.

    >>> words = Words.learn(["The cat sat.", "the dog"], at_least=1)
    >>> words.ids(["The cat ran", ""], 8)
    [[2, 4, 1], [1]]
    """

    def __init__(self, words: Sequence[str]) -> None:
        """Initialize with these words in this order. Ids 0 and 1 are padding and the unknown word."""
        self.words = tuple(words)
        self._place = {word: i + 2 for i, word in enumerate(self.words)}

    @classmethod
    def learn(cls, texts: Iterable[str], *, at_least: int = 2, at_most: int = 50_000) -> Words:
        """Return at most ``at_most`` words with ``at_least`` occurrences in these texts; equal counts by alphabet."""
        counts = Counter(word for text in texts for word in split(text))
        frequent = [(word, n) for word, n in counts.items() if n >= at_least]
        return cls([word for word, _ in sorted(frequent, key=lambda item: (-item[1], item[0]))[:at_most]])

    @property
    def size(self) -> int:
        """How many ids there are, padding and the unknown word included."""
        return len(self.words) + 2

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the words in their order."""
        return f"words:{self.size}@{sha256(json.dumps(self.words).encode()).hexdigest()[:12]}"

    def ids(self, texts: Sequence[str], length: int) -> list[list[int]]:
        """Return at most ``length`` ids of each text, at least one. Unknown words are 1."""
        return [[self._place.get(word, UNKNOWN) for word in split(text)[:length]] or [UNKNOWN] for text in texts]

    def save(self, path: Path) -> None:
        """Write the words as a JSON list."""
        with atomic_write(path) as fresh:
            # Everything but ASCII is escaped: a text read from JSON may contain half a surrogate pair, which UTF-8
            # cannot encode.
            fresh.write_text(json.dumps(self.words), encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Words:
        """Return what ``save`` wrote. Raise ValueError if the file has other content. The message names it."""
        try:
            words = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(
                f"{path} is damaged ({error}): train the ranker again, or copy its folder again"
            ) from error
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise ValueError(f"{path} is not a list of words: train the ranker again, or copy its folder again")
        return cls(words)


Vocabulary = WordPieces | Words


def split(text: str) -> list[str]:
    """Return lowercase words and punctuation marks.

    >>> split("Isn't it?")
    ['isn', "'", 't', 'it', '?']
    """
    return _WORD.findall(text.lower())


@lru_cache(maxsize=4)
def _tokenizer(path: Path, digest: str) -> Any:
    """Return the tokenizer in this file. ``digest`` distinguishes it from an earlier file at this path."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    first = tokenizer.get_added_tokens_decoder().get(PADDING)
    if _unknown(tokenizer) is None or first is None or not first.special:
        raise ValueError(
            f"{path} has the unknown word at {_unknown(tokenizer)} and {tokenizer.id_to_token(PADDING)!r} at 0, but "
            "networks need an unknown word, and a special token at 0: give a checkpoint such as all-MiniLM-L6-v2"
        )
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


def _unknown(tokenizer: Any) -> int | None:
    """Return the id of the unknown word, under either of its names."""
    ids = (tokenizer.token_to_id(name) for name in ("[UNK]", "<unk>"))
    return next((token_id for token_id in ids if token_id is not None), None)
