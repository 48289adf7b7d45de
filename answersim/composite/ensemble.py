"""A small model over features. Every feature can only raise the score, and its weight can be read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from answersim.answers.relation.wording import same_wording as same_answer
from answersim.checkpoints.search import read_json
from answersim.composite.claims import REVISION as CLAIMS_REVISION
from answersim.composite.claims import bounded
from answersim.composite.features import numbers, sentence
from answersim.composite.typed import opinions
from answersim.planning import Composite
from answersim.signature import computed_once, signature
from answersim.typed.api import REVISION as RULES_REVISION
from answersim.typed.api import rules_of
from answersim.types import Capabilities, FloatArray, Metric, Pair, of_parts

REVISION = 3  # increase it when a number changes; it is signed

IN_SENTENCES = " in sentences"  # the suffix of features that are multiplied by ``sentence``
IF_CONFIRMED = " if confirmed"  # of features that are multiplied by the score of the cross-encoder
# The lowest score of two answers that differ only in how they are written. Without it, 99 of 100 answers score above
# .974 against themselves, so this minimum ranks no answer above an identical one. The isotonic calibration of version
# 0.1.0 gives scores of at least .955 a probability of .999.
FLOOR = 0.96
CROSS_ENCODERS = {"sas", "sas-answers"}
CEILING = 0.04  # the highest score of two values that the rules of ``answersim.typed`` call different
# The highest score of a prediction that only mentions the gold answer, or is another formula. The shipped calibrations
# call it unsure. At .45 the few right answers that are bounded would decide the isotonic curve of the profile "strong".
DOUBTFUL = 0.41
_EDGE = 1e-6  # a probability of 0 or 1 has no logit


class Weights(NamedTuple):
    """The parameters of the model."""

    name: str  # twelve hexadecimal digits over the numbers; they are signed
    parts: tuple[str, ...]  # the names of the metrics whose numbers are features, in order
    weights: tuple[tuple[str, float], ...]  # the name of each feature and its weight, which is never negative
    intercept: float  # the number that is added to the weighted sum


@dataclass(frozen=True)
class AnswerSimilarity(Composite):
    """Answer similarity from all features: the sigmoid of a weighted sum, between 0 and 1.

    The features of a pair are the numbers of other metrics, with the logit of the cross-encoder, and whether the
    numbers in both answers agree. Some features have an effect only if the prediction is a sentence and the gold answer
    a phrase, and some only as far as the cross-encoder confirms them. Therefore a sentence that denies the gold answer
    gains nothing from containing it. No weight is negative, so more similarity in a feature never lowers the score. The
    metric reads questions if its cross-encoder does, and it is not symmetric, as its lexical parts are not. Answers
    that differ only in how they are written, such as "3,600" and "3600" (see ``same_answer``), score at least
    ``FLOOR``, and so do equal values, such as "1.5 million" and "1,500,000". Different values, such as "12 litres" and
    "12 gallons", score at most ``CEILING`` (see ``answersim.typed``). These rules do not apply to predictions that are
    sentences. A prediction that only mentions the gold answer (see ``claims``), or is another formula (see
    ``formulas``), scores at most ``DOUBTFUL``. The answers are read without markup (see ``markup.visible``).

    Source: This project. ``tools.weights.ensemble`` fitted it on judged answers outside the test sets.
    """

    parts: tuple[Metric, ...]  # the metrics, in the order of ``Weights.parts``
    model: Weights  # the weights
    # the language of the answers, an ISO 639-1 code. It decides for which answers ``FLOOR`` and ``CEILING`` apply.
    lang: str = "en"

    def __post_init__(self) -> None:
        """Check that there is a metric for every part."""
        if len(self.parts) != len(self.model.parts):
            raise ValueError(
                f"the weights are for {', '.join(self.model.parts)}, but {len(self.parts)} parts are given; give one "
                "metric per part, in this order"
            )

    @computed_once
    def signature(self) -> str:
        """The weights, a hash of the signatures of the parts, the language, the floor, and revisions of the rules."""
        joined = "\n".join(part.signature for part in self.parts)
        parts = hashlib.sha256(joined.encode()).hexdigest()[:12]
        rules = f"{rules_of(self.lang)}.{RULES_REVISION}"
        return signature(
            "answersim",
            revision=REVISION,
            weights=self.model.name,
            parts=parts,
            lang=self.lang,
            floor=FLOOR,
            rules=rules,
            claims=CLAIMS_REVISION,
        )

    @computed_once
    def capabilities(self) -> Capabilities:
        """The combined capabilities of the parts."""
        return of_parts(self.parts)._replace(visible_text=True)

    def combine(self, pairs: Sequence[Pair], columns: Sequence[FloatArray]) -> FloatArray:
        """Return one number per pair, without markup, from the numbers of each part, each of shape (n,)."""
        by_name = features_of(pairs, dict(zip(self.model.parts, columns, strict=True)))
        total = np.full(len(pairs), self.model.intercept)
        for name, weight in self.model.weights:
            total += weight * by_name[name]
        small = np.exp(-np.abs(total))
        scores = np.where(total >= 0, 1.0, small) / (1.0 + small)
        same = np.fromiter((same_answer(*pair, self.lang) for pair in pairs), np.bool_, len(pairs))
        rules = np.full(len(pairs), np.nan)
        short = [i for i, pair in enumerate(pairs) if sentence(*pair) == 0]
        rules[short] = opinions([pairs[i] for i in short], self.lang)
        lowered = np.where(rules == 0.0, np.minimum(scores, CEILING), scores)
        bound = bounded(pairs, lowered, DOUBTFUL, self.lang)
        raised = (same & (rules != 0.0)) | (rules == 1.0)
        return np.where(raised, np.maximum(scores, FLOOR), bound)


def features_of(pairs: Sequence[Pair], columns: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Compute all features by name, each of shape (n,). Higher means more similar.

    ``columns``: the numbers of each metric by name; those of a cross-encoder are replaced by their logits.
    """
    by_name: dict[str, FloatArray] = dict(columns)
    for name in CROSS_ENCODERS & by_name.keys():
        inside = np.clip(by_name[name], _EDGE, 1 - _EDGE)
        by_name[name] = np.log(inside / (1 - inside))
    by_name["numbers"] = np.array([numbers(gold, pred) for gold, pred in pairs], dtype=np.float64)
    share = np.array([sentence(gold, pred) for gold, pred in pairs], dtype=np.float64)
    others = {name: column for name, column in columns.items() if name not in CROSS_ENCODERS}
    others |= {f"{name}{IN_SENTENCES}": column * share for name, column in others.items()}
    confirmed = {
        f"{name}{IF_CONFIRMED}": column * columns[cross_encoder]
        for cross_encoder in CROSS_ENCODERS & columns.keys()
        for name, column in others.items()
    }
    return by_name | others | confirmed


def read_weights(path: Path) -> Weights:
    """Read the weights in this JSON file.

    Raise FileNotFoundError if there is no such file. Raise ValueError if the file contains no weights, or a negative
    one.
    """
    stored = read_json(path)
    parts, weights, intercept = (stored.get(key) for key in ("parts", "weights", "intercept"))
    if not isinstance(parts, list) or not isinstance(weights, dict) or not isinstance(intercept, float):
        raise ValueError(f"{path} contains no weights; it must have the keys parts, weights and intercept")
    for name, weight in weights.items():
        if not isinstance(weight, float) or not 0 <= weight < np.inf:
            raise ValueError(f"{path}: the weight of {name!r} is {weight!r}, but it must be a number of at least 0")
    return named(tuple(parts), weights, intercept)


def named(parts: tuple[str, ...], weights: Mapping[str, float], intercept: float) -> Weights:
    """Return these weights with their name, which is a hash of them."""
    content: list[Any] = [parts, dict(weights), intercept]
    return Weights(
        hashlib.sha256(json.dumps(content).encode()).hexdigest()[:12], parts, tuple(weights.items()), intercept
    )
