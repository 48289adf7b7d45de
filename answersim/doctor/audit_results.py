"""The result of an audit: how often a verifier errs, on what, and what that does to systems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from answersim.doctor.rewards import RewardExamination, shares
from answersim.evaluation.labeled_shares import LabeledShare
from answersim.stats.error_rates import ErrorRates
from answersim.stats.resampling import Estimate
from answersim.text_tables import Result, TextTable, counted, number

Order: TypeAlias = Literal["kept", "reversed", "open"]


class RateRow(NamedTuple):
    """The error rates on one subset."""

    subset: str  # "all", a system, or a value of a column
    n: int  # the number of answers
    labels: int  # how many have a label
    accepted: float  # the share that the verifier accepts
    rates: ErrorRates | None  # the error rates; None if there are too few labels. ``why`` is the reason then.
    why: str = ""  # why there are none; "" if there are


class SystemShare(NamedTuple):
    """The share of right answers of one system."""

    system: str  # the system
    n: int  # the number of answers
    accepted: Estimate  # the share that the verifier accepts, with its interval over clusters
    corrected: LabeledShare | None  # the share that the labels imply; None without labels of this system


class PairOrder(NamedTuple):
    """The order of two systems by the labels, and whether the verifier keeps it."""

    better: str  # the system with more right answers by the labels
    worse: str  # the other one
    order: Order  # "kept" or "reversed" if the two corrected intervals do not overlap, else "open"
    by_verifier: float  # the difference of the shares that the verifier accepts
    by_labels: float  # the difference of the corrected shares


class AbstentionRow(NamedTuple):
    """Answers of one kind: attempts, refusals and empty answers, or those without a verdict."""

    what: str  # the kind
    n: int  # how many answers are of this kind
    accepted: Estimate  # the share of them that is accepted; nan if there are none


class Repeatability(NamedTuple):
    """The same answers a second time, in reverse order."""

    n: int  # the number of answers
    changed: Estimate  # the share of verdicts that changed


@dataclass(frozen=True)
class Audit(Result):
    """How far a verifier can be trusted.

    Attributes:
        verifier: What was audited.
        signature: What decides its verdicts, as far as it is known.
        name: The name of the data.
        rates: The error rates: all answers, then each system and subset.
        systems: The shares of right answers.
        orders: The order of each pair of labeled systems.
        abstentions: What the verifier does with answers that answer nothing, and where it has no verdict.
        repeated: The same answers twice; None if the verdicts are recorded.
        attacks: Attacks and right answers in other spellings; None if they were not made.
        seconds: The time for 1,000 answers; nan if the verdicts are recorded.
        level: The coverage of the intervals.
        notes: Remarks for the reader.
    """

    verifier: str
    signature: str
    name: str
    rates: tuple[RateRow, ...]
    systems: tuple[SystemShare, ...]
    orders: tuple[PairOrder, ...]
    abstentions: tuple[AbstentionRow, ...]
    repeated: Repeatability | None
    attacks: RewardExamination | None
    seconds: float
    level: float
    notes: tuple[str, ...] = ()

    def summary(self) -> list[str]:
        """Return the error rates on all answers, the order of systems, and the attacks, a sentence each."""
        whole = self.rates[0]
        lines = [f"{self.verifier} accepts {whole.accepted:.1%} of {counted(whole.n, 'answer')}".replace("%", " %")]
        if (rates := whole.rates) is not None:
            lines[0] = (
                f"{self.verifier} accepts {_share(rates.false_positive)} of the wrong answers and rejects "
                f"{_share(rates.false_negative)} of the right ones, by {counted(whole.labels, 'label')} of "
                f"{counted(whole.n, 'answer')}"
            )
        if self.orders:
            kinds = {kind: sum(pair.order == kind for pair in self.orders) for kind in ("kept", "reversed", "open")}
            lines.append("pairs of systems: " + ", ".join(f"{n} {kind}" for kind, n in kinds.items()))
        if self.attacks is not None:
            lines += self.attacks.summary()
        return lines

    def tables(self, shown: int | None = None) -> Iterator[TextTable]:
        """Yield the tables that the audit has: rates, systems, orders, abstentions, attacks and spellings.

        Args:
            shown: The largest number of rows of the tables of attacks and spellings; all if None.
        """
        yield TextTable("Errors of the verdicts", _RATES, tuple(map(_rate_line, self.rates)))
        yield TextTable("Share of right answers", _SYSTEMS, tuple(map(_system_line, self.systems)))
        if self.orders:
            orders = [
                (f"{o.better} > {o.worse}", o.order, _points(o.by_verifier), _points(o.by_labels)) for o in self.orders
            ]
            yield TextTable("Order of systems", ("by the labels", "verifier", "difference", "by labels"), tuple(orders))
        abstentions = [(row.what, f"{row.n:,}", _share(row.accepted)) for row in self.abstentions]
        yield TextTable("Abstentions", ("answers", "n", "accepted"), tuple(abstentions))
        if self.repeated is not None:
            again = (f"{self.repeated.n:,}", shares(self.repeated.changed))
            yield TextTable("The same answers twice", ("n", "changed verdicts"), (again,))
        if self.attacks is not None:
            yield from (table._replace(rows=table.rows[:shown]) for table in self.attacks.tables())

    def footer(self) -> list[str]:
        """Return the signature, the intervals, the speed and the notes."""
        lines = [self.signature, f"{self.level:.0%} intervals"]
        if self.seconds == self.seconds:
            lines.append(f"{self.seconds:.3g} seconds for 1,000 answers")
        return [*lines, *self.notes]

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record per subset."""
        return [
            {"subset": row.subset, "n": row.n, "labels": row.labels, "accepted": row.accepted, "why": row.why}
            | {
                f"{name}{end}": value
                for name, estimate in (row.rates._asdict() if row.rates else {}).items()
                for end, value in zip(("", "_low", "_high"), estimate, strict=True)
            }
            for row in self.rates
        ]


_RATES = ("subset", "n", "labels", "accepted", "false positives", "false negatives", "accuracy", "kappa", "right")
_SYSTEMS = ("system", "n", "accepted", "right, corrected by labels", "labels are worth")


def _rate_line(row: RateRow) -> tuple[str, ...]:
    first = (row.subset, f"{row.n:,}", f"{row.labels:,}", f"{row.accepted:.1%}".replace("%", " %"))
    if row.rates is None:
        return (*first, "-", "-", "-", "-", "-")
    rates = row.rates
    errors = [_share(rate) for rate in (rates.false_positive, rates.false_negative, rates.accuracy)]
    kappa = "-"
    if rates.kappa.value == rates.kappa.value:
        kappa = f"{number(rates.kappa.value)} [{number(rates.kappa.low)}, {number(rates.kappa.high)}]"
    return (*first, *errors, kappa, _share(rates.right))


def _system_line(row: SystemShare) -> tuple[str, ...]:
    first = (row.system, f"{row.n:,}", shares(row.accepted))
    if row.corrected is None:
        return (*first, "-", "-")
    return (*first, shares(row.corrected.ppi.estimate), f"{row.corrected.ppi.labels_worth:,.0f}")


def _points(difference: float) -> str:
    return f"{100 * difference:+.1f} points"


def _share(share: Estimate) -> str:
    return "-" if share.value != share.value else shares(share)
