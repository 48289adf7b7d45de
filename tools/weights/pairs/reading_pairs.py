"""Pairs from XQuAD: an answer with sentences that contain it or not, and with other short answers of its paragraph."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from answersim.training.data.pairs import TrainingPair
from tools.weights.pairs.draws import draw_one

LANGUAGES = ("ar", "de", "el", "en", "es", "hi", "ro", "ru", "th", "tr", "vi", "zh")
WITHOUT_SPACES = ("th", "zh")
Texts = Iterator[tuple[float, str]]  # with their labels
FOLDER = "xquad"
_PERIOD, _HELD_OUT = 6, {2: "dev", 5: "test"}  # of six articles, one is in dev and one in test, in every language
_LONGEST = 80  # characters of an answer
_END = re.compile(r"(?<=[.!?।؟;])\s+|(?<=[。！？])")
_THAI = 60  # the least characters of a piece of Thai text, which has no mark at the end of a sentence


def files(languages: Sequence[str]) -> list[str]:
    """Return the files of these languages below the folder of the data."""
    return [f"{FOLDER}/{language}.json" for language in languages]


def reading_pairs(data: Path, languages: Sequence[str], split: str, *, rng: np.random.Generator) -> list[TrainingPair]:
    """Return up to two right and two wrong pairs per question of this split and language."""
    return [
        TrainingPair(answer, text, label, split, f"xquad:{language}", question)
        for language, file in zip(languages, files(languages), strict=True)
        for question, answer, context, others in _questions(data / file, split)
        for label, text in _texts(answer, context, others, language, rng)
    ]


def _questions(path: Path, split: str) -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield the questions of a split with their answers, their paragraphs, and other answers in the paragraphs."""
    articles = enumerate(json.loads(path.read_text("utf-8"))["data"])
    of_split = (article for at, article in articles if _HELD_OUT.get(at % _PERIOD, "train") == split)
    for paragraph in (paragraph for article in of_split for paragraph in article["paragraphs"]):
        answers = [asked["answers"][0]["text"].strip() for asked in paragraph["qas"]]
        short = [answer for answer in answers if len(answer) <= _LONGEST]
        for asked, answer in zip(paragraph["qas"], answers, strict=True):
            if len(answer) <= _LONGEST:
                others = [other for other in short if not _shares(other, answer)]
                yield asked["question"].strip(), answer, paragraph["context"], others


def _texts(answer: str, context: str, others: Sequence[str], language: str, rng: np.random.Generator) -> Texts:
    """Yield a sentence and an excerpt with the answer, and a sentence, an excerpt or an answer without it."""
    parts = sentences(context, language)
    without = [part for part in parts if not _shares(part, answer)]
    if containing := [part for part in parts if answer in part]:
        yield 1.0, containing[0]
        if (excerpt := _excerpt(containing[0], answer, language, rng)) != answer:
            yield 1.0, excerpt
    if without:
        yield 0.0, draw_one(without, rng)
    if others:
        other = draw_one(others, rng)
        place = next((part for part in without if other in part), "")
        yield 0.0, _excerpt(place, other, language, rng) if place and rng.random() < 0.5 else other


def sentences(text: str, language: str) -> list[str]:
    """Split a paragraph into its sentences. Text in Thai is split at spaces into pieces of at least 60 characters."""
    if language != "th":
        return [part.strip() for part in _END.split(text) if part.strip()]
    parts = [""]
    for word in text.split():
        if len(parts[-1]) >= _THAI:
            parts.append("")
        parts[-1] = f"{parts[-1]} {word}".strip()
    return parts


def _excerpt(sentence: str, answer: str, language: str, rng: np.random.Generator) -> str:
    """Return the answer with one to five words (characters, if there are no spaces) before or after it."""
    (before, _, after), size = sentence.partition(answer), int(rng.integers(1, 6))
    if language in WITHOUT_SPACES:
        return (before[-2 * size :] + answer + after[: int(rng.integers(0, 4))]).strip()
    lead, tail = before.split(" ")[-size:], after.split(" ")[: int(rng.integers(0, 4)) if after else 0]
    return (" ".join(lead) + answer + " ".join(tail)).strip()


def _shares(one: str, other: str) -> bool:
    """Return whether one of the texts contains the other, by letters and digits."""
    first, second = (re.sub(r"\W", "", unicodedata.normalize("NFKC", text).casefold()) for text in (one, other))
    return not first or not second or first in second or second in first
