"""Tables of word vectors are what their source says, and those made from texts what a dense computation makes."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
import torch

from rankers.modules import words as inputs
from rankers.modules.vocabulary import Words
from rankers.modules.words import of_checkpoint, of_texts
from tests.cases import every

TEXTS = [
    "the cat sat on the mat",
    "the dog sat on the log",
    "a cat and a dog met on a mat",
    "the log lay on the mat",
    "dog and cat and mat and log",
]


@pytest.fixture(params=["dense", "iterative"])
def way(request, monkeypatch):
    """Both ways to decompose a matrix: that for few words and that for many."""
    if request.param == "iterative":
        monkeypatch.setattr(inputs, "_DENSE", 0)
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
    import transformers

    folder = tiny(kind, classifier=classifier)
    model = transformers.AutoModel.from_pretrained(str(folder))
    torch.testing.assert_close(of_checkpoint(str(folder)), model.get_input_embeddings().weight.detach())


def test_a_checkpoint_without_such_a_table_is_refused(tiny, tmp_path):
    from safetensors.torch import save_file

    shutil.copytree(tiny("bert"), tmp_path / "other")
    save_file({"decoder.weight": torch.ones(2, 2)}, tmp_path / "other" / "model.safetensors")
    with pytest.raises(ValueError, match=r"model\.safetensors does not contain 'embeddings\.word_embeddings\.weight'"):
        of_checkpoint(str(tmp_path / "other"))
    (tmp_path / "other" / "model.safetensors").rename(tmp_path / "other" / "pytorch_model.bin")
    with pytest.raises(ValueError, match=r"model\.safetensors is not there"):
        of_checkpoint(str(tmp_path / "other"))
