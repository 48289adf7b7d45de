"""Fit the weights behind the combined metric ``answersim`` on judged pairs that none of its parts was trained on.

    python -m tools.weights.ensemble --profile embedded

The pairs are the dev parts of STS-B, EVOUNA (TriviaQA and NQ), DIVER-QA, EfficientQA and Task 7, which annotators
judged, and pairs that were generated from answers. The trainings of the parts read none of them except to choose among
epochs. It minimizes the mean cross-entropy of score and judgment, every set with the same weight, over weights that are
not negative. A set whose pairs have questions occurs twice, without and with them. Each set has its own intercept,
since annotators give half a point more readily in some sets than in others. The shipped intercept is their mean. The
EVOUNA and STS-B tests are scored at the end for the report.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim._base.runtime.cli_errors import user_errors
from answersim.answers.text.markup import visible_pair
from answersim.evaluation.agreement.subsets import NONZERO, ZERO, f1_is_zero
from answersim.evaluation.data.system_answers import EVOUNA, SystemAnswer, load_evouna
from answersim.metrics.catalog import lookup
from answersim.metrics.composite import ensemble
from answersim.metrics.composite.ensemble import PARTS, weights_file
from answersim.scoring import cache as scores_on_disk
from answersim.scoring.cache import ScoreCache
from answersim.stats.auc import auc
from answersim.stats.correlation import correlations
from answersim.training.data.pairs import TrainingPair
from answersim.types import Metric, Pair, reads_questions
from tools.weights.cross_encoder.inputs import spread
from tools.weights.pairs import judged_pairs, mixture

# Chosen on the dev sets, each scored with weights that were fitted on the others: benchmarks/results/experiments.md.
EVIDENCE = (
    "sas-answers",
    "bertscore-names",
    f"recall{ensemble.IF_CONFIRMED}",
    f"recall{ensemble.IN_SENTENCES}{ensemble.IF_CONFIRMED}",
    f"containment{ensemble.IF_CONFIRMED}",
    f"containment{ensemble.IN_SENTENCES}{ensemble.IF_CONFIRMED}",
    "numbers",
)
LEAST = 60  # the fewest pairs for which a tau is reported
PENALTY = 0.005  # the coefficient of the sum of squared weights of standardized evidence
MOST = 1500  # pairs of a set, evenly spread
ASKED = " with question"
GENERAL = ("judged-nq", "diver", "efficientqa", "contrast", "commitment", "task7")  # sets of dev, as they are loaded
SOURCES = ("sts", "judged", *GENERAL)


class Set(NamedTuple):
    """Judged pairs of one kind."""

    name: str  # the name of the kind
    labels: FloatArray  # the judgments from 0 to 1, shape (n,)
    evidence: dict[str, FloatArray]  # all evidence by name, each (n,)
    overlap: NDArray[np.bool_]  # whether the two answers share a word (F1 != 0), shape (n,)
    asked: bool = False  # whether the questions were read

    @property
    def title(self) -> str:
        """The name, with a suffix if the questions were read."""
        return self.name + ASKED if self.asked else self.name


class Fitted(NamedTuple):
    """The weights by name of the evidence, the intercept of each set, and the final mean cross-entropy."""

    weights: dict[str, float]
    intercepts: dict[str, float]
    loss: float


def judged_sets(
    places: mixture.Places, part: str, parts: Mapping[str, Metric], cache: ScoreCache | None = None
) -> list[Set]:
    """Load the judged pairs of this part, dev or test, with their evidence.

    An EVOUNA answer is paired with the main gold answer of the question, and once more with another name of it drawn at
    random (seed 0), so that there are right answers without a common word. The test part is STS-B and EVOUNA only.
    """
    judged = load_evouna(part, path=places.data / EVOUNA)  # type: ignore[arg-type] # checked there
    named = _with_any_name(judged)
    datasets = {
        "sts": mixture.load("sts", places, part, 0),
        "phrases": judged_pairs.verdict_pairs(judged, sentences=False) + _short(named),
        "sentences": judged_pairs.verdict_pairs(judged, sentences=True),
    }
    if part == "dev":
        datasets |= {name: mixture.load(name, places, part, 0) for name in GENERAL}
    return [
        judged_set for name, pairs in datasets.items() for judged_set in _sets(name, spread(pairs, MOST), parts, cache)
    ]


def _sets(name: str, pairs: Sequence[TrainingPair], parts: Mapping[str, Metric], cache: ScoreCache | None) -> list[Set]:
    """Return the set without questions, and, if all its pairs have one and a part reads them, with them."""
    given = [Pair(pair.first, pair.second) for pair in pairs]
    answers = [Pair(*visible_pair(*pair)) for pair in given]
    labels = np.array([pair.label for pair in pairs], dtype=np.float64)
    overlap = ~f1_is_zero(answers, lang="en", profile=None)
    columns = dict(zip(parts, scores_on_disk.score_all(list(parts.values()), answers, None, cache), strict=True))
    sets = [Set(name, labels, ensemble.features_of(given, columns), overlap)]
    reading = {part: metric for part, metric in parts.items() if reads_questions(metric)}
    if reading and all(pair.question for pair in pairs):
        questions = [pair.question for pair in pairs]
        asked = dict(
            zip(reading, scores_on_disk.score_all(list(reading.values()), answers, questions, cache), strict=True)
        )
        sets.append(Set(name, labels, ensemble.features_of(given, columns | asked), overlap, asked=True))
    return sets


def fit(sets: Sequence[Set], names: Sequence[str], penalty: float = PENALTY) -> Fitted:
    """Fit nonnegative weights of this evidence to the judgments of all sets: cross-entropy with L2.

    Every set has the same weight, regardless of its size. The intercepts are free. The penalty applies to the weights
    of evidence divided by its standard deviation within the sets, so that no scale is favored. Raise ValueError if a
    set has no pairs, or all of its judgments are equal.
    """
    from scipy.optimize import minimize

    for judged in sets:
        if len(judged.labels) == 0 or np.ptp(judged.labels) == 0:
            raise ValueError(f"the set {judged.name!r} has no two different judgments, so nothing can be fitted")
    columns = [np.stack([judged.evidence[name] for name in names], axis=1) for judged in sets]
    spread = np.sqrt(np.mean([x.var(axis=0) for x in columns], axis=0))
    spread[spread == 0] = 1.0  # constant in all sets: it gets no weight
    columns = [x / spread for x in columns]

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        weights, total = parameters[: len(names)], penalty * float(np.square(parameters[: len(names)]).sum())
        slope = np.concatenate([2 * penalty * weights, np.zeros(len(sets))])
        for i, (judged, x) in enumerate(zip(sets, columns, strict=True)):
            z = x @ weights + parameters[len(names) + i]
            total += float(np.mean(np.logaddexp(0, z) - judged.labels * z)) / len(sets)
            error = (1 / (1 + np.exp(-z)) - judged.labels) / (len(z) * len(sets))
            slope[: len(names)] += x.T @ error
            slope[len(names) + i] += error.sum()
        return total, slope

    bounds = [(0.0, None)] * len(names) + [(None, None)] * len(sets)
    start = np.zeros(len(names) + len(sets))
    optimum = minimize(
        loss, start, jac=True, bounds=bounds, method="L-BFGS-B", options={"maxiter": 5000, "ftol": 1e-12}
    )
    weights, intercepts = optimum.x[: len(names)] / spread, optimum.x[len(names) :]
    return Fitted(
        dict(zip(names, weights.tolist(), strict=True)),
        dict(zip([judged.title for judged in sets], intercepts.tolist(), strict=True)),
        float(optimum.fun),
    )


def left_out(sets: Sequence[Set], names: Sequence[str], penalty: float = PENALTY) -> dict[str, float]:
    """Return the taus of every set (see ``taus``) by weights that were fitted on the sets of other kinds."""
    held_out: dict[str, float] = {}
    for judged in sets:
        held_out |= taus(judged, fit([other for other in sets if other.name != judged.name], names, penalty).weights)
    return held_out


def taus(judged: Set, weights: Mapping[str, float]) -> dict[str, float]:
    """Return Kendall's tau-b of judgments and weighted evidence, separately for pairs that share no word.

    The keys are names such as "sts, F1=0". Parts with fewer than sixty pairs are left out, and a tau is nan if one side
    is constant. If most judgments are 0 or 1, the result also contains the AUC of judgments above .5, by names such as
    "phrases, AUC".
    """
    total = np.sum([weight * judged.evidence[name] for name, weight in weights.items()], axis=0)
    parts = {f"{judged.title}, {ZERO}": ~judged.overlap, f"{judged.title}, {NONZERO}": judged.overlap}
    found = {
        name: correlations(total[mask], judged.labels[mask]).kendall
        for name, mask in parts.items()
        if mask.sum() >= LEAST
    }
    if np.isin(judged.labels, (0.0, 1.0)).mean() > 0.5:
        found[f"{judged.title}, AUC"] = float(auc(total, judged.labels, 0.5)[0])
    return found


def main(
    profile: Annotated[str, typer.Option(help="The profile of weights to fit for.")] = "embedded",
    data: Annotated[
        Path | None, typer.Option(help="Folder of stsb/, judged/ and train/. Default: $ANSWERSIM_DATA.")
    ] = None,
    output: Annotated[Path | None, typer.Option(help="The file to write. Default: the shipped one.")] = None,
    penalty: Annotated[float, typer.Option(help="The coefficient of the sum of squared weights.")] = PENALTY,
    precision: Annotated[str, typer.Option(help="The precision of the networks: fp32 or bf16.")] = "fp32",
    cache: Annotated[Path | None, typer.Option(help="A folder that stores the scores for the next run.")] = None,
) -> None:
    """Fit the weights of the metric answersim and write them."""
    with user_errors():
        path = output or weights_file(profile)
        places = mixture.Places(data or mixture.default_data())
        parts = {name: lookup.build_part(name, profile=profile, device=precision) for name in PARTS}
        store = None if cache is None else ScoreCache(cache)
        dev = judged_sets(places, "dev", parts, store)
        fitted = fit(dev, EVIDENCE, penalty)
        weights = {name: round(weight, 4) for name, weight in fitted.weights.items() if round(weight, 4) > 0}
        test = judged_sets(places, "test", parts, store)
        left = {name: round(value, 4) for name, value in left_out(dev, EVIDENCE, penalty).items()}
        metadata = {
            "parts": list(PARTS),
            "weights": weights,
            "intercept": round(float(np.mean(list(fitted.intercepts.values()))), 4),
            "command": f"python -m tools.weights.ensemble --profile {profile} --precision {precision}",
            "penalty": penalty,
            "intercepts": {name: round(value, 4) for name, value in fitted.intercepts.items()},
            "signatures": {name: part.signature for name, part in parts.items()},
            "data": mixture.hashes(SOURCES, places),
            "pairs": {
                f"{judged.title}, {part}": len(judged.labels)
                for part, of in (("dev", dev), ("test", test))
                for judged in of
            },
            "agreement": {
                "dev": _all_taus(dev, weights),
                "dev, each set by the others": left,
                "test": _all_taus(test, weights),
            },
            "versions": {"python": platform.python_version()} | {name: version(name) for name in ("torch", "scipy")},
        }
        path.write_text(json.dumps(metadata, indent=2) + "\n", encoding="utf-8")
        typer.echo(json.dumps({key: metadata[key] for key in ("weights", "intercept", "agreement")}, indent=2))


def _all_taus(sets: Sequence[Set], weights: Mapping[str, float]) -> dict[str, dict[str, float | None]]:
    """Return by set and overlap the tau-b of the combination and of each part alone, or None if undefined."""
    columns = {"answersim": weights} | {name: {name: 1.0} for name in PARTS}
    by_part: dict[str, dict[str, float | None]] = {}
    for judged in sets:
        for metric, combination in columns.items():
            for where, value in taus(judged, combination).items():
                by_part.setdefault(where, {})[metric] = None if np.isnan(value) else round(value, 4)
    return by_part


def _with_any_name(judged: Sequence[SystemAnswer]) -> list[TrainingPair]:
    """Pair every answer with a name of the gold answer drawn at random. The label is the verdict."""
    rng = np.random.default_rng(0)
    pairs = []
    for answer in judged:
        names = judged_pairs.names_of(answer)
        if len(names) > 1:
            name = names[int(rng.integers(len(names)))]
            pairs.append(
                TrainingPair(
                    name, answer.answer, float(answer.verdict), answer.part, "evouna:any-name", answer.question
                )
            )
    return pairs


def _short(pairs: Sequence[TrainingPair]) -> list[TrainingPair]:
    return [pair for pair in pairs if 0 < len(pair.second.split()) <= judged_pairs.SHORT]


if __name__ == "__main__":
    typer.run(main)
