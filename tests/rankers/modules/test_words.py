"""Inputs are saved and loaded unchanged, and their fingerprint covers all that decides a vector."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

from answersim._base.errors import CheckpointNotFoundError
from rankers.modules import words
from rankers.modules.scoring import pad_ids
from rankers.modules.vocabulary import PADDING, UNKNOWN, WordPieces, Words, split
from rankers.modules.words import InputConfig, of_checkpoint, of_texts
from tests.cases import every

TEXTS = [
    "the cat sat on the mat",
    "the dog sat on the log",
    "a cat and a dog met on a mat",
    "the log lay on the mat",
    "dog and cat and mat and log",
]

RANDOM, CORPUS = InputConfig("random", size=6, at_least=1), InputConfig("corpus", size=6, at_least=1)


def test_a_checkpoints_words_are_its_own_and_nothing_is_saved(tiny, tmp_path):
    config = InputConfig(checkpoint=str(tiny("bert")))
    inputs = words.build(config, TEXTS)
    assert torch.equal(inputs.table, of_checkpoint(config.checkpoint))
    assert inputs.vocabulary.ids(TEXTS, 9) == WordPieces(config.checkpoint).ids(TEXTS, 9)
    words.save(inputs, tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert words.load(config, tmp_path).fingerprint == inputs.fingerprint


@pytest.mark.parametrize("config", [RANDOM, CORPUS])
def test_inputs_are_learned_from_the_texts_and_loaded_unchanged(config, tmp_path):
    inputs = words.build(config, TEXTS)
    assert inputs.vocabulary.size == 2 + len(set(" ".join(TEXTS).split()))
    assert inputs.table.shape == (inputs.vocabulary.size, 6)
    assert words.build(replace(config, at_least=2), TEXTS).vocabulary.size == 2 + 9
    words.save(inputs, tmp_path)
    again = words.load(config, tmp_path)
    assert torch.equal(again.table, inputs.table)
    assert again.vocabulary.ids(TEXTS, 9) == inputs.vocabulary.ids(TEXTS, 9)
    assert (again.fingerprint, again.config) == (inputs.fingerprint, config)


def test_a_fingerprint_covers_all_settings_of_inputs(tiny):
    pieces = InputConfig(checkpoint=str(tiny("bert")))
    named_inputs = [
        words.build(RANDOM, TEXTS),
        words.build(RANDOM, TEXTS[:2]),
        words.build(RANDOM, TEXTS, 1),
        words.build(replace(RANDOM, size=5), TEXTS),
        words.build(replace(RANDOM, normalise=False), TEXTS),  # the same table, other vectors
        words.build(CORPUS, TEXTS),
        words.build(pieces, TEXTS),
        words.build(replace(pieces, normalise=False), TEXTS),
        words.build(replace(pieces, checkpoint=str(tiny("bert", seed=1))), TEXTS),
    ]
    assert len({named_input.fingerprint for named_input in named_inputs}) == len(named_inputs)
    assert words.build(RANDOM, TEXTS, 0).fingerprint == named_inputs[0].fingerprint


def test_vectors_have_length_one_if_requested():
    ids = torch.arange(2, 8)[None]
    norms = words.build(RANDOM, TEXTS).embedding()(ids).norm(dim=-1)
    torch.testing.assert_close(norms, torch.ones_like(norms))
    raw = words.build(replace(RANDOM, normalise=False), TEXTS)
    assert torch.equal(raw.embedding()(ids), raw.table[ids])


@every(("trainable", "project"), [(False, 0), (True, 0), (False, 3), (True, 3)])
def test_an_embedding_is_trained_and_projected_as_asked(trainable, project):
    inputs = words.build(replace(RANDOM, trainable=trainable, project=project), TEXTS)
    embedding = inputs.embedding()
    trained = {name for name, _ in embedding.named_parameters()}
    assert trained == ({"table"} if trainable else set()) | (
        {"projection.weight", "projection.bias"} if project else set()
    )
    assert embedding(torch.tensor([[2, 3]])).shape == (1, 2, project or 6)
    with torch.no_grad():
        for parameter in embedding.parameters():
            parameter += 1
    assert inputs.fingerprint == words.build(RANDOM, TEXTS).fingerprint  # training one network leaves the inputs
    assert torch.equal(inputs.table, words.build(RANDOM, TEXTS).table)


@pytest.mark.parametrize("file", ["words.json", "words.safetensors"])
def test_a_file_that_is_missing_or_damaged_is_named(file, tmp_path):
    words.save(words.build(RANDOM, TEXTS), tmp_path)
    content = (tmp_path / file).read_bytes()
    (tmp_path / file).write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=rf"{file} is damaged"):
        words.load(RANDOM, tmp_path)
    (tmp_path / file).unlink()
    with pytest.raises(FileNotFoundError, match=file):
        words.load(RANDOM, tmp_path)


@pytest.fixture(params=["dense", "iterative"])
def way(request, monkeypatch):
    """Both ways to decompose a matrix: that for few words and that for many."""
    if request.param == "iterative":
        monkeypatch.setattr(words, "_DENSE", 0)
    return str(request.param)


def dense(words: Words, texts: list[str], dim: int, window: int) -> np.ndarray:
    """U sqrt(S) of the positive PMI by plain loops and numpy, rows brought to length 1."""
    counts = np.zeros((words.size, words.size))
    for ids in words.ids(texts, 200):
        for i, first in enumerate(ids):
            for j, second in enumerate(ids):
                if i != j and abs(i - j) <= window:
                    counts[first, second] += 1
    total, sums = counts.sum(), counts.sum(axis=1)
    information = np.zeros_like(counts)
    for i, j in zip(*counts.nonzero(), strict=True):
        information[i, j] = max(np.log(counts[i, j] * total / (sums[i] * sums[j])), 0)
    u, s, _ = np.linalg.svd(information)
    vectors = u[:, :dim] * np.sqrt(s[:dim])
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12) * (sums > 0)[:, None]


@pytest.mark.parametrize("window", [1, 2, 5])
def test_vectors_of_texts_are_those_of_a_dense_computation(way, window):
    words = Words.learn(TEXTS, at_least=1)
    # A dimension after which the values fall clearly, so that both mean the same space.
    ours = of_texts(words, TEXTS, 4, window=window).numpy()
    theirs = dense(words, TEXTS, 4, window)
    np.testing.assert_allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-5)  # equal up to a rotation
    assert (ours.shape, ours.dtype) == ((words.size, 4), np.float32)


def test_words_without_neighbors_have_no_vector_and_unused_numbers_are_0(way):
    words = Words.learn([*TEXTS, "alone"], at_least=1)
    table = of_texts(words, [*TEXTS, "alone"], 40)
    (place,) = words.ids(["alone"], 1)[0]
    norms = table.norm(dim=1)
    assert float(norms[place]) == float(norms[0]) == float(norms[1]) == 0  # nor has padding, nor the unknown word
    others = [i for i in range(2, words.size) if i != place]
    torch.testing.assert_close(norms[others], torch.ones(len(others)))
    used = (table.abs().amax(dim=0) > 0).tolist()
    assert sorted(used, reverse=True) == used
    assert 0 < sum(used) < 40


@every("texts", [[], [""], ["a"], ["a a a a"], ["x y", "z"]])
def test_texts_without_pairs_of_words_give_zeros(texts):
    table = of_texts(Words(["a"]), texts, 3)
    assert table.shape == (3, 3)
    assert not table.any()


def test_the_seed_changes_rounding_only_and_no_more_than_the_length_is_read(way):
    words = Words.learn(TEXTS, at_least=1)
    first, again, second = (of_texts(words, TEXTS, 3, seed=seed) for seed in (0, 0, 1))
    assert torch.equal(first, again)
    torch.testing.assert_close(first, second, atol=1e-4, rtol=0)
    short = [" ".join(text.split()[:3]) for text in TEXTS]
    torch.testing.assert_close(of_texts(words, TEXTS, 3, length=3), of_texts(words, short, 3))


@pytest.mark.parametrize(("kind", "classifier"), [("bert", False), ("bert", True), ("electra", False)])
def test_a_checkpoints_table_is_its_input_layer(kind, classifier, tiny):
    folder = str(tiny(kind, classifier=classifier))
    model = transformers.AutoModel.from_pretrained(folder)
    torch.testing.assert_close(of_checkpoint(folder), model.get_input_embeddings().weight.detach())


def test_a_checkpoint_without_such_a_table_is_refused(tiny, tmp_path):
    from safetensors.torch import save_file

    shutil.copytree(tiny("bert"), tmp_path / "other")
    save_file({"decoder.weight": torch.ones(2, 2)}, tmp_path / "other" / "model.safetensors")
    with pytest.raises(ValueError, match=r"model\.safetensors does not contain 'embeddings\.word_embeddings\.weight'"):
        of_checkpoint(str(tmp_path / "other"))
    (tmp_path / "other" / "model.safetensors").rename(tmp_path / "other" / "pytorch_model.bin")
    with pytest.raises(ValueError, match=r"model\.safetensors is not there"):
        of_checkpoint(str(tmp_path / "other"))


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


@every(
    ("at_least", "at_most", "words"),
    [(1, 9, ("c", "a", "b", "d")), (2, 9, ("c", "a", "b")), (3, 9, ("c",)), (4, 9, ()), (1, 2, ("c", "a"))],
)
def test_frequent_words_are_learned_the_most_frequent_first_and_equal_ones_by_alphabet(at_least, at_most, words):
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
    assert pad_ids([]).ids.shape[0] == pad_ids([]).mask.shape[0] == 0
