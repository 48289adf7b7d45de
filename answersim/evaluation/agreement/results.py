"""The result of a correlation study: its content as tables, JSON and data frames."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from answersim._base.errors import unknown
from answersim._base.text_tables import (
    Page,
    Result,
    TextTable,
    escaped,
    interval,
    json_object,
    markdown_page,
    number,
    p_value,
    percent,
    with_interval,
)
from answersim.evaluation.agreement.coefficients.binary import BinaryRow
from answersim.evaluation.agreement.coefficients.rows import (
    ALL,
    PAIRWISE,
    Best,
    Comparison,
    Group,
    Measured,
    Row,
    Subset,
    chance,
)
from answersim.evaluation.agreement.coefficients.system_order import SystemOrderRow
from answersim.evaluation.agreement.judgments import Judgments
from answersim.evaluation.agreement.pages import categories, errors, figures, pairs_listing
from answersim.stats.intervals.resampling import Estimate


@dataclass(frozen=True)
class Agreement(Result):
    """A correlation study: how far each metric agrees with annotators, and how certain that is."""

    name: str  # the name of the set
    lang: str  # the language of its answers
    subsets: tuple[Subset, ...]  # in the order of the rows; the first is "all"
    rows: tuple[Row, ...]  # subset by subset, in each the metrics in the order they were given
    comparisons: tuple[Comparison, ...] = ()  # subset by subset, coefficient by coefficient
    groups: tuple[Group, ...] = ()  # indistinguishable metrics, if all pairs were compared
    # the settings of the study: level, resamples, interval method, seed, comparisons and tests
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # remarks for the reader: subsets left out as too small, metrics left out
    # the agreement of metrics, baselines and raters with the labels, if labels are yes and no
    binary: tuple[BinaryRow, ...] = ()
    # subset by subset, the coefficients of the columns that ignore the gold answers: "length" (few words score high)
    # and "constant". They are in no comparison and no group.
    baselines: tuple[Row, ...] = ()
    # how columns order systems, if a column "system" names systems that answered the same questions
    orders: tuple[SystemOrderRow, ...] = ()

    # the pairs with their labels and scores, for a page; None of a study that was made from numbers
    judged: Judgments | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))

    @property
    def n(self) -> int:
        """The number of all rows."""
        return self.subsets[0].n

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics in the order of the rows."""
        return tuple(dict.fromkeys(row.metric for row in self.rows))

    @property
    def coefficients(self) -> tuple[str, ...]:
        """The names of all coefficients, in the order of the rows."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row.measured))

    @property
    def _leading(self) -> str:
        """The coefficient that leads the tables: the first of those that were compared."""
        compared: tuple[str, ...] = self.settings["compare"]
        return compared[0] if compared else "tau-b"

    def row(self, metric: str, subset: str = ALL) -> Row:
        """Return the row of this metric and subset. Raise LookupError with the nearest name if there is none."""
        for row in self.rows:
            if (row.metric, row.subset) == (metric, subset):
                return row
        if metric not in self.metrics:
            raise unknown("metric of the study", metric, self.metrics)
        raise unknown("subset of the study", subset, [known.name for known in self.subsets])

    def best(self, subset: str = ALL, coefficient: str = "tau-b") -> Best:
        """Return the metric that agrees best with the labels, decided by the intervals.

        Raise LookupError if no subset or coefficient has this name, ValueError if chance is unknown for this
        coefficient ("pairwise").
        """
        level = chance(coefficient)
        if math.isnan(level):
            raise ValueError(f"{coefficient!r} has no known value for chance; use another coefficient")
        if subset not in (names := [known.name for known in self.subsets]):
            raise unknown("subset of the study", subset, names)
        if coefficient not in self.coefficients:
            raise unknown("coefficient", coefficient, self.coefficients)
        rows = [row for row in self.rows if row.subset == subset and coefficient in row.measured]
        measured = {row.metric: row.measured[coefficient] for row in rows}
        agreeing = {name: estimate.value for name, estimate in measured.items() if estimate.low > level}
        against = tuple(name for name, estimate in measured.items() if estimate.high < level)
        if not agreeing:
            return Best(subset, coefficient, None, (), against)
        first = max(agreeing, key=agreeing.__getitem__)
        groups = [
            group.metrics for group in self.groups if group[:2] == (subset, coefficient) and first in group.metrics
        ]
        near = dict.fromkeys(name for names in groups for name in names if name != first)
        return Best(subset, coefficient, first, tuple(near), against)

    def summary(self) -> list[str]:
        """Return one sentence per subset: the metric that agrees best with the labels, and its rivals."""
        coefficient = self._leading
        return [
            f"{self.name}, {subset.name} ({subset.n:,} pairs): {self._best(subset.name, coefficient)}"
            for subset in self.subsets
        ]

    def _best(self, subset: str, coefficient: str) -> str:
        if math.isnan(chance(coefficient)):
            return f"{len(self.metrics)} metrics were compared by {coefficient}"
        best = self.best(subset, coefficient)
        if best.metric is None:
            return f"no metric agrees with the labels by {coefficient}"
        value = self.row(best.metric, subset).measured[coefficient]
        rivals = f"; not distinguishable from it: {', '.join(best.rivals)}" if best.rivals else ""
        return f"{best.metric} agrees best with the labels, {coefficient} {with_interval(value, '.3f')}{rivals}"

    def tables(self) -> Iterator[TextTable]:
        """Yield one table of coefficients per subset, then the differences.

        JSON and CSV contain the intervals and the shares of the ceiling of all coefficients.
        """
        for subset in self.subsets:
            yield _coefficients(self, subset, self._leading)
            yield from _binary(self, subset)
            yield from _orders(self, subset)
        if self.settings.get("against"):
            for coefficient in self.settings["compare"]:
                yield _differences(self, coefficient)

    def page(self) -> Page:
        """Return which metric agrees best, its intervals, the tables, and the pairs on which it is wrong."""
        coefficient = self._leading
        title = f"{self.name}: metrics against human labels"
        charts, tables, listing = figures(self.rows, coefficient), list(self.tables()), None
        if self.judged is not None:
            best = charts[0].rows[0].name if charts else self.metrics[0]
            kinds = categories(self.judged)
            tables += [] if kinds is None else [errors(self.judged, best, kinds)]
            listing = pairs_listing(self.judged, best, kinds)
        return Page(title, self.summary(), charts, tables, listing, self.footer())

    def footer(self) -> list[str]:
        """Return the settings, what was left out, and the signature of each metric."""
        settings = self.settings
        lines = [
            f"{settings['level']:.0%} intervals: {settings['method']} bootstrap, {settings['resamples']:,} resamples "
            f"of the rows; p: {settings['test_resamples']:,}, Holm's correction within each coefficient and test; "
            f"seed {settings['seed']}",
            f"language of the answers: {self.lang}",
            *self.notes,
        ]
        signatures = {row.metric: row.signature for row in self.rows}
        return lines + [f"{metric}: {signed or 'scores as given'}" for metric, signed in signatures.items()]

    def __str__(self) -> str:
        return "\n".join(self.summary())

    def to_markdown(self) -> str:
        """Return the tables in Markdown, followed by the settings and the signatures."""
        heading = f"# Agreement of metrics with human labels: {escaped(self.name)}"
        return markdown_page([heading, ""], self.tables(), self.footer())

    def to_dict(self) -> dict[str, Any]:
        """Return the content as dictionaries, lists, numbers and strings for JSON, with None for nan."""
        content: dict[str, Any] = {name: getattr(self, name) for name in ("name", "lang", "n", "settings", "subsets")}
        content |= {"rows": list(map(_row, self.rows)), "comparisons": self.comparisons, "groups": self.groups}
        with_chance = [name for name in self.coefficients if not math.isnan(chance(name))]
        best = [self.best(subset.name, name) for subset in self.subsets for name in with_chance]
        content |= {"notes": self.notes, "best": best}
        further = {"binary": self.binary, "baselines": list(map(_row, self.baselines)), "orders": self.orders}
        return json_object(content | {name: rows for name, rows in further.items() if rows})

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record per metric, subset and coefficient, for a CSV file or a data frame."""
        return [
            {
                **{name: getattr(row, name) for name in ("subset", "metric", "n", "distinct", "tied")},
                "coefficient": name,
                **measured._asdict(),
                "epsilon": row.epsilon if name == PAIRWISE else math.nan,
                "signature": row.signature,
            }
            for row in self.rows
            for name, measured in row.measured.items()
        ]


