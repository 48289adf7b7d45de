"""A correlation study as tables of text, for the terminal and for Markdown: three decimals, intervals and groups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from answersim._base.text_tables import TextTable, interval, number, p_value, percent
from answersim.evaluation.agreement.coefficients.binary import BinaryRow
from answersim.evaluation.agreement.coefficients.rows import ALL, Comparison, CorrelationStudy, Measured, Row, Subset
from answersim.evaluation.agreement.coefficients.rows import chance as chance_of
from answersim.evaluation.agreement.coefficients.system_order import SystemOrderRow
from answersim.stats.intervals.resampling import Estimate


def tables(study: CorrelationStudy) -> Iterator[TextTable]:
    """Yield one table of coefficients per subset, with interval and ceiling of the leading one, then the differences.

    JSON and CSV contain the intervals and the shares of the ceiling of all coefficients.
    """
    for subset in study.subsets:
        yield _coefficients(study, subset, leading(study))
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
    """Return the table of a subset. If an AUC leads, the highest is first, with tests of the others against it."""
    rows = [row for row in agreement.rows if row.subset == subset.name]
    names = list(dict.fromkeys(name for row in rows for name in row.measured))
    is_auc = coefficient.startswith("auc")
    if is_auc:
        rows.sort(key=lambda row: -value if (value := _of(row, coefficient).value) == value else math.inf)
        names = [coefficient, *(name for name in ("tau-b", "pearson", "spearman") if name in names)]
    elif len(subset.labels) == 2 and coefficient in names:
        names = [name for name in names if name == coefficient or name.startswith("auc")]
    p_of = _p_against(agreement, subset.name, coefficient, rows[0].metric) if is_auc else None
    beside = [f"{agreement.settings['level']:.0%}", *([] if is_auc else ["ceiling"])]
    beside += [f"p (Holm) against {rows[0].metric}"] if p_of is not None else []
    header = ["metric", *(head for name in names for head in (name, *(beside if name == coefficient else ())))]
    lines = []
    for row in [*rows, *(row for row in agreement.baselines if row.subset == subset.name)]:
        is_baseline = row not in rows
        cells = [f"{row.metric} (baseline)" if is_baseline else row.metric]
        for name in names:
            measured = _of(row, name)
            cells.append(number(measured.value))
            if name == coefficient:
                cells += [interval(measured.low, measured.high), *([] if is_auc else [percent(measured.share)])]
                cells += [] if p_of is None else ["" if is_baseline else p_of.get(row.metric, "")]
        lines.append((*cells, percent(row.tied)))
    notes = tuple(_notes(agreement, subset, coefficient))
    return TextTable(f"{subset.name} (n = {subset.n})", (*header, "tied"), tuple(lines), notes)


def _of(row: Row, coefficient: str) -> Measured:
    return row.measured.get(coefficient, Measured(math.nan))


def _p_against(agreement: CorrelationStudy, subset: str, coefficient: str, best: str) -> dict[str, str] | None:
    """Return p of the difference of each metric from the best, after Holm's correction; None without such tests."""
    compared = [row for row in agreement.comparisons if (row.subset, row.coefficient) == (subset, coefficient)]
    tests = _tests(agreement, compared)
    if not tests or agreement.settings["against"]:
        return None
    of_best = {(row.second if row.first == best else row.first): row for row in compared if best in row[2:4]}
    return {metric: p_value(getattr(row, f"holm_{tests[0]}")) for metric, row in of_best.items()}


def _tests(agreement: CorrelationStudy, compared: Sequence[Comparison]) -> list[str]:
    """Return the tests that have a p for any of the comparisons."""
    return [
        test
        for test in agreement.settings["tests"]
        if not all(math.isnan(getattr(comparison, f"p_{test}")) for comparison in compared)
    ]


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
    """Format a number with its interval, as in "0.900 (0.850 to 0.940)"; a dash if it is not defined."""
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
    compared = [comparison for comparison in agreement.comparisons if comparison.coefficient == coefficient]
    tests = _tests(agreement, compared)
    header = ["subset", "metric", f"{coefficient} +", f"{agreement.settings['level']:.0%}"]
    header += [f"p {test} (Holm)" for test in tests]
    lines = []
    for row in compared:
        if not math.isnan(row.difference):
            cells = (row.subset, row.first, f"{row.difference:+.3f}", interval(row.low, row.high))
            tested = ((p_value(getattr(row, f"{kind}_{test}")) for kind in ("p", "holm")) for test in tests)
            lines.append((*cells, *(f"{p} ({corrected})" for p, corrected in tested)))
    return TextTable(f"{coefficient} above that of {agreement.settings['against']}", tuple(header), tuple(lines))
