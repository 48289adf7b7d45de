"""Loaded models of sentence-transformers as rankers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankers
from rankers.models.sentence_transformers_models import (
    CrossEncoderObject,
    SentenceTransformerObject,
    of_object,
)

torch = pytest.importorskip("torch")
sentence_transformers = pytest.importorskip("sentence_transformers")
QUESTION, POOL = "who wrote the report?", ["it rained all day", "the report was written by ann", "bob"]


def _words(folder: Path) -> None:
    words = sorted({word.strip("?") for text in (QUESTION, *POOL) for word in text.split()})
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "?", *words]
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    from transformers import BertTokenizerFast

    BertTokenizerFast(vocab_file=str(folder / "vocab.txt"), model_max_length=64).save_pretrained(folder)


@pytest.fixture(scope="module")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from transformers import BertConfig, BertForSequenceClassification

    folder = tmp_path_factory.mktemp("tiny-cross-encoder")
    _words(folder)
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = BertConfig(vocab_size=24, max_position_embeddings=64, num_labels=1, initializer_range=0.5, **sizes)
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def bi_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from transformers import BertConfig, BertModel

    folder = tmp_path_factory.mktemp("tiny-bi-encoder")
    _words(folder)
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = BertConfig(vocab_size=24, max_position_embeddings=64, initializer_range=0.5, **sizes)
    BertModel(config).save_pretrained(folder)
    return folder


def test_a_loaded_cross_encoder_ranks_as_the_named_one(cross_encoder: Path) -> None:
    loaded = sentence_transformers.CrossEncoder(str(cross_encoder), device="cpu")
    assert isinstance(of_object(loaded), CrossEncoderObject)
    ours = [c.index for c in rankers.rank(QUESTION, POOL, loaded)]
    assert ours == [c.index for c in rankers.rank(QUESTION, POOL, cross_encoder)]


def test_a_loaded_sentence_transformer_gives_its_own_similarity(bi_encoder: Path) -> None:
    loaded = sentence_transformers.SentenceTransformer(str(bi_encoder), device="cpu")
    ranker = of_object(loaded)
    assert isinstance(ranker, SentenceTransformerObject)
    first, second = ranker.score([QUESTION, "ann"], [POOL, POOL[1:]])
    expected = loaded.similarity(loaded.encode([QUESTION, "ann"]), loaded.encode(POOL)).numpy()
    np.testing.assert_allclose(first, expected[0], atol=1e-6)
    np.testing.assert_allclose(second, expected[1, 1:], atol=1e-6)
    assert [c.index for c in rankers.rank(QUESTION, POOL, loaded)] == np.argsort(-expected[0]).tolist()


def test_a_cross_encoder_with_several_outputs_is_refused() -> None:
    class Three:
        tokenizer = None

        def predict(self, pairs: Any, show_progress_bar: bool) -> Any:
            return np.zeros((len(pairs), 3))

    with pytest.raises(ValueError, match=r"scores of the shape \(3, 3\) for 3 candidates, .* one output"):
        rankers.rank(QUESTION, POOL, Three())


def test_another_object_is_no_model() -> None:
    assert of_object(object()) is None
