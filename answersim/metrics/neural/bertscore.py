"""BERTScore: the best match of each token among the tokens of the other answer, by contextual embedding."""

from __future__ import annotations

import csv
import hashlib
import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim._base.device import Device
from answersim._base.errors import unknown
from answersim._base.io import text_rows
from answersim._base.runtime.concurrency import forward_pass, importing
from answersim._base.signature import Stored, computed_once, signature
from answersim.metrics.checkpoints.search import sha256
from answersim.metrics.definitions import definition
from answersim.metrics.neural.encoders import Encoding, Request, TextEncoder, score_shared
from answersim.metrics.neural.factories import length, network
from answersim.metrics.neural.tokens import tokenize
from answersim.metrics.neural.transformer import Transformer
from answersim.types import Capabilities, Metric, Pair, check_finite

_MOST = 1 << 25  # numbers of states and similarities of the pairs that are compared at a time: 134 MB

REVISION = 1  # raise it when a number changes; it is signed
MEASURES = ("bounded-f1", "f1", "precision", "recall")


class Weights(NamedTuple):
    """Inverse document frequencies of tokens over a named corpus of references."""

    # the number of references and the SHA-256 over the counts of their tokens, shortened. It signs the weights, which
    # these two determine.
    name: str
    idf: Mapping[int, float]  # by token id; a token that is in no reference weighs ``unseen``
    unseen: float  # the weight of such a token


