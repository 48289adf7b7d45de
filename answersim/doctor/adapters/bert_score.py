"""Metrics of the package bert_score: ``bert_score:f1,model_type=all-MiniLM-L6-v2,num_layers=6``."""

from __future__ import annotations

from typing import Any

from answersim.doctor.adapters.adapted import Adapted, imported, local_weights, one_of

DISTRIBUTION, INSTALL = "bert-score", "bert-score"
PARTS = ("precision", "recall", "f1")


def adapt(what: str, **settings: Any) -> Adapted:
    """Return the precision, recall or F1 of BERTScore.

    ``what``: "precision", "recall" or "f1". ``settings``: settings of ``bert_score.BERTScorer``. With ``idf=True`` the
    weights are those of the gold answers of each call, as in ``bert_score.score``.
    """
    part = PARTS.index(one_of("bert_score", what, PARTS))
    library = imported("bert_score", INSTALL)
    settings = local_weights(settings, "model_type")
    if settings.get("idf"):

        def by_call(golds: list[Any], preds: list[str], questions: list[str] | None) -> Any:
            return library.score(preds, golds, **settings)[part] if preds else []

        return Adapted(by_call, references=True)
    scorer = library.BERTScorer(**settings)

    def function(golds: list[Any], preds: list[str], questions: list[str] | None) -> Any:
        return scorer.score(preds, golds)[part] if preds else []

    return Adapted(function, references=True)
