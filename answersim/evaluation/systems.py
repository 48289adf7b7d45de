"""evaluate: how many answers of each system are right, with which uncertainty, and which ones are wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from answersim import arguments
from answersim.answers.reader import AnswerBlock, Answers, read_answers
from answersim.calibration.decision import UNSURE
from answersim.calibration.storing import ANY, CalibrationLike
from answersim.calibration.verdicts import ANSWER_VERDICTS, AnswerVerdict, Decided, VerdictRule, verdict_rule
from answersim.composite.extracted import ExtractedMetric
from answersim.errors import unknown
from answersim.evaluation.answer_log import AnswerLog
from answersim.evaluation.final_answers import FinalAnswers
from answersim.evaluation.human_labels import HumanLabels, SystemLabels
from answersim.evaluation.labeled_shares import LabeledShare, labeled_shares
from answersim.evaluation.results import Evaluation
from answersim.evaluation.rows import AnswerRow, SystemRow
from answersim.evaluation.tally import Tally
from answersim.extraction import Extractor
from answersim.io import files
from answersim.io.partial_results import open_partial_results
from answersim.runtime.progress import bar
from answersim.runtime.progress import progress as bars
from answersim.scoring.blocks import BlockScorer
from answersim.scoring.cache import CacheLike
from answersim.scoring.score import build, default_for, signed
from answersim.text_tables import counted
from answersim.types import Metric, capabilities, reads_questions

BUILT_IN = ("length", "question")


def evaluate(
    data: Any,
    metric: str | Metric | None = None,
    *,
    pred: str | Sequence[str] = "pred",
    gold: str = "gold",
    question: str | None = None,
    id: str | None = None,  # the name of the column in files of predictions
    by: Sequence[str] = (),
    group: str | None = None,
    labels: Any = None,
    calibration: CalibrationLike | None = ANY,
    unsure: float = UNSURE,
    min_precision: float | None = None,
    cut: float | None = None,
    only: Sequence[AnswerVerdict] = ("wrong", "unsure"),
    lang: str = "en",
    profile: str | None = None,
    level: float = 0.95,
    progress: bool = True,
    cache: CacheLike | None = None,
    output: str | PathLike[str] | None = None,
    listed: int | None = None,
    **options: Any,
) -> Evaluation:
    """Count how many answers of each system are right, with intervals over questions, and list the wrong ones.

    A single file is read in pieces, so a file of any size can be evaluated. Only the numbers of all answers and the
    texts of the listed answers are kept. See ``output`` and ``listed``.

    Which answers are right is decided as everywhere in this package (``answersim.calibration.verdicts``). With a
    calibration, an answer is right from a probability of .5 + ``unsure`` on, wrong up to .5 - ``unsure``, and unsure
    between. A metric of 0 and 1 needs no calibration. The share of right answers is not the share that annotators would
    call right. ``probability`` estimates that, if these answers are like those of the calibration.

    Args:
        data: What ``answersim.read_answers`` reads or returns: a file, a ``pandas.DataFrame`` or columns by name, with
            one or several columns of predictions, or a table per system. A single file is read in pieces.
        metric: A name, or a metric that was already built. If None, it is that of the calibration, or else "answersim"
            if its extra 'embedded' is installed, or else "recall", with a warning if predictions are sentences.
        pred: The column of the predictions, or the columns of several systems.
        gold: The column of the gold answers. A value may be a list of answers that are all correct.
        question: The column of the questions. Intervals are then over questions, and metrics that can read the question
            do.
        id: The column that identifies a row. It is "id" for several tables.
        by: Subsets: columns, "length" (words of the prediction) or "question" (the question word).
        group: The column of what dependent answers have in common, if it is not the question.
        labels: Human labels of some answers, to estimate the share that annotators would call right: the sheet that
            ``answersim label`` wrote; a table with the ids of the answers, the column "label" and, if the answers were
            not drawn with equal probabilities, "inclusion"; or one number per row, nan for no label. For several
            systems, those by the name of the system, or a table with the column "system". At least 10 per system.
        calibration: A calibration, its file or name, or "shipped" for the one of this metric. Without one (None, or if
            none ships for the metric), there are mean scores only. The scores of a cascade are probabilities, and
            those of ``em`` and of a judge are verdicts, which need none.
        unsure: Half the width of the band of "unsure", from 0 to below .5.
        min_precision: The promised share of correct verdicts among the right answers, which makes more answers unsure.
            See ``Calibration.verdicts``.
        cut: The score from which an answer is right, instead of a calibration.
        only: The verdicts of the answers that are listed.
        lang: The language of the answers.
        profile: The tokenizer or weights of a named metric.
        level: The coverage of the intervals.
        progress: Whether long work may show a progress bar, which appears on a terminal only.
        cache: A folder (or a ``ScoreCache``) where the scores of metrics that run a network are stored and looked up.
        output: A table for all listed answers. While the work is unfinished, the scores are stored beside it, and the
            same call resumes from there after an interruption, with the same result to the byte.
        listed: The maximum number of answers that the result contains; all if None.
        options: Settings of the named metric, such as ``device``.

    Returns:
        An ``Evaluation``: one row per system and subset, and the answers with the requested verdicts.

    Raises:
        FileNotFoundError, LookupError: If there is no such file, column, id, metric, calibration or subset.
        ValueError: If values are not answers or ids occur twice (all rows are named), a setting is outside its range,
            the calibration is for other scores, or labels belong to other rows or are fewer than 10.
        BlockingIOError: If another process is writing the same output.
        TypeError: If an argument has the wrong type.

    >>> answers = {"gold": ["Rome", "Oslo"], "a": ["in Rome", "Bergen"], "b": ["Paris", "Oslo"]}
    >>> print(evaluate(answers, "recall", pred=["a", "b"]).summary()[0])
    a: 1 of 2 right, 50 % [1, 99]; 1 wrong, 0 unsure
    """
    settings, by = _checked(level, only, arguments.flag("progress", progress)), arguments.texts("by", by)
    most = None if listed is None else arguments.whole("listed", listed, 0)
    place = None if output is None else Path(arguments.path("output", output))
    named, built = _metric(metric, calibration, lang, profile, options)
    source = read_answers(data, pred=pred, gold=gold, question=question, id=id, group=group)
    source, given = _read(source, by, labels)
    if place is not None:
        files.refuse_overwriting_input(source.files, place)
    signature = signed(built, _has_questions(source, built))
    rule = verdict_rule(
        signature,
        scale=capabilities(built).scale,
        name=named,
        calibration=calibration,
        unsure=unsure,
        min_precision=min_precision,
        cut=cut,
    )
    if place is not None:
        files.check_place(place)
    evaluated = _Evaluated(named, built, signature, source, rule, Tally(source.systems, by, source.columns.group, lang))
    with evaluated.listing(settings.only) as listing:
        with open_partial_results(place, evaluated.keys) as draft, bars(settings.progress):
            scorer = BlockScorer([built], draft, cache=cache, progress=settings.progress, counts_extractions=True)
            evaluated.score(scorer, listing, given)
            labeled = {} if given is None else given.of_systems(source.rows)
            scorer.warn()
            source.warn()
            rows = evaluated.rows(settings.level, labeled)
            if place is not None:
                listing.write(place)
                draft.done = True
        found = evaluated.result(rows, settings.level, [*map(str, scorer.usage.values())])
        return replace(found, answers=tuple(listing.answers(most)), n_listed=len(listing))


def _metric(
    metric: str | Metric | None,
    calibration: CalibrationLike | None,
    lang: str,
    profile: str | None,
    options: Mapping[str, Any],
) -> tuple[str, Metric]:
    """Return the name of the metric, and the metric."""
    if isinstance(metric, str) or metric is None:
        name = default_for(calibration) if metric is None else metric
        return name, build(name, lang, profile, options)
    built = build(metric, None, profile, options)
    return built.signature.split("|", 1)[0], built


def _read(source: Answers, subsets: Sequence[str], labels: Any) -> tuple[Answers, HumanLabels | None]:
    """Return the answers with the columns of the subsets, and the human labels."""
    columns = source.columns
    others = tuple(column for column in subsets if column not in BUILT_IN or column == columns.group)
    taken = (columns.gold, columns.question, columns.id, columns.group, *columns.preds)
    optional = tuple(name for name in subsets if name in BUILT_IN and name not in taken)
    source = source.with_columns(others=others, optional=optional)
    if labels is None:
        return source, None
    with source.reading():  # the tables of labels have the same encoding
        given = HumanLabels(
            labels, id=columns.id, systems=source.systems, pred=columns.preds[0], split_gold=columns.split_gold
        )
    if given.joins and columns.id is None:
        source = source.with_columns(id="id")
    return source, given


def _has_questions(source: Answers, metric: Metric) -> bool:
    """Return whether the metric reads questions and any is not empty. Usually, the first block decides that."""
    if not reads_questions(metric) or source.columns.question is None:
        return False
    return any(any(block.questions or ()) for block in source)


class _Evaluated:
    """The answers, their numbers and verdicts, and what is counted of them."""

    def __init__(
        self, metric: str, built: Metric, signature: str, source: Answers, rule: VerdictRule, tally: Tally
    ) -> None:
        self.metric, self.signature, self.source, self.rule, self.tally = metric, signature, source, rule, tally
        self.extractor = built.extractor if isinstance(built, ExtractedMetric) else None
        self.finals = FinalAnswers(self.extractor)
        self.shares: tuple[LabeledShare, ...] = ()
        self._notes: list[str] = []

    @property
    def keys(self) -> list[str]:
        """What the stored scores of each system are scores of."""
        return [f"evaluate {system} {self.signature}" for system in self.source.systems]

    def listing(self, only: Sequence[AnswerVerdict]) -> AnswerLog:
        """Return the empty list of answers with these verdicts."""
        kept = only if self.rule.counts else ()
        return AnswerLog(self.source.systems, kept, extracts=self.extractor is not None)

    def score(self, scorer: BlockScorer, listing: AnswerLog, given: HumanLabels | None) -> None:
        """Score all blocks, decide which answers are right, and count and list them."""
        tally, rule, n_systems = self.tally, self.rule, len(self.source.systems)
        with bar(0, self.metric, "answer") as shown:
            for block in self.source:
                if "question" in tally.by and block.questions is None and "question" not in block.columns:
                    raise ValueError(
                        "by names 'question', but there are no questions; name their column with question="
                    )
                scores = scorer.scores(block)
                decided = {system: rule.decide(np.ascontiguousarray(scores[system][:, 0])) for system in scores}
                tally.add(block, decided)
                if given is not None:
                    given.add(block)
                _list(listing, block, decided, self.extractor)
                self.finals.add(block)
                done = tally.n * n_systems
                shown.total = round(done / block.share) if block.share else None
                shown.update(done - shown.n)

    def rows(self, level: float, labeled: Mapping[str, SystemLabels]) -> tuple[SystemRow, ...]:
        """Return the results of all systems and subsets, and estimate the shares of the labeled systems."""
        tally = self.tally
        rows = tuple(tally.rows(level, self.rule.transfer))
        clusters = None if tally.over == "answers" else tally.clusters().tolist()
        numbers = {system: tally.decided(system) for system in labeled}
        self.shares, more = labeled_shares(labeled, numbers, clusters, level)
        self._notes = list(more)
        return rows

    def result(self, rows: tuple[SystemRow, ...], level: float, usage_of_cascades: Sequence[str]) -> Evaluation:
        """Return the evaluation, without answers."""
        rule, flaws = self.rule, self.source.flaws
        notes = [f"counted: {rule.sentence}", *rule.caution]
        if flaws:
            notes.append(f"left out: {counted(len(flaws), 'row')} without answers")
        notes += [*self.finals.notes(), *usage_of_cascades, *self._notes]
        return Evaluation(
            name=self.source.name,
            metric=self.metric,
            signature=self.signature,
            rows=rows,
            answers=(),
            settings={
                "level": level,
                "clusters": self.tally.over,
                "unsure": rule.unsure,
                "min_precision": rule.min_precision,
                "cut": rule.cut,
                "counted by": rule.basis,
                "by": list(self.tally.by),
                "skipped": len(flaws),
                "calibration": None if rule.calibration is None else rule.calibration.signature,
            },
            notes=tuple(notes),
            labeled=self.shares,
            n_listed=0,
            rule=rule,
        )


class _Settings(NamedTuple):
    """Checked settings of the call."""

    level: float
    only: tuple[AnswerVerdict, ...]
    progress: bool


def _checked(level: Any, only: Any, progress: bool) -> _Settings:
    wanted = [only] if isinstance(only, str) else arguments.texts("only", only)
    for verdict in wanted:
        if verdict not in ANSWER_VERDICTS:
            raise unknown("verdict of an answer", verdict, ANSWER_VERDICTS)
    return _Settings(
        arguments.between("level", level, 0, 1),
        tuple(verdict for verdict in ANSWER_VERDICTS if verdict in wanted),
        progress,
    )


def _list(listing: AnswerLog, block: AnswerBlock, decided: Mapping[str, Decided], extractor: Extractor | None) -> None:
    """Add the answers with the requested verdicts."""
    for system, (scores, probabilities, verdicts) in decided.items():
        if verdicts is None:
            continue
        for i in np.flatnonzero(np.isin(verdicts, listing.verdicts)).tolist():
            listing.add(
                AnswerRow(
                    block.ids[i],
                    system,
                    ANSWER_VERDICTS[int(verdicts[i])],
                    float(scores[i]),
                    None if probabilities is None else float(probabilities[i]),
                    None if block.questions is None else block.questions[i],
                    block.golds[i],
                    block.predictions[system][i],
                    *((None, None) if extractor is None else extractor(block.predictions[system][i])[:2]),
                )
            )
