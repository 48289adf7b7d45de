"""label and estimate_share: draw the rows to label by hand, and estimate the share of right answers from the labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from answersim import arguments
from answersim.answers.blocks import AnswerBlock
from answersim.answers.reader import Answers, read_answers
from answersim.calibration.storing import ANY, CalibrationLike
from answersim.calibration.verdicts import Verdicts, scale_of, verdict_settings
from answersim.composite.extracted import ExtractedMetric
from answersim.evaluation import labeling, sheets, system_columns
from answersim.evaluation.abstentions import with_abstentions
from answersim.evaluation.human_labels import SystemLabels, check_enough
from answersim.evaluation.labeled_shares import LabeledShare, labeled_shares
from answersim.evaluation.labeling import STRATA, Labels, Sheet
from answersim.io import files, output_files
from answersim.scoring.cache import CacheLike
from answersim.scoring.metrics import named_metric
from answersim.scoring.score import score
from answersim.stats.resampling import Bootstrap, bootstrap_settings
from answersim.stats.stratified import Allocation
from answersim.text_tables import Result, counted, flat, with_interval
from answersim.types import FloatArray, Metric, OneNamed, Scale, capabilities, reads_questions

ROWS = 100  # rows to label


@dataclass(frozen=True)
class ShareEstimate(Result):
    """The share of right answers of a system, estimated from a labeled sheet.

    Attributes:
        share: The estimate.
        right: How many answers are right by the scores; None if the rule counts no answers.
        n: The number of answers.
        counted: How right answers are counted, in a sentence.
        notes: The limits of the estimate.
        labels: The labels by the rows of the table.
    """

    share: LabeledShare
    right: int | None
    n: int
    counted: str
    notes: tuple[str, ...]
    labels: Labels

    def summary(self) -> list[str]:
        """Return the estimate, what the labels and the scores alone give, and the notes."""
        alone = with_interval(self.share.ppi.labels_alone, ".1f", 100, " %")
        lines = [str(self.share), f"the labels alone: {alone}"]
        if self.right is not None:
            lines.append(f"by the scores: {self.right:,} of {self.n:,} right")
        lines += [f"counted: {self.counted}", *(f"note: {note}" for note in self.notes)]
        if self.labels.n_open:
            lines.append(
                f"note: {counted(self.labels.n_open, 'drawn row')} without a label. Rows that were skipped because "
                "they are hard bias the estimate"
            )
        return lines

    def records(self) -> list[dict[str, Any]]:
        """Return the estimate as one flat record."""
        return [{"system": self.share.system, **flat(self.share.ppi), "right": self.right, "n": self.n}]


class _Scored(NamedTuple):
    """The scores of a system, shape (n,), with the name and the scale of their metric."""

    values: FloatArray
    signature: str
    scale: Scale
    name: str
    metric: Metric | None = None


def label(
    data: Any,
    sheet: str | PathLike[str],
    metric: OneNamed = None,
    *,
    pred: str = "pred",
    gold: str = "gold",
    question: str | None = None,
    id: str | None = None,  # the name of the column in files of predictions
    score: str | None = None,
    like: str | PathLike[str] | None = None,
    rows: int | None = None,
    allocation: Allocation | None = None,
    strata: int | None = None,
    rng: int | None = None,
    progress: bool = True,
    cache: CacheLike | None = None,
) -> Sheet:
    """Draw rows to label, stratified by their scores, and write them to a sheet; or return the sheet that exists.

    The rows are in random order and show neither scores nor verdicts. Fill in the column "label" in a spreadsheet
    program, or on a terminal with ``answersim.evaluation.asking.ask``. Then ``estimate_share`` reads the labels.

    Args:
        data: What ``answersim.read_answers`` reads or returns, with the answers of one system.
        sheet: The file of the sheet. Its plan is written beside it. If it exists, no rows are drawn, and the arguments
            that are given must be those that it was drawn with.
        metric: The metric whose scores make the strata: a name, or a metric that was already built; by default
            "answersim".
        pred: The column of the predictions.
        gold: The column of the gold answers.
        question: The column of the questions.
        id: A column that identifies a row. The sheet shows it.
        score: A column of scores, instead of a metric.
        like: The sheet of another system. Its questions are drawn, as ``compare`` needs them.
        rows: How many rows to draw; by default 100.
        allocation: "proportional" (the default) or "equal". See ``labeling.choose``, also for the others.
        strata: The number of strata; by default 5.
        rng: The seed of the sample; by default 0.
        progress: Whether long work may show a progress bar, which appears on a terminal only.
        cache: Where the scores of networks are stored and looked up.

    Raises:
        ValueError: If there are several systems, the sheet belongs to other answers or was drawn in another way, or an
            argument is outside its range or has no effect.
        FileNotFoundError, LookupError, TypeError: As ``answersim.read_answers`` and ``answersim.score``.
        BlockingIOError: If another process has the sheet open.
    """
    path = Path(arguments.path("sheet", sheet))
    drawing = {"rows": rows, "allocation": allocation, "strata": strata, "rng": rng}
    if like is not None:
        refused = {**drawing, "metric": metric, "score": score}
        arguments.refuse(refused, "like= (--rows-of) determines the rows; leave one of them out")
    _refuse_metric(metric, score)
    answers = _answers(data, {"pred": pred, "gold": gold, "question": question, "id": id}, score)
    output_files.refuse_overwriting_input(answers.files, path)
    output_files.check_place(path)
    with sheets.alone(path):
        block = answers.read()
        table, columns = _table(answers, block)
        columns = columns._replace(extract=_rule_of(metric) or columns.extract)
        if path.exists():
            return _existing(path, table, columns, answers.path, drawing, like)
        if (plan := sheets.plan_path(path)).exists():
            raise ValueError(
                f"{plan} is the plan of the sheet {path}, which is missing; restore the sheet to continue with it, or "
                "name another one"
            )
        if like is not None:
            drawn = labeling.sheet_like(sheets.read(Path(arguments.path("like", like))), table, columns, answers.path)
        else:
            scores = _scored(block, metric, score, progress, cache).values
            how: Any = {"allocation": allocation or "proportional", "strata": STRATA if strata is None else strata}
            seed = arguments.whole("rng", 0 if rng is None else rng, 0)
            chosen = labeling.choose(scores, ROWS if rows is None else rows, rng=seed, **how)
            drawn = labeling.sheet_of(table, chosen, columns, seed, [number - 1 for number in block.numbers], **how)
        return sheets.write(drawn, path)


def estimate_share(
    data: Any,
    sheet: str | PathLike[str],
    metric: OneNamed = None,
    *,
    pred: str = "pred",
    gold: str = "gold",
    question: str | None = None,
    group: str | None = None,
    score: str | None = None,
    calibration: CalibrationLike | Verdicts | None = ANY,
    bootstrap: Bootstrap = Bootstrap(),
    progress: bool = True,
    cache: CacheLike | None = None,
) -> ShareEstimate:
    """Estimate the share of right answers from the labels of a sheet of ``label`` and the scores of all answers.

    Args:
        data: As of ``label``. It must be the same answers, and the same columns.
        sheet: The labeled sheet.
        metric: The metric whose probabilities (or scores) are corrected by the labels; by default that of the
            calibration, else "answersim".
        pred: The column of the predictions.
        gold: The column of the gold answers.
        question: The column of the questions.
        group: The column of what dependent answers have in common, if it is not the question.
        score: A column of scores, instead of a metric.
        calibration: As of ``answersim.evaluate``.
        bootstrap: The coverage of the intervals. Nothing is resampled.
        progress: Whether long work may show a progress bar, which appears on a terminal only.
        cache: Where the scores of networks are stored and looked up.

    Raises:
        FileNotFoundError: If there is no such sheet.
        ValueError: If the sheet belongs to other answers, or fewer than 10 rows are labeled. The others are those of
            ``label`` and ``answersim.estimate_mean``.
    """
    path = Path(arguments.path("sheet", sheet))
    _refuse_metric(metric, score)
    level = bootstrap_settings(bootstrap).level
    answers = _answers(data, {"pred": pred, "gold": gold, "question": question, "group": group}, score)
    block = answers.read()
    labels = labeling.labels_of(sheets.read(path), *_table(answers, block), answers.path)
    verdicts = verdict_settings(calibration)
    scored = _scored(block, metric, score, progress, cache, verdicts.calibration)
    rule = verdicts.rule(scored.signature, scored.scale, scored.name)
    (system,) = block.predictions
    decided = {system: rule.decide(scored.values)}
    if scored.metric is not None:
        decided, _ = with_abstentions(decided, block.predictions, block.golds, block.questions, scored.metric)
    at = [number - 1 for number in block.numbers]  # rows without answers were left out
    given = SystemLabels(labels.labels[at], labels.inclusion[at], labels.strata[at])
    check_enough(int((given.labels == given.labels).sum()), system)
    groups = block.questions if block.groups is None else block.groups
    (share,), notes = labeled_shares({system: given}, decided, groups, level)
    right = decided[system].right()
    return ShareEstimate(
        share, None if right is None else int(right.sum()), len(at), rule.sentence, tuple(notes), labels
    )


def _existing(
    path: Path,
    table: files.Table,
    columns: labeling.Columns,
    where: Path,
    drawing: dict[str, Any],
    like: str | PathLike[str] | None,
) -> Sheet:
    """Return the sheet. Raise ValueError if it belongs to other answers, or was drawn in another way."""
    found = sheets.read(path)
    labeling.labels_of(found, table, columns, where)
    found.check_drawing(**drawing)
    if like is not None and set(sheets.read(Path(like)).positions) != set(found.positions):
        raise ValueError(
            f"like (--rows-of) is {like}, but the sheet {path} has other rows; leave it out to continue with the "
            "sheet, or name another one"
        )
    return found


def _answers(data: Any, columns: dict[str, Any], score: str | None) -> Answers:
    """Return the answers of one system, with the column of scores. Raise ValueError if there are several systems."""
    answers = read_answers(data, **columns)
    if len(answers.systems) > 1:
        raise ValueError(
            f"there are {len(answers.systems)} systems ({', '.join(answers.systems)}), but a sheet is of one; give one "
            "column of predictions (--pred, pred=)"
        )
    (pred,) = answers.columns.preds
    own = answers.columns
    names = {"gold": own.gold, "pred": pred, "question": own.question, "id": own.id}
    files.check_distinct_columns(**names, **{"the sheet": labeling.KEY, "the labels": labeling.LABEL})
    return answers if score is None else answers.with_columns(own=(arguments.text("score", score),))


def _table(answers: Answers, block: AnswerBlock) -> tuple[files.Table, labeling.Columns]:
    """Return the table with its rows in their places, and the columns of the sheet. A row that is left out is empty."""
    own = answers.columns
    columns = labeling.Columns(own.gold, own.preds[0], own.question, own.id)
    held = block.table.with_fields([name for name in columns if name], answers.path)
    (preds,) = block.predictions.values()  # of joined tables, the column has the name of the system
    rows = {
        number: row | {columns.pred: pred} for number, row, pred in zip(block.numbers, held.rows, preds, strict=True)
    }
    return files.Table(held.columns, [rows.get(i, {}) for i in range(1, answers.rows + 1)]), columns


def _scored(
    block: AnswerBlock,
    metric: OneNamed,
    column: str | None,
    progress: bool,
    cache: CacheLike | None,
    calibration: CalibrationLike | None = ANY,
) -> _Scored:
    """Return the scores of the metric, or of a column."""
    (system, preds) = next(iter(block.predictions.items()))
    if column is not None:
        values = system_columns.scores(block, {system: column})[system]
        return _Scored(values, "", scale_of([values]), column)
    name, built = named_metric(metric, calibration, "en")
    asked = block.questions if reads_questions(built) else None
    scores = score(block.golds, preds, built, question=asked, progress=progress, cache=cache)
    return _Scored(scores.values, scores.signature, capabilities(built).scale, name, built)


def _rule_of(metric: OneNamed) -> str | None:
    """Return the rule by which a metric reads final answers out of texts; None without a rule that has a name."""
    given = next(iter(metric.values()), None) if isinstance(metric, Mapping) else metric
    if not isinstance(given, ExtractedMetric) or given.extractor.function is not None:
        return None
    return given.extractor.signed.partition(":")[2]


def _refuse_metric(metric: Any, score: Any) -> None:
    if score is not None:
        arguments.refuse({"metric": metric}, "score= names a column of given scores; leave one of them out")
