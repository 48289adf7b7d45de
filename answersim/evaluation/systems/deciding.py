"""The verdicts on the answers of all systems by one metric, for every command that counts right answers."""

from __future__ import annotations

from typing import Any

from answersim._base.arrays import FloatArray
from answersim._base.golds import ChoiceGold
from answersim.answers.extraction import Extraction
from answersim.answers.tables.table import Answers
from answersim.calibration.verdicts import Decided, VerdictRule
from answersim.evaluation.labels.verifiers import Resolved, VerifierMetric
from answersim.evaluation.systems.abstentions import Abstentions
from answersim.evaluation.systems.final_answers import FinalAnswers, noting
from answersim.metrics.composite.extracted import ExtractedMetric
from answersim.metrics.official.metric import OfficialMetric
from answersim.scoring.cache import CacheLike
from answersim.scoring.metrics import signed
from answersim.scoring.score import score_answers
from answersim.types import Metric, capabilities


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
    reads_marks = isinstance(metric, VerifierMetric) or (isinstance(metric, OfficialMetric) and metric.reads_marks)
    reader = FinalAnswers(metric.extractor if isinstance(metric, ExtractedMetric) else None, reads_marks=reads_marks)
    read = {system: reader.read(preds) for system, preds in answers.predictions.items()}
    finals = {system: extractions for system, extractions in read.items() if extractions is not None}
    abstentions = Abstentions(metric)
    decided = {}
    with noting() as of_metric:
        scores = _scores(metric, answers, cache, progress)
        for system, preds in answers.predictions.items():
            texts = [final.text for final in finals[system]] if system in finals else preds
            of_rule = rule.decide(scores[system], texts)
            decided[system] = abstentions.decide(of_rule, answers.golds, preds, texts, answers.questions)
    if not capabilities(metric).reads_choices and any(map(_has_choices, answers.golds)):
        readers = "answersim, typed and typed+NAME"
        of_metric.append(f"{rule.metric} reads no options, so the column 'choices' does not count; {readers} read it")
    notes = [*of_metric, *reader.notes(), *abstentions.notes()]
    return decided, finals, notes


def _has_choices(gold: Any) -> bool:
    return isinstance(gold, ChoiceGold) or (isinstance(gold, list) and any(map(_has_choices, gold)))


def _scores(metric: Metric, answers: Answers, cache: CacheLike | None, progress: bool) -> dict[str, FloatArray]:
    """Return the scores of each system."""
    if isinstance(metric, VerifierMetric) and metric.columns:
        return metric.recorded(answers)
    (scores,) = score_answers(answers, [metric], cache=cache, progress=progress).values()
    by_system = scores.values.reshape(len(answers.predictions), -1)
    return dict(zip(answers.predictions, by_system, strict=True))
