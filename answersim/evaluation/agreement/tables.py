"""A correlation study as tables of text, for the terminal and for Markdown: three decimals, intervals and groups."""

from __future__ import annotations

import math
from collections.abc import Iterator

from answersim._base.text_tables import TextTable, interval, number, p_value, percent
from answersim.evaluation.agreement.coefficients.binary import BinaryRow
from answersim.evaluation.agreement.coefficients.rows import ALL, Comparison, CorrelationStudy, Row, Subset
from answersim.evaluation.agreement.coefficients.rows import chance as chance_of
from answersim.evaluation.agreement.coefficients.system_order import SystemOrderRow
from answersim.stats.intervals.resampling import Estimate


def tables(study: CorrelationStudy, name_of_coefficient: str | None = None) -> Iterator[TextTable]:
    """Yield one table of coefficients per subset, with interval and ceiling of one of them, then the differences.

    ``name_of_coefficient``: the coefficient whose interval and share of the ceiling are printed. JSON and CSV contain
    those of all coefficients. By default, the first one that was compared.
    """
    name_of_coefficient = leading(study) if name_of_coefficient is None else name_of_coefficient
    for subset in study.subsets:
        yield _coefficients(study, subset, name_of_coefficient)
        yield from _binary(study, subset)
        yield from _orders(study, subset)
    if study.settings.get("against"):
        for coefficient in study.settings["compare"]:
            yield _differences(study, coefficient)


def leading(study: CorrelationStudy) -> str:
    """Return the coefficient that leads the tables: the first of those that were compared."""
    compared: tuple[str, ...] = study.settings["compare"]
    return compared[0] if compared else "tau-b"


def footer(study: CorrelationStudy) -> list[str]:
    """Return the lines below a study: settings, what was left out, and the signature of each metric."""
    settings = study.settings
    lines = [
        f"{settings['level']:.0%} intervals: {settings['method']} bootstrap, {settings['resamples']:,} resamples of "
        f"the rows; p: {settings['test_resamples']:,}, Holm's correction within each coefficient and test; seed "
        f"{settings['seed']}",
        f"language of the answers: {study.lang}",
        *study.notes,
    ]
    signatures = {row.metric: row.signature for row in study.rows}
    return lines + [f"{metric}: {signed or 'scores as given'}" for metric, signed in signatures.items()]


def _coefficients(agreement: CorrelationStudy, subset: Subset, coefficient: str) -> TextTable:
    rows = [row for row in agreement.rows if row.subset == subset.name]
    if coefficient.startswith("auc"):
        return _by_auc(agreement, subset, coefficient, rows)
    names = _printed(list(dict.fromkeys(name for row in rows for name in row.measured)), subset, coefficient)
    header = ["metric"]
    for name in names:
        header += [name, f"{agreement.settings['level']:.0%}", "ceiling"] if name == coefficient else [name]
    lines = []
    blind = [row for row in agreement.baselines if row.subset == subset.name]
    for row in [*rows, *blind]:
        cells = [row.metric if row in rows else f"{row.metric} (baseline)"]
        for name in names:
            measured = row.measured[name]
            cells.append(number(measured.value))
            if name == coefficient:
                cells += [interval(measured.low, measured.high), percent(measured.share)]
        lines.append((*cells, percent(row.tied)))
    return TextTable(
        f"{subset.name} (n = {subset.n})",
        (*header, "tied"),
        tuple(lines),
        tuple(_notes(agreement, subset, coefficient)),
    )


def _by_auc(agreement: CorrelationStudy, subset: Subset, coefficient: str, rows: list[Row]) -> TextTable:
    """Return the table of a study that an AUC leads, with the highest first, and tests against the highest."""
    ranked = sorted(
        rows, key=lambda row: -_auc(row, coefficient) if _auc(row, coefficient) == _auc(row, coefficient) else math.inf
    )
    others = [name for name in ("tau-b", "pearson", "spearman") if any(name in row.measured for row in rows)]
    header = ["metric", coefficient, f"{agreement.settings['level']:.0%}"]
    tested = {
        frozenset((comparison.first, comparison.second)): comparison
        for comparison in agreement.comparisons
        if (comparison.subset, comparison.coefficient) == (subset.name, coefficient)
    }
    tests = [
        test for test in agreement.settings["tests"] if any(_p(comparison, test) for comparison in tested.values())
    ]
    with_tests = bool(tests) and not agreement.settings["against"]
    header += [f"p (Holm) against {ranked[0].metric}"] if with_tests else []
    lines = []
    blind = [row for row in agreement.baselines if row.subset == subset.name]
    for row in [*ranked, *blind]:
        estimate_of_row = row.measured.get(coefficient)
        cells = [row.metric if row in ranked else f"{row.metric} (baseline)"]
        cells += (
            ["-", ""]
            if estimate_of_row is None
            else [number(estimate_of_row.value), interval(estimate_of_row.low, estimate_of_row.high)]
        )
        if with_tests:
            comparison = tested.get(frozenset((row.metric, ranked[0].metric))) if row in ranked else None
            cells.append("" if comparison is None else p_value(getattr(comparison, f"holm_{tests[0]}")))
        cells += [number(row.measured[name].value) if name in row.measured else "-" for name in others]
        lines.append((*cells, percent(row.tied)))
    return TextTable(
        f"{subset.name} (n = {subset.n})",
        (*header, *others, "tied"),
        tuple(lines),
        tuple(_notes(agreement, subset, coefficient)),
    )


def _auc(row: Row, coefficient: str) -> float:
    return row.measured[coefficient].value if coefficient in row.measured else math.nan


