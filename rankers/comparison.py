"""Two systems on the same questions: how far apart they are, how sure that is, and what several seeds say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rankers.evaluation import Evaluation
from rankers.types import FloatArray

_BLOCK = 1_000_000  # values drawn at once


class Comparison(NamedTuple):
    """How far the second system lies above the first in the mean of a measure or metric.

    Attributes:
        measure: The measure or metric.
        first: Name of the one system; so with ``second``.
        second: Name of the other.
        n_questions: Those that count for both.
        difference: Second less first.
        low: Lower end of its interval, by the bootstrap over questions; so with ``high``.
        high: Upper end.
        p: Of Fisher's randomisation test, two-sided.
        p_holm: Raised by Holm's procedure over the family that was tested together; p itself where it stands alone.
    """

    measure: str
    first: str
    second: str
    n_questions: int
    difference: float
    low: float
    high: float
    p: float
    p_holm: float


class Spread(NamedTuple):
    """A measure or metric of one system over its seeds: the mean, and the standard deviation (nan for one seed)."""

    measure: str
    system: str
    n_seeds: int
    mean: float
    deviation: float


def compare(
    first: Evaluation | Sequence[Evaluation],
    second: Evaluation | Sequence[Evaluation],
    measure: str,
    *,
    resamples: int = 10_000,
    seed: int = 0,
    level: float = 0.95,
) -> Comparison:
    """How far the second system lies above the first, tested question by question.

    Several evaluations of one system are its seeds: each question's value is averaged over them first, so that the test
    is over questions, and a question counts once however many seeds there are. It speaks for the average of these very
    seeds on further questions, not for further seeds; how far those may differ, ``spread`` tells.

    Args:
        first: One system: an evaluation, or one a seed.
        second: The other, on the same questions.
        measure: A measure or metric that all of them hold.
        resamples: Of the test and of the bootstrap.
        seed: Of both; the same call gives the same numbers.
        level: Coverage of the interval.

    Raises:
        LookupError: An evaluation does not hold this measure.
        ValueError: The questions differ, or there is no evaluation at all.
    """
    from answersim.stats import resampling

    names = _system(first), _system(second)
    differences = _differences(first, second, measure)
    n = len(differences)
    if not n:
        return Comparison(measure, *names, 0, np.nan, np.nan, np.nan, np.nan, np.nan)
    rng = resampling.generator(seed, measure, *names)
    low, high = resampling.percentile(_means(differences, resamples, rng), level)
    p = randomisation(differences, resamples, rng)
    return Comparison(measure, *names, n, float(differences.mean()), low, high, p, p)


def randomisation(differences: FloatArray, resamples: int, rng: np.random.Generator) -> float:
    """The two-sided p of Fisher's randomisation test for paired values.

    Were the systems alike, each question's difference could as well have the other sign. p is how often random signs
    bring the mean as far from 0: (c + 1) / (resamples + 1) for c of them, or exact where all signs are fewer.

    Args:
        differences: Second less first, shape (n,); n at least 1.
        resamples: How many random signs are drawn.
        rng: Where from.

    >>> randomisation(np.array([0.5, 0.5, 0.5]), 10_000, np.random.default_rng(0))
    0.25

    Source: ``scipy.stats.permutation_test``; Smucker, Allan & Carterette 2007, "A comparison of statistical
    significance tests for information retrieval evaluation".
    """
    from scipy.stats import permutation_test

    def distance(values: FloatArray, axis: int) -> FloatArray:
        return np.abs(values.mean(axis=axis))

    found = permutation_test(
        (differences,),
        distance,
        permutation_type="samples",
        alternative="greater",
        vectorized=True,
        n_resamples=resamples,
        batch=max(1, _BLOCK // len(differences)),
        random_state=rng,
    )
    return float(found.pvalue)


def compare_all(
    baseline: Evaluation | Sequence[Evaluation],
    systems: Mapping[str, Evaluation | Sequence[Evaluation]],
    measures: Sequence[str],
    *,
    resamples: int = 10_000,
    seed: int = 0,
    level: float = 0.95,
) -> list[Comparison]:
    """Each system with the baseline in each measure: one family of tests, under Holm's procedure.

    Args:
        baseline: The first of each comparison.
        systems: The second ones by name, each an evaluation or one a seed; reported under these names.
        measures: Measures or metrics that all of them hold.
        resamples: As ``compare``; so with ``seed`` and ``level``.
        seed: Of the test and of the bootstrap.
        level: Coverage of the intervals.

    Raises:
        LookupError, ValueError: As ``compare``.
    """
    found = [
        compare(baseline, each, measure, resamples=resamples, seed=seed, level=level)._replace(second=name)
        for name, each in systems.items()
        for measure in measures
    ]
    return with_holm(found)


def with_holm(family: Sequence[Comparison]) -> list[Comparison]:
    """The same comparisons, their ``p_holm`` raised for all of them together (Holm 1979)."""
    from answersim.stats import resampling

    raised = resampling.holm([each.p for each in family])
    return [each._replace(p_holm=float(p)) for each, p in zip(family, raised, strict=True)]


def spread(seeds: Sequence[Evaluation], measure: str) -> Spread:
    """How a system's mean varies from seed to seed.

    Raises:
        LookupError: An evaluation does not hold this measure.
        ValueError: There is no evaluation, or they are of several systems.
    """
    means = np.array([each.mean(measure) for each in _listed(seeds)])
    deviation = float(means.std(ddof=1)) if len(means) > 1 else float("nan")
    return Spread(measure, _system(seeds), len(means), float(means.mean()), deviation)


def over_seeds(seeds: Evaluation | Sequence[Evaluation], measure: str) -> FloatArray:
    """Each question's value, averaged over the seeds in which it counts: shape (questions,); nan where in none.

    Raises:
        LookupError: An evaluation does not hold this measure.
        ValueError: The seeds are of different questions or systems.
    """
    listed = _listed(seeds)
    _system(listed)
    for each in listed:
        each.defined(measure)  # says what is missing
        _check_same(listed[0], each)
    stacked = np.stack([each.values[measure] for each in listed])  # (seeds, questions)
    counted = ~np.isnan(stacked)
    sums, n = np.where(counted, stacked, 0.0).sum(axis=0), counted.sum(axis=0)
    return np.where(n > 0, sums / np.maximum(n, 1), np.nan)


def _means(values: FloatArray, resamples: int, rng: np.random.Generator) -> FloatArray:
    """The mean of each of so many resamples of these values, drawn in blocks that fit into memory: (resamples,)."""
    from answersim.stats import resampling

    n = len(values)
    step = max(1, _BLOCK // n)
    blocks = [min(step, resamples - done) for done in range(0, resamples, step)]
    return np.concatenate([resampling.bootstrap_counts(n, each, rng) @ values / n for each in blocks])


def _differences(
    first: Evaluation | Sequence[Evaluation], second: Evaluation | Sequence[Evaluation], measure: str
) -> FloatArray:
    """Second less first on the questions that count for both."""
    _check_same(_listed(first)[0], _listed(second)[0])
    differences = over_seeds(second, measure) - over_seeds(first, measure)
    return differences[~np.isnan(differences)]


def _listed(seeds: Evaluation | Sequence[Evaluation]) -> list[Evaluation]:
    listed = [seeds] if isinstance(seeds, Evaluation) else list(seeds)
    if not listed:
        raise ValueError("there is no evaluation; give one, or one a seed")
    return listed


def _system(seeds: Evaluation | Sequence[Evaluation]) -> str:
    names = sorted({each.system for each in _listed(seeds)})
    if len(names) > 1:
        raise ValueError(f"these are of {', '.join(names)}, but seeds are of one system; compare systems in turn")
    return names[0]


def _check_same(one: Evaluation, other: Evaluation) -> None:
    if one.questions != other.questions:
        lone = sorted(set(one.questions) ^ set(other.questions))
        shown = f"only one of them has {lone[0]!r}" if lone else "they stand in another order"
        raise ValueError(
            f"{one.system!r} and {other.system!r} were evaluated on different questions ({shown}); a paired test needs "
            "the same ones: evaluate both on one split"
        )
