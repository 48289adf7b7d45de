"""The figures and the rows of the page of an evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from answersim._base.text_tables import Column, Figure, FigureRow, Listing, figure_row, scale
from answersim.evaluation.labels.labeled_shares import ALL
from answersim.evaluation.systems.tables import AnswerRow, SystemRow

if TYPE_CHECKING:
    from answersim.evaluation.labels.labeled_shares import LabeledShare

_FIRST = ("wrong", "unsure", "not attempted", "right")
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
    answers = sorted(answers, key=lambda answer: _FIRST.index(answer.verdict))  # stable: by system in each
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
