"""Metrics of qa-metrics: ``qa_metrics:em_match``, ``qa_metrics:f1_score``, ``qa_metrics:PEDANT``."""

from __future__ import annotations

from typing import Any

from answersim.doctor.adapters.adapted import Adapted, each, imported, one_of, refuse_settings

DISTRIBUTION, INSTALL = "qa-metrics", "qa-metrics"
FUNCTIONS = {"em_match": "qa_metrics.em", "f1_match": "qa_metrics.f1", "f1_score": "qa_metrics.f1"}
CLASSES = ("PEDANT",)


def adapt(what: str, **settings: Any) -> Adapted:
    """Return a function of qa-metrics, or its classifier PEDANT, whose weights the library downloads.

    ``settings``: ``threshold`` of ``f1_match``; settings of PEDANT.
    """
    name = one_of("qa_metrics", what, (*FUNCTIONS, *CLASSES))
    if name in FUNCTIONS:
        refuse_settings("qa_metrics", what, settings, ("threshold",) if name == "f1_match" else ())
        function = getattr(imported(FUNCTIONS[name], INSTALL), name)
        several = name.endswith("_match")
        return Adapted(each(lambda gold, pred: function(gold, pred, **settings)), references=several)
    classifier = imported("qa_metrics.pedant", INSTALL).PEDANT(**settings)

    def scores(golds: list[Any], preds: list[str], questions: list[str] | None) -> list[float]:
        asked = [""] * len(preds) if questions is None else questions
        return [float(classifier.get_score(*row)) for row in zip(golds, preds, asked, strict=True)]

    return Adapted(scores, questions=True)
