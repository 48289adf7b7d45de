"""fit_cascade: choose the cuts of a cascade so that it adds few errors to its last stage, with a guaranteed bound."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim import arguments
from answersim.answers.reader import Answers, read_answers
from answersim.answers.stacked import StackedAnswers, stacked
from answersim.composite.cascade import Cascade, Decisions
from answersim.composite.stages import RULES, Stage
from answersim.evaluation.human_labels import labeled_rows
from answersim.planning import takes_whole_rows
from answersim.runtime.progress import progress as bars
from answersim.scoring.cache import CacheLike, ScoreCache, cache_of, score_all
from answersim.scoring.metrics import checked_metric
from answersim.scoring.pairs import Checked, check
from answersim.stats.cluster_bootstrap import numbered
from answersim.stats.risk import effects, fixed_sequence, rows_needed
from answersim.text_tables import Result, TextTable, flat
from answersim.types import FloatArray, Metric, Pair, StageScorer

NEVER = (-1.0, 2.0)  # cuts with which a stage decides nothing
# How unsure a stage may be of a pair that it decides: the fixed sequence of cuts, the most cautious first.
DOUBTS = (0.001, 0.002, 0.005, *(x / 100 for x in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 35, 40, 45)))


class TooFewLabelsError(ValueError):
    """There are too few labels to promise the risk, whatever they are. The message gives how many are needed.

    Attributes:
        needed: About how many answers such as these need a label.
    """

    def __init__(self, message: str, needed: int = 0) -> None:
        super().__init__(message, needed)  # both, so that it can be pickled
        self.needed = needed

    def __str__(self) -> str:
        return str(self.args[0])


class CutStep(NamedTuple):
    """One setting of the cuts, on the labeled answers."""

    low: float  # the probability up to which a stage decides "different"; below 0 if it never does
    high: float  # the probability from which on a stage decides "equivalent"; above 1 if it never does
    early: float  # the share of the answers that were settled before the last stage
    saved: float  # the share of the pairs that the last stage did not score
    added: float  # the share of the answers that the cascade gets wrong and the last stage alone gets right
    repaired: float  # the share of the answers that the cascade gets right and the last stage alone gets wrong
    bound: float  # the upper bound of ``added``
    kept: bool  # whether the bound is at most the risk, here and in all more cautious steps


@dataclass(frozen=True)
class CascadeFit(Result):
    """A cascade with cuts that were chosen from labels.

    Attributes:
        metric: The cascade with these cuts.
        chosen: The setting of the cuts.
        steps: All settings that were tested, the most cautious first.
        risk: The largest share of errors that the cascade may add.
        confidence: The confidence that it does not add more, for further answers of the same kind.
        n: The number of labeled answers.
        groups: The number of groups, such as questions.
        independent: The number of independent answers that they count as.
        exact: Whether the bound holds for any similarity of the answers of a group.
        labeled: Whether errors are counted by labels. If not, they are disagreements with the last stage.
        left_out: How many answers had no label.
    """

    metric: Cascade
    chosen: CutStep
    steps: tuple[CutStep, ...]
    risk: float
    confidence: float
    n: int
    groups: int
    independent: float
    exact: bool
    labeled: bool
    left_out: int = 0

    def summary(self) -> list[str]:
        """Return the result in sentences."""
        last = self.metric.names[-1]
        what = f"errors that {last} alone does not make" if self.labeled else f"disagreements with {last} alone"
        decides = "no stage but the rules decides before the last one"
        if self.chosen.high <= 1:
            decides = f"a stage decides from p {self.chosen.high:g} on and up to p {self.chosen.low:g}"
        lines = [
            f"{decides}: at most {100 * self.risk:g} % {what}, with a confidence of {100 * self.confidence:g} %",
            f"on {self.n:,} answers: {100 * self.chosen.added:.2f} % (bound {100 * self.chosen.bound:.2f} %), "
            f"{100 * self.chosen.early:.1f} % of the answers are decided early, {100 * self.chosen.saved:.1f} % of the "
            f"calls of {last} are saved",
        ]
        if self.groups < self.n:
            lines.append(
                f"answers of one group are alike: {self.n:,} answers of {self.groups:,} groups count as "
                f"{self.independent:,.0f} independent ones{'' if self.exact else ', by an approximation'}"
            )
        if self.left_out:
            lines.append(f"{self.left_out:,} of {self.n + self.left_out:,} rows have no label and are left out")
        return lines

    def tables(self) -> list[TextTable]:
        """Return the settings of the cuts up to the first one that is not kept, without those that change nothing."""
        shown: list[CutStep] = []
        for step in self.steps:
            if shown and step.kept and step[2:] == shown[-1][2:]:
                shown.pop()  # the later one of two equal steps is chosen
            shown.append(step)
            if not step.kept:
                break
        header = ("different up to", "equivalent from", "decided early", "calls saved", "added", "bound", "")
        return [TextTable("", header, tuple(map(self._cells, shown)))]

    def _cells(self, step: CutStep) -> tuple[str, ...]:
        low, high = (f"{step.low:g}", f"{step.high:g}") if step.high <= 1 else ("never", "never")
        mark = "chosen" if step == self.chosen else "" if step.kept else "too many"
        return low, high, *(f"{100 * share:.2f} %" for share in (step.early, step.saved, step.added, step.bound)), mark

    def footer(self) -> list[str]:
        """Return the signature of the cascade."""
        return [self.metric.signature]

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record per tested setting of the cuts."""
        return [flat(step) | {"chosen": step == self.chosen} for step in self.steps]


