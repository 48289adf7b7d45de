"""Every kind of network by name, and a trained one as a ranker, whose signature is known before it scores texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from answersim._base.errors import unknown
from answersim._base.io import records
from answersim._base.runtime.concurrency import alone, drawing
from rankers.modules import scoring
from rankers.modules.scoring import Lengths
from rankers.modules.words import Inputs
from rankers.settings import to_json
from rankers.types import FloatArray

if TYPE_CHECKING:
    from torch import nn

    from rankers.modules.scoring import Embedding


# The module of rankers.models and the class in it. Its settings are the Config of the module.
KINDS: Mapping[str, tuple[str, str]] = {
    "match-pyramid": ("match_pyramid", "Network"),
    "dmn": ("dmn", "Network"),
    "man": ("man", "Network"),
    "qa-lstm": ("qa_lstm", "QaLstm"),
    "ctrn": ("ctrn", "Ctrn"),
    "self-attention": ("ggsa", "SelfAttention"),
    "scan": ("scan", "Network"),
    "addax": ("addax", "Network"),
    "late-interaction": ("late_interaction", "Network"),
    "hybrid": ("hybrid", "Network"),
}


def network(kind: str) -> type[nn.Module]:
    """Return the class of this kind of network, built from settings and an embedding; it maps a ``Batch`` to scores."""
    file, name = _place(kind)
    return getattr(import_module(f"rankers.models.{file}"), name)


def config(kind: str) -> Any:
    """Return the class of the settings of this kind: a frozen dataclass with ``paper()`` and ``cpu()``."""
    return _module(kind).Config


def from_json(kind: str, stated: Mapping[str, Any]) -> Any:
    """Return the settings of a network that ``answersim._base.io.records.to_json`` returned.

    Raise ValueError if this kind does not have a setting. The message names it.
    """
    return records.from_json(config(kind), stated, kind)


def adopts(kind: str) -> bool:
    """Return whether a network of this kind has additional parts, so that it is built anew before it adopts weights."""
    return hasattr(_module(kind), "adopt")


def adopt(kind: str, network: nn.Module, start: nn.Module) -> None:
    """Copy the weights of another network, except for the parts that the other network lacks.

    Raise ValueError if the other network lacks weights that are to be copied. The message names them.
    """
    _module(kind).adopt(network, start)


def plain(kind: str, network: nn.Module, settings: Any, embedding: Embedding) -> tuple[nn.Module, Any]:
    """Return the part of a trained network that ranks, without parts for training only, and its settings."""
    module = _module(kind)
    if not hasattr(module, "plain"):
        return network, settings
    stripped = module.plain(network, embedding)
    return stripped, stripped.config


def _module(kind: str) -> Any:
    return import_module(f"rankers.models.{_place(kind)[0]}")


def _place(kind: str) -> tuple[str, str]:
    if kind not in KINDS:
        raise unknown("network", kind, KINDS)
    return KINDS[kind]


@dataclass(frozen=True)
class NeuralRanker:
    """A network with its inputs."""

    signature: str = field(init=False)  # the signature of the system, its settings, its words and its weights
    kind: str = field(compare=False)  # the name of the network in ``KINDS``
    settings: Any = field(compare=False)  # the settings of the network
    inputs: Inputs = field(compare=False)  # the words of the network and their vectors
    lengths: Lengths = field(compare=False)  # the maximum numbers of words of a question and of an answer
    network: nn.Module = field(compare=False, repr=False)  # the network with its weights
    # the provenance of the network: the recipe, the data and the versions
    provenance: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Build the signature, and set the network to evaluation mode, so that no call has to."""
        self.network.eval()
        settings = json.dumps(to_json(self.settings), sort_keys=True)
        parts = (
            self.kind,
            f"settings:{sha256(settings.encode()).hexdigest()[:12]}",
            f"words:{self.inputs.fingerprint}",
            f"length:{self.lengths.question}/{self.lengths.answer}",
            f"weights:{fingerprint(self.network)}",
        )
        object.__setattr__(self, "signature", "|".join(parts))

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]], /) -> list[FloatArray]:
        """Return one score per candidate, in order: for question i an array of shape (len(candidates[i]),).

        Raise ValueError if the numbers of questions and of lists of candidates differ.
        """
        if len(questions) != len(candidates):
            raise ValueError(
                f"{len(questions)} questions came with {len(candidates)} lists of candidates; give one each"
            )
        place: dict[str, int] = {}
        answers = np.array([place.setdefault(text, len(place)) for pool in candidates for text in pool], dtype=np.int64)
        sizes = [len(pool) for pool in candidates]
        question_rows = np.repeat(np.arange(len(questions)), sizes)
        texts = scoring.encode(self.inputs.vocabulary, list(questions), list(place), self.lengths)
        scores = scoring.scores(self.network, texts, question_rows, answers)
        return np.split(scores, np.cumsum(sizes)[:-1]) if sizes else []


def build(kind: str, settings: Any, inputs: Inputs, seed: int) -> nn.Module:
    """Build a new network of this kind on these inputs. Its initial weights depend on the seed alone."""
    with drawing(), alone(), torch.random.fork_rng(devices=[]):  # torch has one random state for all threads
        torch.manual_seed(seed)
        return network(kind)(settings, inputs.embedding())


def put_weights(network: nn.Module, tensors: Mapping[str, Tensor], source: Path, config: Path) -> None:
    """Put the weights of a file into a network."""
    check_finite(tensors, str(source))
    try:
        network.load_state_dict(tensors)
    except (RuntimeError, TypeError, AttributeError) as error:
        raise ValueError(f"{source} does not fit {config} ({error}); train it again") from error


def check_finite(tensors: Mapping[str, Tensor], what: str) -> None:
    """Check that every number of these tensors is finite. Raise ValueError with the name of the tensor if not."""
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not torch.isfinite(tensor).all():
            raise ValueError(
                f"{what}: the weights {name!r} contain numbers that are not finite, and cannot score; train it again, "
                "with a lower learning_rate"
            )


def weights(network: nn.Module) -> dict[str, Tensor]:
    """Return the tensors of a network to save: its parameters by name, without tables that can be found again."""
    return {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}


def fingerprint(network: nn.Module) -> str:
    """Return a hash of a network's weights, 12 hexadecimal digits."""
    digest = sha256()
    for name, tensor in sorted(weights(network).items()):
        digest.update(name.encode() + tensor.numpy().tobytes())
    return digest.hexdigest()[:12]
