"""The result of an examination, and its forms: tables, JSON, Markdown, LaTeX and HTML."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from answersim._base.errors import unknown
from answersim._base.text_tables import (
    Figure,
    Page,
    Result,
    TextTable,
    figure_row,
    json_object,
    markdown_table,
    number,
    printable,
)
from answersim.metrics.testing.properties import Finding
from answersim.stats.intervals.resampling import Estimate

ALL = "all"
_WORST = 20  # misordered minimal pairs of each metric on a page


class KindRow(NamedTuple):
    """How often a metric orders the minimal pairs of one kind correctly.

    Attributes:
        kind: The kind, or "all".
        n: The number of minimal pairs.
        ordered: The share in which the rewrite scores above the close miss. Ties count half.
        tied: The share of ties.
    """

    kind: str
    n: int
    ordered: Estimate
    tied: float


class AttackRow(NamedTuple):
    """How often a pattern of wrong answers is accepted.

    Attributes:
        pattern: The name of the pattern, or of a group of answers to compare with.
        n: The number of answers.
        accepted: The share with a score of at least the threshold.
        example: The accepted answer with the highest score; "" if there is none.
    """

    pattern: str
    n: int
    accepted: Estimate
    example: str


class Misordered(NamedTuple):
    """A minimal pair whose close miss scores above the rewrite.

    Attributes:
        kind: The kind.
        family: The family.
        question: The question.
        gold: The gold answer.
        same: The rewrite.
        different: The close miss.
        same_score: The score of the rewrite.
        different_score: The score of the close miss.
    """

    kind: str
    family: str
    question: str
    gold: str
    same: str
    different: str
    same_score: float
    different_score: float


@dataclass(frozen=True)
class MetricReport:
    """The findings for one metric.

    Attributes:
        name: The name in tables.
        signature: The settings that determine its scores, as far as they are known.
        reads_questions: Whether it got the questions.
        kinds: The shares of minimal pairs in the right order; the first row is that of all kinds.
        findings: The properties.
        threshold: The score from which on an answer counts as accepted; nan if no attacks were run.
        threshold_origin: The origin of the threshold.
        attacks: The shares of accepted attacks, after two groups to compare with: rewrites and close misses.
        worst: The minimal pairs with the largest differences in the wrong order.
        seconds: The time of all calls of this metric, without scores that were computed for several metrics at once.
    """

    name: str
    signature: str
    reads_questions: bool
    kinds: tuple[KindRow, ...]
    findings: tuple[Finding, ...]
    threshold: float
    threshold_origin: str
    attacks: tuple[AttackRow, ...]
    worst: tuple[Misordered, ...]
    seconds: float

    @property
    def ordered(self) -> Estimate:
        """The share of all minimal pairs in the right order."""
        return self.kinds[0].ordered

    def finding(self, name: str) -> Finding:
        """Return the finding of this property. Raise LookupError if it was not checked."""
        for finding in self.findings:
            if finding.property == name:
                return finding
        raise unknown("property that was checked", name, [finding.property for finding in self.findings])


@dataclass(frozen=True)
class DoctorReport(Result):
    """What metrics see and what they do not: minimal pairs, properties, attacks.

    Attributes:
        metrics: One report per metric, in order.
        settings: The settings: language, part of the probe, tolerance, ...
    """

    metrics: tuple[MetricReport, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))

    def __getitem__(self, name: str) -> MetricReport:
        """Return the report on this metric. Raise LookupError if it was not examined."""
        for metric in self.metrics:
            if metric.name == name:
                return metric
        raise unknown("metric that was examined", name, [metric.name for metric in self.metrics])

    def __repr__(self) -> str:
        shares = ", ".join(f"{metric.name} {number(metric.ordered.value)}" for metric in self.metrics)
        return f"DoctorReport({shares})"

    def __str__(self) -> str:
        return self.to_markdown()

    def summary(self) -> list[str]:
        """Return the share of minimal pairs that each metric orders correctly, one sentence each."""
        return [
            f"{metric.name} orders {estimate(metric.ordered)} of {metric.kinds[0].n:,} minimal pairs correctly; "
            f"broken properties: {', '.join(f.property for f in metric.findings if f.holds is False) or 'none'}"
            for metric in self.metrics
        ]

    def tables(self, worst: int = 3) -> Iterator[TextTable]:
        """Yield the tables of minimal pairs, properties, attacks, and the worst minimal pairs.

        Args:
            worst: The maximum number of misordered minimal pairs per metric.
        """
        yield self._kinds()
        yield self._properties()
        broken = self._broken()
        if broken.rows:
            yield broken
        if any(metric.attacks for metric in self.metrics):
            yield self._attacks()
        examples = self._worst(worst)
        if examples.rows:
            yield examples

    def page(self) -> Page:
        """Return how many minimal pairs each metric orders correctly, and all tables."""
        rows = tuple(figure_row(metric.name, metric.ordered, 100) for metric in self.metrics)
        figure = Figure("Minimal pairs in the right order, %", rows, (0.0, 100.0), " %", ".0f")
        title = f"What {', '.join(metric.name for metric in self.metrics)} can see"
        return Page(title, self.summary(), [figure], list(self.tables(_WORST)), notes=self.footer())

    def _kinds(self) -> TextTable:
        by_metric = [{row.kind: (row.n, row.ordered) for row in metric.kinds} for metric in self.metrics]
        ties = ", ".join(f"{metric.name} {number(metric.kinds[0].tied)}" for metric in self.metrics)
        notes = (f"ties count half; share of ties: {ties}",)
        header = ("kind", "pairs", *(metric.name for metric in self.metrics))
        return TextTable("Minimal pairs in the right order", header, tuple(_share_rows(by_metric)), notes)

    def _properties(self) -> TextTable:
        by_metric = [{finding.property: finding for finding in metric.findings} for metric in self.metrics]
        names = dict.fromkeys(name for shares in by_metric for name in shares)
        rows = tuple((name, *(holds(shares.get(name)) for shares in by_metric)) for name in names)
        header = ("property", *(metric.name for metric in self.metrics))
        note = "no: how many of the cases break the property, and the largest difference; -: not checked"
        return TextTable("Properties", header, rows, (note,))

    def _broken(self) -> TextTable:
        rows = [
            (metric.name, finding.property, finding.detail)
            for metric in self.metrics
            for finding in metric.findings
            if finding.holds is False
        ]
        return TextTable("Broken properties", ("metric", "property", "the worst case"), tuple(rows))

    def _attacks(self) -> TextTable:
        by_metric = [{row.pattern: (row.n, row.accepted) for row in metric.attacks} for metric in self.metrics]
        notes = tuple(
            f"{metric.name}: accepted from {metric.threshold:.4g} on ({metric.threshold_origin})"
            for metric in self.metrics
            if metric.attacks
        )
        header = ("answer", "n", *(metric.name for metric in self.metrics))
        return TextTable("Wrong answers that are accepted", header, tuple(_share_rows(by_metric)), notes)

    def _worst(self, most: int) -> TextTable:
        rows = [
            (
                *(metric.name, row.kind, row.gold, row.same, number(row.same_score), row.different),
                number(row.different_score),
            )
            for metric in self.metrics
            for row in metric.worst[:most]
        ]
        header = ("metric", "kind", "gold", "same", "score", "different", "score")
        return TextTable("The worst minimal pairs", header, tuple(rows))

    def footer(self) -> list[str]:
        """Return the lines below the tables: settings and signatures."""
        form = "language {language}, part {part}; {level:.0%} intervals over families; tolerance {tolerance:g}"
        lines = [f"minimal pairs: {form.format_map(self.settings)}"] if self.settings else []
        return [*lines, *(f"{metric.name}: {metric.signature}" for metric in self.metrics)]

    def to_markdown(self, worst: int = 3) -> str:
        """Return the tables in Markdown."""
        lines = [line for table in self.tables(worst) for line in markdown_table(table)]
        return "\n".join([*lines, *(f"- `{printable(line)}`" for line in self.footer())]) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """Return the content as dictionaries, lists, numbers and strings for JSON, with None for nan."""
        return json_object({"settings": self.settings, "metrics": self.metrics})

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record per metric and kind, for a CSV file or a data frame."""
        return [
            {
                **{"metric": metric.name, "kind": row.kind, "n": row.n, "ordered": row.ordered.value},
                **{"low": row.ordered.low, "high": row.ordered.high, "tied": row.tied},
            }
            for metric in self.metrics
            for row in metric.kinds
        ]


