"""A small model over features. Every feature can only raise the score, and its weight can be read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim._base.device import Device
from answersim._base.errors import unknown
from answersim._base.signature import computed_once, signature
from answersim.answers.relation import Relation
from answersim.answers.text.markup import visible_pair
from answersim.answers.text.scripts import is_unread
from answersim.answers.text.tokens import language
from answersim.answers.typed.api import signed_rules
from answersim.metrics.checkpoints.profiles import MULTILINGUAL, PROFILES, WORDS
from answersim.metrics.checkpoints.search import read_json
from answersim.metrics.composite.features import numbers, of_relations, sentence
from answersim.metrics.composite.relations import held, relations, warn_of_scripts
from answersim.metrics.definitions import definition
from answersim.metrics.neural.factories import check_extra
from answersim.metrics.planning import Composite
from answersim.types import Capabilities, Metric, Pair, Scale, of_parts

REVISION = 7  # increase it when a number changes; it is signed

IN_SENTENCES = " in sentences"  # the suffix of features that are multiplied by ``sentence``
IF_CONFIRMED = " if confirmed"  # of features that are multiplied by the score of the cross-encoder
# The lowest score of equal answers. Without it, 99 of 100 answers score above .974 against themselves, so this minimum
# ranks no answer above an identical one.
FLOOR = 0.96
# The lowest score of near answers: the calibrations call it equivalent. Of 141 near answers of EVOUNA, 134 are right
# (benchmarks.rules). The dev sets have too few to fit a weight.
NEAR = 0.85
CEILING = 0.04  # the highest score of answers that the relation calls different
# The highest score of a pair that no network can judge, such as the same words in another order. All shipped
# calibrations call it unsure.
UNSURE = 0.5
# The highest score of a prediction in a script that the weights do not know; ``UNSURE`` is the lowest. Other letters
# can have the same meaning, so all of them are unsure, and shared words rank them. A gold answer in such a script
# scores from ``CEILING`` to ``UNSURE`` beside a readable prediction, because it may be one of several names.
UNREAD = 0.53
# The lowest score of a pair without a relation if there are no networks: different words can have the same meaning.
LEAST_OF_WORDS = 0.31
CROSS_ENCODERS = {"sas", "sas-answers"}
NETWORKS = ("sas", "sas-answers", "bertscore-names")  # the parts that run a network
FITTED = ("embedded", "strong", MULTILINGUAL, WORDS)  # profiles that weights were fitted for; "words" has none to fit
_EDGE = 1e-6  # a probability of 0 or 1 has no logit
SCRIPTS = ("latin", "all", "none")  # "none": there are no networks


class Weights(NamedTuple):
    """The parameters of the model."""

    name: str  # twelve hexadecimal digits over the numbers; they are signed
    parts: tuple[str, ...]  # the names of the metrics whose numbers are features, in order
    weights: tuple[tuple[str, float], ...]  # the name of each feature and its weight, which is never negative
    intercept: float  # the number that is added to the weighted sum
    scripts: str = "latin"  # the scripts that the networks of the parts read, one of ``SCRIPTS``


@dataclass(frozen=True)
class AnswerSimilarity(Composite):
    """Answer similarity from all features: the sigmoid of a weighted sum, between 0 and 1.

    The features of a pair are the numbers of other metrics, with the logit of the cross-encoder, and whether the
    numbers in both answers agree. Some features have an effect only if the prediction is a sentence and the gold
    answer a phrase, and some only as far as the cross-encoder confirms them. No weight is negative, so more
    similarity in a feature never lowers the score. The metric is not symmetric, as its lexical parts are not. Equal
    answers (see ``answersim.answers.relation``), such as "3,600" and "3600", score at least ``FLOOR``, near ones at
    least ``NEAR``, and different ones, such as "12 litres" and "12 gallons", at most ``CEILING``. The same words in
    another order, and answers to a letter that choose none, score at most ``UNSURE``. Predictions in a script that
    the weights do not know, or with other symbols, score from ``UNSURE`` to ``UNREAD``: no network judges them. The
    parts read the answers without markup (see ``markup.visible``).

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
        """The weights, a hash of the signatures of the parts, the language, the floor, and the rules with revision.

        The hash is that of the parts in English, because the language is signed by itself.
        """
        joined = "\n".join(metric.signature.replace(f"|text:{self.lang}|", "|text:en|") for metric in self.parts)
        parts = hashlib.sha256(joined.encode()).hexdigest()[:12]
        rules = signed_rules(self.lang)
        return signature(
            "answersim",
            revision=REVISION,
            weights=self.model.name,
            parts=parts,
            lang=self.lang,
            floor=FLOOR,
            rules=rules,
        )

    @computed_once
    def capabilities(self) -> Capabilities:
        """The combined capabilities of the parts."""
        scale: Scale = "probability" if self.model.scripts == "none" else "similarity"
        latin = self.model.scripts == "latin"
        return of_parts(self.parts)._replace(
            visible_text=True, reads_questions=True, reads_choices=True, scale=scale, latin_only=latin
        )

    def combine(
        self, pairs: Sequence[Pair], columns: Sequence[FloatArray], questions: Sequence[str] | None = None
    ) -> FloatArray:
        """Return one number per pair from the numbers of each part, each of shape (n,)."""
        return self.related(pairs, columns, relations(pairs, questions, self.lang))

    def related(self, pairs: Sequence[Pair], columns: Sequence[FloatArray], related: Sequence[Relation]) -> FloatArray:
        """Return the same for pairs with these relations."""
        by_part = dict(zip(self.model.parts, columns, strict=True))
        unread = self._unread(pairs)
        by_name = features_of(pairs, by_part, related)
        total = np.full(len(pairs), self.model.intercept)
        for name, weight in self.model.weights:
            total += weight * by_name[name]
        small = np.exp(-np.abs(total))
        scores = np.where(total >= 0, 1.0, small) / (1.0 + small)
        if unread.any():
            least, most = np.float64(LEAST_OF_WORDS), np.float64(UNSURE)
            if self.model.scripts != "none":
                warn_of_scripts("answersim")
                latin = self.capabilities.latin_only
                is_readable = np.fromiter(
                    (not is_unread("", pred, latin=latin) for _, pred in pairs), np.bool_, len(pairs)
                )
                least, most = np.where(is_readable, CEILING, UNSURE), np.where(is_readable, UNSURE, UNREAD)
            shared = [by_part[name] for name in self.model.parts if name not in NETWORKS]
            words = np.clip(np.mean(shared, axis=0), 0.0, 1.0) if shared else np.zeros(len(pairs))
            scores = np.where(unread, least + (most - least) * words, scores)
        return decided(scores, related)

    def _unread(self, pairs: Sequence[Pair]) -> NDArray[np.bool_]:
        """Return whether no network judges each pair, shape (n,)."""
        if self.model.scripts == "none":
            return np.ones(len(pairs), dtype=np.bool_)
        latin = self.capabilities.latin_only
        return np.fromiter((is_unread(*pair, latin=latin) for pair in pairs), np.bool_, len(pairs))


