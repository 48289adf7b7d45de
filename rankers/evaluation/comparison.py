"""Systems on the same questions: differences, their uncertainty and their variation over seeds, and a table of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from answersim._base import arguments
from answersim._base.runtime.concurrency import importing
from answersim._base.text_tables import Result, TextTable, counted, json_object
from answersim.stats.intervals import resampling
from answersim.stats.intervals.resampling import Bootstrap
from rankers.evaluation.evaluate import FLOOR_NOTE, WRONG, Evaluation, evaluate
from rankers.evaluation.measures import USUAL, mean
from rankers.evaluation.randomization import randomization
from rankers.types import FloatArray, Run

if TYPE_CHECKING:
    from ir_measures import Measure

    from answersim import Metric


_BLOCK = 1_000_000  # values drawn at once
MANY = Bootstrap(resamples=10_000)
_ENDS = ("95 % interval", "p", "p (Holm)")  # of a table of comparisons
_ROUNDING = 1e-12  # means that differ by at most this are equal


@dataclass(frozen=True)
class Comparison(Result):
    """The difference of two systems in the mean of a measure or metric."""

    measure: str  # the measure or metric
    first: str  # the name of the first system
    second: str  # the name of the second system
    n_questions: int  # the number of questions that count for both
    difference: float  # second minus first
    low: float  # the lower end of its interval, by the bootstrap over questions
    high: float  # the upper end
    p: float  # the two-sided p of Fisher's randomization test
    p_holm: float  # the p after Holm's procedure over the family that was tested together; p itself for a single test
    # the two-sided p of a t-test over seeds, which is small if further trainings would differ as these do; None if
    # neither system has several seeds. ``p`` is about further questions for the same trainings. Both must be small.
    p_seeds: float | None = None

    def summary(self) -> list[str]:
        """Return the difference with its interval and its p in a sentence."""
        return [
            f"{self.second} minus {self.first} in {self.measure} over {counted(self.n_questions, 'question')}: "
            f"{self.difference:+.4f} [{self.low:+.4f} .. {self.high:+.4f}], p {self.p:.4f} ({self.p_holm:.4f} by Holm)"
        ]

    def tables(self) -> list[TextTable]:
        """Return the table with this comparison alone."""
        header = ("measure", "questions", f"less {self.first}", *_ENDS)
        return [TextTable("", header, ((self.measure, str(self.n_questions), *self.cells()),))]

    def cells(self) -> tuple[str, str, str, str]:
        """Return the difference, its interval and both p as text."""
        ends = f"{self.low:+.4f} .. {self.high:+.4f}"
        return f"{self.difference:+.4f}", ends, f"{self.p:.4f}", f"{self.p_holm:.4f}"


def compare(
    first: Evaluation | Sequence[Evaluation],
    second: Evaluation | Sequence[Evaluation],
    measure: str,
    *,
    bootstrap: Bootstrap = MANY,
    paired_seeds: bool = False,
) -> Comparison:
    """Return the difference of the second system to the first, tested question by question.

    Several evaluations of one system are its seeds. The value of each question is first averaged over them, so the test
    is over questions, and a question counts once for any number of seeds. The result is valid for the average of these
    seeds on further questions, not for further seeds. ``p_seeds``, which follows from the variation of the means by
    seed, is valid for further seeds. ``paired_seeds``: whether equal seeds of both belong together, as if one starts
    from the training of the other. The same call gives the same numbers, unless the bootstrap has a generator.

    Raise LookupError if an evaluation does not have this measure. Raise ValueError if the questions differ, there is no
    evaluation, or paired seeds differ.
    """
    seed = arguments.seed("rng", resampling.bootstrap_settings(bootstrap).rng)
    names = _system(first), _system(second)
    differences = _differences(first, second, measure)
    n = len(differences)
    if not n:
        return Comparison(measure, *names, 0, np.nan, np.nan, np.nan, np.nan, np.nan)
    rng = resampling.generator(seed, measure, *names)
    low, high = resampling.percentile(_means(differences, bootstrap.resamples, rng), bootstrap.level)
    p = randomization(differences, bootstrap.resamples, rng) if n > 1 else 1.0  # one sign flip leaves its size as it is
    p_seeds = by_seeds(first, second, measure, paired=paired_seeds)
    return Comparison(measure, *names, n, float(differences.mean()), low, high, p, p, p_seeds)


def by_seeds(
    first: Evaluation | Sequence[Evaluation],
    second: Evaluation | Sequence[Evaluation],
    measure: str,
    *,
    paired: bool = False,
) -> float | None:
    """Return the two-sided p that the means of two systems are apart by more than their trainings vary.

    The test is Welch's t-test, or with ``paired`` the t-test of the differences by seed. A system with one evaluation,
    such as BM25, counts as constant, and the seeds of the other are tested against its mean. With three seeds per
    system, only differences of about three times the spread are found. None if neither has several evaluations, or a
    mean is not defined. If no mean varies, 0 if the means differ, else 1. Errors are those of ``compare``.

    Source: ``scipy.stats.ttest_ind_from_stats``, ``scipy.stats.ttest_1samp``.
    """
    with importing("scipy.stats"):
        from scipy import stats

    a, b = (np.array([evaluation.mean(measure) for evaluation in _listed(side)]) for side in (first, second))
    if max(len(a), len(b)) < 2 or np.isnan([a.sum(), b.sum()]).any():
        return None
    if paired and min(len(a), len(b)) > 1:
        differences = b[_places(_listed(second), _listed(first))] - a
    else:
        differences = b - a if min(len(a), len(b)) == 1 else np.empty(0)
    if (np.ptp(differences) if len(differences) else max(np.ptp(a), np.ptp(b))) < _ROUNDING:
        return float(abs(b.mean() - a.mean()) < _ROUNDING)
    if len(differences):
        return float(stats.ttest_1samp(differences, 0.0).pvalue)
    of_a, of_b = ((means.mean(), means.std(ddof=1), len(means)) for means in (a, b))
    return float(stats.ttest_ind_from_stats(*of_b, *of_a, equal_var=False).pvalue)


def compare_all(
    baseline: Evaluation | Sequence[Evaluation],
    systems: Mapping[str, Evaluation | Sequence[Evaluation]],
    measures: Sequence[str],
    *,
    bootstrap: Bootstrap = MANY,
    paired_seeds: Callable[[str], bool] = lambda name: False,
) -> list[Comparison]:
    """Compare each system with the baseline in each measure, as one family of tests with Holm's procedure.

    The systems are reported under their names in the mapping, system by system. ``paired_seeds`` returns for a name
    whether its seeds belong to those of the baseline. Errors are those of ``compare``.
    """
    comparisons = [
        replace(
            compare(baseline, system, measure, bootstrap=bootstrap, paired_seeds=paired_seeds(name)),
            second=name,
        )
        for name, system in systems.items()
        for measure in measures
    ]
    return with_holm(comparisons)


def with_holm(family: Sequence[Comparison]) -> list[Comparison]:
    """Return the same comparisons with ``p_holm`` for all of them together (Holm 1979)."""
    raised = resampling.holm([comparison.p for comparison in family])
    return [replace(comparison, p_holm=float(p)) for comparison, p in zip(family, raised, strict=True)]


def spread(seeds: Sequence[Evaluation], measure: str) -> tuple[float, float]:
    """Return the mean of the means of a system over its seeds, and their standard deviation (nan for one seed).

    Raise LookupError if an evaluation does not have this measure. Raise ValueError if there is no evaluation, or they
    are of several systems.
    """
    means = np.array([evaluation.mean(measure) for evaluation in _listed(seeds)])
    _system(seeds)
    return float(means.mean()), float(means.std(ddof=1)) if len(means) > 1 else float("nan")


def over_seeds(seeds: Evaluation | Sequence[Evaluation], measure: str) -> FloatArray:
    """Return the value of each question, averaged over the seeds in which it counts, (questions,); nan if in none.

    Raise LookupError if an evaluation does not have this measure. Raise ValueError if the seeds are of different
    questions or systems.
    """
    listed = _listed(seeds)
    _system(listed)
    for evaluation in listed:
        evaluation.defined_values(measure)  # raises if the measure is missing
        _check_same(listed[0], evaluation)
    stacked = np.stack([evaluation.values[measure] for evaluation in listed])  # (seeds, questions)
    counted = ~np.isnan(stacked)
    sums, n = np.where(counted, stacked, 0.0).sum(axis=0), counted.sum(axis=0)
    return np.where(n > 0, sums / np.maximum(n, 1), np.nan)


def _means(values: FloatArray, resamples: int, rng: np.random.Generator) -> FloatArray:
    """Return the mean of each resample of these values, (resamples,), drawn in blocks that fit into memory."""
    n = len(values)
    step = max(1, _BLOCK // n)
    blocks = [min(step, resamples - done) for done in range(0, resamples, step)]
    return np.concatenate([resampling.bootstrap_counts(n, block, rng) @ values / n for block in blocks])


def _differences(
    first: Evaluation | Sequence[Evaluation], second: Evaluation | Sequence[Evaluation], measure: str
) -> FloatArray:
    """Return second minus first on the questions that count for both."""
    _check_same(_listed(first)[0], _listed(second)[0])
    differences = over_seeds(second, measure) - over_seeds(first, measure)
    return differences[~np.isnan(differences)]


def _listed(seeds: Evaluation | Sequence[Evaluation]) -> list[Evaluation]:
    listed = [seeds] if isinstance(seeds, Evaluation) else list(seeds)
    if not listed:
        raise ValueError("no evaluation is given; give one, or one per seed")
    return listed


def _places(seeds: Sequence[Evaluation], of: Sequence[Evaluation]) -> list[int]:
    """Return the positions of the seeds ``of`` among ``seeds``."""
    numbers, sought = ([evaluation.seed for evaluation in side] for side in (seeds, of))
    if len(set(numbers)) < len(numbers) or len(numbers) != len(sought) or set(numbers) != set(sought):
        raise ValueError(
            f"the seeds {sought} and {numbers} cannot be paired; give both systems the same seeds, each once"
        )
    return [numbers.index(seed) for seed in sought]


def _system(seeds: Evaluation | Sequence[Evaluation]) -> str:
    names = sorted({evaluation.system for evaluation in _listed(seeds)})
    if len(names) > 1:
        raise ValueError(
            f"these evaluations are of {', '.join(names)}, but all seeds must be of one system; compare two systems "
            "at a time"
        )
    return names[0]


def _check_same(first: Evaluation, second: Evaluation) -> None:
    if first.questions != second.questions:
        lone = sorted(set(first.questions) ^ set(second.questions))
        which = f"only one of them has {lone[0]!r}" if lone else "they are in another order"
        raise ValueError(
            f"{first.system!r} and {second.system!r} were evaluated on different questions ({which}); a paired test "
            "needs the same questions; evaluate both on one split"
        )


SIGNIFICANT = 0.05


@dataclass(frozen=True, eq=False)
class ComparedRuns(Result):
    """Runs on the same questions, the first as the baseline."""

    evaluations: tuple[Evaluation, ...]  # one per run, in order
    comparisons: tuple[Comparison, ...]  # each further run minus the first, by run and measure; Holm over all of them

    def summary(self) -> list[str]:
        """Return the number of significant differences in a sentence."""
        first, *others = self.evaluations
        n = sum(row.p_holm < SIGNIFICANT for row in self.comparisons)
        return [
            f"{counted(len(others), 'run')} against {first.system} on {counted(len(first.questions), 'question')}: "
            f"{n} of {counted(len(self.comparisons), 'difference')} are significant (p < {SIGNIFICANT} after Holm)"
        ]

    def tables(self) -> Iterator[TextTable]:
        """Yield the table of means, and the table of differences."""
        first = self.evaluations[0]
        shared = {name: self._missed_by_all(name) for name in first.values if name.endswith(WRONG)}
        header = ["run"]
        header += [f"{name} by all (n={int(shared[name].sum())})" if name in shared else name for name in first.values]
        marked = {(row.second, row.measure) for row in self.comparisons if row.p_holm < SIGNIFICANT}
        rows = []
        for evaluation in self.evaluations:
            row = [evaluation.system]
            for name in first.values:
                values = evaluation.values[name][shared[name]] if name in shared else evaluation.defined_values(name)
                cell = f"{values.mean():.4f}" if len(values) else "-"
                row.append(cell + ("*" if (evaluation.system, name) in marked else ""))
            rows.append(tuple(row))
        floors = {name: mean(first.semantic[name.removesuffix(WRONG)].floor[shared[name]]) for name in shared}
        texts = {name: f"{floor:.4f}" for name, floor in floors.items() if not np.isnan(floor)}
        rows += [("floor", *(texts.get(name, "") for name in first.values))] if texts else []
        notes = [f"*: differs from {first.system} (p < {SIGNIFICANT} after Holm over {len(self.comparisons)} tests)"]
        if shared:
            notes.append(f"'{WRONG.strip()} by all': over the questions that every run answers wrongly at rank 1")
            notes += [FLOOR_NOTE] if texts else []
        yield TextTable("", tuple(header), tuple(rows), tuple(notes))
        cells = [(row.second, row.measure, str(row.n_questions), *row.cells()) for row in self.comparisons]
        columns = ("run", "measure", "questions", "difference", *_ENDS)
        yield TextTable(f"Differences from {first.system}", columns, tuple(cells))

    def records(self) -> list[dict[str, Any]]:
        """Return one row per run and measure, with its difference from the first run."""
        by_name = {(row.second, row.measure): row for row in self.comparisons}
        names = ("n_questions", "difference", "low", "high", "p", "p_holm")
        rows = []
        for row in (row for evaluation in self.evaluations for row in evaluation.records()):
            difference = by_name.get((row["system"], row["measure"]))
            rows.append(row | {f"{name}_against_first": getattr(difference, name, None) for name in names})
        return [json_object(row) for row in rows]

    def to_dict(self) -> dict[str, Any]:
        """Return the rows of all runs, and the comparisons, for JSON, with None for nan."""
        comparisons = [asdict(row) for row in self.comparisons]
        return json_object({"summary": self.summary(), "rows": self.records(), "comparisons": comparisons})

    def _missed_by_all(self, name: str) -> Any:
        """Return whether every run has a wrong top candidate, bool, (questions,)."""
        return ~np.isnan(np.stack([evaluation.values[name] for evaluation in self.evaluations])).any(axis=0)


def compare_runs(
    runs: Sequence[Run],
    questions: Any,
    measures: Sequence[str | Measure] = USUAL,
    metrics: Sequence[str | Metric] = (),
    **settings: Any,
) -> ComparedRuns:
    """Evaluate at least two runs on the same questions, and test the differences of each from the first.

    Runs of one name get a number. ``settings`` are the other arguments of ``rankers.evaluate``, whose errors apply. The
    differences have intervals (bootstrap), p (Fisher's randomization test), and p after Holm's procedure over all runs
    and measures. Raise ValueError for fewer than two runs.
    """
    if len(runs) < 2:
        raise ValueError(f"{counted(len(runs), 'run')} cannot be compared; give at least two")
    names: dict[str, int] = {}
    evaluations = []
    for run in runs:
        names[run.name] = names.get(run.name, 0) + 1
        name = run.name if names[run.name] == 1 else f"{run.name}-{names[run.name]}"
        evaluations.append(evaluate(run._replace(name=name), questions, measures, metrics, **settings))
    first, *others = evaluations
    comparisons = compare_all(first, {evaluation.system: evaluation for evaluation in others}, list(first.values))
    return ComparedRuns(tuple(evaluations), tuple(comparisons))
