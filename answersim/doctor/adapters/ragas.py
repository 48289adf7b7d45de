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

    Args:
        what: The name of the class.
        settings: Settings of the class. "SemanticSimilarity" has ``model`` instead, a name or a folder of
            sentence-transformers.
    """
    name = one_of("ragas", what, METRICS)
    os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")
    library, schema = imported("ragas.metrics", INSTALL), imported("ragas.dataset_schema", INSTALL)
    if name == "SemanticSimilarity":
        folder = local_weights(settings, "model")["model"]
        settings = {"embeddings": _encoder(folder)}
    metric = getattr(library, name)(**settings)

    def score(gold: Any, pred: str) -> Any:
        return metric.single_turn_score(schema.SingleTurnSample(user_input="", response=pred, reference=gold))

    return Adapted(each(score))


def _encoder(folder: str) -> Any:
    """Return an encoder of sentence-transformers with the methods that ragas calls."""
    embeddings, encoders = (
        imported("ragas.embeddings", INSTALL),
        imported("sentence_transformers", "sentence-transformers"),
    )
    model = encoders.SentenceTransformer(folder, device="cpu")

    class Encoder(embeddings.BaseRagasEmbeddings):  # type: ignore[misc, name-defined] # a class of the library
        """An encoder that runs here."""

        def embed_query(self, text: str) -> list[float]:
            """Return the vector of a text."""
            return list(map(float, model.encode(text, show_progress_bar=False)))

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            """Return the vectors of texts."""
            return [self.embed_query(text) for text in texts]

        async def aembed_query(self, text: str) -> list[float]:
            """Return the vector of a text."""
            return self.embed_query(text)

        async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
            """Return the vectors of texts."""
            return self.embed_documents(texts)

    return Encoder()
