"""The verdicts on the answers of all systems by one metric, for every command that counts right answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import Any

from answersim._base.arrays import FloatArray
from answersim._base.errors import ExtractionWarning, GoldFormWarning, ShortAnswersWarning, deferred_warnings, warn_user
from answersim._base.golds import ChoiceGold
from answersim._base.text_tables import percent
from answersim.answers.extraction import Extraction, Extractor
from answersim.answers.extraction.extractor import MAY_BE_OUTPUT, looks_like_output
from answersim.answers.tables.table import Answers
from answersim.calibration.verdicts import Decided, VerdictRule
from answersim.evaluation.labels.verifiers import Resolved, VerifierMetric
from answersim.evaluation.systems.abstentions import Abstentions
from answersim.metrics.composite.extracted import ExtractedMetric
from answersim.metrics.official.metric import OfficialMetric
from answersim.scoring.cache import CacheLike
from answersim.scoring.metrics import signed
from answersim.scoring.score import score_answers
from answersim.types import Metric, capabilities

_SHARE = 0.01  # of the predictions that contain a box or a tag, from which on a note names extraction


def rule_of(metric: Resolved, answers: Answers) -> tuple[str, VerdictRule]:
    """Return the signature of the scores of these answers, and the rule that decides which are right."""
    signature = signed(metric.metric, any(answers.questions or ()))
    return signature, metric.verdicts.rule(signature, capabilities(metric.metric).scale, metric.name)


def decided_answers(
    answers: Answers, metric: Metric, rule: VerdictRule, *, cache: CacheLike | None, progress: bool
) -> tuple[dict[str, Decided], dict[str, list[Extraction]], list[str]]:
    """Score all answers, and decide which are right.

    Returns:
        What the rule decided by system; the final answers by system, empty without a rule that reads them; and notes of
        the metric, of final answers that were not found, and of answers that were not attempted.
    """
    extractor = metric.extractor if isinstance(metric, ExtractedMetric) else None
    predictions = answers.predictions
    finals = {} if extractor is None else {name: [*map(extractor, preds)] for name, preds in predictions.items()}
    abstentions = Abstentions(metric)
    decided = {}
    with noting() as of_metric:
        scores = _scores(metric, answers, cache, progress)
        for system, preds in predictions.items():
            texts = [final.text for final in finals[system]] if system in finals else preds
            of_rule = rule.decide(scores[system], texts)
            decided[system] = abstentions.decide(of_rule, answers.golds, preds, texts, answers.questions)
    if not capabilities(metric).reads_choices and any(map(_has_choices, answers.golds)):
        readers = "answersim, typed and typed+NAME"
        of_metric.append(f"{rule.metric} reads no options, so the column 'choices' does not count; {readers} read it")
    reads_marks = isinstance(metric, VerifierMetric) or (isinstance(metric, OfficialMetric) and metric.reads_marks)
    of_finals = [] if reads_marks else _final_answers(predictions, extractor, finals)
    return decided, finals, [*of_metric, *of_finals, *abstentions.notes()]


def _final_answers(
    predictions: Mapping[str, Sequence[str]], extractor: Extractor | None, finals: Mapping[str, Sequence[Extraction]]
) -> list[str]:
    """Return how many final answers were read, and by which rule; without one, how many could be, if any."""
    preds = [*chain.from_iterable(predictions.values())]
    if extractor is None:
        n_read = sum(map(looks_like_output, filter(MAY_BE_OUTPUT.search, preds)))
        if not n_read or n_read < _SHARE * len(preds):
            return []
        return [
            f"{n_read:,} of {len(preds):,} predictions contain a box, a mark or a reasoning tag: read their final "
            "answers with extract='auto' (--extract auto)"
        ]
    rules = Counter(final.rule for final in chain.from_iterable(finals.values()))
    missing = rules[None]
    by_rule = ", ".join(f"{rule} {count:,}" for rule, count in rules.most_common() if rule is not None)
    left = "read as a whole" if extractor.missing == "whole" else "counted as empty"
    return [
        f"final answers by the rule {extractor.rule}: in {len(preds) - missing:,} of {len(preds):,} predictions"
        f"{f' ({by_rule})' if by_rule else ''}; {missing:,} ({percent(missing / len(preds))}) have none and are {left}"
    ]


@contextmanager
def noting() -> Iterator[list[str]]:
    """Collect what a result states in its notes, instead of warning of it. Other warnings are issued after the block.

    The notes are complete after the block. Final answers that were not found are counted by ``decided_answers``.
    """
    notes: list[str] = []
    with deferred_warnings() as collected:
        yield notes
    if short := [warning for warning in collected if isinstance(warning, ShortAnswersWarning)]:
        counts = {name: sum(getattr(warning, name) for warning in short) for name in ("count", "n")}
        notes.append(str(replace(short[0], **counts)))
    for warning in collected:
        if isinstance(warning, GoldFormWarning):
            notes.append(str(warning))
        elif not isinstance(warning, (ShortAnswersWarning, ExtractionWarning)):
            warn_user(warning)


def _has_choices(gold: Any) -> bool:
    return isinstance(gold, ChoiceGold) or (isinstance(gold, list) and any(map(_has_choices, gold)))


def _scores(metric: Metric, answers: Answers, cache: CacheLike | None, progress: bool) -> dict[str, FloatArray]:
    """Return the scores of each system."""
    if isinstance(metric, VerifierMetric) and metric.columns:
        return metric.recorded(answers)
    (scores,) = score_answers(answers, [metric], cache=cache, progress=progress).values()
    by_system = scores.values.reshape(len(answers.predictions), -1)
    return dict(zip(answers.predictions, by_system, strict=True))
