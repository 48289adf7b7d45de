"""Metrics of ragas without a language model: ``ragas:ExactMatch``, ``ragas:SemanticSimilarity,model=...``."""

from __future__ import annotations

import os
from typing import Any

from answersim.doctor.adapters.adapted import Adapted, each, imported, local_weights, one_of

DISTRIBUTION, INSTALL = "ragas", "ragas"
METRICS = (
    *("ExactMatch", "StringPresence", "NonLLMStringSimilarity", "BleuScore", "RougeScore", "ChrfScore"),
    "SemanticSimilarity",
)


def adapt(what: str, **settings: Any) -> Adapted:
    """Return a metric of one turn that compares a response with a reference, pair by pair.

    ``settings``: settings of the class. "SemanticSimilarity" has ``model`` instead, a name or a folder of
    sentence-transformers.
    """
    name = one_of("ragas", what, METRICS)
    os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")
    library, schema = imported("ragas.metrics", INSTALL), imported("ragas.dataset_schema", INSTALL)
    if name == "SemanticSimilarity":
        settings = {"embeddings": _Encoder(local_weights(settings, "model")["model"])}
    metric = getattr(library, name)(**settings)

    def score(gold: Any, pred: str) -> Any:
        return metric.single_turn_score(schema.SingleTurnSample(user_input="", response=pred, reference=gold))

    return Adapted(each(score))


class _Encoder:
    """An encoder of sentence-transformers with the method that ragas calls."""

    def __init__(self, folder: str) -> None:
        library = imported("sentence_transformers", "sentence-transformers")
        self._model = library.SentenceTransformer(folder, device="cpu")

    async def aembed_text(self, text: str) -> list[float]:
        """Return the vector of a text."""
        return list(map(float, self._model.encode(text, show_progress_bar=False)))