@dataclass(frozen=True)
class _Known(Stage):
    """A stage whose probabilities were computed for all pairs."""

    values: FloatArray = field(default_factory=lambda: np.empty(0), compare=False)

    def probabilities(
        self, pairs: Sequence[Pair], questions: Sequence[str] | None, where: NDArray[np.int64], score: StageScorer
    ) -> FloatArray:
        """Return the probabilities of these pairs."""
        return self.values[where]


def fit_cascade(
    metric: Metric,
    data: Any,
    label: str | Sequence[str] | None = None,
    *,
    pred: str | Sequence[str] = "pred",
    gold: str = "gold",
    question: str | None = None,
    id: str | None = None,  # the name of the column in files of predictions
    group: str | None = None,
    risk: float = 0.01,
    confidence: float = 0.95,
    exact: bool = False,
    progress: bool = True,
    cache: CacheLike | None = None,
) -> CascadeFit:
    """Choose the cuts of a cascade so that it adds at most a given share of errors to those of its last stage.

    An added error is an answer that the cascade gets wrong and the last stage alone gets right. Their number is at
    least the number of additional errors of the cascade. The settings of the cuts form a fixed sequence: a stage
    decides where the probability of the other verdict is at most .001, .002, .005, and so on to .45. They are tested in
    this order until the upper bound of the share of added errors is above the risk, and the last setting before is
    chosen. The promise holds for further answers of the same kind. The labels must not be those that the calibrations
    of the stages were fitted to, because the sequence would then not be fixed. All stages score all answers.

    Args:
        metric: A cascade. Its cuts are replaced.
        data: What ``answersim.read_answers`` reads or returns.
        label: The column that states whether each prediction is correct, 0 or 1; of one table with several columns of
            predictions, one per system. Rows with an empty label are left out. Without labels, the verdicts of the last
            stage count as labels, so an added error is a disagreement with the last stage.
        pred: The column of the predictions, or the columns of several systems.
        gold: The column of the gold answers.
        question: The column of the questions, for the stages that read them.
        id: The column that identifies a row. It is "id" for several tables.
        group: The column of what dependent answers have in common; by default the question. They count as fewer
            independent ones. Without groups the bound is exact; with groups it is an approximation.
        exact: Whether each group counts as one answer, so that the bound holds for any similarity of its answers.
        risk: The largest share of added errors, between 0 and 1.
        confidence: The confidence of the promise, between 0 and 1.
        progress: Whether long work may show a progress bar, which appears on a terminal only.
        cache: A folder where the scores of stages are stored and looked up.

    Raises:
        TooFewLabelsError: If there are so few groups (without groups, answers) that even none with an added error would
            promise the risk.
        ValueError: If labels are other numbers than 0 and 1, or were drawn with unequal probabilities, there is one
            stage only, or the rules of typed values alone add more errors than the risk.
        TypeError: If the metric is not a cascade. The others are those of ``answersim.read_answers``.

    >>> import answersim
    >>> cascade = answersim.metric("cascade", stages=["recall", "f1"])
    >>> data = {"gold": ["Rome"], "pred": ["in Rome"], "label": [1]}
    >>> data = {name: values * 400 for name, values in data.items()}
    >>> fit_cascade(cascade, data, "label").chosen.saved
    1.0

    Source: Angelopoulos et al. 2021, "Learn then test: calibrating predictive algorithms to achieve risk control";
    Clopper & Pearson 1934 for the bound.
    """
    cascade = cascade_of(metric)
    if len(cascade.stages) == 1:
        raise ValueError(f"the cascade has one stage, {cascade.names[0]!r}, so it has no cuts; give two or more")
    exact, progress = arguments.flag("exact", exact), arguments.flag("progress", progress)
    risk, confidence = arguments.between("risk", risk, 0, 1), arguments.between("confidence", confidence, 0, 1)
    answers = read_answers(data, pred=pred, gold=gold, question=question, id=id, group=group)
    rows, truth, left_out = _labeled(answers, label)
    checked = check(rows.golds, rows.preds, rows.questions)
    clusters = groups_of(rows.groups, checked, len(checked.first))
    with bars(progress):
        known = [probabilities_of(stage, checked, cache_of(cache)) for stage in cascade.stages]
    fit = choose_cuts(cascade, known, checked.first, truth, clusters, risk, confidence, exact=exact)
    return replace(fit, left_out=left_out)


