"""A correlation study as tables of text, for the terminal and for Markdown: three decimals, intervals and groups."""

from __future__ import annotations

import math
from collections.abc import Iterator

from answersim.agreement.results import ALL, Agreement, Comparison, Subset
from answersim.agreement.results import chance as chance_of
from answersim.text_tables import TextTable, escaped, interval, percent, table_line
from answersim.text_tables import number as number
from answersim.text_tables import printable as printable


def tables(found: Agreement, shown: str = "tau-b") -> Iterator[TextTable]:
    """Yield one table of coefficients per subset, with interval and ceiling of one of them, then the differences.

    Args:
        found: The study.
        shown: The coefficient whose interval and share of the ceiling are printed; the others' stand in JSON and CSV.
    """
    for subset in found.subsets:
        yield _coefficients(found, subset, shown)
    if found.settings.get("against"):
        for coefficient in found.settings["compare"]:
            yield _differences(found, coefficient)


def markdown(found: Agreement, shown: str = "tau-b") -> str:
    """Return the same tables in Markdown, followed by the settings and the signatures."""
    lines = [f"# Agreement of metrics with human labels: {escaped(found.name)}", ""]
    for table in tables(found, shown):
        lines += [f"## {escaped(table.title)}", "", table_line(table.header), table_line(["---"] * len(table.header))]
        lines += [*(table_line(row) for row in table.rows), ""]
        lines += [*(f"- {escaped(note)}" for note in table.notes), ""] if table.notes else []
    lines += [f"- {escaped(note)}" for note in closing(found)]
    return "\n".join(lines) + "\n"


def closing(found: Agreement) -> list[str]:
    """Return the lines below a study: settings, what was left out, and the signature of each metric."""
    settings = found.settings
    lines = [
        f"{settings['level']:.0%} intervals: {settings['method']} bootstrap, {settings['resamples']:,} resamples of "
        f"the rows; p: {settings['test_resamples']:,}, Holm within each coefficient and test; seed {settings['seed']}",
        *found.notes,
    ]
    signatures = {row.metric: row.signature for row in found.rows}
    return lines + [f"{metric}: {signed or 'scores as given'}" for metric, signed in signatures.items()]


def _coefficients(agreement: Agreement, subset: Subset, shown: str) -> TextTable:
    rows = [row for row in agreement.rows if row.subset == subset.name]
    names = list(dict.fromkeys(name for row in rows for name in row.measured))
    header = ["metric"]
    for name in names:
        header += [name, f"{agreement.settings['level']:.0%}", "of ceiling"] if name == shown else [name]
    lines = []
    for row in rows:
        cells = [row.metric]
        for name in names:
            one = row.measured[name]
            cells.append(number(one.value))
            if name == shown:
                cells += [interval(one.low, one.high), percent(one.share)]
        lines.append((*cells, percent(row.tied)))
    return TextTable(
        f"{subset.name} (n = {subset.n})", (*header, "tied"), tuple(lines), tuple(_notes(agreement, subset, shown))
    )


def _notes(agreement: Agreement, subset: Subset, shown: str) -> Iterator[str]:
    labels = ", ".join(f"{value:g}: {times}" for value, times in subset.labels)
    highest = math.nan if shown == "pearson" else subset.ceilings.get(shown, math.nan)
    limit = "" if math.isnan(highest) else f"; a perfect ranking without ties has {shown} {number(highest)}"
    yield f"labels {labels}; annotators tie {percent(subset.tied)} of all pairs of rows{limit}"
    if subset.name == ALL and len(agreement.subsets) > 1:
        yield "all rows together say mostly who sees shared words; a metric is judged by the subsets below"
    if not math.isnan(subset.alpha):
        between = ", ".join(f"{name} {number(value)}" for name, value in subset.between_raters.items())
        yield f"raters: Krippendorff's alpha {number(subset.alpha)}; each against the others' mean: {between}"
    if not math.isnan(chance_of(shown)) and shown in agreement.coefficients:
        best = agreement.best(subset.name, shown)
        if best.metric is None:
            yield f"no metric agrees with the labels here: no interval of {shown} is above {chance_of(shown):g}"
        if best.disagreeing:
            yield (
                f"these order the pairs against the labels, because their whole interval is below "
                f"{chance_of(shown):g}: {', '.join(best.disagreeing)}"
            )
    for group in agreement.groups:
        if group.subset == subset.name and len(group.metrics) > 1:
            yield f"not distinguishable by {group.coefficient}: {', '.join(group.metrics)}"


def _differences(agreement: Agreement, coefficient: str) -> TextTable:
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
                f"{chance(getattr(comparison, f'p_{test}'))} ({chance(getattr(comparison, f'holm_{test}'))})"
                for test in tests
            ),
        )
        for comparison in compared
        if not math.isnan(comparison.difference)
    ]
    return TextTable(f"{coefficient} above that of {against}", tuple(header), tuple(lines))


def _p(comparison: Comparison, test: str) -> bool:
    return not math.isnan(getattr(comparison, f"p_{test}"))


def chance(p: float) -> str:
    """Format a p with three decimals, "<.001" for smaller values, or "-" for nan.

    >>> chance(0.0213), chance(0.0004), chance(1.0)
    ('.021', '<.001', '1.000')
    """
    return "<.001" if p < 0.0005 else number(p)
