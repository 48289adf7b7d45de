"""evaluate: how many answers of each system are right, with which uncertainty, and which ones are wrong."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from answersim._base import arguments
from answersim._base.errors import unknown
from answersim._base.text_tables import counted
from answersim.answers.tables.reader import read_answers
from answersim.answers.tables.table import Answers
from answersim.answers.text.tokens import tokenizer
from answersim.calibration.storing import ANY, CalibrationLike
from answersim.calibration.transfer import Transfer
from answersim.calibration.verdicts import ANSWER_VERDICTS, AnswerVerdict, Decided, VerdictRule, Verdicts
from answersim.evaluation.data.row_groups import Mask, by_kinds, by_values, question_kind
from answersim.evaluation.labels.human_labels import SystemLabels
from answersim.evaluation.labels.label_sources import system_labels
from answersim.evaluation.labels.labeled_shares import ALL, NO_ESTIMATE, labeled_shares
from answersim.evaluation.labels.verifiers import Resolved, resolved_in
from answersim.evaluation.systems.deciding import decided_answers, noting, rule_of
from answersim.evaluation.systems.listed_answers import listed_answers, places_of
from answersim.evaluation.systems.results import Evaluation
from answersim.evaluation.systems.second_pass import Second, SecondPass, decide_again, second_metric
from answersim.evaluation.systems.tables import SystemRow
from answersim.scoring.cache import CacheLike
from answersim.stats.attempts import AttemptRates, attempt_columns
from answersim.stats.intervals.clustered_means import ClusteredMeans
from answersim.stats.intervals.resampling import Bootstrap, Estimate, bootstrap_settings
from answersim.types import OneNamed

KEPT: tuple[AnswerVerdict, ...] = ("wrong", "unsure", "not attempted")


def evaluate(
    data: Any,
    metric: OneNamed | Callable[..., Any] = None,
    *,
    pred: str | Sequence[str] = "pred",
    gold: str = "gold",
    question: str | None = None,
    by: Sequence[str] = (),
    labels: Any = None,
    calibration: CalibrationLike | Verdicts | None = ANY,
    unsure: OneNamed | tuple[OneNamed, CalibrationLike | Verdicts] = None,
    keep: Sequence[AnswerVerdict] | Mapping[AnswerVerdict, int] = KEPT,
    extract: Any = None,
    lang: str = "auto",
    bootstrap: Bootstrap = Bootstrap(),
    cache: CacheLike | None = True,
    progress: bool = True,
) -> Evaluation:
    """Count how many answers of each system are right, with intervals over questions, and list the wrong ones.

    ``docs/evaluate.md`` states which answers are right. If the call is interrupted, the same call with the same cache
    finds the scores that a network had computed.

    Args:
        data: What ``answersim.read_answers`` reads or returns: a file, a ``pandas.DataFrame`` or columns by name, with
            one or several columns of predictions, or a table per system.
        metric: A name, a built ``answersim.metric``, or one by its name in the result. If None, it is that of the
            calibration, or else "answersim". Or a verifier, whose errors the labels then measure: a function of golds,
            predictions and questions, "module:function", the address of a server, or "column:NAME" for a column of
            recorded verdicts (``evaluation.verifiers.resolved``).
        pred: The column of the predictions, or the columns of several systems.
        gold: The column of the gold answers. A value may be a list of answers that are all correct.
        question: The column of the questions, which intervals are over. ``read_answers`` takes an id, a group and more.
        by: Subsets: columns, "length" (words of the prediction) or "question" (the question word).
        labels: Human labels of at least 10 answers per system, to estimate the share that annotators call right and
            the errors of the verdicts: a sheet of ``answersim label``; a table with ids, "label" and, if probabilities
            differ, "inclusion"; labels by id; or a column of the answers. See ``label_sources.system_labels``.
        calibration: A calibration, its file or name, or "shipped" for the one of this metric; ``Verdicts`` for a
            threshold and other settings. Without one (None, or if none ships), there are mean scores only, unless the
            scores are probabilities or verdicts.
        unsure: A second metric, such as a judge, which decides the answers that the first one leaves unsure: as
            ``metric``, with the shipped calibration if it needs one; or that and its calibration, as a tuple. The
            result counts what it decided. Mean scores stay those of the first metric.
        keep: The verdicts of the answers that are listed; or by verdict, how many of each system.
        extract: The rule that reads final answers out of predictions, for a metric that is given by name.
        lang: The language of the answers, also for a metric that is given by name: an ISO 639-1 code, or "auto" for
            that of the column "lang", or English unless the texts are clearly in another language.
        bootstrap: The coverage of the intervals. Nothing is resampled.
        cache: A folder (or a ``ScoreCache``) where the scores of networks are stored and looked up; True for the one of
            the command line. None or False stores nothing.
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
    listed, level = _kept(keep), bootstrap_settings(bootstrap).level
    by, progress = arguments.texts("by", by), arguments.flag("progress", progress)
    answers = read_answers(data, pred=pred, gold=gold, question=question)
    running: dict[str, Any] = {"cache": cache, "progress": progress}
    lang, first = resolved_in(answers, metric, calibration, lang, extract)
    signature, rule = rule_of(first, answers)
    second = None
    if unsure is not None:
        has_questions = any(answers.questions or ())
        second = second_metric(unsure, first.metric, rule, lang=lang, extract=extract, has_questions=has_questions)
    subsets = list(subsets_of(answers, by, lang))
    labeled = {} if labels is None else system_labels(labels, answers)
    settings = {"level": level, "by": list(by), **_settings(rule, second, len(answers.left_out))}
    most = keep if isinstance(keep, Mapping) else None
    return _evaluation(answers, first, signature, rule, second, subsets, labeled, listed, most, settings, running)


