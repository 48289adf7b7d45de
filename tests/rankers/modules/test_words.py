"""Inputs are saved and loaded unchanged, and their fingerprint covers all that decides a vector."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from rankers.modules import words
from rankers.modules.words import InputConfig
from tests.cases import every

TEXTS = ["the cat sat on the mat", "the dog sat on the log", "a cat and a dog"]
RANDOM, CORPUS = InputConfig("random", size=6, at_least=1), InputConfig("corpus", size=6, at_least=1)


@every(
    ("settings", "error", "said"),
    [
        ({"source": "word2vec"}, LookupError, "no source is called 'word2vec'"),
        ({"size": 0}, ValueError, "size is 0, but it must be at least 1"),
        ({"at_least": 0}, ValueError, "at_least is 0, but it must be at least 1"),
        ({"project": -1}, ValueError, "project is -1, but it must be at least 0"),
    ],
)
def test_settings_out_of_range_are_errors(settings, error, said):
    with pytest.raises(error, match=said):
        InputConfig(**settings)


@pytest.mark.parametrize("config", [RANDOM, CORPUS])
def test_words_and_vectors_are_learned_from_the_texts(config):
    inputs = words.build(config, TEXTS)
    assert inputs.vocabulary.size == 2 + len(set(" ".join(TEXTS).split()))
    assert inputs.table.shape == (inputs.vocabulary.size, 6)
    assert words.build(replace(config, at_least=2), TEXTS).vocabulary.size == 2 + len(
        ["a", "cat", "dog", "on", "sat", "the"]
    )


def test_the_seed_decides_random_vectors():
    first, again, second = (words.build(RANDOM, TEXTS, seed) for seed in (0, 0, 1))
    assert torch.equal(first.table, again.table)
    assert first.fingerprint == again.fingerprint
    assert not torch.equal(first.table, second.table)
    assert first.fingerprint != second.fingerprint


def test_a_checkpoints_words_are_its_own(tiny):
    from rankers.modules.vocabulary import WordPieces
    from rankers.modules.words import of_checkpoint

    folder = str(tiny("bert"))
    inputs = words.build(InputConfig(checkpoint=folder), TEXTS)
    assert torch.equal(inputs.table, of_checkpoint(folder))
    assert inputs.vocabulary.ids(TEXTS, 9) == WordPieces(folder).ids(TEXTS, 9)


@pytest.mark.parametrize("config", [RANDOM, CORPUS])
def test_saved_inputs_are_loaded_unchanged(config, tmp_path):
    inputs = words.build(config, TEXTS)
    words.save(inputs, tmp_path)
    again = words.load(config, tmp_path)
    assert torch.equal(again.table, inputs.table)
    assert again.vocabulary.ids(TEXTS, 9) == inputs.vocabulary.ids(TEXTS, 9)
    assert (again.fingerprint, again.config) == (inputs.fingerprint, config)


def test_inputs_of_a_checkpoint_are_found_again_and_nothing_is_saved(tiny, tmp_path):
    config = InputConfig(checkpoint=str(tiny("bert")))
    inputs = words.build(config, TEXTS)
    words.save(inputs, tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert words.load(config, tmp_path).fingerprint == inputs.fingerprint


def test_a_fingerprint_covers_all_settings_of_inputs(tiny):
    pieces = InputConfig(checkpoint=str(tiny("bert")))
    named_inputs = [
        words.build(RANDOM, TEXTS),
        words.build(RANDOM, TEXTS[:2]),
        words.build(replace(RANDOM, size=5), TEXTS),
        words.build(replace(RANDOM, normalise=False), TEXTS),  # the same table, other vectors
        words.build(CORPUS, TEXTS),
        words.build(pieces, TEXTS),
        words.build(replace(pieces, normalise=False), TEXTS),
        words.build(replace(pieces, checkpoint=str(tiny("bert", seed=1))), TEXTS),
    ]
    assert len({named_input.fingerprint for named_input in named_inputs}) == len(named_inputs)


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
