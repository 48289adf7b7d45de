"""Vocabularies give ids that networks can rely on: never padding, never none, never too many."""

from __future__ import annotations

import json
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answersim._base.errors import CheckpointNotFoundError
from rankers.modules.scoring import pad_ids
from rankers.modules.vocabulary import PADDING, UNKNOWN, WordPieces, Words, split
from tests.cases import every

unhurried = settings(deadline=None)  # the machine may be busy

WORDS = Words(["the", "cat", "sat", "."])
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    ["the cat sat.", "THE CAT", "[PAD] cat [SEP]", " ", ""]
)


@every(
    ("text", "words"),
    [
        ("Isn't it?", ["isn", "'", "t", "it", "?"]),
        ("U.S.-based, 3.5%", ["u", ".", "s", ".", "-", "based", ",", "3", ".", "5", "%"]),
        ("  \n ", []),
        ("Straße 北京", ["straße", "北京"]),
    ],
)
def test_a_text_is_split_into_words_and_marks(text, words):
    assert split(text) == words


def test_the_most_frequent_words_come_first_and_equal_ones_by_alphabet():
    learned = Words.learn(["b c a c", "d c b a"], at_least=1)
    assert learned.words == ("c", "a", "b", "d")
    assert learned.size == 6  # with padding and the unknown word


@every(
    ("at_least", "at_most", "words"),
    [(1, 9, ("c", "a", "b", "d")), (2, 9, ("c", "a", "b")), (3, 9, ("c",)), (4, 9, ()), (1, 2, ("c", "a"))],
)
def test_only_frequent_words_are_learned_and_only_so_many(at_least, at_most, words):
    assert Words.learn(["b c a c", "d c b a"], at_least=at_least, at_most=at_most).words == words


@every(
    ("text", "length", "ids"),
    [
        ("The cat sat.", 9, [2, 3, 4, 5]),
        ("The dog sat.", 9, [2, UNKNOWN, 4, 5]),
        ("The cat sat.", 2, [2, 3]),
        ("", 9, [UNKNOWN]),
        ("   ", 9, [UNKNOWN]),
    ],
)
def test_words_have_their_places_and_the_end_is_cut(text, length, ids):
    assert WORDS.ids([text], length) == [ids]


@unhurried
@given(st.lists(texts, max_size=4), st.integers(1, 5))
def test_no_text_is_empty_too_long_or_holds_padding(given_texts, length):
    for ids in WORDS.ids(given_texts, length):
        assert 1 <= len(ids) <= length
        assert all(PADDING < entry < WORDS.size for entry in ids)


def test_saved_words_come_back_as_they_were(tmp_path):
    words = Words(["Straße", "北京", "\ud83d", "'"])  # half a surrogate pair, as JSON may hold it
    words.save(tmp_path / "words.json")
    again = Words.read(tmp_path / "words.json")
    assert (again.words, again.fingerprint) == (words.words, words.fingerprint)


@pytest.mark.parametrize("content", ['["the", "ca', '{"the": 2}', '["the", 2]'])
def test_damaged_words_are_refused_by_name(content, tmp_path):
    (tmp_path / "words.json").write_text(content)
    with pytest.raises(ValueError, match=r"words\.json is .* train the ranker again"):
        Words.read(tmp_path / "words.json")


@pytest.fixture(scope="module")
def pieces(tiny):
    return WordPieces(str(tiny("bert")))


@unhurried
@given(texts)
def test_no_spelling_makes_a_special_token(pieces, text):
    special = {0, 2, 3, 4}  # [PAD], [CLS], [SEP], [MASK] of the tiny tokenizer
    assert not special & set(pieces.ids([text, "[CLS] [PAD] [SEP]"], 50)[1])
    assert not special & set(pieces.ids([text], 50)[0])


def test_pieces_have_one_fingerprint_wherever_they_lie(pieces, tiny, tmp_path):
    shutil.copytree(tiny("bert"), tmp_path / "copy")
    assert WordPieces(str(tmp_path / "copy")).fingerprint == pieces.fingerprint

    tokenizer = json.loads((tmp_path / "copy" / "tokenizer.json").read_text())
    tokenizer["normalizer"]["lowercase"] = False
    shutil.copytree(tmp_path / "copy", tmp_path / "other")
    (tmp_path / "other" / "tokenizer.json").write_text(json.dumps(tokenizer))
    assert WordPieces(str(tmp_path / "other")).fingerprint != pieces.fingerprint


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_pieces_of_every_kind_are_those_of_their_own_tokenizer(kind, tiny):
    import transformers

    theirs, ours = transformers.AutoTokenizer.from_pretrained(str(tiny(kind))), WordPieces(str(tiny(kind)))
    output = ["National Football League", "eleven NFL merchants", "Müller?!", "北京 a", "☃", " two  spaces"]
    assert ours.ids(output, 90) == [theirs(entry, add_special_tokens=False)["input_ids"] for entry in output]
    assert ours.size == len(theirs)


def test_a_byte_bpe_has_an_unknown_word_for_what_is_empty_and_none_at_0(tiny):
    pieces = WordPieces(str(tiny("roberta")))
    assert pieces.ids([""], 5) == [[3]]  # <unk>
    spelt = pieces.ids(["<s> a </s> <pad>", "<unk>"], 50)
    assert not {0, 1, 2, 3, 4} & {entry for ids in spelt for entry in ids}


def test_a_checkpoint_without_word_pieces_is_refused(tiny, tmp_path):
    shutil.copytree(tiny("bert"), tmp_path / "turned")
    path = tmp_path / "turned" / "tokenizer.json"
    path.write_text(path.read_text().replace('"special": true', '"special": false'))
    with pytest.raises(ValueError, match=r"has the unknown word at 1 and '\[PAD\]' at 0, but networks"):
        WordPieces(str(tmp_path / "turned"))
    path.write_text(path.read_text().replace('"special": false', '"special": true').replace("[UNK]", "[UNKNOWN]"))
    with pytest.raises(ValueError, match=r"has the unknown word at None"):
        WordPieces(str(tmp_path / "turned"))
    shutil.copytree(tiny("bert"), tmp_path / "bare")
    (tmp_path / "bare" / "tokenizer.json").unlink()
    with pytest.raises(ValueError, match=r"tokenizer\.json is not there"):
        WordPieces(str(tmp_path / "bare"))
    with pytest.raises(CheckpointNotFoundError):
        WordPieces(str(tmp_path / "nowhere"))


def test_padding_is_on_the_right_only():
    built = pad_ids([[7, 8, 9], [5], [6, 6]])
    assert built.ids.tolist() == [[7, 8, 9], [5, 0, 0], [6, 6, 0]]
    assert built.mask.tolist() == [[True, True, True], [True, False, False], [True, True, False]]
    assert (str(built.ids.dtype), str(built.mask.dtype)) == ("torch.int64", "torch.bool")


def test_no_texts_make_an_empty_batch():
    assert pad_ids([]).ids.shape[0] == pad_ids([]).mask.shape[0] == 0
