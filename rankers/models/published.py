"""Cross-encoders and bi-encoders: published ones by name, and loaded objects of sentence-transformers."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import answersim
from answersim._base.errors import CheckpointNotFoundError
from answersim.metrics.checkpoints import search, sentence_folder
from answersim.metrics.checkpoints.search import Checkpoint
from rankers.models.minilm import MiniLmBiEncoder
from rankers.types import FloatArray, Ranker


@dataclass(frozen=True)
class CrossEncoderObject:
    """A loaded ``sentence_transformers.CrossEncoder`` with one output, as a ranker."""

    model: Any = field(repr=False)  # the object. Its ``predict`` gets pairs of question and candidate.
    # the number of pairs per call; None for the default of the model
    batch_size: int | None = field(default=None, compare=False)

    @property
    def signature(self) -> str:
        """The signature, such as ``cross-encoder|model:ms-marco-MiniLM-L6-v2``, without a hash of the weights."""
        return f"cross-encoder|model:{_name(self.model)}"

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        pairs = [(q, text) for q, pool in zip(questions, candidates, strict=True) for text in pool]
        if not pairs:
            return [np.empty(0) for _ in questions]
        scores = np.asarray(self.model.predict(pairs, **_settings(self.batch_size)), dtype=np.float64)
        if scores.shape != (len(pairs),):
            raise ValueError(
                f"the cross-encoder {_name(self.model)} returned scores of the shape {scores.shape} for {len(pairs)} "
                "candidates, but a ranker needs one number per candidate; give a cross-encoder with one output"
            )
        return by_pool(scores, candidates)


@dataclass(frozen=True)
class SentenceTransformerObject:
    """A loaded ``SentenceTransformer`` as a ranker by its similarity of question and candidate."""

    # the object. Questions go through ``encode_query`` and candidates through ``encode_document``, which use the
    # prompts of the model if it has any.
    model: Any = field(repr=False)
    # the number of texts per call; None for the default of the model
    batch_size: int | None = field(default=None, compare=False)

    @property
    def signature(self) -> str:
        """The signature, such as ``bi-encoder|model:all-MiniLM-L6-v2``, without a hash of the weights."""
        return f"bi-encoder|model:{_name(self.model)}"

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        texts = list(dict.fromkeys(text for pool in candidates for text in pool))
        if not texts:
            return [np.empty(0) for _ in questions]
        places = {text: i for i, text in enumerate(texts)}
        settings = _settings(self.batch_size)
        queries = self.model.encode_query(list(questions), **settings)
        documents = self.model.encode_document(texts, **settings)
        similarity = np.asarray(self.model.similarity(queries, documents), dtype=np.float64)  # (questions, texts)
        return [similarity[i, [places[text] for text in pool]] for i, pool in enumerate(candidates)]


def of_object(model: Any, batch_size: int | None = None) -> Ranker | None:
    """Return the ranker of a loaded object of sentence-transformers, or None if it is neither of the two kinds."""
    if callable(getattr(model, "predict", None)) and hasattr(model, "tokenizer"):
        return CrossEncoderObject(model, batch_size)
    if callable(getattr(model, "encode_query", None)) and callable(getattr(model, "similarity", None)):
        return SentenceTransformerObject(model, batch_size)
    return None


def _settings(batch_size: int | None) -> dict[str, Any]:
    return {"show_progress_bar": False} | ({} if batch_size is None else {"batch_size": batch_size})


def by_pool(scores: FloatArray, candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
    """Split (all candidates,) into one array per question."""
    ends = np.cumsum([len(pool) for pool in candidates])
    return np.split(scores, ends[:-1]) if len(ends) else []


def _name(model: Any) -> str:
    """Return the name that a model was loaded by, or the name of its class."""
    card = getattr(model, "model_card_data", None)
    return str(getattr(card, "base_model", None) or getattr(card, "model_id", None) or type(model).__name__)


class Published(NamedTuple):
    """A model that ``rankers fetch`` offers."""

    revision: str  # the commit of its repository on the hub
    summary: str  # what it is, in a line
    query: str = ""  # the text before every question, if its card states one that its files do not contain
    document: str = ""  # the text before every candidate, likewise


def _published() -> Iterator[tuple[str, Published]]:
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield row.pop("name"), Published(**row)


# Never run here, because no hub can be reached: tests run small random models of the same architectures and settings.
PUBLISHED: Mapping[str, Published] = dict(_published())
_SHORT = {name.rpartition("/")[2]: name for name in PUBLISHED}


@dataclass(frozen=True)
class NamedCrossEncoder:
    """A cross-encoder with one output, with the activation of its configuration. No text is padded.

    Equal to ``CrossEncoder.predict`` of sentence-transformers within 1e-5.
    """

    name: str  # its folder, or its name
    device: str = field(default="auto", compare=False)  # the device of its network

    @property
    def signature(self) -> str:
        """The signature of the metric ``sas`` with these weights, which contains their fingerprint."""
        return self._metric().signature.replace("cross-encoder|", "cross-encoder-ranker|", 1)

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        pairs = [(q, text) for q, pool in zip(questions, candidates, strict=True) for text in pool]
        return by_pool(self._metric()(pairs) if pairs else np.empty(0), candidates)

    def _metric(self) -> Any:
        return answersim.metric("sas", model=self.name, order="gold-pred", device=self.device)


def full_name(name: str) -> str:
    """Return the name of a published model of which this is the end; any other name, or a folder, as it is."""
    return name if Path(name).is_dir() else _SHORT.get(name, name)


def by_name(name: str, device: str = "auto", *, network: bool = False) -> Ranker:
    """Return the ranker of a published model by its name, the end of its name, or its folder.

    A checkpoint for sequence classification is a cross-encoder, any other encoder is a bi-encoder. The prompts of a
    bi-encoder are those of ``PUBLISHED``, or else ``query`` and ``document`` in the prompts of its folder. ``network``:
    whether the model may be downloaded.
    """
    full = full_name(name)
    model = PUBLISHED.get(full)
    found = _found(full, None if model is None else model.revision, network)
    kinds = [str(kind) for kind in found.config.get("architectures") or []]
    if any(kind.endswith("ForSequenceClassification") for kind in kinds):
        labels = found.config.get("num_labels") or len(found.config.get("id2label") or (0, 1))
        if labels != 1:
            raise ValueError(
                f"{full} has {labels} outputs per pair, but a ranker needs one number per candidate; choose a "
                "cross-encoder with one label"
            )
        return NamedCrossEncoder(str(found.folder), device)
    if any("CausalLM" in kind or "ConditionalGeneration" in kind for kind in kinds):
        raise ValueError(f"{full} generates text ({kinds[0]}); choose a cross-encoder or a bi-encoder")
    stored = sentence_folder.read(found)
    if stored.similarity != "cosine":
        raise ValueError(
            f"{full} compares vectors by {stored.similarity!r}, but only the cosine is supported; choose another "
            "model, or give a loaded SentenceTransformer"
        )
    query, document = (model.query, model.document) if model and model.query else (stored.query, stored.document)
    if (query or document) and not stored.pools_prompt:
        raise ValueError(f"{full} leaves its prompts out of the pooling, which is not supported; choose another model")
    return MiniLmBiEncoder(str(found.folder), device=device, query=query, document=document)


def _found(name: str, revision: str | None, network: bool) -> Checkpoint:
    try:
        return search.find(name, network=network, revision=revision)
    except CheckpointNotFoundError as error:
        is_path = name.startswith((".", "~", os.sep)) or Path(name).exists()
        fetch = f", with 'rankers fetch {name}' on a machine with a network" if "/" in name and not network else ""
        remedy = f", such as {Path(name, 'model')}" if Path(name, "model").is_dir() else "" if is_path else fetch
        raise CheckpointNotFoundError(f"{error}{remedy}") from None