def _evaluation(
    answers: Answers,
    first: Resolved,
    signature: str,
    rule: VerdictRule,
    second: Second | None,
    subsets: Sequence[tuple[str, Mapping[str, Mask]]],
    labeled: Mapping[str, SystemLabels],
    listed: Sequence[AnswerVerdict],
    most: Mapping[AnswerVerdict, int] | None,
    settings: Mapping[str, Any],
    running: Mapping[str, Any],
) -> Evaluation:
    """Return the evaluation of the answers by a metric, its rule, and the one for its unsure answers."""
    decided, finals, notes = decided_answers(answers, first.metric, rule, **running)
    passed: tuple[SecondPass, ...] = ()
    if second is not None:
        with noting() as of_second:
            decided, passed = decide_again(second, answers, decided, finals, **running)
        notes += of_second
    over, clusters = clusters_of(answers)
    means = ClusteredMeans(clusters, settings["level"])
    groups = None if over == "answers" else means.numbers.tolist()
    shares, limits = labeled_shares(labeled, decided, groups, means.level, subsets)
    places = places_of(decided, listed)
    skipped = len(answers.left_out)
    basis = [f"counted: {rule.sentence}", *rule.caution, *(() if second is None else second.notes(rule))]
    basis += [f"left out: {counted(skipped, 'row')} without answers"] if skipped else []
    return Evaluation(
        name=answers.name,
        metric=first.name,
        signature=signature,
        rows=tuple(system_rows(subsets, decided, means, rule.transfer)),
        answers=tuple(listed_answers(places, answers, decided, finals, most)),
        settings={**settings, "clusters": over},
        notes=(*basis, *notes, *limits),
        labeled=shares,
        n_listed=sum(map(len, places.values())),
        rule=rule,
        second=passed,
        data=answers,
    )


def _settings(rule: VerdictRule, second: Second | None, skipped: int) -> dict[str, Any]:
    calibration = None if rule.calibration is None else rule.calibration.signature
    settings: dict[str, Any] = {"low": rule.low, "high": rule.high, "threshold": rule.stated, "counted by": rule.basis}
    settings |= {"skipped": skipped, "calibration": calibration}
    return settings if second is None else settings | {"unsure by": second.settings}


def _kept(keep: Any) -> tuple[AnswerVerdict, ...]:
    """Return the verdicts of the answers that are listed, in their usual order."""
    if isinstance(keep, Mapping):
        for count in keep.values():
            arguments.whole("keep", count, 0)
        keep = list(keep)
    chosen = [keep] if isinstance(keep, str) else arguments.texts("keep", keep)
    for verdict in chosen:
        if verdict not in ANSWER_VERDICTS:
            raise unknown("verdict of an answer", verdict, ANSWER_VERDICTS)
    return tuple(verdict for verdict in ANSWER_VERDICTS if verdict in chosen)


LENGTHS = ("0-1", "2", "3-5", "6-15", "16-40", "41+")  # words of a prediction
_ENDS = (1, 2, 5, 15, 40)
BUILT_IN = ("length", "question")  # subsets, unless a column that has no other role has this name