class Baseline(NamedTuple):
    """The mean score of unrelated texts in each measure. ``name`` is the shortened SHA-256 of the file."""

    name: str
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class BertScore(Stored):
    """BERTScore of one layer, on the scale of cosines. An answer scores 1 against itself.

    Every token of one answer is matched with the most similar token of the other. Precision is the mean over the tokens
    of the prediction, recall the mean over the tokens of the gold answer, and F1 their harmonic mean. The special
    tokens around a text have no weight but can be matched, as in ``bert_score``. Two empty answers score 1.0. An empty
    answer and any other answer score 0.0.

    Cosines of dissimilar answers can be negative. If precision and recall have opposite signs, their harmonic mean is
    unbounded: the closer their sum is to 0, the larger its absolute value. The default, "bounded-f1", is 0 there. It is
    within [-1, 1], and equals F1 everywhere else. "f1" is the harmonic mean in all cases, as in ``bert_score``.

    Source: Zhang et al. 2020, equations 1 to 4. Precision, recall and "f1" are equal to ``bert_score`` 0.3.13 within
    1e-5.
    """

    encoder: TextEncoder  # the encoder, which returns the token states of a text
    layer: int  # the layer whose states are compared. 0 is the embeddings.
    # longer texts are truncated to this many tokens, counted and reported. measure: "bounded-f1" (default) or "f1"
    # (both symmetric), "precision" or "recall".
    max_length: int = 512
    measure: str = "bounded-f1"
    idf: Weights | None = None  # weights of tokens, or None if all tokens have the same weight
    baseline: Baseline | None = field(default=None)  # the baseline b to rescale with, (x - b) / (1 - b), or None

    def __post_init__(self) -> None:
        """Check the measure and the baseline."""
        if self.measure not in MEASURES:
            raise unknown("measure of BERTScore", self.measure, MEASURES)
        if self.baseline is not None and not all(value < 1 and math.isfinite(value) for value in self.baseline[1:]):
            raise ValueError(
                f"the baseline {self.baseline.name} is {', '.join(map(str, self.baseline[1:]))}, but a baseline is "
                f"the mean score of unrelated texts, below 1; create the file again"
            )

    @computed_once
    def signature(self) -> str:
        """For example ``bertscore|encoder:all-MiniLM-L6-v2@.../fp32|layer:6|max_length:512|measure:bounded-f1|...``."""
        return signature("bertscore", self, revision=REVISION)

    @property
    def capabilities(self) -> Capabilities:
        """The capabilities for planning and cache: it shares its encoder, and runs a network."""
        return Capabilities(encoder=self.encoder, cost="model", scale="cosine")

    def request(self, pairs: Sequence[Pair]) -> Request:
        """Request the token states of the layer: of all gold answers, then of all predictions."""
        texts = [gold.strip() for gold, _ in pairs] + [pred.strip() for _, pred in pairs]
        return Request(texts, self.max_length, layer=self.layer)

    def score_encoding(self, pairs: Sequence[Pair], encoding: Encoding) -> FloatArray:
        """Return the measure of each pair, shape (n,)."""
        precision, recall = self._precision_recall(len(pairs), encoding)
        check_finite(precision + recall, pairs, self.signature)  # because a measure could turn nan into 0
        chosen = {"precision": precision, "recall": recall}.get(self.measure)
        if chosen is None:
            total = precision + recall
            defined = precision * recall > 0 if self.measure == "bounded-f1" else total != 0
            chosen = np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=defined)
        if self.baseline is not None:
            base = float(getattr(self.baseline, self.measure.removeprefix("bounded-")))
            chosen = (chosen - base) / (1 - base)
        return chosen

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        """Return one number per pair, in order, shape (n,)."""
        return score_shared([self], pairs)[0]

    def _precision_recall(self, n: int, encoding: Encoding) -> tuple[FloatArray, FloatArray]:
        """Return both measures of every pair. Pairs of the same two lengths are compared together, without padding."""
        assert encoding.states is not None
        gold_length, pred_length = encoding.length[:n], encoding.length[n:]
        gold_row, pred_row = encoding.row[:n], encoding.row[n:]
        precision, recall = np.empty(n), np.empty(n)
        with forward_pass():
            units = {size: _units(states) for size, states in encoding.states.items()}
        weights = {size: self._weights(encoding, size) for size in units}
        shapes = gold_length * (pred_length.max(initial=0) + 1) + pred_length
        for shape in np.unique(shapes):
            alike = np.flatnonzero(shapes == shape)
            g, p = int(gold_length[alike[0]]), int(pred_length[alike[0]])
            size = max(1, _MOST // ((g + p) * units[g].shape[-1] + g * p))
            for start in range(0, len(alike), size):
                at = alike[start : start + size]
                with forward_pass():
                    for_gold, for_pred = _best(units[g][gold_row[at]], units[p][pred_row[at]])
                recall[at] = _mean(for_gold, weights[g][gold_row[at]])
                precision[at] = _mean(for_pred, weights[p][pred_row[at]])
                empty_gold = ~encoding.content[g][gold_row[at]].any(axis=1)
                empty_pred = ~encoding.content[p][pred_row[at]].any(axis=1)
                for column in (precision, recall):
                    column[at[empty_gold | empty_pred]] = 0.0
                    column[at[empty_gold & empty_pred]] = 1.0
        return precision, recall

    def _weights(self, encoding: Encoding, size: int) -> FloatArray:
        """Return the weight of each token of each text of this length, (texts, length)."""
        if self.idf is None:
            return encoding.content[size].astype(np.float64)
        idf, unseen = self.idf.idf, self.idf.unseen
        ids = encoding.tokens[size]
        return np.array([idf.get(int(token), unseen) for token in ids.ravel()]).reshape(ids.shape)


def default_layer(encoder: Transformer, model: str) -> int:
    """Return the layer in the table of ``bert_score`` for a model that it contains, else the last layer."""
    try:
        with importing("bert_score.utils"):
            from bert_score.utils import model2layers
    except ImportError:
        return encoder.layers
    return min(int(model2layers.get(model, encoder.layers)), encoder.layers)


def inverse_document_frequencies(encoder: Transformer, references: Sequence[str]) -> Weights:
    """Return the weight of each token: the logarithm of (references + 1) / (references that contain it + 1).

    Source: Zhang et al. 2020, equation 5, with the plus-one smoothing of ``bert_score.get_idf_dict``.
    """
    if isinstance(references, str) or not references:
        raise ValueError("idf must be a corpus: give a non-empty sequence of reference texts, or leave it out")
    sequences = tokenize(encoder.checkpoint, [text.strip() for text in references], encoder.max_length).ids
    count = Counter(token for ids in sequences for token in set(ids))
    total = len(references)
    digest = hashlib.sha256(repr(sorted(count.items())).encode()).hexdigest()[:12]
    return Weights(
        f"{total} texts@{digest}",
        {token: math.log((total + 1) / (held + 1)) for token, held in count.items()},
        math.log(total + 1),
    )


def read_baseline(path: str | Path, layer: int) -> Baseline:
    """Read the row of this layer in a baseline file of ``bert_score`` (columns LAYER, P, R, F)."""
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(
            f"no baseline file at {path}; rescaling needs a baseline that was computed for this model"
        )
    with path.open(newline="", encoding="utf-8") as file:
        records = text_rows.csv_records(csv.reader(file), path)
        _, header = next(records, ("", []))
        for where, values in records:
            row = dict(zip(header, values, strict=False))
            if values and _number(row, "LAYER", where) == layer:
                precision, recall, f1 = (_baseline(row, column, where) for column in ("P", "R", "F"))
                return Baseline(sha256(path)[:12], precision, recall, f1)
    raise LookupError(f"{path} has no row for layer {layer}")


def _baseline(row: Mapping[str, str], column: str, where: str) -> float:
    value = _number(row, column, where)
    if not -1 < value < 1:
        raise ValueError(
            f"{where}: {column} is {row[column]}, but a baseline is the mean score of unrelated texts, between -1 and "
            f"1, both excluded; create the file again for this model"
        )
    return value


def _number(row: Mapping[str, str], column: str, where: str) -> float:
    try:
        return float(row[column])
    except (KeyError, ValueError):
        raise ValueError(
            f"{where}: {column} is {row.get(column)!r}, but a baseline file has the columns LAYER, P, R and F with a "
            "number in each"
        ) from None


def _units(states: Any) -> Any:
    """Return token states (n, l, d), of torch or numpy, divided by their norms."""
    if isinstance(states, np.ndarray):
        norms = np.sqrt(np.einsum("nld,nld->nl", states, states))
        return states / np.maximum(norms, np.float32(1e-12))[:, :, None]
    from torch.nn.functional import normalize

    return normalize(states, dim=-1)


def _best(gold: Any, pred: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the best similarity of each gold token, (k, g), and of each predicted one, (k, p), of k pairs."""
    if isinstance(gold, np.ndarray):
        products = gold @ pred.transpose(0, 2, 1)  # (k, g, p)
        return products.max(axis=2), products.max(axis=1)
    similar = gold @ pred.transpose(1, 2)
    return similar.amax(dim=2).cpu().double().numpy(), similar.amax(dim=1).cpu().double().numpy()


def _mean(best: NDArray[Any], weight: NDArray[np.float64]) -> FloatArray:
    """Return weighted means: (k, l) best similarities, (k, l) weights -> (k,); 0 if all weights are 0."""
    total = weight.sum(axis=1)
    summed = (best.astype(np.float64) * weight).sum(axis=1)
    return np.divide(summed, total, out=np.zeros_like(summed), where=total > 0)


def build(
    name: str,
    *,
    lang: str,
    profile: str | None,
    model: str | os.PathLike[str] | None = None,
    adapter: str | os.PathLike[str] | None = None,
    layer: int | None = None,
    measure: str = "bounded-f1",
    idf: Any = None,
    baseline: str | os.PathLike[str] | None = None,
    max_length: int | None = None,
    device: Device = Device(),
) -> Metric:
    """Build the BERTScore of this name."""
    encoder, weights = network(name, lang, profile, model, adapter, device)
    layer = weights.layer if layer is None else layer
    if layer is None:
        layer = default_layer(encoder, weights.model)
    if not 0 <= layer <= encoder.layers:
        raise ValueError(f"layer is {layer!r}, but {weights.model} has the layers 0 to {encoder.layers}")
    return BertScore(
        encoder,
        layer,
        length(max_length, encoder.max_length) or encoder.max_length,
        measure,
        None if idf is None else inverse_document_frequencies(encoder, idf),
        None if baseline is None else read_baseline(os.fspath(baseline), layer),
    )


BERTSCORE_VANILLA, BERTSCORE_TRAINED, BERTSCORE_NAMES, BERTSCORE_ANSWERS = (
    definition(f"bertscore-{data}", build) for data in ("vanilla", "trained", "names", "answers")
)
