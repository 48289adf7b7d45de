"""One run, evaluated: ranking measures and semantic metrics side by side, each with its interval and its questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from answersim import Scores
from answersim._base.errors import unknown
from answersim._base.text_tables import Result, TextTable, counted, json_object
from answersim.stats.intervals.resampling import Bootstrap, bootstrap_settings
from rankers.evaluation.measures import USUAL, mean, measure
from rankers.evaluation.qrels import Counts, Gain, Qrels, check_grades, check_run, qrels_of
from rankers.evaluation.semantic import FLOOR, SemanticScores, evaluate_semantic
from rankers.settings import THRESHOLD
from rankers.types import FloatArray, Questions, Run

if TYPE_CHECKING:
    from ir_measures import Measure

    from answersim import Interval, Metric

FLOOR_NOTE = "floor: the mean over other wrong candidates of the same questions; a metric at its floor says nothing"
SHOWN = 20  # the number of suspected false negatives in a table; JSON has all
LOW_NOTE = "the threshold is below the floor, so random wrong candidates reach it; give a higher one"
WRONG = " where P@1=0"  # the suffix of a metric: its mean over the questions whose top candidate is wrong


@dataclass(frozen=True, eq=False)
class Evaluation(Result):
    """The measures and metrics of one run, question by question."""

    dataset: str  # name of the corpus; so with ``split`` and ``pool``
    split: str  # the split of the corpus
    pool: str  # the origin of the candidates. Measures of different pools are not comparable.
    system: str  # the name of the run
    seed: int | None  # the seed of the training of the system; None if there is none
    questions: tuple[str, ...]  # the ids, in order
    # by measure and by metric, a metric also under its name + ``WRONG``; float64, shape (questions,), nan if a question
    # does not count
    values: Mapping[str, FloatArray]
    tie_averaged: Mapping[str, FloatArray]  # the measures on average over all orders of equal scores; the same shapes
    semantic: Mapping[str, SemanticScores]  # by metric, its scores and the top candidates whose labels are suspected
    counts: Counts  # the counts of questions and documents
    level: float = 0.95  # the coverage of the intervals
    warnings: tuple[str, ...] = field(default=())  # remarks that must be reported with the numbers

    def mean(self, name: str) -> float:
        """Return the mean of this measure or metric over the questions that count; nan if there are none."""
        return mean(self.defined_values(name))

    def interval(self, name: str) -> Interval:
        """Return the interval of the mean, over questions: that of ``answersim.Scores.ci``."""
        return Scores(self.defined_values(name)).ci(self.level)

    @property
    def floors(self) -> dict[str, float]:
        """The mean over irrelevant candidates of the same pools, by the name of a metric where P@1=0."""
        means = {name + WRONG: mean(scores.floor) for name, scores in self.semantic.items()}
        return {name: value for name, value in means.items() if not np.isnan(value)}

    def defined_values(self, name: str) -> FloatArray:
        """Return the values of the questions that count, in order. Raise LookupError if it was not requested."""
        if name not in self.values:
            raise unknown("measure or metric of this evaluation", name, self.values)
        return self.values[name][~np.isnan(self.values[name])]

    def summary(self) -> list[str]:
        """Return the means with their intervals in a sentence."""
        data = " ".join(filter(None, (self.dataset, self.split)))
        means = ", ".join(f"{name} {self.mean(name):.3f} [{_ends(self.interval(name), 3)}]" for name in self.values)
        return [f"{self.system}{' on ' + data if data else ''}, {counted(len(self.questions), 'question')}: {means}"]

    def tables(self) -> list[TextTable]:
        """Return the table of means, and one of the suspected false negatives of each metric that has any."""
        ends = f"{self.level:.0%} interval".replace("%", " %")
        columns: dict[str, list[str]] = {
            "measure": list(self.values),
            "questions": [str(len(self.defined_values(name))) for name in self.values],
            "mean": [f"{self.mean(name):.4f}" for name in self.values],
            ends: [_ends(self.interval(name)) for name in self.values],
        }
        if self.floors:
            columns["floor"] = [f"{self.floors[name]:.4f}" if name in self.floors else "" for name in self.values]
        if self.counts.tied:
            averages = {name: f"{mean(values):.4f}" for name, values in self.tie_averaged.items()}
            columns["over tied orders"] = [averages.get(name, "") for name in self.values]
        rows = tuple(zip(*columns.values(), strict=True))
        tables = [TextTable("", tuple(columns), rows, (FLOOR_NOTE,) if self.floors else ())]
        for name, scores in self.semantic.items():
            if scores.false_negatives:
                suspects = tuple(
                    (f"{suspect.value:.3f}", suspect.question or suspect.question_id, suspect.choice, suspect.gold)
                    for suspect in scores.false_negatives[:SHOWN]
                )
                n, title = len(scores.false_negatives), f"{name} >= {scores.threshold:g}, and counted as wrong"
                title += f" (the first {SHOWN} of {n})" if n > SHOWN else ""
                is_low = scores.threshold < self.floors.get(name + WRONG, -np.inf)
                notes = (LOW_NOTE,) if is_low else ()
                tables.append(TextTable(title, ("value", "question", "top candidate", "gold answer"), suspects, notes))
        return tables

    def to_dict(self) -> dict[str, Any]:
        """Return the rows, counts, suspected false negatives and warnings for JSON, with None for nan."""
        suspects = {name: scores.false_negatives for name, scores in self.semantic.items()}
        more = {"counts": self.counts, "false_negatives": suspects, "warnings": self.warnings}
        return json_object({"summary": self.summary(), "rows": self.records(), **more})

    def records(self) -> list[dict[str, Any]]:
        """Return one row per measure or metric, for tables and JSON; numbers that are not defined are None."""
        rows = []
        for name in self.values:
            row: dict[str, Any] = {"dataset": self.dataset, "system": self.system, "seed": self.seed, "measure": name}
            row |= {"value": self.mean(name), "n_questions": len(self.defined_values(name))}
            rows.append(json_object(row | self.interval(name)._asdict() | {"floor": self.floors.get(name)}))
        return rows


def evaluate(
    run: Run,
    questions: Questions | Qrels | Mapping[str, Mapping[str, int]],
    measures: Sequence[str | Measure] = USUAL,
    metrics: Sequence[str | Metric] | Mapping[str, Metric] = (),
    *,
    qrels: Qrels | None = None,
    gain: Gain = "linear",
    without_positives: Literal["skip", "zero"] = "skip",
    strict: bool | None = None,
    ties_seed: int = 0,
    threshold: float | str | Mapping[str, float | str] | None = None,
    floor_candidates: int = FLOOR,
    dataset: str = "",
    seed: int | None = None,
    bootstrap: Bootstrap = Bootstrap(),
    progress: bool = False,
) -> Evaluation:
    """Return the ranking measures and answer-similarity metrics of this run.

    Args:
        run: A run of ``rankers.evaluation.runs.run`` or from a TREC file.
        questions: A split of a corpus; or qrels alone, which is enough for measures: grades by question and document.
            For a run over misspelled questions, the original questions: see ``evaluate_semantic``.
        measures: See ``rankers.evaluation.measures.measure``.
        metrics: Metrics of answersim, for the top candidate of each question. See ``semantic.evaluate_semantic``.
        qrels: Grades for the measures, instead of those of the questions.
        gain: How nDCG counts gains.
        without_positives: "skip" leaves out questions without a relevant document, "zero" counts them as 0.
        strict: Whether any question or document of the run that is not in the questions is an error. By default, it is
            an error for a split of a corpus. For qrels, they are counted in a warning if run and qrels have any
            document in common. False ignores them, as trec_eval does.
        ties_seed: The seed of the order of equal scores, the same for measures and top candidates.
        threshold: Irrelevant top candidates are listed from this value on. "calibrated": see ``evaluate_semantic``.
        floor_candidates: The number of irrelevant candidates per question behind the floor of a metric; 0 for none.
        dataset: The name of the data. The default is the corpus.
        seed: The seed of the training of the system, for the rows.
        bootstrap: The coverage of the intervals. Nothing is resampled.
        progress: Whether long work may show a progress bar.

    Raises:
        LookupError: If no measure or metric has this name; the run has an id that is not in the questions; or run and
            questions have no question in common.
        TypeError: If an argument has another type than stated.
        ValueError: If a measure cannot be computed, metrics are given without texts,
            there is nothing to measure, a score of the run is not finite, or an argument has no effect.
    """
    _check_arguments(run, questions, measures, metrics, qrels, threshold)
    level = bootstrap_settings(bootstrap).level
    texts = questions if isinstance(questions, Questions) else None
    is_strict = (texts is not None and qrels is None) if strict is None else strict
    given = qrels_of(questions) if isinstance(questions, Questions) else questions
    grades = qrels or (given if isinstance(given, Qrels) else Qrels(given))
    check_grades(grades.grades)
    check_run(run, grades, documents=strict is not False)
    measured = measure(
        run, grades, measures, gain=gain, without_positives=without_positives, strict=is_strict, ties_seed=ties_seed
    )
    semantic: dict[str, SemanticScores] = {}
    if texts is not None and metrics:
        limit = THRESHOLD if threshold is None else threshold
        settings: dict[str, Any] = {"floor_candidates": floor_candidates, "ties_seed": ties_seed, "progress": progress}
        semantic = evaluate_semantic(run, texts, metrics, threshold=limit, **settings)
    values = dict(measured.values)
    for name, scores in semantic.items():
        values |= {name: scores.values, name + WRONG: np.where(scores.irrelevant, scores.values, np.nan)}
    return Evaluation(
        dataset=dataset or (texts.corpus if texts else ""),
        split=texts.split if texts else "",
        pool=texts.pool if texts else "",
        system=run.name,
        seed=seed,
        questions=measured.questions,
        values=values,
        tie_averaged=measured.tie_averaged,
        semantic=semantic,
        counts=measured.counts,
        level=level,
        warnings=(*_grade_warnings(grades), *_warnings(measured.counts, without_positives, ties_seed, semantic)),
    )


def _check_arguments(
    run: object,
    questions: object,
    measures: object,
    metrics: object,
    qrels: object,
    threshold: object,
) -> None:
    """Check the types of the arguments, and that none of them would be ignored."""
    if not isinstance(run, Run) or not isinstance(run.scores, Mapping):
        raise TypeError(
            f"run is {run!r:.60}, but it must be a Run: rankers.run(...), or rankers.evaluation.runs.read_trec(path)"
        )
    if not isinstance(questions, Questions | Qrels | Mapping):
        raise TypeError(f"questions is {questions!r:.60}, but it must be a split of a corpus, or grades")
    if qrels is not None and not isinstance(qrels, Qrels):
        raise TypeError(f"qrels is {qrels!r:.60}, but it must be a rankers.evaluation.qrels.Qrels")
    if isinstance(metrics, str) or isinstance(measures, str):
        raise ValueError("measures and metrics are sequences of names, such as ['MAP'], not one string")
    if not isinstance(measures, Iterable) or not isinstance(metrics, Iterable):
        raise TypeError("measures and metrics are sequences of names, such as ['MAP']")
    if not measures and not metrics:
        raise ValueError("there is nothing to measure: measures and metrics are both empty; give ['MAP'], for example")
    if metrics and not isinstance(questions, Questions):
        raise ValueError("metrics compare texts, and qrels contain none; give the questions with their candidates")
    if not metrics and threshold:
        raise ValueError(
            "threshold is given, but without metrics it has no effect; give metrics=[...], or leave it out"
        )


def _grade_warnings(qrels: Qrels) -> Iterator[str]:
    """Yield the grade from which documents count as relevant, if there are several such grades."""
    highest = max((max(documents.values(), default=0) for documents in qrels.grades.values()), default=0)
    if qrels.relevant == 1 < highest:
        yield (
            f"grades go up to {highest}, and measures without grades, such as MAP, count grade 1 and above as "
            "relevant; tracks with such grades often count grade 2 and above: relevant=2 (--relevant 2)"
        )


def _warnings(
    counts: Counts, without_positives: str, ties_seed: int, semantic: Mapping[str, SemanticScores]
) -> Iterator[str]:
    """Yield the remarks that must be reported with the numbers, one sentence each."""
    n = counts.questions
    if counts.unknown:
        yield (
            f"{counts.unknown} of the {counts.unknown + n - counts.missing} questions of the run are not among the {n} "
            "that have grades; they are left out"
        )
    if counts.unjudged:
        yield f"{counts.unjudged} of {counts.ranked} ranked documents have no grade; they count as not relevant"
    if counts.missing:
        yield f"{counts.missing} of {n} questions are not in the run; they count 0"
    if counts.without_positives:
        treated = "are left out" if without_positives == "skip" else "count 0"
        yield f"{counts.without_positives} of {n} questions have no relevant answer; they {treated}"
    if counts.all_positive:
        yield f"{counts.all_positive} of {n} questions have relevant answers only; they cannot be ranked wrongly"
    if counts.tied_at_top:
        yield f"{counts.tied_at_top} of {n} questions have a tie at the top, broken by the seed {ties_seed}"
    for name, semantic_scores in semantic.items():
        if semantic_scores.shares_weights == "yes":
            yield f"{name} is circular: the weights that judge also made the ranking"
        elif semantic_scores.shares_weights == "partly":
            yield f"{name} is partly circular: the ranker uses the word vectors of the metric's weights"
        elif semantic_scores.shares_weights == "unknown":
            yield f"{name} may be circular: the run does not say which weights made it"


def _ends(interval: Interval, digits: int = 4) -> str:
    return f"{interval.low:.{digits}f} .. {interval.high:.{digits}f}"
