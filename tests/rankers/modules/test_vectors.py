"""Tables of word vectors are what their source says, and those made from texts what a dense computation makes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from answersim._base.errors import CheckpointNotFoundError
from answersim.metrics.checkpoints import search
from rankers.modules import words
from rankers.modules.vocabulary import Words
from tests.cases import every

TEXTS = [
    "the cat sat on the mat",
    "the dog sat on the log",
    "a cat and a dog met on a mat",
    "the log lay on the mat",
    "dog and cat and mat and log",
]


@pytest.fixture(params=["dense", "iterative"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to decompose a matrix: that for few words and that for many."""
    if request.param == "iterative":
        monkeypatch.setattr(words, "_DENSE", 0)
    return str(request.param)


def dense(words: Words, texts: list[str], dim: int, window: int) -> np.ndarray:
    """U sqrt(S) of the positive PMI by plain loops and numpy, rows brought to length 1."""
    counts = np.zeros((words.size, words.size))
    for ids in words.ids(texts, 200):
        for i, one in enumerate(ids):
            for j, other in enumerate(ids):
                if i != j and abs(i - j) <= window:
                    counts[one, other] += 1
    total, sums = counts.sum(), counts.sum(axis=1)
    information = np.zeros_like(counts)
    for i, j in zip(*counts.nonzero(), strict=True):
        information[i, j] = max(np.log(counts[i, j] * total / (sums[i] * sums[j])), 0)
    u, s, _ = np.linalg.svd(information)
    vectors = u[:, :dim] * np.sqrt(s[:dim])
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12) * (sums > 0)[:, None]


@pytest.mark.parametrize("window", [1, 2, 5])
def test_vectors_of_texts_are_those_of_a_dense_computation(way: str, window: int) -> None:
    words = Words.learn(TEXTS, at_least=1)
    # A dimension after which the values fall clearly, so that both mean the same space.
    ours = words.of_texts(words, TEXTS, 4, window=window).numpy()
    theirs = dense(words, TEXTS, 4, window)
    np.testing.assert_allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-5)  # equal up to a rotation
    assert ours.shape == (words.size, 4)
    assert ours.dtype == np.float32


def test_words_a_window_apart_are_together_and_no_further() -> None:
    words = Words(["a", "b", "c", "x", "y"])
    texts = ["a x b", "a x b", "c y c"]

    def alike(window: int) -> bool:
        table = words.of_texts(words, texts, 5, window=window)
        return float(table[words.ids(["a"], 1)[0][0]] @ table[words.ids(["b"], 1)[0][0]]) > 0.999

    assert alike(1)  # both stand beside x only
    assert not alike(2)  # now also beside each other, a with b and b with a


def test_words_that_stand_alone_have_no_vector(way: str) -> None:
    words = Words.learn([*TEXTS, "alone"], at_least=1)
    table = words.of_texts(words, [*TEXTS, "alone"], 10)
    (place,) = words.ids(["alone"], 1)[0]
    norms = table.norm(dim=1)
    assert float(norms[place]) == float(norms[0]) == float(norms[1]) == 0  # nor has padding, nor the unknown word
    others = [i for i in range(2, words.size) if i != place]
    torch.testing.assert_close(norms[others], torch.ones(len(others)))


def test_more_numbers_than_the_texts_give_are_filled_with_0(way: str) -> None:
    texts = ["a x b", "a y b", "c d c", "d e"]  # x and y have the same neighbours, so one vector says no more than both
    words = Words.learn(texts, at_least=1)
    table = words.of_texts(words, texts, 40)
    assert table.shape == (words.size, 40)
    assert table.isfinite().all()
    x, y = (words.ids([each], 1)[0][0] for each in "xy")
    torch.testing.assert_close(table[x], table[y])
    used = (table.abs().amax(dim=0) > 0).tolist()
    assert sorted(used, reverse=True) == used
    assert 0 < sum(used) < words.size - 2  # padding and the unknown word have no vector, and one is no new direction


