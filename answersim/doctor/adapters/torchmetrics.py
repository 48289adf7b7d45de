"""Text metrics of torchmetrics: ``torchmetrics:SQuAD,key=f1``, ``torchmetrics:BERTScore,model_name_or_path=...``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from answersim.doctor.adapters.adapted import Adapted, imported, local_weights, one_of

DISTRIBUTION, INSTALL = "torchmetrics", "torchmetrics"
OF_BATCH = ("BERTScore",)  # they return one number per pair
_NESTED = ("BLEUScore", "SacreBLEUScore", "CHRFScore", "TranslationEditRate")  # a list of references per prediction
_SEVERAL = (*_NESTED, *OF_BATCH, "SQuAD", "ROUGEScore")


def adapt(what: str, **settings: Any) -> Adapted:
    """Return a class of ``torchmetrics.text``: BERTScore for all pairs of a call at once, all others pair by pair.

    An error rate, for which lower is better, is negated. ``settings``: settings of the class, and ``key``: the number
    to use if the metric returns several, such as "f1".
    """
    library = imported("torchmetrics.text", INSTALL)
    cls = getattr(library, one_of("torchmetrics", what, library.__all__))
    key = settings.pop("key", "f1" if what in OF_BATCH else None)
    if what in OF_BATCH:
        settings = local_weights(settings, "model_name_or_path")

    def of_batch(golds: list[Any], preds: list[str], questions: list[str] | None) -> Any:
        if not preds:
            return []
        metric = cls(**settings)
        metric.update(preds, golds)
        return metric.compute()[key].reshape(-1)

    shared = None if what in OF_BATCH else cls(**settings)
    sign = -1.0 if shared is not None and shared.higher_is_better is False else 1.0

    def one_by_one(golds: list[Any], preds: list[str], questions: list[str] | None) -> list[float]:
        return [sign * _number(_score(cls(**settings), what, *pair), what, key) for pair in zip(golds, preds)]  # noqa: B905

    return Adapted(of_batch if what in OF_BATCH else one_by_one, references=what in _SEVERAL)


def _score(metric: Any, what: str, gold: Any, pred: str) -> Any:
    """Return the result of a metric for one pair."""
    references = [gold] if isinstance(gold, str) else gold
    if what == "SQuAD":
        answers = {"text": references, "answer_start": [0] * len(references)}
        metric.update([{"prediction_text": pred, "id": "0"}], [{"answers": answers, "id": "0"}])
    elif what in _NESTED or what == "ROUGEScore":
        metric.update([pred], [references])
    else:
        metric.update([pred], [gold])
    return metric.compute()


def _number(result: Any, what: str, key: str | None) -> float:
    """Return the number of a result, or that of this key."""
    if not isinstance(result, Mapping):
        return float(result)
    if key not in result:
        raise TypeError(
            f"torchmetrics:{what} returns {', '.join(result)}; choose one by key=, such as key={next(iter(result))}"
        )
    return float(result[key])
