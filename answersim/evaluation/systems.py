"""evaluate: how many answers of each system are right, with which uncertainty, and which ones are wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from answersim import arguments
from answersim.answers.reader import AnswerBlock, Answers, read_answers
from answersim.calibration.decision import UNSURE
from answersim.calibration.storing import ANY, CalibrationLike
from answersim.calibration.verdicts import ANSWER_VERDICTS, AnswerVerdict, Decided, verdict_rule
from answersim.composite.extracted import ExtractedMetric
from answersim.composite.usage import receipts
from answersim.errors import unknown
from answersim.evaluation.answer_log import AnswerLog
from answersim.evaluation.final_answers import FinalAnswers
from answersim.evaluation.human_labels import HumanLabels
from answersim.evaluation.labeled_shares import labeled_shares
from answersim.evaluation.results import Evaluation
from answersim.evaluation.rows import AnswerRow
from answersim.evaluation.tally import Tally
from answersim.extraction import Extractor
from answersim.io import files
from answersim.io.partial_results import open_partial_results
from answersim.runtime.progress import bar
from answersim.runtime.progress import progress as bars
from answersim.scoring.blocks import BlockScorer
from answersim.scoring.cache import CacheLike
from answersim.scoring.score import build, default_for, options_of_each, signed
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
    references: Any = None,
    by: Sequence[str] = (),
    group: str | None = None,
    split_gold: str | None = None,
    labels: Any = None,
    calibration: CalibrationLike | None = ANY,
    unsure: float = UNSURE,
    min_precision: float | None = None,
    cut: float | None = None,
    only: Sequence[AnswerVerdict] = ("wrong", "unsure"),
    lang: str = "en",
    profile: str | None = None,
    level: float = 0.95,
    skip_bad: bool = False,
    encoding: str | None = None,
    delimiter: str | None = None,
    device: str | None = None,
    precision: str | None = None,
    batch_tokens: int | None = None,
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
        data: A file (CSV, TSV, JSON, JSON lines, Parquet, Excel), a ``pandas.DataFrame`` or columns by name, with one
            or several columns of predictions. For a table per system: a list of files, or files or data frames by the
            name of the system. They are joined by ``id``.
        metric: A name, or a metric that was already built. If None, it is that of the calibration, or else "answersim"
            if its extra 'embedded' is installed, or else "recall", with a warning if predictions are sentences.
        pred: The column of the predictions, or the columns of several systems.
        gold: The column of the gold answers. A value may be a list of answers that are all correct.
        question: The column of the questions. Intervals are then over questions, and metrics that can read the question
            do.
        id: The column that identifies a row. It is "id" for several tables.
        references: For several tables, the table with gold answers and questions, if they are in none of them.
        by: Subsets: columns, "length" (words of the prediction) or "question" (the question word).
        group: The column of what dependent answers have in common, if it is not the question.
        split_gold: A separator between several gold answers in one value.
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
        skip_bad: Whether rows without an answer of every system, or without a gold answer, are left out and counted,
            instead of being an error.
        encoding: The encoding of text files, instead of the detected one.
        delimiter: The delimiter of CSV and TSV files, instead of the detected one.
        device: Where the network of a named metric runs. See ``answersim.score_pairs``.
        precision: The precision of this network; signed.
        batch_tokens: The maximum number of tokens that go through it at a time.
        progress: Whether long work may show a progress bar, which appears on a terminal only.
        cache: A folder (or a ``ScoreCache``) where the scores of metrics that run a network are stored and looked up.
        output: A table for all listed answers. While the work is unfinished, the scores are stored beside it, and the
            same call resumes from there after an interruption, with the same result to the byte.
        listed: The maximum number of answers that the result contains; all if None.
        options: Settings of the named metric.

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
    settings = _checked(level, only, arguments.flag("progress", progress))
    subsets = arguments.texts("by", by)
    if isinstance(metric, str) or metric is None:
        metric = default_for(calibration) if metric is None else metric
        (running,) = options_of_each([metric], device, precision, batch_tokens)
        built = build(metric, lang, profile, {**options, **running})
        name = metric
    else:
        options_of_each([metric], device, precision, batch_tokens)
        built = build(metric, None, profile, options)
        name = built.signature.split("|", 1)[0]
    most = None if listed is None else arguments.whole("listed", listed, 0)
    place = None if output is None else Path(arguments.path("output", output))
    with ExitStack() as stack:
        source = read_answers(
            data,
            pred=pred,
            gold=gold,
            question=question,
            id=id,
            group=group,
            references=references,
            split_gold=split_gold,
            skip_bad=skip_bad,
            encoding=encoding,
            delimiter=delimiter,
        )
        columns = source.columns
        others = tuple(column for column in subsets if column not in BUILT_IN or column == columns.group)
        taken = (columns.gold, columns.question, columns.id, columns.group, *columns.preds)
        optional = tuple(name for name in subsets if name in BUILT_IN and name not in taken)
        source = source.with_columns(others=others, optional=optional)
        given = None
        if labels is not None:
            given = HumanLabels(
                labels, id=columns.id, systems=source.systems, pred=columns.preds[0], split_gold=columns.split_gold
            )
            if given.joins and columns.id is None:
                source = source.with_columns(id="id")
        if place is not None:
            files.refuse_overwriting_input(source.files, place)
        has_column = columns.question is not None
        reads = reads_questions(built) and has_column
        signature = signed(built, reads and _any_question(source))
        rule = verdict_rule(
            signature,
            scale=capabilities(built).scale,
            name=name,
            calibration=calibration,
            unsure=unsure,
            min_precision=min_precision,
            cut=cut,
        )
        if place is not None:
            files.check_place(place)
        extractor = built.extractor if isinstance(built, ExtractedMetric) else None
        finals = FinalAnswers(extractor)
        only_listed = settings.only if rule.counts else ()
        listing = stack.enter_context(AnswerLog(source.systems, only_listed, extracts=extractor is not None))
        of_cascades = stack.enter_context(receipts())
        keys = [f"evaluate {system} {signature}" for system in source.systems]
        draft = stack.enter_context(open_partial_results(place, keys))
        stack.enter_context(bars(settings.progress))
        scorer = BlockScorer([built], draft, cache=cache, progress=settings.progress, counts_extractions=True)
        tally = Tally(source.systems, subsets, columns.group, lang)
        with bar(0, name, "answer") as shown:
            for block in source:
                if "question" in subsets and not has_column and "question" not in block.columns:
                    raise ValueError(
                        "by names 'question', but there are no questions; name their column with question="
                    )
                scores = scorer.scores(block)
                decided = {system: rule.decide(np.ascontiguousarray(scores[system][:, 0])) for system in scores}
                tally.add(block, decided)
                if given is not None:
                    given.add(block)
                _list(listing, block, decided, extractor)
                finals.add(block)
                done = tally.n * len(source.systems)
                shown.total = round(done / block.share) if block.share else None
                shown.update(done - shown.n)
        labeled = {} if given is None else given.of_systems(source.rows)
        scorer.warn()
        source.warn()
        rows = tuple(tally.rows(settings.level, rule.transfer))
        clusters = None if tally.over == "answers" else tally.clusters().tolist()
        numbers = {system: tally.decided(system) for system in labeled}
        shares, more = labeled_shares(labeled, numbers, clusters, settings.level)
        if place is not None:
            listing.write(place)
            draft.done = True
        answers = tuple(listing.answers(most))
        n_listed = len(listing)
    notes = [f"counted: {rule.sentence}", *rule.caution]
    if source.flaws:
        notes.append(f"left out: {counted(len(source.flaws), 'row')} without answers")
    notes += [*finals.notes(), *map(str, of_cascades.values())]
    return Evaluation(
        name=source.name,
        metric=name,
        signature=signature,
        rows=rows,
        answers=answers,
        settings={
            "level": settings.level,
            "clusters": tally.over,
            "unsure": rule.unsure,
            "min_precision": rule.min_precision,
            "cut": rule.cut,
            "counted by": rule.basis,
            "by": subsets,
            "skipped": len(source.flaws),
            "calibration": None if rule.calibration is None else rule.calibration.signature,
        },
        notes=(*notes, *more),
        labeled=shares,
        n_listed=n_listed,
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


def _any_question(source: Answers) -> bool:
    """Return whether any question is not empty. Usually, the first block decides that."""
    return any(any(block.questions or ()) for block in source)


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
