"""Semantic textual similarity: sentence pairs with a score of 0 to 5, read from the CSV files of STS-B."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from answersim._base.io.text_rows import records
from answersim.training.data.pairs import plain

HIGHEST = 5.0
SPLITS = ("train", "dev", "test")


class ScoredPair(NamedTuple):
    """Two sentences and their similarity by annotators: 0 (nothing in common) to 5 (the same meaning)."""

    first: str
    second: str
    score: float


def csv_path(folder: Path, language: str, split: str) -> Path:
    """Return the path of this split of stsb-multi-mt: ``<folder>/<language>-<split>.csv``."""
    return folder / f"{language}-{split}.csv"


def read_csv(path: Path) -> list[ScoredPair]:
    """Read the pairs of one CSV file without a header: sentence1, sentence2, score; in order, at least one.

    Raise FileNotFoundError if the file is missing. Raise ValueError if there are no rows, a row does not have three
    columns, a sentence is empty, or a score is not a number from 0 to 5.
    """
    if not path.is_file():
        raise FileNotFoundError(
            f"no STS-B file at {path}; the folder must contain <language>-train.csv, -dev.csv and -test.csv "
            "of stsb-multi-mt: name it with --data or through $ANSWERSIM_DATA/stsb"
        )
    pairs = [_pair(row, where) for where, row in records(path, ",")]
    if not pairs:
        raise ValueError(f"{path} is empty, but it must contain sentence pairs with scores; fetch the file again")
    return pairs


def sides(pairs: Sequence[ScoredPair]) -> tuple[list[str], list[str]]:
    """Return the first sentences and the second ones."""
    return [pair.first for pair in pairs], [pair.second for pair in pairs]


def without_overlap(pairs: Sequence[ScoredPair], *held_out: Iterable[ScoredPair]) -> list[ScoredPair]:
    """Return the pairs that are in none of the held-out sets, in order.

    Two pairs are equal if their sentences are equal, in either order, after NFKC and case folding, with letters and
    digits only: "A dog." is "a dog".
    """
    held = keys(pair for pairs_ in held_out for pair in pairs_)
    return [pair for pair in pairs if key(pair) not in held]


def keys(pairs: Iterable[ScoredPair]) -> set[frozenset[str]]:
    """Return the keys of these pairs."""
    return {key(pair) for pair in pairs}


def _pair(row: list[str], where: str) -> ScoredPair:
    if len(row) != 3:
        raise ValueError(f"{where}: {len(row)} columns, but there must be 3: sentence1, sentence2, score")
    first, second, score = row
    if not first.strip() or not second.strip():
        raise ValueError(f"{where}: one of the two sentences is empty")
    try:
        number = float(score)
    except ValueError:
        number = math.nan
    if not 0 <= number <= HIGHEST:
        raise ValueError(f"{where}: the score is {score!r}, but it must be a number from 0 to {HIGHEST:g}")
    return ScoredPair(first, second, number)


def key(pair: ScoredPair) -> frozenset[str]:
    """Return what is equal for pairs that ``without_overlap`` calls equal."""
    return frozenset(plain(text) for text in (pair.first, pair.second))
