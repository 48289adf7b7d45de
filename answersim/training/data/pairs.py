"""Training pairs: two texts and their similarity; read, written, and split so that no entity is in two splits."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim._base.io import files
from answersim._base.io.output_files import suffix_of
from answersim._base.io.text_rows import located_rows
from answersim.stats.coefficients.weighted import Counts, pearson, spearman
from answersim.stats.intervals.resampling import bootstrap_counts

SPLITS = ("train", "dev", "test")
SHARES = (0.8, 0.1, 0.1)  # of these splits
_COLUMNS = ("first", "second", "label", "split", "source", "question")
_PAPERS = {  # the columns of the two files of the paper
    "names": (("name1", "name2", "score", "split"), ("name1", "name2", "score")),
    "numbers": (("number1", "number2", "score"),),
}


class TrainingPair(NamedTuple):
    """Two texts and their similarity from 0 (different) to 1 (the same). A label of None is left to a teacher."""

    first: str  # never empty; "None", "NA" and "null" are texts
    second: str  # as first
    label: float | None  # from 0 to 1, or None
    split: str = "train"  # train, dev or test
    source: str = ""  # the origin of the pair: alias, random, variant:initials, teacher:sas
    question: str = ""  # the question that both texts answer; "" if there is none


def read_pairs(path: Path) -> list[TrainingPair]:
    """Read the pairs of this CSV or TSV file, in order, at least one.

    Its columns are ``first``, ``second``, ``label`` and optionally ``split``, ``source`` and ``question``, in any
    order, or those of the files of the paper. Without a column ``split``, all pairs are of ``train``; an empty label is
    None. In the names file of the paper, aliases have the score 1 and a cross-encoder gave all other scores. Rows of
    these files without a second text are left out. Raise ValueError with the line for a malformed file.
    """
    read = [_pair(row, path, where) for where, row in located_rows(path)]
    if pairs := [pair for pair in read if pair is not None]:
        return pairs
    raise ValueError(f"{path} contains no pairs; a training set needs at least one")


def write_pairs(pairs: Sequence[TrainingPair], path: Path) -> None:
    """Write these pairs to this CSV or TSV file with all columns. The file is replaced as a whole or not at all."""
    if path.suffix.lower() not in (".csv", ".tsv"):
        raise ValueError(f"{path} has {suffix_of(path)}; pairs are written as .csv or .tsv")
    for i, pair in enumerate(pairs, start=1):
        check(pair, f"pair {i}")
    table = files.Table(_COLUMNS, [pair._asdict() for pair in pairs])
    files.check_writable(path, table)
    files.write(table, path)


def check(pair: TrainingPair, where: str) -> None:
    """Raise a ValueError that begins with ``where`` for a pair that cannot be trained on or labeled."""
    if not pair.first.strip() or not pair.second.strip():
        raise ValueError(f"{where}: one of the two texts is empty; leave such pairs out")
    if pair.label is not None and not 0 <= pair.label <= 1:
        raise ValueError(f"{where}: the label is {pair.label!r}, but it must be a number from 0 to 1, or empty")
    if pair.split not in SPLITS:
        raise ValueError(f"{where}: the split is {pair.split!r}, but it must be one of {', '.join(SPLITS)}")


def in_split(pairs: Sequence[TrainingPair], split: str) -> list[TrainingPair]:
    """Return the pairs of this split, in order. Raise ValueError for an unknown split."""
    if split not in SPLITS:
        raise ValueError(f"split is {split!r}, but it must be one of {', '.join(SPLITS)}")
    return [pair for pair in pairs if pair.split == split]


def check_enough(pairs: Sequence[TrainingPair]) -> None:
    """Raise ValueError unless there are pairs of train and of dev."""
    for split in ("train", "dev"):
        if not in_split(pairs, split):
            raise ValueError(
                f"there are no pairs of the split {split!r} among these {len(pairs):,}; a training needs train and "
                "dev: give more pairs or entities, or another split, which is that of the file with --keep-split and a "
                "new one without it"
            )


def labeled_splits(pairs: Sequence[TrainingPair]) -> dict[str, list[TrainingPair]]:
    """Return the pairs of each split, in order."""
    if waiting := sum(pair.label is None for pair in pairs):
        raise ValueError(f"{waiting:,} of {len(pairs):,} pairs have no label yet; let a teacher label them (--teacher)")
    check_enough(pairs)
    splits = {split: in_split(pairs, split) for split in SPLITS}
    if len({pair.label for pair in splits["dev"]}) < 2:
        raise ValueError(
            f"all {len(splits['dev']):,} dev pairs have the label {splits['dev'][0].label}, so they cannot choose "
            f"among evaluations; give dev pairs with other labels too"
        )
    return splits


def limited(pairs: Sequence[TrainingPair], limit: int) -> list[TrainingPair]:
    """Return at most this many pairs of each split, evenly spread, because files group them by label; 0 means all."""
    if not limit:
        return list(pairs)
    places = {split: [i for i, pair in enumerate(pairs) if pair.split == split] for split in SPLITS}
    sizes = {split: min(limit, len(indices)) for split, indices in places.items()}
    few = [places[split][i * len(places[split]) // size] for split, size in sizes.items() for i in range(size)]
    return [pairs[i] for i in sorted(few)]


def shared_texts(pairs: Sequence[TrainingPair]) -> dict[str, tuple[str, ...]]:
    """Return the texts that are in two or three splits, in order of appearance, with their splits."""
    splits: dict[str, set[str]] = {}
    for pair in pairs:
        for text in (pair.first, pair.second):
            splits.setdefault(text, set()).add(pair.split)
    return {text: tuple(sorted(in_, key=SPLITS.index)) for text, in_ in splits.items() if len(in_) > 1}


def resplit(pairs: Sequence[TrainingPair], *, rng: np.random.Generator) -> list[TrainingPair]:
    """Draw new splits by entity, in order, without pairs whose texts are in different splits.

    Pairs labeled 1 connect texts to entities, each of which is in one split. About .34 of the other pairs are left out.
    """
    edges = [(pair.first, pair.second) for pair in pairs if pair.label == 1]
    splits = split_of_texts(edges, [text for pair in pairs for text in pair[:2]], rng=rng)
    return [pair._replace(split=splits[pair.first]) for pair in pairs if splits[pair.first] == splits[pair.second]]


def split_of_texts(
    edges: Sequence[tuple[str, str]], texts: Sequence[str], *, rng: np.random.Generator
) -> dict[str, str]:
    """Return the split of every text, drawn by entity. Texts that edges connect, on any path, share a split."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    index = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    ends = np.array([[index[a], index[b]] for a, b in edges], dtype=np.int64).reshape(-1, 2).T
    graph = coo_array((np.ones(ends.shape[1], dtype=np.int8), (ends[0], ends[1])), shape=(len(index), len(index)))
    count, entity = connected_components(graph, directed=False)
    drawn = draw_splits(count, rng=rng)
    return {text: drawn[entity[i]] for text, i in index.items()}


