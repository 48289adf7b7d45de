"""Graded answers of pupils and students: SemEval-2013 Task 7 as pairs of a reference answer and an answer."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from answersim.answers.text.tokens import tokenizer
from answersim.metrics.lexical.f1 import f1
from answersim.training.data.pairs import TrainingPair
from tools.weights.pairs.draws import split_of

ARCHIVE = "semeval-3way.zip"
FOLDER = "training/3way/"  # the test questions are never read
# "incorrect" answers are on topic but not right; "contradictory" answers contradict the reference.
LABELS = {"correct": 1.0, "incorrect": 0.2, "contradictory": 0.0}
DEV = 0.15


class Graded(NamedTuple):
    """A question, its reference answers (the best ones first), and one answer with the grade of a teacher."""

    question: str
    references: tuple[str, ...]
    answer: str
    grade: str


def graded_pairs(archive: Path, split: str) -> list[TrainingPair]:
    """Return the graded answers of this split in file order, each with the reference that shares most words with it.

    Correct answers have the label 1, incorrect ones .2, contradictory ones 0. 15 % of the questions, by the SHA-256 of
    their text, are in the split "dev", the others in "train". Answers to one question are in one split. Test files are
    not read. Raise ValueError if the file is not the archive of the 3-way task, or a grade is not one of the three.
    """
    pick = tokenizer("en")
    pairs = []
    for question, references, answer, grade in read_archive(archive):
        if split_of(question, DEV) != split or not answer.strip():
            continue
        nearest = max(references, key=lambda reference: f1(pick(reference), pick(answer)))
        pairs.append(TrainingPair(nearest, answer, LABELS[grade], split, f"task7:{grade}", question))
    return pairs


def read_archive(archive: Path) -> Iterator[Graded]:
    """Read every graded answer of the training files of the 3-way task, in order."""
    try:
        with zipfile.ZipFile(archive) as opened:
            names = sorted(name for name in opened.namelist() if FOLDER in name and name.endswith(".xml"))
            if not names:
                raise ValueError(f"{archive} has no file in {FOLDER}; is it the archive of the 3-way task?")
            for name in names:
                yield from _question(opened.read(name), f"{archive}, {name}")
    except zipfile.BadZipFile as error:
        raise ValueError(f"{archive} is not a zip archive ({error}); fetch it again") from error


def _question(xml: bytes, where: str) -> Iterator[Graded]:
    try:
        root = ElementTree.fromstring(xml)
    except ElementTree.ParseError as error:
        raise ValueError(f"{where}: not XML ({error})") from error
    question = " ".join((root.findtext("questionText") or "").split())
    # The references of Beetle are graded themselves: MINIMAL ones contain too little to compare with.
    references = tuple(
        " ".join(element.text.split())
        for element in root.iter("referenceAnswer")
        if element.text and element.get("category", "BEST") in ("BEST", "GOOD")
    )
    if not question or not references:
        raise ValueError(f"{where}: there must be a question with a reference answer; fetch the archive again")
    for element in root.iter("studentAnswer"):
        grade = element.get("accuracy", "")
        if grade not in LABELS:
            raise ValueError(f"{where}: the grade is {grade!r}, but it must be one of {', '.join(LABELS)}")
        yield Graded(question, references, " ".join((element.text or "").split()), grade)


SAF = {"de": "judged/saf-german-train.jsonl", "en": "judged/saf-english-train.jsonl"}
ADS = "judged/ads-chinese-train.jsonl"
# The questions that are held out, by file: for dev and for test. All answers to a question are in one split.
HELD_OUT: Mapping[str, Mapping[str, Sequence[str]]] = {
    "de": {"dev": ("3",), "test": ("6",)},
    "en": {"dev": ("12.1", "12.2", "12.3"), "test": ("6.1", "6.2", "6.3")},
    "zh": {"dev": ("013", "015"), "test": ("014", "019")},
}
_HIGHEST = 10  # the best grade in the Chinese file


def graded_file(path: Path, language: str, split: str) -> list[TrainingPair]:
    """Return the graded answers of SAF (German or English) or of the Chinese file, of this split, in file order.

    The label is the score from 0 to 1. Each answer is paired with its first reference. Raise FileNotFoundError if the
    file is missing.
    """
    pairs = []
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        question = row["qid"] if "qid" in row else row["q_id"]
        part = next((name for name, held in HELD_OUT[language].items() if question in held), "train")
        gold = " ".join((row["gold"][0] if "gold" in row else row["reference1"]).split())
        answer = " ".join((row["pred"] if "pred" in row else row["answer"]).split())
        label = float(row["score"]) / (1 if "qid" in row else _HIGHEST)
        if part == split and answer and gold:
            asked = " ".join(row["question"].split())
            pairs.append(TrainingPair(gold, answer, label, split, f"graded:{language}", asked))
    return pairs
