"""The data for the training of a cross-encoder: pools of training pairs, and the held-out sets."""

from __future__ import annotations

import numpy as np

from answersim.training.cross_encoder.inputs import Inputs, Pool, Teacher, without
from answersim.training.data.pairs import TrainingPair
from tools.weights.cross_encoder import teacher
from tools.weights.cross_encoder.recipe import MixtureRecipe, command
from tools.weights.pairs import mixture

# Sources whose pairs are all similar or all dissimilar form one held-out set together.
TOGETHER = {"verdicts": "answers", "aliases": "answers", "strangers": "answers"}
WITHOUT_TEST = frozenset(
    {"task7", "wordnet", "dates", "confusable", "negations", "roles", "amounts", "near", "details"}
)


def load(places: mixture.Places, recipe: MixtureRecipe) -> Inputs:
    """Return the pairs of the sources of the recipe. No training pair is in a held-out set, in either order.

    A single text may be on both sides: two questions can have one gold answer, and two synsets one word. The source of
    STS-B leaves its own held-out pairs out itself, which are not counted as removed.

    Raises:
        FileNotFoundError: If the folder or one of the files is missing.
        ValueError: If a file is empty, one of its rows is malformed, or no training pair is left of a source.
    """
    if not places.data.is_dir():
        raise FileNotFoundError(
            f"no data folder at {places.data}; name the folder that contains {mixture.STSB}/ and the others with "
            f"--data, "
            "or set $ANSWERSIM_DATA"
        )
    dev = held_out_sets(places, recipe, "dev")
    test = held_out_sets(places, recipe, "test")
    pools, removed = {}, 0
    for name, take in recipe.mixture:
        pairs = mixture.load(name, places, "train", recipe.seed)
        kept = without(pairs, [*dev.values(), *test.values()])
        if not kept:
            raise ValueError(f"every training pair of {name!r} is in dev or test too, so none is left to train on")
        removed += len(pairs) - len(kept)
        most = recipe.limit or (take * recipe.epochs if take else len(kept))
        kept = spread(kept, most)
        pools[name] = Pool(kept, min(take, recipe.limit) if recipe.limit else take)
    return Inputs(
        pools,
        dev,
        test,
        removed,
        mixture.hashes(recipe.sources, places),
        {"command": command(recipe)},
        _teacher(recipe) if recipe.teacher else None,
    )


def _teacher(recipe: MixtureRecipe) -> Teacher:
    metric = teacher.teacher(recipe)
    return Teacher(metric.signature, lambda pools, cache: teacher.labeled(pools, recipe, cache, metric))


def held_out_sets(places: mixture.Places, recipe: MixtureRecipe, split: str) -> dict[str, list[TrainingPair]]:
    """Return the sets of a split, dev or test, by name. Raise FileNotFoundError or ValueError as ``load``."""
    sets: dict[str, list[TrainingPair]] = {}
    for name in recipe.sources:
        if name not in mixture.UNLABELED and (split != "test" or name not in WITHOUT_TEST):
            pairs = mixture.load(name, places, split, recipe.seed)
            sets.setdefault(TOGETHER.get(name, name), []).extend(spread(pairs, recipe.limit or recipe.held_out))
    return sets


def spread(pairs: list[TrainingPair], most: int) -> list[TrainingPair]:
    """Return at most this many of the pairs, in order, evenly spaced from the first to the last."""
    if len(pairs) <= most:
        return pairs
    return [pairs[i] for i in np.linspace(0, len(pairs) - 1, most).astype(int)]
