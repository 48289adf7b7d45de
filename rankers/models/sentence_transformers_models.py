"""A loaded CrossEncoder or SentenceTransformer of sentence-transformers as a ranker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankers.types import FloatArray, Ranker


@dataclass(frozen=True)
class CrossEncoderObject:
    """A loaded ``sentence_transformers.CrossEncoder`` with one output, as a ranker."""

    model: Any = field(repr=False)  # the object. Its ``predict`` gets pairs of question and candidate.
    # the number of pairs per call; None for the default of the model
    batch_size: int | None = field(default=None, compare=False)

    @property
    def signature(self) -> str:
        """The signature, such as ``cross-encoder|model:ms-marco-MiniLM-L6-v2``, without a hash of the weights."""
        return f"cross-encoder|model:{_name(self.model)}"

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        pairs = [(q, text) for q, pool in zip(questions, candidates, strict=True) for text in pool]
        if not pairs:
            return [np.empty(0) for _ in questions]
        scores = np.asarray(self._predict(pairs), dtype=np.float64)
        if scores.shape != (len(pairs),):
            raise ValueError(
                f"the cross-encoder {_name(self.model)} returned scores of the shape {scores.shape} for {len(pairs)} "
                "candidates, but a ranker needs one number per candidate; give a cross-encoder with one output"
            )
        return by_pool(scores, candidates)

    def _predict(self, pairs: Sequence[tuple[str, str]]) -> Any:
        return self.model.predict(pairs, **_settings(self.batch_size))


@dataclass(frozen=True)
class SentenceTransformerObject:
    """A loaded ``SentenceTransformer`` as a ranker by its similarity of question and candidate."""

    # the object. Questions go through ``encode_query`` and candidates through ``encode_document``, which use the
    # prompts of the model if it has any.
    model: Any = field(repr=False)
    # the number of texts per call; None for the default of the model
    batch_size: int | None = field(default=None, compare=False)

    @property
    def signature(self) -> str:
        """The signature, such as ``bi-encoder|model:all-MiniLM-L6-v2``, without a hash of the weights."""
        return f"bi-encoder|model:{_name(self.model)}"

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        texts = list(dict.fromkeys(text for pool in candidates for text in pool))
        if not texts:
            return [np.empty(0) for _ in questions]
        places = {text: i for i, text in enumerate(texts)}
        settings = _settings(self.batch_size)
        queries = self.model.encode_query(list(questions), **settings)
        documents = self.model.encode_document(texts, **settings)
        similarity = np.asarray(self.model.similarity(queries, documents), dtype=np.float64)  # (questions, texts)
        return [similarity[i, [places[text] for text in pool]] for i, pool in enumerate(candidates)]


def of_object(model: Any, batch_size: int | None = None) -> Ranker | None:
    """Return the ranker of a loaded object of sentence-transformers, or None if it is neither of the two kinds."""
    if callable(getattr(model, "predict", None)) and hasattr(model, "tokenizer"):
        return CrossEncoderObject(model, batch_size)
    if callable(getattr(model, "encode_query", None)) and callable(getattr(model, "similarity", None)):
        return SentenceTransformerObject(model, batch_size)
    return None


def _settings(batch_size: int | None) -> dict[str, Any]:
    return {"show_progress_bar": False} | ({} if batch_size is None else {"batch_size": batch_size})


def by_pool(scores: FloatArray, candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
    """Split (all candidates,) into one array per question."""
    ends = np.cumsum([len(pool) for pool in candidates])
    return np.split(scores, ends[:-1]) if len(ends) else []


def _name(model: Any) -> str:
    """Return the name that a model was loaded by, or the name of its class."""
    card = getattr(model, "model_card_data", None)
    return str(getattr(card, "base_model", None) or getattr(card, "model_id", None) or type(model).__name__)
