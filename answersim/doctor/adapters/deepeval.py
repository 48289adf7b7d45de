"""Metrics of DeepEval without a language model: ``deepeval:ExactMatchMetric``, ``deepeval:quasi_exact_match_score``."""

from __future__ import annotations

import os
from typing import Any

from answersim.doctor.adapters.adapted import Adapted, each, imported, one_of

DISTRIBUTION, INSTALL = "deepeval", "deepeval"
OF_SCORER = ("exact_match_score", "quasi_exact_match_score", "rouge_score", "sentence_bleu_score")
CLASSES = ("ExactMatchMetric",)


def adapt(what: str, **settings: Any) -> Adapted:
    """Return a metric class, or a function of ``deepeval.scorer.Scorer``, pair by pair.

    ``settings``: settings of the class, or further arguments of the function.
    """
    name = one_of("deepeval", what, (*CLASSES, *OF_SCORER))
    os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
    if name in OF_SCORER:
        scorer = getattr(imported("deepeval.scorer", INSTALL).Scorer, name)
        return Adapted(each(lambda gold, pred: scorer(gold, pred, **settings)), references=name == OF_SCORER[-1])
    metrics, cases = imported("deepeval.metrics", INSTALL), imported("deepeval.test_case", INSTALL)

    def score(gold: Any, pred: str) -> Any:
        metric = getattr(metrics, name)(**settings)
        case = cases.LLMTestCase(input="question", actual_output=pred, expected_output=gold)
        return metric.measure(case, _show_indicator=False)

    return Adapted(each(score))
