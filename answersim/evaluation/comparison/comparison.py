"""The comparison of two or more systems on the same questions, and its forms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from answersim._base.io import files
from answersim._base.text_tables import (
    Column,
    Figure,
    Listing,
    Page,
    Result,
    TextTable,
    content,
    counted,
    figure_row,
    json_object,
    number,
    p_value,
    scale,
    with_interval,
)
from answersim.answers.tables.table import Answers
from answersim.calibration.verdicts import VerdictRule
from answersim.evaluation.comparison.changes import ChangedRow
from answersim.evaluation.labels.correction import MeanEstimate
from answersim.evaluation.labels.labeled_shares import percent
from answersim.evaluation.systems.tables import NOT_ATTEMPTED, short
from answersim.stats.attempts import AttemptRates
from answersim.stats.intervals.resampling import Difference, Estimate

_HEADER = ("first", "second", "n", "right first, %", "right second, %", "points", "p", "mean first", "mean second",
           "difference", "p of scores")  # fmt: skip
_LONGEST = 20  # characters of the name of a system above a column


class Points(NamedTuple):
    """Two shares of right answers and their paired difference, from 0 to 1; 0.01 is a point."""

    right: tuple[int, int]  # how many answers of each system are right
    shares: tuple[Estimate, Estimate]  # the share of right answers of each, with its interval, as in ``evaluate``
    difference: Estimate  # the difference of the shares, with its interval
    # the two-sided p of no difference, from the procedure of the interval: below 1 - ``level`` if and only if the
    # interval does not contain 0
    p: float
    p_holm: float  # p after Holm's correction, as in ``ScoreDifference``
    least_difference: float  # the true difference that the test would find at this n in 8 of 10 cases


class ScoreDifference(NamedTuple):
    """The mean scores of two systems, their paired difference, and the questions with another score."""

    means: tuple[float, float]  # the mean score of each
    difference: Estimate  # the difference of the mean scores, with its interval
    p: float  # the two-sided p of no difference, as in ``Points``
    p_holm: float  # p after Holm's correction over all comparisons that were made together; p itself for a single one
    least_difference: float  # the true difference that the test would find at this n in 8 of 10 cases
    better: int  # how many questions the second system scores higher on by more than the noise
    same: int  # how many have the same score within the noise
    worse: int  # how many it scores lower on by more than the noise
    # how many have a score within the noise of the threshold of the rule, so that another machine may decide otherwise
    flicker: int


class Attempts(NamedTuple):
    """Answers of two systems that were not attempted, and what follows from them."""

    not_attempted: tuple[int, int]  # how many of each
    # the share attempted, the accuracy given an attempt, and F1, of each, as in ``evaluate``
    rates: tuple[AttemptRates, AttemptRates]
    # the paired difference of the share attempted. Its p is alone, as are those of the others.
    attempted: Difference
    accuracy: Difference  # that of the accuracy given an attempt; nan if a system attempted nothing
    f1: Difference  # that of F1

    def summary(self) -> list[str]:
        """Return one sentence per rate."""
        names = ("attempted", "right of the attempted answers", "F1 (harmonic mean of right and right of attempted)")
        return [
            f"{percent(second)} {name} against {percent(first)}, {_points(difference)}, {p_value(difference.p, 'p')}"
            for name, first, second, difference in zip(names, *self.rates, self[2:], strict=True)
            if not math.isnan(difference.p)
        ]


@dataclass(frozen=True)
class Comparison(Result):
    """Two systems on the same questions. Differences are second minus first.

    Attributes:
        names: The two systems.
        n: The number of answers of each.
        points: The shares of right answers and their difference; None if ``rule`` counts no answers.
        scores: The mean scores and their difference.
        changed: The questions that are not the same: those that went wrong first (right before, and now wrong or
            unsure), then those that became right, then the others; the largest difference first.
        rule: The rule that decides which answers are right.
        noise: The difference of scores that may be numerical noise.
        labeled: The difference of the human labels, estimated from the labels and the scores; None without labels.
        signature: What decides the scores; "" if they were given as numbers.
        level: The coverage of the intervals.
        attempts: The answers that were not attempted; None if all were, or the rule counts no answers.
    """

    names: tuple[str, str]
    n: int
    points: Points | None
    scores: ScoreDifference
    changed: tuple[ChangedRow, ...]
    rule: VerdictRule
    noise: float
    labeled: MeanEstimate | None
    signature: str
    level: float
    attempts: Attempts | None = None

    @property
    def decisive(self) -> Estimate:
        """The difference that decides: of the shares of right answers if they are counted, else of the mean scores."""
        return self.scores.difference if self.points is None else self.points.difference

    @property
    def decisive_p(self) -> float:
        """The p of this difference after Holm's correction."""
        return self.scores.p_holm if self.points is None else self.points.p_holm

    @property
    def lost(self) -> str:
        """What became of the answers that went wrong."""
        return f"are wrong{',' if self.attempts else ' or'} unsure{' or not attempted' if self.attempts else ''} now"

    def __str__(self) -> str:
        first, second = self.names
        if self.points is None:
            verb = _verb(self.scores.difference.value, self.scores.p_holm, self.level)
            return f"{second} {verb} {first}: {self._of_scores()}; {counted(self.n, 'answer')}"
        share, share_then = self.points.shares
        verb = _verb(self.points.difference.value, self.points.p_holm, self.level)
        return (
            f"{second} {verb} {first}: {100 * share_then.value:.1f} % right against {100 * share.value:.1f} %, "
            f"{_points(self.points.difference)}, {_tested(self.points, self.level)}; "
            f"{counted(self.n, 'answer')}"
        )

    def _of_scores(self) -> str:
        return (
            f"mean score {self.scores.means[1]:.3f} against {self.scores.means[0]:.3f}, difference "
            f"{with_interval(self.scores.difference, '+.3f')}, {_tested(self.scores, self.level)}"
        )

    def summary(self) -> list[str]:
        """Return the result in sentences: the difference, what changed, how answers are counted, and human labels."""
        lines, scores = [str(self)], self.scores
        least = f"a true difference of {scores.least_difference:.3f} would be found in 8 of 10 cases"
        if self.points is not None:
            right, right_then = self.points.right
            lines += [
                f"{right_then:,} right answers against {right:,}: {self.counts('became right'):,} became right, and "
                f"{self.counts('went wrong'):,} went wrong ({self.lost})",
                *(() if self.attempts is None else self.attempts.summary()),
                self._of_scores(),
            ]
            least = (
                f"a true difference of {100 * self.points.least_difference:.1f} points would be found in 8 of 10 cases"
            )
        lines += [
            f"higher score for {scores.better:,}, same for {scores.same:,}, lower for "
            f"{counted(scores.worse, 'answer')}",
            least,
            f"counted: {self.rule.sentence}",
        ]
        if scores.flicker:
            lines.append(
                f"verdict flicker: {counted(scores.flicker, 'question')} with a score nearer to the threshold "
                f"{self.rule.threshold:.4g} than {self.noise:g}, the numerical noise"
            )
        if self.labeled is not None:
            mine = self.labeled
            worth = f", worth {mine.labels_worth:,.0f} without scores" if mine.n_labeled < mine.n else ""
            lines.append(
                f"by human labels: {with_interval(mine, '+.3f')} from {counted(mine.n_labeled, 'labeled question')}"
                f"{worth}"
            )
        return lines

    def brief(self) -> list[str]:
        """Return what to read first: the difference, what changed, and the difference by human labels."""
        lines = self.summary()
        first = lines[:1] if self.points is None else lines[:2]
        return first if self.labeled is None else [*first, lines[-1]]

    def footer(self) -> list[str]:
        """Return the signature of the scores, if there is one."""
        return [self.signature] if self.signature else []

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record with all digits. Shares are None if answers are not counted or all are attempted."""
        points, attempts, scores = self.points, self.attempts, self.scores
        estimates: dict[str, Any] = {
            "right_first": None if points is None else points.shares[0],
            "right_second": None if points is None else points.shares[1],
            "difference_right": None if points is None else points.difference,
            "difference": scores.difference,
            "difference_attempted": None if attempts is None else attempts.attempted,
            "difference_accuracy": None if attempts is None else attempts.accuracy,
            "difference_f1": None if attempts is None else attempts.f1,
        }
        record: dict[str, Any] = {"first": self.names[0], "second": self.names[1], "n": self.n}
        for name, estimate in estimates.items():
            value, low, high = (None, None, None) if estimate is None else estimate[:3]
            record |= {name: value, f"{name}_low": low, f"{name}_high": high}
        p_right, p_right_holm = (None, None) if points is None else (points.p, points.p_holm)
        means = {"mean_first": scores.means[0], "mean_second": scores.means[1]}
        tests = {"p_right": p_right, "p_right_holm": p_right_holm, "p": scores.p, "p_holm": scores.p_holm}
        counts = {name: getattr(scores, name) for name in ("better", "same", "worse", "flicker")}
        return [record | means | tests | counts | {"counting": self.rule.sentence, "signature": self.signature}]

    def counts(self, change: str) -> int:
        """Return how many questions changed in this way."""
        return sum(row.change == change for row in self.changed)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON values; those of ``scores`` are beside the others."""
        rule = {"counted by": self.rule.basis, "threshold": self.rule.threshold, "sentence": self.rule.sentence}
        fields = content(self) | self.scores._asdict() | {"rule": rule}
        del fields["scores"]
        return json_object(fields)


