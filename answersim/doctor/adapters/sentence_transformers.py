"""Encoders of sentence-transformers: ``sentence_transformers:SentenceTransformer,model=all-MiniLM-L6-v2``."""

from __future__ import annotations

from typing import Any

from answersim.doctor.adapters.adapted import Adapted, imported, local_weights, one_of, refuse_settings

DISTRIBUTION, INSTALL = "sentence-transformers", "sentence-transformers"
CLASSES = ("SentenceTransformer", "CrossEncoder")


def adapt(what: str, **settings: Any) -> Adapted:
    """Return the cosine of two sentence vectors, or the score of a cross-encoder that reads gold and prediction.

    ``what``: "SentenceTransformer" or "CrossEncoder". ``settings``: ``model``, a name or a folder, and ``device``.
    """
    name = one_of("sentence_transformers", what, CLASSES)
    refuse_settings("sentence_transformers", what, settings, ("model", "device"))
    library = imported("sentence_transformers", INSTALL)
    settings = local_weights(settings, "model")
    encoder = getattr(library, name)(settings["model"], device=settings.get("device", "cpu"))

    def cosines(golds: list[Any], preds: list[str], questions: list[str] | None) -> Any:
        if not preds:
            return []
        one, other = (encoder.encode(texts, show_progress_bar=False) for texts in (golds, preds))
        return library.util.pairwise_cos_sim(one, other)

    def logits(golds: list[Any], preds: list[str], questions: list[str] | None) -> Any:
        return encoder.predict(list(zip(golds, preds, strict=True)), show_progress_bar=False) if preds else []

    return Adapted(cosines if name == CLASSES[0] else logits)
