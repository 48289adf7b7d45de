"""Train a cross-encoder that ships: an adapter on a base, from the pairs of its column in ``mixture.tsv``.

    python -m tools.weights.cross_encoder sas --output runs/sas
    python -m tools.weights.cross_encoder sas-answers --start runs/sas/adapter --output runs/sas-answers

The same command resumes an interrupted training. ``--size smoke`` takes 24 pairs of each source.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

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
from answersim.training.run.artifact import BASE
from benchmarks.options import run_program
from tools.weights.pairs import mixture
from tools.weights.pairs.mixture import Mixture, Places
from tools.weights.pairs.sts import FOLDER as STSB

PROGRAM = "python -m tools.weights.cross_encoder"
SIZES = ("full", "smoke")
SMOKE = {"epochs": 1, "limit": 24, "held_out": 12, "checkpoint_every": 20, "evaluate_every": 0}


@dataclass(frozen=True)
class MixtureRecipe(CrossEncoderRecipe):
    """The settings of a training on a mixture; see also ``CrossEncoderRecipe``."""

    # the sources of training pairs, and how many pairs an epoch takes of each; 0 for all, each once
    mixture: Mixture = (("sts", 0),)
    held_out: int = 1500  # the maximum number of pairs of a held-out set, which is scored at each evaluation

    def __post_init__(self) -> None:
        """Check every setting. Raise ValueError if one is out of its range, LookupError if a source is unknown."""
        super().__post_init__()
        self.check_positive(("held_out",))
        mixture.check_mixture(self.mixture)

    @classmethod
    def from_json(cls, settings: Mapping[str, Any]) -> MixtureRecipe:
        """Return the recipe in a recipe.json or a training checkpoint."""
        return cls(**{**settings, "mixture": tuple((name, take) for name, take in settings["mixture"])})


class Network(NamedTuple):
    """A network that ships: the name of its base, and its recipe without the mixture."""

    base: str
    recipe: MixtureRecipe


_JUDGMENTS = MixtureRecipe(
    epochs=2,
    learning_rate=6e-4,
    head_learning_rate=3e-4,
    settle=0,
    questions=0.85,
    reverse=0.1,
    dropout=0.05,
    warmup_ratio=0.05,
    max_length=128,
    held_out=120,
    precision="fp32",
    checkpoint_every=100,
    evaluate_every=700,
)
NETWORKS: Mapping[str, Network] = {
    "sas": Network(BASE, MixtureRecipe(epochs=3, learning_rate=1e-3, questions=0.3, held_out=400, precision="fp32")),
    "sas-answers": Network(BASE, _JUDGMENTS),
    "sas-answers-e5": Network(
        "e5-small-q4",
        replace(
            _JUDGMENTS,
            epochs=1,
            learning_rate=1e-3,
            head_learning_rate=1e-3,
            dropout=0.0,
            warmup_ratio=0.08,
            lora_r=16,
            lora_alpha=16.0,
            max_length=96,
            checkpoint_every=60,
            evaluate_every=0,
        ),
    ),
}


def recipe_of(network: str, size: str = "full", seed: int = 0) -> MixtureRecipe:
    """Return the recipe of a network. Raise LookupError if there is no such network or size."""
    if network not in NETWORKS:
        raise unknown("network", network, NETWORKS)
    if size not in SIZES:
        raise unknown("size", size, SIZES)
    changes: dict[str, Any] = dict(SMOKE) if size == "smoke" else {}
    return replace(NETWORKS[network].recipe, mixture=mixture.mixture_of(network), seed=seed, **changes)


def load(places: Places, recipe: MixtureRecipe, command: str) -> Inputs:
    """Return the pairs of the sources of the recipe. No training pair is in a held-out set, in either order.

    A single text may be on both sides: two questions can have one gold answer, and two synsets one word. An epoch takes
    other pairs of a source than the epoch before, as far as there are enough.

    Raises:
        FileNotFoundError: If the folder or one of the files is missing.
        ValueError: If a file is empty, one of its rows is malformed, or no training pair is left of a source.
    """
    if not places.data.is_dir():
        raise FileNotFoundError(
            f"no data folder at {places.data}; name the folder that contains {STSB}/ and the others with "
            "--data, or set $ANSWERSIM_DATA"
        )
    names = [name for name, _ in recipe.mixture]
    held = {split: held_out_sets(places, recipe, split) for split in ("dev", "test")}
    pools, removed = {}, 0
    for name, take in recipe.mixture:
        pairs = mixture.load(name, places, "train", recipe.seed)
        kept = without(pairs, [known for sets in held.values() for known in sets.values()])
        if not kept:
            raise ValueError(f"every training pair of {name!r} is in dev or test too, so none is left to train on")
        removed += len(pairs) - len(kept)
        kept = spread(kept, recipe.limit or (take * recipe.epochs if take else len(kept)))
        pools[name] = Pool(kept, min(take, recipe.limit) if recipe.limit else take)
    return Inputs(pools, held["dev"], held["test"], removed, mixture.hashes(names, places), {"command": command})


def held_out_sets(places: Places, recipe: MixtureRecipe, split: str) -> dict[str, list[TrainingPair]]:
    """Return the sets of a split, dev or test, by source. Made sources have no test split."""
    sets = {}
    for name, _ in recipe.mixture:
        if pairs := mixture.load(name, places, split, recipe.seed, empty=split == "test"):
            sets[name] = spread(pairs, recipe.limit or recipe.held_out)
    return sets


def spread(pairs: list[TrainingPair], most: int) -> list[TrainingPair]:
    """Return at most this many of the pairs, in order, evenly spaced from the first to the last."""
    if len(pairs) <= most:
        return pairs
    return [pairs[i] for i in np.linspace(0, len(pairs) - 1, most).astype(int)]


def train(
    recipe: MixtureRecipe,
    places: Places,
    output: Path,
    *,
    base: str = BASE,
    start: Path | None = None,
    command: str = "",
) -> Path:
    """Train by a recipe, and return the folder of the adapter: see ``answersim.training.cross_encoder.train``."""
    return train_cross_encoder(
        recipe,
        lambda: load(places, recipe, command),
        output,
        reads={"data": places.data, "dictionary": places.dictionary},
        base=base,
        start=start,
        resume=True,
        test=False,
    )


def main(
    network: Annotated[str, typer.Argument(help=f"One of {', '.join(NETWORKS)}.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the training checkpoint and the adapter.")],
    size: Annotated[str, typer.Option(help="full, or smoke for a test run.")] = SIZES[0],
    data: Annotated[Path | None, typer.Option(help="Folder of stsb/, judged/ ... Default: $ANSWERSIM_DATA.")] = None,
    dictionary: Annotated[Path, typer.Option(help="Folder of the dictionary files of WordNet.")] = mixture.DICTIONARY,
    start: Annotated[Path | None, typer.Option(help="Folder of an adapter to start from.")] = None,
    base: Annotated[str | None, typer.Option(help="A name or a folder. Default: the base of the network.")] = None,
    seed: Annotated[int, typer.Option(help="The random seed.")] = 0,
) -> None:
    """Train the adapter of a network."""
    with user_errors(), progress.progress(True):
        recipe, places = recipe_of(network, size, seed), Places(data or mixture.default_data(), dictionary)
        words = [network, *(["--seed", str(seed)] if seed else []), *(["--size", size] if size != SIZES[0] else [])]
        command, base = f"{PROGRAM} {shlex.join(words)}", base or NETWORKS[network].base
        run(lambda: train(recipe, places, output, base=base, start=start, command=command))


if __name__ == "__main__":
    run_program(main)