def decided(scores: FloatArray, related: Sequence[Relation]) -> FloatArray:
    """Return the scores within the bounds of the relations, shape (n,)."""
    names = np.array([relation.relation for relation in related], dtype=object)
    is_held = np.fromiter(map(held, related), np.bool_, len(related))
    bounded = np.where(is_held, np.minimum(scores, UNSURE), scores)
    bounded = np.where(names == "different", np.minimum(bounded, CEILING), bounded)
    bounded = np.where(names == "near", np.maximum(bounded, NEAR), bounded)
    return np.asarray(np.where(names == "equal", np.maximum(bounded, FLOOR), bounded), dtype=np.float64)


def features_of(
    pairs: Sequence[Pair], columns: Mapping[str, FloatArray], related: Sequence[Relation]
) -> dict[str, FloatArray]:
    """Compute all features by name, each of shape (n,). Higher means more similar.

    ``columns``: the numbers of each metric by name; those of a cross-encoder are replaced by their logits. ``related``:
    how the answers of each pair relate.
    """
    visible_pairs = [visible_pair(str.__str__(gold), pred) for gold, pred in pairs]
    by_name: dict[str, FloatArray] = dict(columns)
    for name in CROSS_ENCODERS & by_name.keys():
        inside = np.clip(by_name[name], _EDGE, 1 - _EDGE)
        by_name[name] = np.log(inside / (1 - inside))
    by_name["numbers"] = np.array([numbers(gold, pred) for gold, pred in visible_pairs], dtype=np.float64)
    share = np.array([sentence(gold, pred) for gold, pred in visible_pairs], dtype=np.float64)
    others = {name: column for name, column in columns.items() if name not in CROSS_ENCODERS}
    others |= {f"{name}{IN_SENTENCES}": column * share for name, column in others.items()}
    confirmed = {
        f"{name}{IF_CONFIRMED}": column * columns[cross_encoder]
        for cross_encoder in CROSS_ENCODERS & columns.keys()
        for name, column in others.items()
    }
    return by_name | others | confirmed | of_relations(related)


