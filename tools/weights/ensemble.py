"""Fit the weights of the metric ``answersim`` of a profile, on judged and made pairs that none of its parts learned.

    python -m tools.weights.ensemble --profile embedded

The pairs are the dev parts of the sources of ``mixture.tsv``. The trainings of the parts read none of them except to
choose among evaluations. The fit minimizes the mean cross-entropy of score and label over weights that are not
negative. A set of annotators counts twice as much as a made one, regardless of its size, and each set has its own
intercept. The shipped one is the mean of the sets of annotators. A set with questions occurs without and with them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from answersim._base.arrays import FloatArray
from answersim._base.runtime.cli_errors import user_errors
from answersim.answers.text.markup import visible_pair
from answersim.metrics.catalog import lookup
from answersim.metrics.composite import ensemble
from answersim.metrics.composite.ensemble import weights_file
from answersim.metrics.composite.relations import relations
from answersim.scoring.cache import ScoreCache, score_all
from answersim.stats.coefficients.auc import auc
from answersim.training.data.pairs import TrainingPair
from answersim.types import Metric, Pair
from benchmarks.options import run_program
from tools.tables import table
from tools.weights.cross_encoder import spread
from tools.weights.pairs import mixture

# Of a profile: the parts of its ensemble, the sources that annotators labeled and those that rules made, and what its
# networks read ("latin" or "all" scripts).
PROFILES: Mapping[str, Mapping[str, Any]] = table(__file__, "ensembles.json")
_WORDS, _RULES = ("recall", "containment"), ("numbers", "near", "not different", "error")
_SHARED = [f"{word}{suffix}{ensemble.IF_CONFIRMED}" for word in _WORDS for suffix in ("", ensemble.IN_SENTENCES)]
PENALTY = 0.005  # the coefficient of the sum of squared weights of standardized features
MADE = 0.5  # the weight of a made set, of annotators 1
MOST = 900  # pairs of a set, evenly spread
ASKED = " with question"


class Set(NamedTuple):
    """Labeled pairs of one source."""

    name: str  # the name of the source
    title: str  # the name, with a suffix if the questions were read
    labels: FloatArray  # from 0 to 1, shape (n,)
    features: dict[str, FloatArray]  # all features by name, each of shape (n,)
    weight: float = 1.0  # how much the set counts


def sets_of(name: str, places: mixture.Places, device: str, cache: ScoreCache | None, most: int = MOST) -> list[Set]:
    """Load the dev parts of the sources of a profile with their features."""
    sets = []
    for source in (*PROFILES[name]["judged"], *PROFILES[name]["made"]):
        pairs = spread(mixture.load(source, places, "dev"), most)
        weight = 1.0 if source in PROFILES[name]["judged"] else MADE
        labels = np.array([pair.label for pair in pairs], dtype=np.float64)
        for asked in (False, True)[: 1 + all(pair.question for pair in pairs)]:
            features = _features(name, pairs, asked, device, cache)
            sets.append(Set(source, source + ASKED * asked, labels, features, weight))
    return sets


def _features(
    profile: str, pairs: Sequence[TrainingPair], asked: bool, device: str, cache: ScoreCache | None
) -> dict[str, FloatArray]:
    endings = [pair.source.rpartition(":")[2] for pair in pairs]  # of "xquad:de"
    languages = np.array([ending if len(ending) == 2 else "en" for ending in endings])
    columns: dict[str, FloatArray] = {}
    for lang in dict.fromkeys(languages.tolist()):
        rows = np.flatnonzero(languages == lang)
        answers = [Pair(*visible_pair(pairs[i].first, pairs[i].second)) for i in rows.tolist()]
        questions = [pairs[i].question for i in rows.tolist()] if asked else None
        parts = parts_of(profile, lang, device)
        scores = dict(zip(parts, score_all(list(parts.values()), answers, questions, cache), strict=True))
        for name, values in ensemble.features_of(answers, scores, relations(answers, questions, lang)).items():
            columns.setdefault(name, np.zeros(len(pairs)))[rows] = values
    return columns


def parts_of(profile: str, lang: str, device: str) -> dict[str, Metric]:
    """Return the parts of the ensemble of a profile in a language."""
    return {name: lookup.build_part(name, lang, profile, device=device) for name in PROFILES[profile]["parts"]}


def fit(sets: Sequence[Set], names: Sequence[str]) -> tuple[dict[str, float], dict[str, float]]:
    """Fit nonnegative weights of these features to the labels of all sets: cross-entropy with L2.

    The intercepts, one per set, are free. The penalty applies to the weights of features divided by their standard
    deviation within the sets. Returns the weights by feature and the intercepts by the title of the set.
    """
    from scipy.optimize import minimize

    for judged in sets:
        if len(judged.labels) == 0 or np.ptp(judged.labels) == 0:
            raise ValueError(f"the set {judged.name!r} has no two different labels, so nothing can be fitted")
    columns = [np.stack([judged.features[name] for name in names], axis=1) for judged in sets]
    scale = np.sqrt(np.mean([x.var(axis=0) for x in columns], axis=0))
    scale[scale == 0] = 1.0  # constant in all sets: it gets no weight
    columns, shares = [x / scale for x in columns], np.array([judged.weight for judged in sets])
    shares /= shares.sum()

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        weights, total = parameters[: len(names)], PENALTY * float(np.square(parameters[: len(names)]).sum())
        slope = np.concatenate([2 * PENALTY * weights, np.zeros(len(sets))])
        for i, (judged, x, share) in enumerate(zip(sets, columns, shares, strict=True), start=len(names)):
            z = x @ weights + parameters[i]
            total += share * float(np.mean(np.logaddexp(0, z) - judged.labels * z))
            error = share * (1 / (1 + np.exp(-z)) - judged.labels) / len(z)
            slope[: len(names)] += x.T @ error
            slope[i] += error.sum()
        return total, slope

    bounds: list[tuple[float | None, None]] = [(0.0, None)] * len(names) + [(None, None)] * len(sets)
    start = np.zeros(len(bounds))
    result = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B", options={"maxiter": 5000, "ftol": 1e-12})
    weights, intercepts = (result.x[: len(names)] / scale).tolist(), result.x[len(names) :].tolist()
    titles = [judged.title for judged in sets]
    return dict(zip(names, weights, strict=True)), dict(zip(titles, intercepts, strict=True))


def left_out(sets: Sequence[Set], names: Sequence[str]) -> dict[str, float]:
    """Return the AUC of every set by weights that were fitted on the sets of other names."""
    others = {judged.title: [other for other in sets if other.name != judged.name] for judged in sets}
    return {judged.title: area(judged, fit(others[judged.title], names)[0]) for judged in sets}


def area(judged: Set, weights: Mapping[str, float]) -> float:
    """Return the AUC of labels above .5 and weighted features on a set."""
    total = np.sum([weight * judged.features[name] for name, weight in weights.items()], axis=0)
    return float(auc(total, judged.labels, 0.5)[0])


def main(
    profile: Annotated[str, typer.Option(help=f"One of {', '.join(PROFILES)}.")] = "embedded",
    output: Annotated[Path | None, typer.Option(help="The file to write. Default: the shipped one.")] = None,
    precision: Annotated[str, typer.Option(help="The precision of the networks: fp32 or bf16.")] = "fp32",
    cache: Annotated[Path | None, typer.Option(help="A folder that stores the scores for the next run.")] = None,
    most: Annotated[int, typer.Option(help="The most pairs of a set.")] = MOST,
) -> None:
    """Fit the weights of the metric answersim and write them."""
    with user_errors():
        settings, places = PROFILES[profile], mixture.Places(mixture.default_data())
        features = [*(part for part in settings["parts"] if part not in _WORDS), *_SHARED, *_RULES]
        sets = sets_of(profile, places, precision, None if cache is None else ScoreCache(cache), most)
        fitted, intercepts = fit(sets, features)
        weights = {name: round(weight, 4) for name, weight in fitted.items() if round(weight, 4) > 0}
        left = left_out(sets, features)
        chosen = [intercepts[judged.title] for judged in sets if judged.name in settings["judged"]]
        metadata: dict[str, Any] = {
            "parts": settings["parts"],
            "weights": weights,
            "intercept": round(float(np.mean(chosen)), 4),
            "scripts": settings["scripts"],
            "command": f"python -m tools.weights.ensemble --profile {profile} --precision {precision} --most {most}",
            "penalty": PENALTY,
            "signatures": {name: part.signature for name, part in parts_of(profile, "en", precision).items()},
            "data": mixture.hashes((*settings["judged"], *settings["made"]), places),
            "sets": {},
            "versions": {name: version(name) for name in ("torch", "scipy")},
        }
        for judged in sets:
            areas = {"auc": area(judged, weights), "auc, fitted on the others": left[judged.title]}
            areas |= {f"auc of {name}": area(judged, {name: 1.0}) for name in settings["parts"]}
            digits = {name: None if np.isnan(value) else round(value, 4) for name, value in areas.items()}
            numbers = {"pairs": len(judged.labels), "intercept": round(intercepts[judged.title], 4)}
            metadata["sets"][judged.title] = numbers | digits
        path = output or weights_file(profile)
        path.write_text(json.dumps(metadata, indent=2) + "\n", encoding="utf-8")
        typer.echo(json.dumps({key: metadata[key] for key in ("weights", "intercept", "sets")}, indent=2))


if __name__ == "__main__":
    run_program(main)
