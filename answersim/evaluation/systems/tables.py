"""The rows of an evaluation, and their sentences and tables of text: the first lines of every output."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from answersim._base.errors import shortened
from answersim._base.text_tables import (
    Column,
    Figure,
    FigureRow,
    Listing,
    TextTable,
    counted,
    figure_row,
    scale,
    with_interval,
)
from answersim.calibration.verdicts import AnswerVerdict
from answersim.evaluation.labels.labeled_shares import ALL, NO_ESTIMATE, percent
from answersim.stats.attempts import AttemptRates
from answersim.stats.intervals.resampling import Estimate

if TYPE_CHECKING:
    from answersim.evaluation.labels.labeled_shares import LabeledShare

NOT_ATTEMPTED = "not attempted:"  # the beginning of the note that counts them
ORDER: tuple[AnswerVerdict, ...] = ("wrong", "unsure", "not attempted", "right")  # of listed answers
_WIDTH = 60  # characters of a text in a table


class SystemRow(NamedTuple):
    """The results of one system on one subset."""

    subset: str  # the name of the subset, such as "all" or "question=who"
    system: str  # the name of the system
    n: int  # the number of answers
    clusters: int  # the number of questions (or other clusters) that they belong to
    mean: Estimate  # the mean score, with its interval over clusters
    right: int | None  # how many answers are right by the rule of the evaluation; None if the rule counts none
    wrong: int | None  # how many are wrong; None likewise
    unsure: int | None  # how many are neither; None likewise
    share: Estimate  # the share of right answers, with its interval over clusters; nan likewise
    # the mean probability that an answer is right, with its interval: the expected share that annotators call right, if
    # these answers are like those of the calibration; nan if the rule has no probabilities. The interval includes the
    # error of transfer to other answers if the calibration states it.
    probability: Estimate
    not_attempted: int | None = None  # how many are no attempt at an answer, such as "I don't know"; None likewise
    # the share of attempted answers, that of right answers among them, and their F1 as in SimpleQA, with intervals over
    # clusters; nan likewise
    attempts: AttemptRates = AttemptRates(NO_ESTIMATE, NO_ESTIMATE, NO_ESTIMATE)

    def fields(self) -> dict[str, Any]:
        """Return the values by name; those of ``attempts`` are beside the others."""
        values = self._asdict()
        rates: AttemptRates = values.pop("attempts")
        return values | rates._asdict()


class AnswerRow(NamedTuple):
    """One answer of one system."""

    row: str  # the id of the row, or its number from 1 as text
    system: str  # the name of the system
    verdict: AnswerVerdict  # "right", "wrong", "unsure" or "not attempted"
    score: float  # the score
    probability: float | None  # the probability that the answer is right; None if the rule has no probabilities
    question: str | None  # the question, or None if there are none
    gold: Any  # the gold answer, or all gold answers
    pred: str  # the prediction
    answer: str | None = None  # the final answer that was read out of the prediction; None if no rule was given
    rule: str | None = None  # the rule that found it; None if none did, or no rule was given
    # where it begins and ends in the prediction, with its marks; None if it is no part of it as it stands
    place: tuple[int, int] | None = None


def sentence(row: SystemRow, *, metric: str, named: bool, where: str = "") -> str:
    """Return the result of one system as a sentence. ``where``: the place of the wrong and unsure answers."""
    start = f"{row.system}: " if named else ""
    if row.right is None:
        return f"{start}mean {metric} {_mean(row.mean)} over {counted(row.n, 'answer')}; not counted as right or wrong"
    counts = f"{row.wrong:,} wrong, {row.unsure:,} unsure"
    if row.not_attempted:
        counts += f", {row.not_attempted:,} not attempted"
    end = f": see {where}" if where and (row.wrong or row.unsure) else ""
    return f"{start}{row.right:,} of {row.n:,} right, {percent(row.share)}; {counts}{end}"


def system_table(
    rows: Sequence[SystemRow], *, metric: str, title: str = "", first: str = "system", is_short: bool = False
) -> TextTable:
    """Return the table of systems over one subset, or of subsets.

    ``first``: "system" or "subset": what the first column names. ``is_short``: whether mean scores are left out if
    right answers are counted.
    """
    is_counted = any(row.right is not None for row in rows)
    has_mean = not (is_short and is_counted)
    header = [first, "n", *([f"mean {metric}"] if has_mean else [])]
    has_gaps = any(row.not_attempted for row in rows)
    is_expected = any(not math.isnan(row.probability.value) for row in rows)
    if is_counted:
        header += ["right", "wrong", "unsure", *(["not attempted"] if has_gaps else []), "share right"]
    if is_expected:
        header.append("expected right")
    lines = []
    for row in rows:
        cells = [str(getattr(row, first)), f"{row.n:,}", *([_mean(row.mean)] if has_mean else [])]
        if is_counted:
            counts = (row.right, row.wrong, row.unsure, *((row.not_attempted,) if has_gaps else ()))
            cells += [f"{count:,}" for count in counts if count is not None]
            cells.append(percent(row.share))
        if is_expected:
            cells.append(percent(row.probability))
        lines.append(tuple(cells))
    return TextTable(title, tuple(header), tuple(lines))


def attempts_table(rows: Sequence[SystemRow]) -> TextTable | None:
    """Return the table of attempts over all answers, one row per system; None if every answer was attempted."""
    whole_rows = [row for row in rows if row.subset == ALL]
    if not any(row.not_attempted for row in whole_rows):
        return None
    lines = [(row.system, *map(percent, row.attempts)) for row in whole_rows]
    note = "F1 is the harmonic mean of share right and of right of attempted, as in SimpleQA"
    return TextTable("Attempts", ("system", "attempted", "right of attempted", "F1"), tuple(lines), (note,))


def _mean(mean: Estimate) -> str:
    """Return a mean with its interval, if it has one, with three decimals."""
    return f"{mean.value:.3f}" if math.isnan(mean.low) else with_interval(mean, ".3f")


def answer_table(
    answers: Sequence[AnswerRow], most: int, named: bool, n: int | None = None, head: str = "row"
) -> TextTable:
    """Return the table of the first answers; a note counts those that are not shown.

    ``n``: how many answers there are, if more than these. ``head``: the heading of what identifies a row.
    """
    questions = any(answer.question for answer in answers)
    has_p = any(answer.probability is not None for answer in answers)
    header = [head, *(["system"] if named else []), "verdict", "p" if has_p else "score"]
    header += ["question"] if questions else []
    rows = []
    for answer in answers[:most]:
        cells = [answer.row, *([answer.system] if named else []), answer.verdict]
        cells.append(f"{answer.score:.2f}" if answer.probability is None else f"{answer.probability:.3f}")
        cells += [short(answer.question or "")] if questions else []
        rows.append((*cells, short(answer.gold), short(answer.pred)))
    more = (len(answers) if n is None else n) - len(rows)
    notes = (f"not shown: {counted(more, 'more row')}",) if more > 0 else ()
    return TextTable("", (*header, "gold", "prediction"), tuple(rows), notes)


def golds(gold: Any) -> str:
    """Return one or several gold answers as one text."""
    return gold if isinstance(gold, str) else " | ".join(gold)


def short(value: Any) -> str:
    """Return a text, several gold answers or a number for a cell, on one line."""
    return shortened(f"{value:.3f}" if isinstance(value, float) else " ".join(golds(value).split()), _WIDTH)


_OUTCOMES = ("right", "unsure", "not_attempted", "wrong")  # in the order of figures


def figures(rows: Sequence[SystemRow], labeled: Sequence[LabeledShare], metric: str) -> list[Figure]:
    """Return the verdicts on the answers of each system, the shares by labels, and the subsets on one scale."""
    total = [row for row in rows if row.subset == ALL]
    systems = [row.system for row in total]
    by_system = {system: [row for row in rows if row.system == system] for system in systems}
    parts = {name: system_rows for name, system_rows in by_system.items() if len(system_rows) > 1}
    if rows[0].right is None:
        means = {row: figure_row(row.subset, row.mean) for row in rows}
        limits = scale(means.values())
        first = Figure(f"mean {metric}", tuple(figure_row(row.system, row.mean) for row in total), limits)
        return [first, *(Figure(f"{name} by subset: mean {metric}", tuple(means[row] for row in system_rows), limits)
                         for name, system_rows in parts.items())]  # fmt: skip
    bars = Figure("% of the answers; the line is the interval of the share right", tuple(map(_verdicts, total)),
                  (0.0, 100.0), " %", ".0f")  # fmt: skip
    charts = [bars]
    if labeled:
        rows_of = tuple(figure_row(share.system, share.ppi.estimate, 100) for share in labeled if share.subset == ALL)
        charts.append(Figure("Share right by human labels and scores", rows_of, (0.0, 100.0), " %", ".0f"))
    for name, some in parts.items():
        shares = tuple(figure_row(row.subset, row.share, 100) for row in some)
        charts.append(Figure(f"{name} by subset: share right", shares, (0.0, 100.0), " %", ".0f"))
    return charts


def listing(answers: Sequence[AnswerRow]) -> Listing | None:
    """Return the listed answers, or None if there are none."""
    if not answers:
        return None
    answers = sorted(answers, key=lambda answer: ORDER.index(answer.verdict))  # stable: by system in each
    caption = "Wrong answers come first, then unsure and not attempted ones, each by rising probability."
    return Listing("answers", tuple(_columns(answers)), caption)


def _columns(answers: Sequence[AnswerRow]) -> Iterator[Column]:
    finals = any(answer.answer is not None for answer in answers)
    yield Column("verdict", [answer.verdict for answer in answers], "choice")
    if len({answer.system for answer in answers}) > 1:
        yield Column("system", [answer.system for answer in answers], "choice")
    if any(answer.probability is not None for answer in answers):
        yield Column("p right", [answer.probability for answer in answers], "number")
    yield Column("score", [answer.score for answer in answers], "number")
    if any(answer.question for answer in answers):
        yield Column("question", [answer.question or "" for answer in answers])
    yield Column("gold", [answer.gold for answer in answers], "gold")
    yield Column(
        "final answer" if finals else "prediction",
        [answer.pred if answer.answer is None else answer.answer for answer in answers],
        "pred",
    )
    if finals:
        yield Column("rule", [answer.rule or "none" for answer in answers], "choice")
        yield Column(
            "full prediction", [answer.pred for answer in answers], "text", [answer.place for answer in answers]
        )
    yield Column("row", [answer.row for answer in answers])


def _verdicts(row: SystemRow) -> FigureRow:
    counts = {name.replace("_", " "): getattr(row, name) or 0 for name in _OUTCOMES}
    parts = {name: 100 * n / row.n for name, n in counts.items() if n or name != "not attempted"}
    return figure_row(row.system, row.share, 100)._replace(parts=parts)
