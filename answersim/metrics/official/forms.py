"""Gold answers that are not in the form of a benchmark, so that its rule scores them without a meaning."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from answersim._base.errors import GoldFormWarning
from answersim.metrics.official.choices import PREFIXES
from answersim.metrics.official.metric import OfficialMetric
from answersim.types import Pair

_NOTHING, _UNRELATED = "", "zz"  # predictions that give no answer
# What a right output looks like, for rules that look for a mark in the prediction and take the gold answer as it is.
_RIGHT = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))["right"]
_REMEDIES = {"math": "; to compare bare answers, give the option mode=pair"}


def unmet(metric: OfficialMetric, golds: Iterable[str]) -> GoldFormWarning | None:
    """Return how many gold answers the owner of a rule never meets; None if there are none.

    Such a gold answer gives a score to a prediction without an answer, because the rule reads nothing on both sides, as
    ``official:math`` does without a box. Or no prediction can have its score.

    >>> print(unmet(OfficialMetric("mmlu_pro", "correct_l2"), ["A", "Rome"]))
    official:mmlu_pro: 1 of 2 different gold answers, such as 'Rome', are not in the form of the benchmark: no
    prediction can be right for 1; docs/official.md states the form
    """
    texts = list(dict.fromkeys(golds))
    vacuous = [gold for gold in texts if _is_vacuous(metric, gold)]
    unreachable = [gold for gold in texts if not _is_reachable(metric, gold)]
    if not vacuous and not unreachable:
        return None
    example = f"{str.__str__((vacuous or unreachable)[0])!r:.60}"
    remedy = _REMEDIES.get(metric.profile, "")
    why = [f"a prediction without an answer is right for {len(vacuous):,}"] if vacuous else []
    why += [f"no prediction can be right for {len(unreachable):,}"] if unreachable else []
    n = len(vacuous) + len(unreachable)
    return GoldFormWarning(
        f"official:{metric.profile}: {n:,} of {len(texts):,} different gold answers, such as {example}, are not in the "
        f"form of the benchmark: {', '.join(why)}; docs/official.md states the form{remedy}"
    )


@lru_cache(maxsize=1 << 14, typed=True)
def _is_vacuous(metric: OfficialMetric, gold: str) -> bool:
    """Return whether a prediction without an answer scores. For an empty gold answer, an empty one is an answer."""
    return any(_score(metric, gold, pred) > 0 for pred in (_NOTHING, _UNRELATED) if pred or gold.strip())


@lru_cache(maxsize=1 << 14, typed=True)
def _is_reachable(metric: OfficialMetric, gold: str) -> bool:
    """Return whether an output with the gold answer, in the form that the rule looks for, has the highest score."""
    if metric.profile not in _RIGHT:
        return True
    prefix = PREFIXES[dict(metric.settings).get("lang", "en")]
    return _score(metric, gold, _RIGHT[metric.profile].format(gold=gold, prefix=prefix)) >= 1


def _score(metric: OfficialMetric, gold: str, pred: str) -> float:
    """Return the score of a pair; 0 if the owner's code raises an exception, which the metric reports by itself."""
    try:
        return float(metric([Pair(gold, pred)])[0])
    except ValueError:
        return 0.0
