"""The metrics of a call: which one is meant, whether an object is one, its options, and the signature of its scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from answersim._base.arguments import shown
from answersim._base.device import Device
from answersim._base.signature import with_question
from answersim.calibration.storing import ANY, CalibrationLike, find
from answersim.calibration.verdicts import Verdicts, verdict_settings
from answersim.metrics.catalog import lookup
from answersim.types import Metric, OneNamed, reads_questions


def checked_metric(metric: Any) -> Metric:
    """Return this metric. Raise TypeError if it is none."""
    if isinstance(metric, type):
        raise TypeError(f"metric is the class {metric.__name__}, but it must be an object; give {metric.__name__}()")
    if not isinstance(metric, Metric):
        raise TypeError(
            f"metric is {shown(metric)}, but it must be a name, or an object with a signature that is called with pairs"
        )
    if not isinstance(metric.signature, str) or not metric.signature:
        raise TypeError(
            f"metric is {shown(metric)} with the signature {shown(metric.signature)}, but a signature is one line of "
            "text, such as 'mine|v:1'"
        )
    return metric


def options_of_each(metrics: Sequence[str | Metric], device: str | Device | None) -> list[dict[str, Any]]:
    """Return for each metric, in order, the options of its network."""
    if device is not None and (built := [metric for metric in metrics if isinstance(metric, Metric)]):
        raise TypeError(
            f"device is {str(device)!r}, but {built[0].signature} is already built: give the device to answersim.metric"
        )
    named = [name for name in metrics if isinstance(name, str)]
    by_name = lookup.network_options(named, device)
    return [by_name[metric] if isinstance(metric, str) else {} for metric in metrics]


def default_for(calibration: CalibrationLike | None) -> str:
    """Return the name of the metric of a calibration if it has one, else that of the default metric. See ``find``."""
    if calibration is not None and calibration != ANY:
        name = find(calibration).metric.get("name")
        if isinstance(name, str):
            return name
    return lookup.DEFAULT_METRIC


def named_metric(
    metric: OneNamed, calibration: CalibrationLike | Verdicts | None, lang: str, extract: Any = None
) -> tuple[str, Metric]:
    """Return name and metric of an analysis with one metric; None is that of the calibration, or the default."""
    if metric is None:
        metric = default_for(verdict_settings(calibration).calibration)
    if isinstance(metric, str):
        return metric, lookup.metric(metric, lang=lang, **({} if extract is None else {"extract": extract}))
    if extract is not None:
        raise TypeError("extract is given, but the metric is already built; give it to answersim.metric")
    if isinstance(metric, Mapping):
        if len(metric) != 1:
            raise TypeError(f"metric has {len(metric)} metrics by name, but one decides; give one")
        ((name, built),) = metric.items()
        return str(name), checked_metric(built)
    return checked_metric(metric).signature.split("|", 1)[0], metric


def signed(metric: Metric, has_question: bool) -> str:
    """Return the signature of the scores of this metric. ``has_question``: whether any question is not empty."""
    return with_question(metric.signature) if has_question and reads_questions(metric) else metric.signature