def draw_splits(count: int, *, rng: np.random.Generator) -> list[str]:
    """Return the splits of this many items in random order, as close to the shares as whole numbers allow."""
    ends = [round(count * share) for share in (SHARES[0], SHARES[0] + SHARES[1])]
    ordered = [SPLITS[(i >= ends[0]) + (i >= ends[1])] for i in range(count)]
    return [ordered[i] for i in rng.permutation(count)]


def digest(pairs: Sequence[TrainingPair]) -> str:
    """Return the SHA-256 of these pairs, in order."""
    return sha256(json.dumps([list(pair) for pair in pairs], ensure_ascii=True).encode()).hexdigest()


def plain(text: str) -> str:
    """Return the text with letters and digits only, after NFKC and case folding: "A dog." is "a dog"; never empty."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    letters = "".join(character if character.isalnum() else " " for character in folded)
    return " ".join(letters.split()) or folded


def _pair(row: dict[str, str], path: Path, where: str) -> TrainingPair | None:
    """Return the pair of one row, or None for a row of the files of the paper that lacks a text."""
    columns = tuple(row)
    paper = next((name for name, header in _PAPERS.items() if columns in header), None)
    values = dict(zip(("first", "second", "label", "split"), row.values(), strict=False)) if paper else row
    if paper and not (values["first"].strip() and values["second"].strip()):
        return None
    _check_columns(values, path)
    label = _label(values["label"], where)
    if paper == "names":
        values["source"] = "alias" if label == 1 else "teacher:sas"
    pair = TrainingPair(**(values | {"label": label}))  # type: ignore[arg-type] # the columns are the fields
    check(pair, where)
    return pair


def _check_columns(values: dict[str, str], path: Path) -> None:
    missing = [name for name in _COLUMNS[:3] if name not in values]
    unknown = [name for name in values if name not in _COLUMNS]
    if missing or unknown:
        flaw = f"lacks the column {missing[0]!r}" if missing else f"has the column {unknown[0]!r}"
        raise ValueError(
            f"{path} {flaw}; pairs have the columns {', '.join(_COLUMNS[:3])} and optionally "
            f"{', '.join(_COLUMNS[3:])}, or those of the files of the paper"
        )


def _label(text: str, where: str) -> float | None:
    try:
        label = float(text) if text.strip() else None
    except ValueError:
        label = math.nan
    if label is not None and not 0 <= label <= 1:
        raise ValueError(f"{where}: the label is {text!r}, but it must be a number from 0 to 1, or empty")
    return label


def batches(lengths: Sequence[int], size: int, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Return the positions 0 to n - 1, each once, in shuffled batches of similar length: sorted in chunks of 40."""
    lengths_ = np.array(lengths)
    positions = rng.permutation(len(lengths_))
    ordered = []
    for start in range(0, len(positions), size * 40):
        chunk = positions[start : start + size * 40]
        chunk = chunk[np.argsort(lengths_[chunk], kind="stable")]
        ordered += [chunk[i : i + size] for i in range(0, len(chunk), size)]
    return [ordered[i] for i in rng.permutation(len(ordered))]


def label_agreement(scores: FloatArray, labels: FloatArray, counts: Counts | None = None) -> dict[str, FloatArray]:
    """Return "pearson" and "spearman" in each resample, (resamples,); -1, the lowest, if one side is constant."""
    named = {"pearson": pearson, "spearman": spearman}
    return {name: np.nan_to_num(coefficient(scores, labels, counts), nan=-1.0) for name, coefficient in named.items()}


def held_out(scores: FloatArray, labels: FloatArray) -> dict[str, Any]:
    """Return Pearson and Spearman of scores and labels, with 95 % percentile bootstrap intervals over pairs."""
    counts = bootstrap_counts(len(labels), 2000, np.random.default_rng(0))
    drawn = label_agreement(scores, labels, counts)
    values = {name: round(float(value), 4) for name, (value,) in label_agreement(scores, labels).items()}
    return values | {f"{name}_95": np.quantile(drawn[name], [0.025, 0.975]).round(4).tolist() for name in values}
