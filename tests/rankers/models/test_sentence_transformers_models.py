"""Loaded models of sentence-transformers as rankers."""

from __future__ import annotations

import numpy as np
import pytest

import rankers
from rankers.models.published import (
    CrossEncoderObject,
    SentenceTransformerObject,
    of_object,
)

pytest.importorskip("torch")
sentence_transformers = pytest.importorskip("sentence_transformers")
QUESTION, POOL = "the NFL 11", ["Der Eiffelturm steht in Paris.", "eleven", "in regions of new growth"]


def test_a_loaded_cross_encoder_ranks_as_the_named_one(tiny):
    folder = tiny("bert", classifier=True)
    loaded = sentence_transformers.CrossEncoder(str(folder), device="cpu")
    assert isinstance(of_object(loaded), CrossEncoderObject)
    ours = [c.index for c in rankers.rank(QUESTION, POOL, loaded)]
    assert ours == [c.index for c in rankers.rank(QUESTION, POOL, folder)]


def test_a_loaded_sentence_transformer_gives_its_own_similarity(sentence_folder):
    loaded = sentence_transformers.SentenceTransformer(str(sentence_folder()), device="cpu")
    ranker = of_object(loaded)
    assert isinstance(ranker, SentenceTransformerObject)
    first, second = ranker.score([QUESTION, "11"], [POOL, POOL[1:]])
    expected = loaded.similarity(loaded.encode([QUESTION, "11"]), loaded.encode(POOL)).numpy()
    np.testing.assert_allclose(first, expected[0], atol=1e-6)
    np.testing.assert_allclose(second, expected[1, 1:], atol=1e-6)
    assert [c.index for c in rankers.rank(QUESTION, POOL, loaded)] == np.argsort(-expected[0]).tolist()


def test_a_cross_encoder_with_several_outputs_is_refused():
    class Three:
        tokenizer = None

        def predict(self, pairs, show_progress_bar):
            return np.zeros((len(pairs), 3))

    with pytest.raises(ValueError, match=r"scores of the shape \(3, 3\) for 3 candidates, .* one output"):
        rankers.rank(QUESTION, POOL, Three())


def test_another_object_is_no_model():
    assert of_object(object()) is None
