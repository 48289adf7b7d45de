"""The tokenizer of a packed encoder, against the library tokenizers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.metrics.checkpoints import packed, unigram
from answersim.metrics.checkpoints.search import find
from answersim.metrics.neural.tokens import token_ids, tokenize
from tests import packed_files


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> unigram.Unigram:
    folder = packed_files.folder(tmp_path_factory.mktemp("packed"))
    return unigram.read(folder / packed.FILE, 40)


@pytest.fixture(scope="module")
def library() -> Callable[[str], list[int]]:
    """The ids of the library for one normalized text."""
    tokenizers = pytest.importorskip("tokenizers")
    pieces = [(f"\0{piece}" if score == 0 else piece, score) for piece, score in packed_files.PIECES.items()]
    core: Any = tokenizers.Tokenizer(tokenizers.models.Unigram(pieces, 3, False))
    core.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace("\u2581", "always", True)
    return lambda text: list(core.encode(text).ids)


@given(text=st.text(alphabet=list("abcde é東京の12.во Z"), max_size=30))
def test_pieces_are_those_of_the_library(
    tokenizer: unigram.Unigram, library: Callable[[str], list[int]], text: str
) -> None:
    assert tokenizer(text) == library(tokenizer.normalized(text))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        ("   ", []),
        ("abc", ["\u2581a", "bc"]),  # -3.5 - 5.1, against -4.6 - 4.2 and -3.0 - 6.5
        ("a\tb\n\u0001c", ["\u2581a", "\u2581", "b", "\u2581", "c"]),
        ("東京の", ["\u2581", "東京", "の"]),
        ("\ufb01 \uff11", ["\u2581", "fi", "\u2581", "1"]),  # a ligature and a wide digit
        ("e\u0301", ["\u2581", "é"]),  # composed
        ("ZZZa", ["\u2581", "<unk>", "a"]),  # a run of unknown characters is one
        ("</s>", ["\u2581", "<unk>"]),  # no text is a special token
        ("\u2581a", ["\u2581a"]),  # the mark of a space is a space
    ],
)
def test_a_text_has_these_pieces(tokenizer: unigram.Unigram, text: str, pieces: list[str]) -> None:
    names = list(packed_files.PIECES)
    assert [names[id_] for id_ in tokenizer(text)] == pieces


def test_special_tokens_are_those_of_xlm_r(tmp_path: Path) -> None:
    checkpoint = find(packed_files.folder(tmp_path))
    read = token_ids(checkpoint).tokenizer
    a, b, c = (read(text) for text in ("a", "ab", "de"))
    assert tokenize(checkpoint, ["a"], 40).ids == [[0, *a, 2]]
    assert tokenize(checkpoint, [("a", "ab")], 40).ids == [[0, *a, 2, 2, *b, 2]]
    asked = tokenize(checkpoint, [("a", "ab")], 40, ["de"])
    assert asked.ids == [[0, *a, 2, 2, *b, 2, *c, 2]]
    assert asked.types is None


def test_a_long_pair_is_truncated_longest_first(tmp_path: Path) -> None:
    checkpoint = find(packed_files.folder(tmp_path))
    sequences = tokenize(checkpoint, [("a " * 30, "ab")], 12)
    assert len(sequences.ids[0]) == 12
    assert sequences.n_truncated == 1


def test_lower_case_comes_before_the_pieces(tmp_path: Path) -> None:
    checkpoint = find(packed_files.folder(tmp_path))
    assert token_ids(checkpoint, lower_case=True)._whole(["AB"]) == token_ids(checkpoint)._whole(["ab"])
