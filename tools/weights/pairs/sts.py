"""Sentence pairs of STS-B in English and ten translations; the labels are the similarity by annotators."""

from __future__ import annotations

from pathlib import Path

from answersim._base.io.text_rows import records
from answersim.training.cross_encoder.inputs import without
from answersim.training.data.pairs import SPLITS, TrainingPair

FOLDER = "stsb"
HIGHEST = 5.0  # the score of two sentences with the same meaning
OTHERS = ("de", "es", "fr", "it", "ja", "nl", "pl", "pt", "ru", "zh")
TURNS, STEP = 2, 3  # a row is read in two languages, three apart


def files(*languages: str) -> tuple[str, ...]:
    """Return the files of these languages below the folder of the data."""
    return tuple(f"{FOLDER}/{language}-{split}.csv" for language in languages for split in SPLITS)


def read(data: Path, language: str, split: str) -> list[TrainingPair]:
    """Return the pairs of one file, in order."""
    rows, source = records(data / FOLDER / f"{language}-{split}.csv"), f"sts:{language}"
    return [TrainingPair(first, second, float(score) / HIGHEST, split, source) for _, (first, second, score) in rows]


def english(data: Path, split: str) -> list[TrainingPair]:
    """Return the pairs in English. Training pairs that are in dev or test, in either order, are left out."""
    held = [read(data, "en", part) for part in ("dev", "test")] if split == "train" else []
    return without(read(data, "en", split), held)


def translated(data: Path, split: str) -> list[TrainingPair]:
    """Return the pairs in all other languages, each row in two of them, without rows that are in two splits."""
    pairs = {language: read(data, language, split) for language in OTHERS}
    rows = read(data, "en", split)
    alone = set(without(rows, [read(data, "en", part) for part in SPLITS if part != split]))
    kept = [i for i, pair in enumerate(rows) if pair in alone]
    return [pairs[OTHERS[(i + turn * STEP) % len(OTHERS)]][i] for turn in range(TURNS) for i in kept]
