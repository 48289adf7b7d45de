"""What a cross-encoder is trained on and evaluated with: pools of training pairs, and the held-out sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from answersim.training.data.pairs import TrainingPair, digest, labeled_splits, plain

SOURCE = "pairs"  # the name of the pool and of the held-out sets of a file of pairs


class Pool(NamedTuple):
    """Pairs of one source to draw from."""

    pairs: list[TrainingPair]  # the pairs
    take: int  # how many pairs an epoch takes; 0 for all, each once


class Inputs(NamedTuple):
    """The inputs of a training."""

    pools: dict[str, Pool]  # by source, the training pairs and how many of them an epoch takes
    dev: dict[str, list[TrainingPair]]  # the sets that decide which weights are the best, by name
    test: dict[str, list[TrainingPair]]  # the sets that are only reported, by name
    removed: int  # training pairs left out because they are in a held-out set, in either order
    # the SHA-256 of the data, by file or part. A training checkpoint of other data is not resumed.
    sha256: dict[str, str]
    metadata: dict[str, Any]  # further entries of recipe.json: the command, the files, the split


def from_pairs(pairs: Sequence[TrainingPair], metadata: Mapping[str, Any]) -> Inputs:
    """Return labeled pairs as the inputs of a training, without training pairs that are in dev or test."""
    splits = labeled_splits(pairs)
    train = without(splits["train"], [splits["dev"], splits["test"]])
    if not train:
        raise ValueError(
            f"all {len(splits['train']):,} training pairs are in dev or test too; give other pairs, or let the file be "
            "split again, without --keep-split"
        )
    return Inputs(
        pools={SOURCE: Pool(train, 0)},
        dev={SOURCE: splits["dev"]},
        test={SOURCE: splits["test"]} if splits["test"] else {},
        removed=len(splits["train"]) - len(train),
        sha256={SOURCE: digest(pairs)},
        metadata=dict(metadata),
    )


def without(pairs: Sequence[TrainingPair], held_out: Sequence[Sequence[TrainingPair]]) -> list[TrainingPair]:
    """Return the pairs that are in none of these sets, in either order. Only letters and digits are compared."""
    excluded = {_key(pair) for one_set in held_out for pair in one_set}
    return [pair for pair in pairs if _key(pair) not in excluded]


def _key(pair: TrainingPair) -> frozenset[str]:
    return frozenset(plain(text) for text in (pair.first, pair.second))