def _printed(names: list[str], subset: Subset, coefficient: str) -> list[str]:
    """Return the coefficients that are printed: on labels of two values one correlation, and the AUC."""
    if len(subset.labels) != 2 or coefficient not in names:
        return names
    return [name for name in names if name == coefficient or name.startswith("auc")]


def _binary(agreement: CorrelationStudy, subset: Subset) -> Iterator[TextTable]:
    """Yield one table for the labels, and one for those of each rater, if they are yes and no."""
    binary_rows = [row for row in agreement.binary if row.subset == subset.name]
    for against in dict.fromkeys(row.against for row in binary_rows):
        rows = [row for row in binary_rows if row.against == against]
        header = ("column", *(_MEASURES.get(name, name) for name in rows[0].measures), "threshold")
        lines = [(_named(row), *map(_estimate, row.measures.values()), number(row.threshold)) for row in rows]
        first = rows[0]
        notes = (
            f"positive labels: {_estimate(first.prevalence)}; intervals over {first.clusters} questions or rows",
            "thresholds are cross-fitted over 10 folds; the column shows their median",
        )
        whose = "" if against == "label" else f", labels of {against}"
        yield TextTable(f"{subset.name}: agreement on yes and no{whose}", header, tuple(lines), notes)


def _orders(agreement: CorrelationStudy, subset: Subset) -> Iterator[TextTable]:
    """Yield the table of soft pairwise accuracy if the rows name systems."""
    rows = [row for row in agreement.orders if row.subset == subset.name]
    if rows:
        lines = [(_named(row), number(row.accuracy)) for row in rows]
        note = (
            f"{rows[0].systems} systems on {rows[0].questions:,} questions that all answered; 1 means that the column "
            "is as sure of the order of each two systems as the labels are (Thompson et al. 2024)"
        )
        yield TextTable(f"{subset.name}: order of systems", ("column", "soft pairwise accuracy"), tuple(lines), (note,))


_MEASURES = {"true_positive_rate": "TPR", "true_negative_rate": "TNR", "mcc": "MCC", "f1": "F1"}


def _named(row: BinaryRow | SystemOrderRow) -> str:
    """Return the name of a column, with its kind unless it is a metric."""
    return row.column if row.kind == "metric" else f"{row.column} ({row.kind})"


def _estimate(estimate: Estimate) -> str:
    """Format a number with its interval; a dash if it is not defined.

    >>> _estimate(Estimate(0.9, 0.85, 0.94)), _estimate(Estimate(float("nan"), 0.1, 0.2))
    ('0.900 (0.850 to 0.940)', '-')
    """
    return "-" if math.isnan(estimate.value) else f"{number(estimate.value)} ({interval(estimate.low, estimate.high)})"


def _notes(agreement: CorrelationStudy, subset: Subset, coefficient: str) -> Iterator[str]:
    labels = ", ".join(f"{value:g}: {times}" for value, times in subset.labels)
    highest = math.nan if coefficient == "pearson" else subset.ceilings.get(coefficient, math.nan)
    limit = "" if math.isnan(highest) else f"; a perfect ranking without ties has {coefficient} {number(highest)}"
    yield f"labels {labels}; annotators tie {percent(subset.tied)} of all pairs of rows{limit}"
    if len(subset.labels) == 2 and coefficient in agreement.coefficients and coefficient.startswith("auc"):
        yield "labels have two values, where tau-b rewards ties and the AUC does not; p: paired bootstrap"
    elif len(subset.labels) == 2 and coefficient in agreement.coefficients:
        yield f"labels have two values, so only {coefficient} is printed; the other correlations are in JSON and CSV"
    if subset.name == ALL and len(agreement.subsets) > 1:
        yield "all rows together mostly show which metric sees shared words; compare metrics by the subsets below"
    if subset.alpha:
        alphas = ", ".join(f"{name} {number(value)}" for name, value in subset.alpha.items())
        between = ", ".join(f"{name} {number(value)}" for name, value in subset.between_raters.items())
        yield f"raters: Krippendorff's alpha {alphas}; each against the mean of the others: {between}"
    if not math.isnan(chance_of(coefficient)) and coefficient in agreement.coefficients:
        best = agreement.best(subset.name, coefficient)
        if best.metric is None:
            chance = chance_of(coefficient)
            yield f"no metric agrees with the labels here: no interval of {coefficient} is above {chance:g}"
        if best.disagreeing:
            yield (
                f"these order the pairs against the labels, because their whole interval is below "
                f"{chance_of(coefficient):g}: {', '.join(best.disagreeing)}"
            )
    for group in agreement.groups:
        if group.subset == subset.name and len(group.metrics) > 1:
            yield f"not distinguishable by {group.coefficient}: {', '.join(group.metrics)}"


def _differences(agreement: CorrelationStudy, coefficient: str) -> TextTable:
    against = agreement.settings["against"]
    compared = [comparison for comparison in agreement.comparisons if comparison.coefficient == coefficient]
    tests = [test for test in agreement.settings["tests"] if any(_p(comparison, test) for comparison in compared)]
    header = ["subset", "metric", f"{coefficient} +", f"{agreement.settings['level']:.0%}"]
    header += [f"p {test} (Holm)" for test in tests]
    lines = [
        (
            *(
                comparison.subset,
                comparison.first,
                f"{comparison.difference:+.3f}",
                interval(comparison.low, comparison.high),
            ),
            *(
                f"{p_value(getattr(comparison, f'p_{test}'))} ({p_value(getattr(comparison, f'holm_{test}'))})"
                for test in tests
            ),
        )
        for comparison in compared
        if not math.isnan(comparison.difference)
    ]
    return TextTable(f"{coefficient} above that of {against}", tuple(header), tuple(lines))


def _p(comparison: Comparison, test: str) -> bool:
    return not math.isnan(getattr(comparison, f"p_{test}"))