def _share_rows(by_metric: Sequence[Mapping[str, tuple[int, Estimate]]]) -> Iterator[tuple[str, ...]]:
    """Yield a row per name: the number of cases, and the share of each metric."""
    for name in dict.fromkeys(name for shares in by_metric for name in shares):
        n = next(shares[name][0] for shares in by_metric if name in shares)
        yield (name, f"{n:,}", *(estimate(shares[name][1]) if name in shares else "-" for shares in by_metric))


def estimate(share: Estimate) -> str:
    """Return a share with its interval, if it has one."""
    if math.isnan(share.value):
        return "-"
    if math.isnan(share.low):
        return number(share.value, 2)
    return f"{number(share.value, 2)} [{number(share.low, 2)}, {number(share.high, 2)}]"


def holds(finding: Finding | None) -> str:
    """Return a finding in a few words, such as "no: 3 of 12, 0.250"."""
    if finding is None or finding.holds is None:
        return "-"
    if finding.property == "range":
        return f"{'yes' if finding.holds else 'no'}: {finding.detail}"
    if finding.holds:
        return "yes"
    largest = f", {number(finding.largest)}" if finding.largest >= 0.0005 else f", {finding.largest:.0e}"
    return f"no: {finding.broken} of {finding.cases}{largest if finding.largest else ''}"