def _row(row: Row) -> dict[str, Any]:
    return {
        **{name: getattr(row, name) for name in ("subset", "metric", "n", "distinct", "tied", "epsilon")},
        "constant": row.constant,
        "signature": row.signature,
        "coefficients": row.measured,
    }


def _coefficients(agreement: Agreement, subset: Subset, coefficient: str) -> TextTable:
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


def _p_against(agreement: Agreement, subset: str, coefficient: str, best: str) -> dict[str, str] | None:
    """Return p of the difference of each metric from the best, after Holm's correction; None without such tests."""
    compared = [row for row in agreement.comparisons if (row.subset, row.coefficient) == (subset, coefficient)]
    tests = _tests(agreement, compared)
    if not tests or agreement.settings["against"]:
        return None
    of_best = {(row.second if row.first == best else row.first): row for row in compared if best in row[2:4]}
    return {metric: p_value(getattr(row, f"holm_{tests[0]}")) for metric, row in of_best.items()}


def _tests(agreement: Agreement, compared: Sequence[Comparison]) -> list[str]:
    """Return the tests that have a p for any of the comparisons."""
    return [
        test
        for test in agreement.settings["tests"]
        if not all(math.isnan(getattr(comparison, f"p_{test}")) for comparison in compared)
    ]


def _binary(agreement: Agreement, subset: Subset) -> Iterator[TextTable]:
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


def _orders(agreement: Agreement, subset: Subset) -> Iterator[TextTable]:
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


def _notes(agreement: Agreement, subset: Subset, coefficient: str) -> Iterator[str]:
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
    if not math.isnan(chance(coefficient)) and coefficient in agreement.coefficients:
        best = agreement.best(subset.name, coefficient)
        if best.metric is None:
            level = chance(coefficient)
            yield f"no metric agrees with the labels here: no interval of {coefficient} is above {level:g}"
        if best.disagreeing:
            yield (
                f"these order the pairs against the labels, because their whole interval is below "
                f"{chance(coefficient):g}: {', '.join(best.disagreeing)}"
            )
    for group in agreement.groups:
        if group.subset == subset.name and len(group.metrics) > 1:
            yield f"not distinguishable by {group.coefficient}: {', '.join(group.metrics)}"


def _differences(agreement: Agreement, coefficient: str) -> TextTable:
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
