r"""Train a cross-encoder that ships: an adapter on a base, from the pairs of its column in ``mixture.tsv``.

    python -m tools.weights.cross_encoder sas --output runs/sas
    python -m tools.weights.cross_encoder sas-answers --start runs/sas/adapter --output runs/sas-answers

The same command resumes an interrupted training. ``--size smoke`` takes 24 pairs of each source. The folder of data
sets is ``$ANSWERSIM_DATA``. What a group of sources gives, by a tenth of the pairs, drawn by the seed:

    python -m tools.weights.cross_encoder sas-answers-further --size ablation --leave-out words --seed 1 \
      --start answersim/metrics/neural/adapters/sas-minilm --output runs/ablation
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from answersim._base.errors import unknown
from answersim._base.runtime import progress
from answersim._base.runtime.cli_errors import user_errors
from answersim.training.cross_encoder.inputs import Inputs, Pool, without
from answersim.training.cross_encoder.options import run
from answersim.training.cross_encoder.recipe import CrossEncoderRecipe
from answersim.training.cross_encoder.train import train as train_cross_encoder
from answersim.training.data.pairs import TrainingPair
from benchmarks.options import run_program
from tools.tables import table
from tools.weights.pairs import mixture
from tools.weights.pairs.mixture import GROUPS, Mixture, Places

PROGRAM = "python -m tools.weights.cross_encoder"
FULL, SMOKE = "full", "smoke"
SIZES: Mapping[str, Mapping[str, Any]] = {
    FULL: {},
    SMOKE: {"epochs": 1, "limit": 24, "held_out": 12, "checkpoint_every": 20, "evaluate_every": 0},
    "ablation": {"epochs": 1, "share": 0.1, "held_out": 150, "precision": "bf16"},
}
# The trainings: base, network to start from, folder of the adapter if it ships, and recipe.
NETWORKS: Mapping[str, Mapping[str, Any]] = table(__file__, "networks.json")


@dataclass(frozen=True)
class MixtureRecipe(CrossEncoderRecipe):
    """The settings of a training on a mixture; see also ``CrossEncoderRecipe``."""

    # the sources of training pairs, and how many pairs an epoch takes of each; 0 for all, each once
    mixture: Mixture = (("sts", 0),)
    held_out: int = 1500  # the maximum number of pairs of a held-out set, which is scored at each evaluation
    share: float = 1.0  # of the pairs that an epoch takes of each source, drawn by the seed if it is below 1
    leave_out: str = ""  # a group of sources that are not trained on; their held-out sets are scored


def recipe_of(network: str, size: str, **settings: Any) -> MixtureRecipe:
    """Return the recipe of a network, with these settings."""
    for kind, name, known in (("network", network, NETWORKS), ("size", size, SIZES)):
        if name not in known:
            raise unknown(kind, name, known)
    sources = mixture.mixture_of(network)
    if (group := settings.get("leave_out")) and group not in (groups := {GROUPS[source] for source, _ in sources}):
        raise unknown("group of sources", group, groups)
    return MixtureRecipe(mixture=sources, **{**NETWORKS[network]["recipe"], **SIZES[size], **settings})


def load(places: Places, recipe: MixtureRecipe, command: str) -> Inputs:
    """Return the pairs of the sources of the recipe. No training pair is in a held-out set, in either order.

    A single text may be on both sides: two questions can have one gold answer. An epoch takes other pairs of a source
    than the epoch before, as far as there are enough. Raise ValueError if no training pair is left of a source.
    """
    held: dict[str, dict[str, list[TrainingPair]]] = {"dev": {}, "test": {}}
    for split, sets in held.items():
        for name, _ in recipe.mixture:  # made sources have no test split
            if pairs := mixture.load(name, places, split, empty=split == "test"):
                sets[name] = spread(pairs, recipe.limit or recipe.held_out)
    pools, removed, held_out = {}, 0, [*held["dev"].values(), *held["test"].values()]
    for name, take in (row for row in recipe.mixture if GROUPS[row[0]] != recipe.leave_out):
        pairs = mixture.load(name, places, "train")
        if not (kept := without(pairs, held_out)):
            raise ValueError(f"every training pair of {name!r} is in dev or test too, so none is left to train on")
        removed += len(pairs) - len(kept)
        if recipe.share < 1:  # the same pairs of a source, whatever group is left out
            take = math.ceil((take or len(kept)) * recipe.share)
            kept = [kept[i] for i in np.random.default_rng(recipe.seed).permutation(len(kept))]
        kept = spread(kept, recipe.limit or (take * recipe.epochs if take else len(kept)))
        pools[name] = Pool(kept, min(take, recipe.limit) if recipe.limit else take)
    files = mixture.hashes([name for name, _ in recipe.mixture], places)
    return Inputs(pools, held["dev"], held["test"], removed, files, {"command": command})


def spread(pairs: Sequence[TrainingPair], most: int) -> list[TrainingPair]:
    """Return at most this many of the pairs, in order, evenly spaced from the first to the last."""
    if len(pairs) <= most:
        return list(pairs)
    return [pairs[i] for i in np.linspace(0, len(pairs) - 1, most).astype(int)]


def train(
    recipe: MixtureRecipe, places: Places, output: Path, *, base: str, start: Path | None = None, command: str = ""
) -> Path:
    """Train by a recipe, and return the folder of the adapter: see ``answersim.training.cross_encoder.train``."""
    inputs, reads = lambda: load(places, recipe, command), {"data": places.data, "dictionary": places.dictionary}
    return train_cross_encoder(recipe, inputs, output, reads=reads, base=base, start=start, resume=True, test=False)


def main(
    network: Annotated[str, typer.Argument(help=f"One of {', '.join(NETWORKS)}.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the training checkpoint and the adapter.")],
    size: Annotated[str, typer.Option(help="full, smoke for a test run, or ablation.")] = FULL,
    start: Annotated[Path | None, typer.Option(help="Folder of an adapter to start from.")] = None,
    leave_out: Annotated[str, typer.Option(help="A group of sources of the network that are not trained on.")] = "",
    seed: Annotated[int, typer.Option(help="Seed of the training.")] = 0,
) -> None:
    """Train the adapter of a network."""
    with user_errors(), progress.progress(True):
        recipe, places = recipe_of(network, size, leave_out=leave_out, seed=seed), Places(mixture.default_data())
        base, given = NETWORKS[network]["base"], {"size": size, "start": start, "leave-out": leave_out, "seed": seed}
        command = " ".join([PROGRAM, network, *(f"--{name} {v}" for name, v in given.items() if v and v != FULL)])
        run(lambda: train(recipe, places, output, base=base, start=start, command=command))


if __name__ == "__main__":
    run_program(main)