def read_weights(path: Path) -> Weights:
    """Read the weights in this JSON file."""
    stored = read_json(path)
    parts, weights, intercept = (stored.get(key) for key in ("parts", "weights", "intercept"))
    if not isinstance(parts, list) or not isinstance(weights, dict) or not isinstance(intercept, float):
        raise ValueError(f"{path} contains no weights; it must have the keys parts, weights and intercept")
    for name, weight in weights.items():
        if not isinstance(weight, float) or not 0 <= weight < np.inf:
            raise ValueError(f"{path}: the weight of {name!r} is {weight!r}, but it must be a number of at least 0")
    scripts = stored.get("scripts", SCRIPTS[0])
    if scripts not in SCRIPTS:
        raise ValueError(f"{path}: scripts is {scripts!r}, but it must be one of {', '.join(SCRIPTS)}")
    return named(tuple(parts), weights, intercept, scripts)


def named(parts: tuple[str, ...], weights: Mapping[str, float], intercept: float, scripts: str = SCRIPTS[0]) -> Weights:
    """Return these weights with their name, which is a hash of them."""
    content: list[Any] = [parts, dict(weights), intercept, *([scripts] if scripts != SCRIPTS[0] else [])]
    name = hashlib.sha256(json.dumps(content).encode()).hexdigest()[:12]
    return Weights(name, parts, tuple(weights.items()), intercept, scripts)


def weights_file(profile: str | None) -> Path:
    """Return the file of the weights that were fitted for this profile. Raise LookupError if there are none."""
    profile = profile or FITTED[0]
    if profile not in PROFILES:
        raise unknown("profile of weights", profile, PROFILES)
    if profile not in FITTED:
        raise LookupError(
            f"the weights of answersim were fitted for the profiles {', '.join(FITTED)}; there are none for {profile!r}"
        )
    return Path(__file__).parent / "weights" / f"{profile}.json"


def parts_of(profile: str | None) -> tuple[str, ...]:
    """Return the parts of ``answersim`` in a profile, in order. Raise LookupError as ``weights_file``."""
    return tuple(read_json(weights_file(profile)).get("parts", ()))


def build(build_part: Callable[..., Metric], /, *, lang: str, profile: str | None, device: Device = Device()) -> Metric:
    """Build ``answersim``, the learned ensemble.

    Args:
        build_part: A function that builds a part from its name, a language, a profile and a device.
        lang: The language of the answers.
        profile: One of ``FITTED``; None means "embedded".
        device: Where the networks run.
    """
    path = weights_file(profile)
    if profile != WORDS:
        check_extra("answersim")
    weights = read_weights(path)
    parts = tuple(build_part(name, lang, profile, device=device) for name in weights.parts)
    return AnswerSimilarity(parts, weights, language(lang))


ANSWERSIM = definition("answersim", build)
PARTS = ANSWERSIM.parts  # the weights are for these, in this order
