"""evaluate: how many answers of each system are right, with which uncertainty, and which ones are wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from answersim import arguments
from answersim.answers.blocks import AnswerBlock
from answersim.answers.reader import Answers, read_answers
from answersim.calibration.storing import ANY, CalibrationLike
from answersim.calibration.verdicts import ANSWER_VERDICTS, AnswerVerdict, VerdictRule, Verdicts, verdict_settings
from answersim.composite.extracted import ExtractedMetric
from answersim.errors import unknown
from answersim.evaluation.abstentions import Abstentions
from answersim.evaluation.aggregate import clusters_of, subsets_of, system_rows
from answersim.evaluation.changes import noise_of
from answersim.evaluation.final_answers import FinalAnswers, noting
from answersim.evaluation.human_labels import HumanLabels, SystemLabels, labels_for
from answersim.evaluation.labeled_shares import labeled_shares
from answersim.evaluation.listed_answers import listed_answers, places_of
from answersim.evaluation.results import Evaluation
from answersim.evaluation.second_pass import SecondMetric, SecondPass, decide_again, second_metric
from answersim.io import files, output_files
from answersim.scoring.cache import CacheLike
from answersim.scoring.metrics import named_metric, signed
from answersim.scoring.score import score_answers
from answersim.stats.clustered_means import ClusteredMeans
from answersim.stats.resampling import Bootstrap, bootstrap_settings
from answersim.text_tables import counted
from answersim.types import FloatArray, Metric, OneNamed, capabilities

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
    unsure: SecondMetric | None = None,
    keep: Sequence[AnswerVerdict] | Mapping[AnswerVerdict, int] = KEPT,
    extract: Any = None,
    lang: str = "en",
    bootstrap: Bootstrap = Bootstrap(),
    cache: CacheLike | None = True,
    output: str | PathLike[str] | None = None,
    progress: bool = True,
) -> Evaluation:
    """Count how many answers of each system are right, with intervals over questions, and list the wrong ones.

    ``docs/evaluate.md`` states which answers are right. If the call is interrupted, the same call with the same cache
    finds the scores that a network had computed.

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
        unsure: A second metric, such as a judge, which decides the answers that the first one leaves unsure: as
            ``metric``, with the shipped calibration if it needs one; or that and its calibration, as a tuple. The
            result counts what it decided. Mean scores stay those of the first metric.
        keep: The verdicts of the answers that are listed; or by verdict, how many of each system.
        extract: The rule that reads final answers out of predictions, for a metric that is given by name.
        lang: The language of the answers, also for a metric that is given by name.
        bootstrap: The coverage of the intervals. Nothing is resampled.
        cache: A folder (or a ``ScoreCache``) where the scores of networks are stored and looked up; True for the one of
            the command line. None or False stores nothing.
        output: A table for all listed answers, which is written when it is complete.
        progress: Whether long work may show a progress bar, which appears on a terminal only.

    Raises:
        FileNotFoundError, LookupError: If there is no such file, column, id, metric, calibration or subset.
        ValueError: If values are not answers or ids occur twice (all rows are named), a setting is outside its range,
            the calibration is for other scores, labels belong to other rows or are fewer than 10, or a second metric
            has no verdicts or nothing to decide.
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
    _check_place(place, source)
    answers = source.read()
    signature = signed(built, any(answers.questions or ()))
    rule = verdict_settings(calibration).rule(signature, capabilities(built).scale, name)
    second = None
    if unsure is not None:
        asked = any(answers.questions or ())
        second = second_metric(unsure, built, rule, lang=lang, extract=extract, asked=asked)
    subsets = list(subsets_of(answers, by, lang))
    labeled = {} if given is None else _labels(given, answers, source.rows)

    with noting() as of_metric:
        scores = _scores(built, answers, cache, progress)
    reader = FinalAnswers(built.extractor if isinstance(built, ExtractedMetric) else None)
    finals = {system: reader.read(preds) for system, preds in answers.predictions.items()}
    abstentions = Abstentions(built)
    decided = {
        system: abstentions.decide(
            rule.decide(scores[system]),
            answers.golds,
            preds,
            [final.text for final in finals[system]],
            answers.questions,
        )
        for system, preds in answers.predictions.items()
    }
    passed: tuple[SecondPass, ...] = ()
    if second is not None:
        texts = {system: [final.text for final in found] for system, found in finals.items()}
        decided, passed = decide_again(second, answers, decided, texts, cache=cache, progress=progress)
    over, clusters = clusters_of(answers, source.columns.group)
    means = ClusteredMeans(clusters, level)
    groups = None if over == "answers" else means.numbers.tolist()
    shares, remarks = labeled_shares(labeled, decided, groups, level)
    notes = [f"counted: {rule.sentence}", *rule.caution, *(() if second is None else second.notes(rule))]
    if answers.skipped:
        notes.append(f"left out: {counted(answers.skipped, 'row')} without answers")
    places = places_of(decided, kept)
    listed = partial(listed_answers, places, answers, decided, None if reader.extractor is None else finals)
    found = Evaluation(
        name=source.name,
        metric=name,
        signature=signature,
        rows=tuple(system_rows(subsets, decided, means, rule.transfer)),
        answers=tuple(listed(keep if isinstance(keep, Mapping) else None)),
        settings=_settings(rule, answers.skipped, level=level, clusters=over, by=list(by))
        | ({} if second is None else {"unsure by": second.settings}),
        notes=(*notes, *of_metric, *reader.notes(), *abstentions.notes(), *remarks),
        labeled=shares,
        n_listed=sum(map(len, places.values())),
        rule=rule,
        noise=noise_of(built, name),
        second=passed,
    )
    if place is not None:
        files.write(replace(found, answers=tuple(listed())).answers_table(), place)
    return found


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


def _labels(given: HumanLabels, answers: AnswerBlock, rows: int) -> Mapping[str, SystemLabels]:
    """Return the labels of each system that has any. ``rows``: how many rows the table has, also those left out."""
    given.add(answers)
    return given.of_systems(rows)


def _scores(metric: Metric, answers: AnswerBlock, cache: CacheLike | None, progress: bool) -> dict[str, FloatArray]:
    """Return the scores of each system."""
    (scores,) = score_answers(answers, [metric], cache=cache, progress=progress).values()
    by_system = scores.values.reshape(len(answers.predictions), -1)
    return dict(zip(answers.predictions, by_system, strict=True))


def _settings(rule: VerdictRule, skipped: int, **more: Any) -> dict[str, Any]:
    """Return the settings of the result."""
    return {
        **more,
        "low": rule.low,
        "high": rule.high,
        "threshold": rule.given,
        "counted by": rule.basis,
        "skipped": skipped,
        "calibration": None if rule.calibration is None else rule.calibration.signature,
    }


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
