"""evaluate: how many answers of each system are right, with which uncertainty, and which ones are wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from answersim import arguments
from answersim.answers.blocks import AnswerBlock
from answersim.answers.reader import Answers, read_answers
from answersim.calibration.storing import ANY, CalibrationLike
from answersim.calibration.verdicts import (
    ANSWER_VERDICTS,
    AnswerVerdict,
    Decided,
    VerdictRule,
    Verdicts,
    verdict_settings,
)
from answersim.composite.extracted import ExtractedMetric
from answersim.errors import unknown
from answersim.evaluation.abstentions import Abstentions
from answersim.evaluation.aggregate import Numbers
from answersim.evaluation.answer_log import AnswerLog
from answersim.evaluation.changes import noise_of
from answersim.evaluation.final_answers import FinalAnswers
from answersim.evaluation.human_labels import HumanLabels, SystemLabels, labels_for
from answersim.evaluation.labeled_shares import LabeledShare, labeled_shares
from answersim.evaluation.results import Evaluation
from answersim.evaluation.tables import AnswerRow, SystemRow
from answersim.extraction import Extraction
from answersim.io import output_files
from answersim.io.partial_results import open_partial_results
from answersim.runtime.progress import bar
from answersim.runtime.progress import progress as bars
from answersim.scoring.blocks import BlockScorer
from answersim.scoring.cache import CacheLike
from answersim.scoring.metrics import named_metric, signed
from answersim.stats.resampling import Bootstrap, bootstrap_settings
from answersim.text_tables import counted
from answersim.types import Metric, OneNamed, capabilities, reads_questions

BUILT_IN = ("length", "question")
KEPT: tuple[AnswerVerdict, ...] = ("wrong", "unsure", "not attempted")


def evaluate(
    data: Any,
    metric: OneNamed = None,
    *,
    pred: str | Sequence[str] = "pred",
    gold: str = "gold",
    question: str | None = None,
    by: Sequence[str] = (),
    labels: Any = None,
    calibration: CalibrationLike | Verdicts | None = ANY,
    keep: Sequence[AnswerVerdict] | Mapping[AnswerVerdict, int] = KEPT,
    extract: Any = None,
    lang: str = "en",
    bootstrap: Bootstrap = Bootstrap(),
    cache: CacheLike | None = None,
    output: str | PathLike[str] | None = None,
    progress: bool = True,
) -> Evaluation:
    """Count how many answers of each system are right, with intervals over questions, and list the wrong ones.

    A single file is read in pieces, so a file of any size can be evaluated. Only the numbers of all answers and the
    texts of the listed answers are kept. ``docs/evaluate.md`` states which answers are right.

    Args:
        data: What ``answersim.read_answers`` reads or returns: a file, a ``pandas.DataFrame`` or columns by name, with
            one or several columns of predictions, or a table per system.
        metric: A name, a built ``answersim.metric``, or one by its name in the result. If None, it is that of the
            calibration, or else "answersim".
        pred: The column of the predictions, or the columns of several systems.
        gold: The column of the gold answers. A value may be a list of answers that are all correct.
        question: The column of the questions, which intervals are over. ``read_answers`` takes an id, a group and more.
        by: Subsets: columns, "length" (words of the prediction) or "question" (the question word).
        labels: Human labels of at least 10 answers per system, to estimate the share that annotators call right: a
            sheet of ``answersim label``; a table with ids, "label" and, if probabilities differ, "inclusion"; or one
            number per row, nan for no label. Of several systems: by name, or a table with the column "system".
        calibration: A calibration, its file or name, or "shipped" for the one of this metric; ``Verdicts`` for a
            threshold and other settings. Without one (None, or if none ships), there are mean scores only, unless the
            scores are probabilities or verdicts.
        keep: The verdicts of the answers that are listed; or by verdict, how many of each system.
        extract: The rule that reads final answers out of predictions, for a metric that is given by name.
        lang: The language of the answers, also for a metric that is given by name.
        bootstrap: The coverage of the intervals. Nothing is resampled.
        cache: A folder (or a ``ScoreCache``) where the scores of networks are stored and looked up.
        output: A table for all listed answers. Until it is complete, the scores are stored beside it, and the same call
            resumes from there after an interruption, with the same result to the byte.
        progress: Whether long work may show a progress bar, which appears on a terminal only.

    Raises:
        FileNotFoundError, LookupError: If there is no such file, column, id, metric, calibration or subset.
        ValueError: If values are not answers or ids occur twice (all rows are named), a setting is outside its range,
            the calibration is for other scores, or labels belong to other rows or are fewer than 10.
        BlockingIOError: If another process is writing the same output.
        TypeError: If an argument has the wrong type.

    >>> answers = {"gold": ["Rome", "Oslo"]}
    >>> answers |= {"a": ["in Rome", "Bergen"], "b": ["Paris", "Oslo"]}
    >>> print(evaluate(answers, "recall", pred=["a", "b"]).summary()[0])
    a: 1 of 2 right, 50 % [1, 99]; 1 wrong, 0 unsure
    """
    kept, level = _kept(keep), bootstrap_settings(bootstrap).level
    place = None if output is None else Path(arguments.path("output", output))
    by, progress = arguments.texts("by", by), arguments.flag("progress", progress)
    name, built = named_metric(metric, calibration, lang, extract)
    source, given = _read(read_answers(data, pred=pred, gold=gold, question=question), by, labels)
    signature = _signed(source, built)
    rule = verdict_settings(calibration).rule(signature, capabilities(built).scale, name)
    _check_place(place, source)
    numbers = Numbers(source.systems, by, source.columns.group, lang)
    work = _Evaluated(name, built, signature, source, rule, numbers, level)
    with work.log(kept) as log, bars(progress):
        with open_partial_results(place, work.keys) as draft:
            scorer = BlockScorer([built], draft, cache=cache, progress=progress, counts_extractions=True)
            work.score(scorer, log, given)
            rows = work.rows({} if given is None else given.of_systems(source.rows))
            if place is not None:
                log.write(place)
                draft.done = True
        found = work.result(rows, [*map(str, scorer.usage.values())])
        most = keep if isinstance(keep, Mapping) else None
        return replace(found, answers=tuple(log.answers(most)), n_listed=len(log))


def _read(source: Answers, subsets: Sequence[str], labels: Any) -> tuple[Answers, HumanLabels | None]:
    """Return the answers with the columns of the subsets, and the human labels."""
    columns = source.columns
    others = tuple(column for column in subsets if column not in BUILT_IN or column == columns.group)
    taken = (columns.gold, columns.question, columns.id, columns.group, *columns.preds)
    optional = tuple(name for name in subsets if name in BUILT_IN and name not in taken)
    source = source.with_columns(others=others, optional=optional)
    if labels is None:
        return source, None
    given, source = labels_for(source, labels)
    return source, given


def _check_place(place: Path | None, source: Answers) -> None:
    """Check before any work that the output can be written, and is none of the inputs."""
    if place is not None:
        output_files.refuse_overwriting_input(source.files, place)
        output_files.check_place(place)


def _signed(source: Answers, metric: Metric) -> str:
    """Return the signature of the scores: with questions if the metric reads them and any is not empty."""
    asks = reads_questions(metric) and source.columns.question is not None
    return signed(metric, asks and any(any(block.questions or ()) for block in source))


class _Evaluated:
    """The answers, their numbers and verdicts, and what is counted of them."""

    def __init__(
        self,
        metric: str,
        built: Metric,
        signature: str,
        source: Answers,
        rule: VerdictRule,
        numbers: Numbers,
        level: float,
    ) -> None:
        self.metric, self.signature, self.source, self.rule = metric, signature, source, rule
        self.numbers, self.level = numbers, level
        self.finals = FinalAnswers(built.extractor if isinstance(built, ExtractedMetric) else None)
        self.abstentions = Abstentions(built, numbers.lang)
        self.noise = noise_of(built, metric)
        self.shares: tuple[LabeledShare, ...] = ()
        self._notes: list[str] = []

    @property
    def keys(self) -> list[str]:
        """What the stored scores of each system are scores of."""
        return [f"evaluate {system} {self.signature}" for system in self.source.systems]

    def log(self, keep: Sequence[AnswerVerdict]) -> AnswerLog:
        """Return the empty log of answers with these verdicts."""
        kept = keep if self.rule.counts else ()
        return AnswerLog(self.source.systems, kept, extracts=self.finals.extractor is not None)

    def score(self, scorer: BlockScorer, log: AnswerLog, given: HumanLabels | None) -> None:
        """Score all blocks, decide which answers are right, and count and list them."""
        numbers, rule, n_systems = self.numbers, self.rule, len(self.source.systems)
        with bar(0, self.metric, "answer") as shown:
            for block in self.source:
                if "question" in numbers.by and block.questions is None and "question" not in block.columns:
                    raise ValueError(
                        "by names 'question', but there are no questions; name their column with question="
                    )
                scores = scorer.scores(block)
                finals = {system: self.finals.read(preds) for system, preds in block.predictions.items()}
                decided = {
                    system: self.abstentions.decide(
                        rule.decide(np.ascontiguousarray(scores[system][:, 0])),
                        block.golds,
                        block.predictions[system],
                        [answer.text for answer in answers],
                        block.questions,
                    )
                    for system, answers in finals.items()
                }
                numbers.add(block, decided)
                if given is not None:
                    given.add(block)
                _list(log, block, decided, finals if self.finals.extractor is not None else None)
                done = numbers.n * n_systems
                shown.total = round(done / block.share) if block.share else None
                shown.update(done - shown.n)
        scorer.warn()
        self.source.warn()

    def rows(self, labeled: Mapping[str, SystemLabels]) -> tuple[SystemRow, ...]:
        """Return the results of all systems and subsets, and estimate the shares of the labeled systems."""
        numbers = self.numbers
        rows = tuple(numbers.rows(self.level, self.rule.transfer))
        clusters = None if numbers.over == "answers" else numbers.clusters().tolist()
        decided = {system: numbers.decided(system) for system in labeled}
        self.shares, self._notes = labeled_shares(labeled, decided, clusters, self.level)
        return rows

    def result(self, rows: tuple[SystemRow, ...], usage_of_cascades: Sequence[str]) -> Evaluation:
        """Return the evaluation, without answers."""
        rule, flaws = self.rule, self.source.flaws
        notes = [f"counted: {rule.sentence}", *rule.caution]
        if flaws:
            notes.append(f"left out: {counted(len(flaws), 'row')} without answers")
        notes += [*self.finals.notes(), *self.abstentions.notes(), *usage_of_cascades, *self._notes]
        return Evaluation(
            name=self.source.name,
            metric=self.metric,
            signature=self.signature,
            rows=rows,
            answers=(),
            settings={
                "level": self.level,
                "clusters": self.numbers.over,
                "low": rule.low,
                "high": rule.high,
                "min_precision": rule.min_precision,
                "threshold": rule.given,
                "counted by": rule.basis,
                "by": list(self.numbers.by),
                "skipped": len(flaws),
                "calibration": None if rule.calibration is None else rule.calibration.signature,
            },
            notes=tuple(notes),
            labeled=self.shares,
            n_listed=0,
            rule=rule,
            noise=self.noise,
        )


def _kept(keep: Any) -> tuple[AnswerVerdict, ...]:
    """Return the verdicts of the answers that are listed, in their usual order."""
    if isinstance(keep, Mapping):
        for count in keep.values():
            arguments.whole("keep", count, 0)
        keep = list(keep)
    wanted = [keep] if isinstance(keep, str) else arguments.texts("keep", keep)
    for verdict in wanted:
        if verdict not in ANSWER_VERDICTS:
            raise unknown("verdict of an answer", verdict, ANSWER_VERDICTS)
    return tuple(verdict for verdict in ANSWER_VERDICTS if verdict in wanted)


def _found(answer: Extraction) -> tuple[str, str | None, tuple[int, int] | None]:
    """Return a final answer, its rule, and its place in the prediction."""
    return answer.text, answer.rule, None if answer.start < 0 else (answer.start, answer.end)


def _list(
    log: AnswerLog,
    block: AnswerBlock,
    decided: Mapping[str, Decided],
    finals: Mapping[str, Sequence[Extraction]] | None,
) -> None:
    """Add the answers with the requested verdicts."""
    for system, (scores, probabilities, verdicts) in decided.items():
        if verdicts is None:
            continue
        for i in np.flatnonzero(np.isin(verdicts, log.verdicts)).tolist():
            log.add(
                AnswerRow(
                    block.ids[i],
                    system,
                    ANSWER_VERDICTS[int(verdicts[i])],
                    float(scores[i]),
                    None if probabilities is None else float(probabilities[i]),
                    None if block.questions is None else block.questions[i],
                    block.golds[i],
                    block.predictions[system][i],
                    *(() if finals is None else _found(finals[system][i])),
                )
            )