def _shortened(name: str) -> str:
    """Return the name of a system so that it fits above a column."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST // 2]}…{name[1 - _LONGEST // 2 :]}"


def _verb(value: float, p: float, level: float) -> str:
    if p >= 1 - level:
        return "is not distinguishable from"
    return "is better than" if value > 0 else "is worse than"


def _tested(difference: Points | ScoreDifference, level: float) -> str:
    """Return p after Holm's correction; with p itself if the interval, which is for a single comparison, excludes 0."""
    alone = (
        f" after Holm's correction, {p_value(difference.p, 'p')} alone"
        if difference.p < 1 - level <= difference.p_holm
        else ""
    )
    return f"{p_value(difference.p_holm, 'p')}{alone}"


def _points(difference: Estimate | Difference) -> str:
    return with_interval(difference, "+.1f", 100, " points")


@dataclass(frozen=True)
class Comparisons(Result):
    """All pairs of two or more systems; what ``answersim.compare`` returns.

    Attributes:
        pairs: Each pair, in the order of the systems. ``p_holm`` is over all of them.
        accuracy: The soft pairwise accuracy of the scores: whether they order the systems as the human labels do, and
            are as sure of each pair; nan unless all answers of all systems have a label.
        metric: The name of the metric, or of the columns of scores.
        answers: The answers that were compared; None if only numbers were given.
        is_computed: Whether a metric computed the scores.
        notes: Remarks for the reader, such as how many final answers were not found.
    """

    pairs: tuple[Comparison, ...]
    accuracy: float
    metric: str = ""
    answers: Answers | None = field(default=None, repr=False)
    is_computed: bool = False
    notes: tuple[str, ...] = ()

    @property
    def pair(self) -> Comparison:
        """The only pair. Raise LookupError if there are several."""
        if len(self.pairs) > 1:
            raise LookupError(
                f"there are {len(self.pairs)} pairs of systems, so none is the only one; choose one of .pairs"
            )
        return self.pairs[0]

    def summary(self) -> list[str]:
        """Return the result of each pair in sentences; of several pairs, one sentence each."""
        return self.pairs[0].summary() if len(self.pairs) == 1 else [str(pair) for pair in self.pairs]

    def tables(self) -> Iterable[TextTable]:
        """Return the table with a row per pair: right answers first, then mean scores."""
        return [TextTable("", _HEADER, tuple(map(_row, self.pairs)))]

    def footer(self) -> list[str]:
        """Return how answers are counted, what was corrected, remarks, and the signature."""
        first = self.pairs[0]
        lines = [f"{first.level:.0%} intervals; counted: {first.rule.sentence}"]
        if len(self.pairs) > 1:
            lines.append(f"p after Holm's correction over {len(self.pairs)} pairs")
        if not math.isnan(self.accuracy):
            lines.append(f"soft pairwise accuracy with the human labels: {number(self.accuracy)}")
        named = f"metric: {self.metric}" if self.metric else ""
        signed = f"signature: {first.signature}" if first.signature else ""
        return [*lines, *self.notes, *filter(None, [", ".join(filter(None, (named, signed)))])]

    def remarks(self) -> list[str]:
        """Return the notes that say more than how many answers were not attempted."""
        return [note for note in self.notes if not note.startswith(NOT_ATTEMPTED)]

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record per pair."""
        return [record for pair in self.pairs for record in pair.records()]

    def page(self) -> Page:
        """Return which system is better, the differences on one scale, and the answers that changed."""
        names = list(dict.fromkeys(name for pair in self.pairs for name in pair.names))
        systems = ", ".join(names) if len(names) < 5 else f"{len(names)} systems"
        is_pair = len(self.pairs) == 1
        sentences = self.pairs[0].brief() if is_pair else [self._best(names), *self.summary()]
        details = [line for line in self.summary() if line not in sentences]
        is_points = self.pairs[0].points is not None
        factor, unit, form = (100, " points", "+.1f") if is_points else (1, "", "+.3f")
        title = f"Differences of the {'share of right answers' if is_points else 'mean score'} with intervals"
        differences: dict[str, list[Any]] = {
            title: [pair.decisive for pair in self.pairs],
            "Differences by human labels and scores": [pair.labeled for pair in self.pairs],
        }
        figures = []
        for name, estimates in differences.items():
            pairs = [(pair.names, gap) for pair, gap in zip(self.pairs, estimates, strict=True) if gap is not None]
            rows = tuple(figure_row(f"{second} minus {first}", gap, factor) for (first, second), gap in pairs)
            figures += [Figure(name, rows, scale(rows, 0.0), unit, form)] if rows else []
        return Page(f"{systems}: which is better?", sentences, figures, list(self.tables()), self._listing(),
                    [*details, *self.footer()])  # fmt: skip

    def _best(self, names: Sequence[str]) -> str:
        """Return which of several systems is best, and which of them are not distinguishable from it."""
        first = self.pairs[0]
        values: dict[str, float] = {}
        for pair in self.pairs:
            shares = pair.scores.means if pair.points is None else [share.value for share in pair.points.shares]
            values |= dict(zip(pair.names, shares, strict=True))
        best = max(names, key=lambda name: values[name])
        rivals = [
            next(name for name in pair.names if name != best)
            for pair in self.pairs
            if best in pair.names and pair.decisive_p >= 1 - pair.level
        ]
        sentence = f"{best} has the highest {'mean score' if first.points is None else 'share of right answers'}"
        return (
            f"{sentence}; not distinguishable from it: {', '.join(rivals)}"
            if rivals
            else f"{sentence}, and is better than all others"
        )

    def _listing(self) -> Listing | None:
        """Return the answers that changed, or None if none did or no answers are known."""
        rows = [(pair, row) for pair in self.pairs for row in pair.changed]
        if self.answers is None or not rows:
            return None
        block = self.answers
        columns = [Column("change", [row.change for _, row in rows], "choice")]
        names = self.pairs[0].names
        if len(self.pairs) > 1:
            columns.append(Column("systems", [" → ".join(pair.names) for pair, _ in rows], "choice"))
            names = ("first", "second")
        if block.questions is not None:
            columns.append(Column("question", [block.questions[row.row] for _, row in rows]))
        columns.append(Column("gold", [block.golds[row.row] for _, row in rows], "gold"))
        names = (_shortened(names[0]), _shortened(names[1]))
        for i, name in enumerate(names):
            preds = [block.predictions[pair.names[i]][row.row] for pair, row in rows]
            columns.append(Column(f"answer: {name}", preds, "pred"))
        columns.append(Column(f"score: {names[0]}", [row.first for _, row in rows], "number"))
        columns.append(Column(f"score: {names[1]}", [row.second for _, row in rows], "number"))
        columns.append(Column("id", [row.id for _, row in rows]))
        caption = "By pair of systems, answers that went wrong first, then those that became right."
        return Listing("changed answers", tuple(columns), caption)

    def changes_table(self, pair: Comparison) -> files.Table:
        """Return the changed answers of a pair as a table that can be written to a file.

        Raise ValueError if only numbers were compared, so that there are no answers.
        """
        if self.answers is None:
            raise ValueError("only scores were compared, so no answers are known; give compare() answers")
        first, second = pair.names
        golds, preds = self.answers.golds, self.answers.predictions
        head = self.answers.id_column or "row"
        names = (head, "change", f"score {first}", f"score {second}", "gold", first, second)
        rows = [
            (row.id, row.change, row.first, row.second, golds[row.row], preds[first][row.row], preds[second][row.row])
            for row in pair.changed
        ]
        return files.Table(names, [dict(zip(names, row, strict=True)) for row in rows])

    def changes(self, pair: Comparison, shown: int = 10) -> TextTable:
        """Return the first changed answers of a pair as a table of text. Errors are those of ``changes_table``."""
        names, changed = self.changes_table(pair)[:2]
        return TextTable("", names, tuple(tuple(short(row[name]) for name in names) for row in changed[:shown]))

    def __str__(self) -> str:
        return "\n".join(str(pair) for pair in self.pairs)

    def to_dict(self) -> dict[str, Any]:
        """Return all pairs as JSON values, the soft pairwise accuracy and the notes."""
        pairs = [pair.to_dict() for pair in self.pairs]
        return json_object({"pairs": pairs, "accuracy": self.accuracy, "metric": self.metric, "notes": self.notes})


def _row(pair: Comparison) -> tuple[str, ...]:
    shares = ("-",) * 4
    if pair.points is not None:
        share, share_then = pair.points.shares
        points = with_interval(pair.points.difference, "+.1f", 100)
        shares = (f"{100 * share.value:.1f}", f"{100 * share_then.value:.1f}", points, p_value(pair.points.p_holm))
    scores = pair.scores
    means = (*map(number, scores.means), with_interval(scores.difference, "+.3f"))
    return (*pair.names, str(pair.n), *shares, *means, p_value(scores.p_holm))