@every("texts", [[], [""], ["a"], ["a a a a"], ["x y", "z"]])
def test_texts_without_pairs_of_words_give_zeros(texts: list[str]) -> None:
    table = words.of_texts(Words(["a"]), texts, 3)
    assert table.shape == (3, 3)
    assert not table.any()


def test_one_seed_gives_one_table_and_another_the_same_up_to_rounding(way: str) -> None:
    words = Words.learn(TEXTS, at_least=1)
    one, again, other = (words.of_texts(words, TEXTS, 3, seed=seed) for seed in (0, 0, 1))
    assert torch.equal(one, again)
    torch.testing.assert_close(one, other, atol=1e-4, rtol=0)


def test_signs_are_fixed_and_the_iteration_starts_from_the_seed(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import scipy.sparse.linalg
    from scipy.sparse import csr_array

    starts: list[bytes] = []
    real = scipy.sparse.linalg.svds

    def svds(matrix: object, k: int, v0: np.ndarray) -> object:
        starts.append(v0.tobytes())
        return real(matrix, k=k, v0=v0)

    monkeypatch.setattr(scipy.sparse.linalg, "svds", svds)
    matrix = np.random.default_rng(0).random((9, 9))
    for seed in (0, 0, 1):
        u, s = words._singular(csr_array(matrix + matrix.T), 4, seed)
        assert (u[np.abs(u).argmax(axis=0), range(4)] > 0).all()
        np.testing.assert_allclose(s, np.linalg.svd(matrix + matrix.T)[1][:4])
    assert starts[:1] == starts[1:2]
    assert (len(starts), len(set(starts))) == ((0, 0) if way == "dense" else (3, 2))


def test_no_more_than_the_length_is_read() -> None:
    words = Words.learn(TEXTS, at_least=1)
    short = [" ".join(text.split()[:3]) for text in TEXTS]
    assert torch.equal(words.of_texts(words, TEXTS, 3, length=3), words.of_texts(words, short, 3))
    assert not torch.equal(words.of_texts(words, TEXTS, 3), words.of_texts(words, short, 3))


@pytest.mark.parametrize(
    ("kind", "classifier"), [("bert", False), ("bert", True), ("electra", False), ("electra", True)]
)
def test_a_checkpoints_table_is_its_input_layer(kind: str, classifier: bool, tiny: Callable[..., Path]) -> None:
    import transformers

    folder = tiny(kind, classifier=classifier)
    model = transformers.AutoModel.from_pretrained(str(folder))
    torch.testing.assert_close(words.of_checkpoint(str(folder)), model.get_input_embeddings().weight.detach())


def test_a_checkpoint_without_such_a_table_is_refused(tiny: Callable[..., Path], tmp_path: Path) -> None:
    from safetensors.torch import save_file

    shutil.copytree(tiny("bert"), tmp_path / "other")
    save_file({"decoder.weight": torch.ones(2, 2)}, tmp_path / "other" / "model.safetensors")
    with pytest.raises(ValueError, match=r"model\.safetensors does not contain 'embeddings\.word_embeddings\.weight'"):
        words.of_checkpoint(str(tmp_path / "other"))
    (tmp_path / "other" / "model.safetensors").rename(tmp_path / "other" / "pytorch_model.bin")
    with pytest.raises(ValueError, match=r"model\.safetensors is not there"):
        words.of_checkpoint(str(tmp_path / "other"))


def test_the_default_checkpoint_has_a_vector_a_piece() -> None:
    from rankers.modules.vocabulary import WordPieces

    try:
        search.find("all-MiniLM-L6-v2")
    except CheckpointNotFoundError as error:
        pytest.skip(f"needs all-MiniLM-L6-v2: {error}")
    table, pieces = words.of_checkpoint(), WordPieces()
    assert table.shape == (pieces.size, 384)

    def cosine(one: str, other: str) -> float:
        first, second = (table[pieces.ids([each], 1)[0][0]] for each in (one, other))
        return float(torch.cosine_similarity(first, second, dim=0))

    for (one, other), (_, stranger) in pairwise([("king", "queen"), ("monday", "tuesday"), ("red", "blue")]):
        assert cosine(one, other) > cosine(one, stranger)