def clusters_of(answers: Answers) -> tuple[str, Sequence[Hashable]]:
    """Return what the intervals are over, in words, and the cluster of each row.

    These are the groups; or the questions, if no column of groups is named; or the rows, if there are no questions.
    """
    if answers.groups is not None:
        return f"the values of {answers.columns.group!r}", answers.groups
    if answers.questions is not None:
        return "questions", answers.questions
    return "answers", range(len(answers.ids))


def subsets_of(answers: Answers, by: Sequence[str], lang: str) -> Iterator[tuple[str, dict[str, Mask]]]:
    """Yield the subsets: for each system a mask of its answers, shape (n,). The first one is all answers.

    ``by``: what defines the others: columns, "length" (words of the prediction) or "question" (the question word).
    """
    systems = answers.predictions
    yield ALL, dict.fromkeys(systems, np.ones(len(answers.ids), dtype=bool))
    columns = answers.columns
    for name in by:
        is_role = name != columns.group and name in (columns.gold, columns.question, columns.id, *columns.preds)
        if name not in BUILT_IN or (not is_role and answers.has(name)):
            groups = by_values(name, answers.values(name))
        elif name == "question":
            if answers.questions is None:
                raise ValueError("by names 'question', but there are no questions; name their column with question=")
            groups = by_kinds(name, [question_kind(question, lang) for question in answers.questions])
        else:
            split = tokenizer(lang)
            lengths = {
                system: np.searchsorted(_ENDS, [len(split(pred)) for pred in preds], side="left")
                for system, preds in systems.items()
            }
            for i, kind in enumerate(LENGTHS):
                yield f"{name}={kind}", {system: codes == i for system, codes in lengths.items()}
            continue
        for subset, mask in groups.items():
            yield subset, dict.fromkeys(systems, mask)


def system_rows(
    subsets: Iterable[tuple[str, Mapping[str, Mask]]],
    decided: Mapping[str, Decided],
    means: ClusteredMeans,
    transfer: Transfer | None = None,
) -> Iterator[SystemRow]:
    """Yield the results subset by subset, and in each subset the systems in order.

    ``transfer``: what the intervals of expected shares include, if it is known.
    """
    places = [(subset, system, mask) for subset, masks in subsets for system, mask in masks.items() if mask.any()]
    columns = [_columns(decided[system], mask) for _, system, mask in places]
    estimates = iter(means.of_all([column for row in columns for column in row]))
    for (subset, system, mask), row in zip(places, columns, strict=True):
        yield _row(subset, system, decided[system], mask, [*islice(estimates, len(row))], means, transfer)


def _columns(numbers: Decided, mask: Mask) -> list[tuple[Any, Any, Any]]:
    """Return what the estimates of a row are means of, in the order of ``_row``; see ``ClusteredMeans.of_all``."""
    columns: list[tuple[Any, Any, Any]] = [(numbers.scores, mask, None)]
    if numbers.probabilities is not None:
        columns.append((numbers.probabilities, mask, None))
    if (right := numbers.right()) is not None:
        columns += [(right, mask, None), *attempt_columns(right, numbers.attempted(), mask)]
    return columns


def _row(
    subset: str,
    system: str,
    numbers: Decided,
    mask: Mask,
    estimates: Sequence[Estimate],
    means: ClusteredMeans,
    transfer: Transfer | None,
) -> SystemRow:
    counts: list[int | None] = [None] * len(ANSWER_VERDICTS)
    if numbers.verdicts is not None:
        counts = [int(count) for count in np.bincount(numbers.verdicts[mask], minlength=len(ANSWER_VERDICTS))]
    mean, *rest = estimates
    probability = NO_ESTIMATE if numbers.probabilities is None else rest.pop(0)
    if numbers.probabilities is not None and transfer is not None:
        probability = transfer.widened(probability, means.level)
    share, *rates = rest or [NO_ESTIMATE] * 4
    right, wrong, unsure, not_attempted = counts
    return SystemRow(
        subset=subset,
        system=system,
        n=int(mask.sum()),
        clusters=means.clusters(mask),
        mean=mean,
        right=right,
        wrong=wrong,
        unsure=unsure,
        not_attempted=not_attempted,
        share=share,
        probability=probability,
        attempts=AttemptRates(*rates),
    )
