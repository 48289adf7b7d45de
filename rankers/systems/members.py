"""The part of a finished training that ranks: its model, its generator, or a committee of intermediate states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import rankers.models  # isort: skip  # noqa: F401 # before torch, whose threads then wait passively
import torch
from torch import nn

from answersim._base.errors import unknown
from answersim._base.runtime import training_checkpoints
from answersim.metrics.checkpoints import search
from rankers.models import neural_ranker, store
from rankers.models.combinations import Committee
from rankers.models.folders import CONFIG
from rankers.models.neural_ranker import NeuralRanker
from rankers.modules import scoring
from rankers.systems.catalog import HISTORY, MODEL
from rankers.training.objective import Epoch
from rankers.training.trainer import best_of
from rankers.types import Ranker

GENERATOR, MEMBERS = "generator", "members"
SIGNS = "signs"
COMMITTEES = ("committee", "uniform", "best-member")
BEST_EPOCH = "best-epoch"


class Members:
    """A hook that saves the weights of the start, of every ``every``-th epoch, and of the last one.

    Files in the folder before the start are removed, as they are members of an abandoned training.
    """

    def __init__(self, folder: Path, every: int, last: int) -> None:
        """Save members in this folder, of each ``every``-th epoch and of the epoch with the number ``last``."""
        self.folder, self.every, self.last = folder, every, last

    def __call__(self, epoch: Epoch, network: nn.Module) -> None:
        """Save the weights if this epoch is a member."""
        if epoch.epoch == 0:
            for old in self.folder.glob("epoch-*.safetensors"):
                old.unlink()
        if epoch.epoch % self.every == 0 or epoch.epoch == self.last:
            path = self.folder / f"epoch-{epoch.epoch:02d}.safetensors"
            training_checkpoints.save(path, neural_ranker.weights(network), {"epoch": epoch.epoch, "dev": epoch.dev})


def ranker(home: Path, ranks: str, calibration: str = "none", device: torch.device | None = None) -> Ranker:
    """Return the part of the finished training in this folder that ranks, on a device; on the CPU if None.

    ``ranks`` is as in ``rankers.training.definitions.Trained``, and ``calibration`` that of a committee.
    """
    if ranks in (MODEL, GENERATOR):
        return store.load(home / ranks, device)
    if ranks == BEST_EPOCH:
        return best_epoch(home, device)
    if ranks == SIGNS:
        return with_binary_codes(store.load(home / MODEL, device))
    return assemble(home, ranks, calibration, device)


def best_epoch(home: Path, device: torch.device | None = None) -> NeuralRanker:
    """Return the ranker of a finished training as it was after its best epoch on dev, of equal ones the first.

    Epoch 0, the start, counts. The weights are read from the last state of the training. Raise FileNotFoundError if the
    folder has no state of the training. Raise ValueError if the state is damaged.
    """
    final, path = store.load(home / MODEL, device), home / training_checkpoints.FILE
    if final.provenance["recipe"]["keep"] == "best":
        return final
    state = training_checkpoints.load(path)
    if state is None:
        raise FileNotFoundError(f"{path} does not exist, and only it has the weights of the best epoch; train it again")
    weights = dict(neural_ranker.weights(final.network)) | best_of(state.tensors)
    return _with_weights(final, weights, path, home / MODEL / CONFIG)


def assemble(home: Path, ranks: str, calibration: str, device: torch.device | None = None) -> Ranker:
    """Return the committee of a finished training, weighted by dev ("committee") or equally ("uniform"), or its best.

    The members are the saved states in the order of their epochs, the start first, and the final ranker, without
    duplicates. A weight is the dev measure of the member divided by the sum of all (committee paper, section 2.4). The
    best is the one with the highest dev measure, the first one if several are equal. Raise LookupError if ``ranks`` is
    none of these. Raise ValueError if the file of a member is damaged.
    """
    if ranks not in COMMITTEES:
        raise unknown("committee", ranks, COMMITTEES)
    final = store.load(home / MODEL, device)
    stored = [(path, training_checkpoints.load(path)) for path in (home / MEMBERS).glob("epoch-*.safetensors")]
    loaded = [(path, checkpoint) for path, checkpoint in stored if checkpoint is not None]
    members: dict[str, tuple[float, Ranker]] = {}
    for path, checkpoint in sorted(loaded, key=lambda pair: int(pair[1].metadata["epoch"])):
        member = _with_weights(final, checkpoint.tensors, path, home / MODEL / CONFIG)
        members.setdefault(member.signature, (float(checkpoint.metadata["dev"]), member))
    epochs = search.read_json(home / HISTORY)["epochs"]
    members.setdefault(final.signature, (float(epochs[final.provenance["chosen_epoch"]]["dev"]), final))
    if ranks == "best-member":
        return max(members.values(), key=lambda scored: scored[0])[1]
    weights = tuple(1.0 if ranks == "uniform" else value for value, _ in members.values())
    return Committee(tuple(member for _, member in members.values()), weights, calibration)


def with_binary_codes(ranker: NeuralRanker) -> NeuralRanker:
    """Return the same ranker of ADDAX, matching answers by the signs of their codes, one bit per number.

    Raise ValueError if it has no codes.
    """
    if not getattr(ranker.settings, "use_hashing", False):
        raise ValueError(f"a {ranker.kind} ranker without codes has no signs: give ADDAX, or a variant with hashing")
    config = replace(ranker.settings, codes="sign")
    network = neural_ranker.build(ranker.kind, config, ranker.inputs, 0)
    network.load_state_dict(ranker.network.state_dict())
    network.to(scoring.device_of(ranker.network))
    return NeuralRanker(ranker.kind, config, ranker.inputs, ranker.lengths, network, ranker.provenance)


def _with_weights(
    ranker: NeuralRanker, tensors: Mapping[str, torch.Tensor], source: Path, config: Path
) -> NeuralRanker:
    """Return the same ranker with these weights."""
    network = neural_ranker.build(ranker.kind, ranker.settings, ranker.inputs, 0)
    neural_ranker.put_weights(network, tensors, source, config)
    network.to(scoring.device_of(ranker.network))
    return NeuralRanker(ranker.kind, ranker.settings, ranker.inputs, ranker.lengths, network, ranker.provenance)
