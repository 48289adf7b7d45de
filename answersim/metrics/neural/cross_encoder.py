"""The cross-encoder, SAS: one model reads both answers at once and scores their similarity."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim._base.device import Device
from answersim._base.errors import TruncationWarning, unknown, warn_user
from answersim._base.signature import Stored, computed_once, signature
from answersim.metrics.checkpoints.search import Checkpoint
from answersim.metrics.definitions import definition
from answersim.metrics.neural.encoders import PairScorer
from answersim.metrics.neural.factories import network
from answersim.types import Capabilities, Metric, Pair, Scale, check_finite

REVISION = 1  # raise it when a number changes; it is signed
ORDERS = ("gold-pred", "pred-gold", "mean", "max")
ACTIVATIONS = ("sigmoid", "identity")


@dataclass(frozen=True)
class CrossEncoder(Stored):
    """Semantic answer similarity by a cross-encoder: between 0 and 1 with the sigmoid, which is the default.

    The metric is not symmetric: the order in which the model reads the two answers changes the score ("11" / "eleven"
    has .09 and "eleven" / "11" .89 in the SAS paper). An empty answer is read like any other. A scorer that was trained
    with questions reads the question after the two answers, in any order of these. Without a question, or with an empty
    one, the score is that of the pair alone.

    Source: Risch et al. 2021, section 4; Mustafazade & Ebbinghaus 2022, section 4. Equal to ``CrossEncoder.predict``
    of sentence-transformers within 1e-5.
    """

    scorer: PairScorer  # maps a pair of texts, and its question if it reads one, to one logit
    order: str = "gold-pred"  # "gold-pred" (default, as the paper), "pred-gold", or "mean" or "max" of both
    activation: str = "sigmoid"  # "sigmoid" or "identity", applied to each pair by itself

    def __post_init__(self) -> None:
        """Check order and activation."""
        if self.order not in ORDERS:
            raise unknown("order", self.order, ORDERS)
        if self.activation not in ACTIVATIONS:
            raise unknown("activation", self.activation, ACTIVATIONS)

    @computed_once
    def signature(self) -> str:
        """For example ``cross-encoder|scorer:all-MiniLM-L6-v2@...+sas-minilm@.../fp32|order:gold-pred|...``."""
        return signature("cross-encoder", self, revision=REVISION)

    @computed_once
    def capabilities(self) -> Capabilities:
        """The capabilities for planning and cache: it batches all pairs itself, and runs a network."""
        scale: Scale = "similarity" if self.activation == "sigmoid" else "any"
        return Capabilities(batches_all=True, reads_questions=self.scorer.reads_questions, cost="model", scale=scale)

    @property
    def reads_questions(self) -> bool:
        """Whether questions may be given beside the pairs."""
        return self.scorer.reads_questions

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        """Return one number per pair, in order, shape (n,)."""
        if questions is not None and len(questions) != len(pairs):
            raise ValueError(f"{len(pairs)} pairs have {len(questions)} questions; give one per pair, '' for none")
        forward = [(gold, pred) for gold, pred in pairs]
        backward = [(pred, gold) for gold, pred in pairs]
        ordered = {"gold-pred": forward, "pred-gold": backward}.get(self.order, forward + backward)
        if questions is None or not any(questions):
            logits, truncated = self.scorer.logits(ordered)
        else:
            logits, truncated = self.scorer.logits(ordered, list(questions) * (len(ordered) // len(pairs)))
        if truncated:
            warn_user(TruncationWarning(truncated, "pairs", self.signature))
        # Before the activation, which would turn an infinite logit into 0 or 1.
        for direction in np.split(logits, len(ordered) // len(pairs)) if pairs else ():
            check_finite(direction, pairs, self.signature)
        numbers = _sigmoid(logits) if self.activation == "sigmoid" else logits
        if self.order in ("mean", "max"):
            both = numbers.reshape(2, len(pairs))
            return both.mean(axis=0) if self.order == "mean" else both.max(axis=0)
        return numbers

    def truncated(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> NDArray[np.bool_]:
        """Return whether a part of each pair, or of its question, is too long to be read, shape (n,)."""
        asked_questions = questions if questions is not None and any(questions) else None
        tell = getattr(self.scorer, "truncated", None)  # of another package, it may have no such method
        if tell is None:
            return np.zeros(len(pairs), dtype=np.bool_)
        cut: NDArray[np.bool_] = tell([(gold, pred) for gold, pred in pairs], asked_questions)
        return cut


def stated_activation(checkpoint: Checkpoint) -> str:
    """Return the activation in the configuration of this model, or the sigmoid if it names none."""
    config = checkpoint.config
    stated = config.get("sentence_transformers", {}).get("activation_fn") or config.get(
        "sbert_ce_default_activation_function"
    )
    if stated is None:
        return "sigmoid"
    name = str(stated).rpartition(".")[2].lower()
    if name not in ACTIVATIONS:
        raise ValueError(
            f"{checkpoint.folder} requires the activation {stated!r}, but only {', '.join(ACTIVATIONS)} are "
            f"supported; choose one with activation="
        )
    return name


def _sigmoid(logits: FloatArray) -> FloatArray:
    """Compute the logistic function, without overflow on either side."""
    small = np.exp(-np.abs(logits))
    return np.where(logits >= 0, 1.0, small) / (1.0 + small)


def build(
    name: str,
    *,
    lang: str,
    profile: str | None,
    model: str | os.PathLike[str] | None = None,
    adapter: str | os.PathLike[str] | None = None,
    order: str | None = None,
    activation: str | None = None,
    device: Device = Device(),
) -> Metric:
    """Build the cross-encoder of this name."""
    scorer, weights = network(name, lang, profile, model, adapter, device, reads_pairs=True)
    order = weights.order or "gold-pred" if order is None else order
    return CrossEncoder(scorer, order, activation or stated_activation(scorer.checkpoint))


SAS, SAS_ANSWERS = definition("sas", build), definition("sas-answers", build)
