"""The correlation study: how far each metric agrees with annotators, how certain that is, and which metrics differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from answersim._base.arguments import one_or_several, text, texts, whole
from answersim._base.arguments import seed as seed_of
from answersim._base.arrays import FloatArray
from answersim._base.errors import unknown
from answersim._base.signature import asks_question
from answersim.calibration.scores import Scores
from answersim.evaluation.agreement.coefficients.binary import baselines, binary_rows
from answersim.evaluation.agreement.coefficients.comparing import (
    TESTS,
    comparisons_of,
    enough,
    groups_of,
    too_few,
    with_holm,
)
from answersim.evaluation.agreement.coefficients.measuring import (
    CORRELATIONS,
    Settings,
    columns_of,
    label_cuts,
    subset_of,
)
from answersim.evaluation.agreement.coefficients.rows import PAIRWISE
from answersim.evaluation.agreement.coefficients.system_order import system_order_rows
from answersim.evaluation.agreement.judgments import Judgments, judgments
from answersim.evaluation.agreement.results import Agreement
from answersim.evaluation.agreement.subsets import subsets
from answersim.metrics.catalog.lookup import reads_question
from answersim.stats.few_labels.stratified import INCLUSION
from answersim.stats.intervals.resampling import Bootstrap, bootstrap_settings
from answersim.types import Metric, OneOrSeveral, reads_questions

METHODS = ("percentile", "bca")
SMALLEST = 10  # rows below which a subset is left out
_MOST_BCA = 10_000  # rows; the leave-one-out coefficients of more take n * n bytes

_RUNNING = ("profile", "device", "progress", "cache")  # settings of metrics, for data of every kind


def correlate(
    data: Any,
    metric: OneOrSeveral = (),
    *,
    label: str | Sequence[str] | None = None,
    by: Sequence[str] = (),
    against: str | None = None,
    compare: Sequence[str] | None = None,
    tests: Sequence[str] | None = None,
    test_resamples: int | None = None,
    method: str = "percentile",
    bootstrap: Bootstrap = Bootstrap(),
    **reading: Any,
) -> Agreement:
    """Measure how far metrics agree with annotators, with intervals, ceilings and tests of their differences.

    Args:
        data: ``Judgments``, or what ``judgments.judgments`` reads: a file, a DataFrame, columns by name.
        metric: One or several metrics to compute for the study. Scores in the data are studied too.
        label: The column of the labels, or the columns of several raters (for data that are to be read); "label" if
            None.
        by: Subsets besides F1 = 0 and F1 != 0: by columns, or by "length", "question" or "lang".
        against: A metric that all others are compared with. By default, all metrics are compared with each other, and
            indistinguishable ones are grouped.
        compare: The coefficients whose differences are tested: "pearson", "spearman", "tau-b", "tau-c", "pairwise" or
            "auc>=LABEL". The first one leads the tables. If None, it is the AUC if the labels have two values, because
            tau-b then rewards ties, and otherwise "tau-b".
        tests: "bootstrap" (paired) and "permutation" (PERM-BOTH). The default is both with ``against``, and otherwise
            the bootstrap, because permutations take long for all pairs.
        test_resamples: The number n of resamples and permutations for each p. The default is ``bootstrap.resamples``,
            raised so that the smallest possible p, 1 / (n + 1), can be significant after Holm's correction, up to
            10,000. A note reports if that is too few.
        method: "percentile" or "bca"; the intervals of differences are percentile ones.
        bootstrap: The coverage of the intervals, the number of resamples, and the seed, or the generator that gives
            one. The resamples of a subset depend on its name only.
        reading: Further settings of ``judgments``: gold=, pred=, question=, scores=, lang=, profile=, device= ...

    Returns:
        An ``Agreement``. Every coefficient over every subset of at least 10 rows, nan for constant scores; smaller
        subsets are left out with a note. The p of a comparison is (c + 1) / (n + 1) in resampling; Holm's correction
        is over all comparisons by the same coefficient and test. A group contains metrics that do not differ
        significantly (corrected p of the bootstrap, else of the permutation test). The epsilon of "pairwise" is
        found on all rows of the subset and kept in its resamples.

    Raises:
        LookupError: If no metric, column, coefficient, test or method has this name.
        ValueError: If there are no scores, the level is not between 0 and 1, ``method="bca"`` is given for more than
            10,000 rows, ...
        TypeError: If reading settings are given for data that are ``Judgments`` already.

    >>> pairs = {"gold": ["Rome"] * 12, "pred": ["in Rome", "Oslo", "rome"] * 4}
    >>> pairs["label"] = [1, 0, 2] * 4
    >>> found = correlate(pairs, ["f1", "em"])
    >>> taus = [row.measured["tau-b"].value for row in found.rows[:2]]
    >>> [round(tau, 3) for tau in taus]
    [1.0, 0.816]
    """
    metrics, by = metric if isinstance(metric, Mapping) else one_or_several("metric", metric), texts("by", by)
    against = None if against is None else text("against", against)
    compared = () if compare is None else tuple(texts("compare", compare))
    tests = None if tests is None else texts("tests", tests)
    level, resamples = bootstrap_settings(bootstrap).level, bootstrap.resamples
    draws = None if test_resamples is None else whole("test_resamples", test_resamples)
    method = text("method", method)
    if draws is not None and draws < 1:
        raise ValueError(f"{draws} resamples are too few; give at least 1, and 1,000 for a reliable interval")
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    chosen = (TESTS if against else ("bootstrap",)) if tests is None else tuple(tests)
    for test in chosen:
        if test not in TESTS:
            raise unknown("test", test, TESTS)
    seed = seed_of("rng", bootstrap.rng)
    judged = _scored(data, label, by, metrics, reading)
    compared = (leading(judged.labels),) if compare is None else compared
    settings = Settings(level, resamples, draws, method, compared, against, chosen, seed)
    _check(judged, settings)
    return _study(judged, by, settings)


def _scored(
    data: Any,
    label: str | Sequence[str] | None,
    by: Sequence[str],
    metrics: Sequence[str | Metric] | Mapping[str, Metric],
    reading: Mapping[str, Any],
) -> Judgments:
    """Return the labeled pairs with the scores of these metrics."""
    of_data = {key: value for key, value in reading.items() if key not in _RUNNING}
    if not isinstance(data, Judgments):
        of_data = {"columns": [name for name in by if name not in ("length", "question", "lang")]} | of_data
        judged = judgments(data, label="label" if label is None else label, **of_data)
    elif label is not None:
        raise TypeError(f"label is {label!r}, but the data are Judgments, which have labels; leave it out")
    elif of_data:
        raise TypeError(f"{min(of_data)}= sets how data are read, but the data are Judgments already; leave it out")
    else:
        judged = data
    options = {key: value for key, value in reading.items() if key in _RUNNING and value is not None}
    if metrics or set(options) - {"progress", "cache"}:
        judged = judged.scored(metrics, **options)
    several = list(metrics.values()) if isinstance(metrics, Mapping) else metrics
    _check_question(judged, reading.get("question"), several, by)
    return judged


def _study(judged: Judgments, by: Sequence[str], settings: Settings) -> Agreement:
    """Return the results over all subsets that are large enough."""
    parts = subsets(judged, by)
    notes = _unequal(judged) + [
        f"{name} is left out: it has {mask.sum()} rows, but at least {SMALLEST} are needed"
        for name, mask in parts.items()
        if mask.sum() < SMALLEST
    ]
    parts = {name: mask for name, mask in parts.items() if mask.sum() >= SMALLEST}
    if settings.test_resamples is None:
        settings = settings._replace(test_resamples=enough(settings, len(judged.scores), len(parts)))
    notes += too_few(settings, len(judged.scores), len(parts))
    results = [_of_subset(judged.where(mask), name, settings) for name, mask in parts.items()]
    rows_by_kind: dict[str, Any] = {
        name: tuple(row for result in results for row in result[name]) for name in results[0]
    }
    comparisons = with_holm(rows_by_kind.pop("comparisons"))
    return Agreement(
        *(judged.name, judged.lang),
        comparisons=tuple(comparisons),
        groups=() if settings.against else tuple(groups_of(rows_by_kind["rows"], comparisons, settings)),
        settings=settings._asdict() | {"by": tuple(by), "label_cuts": label_cuts(judged.labels)},
        notes=tuple(notes),
        judged=judged,
        **rows_by_kind,
    )


def _of_subset(judgments: Judgments, name: str, settings: Settings) -> dict[str, list[Any]]:
    """Return the results over the pairs of one subset, by the attribute of ``Agreement``."""
    columns = columns_of(judgments, name, settings)
    blind = replace(judgments, scores={baseline: Scores(values) for baseline, values in baselines(judgments).items()})
    level, resamples, seed = settings.level, settings.resamples, settings.seed
    return {
        "subsets": [subset_of(judgments, name)],
        "rows": [column.row for column in columns.values()],
        "comparisons": list(comparisons_of(judgments, name, columns, settings)),
        "binary": list(binary_rows(judgments, name, level=level, resamples=resamples, seed=seed)),
        "orders": list(system_order_rows(judgments, name, seed=seed)),
        "baselines": [column.row for column in columns_of(blind, name, settings).values()],
    }


def _unequal(judged: Judgments) -> list[str]:
    """Return a note if the column "inclusion", as of ``answersim label``, states unequal probabilities."""
    try:
        shares = [float(value) for value in judged.columns.get(INCLUSION, ()) if value not in (None, "")]
    except (TypeError, ValueError):  # a column of something else
        return []
    if not shares or np.isclose(min(shares), max(shares)):
        return []
    return [
        f"the labeled rows were drawn with probabilities from {min(shares):.3g} to {max(shares):.3g} (column "
        f"{INCLUSION!r}). No coefficient is weighted, so all describe the labeled rows, and not the file of the sample"
    ]


def leading(labels: FloatArray) -> str:
    """Return the coefficient that leads a study with these labels: the AUC if they have two values, else tau-b."""
    values = np.unique(labels)
    return f"auc>={values[1]:g}" if len(values) == 2 else "tau-b"


def _check_question(judged: Judgments, column: Any, metrics: Sequence[str | Metric], by: Sequence[str]) -> None:
    """Raise a ValueError for a column of questions that nothing in the study reads."""
    if column is None or "question" in by or any(asks_question(scores.signature) for scores in judged.scores.values()):
        return
    reads = (reads_question(metric) if isinstance(metric, str) else reads_questions(metric) for metric in metrics)
    if not any(judged.questions or ()) and any(reads):
        return  # there is a reader, but every question is empty
    names = ", ".join(metric if isinstance(metric, str) else metric.signature.split("|", 1)[0] for metric in metrics)
    raise ValueError(
        f"question is {column!r}, but {names or 'no metric that is computed'} reads no question and by= has no "
        "'question'; leave it out, or give a metric that reads questions"
    )


def _check(judged: Judgments, settings: Settings) -> None:
    if not judged.scores:
        raise ValueError(f"{judged.name} has no scores; name metrics to compute, or columns of scores")
    if len(judged) < SMALLEST:
        raise ValueError(f"{judged.name} has {len(judged)} labeled pairs, but at least {SMALLEST} are needed")
    if judged.labels.min() == judged.labels.max():
        raise ValueError(
            f"{judged.name}: every label is {judged.labels[0]:g}, and no correlation with a constant is defined; give "
            "labels that differ"
        )
    for name, column in judged.scores.items():
        if not np.isfinite(column.values).all():
            raise ValueError(
                f"{judged.name}: the scores {name} contain {column.values[~np.isfinite(column.values)][0]}; leave "
                f"them out"
            )
    if settings.against is not None and settings.against not in judged.scores:
        raise unknown("metric of the study", settings.against, judged.scores)
    coefficients = [*CORRELATIONS, PAIRWISE, *(f"auc>={cut:g}" for cut in label_cuts(judged.labels))]
    for name in settings.compare:
        if name not in coefficients:
            raise unknown("coefficient", name, coefficients)
    if settings.method == "bca" and len(judged) > _MOST_BCA:
        raise ValueError(
            f"method is 'bca', which needs {len(judged)} leave-one-out samples; above {_MOST_BCA} rows, use "
            "'percentile'"
        )
