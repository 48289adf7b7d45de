"""A trained network as a ranker, and the folder it is kept in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from answersim.checkpoints import read_json
from answersim.concurrency import alone
from answersim.files import replacing
from rankers import networks, scoring, words
from rankers.scoring import Lengths
from rankers.types import FloatArray
from rankers.words import Ground, Inputs

CONFIG, WEIGHTS = "config.json", "model.safetensors"


@dataclass(frozen=True)
class NeuralRanker:
    """A network with its words.

    Attributes:
        signature: Names the system, its settings, its words and its weights.
        kind: The network's name in ``rankers.networks``.
        settings: The network's settings.
        ground: Its words and their vectors.
        lengths: How many words of a question and an answer it reads.
        network: Its weights.
        facts: How it came to be: the recipe, the data, the versions.
    """

    signature: str = field(init=False)
    kind: str = field(compare=False)
    settings: Any = field(compare=False)
    ground: Ground = field(compare=False)
    lengths: Lengths = field(compare=False)
    network: nn.Module = field(compare=False, repr=False)
    facts: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Make the signature, and leave the mode of training: threads that rank share the network."""
        self.network.eval()
        settings = json.dumps(networks.to_dict(self.settings), sort_keys=True)
        parts = (
            self.kind,
            f"settings:{sha256(settings.encode()).hexdigest()[:12]}",
            f"words:{self.ground.fingerprint}",
            f"length:{self.lengths.question}/{self.lengths.answer}",
            f"weights:{fingerprint(self.network)}",
        )
        object.__setattr__(self, "signature", "|".join(parts))

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]], /) -> list[FloatArray]:
        """One score a candidate, in order: for question i an array of shape (len(candidates[i]),).

        Raises:
            ValueError: There are not as many lists of candidates as questions.
        """
        if len(questions) != len(candidates):
            raise ValueError(
                f"{len(questions)} questions came with {len(candidates)} lists of candidates; give one each"
            )
        place: dict[str, int] = {}
        answers = np.array([place.setdefault(text, len(place)) for each in candidates for text in each], dtype=np.int64)
        sizes = [len(each) for each in candidates]
        asked = np.repeat(np.arange(len(questions)), sizes)
        texts = scoring.encode(self.ground.vocabulary, list(questions), list(place), self.lengths)
        found = scoring.scores(self.network, texts, asked, answers)
        return np.split(found, np.cumsum(sizes)[:-1]) if sizes else []


def build(kind: str, settings: Any, ground: Ground, seed: int) -> nn.Module:
    """A fresh network of this kind on this ground; its start follows from the seed alone."""
    with alone(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return networks.network(kind)(settings, ground.embedding())


def save(ranker: NeuralRanker, folder: Path) -> None:
    """Keep a ranker as a folder: config.json, model.safetensors, and its words where those were learned."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    words.save(ranker.ground, folder)
    with replacing(folder / WEIGHTS) as draft:
        save_file(weights(ranker.network), draft)
    config = {
        "kind": ranker.kind,
        "settings": networks.to_dict(ranker.settings),
        "words": ranker.ground.inputs.to_dict() | {"fingerprint": ranker.ground.fingerprint},
        "lengths": ranker.lengths._asdict(),
        "signature": ranker.signature,
        "facts": dict(ranker.facts),
    }
    with replacing(folder / CONFIG) as draft:
        draft.write_text(json.dumps(config, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def load(folder: Path) -> NeuralRanker:
    """The ranker that ``save`` put into this folder.

    Raises:
        FileNotFoundError: One of its files is not there; names it.
        ValueError: One of its files is damaged, or the words it stands on, or its weights, are others than those it was
            kept with.
    """
    if not (folder / CONFIG).is_file():
        raise FileNotFoundError(f"{folder} holds no ranker: it has no {CONFIG}; give a folder that one was saved to")
    config = read_json(folder / CONFIG)
    inputs = {key: value for key, value in config["words"].items() if key != "fingerprint"}
    ground = words.load(Inputs(**inputs), folder)
    settings = networks.from_dict(config["kind"], config["settings"])
    network = build(config["kind"], settings, ground, seed=0)
    try:
        network.load_state_dict(words.tensors(folder / WEIGHTS))
    except RuntimeError as error:
        raise ValueError(f"{folder / WEIGHTS} does not fit {folder / CONFIG} ({error}); train it again") from error
    ranker = NeuralRanker(config["kind"], settings, ground, Lengths(**config["lengths"]), network, config["facts"])
    if ranker.signature != config["signature"]:
        raise ValueError(
            f"{folder} was kept as {config['signature']!r}, but what was found makes {ranker.signature!r}: its weights "
            "or words were changed; train it again"
        )
    return ranker


def weights(network: nn.Module) -> dict[str, Tensor]:
    """What is to be kept of a network: its parameters by name, without tables that can be found again."""
    return {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}


def fingerprint(network: nn.Module) -> str:
    """A hash of a network's weights, 12 hexadecimal digits."""
    digest = sha256()
    for name, tensor in sorted(weights(network).items()):
        digest.update(name.encode() + tensor.numpy().tobytes())
    return digest.hexdigest()[:12]