def _labeled(
    answers: Answers, label: str | Sequence[str] | None
) -> tuple[StackedAnswers, NDArray[np.bool_] | None, int]:
    """Return the answers with labels, whether each is correct, and how many have none; all answers without labels."""
    if label is None:
        return stacked(answers), None, 0
    columns = arguments.names("label", label)
    rows = stacked(answers, own={"label": columns})
    labeled, grades = labeled_rows(rows, columns[0], "the risk of a cascade")
    return labeled, labels_of(grades, len(grades)), len(rows.numbers) - len(grades)


def choose_cuts(
    cascade: Cascade,
    known: Sequence[FloatArray],
    first: NDArray[np.int64],
    labels: NDArray[np.bool_] | None,
    groups: NDArray[np.int64],
    risk: float,
    confidence: float,
    *,
    exact: bool = False,
) -> CascadeFit:
    """Choose the cuts from probabilities that were computed. See ``fit_cascade``.

    ``known``: the probability of each pair by each stage, shape (pairs,) each; nan where the rules have no opinion.
    ``first``: the position of the first pair of each prediction.
    """
    n, units = len(first), len(np.unique(groups))
    _check_enough(n, units, risk, confidence)
    alone = np.maximum.reduceat(known[-1], first.astype(np.intp, copy=False)) >= 0.5
    truth = alone if labels is None else labels
    settings = [NEVER, *((doubt, round(1 - doubt, 3)) for doubt in DOUBTS)]
    decisions = [_decided(with_cuts(cascade, *cuts), known, first) for cuts in settings]
    verdicts = np.stack([decision.best >= 0.5 for decision in decisions])
    errors = (verdicts != truth) & (alone == truth)
    repaired = (verdicts == truth) & (alone != truth)
    independent = float(units) if exact else float(n / effects(errors, groups)[0])
    rates = fixed_sequence(errors, groups, risk, confidence, exact=exact)
    steps = tuple(
        CutStep(
            *cuts,
            float((decision.of_predictions < len(cascade.stages) - 1).mean()),
            1 - int(decision.asked[-1]) / len(known[-1]),
            rate.rate,
            float(repairs.mean()),
            rate.bound,
            rate.kept,
        )
        for cuts, decision, rate, repairs in zip(settings, decisions, rates, repaired, strict=True)
    )
    if not steps[0].kept:
        raise ValueError(
            f"the rules of typed values alone add {100 * steps[0].added:.2f} % errors (bound "
            f"{100 * steps[0].bound:.2f} %), and the risk is {100 * risk:g} %; leave {RULES!r} out of the stages, "
            "allow a larger risk, or label more answers"
        )
    chosen = [step for step in steps if step.kept][-1]
    return CascadeFit(
        *(with_cuts(cascade, chosen.low, chosen.high), chosen, steps, risk, confidence),
        *(n, units, independent, exact or units == n, labels is not None),
    )


