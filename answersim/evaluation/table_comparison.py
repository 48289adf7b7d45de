"""Compare the systems of files or tables: what ``evaluate`` reads, compared on the same questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from answersim.answers.reader import AnswerBlock, read_answers
from answersim.calibration.storing import ANY
from answersim.evaluation import system_columns
from answersim.evaluation.comparison import Comparisons, compare_all
from answersim.evaluation.labeling import INCLUSION, STRATUM
from answersim.signature import column_signature
from answersim.text_tables import counted
from answersim.types import Scores

QUESTION = "question"  # a column of this name must agree in all files, whether it is read or not


class TableComparison(NamedTuple):
    """The answers that were read, and the comparison of every two systems."""

    answers: AnswerBlock
    found: Comparisons


def compare_tables(
    data: Any,
    *,
    pred: str | Sequence[str] = "pred",
    gold: str = "gold",
    question: str | None = None,
    id: str | None = None,  # the name of the column in files of predictions
    score: str | Sequence[str] | None = None,
    label: str | Sequence[str] | None = None,
    **settings: Any,
) -> TableComparison:
    """Compare every two systems of a table with several columns of predictions, or of one table per system.

    Args:
        data: What ``answersim.read_answers`` reads or returns.
        pred: The column of the predictions, or the columns of several systems.
        gold: The column of the gold answers.
        question: The column of the questions. Intervals are then over questions, and metrics that can read the question
            do.
        id: The column that identifies a row. It is "id" for several tables.
        score: A column of scores, instead of a metric; of one table, one column per system.
        label: The column of human labels; of one table, one column per system. Labels count only if every system has
            some. The columns "inclusion" and "stratum" are those that ``answersim label`` writes.
        settings: As for ``compare``: metric, calibration, cut, level, ...

    Raises:
        FileNotFoundError, LookupError, TypeError, ValueError: As ``evaluate`` and ``compare``; if there are fewer than
            two systems; or if the columns of scores or labels are neither one nor one per system.
    """
    scores, labels = _listed(score), _listed(label)
    own = (*scores, *labels, *((INCLUSION, STRATUM) if labels else ()))
    source = read_answers(data, pred=pred, gold=gold, question=question, id=id)
    agreeing = () if source.columns.question is not None else (QUESTION,)
    answers = source.with_columns(own=tuple(dict.fromkeys(own)), agreeing=agreeing).read()
    if len(answers.predictions) < 2:
        raise ValueError(
            f"there is one system, {next(iter(answers.predictions))!r}, but a comparison needs at least 2: give one "
            "table per system, or the columns of several systems in one table (--pred a,b; pred=['a', 'b'])"
        )
    several = len(source.columns.preds) == 1
    found = system_columns.labels(answers, _by_system(answers, "label", labels, several)) if labels else None
    if found is not None and len(found.labels) == len(answers.predictions):
        of_labels: dict[str, Any] = found._asdict()
    else:
        of_labels = {}  # a table need not have labels
    if settings.get("groups") is None:
        settings["groups"] = answers.questions if answers.groups is None else answers.groups
    if scores:
        given: dict[str, Any] = dict(system_columns.scores(answers, _by_system(answers, "score", scores, several)))
        if settings.get("calibration", ANY) not in (ANY, None) and len(scores) == 1:  # of such a column, perhaps
            given = {system: Scores(values, column_signature(scores[0])) for system, values in given.items()}
        return TableComparison(answers, compare_all(given, **of_labels, **settings))
    settings |= {"gold": answers.golds, "question": answers.questions}
    return TableComparison(answers, compare_all(answers.predictions, **of_labels, **settings))


def _listed(names: str | Sequence[str] | None) -> tuple[str, ...]:
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)


def _by_system(answers: AnswerBlock, what: str, columns: tuple[str, ...], several: bool) -> dict[str, str]:
    """Return the column of each system.

    Args:
        answers: The answers.
        what: What the columns contain, for the message.
        columns: One column for all tables, or one per system of one table.
        several: Whether each system has its own table.
    """
    systems = list(answers.predictions)
    if len(columns) != (1 if several else len(systems)):
        rule = "one column, which each table has" if several else "one column per system, in the order of the systems"
        raise ValueError(f"{counted(len(columns), 'column')} of {what}s for {len(systems)} systems; give {rule}")
    return dict(zip(systems, columns * len(systems) if several else columns, strict=True))