def with_cuts(cascade: Cascade, low: float, high: float) -> Cascade:
    """Return the same cascade with these cuts for each stage but the rules and the last one."""
    *others, last = cascade.stages
    stages = [stage if stage.metric is None else replace(stage, low=low, high=high) for stage in others]
    return replace(cascade, stages=(*stages, last))


def _decided(cascade: Cascade, known: Sequence[FloatArray], first: NDArray[np.int64]) -> Decisions:
    """Return the decisions of a cascade whose stages have these probabilities."""
    stages = tuple(
        _Known(stage.name, stage.metric, stage.low, stage.high, values=values)
        for stage, values in zip(cascade.stages, known, strict=True)
    )
    pairs = [Pair("", "")] * len(known[-1])
    return Cascade(stages, cascade.lang).decide(pairs, None, _no_scores, first)


def _no_scores(metric: Metric, where: NDArray[np.int64], with_questions: bool) -> FloatArray:
    raise AssertionError("the probabilities are known")


def probabilities_of(stage: Stage, checked: Checked, cache: ScoreCache | None) -> FloatArray:
    """Return the probability of each pair by a stage, shape (pairs,); nan where the rules have no opinion."""
    pairs = checked.pairs
    questions = checked.questions if checked.asked else None

    def score(metric: Metric, where: NDArray[np.int64], with_questions: bool) -> FloatArray:
        first = checked.first if takes_whole_rows(metric) else None
        return score_all([metric], pairs, questions if with_questions else None, cache, first=first)[0][where]

    return stage.probabilities(pairs, questions, np.arange(len(pairs)), score)


def cascade_of(metric: Any) -> Cascade:
    """Return this cascade. Raise TypeError if it is another metric."""
    if not isinstance(metric, Cascade):
        built = checked_metric(metric)
        raise TypeError(f"metric is {built.signature}, but it must be a cascade: answersim.metric('cascade', ...)")
    return metric


def labels_of(labels: Any, n: int) -> NDArray[np.bool_]:
    """Return whether each prediction is correct. Raise ValueError unless labels are 0 and 1, one per prediction."""
    values = arguments.numbers("labels", labels, "one label per prediction")
    if len(values) != n:
        raise ValueError(f"there are {n} predictions and {len(values)} labels; give one label per prediction")
    if strange := sorted({float(value) for value in values if value not in (0.0, 1.0)}):
        raise ValueError(f"labels contain {strange[0]:g}, but a label is 0 or 1; leave out answers without a label")
    return values.astype(np.bool_)


def groups_of(groups: Any, checked: Checked, n: int) -> NDArray[np.int64]:
    """Return the number of the group of each prediction."""
    if groups is None:
        if not checked.asked or checked.questions is None:
            return np.arange(n)
        return numbered([checked.questions[i] for i in checked.first.tolist()])
    listed = arguments.listed("groups", groups, "one question or other name per prediction")
    if len(listed) != n:
        raise ValueError(f"there are {n} predictions and {len(listed)} groups; give one group per prediction")
    return numbered(listed)


def _check_enough(n: int, groups: int, risk: float, confidence: float) -> None:
    """Raise TooFewLabelsError if there are too few groups. One kind of group may contain all added errors."""
    needed = rows_needed(risk, confidence)
    if groups >= needed:
        return
    more = math.ceil(needed * n / groups) if n else needed
    of, what = (f" of {groups:,} groups", "groups") if groups < n else ("", "independent answers")
    raise TooFewLabelsError(
        f"there are {n:,} answers{of}, but to promise at most {100 * risk:g} % added errors with a confidence of "
        f"{100 * confidence:g} % needs at least {needed:,} {what}, if none of them is such an error; "
        f"label at least {more:,} answers such as these, or allow a larger risk",
        more,
    )
