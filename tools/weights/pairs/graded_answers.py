"""Graded answers of pupils and students as pairs with a reference answer, and answers that a language model wrote."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from answersim.answers.text.tokens import tokenizer
from answersim.metrics.lexical.f1 import f1
from answersim.training.data.pairs import TrainingPair
from tools.tables import table
from tools.weights.pairs.draws import split_of

TASK7 = "train/semeval2013-task7/semeval-3way.zip"
FOLDER = "training/3way/"  # the test questions are never read
# "incorrect" answers are on topic but not right; "contradictory" answers contradict the reference.
LABELS = {"correct": 1.0, "incorrect": 0.2, "contradictory": 0.0}
DEV = 0.15  # the share of the questions that are in dev, by the SHA-256 of their text
GOOD = ("BEST", "GOOD")  # references of Beetle are graded themselves: MINIMAL ones contain too little to compare with
# The file of each source, its language, its best grade, and the questions that are held out, by split.
FILES: Mapping[str, Any] = table(__file__, "graded.json")
WRITTEN = ("de", "fr", "es", "ja", "zh")  # the languages of written answers, besides English
WRITTEN_DEV = 0.12  # the share of their questions that are in dev


def graded_pairs(data: Path, split: str) -> list[TrainingPair]:
    """Return the graded answers of this split in file order, each with the reference that shares most words with it.

    Answers to one question are in one split. Raise ValueError if the file is not the archive of the 3-way task.
    """
    pick, pairs, archive = tokenizer("en"), [], data / TASK7
    with zipfile.ZipFile(archive) as opened:
        names = sorted(name for name in opened.namelist() if FOLDER in name and name.endswith(".xml"))
        if not names:
            raise ValueError(f"{archive} has no file in {FOLDER}; is it the archive of the 3-way task?")
        for root in (ElementTree.fromstring(opened.read(name)) for name in names):
            question = _one_line(root.findtext("questionText"))
            graded = [element for element in root.iter("referenceAnswer") if element.get("category", "BEST") in GOOD]
            references = [_one_line(element.text) for element in graded if element.text]
            for element in root.iter("studentAnswer") if split_of(question, DEV) == split else ():
                answer, grade = _one_line(element.text), element.get("accuracy", "")
                if answer:
                    shared = [f1(pick(reference), pick(answer)) for reference in references]
                    nearest = references[shared.index(max(shared))]
                    pairs.append(TrainingPair(nearest, answer, LABELS[grade], split, f"task7:{grade}", question))
    return pairs


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())


def graded_file(source: str, data: Path, split: str) -> list[TrainingPair]:
    """Return the graded answers of a source of ``FILES`` in file order, each with its first reference."""
    file, language, highest, held_out = FILES[source]
    pairs = []
    for row in map(json.loads, (data / file).read_text("utf-8").splitlines()):
        part = held_out.get(row.get("qid") or row["q_id"], "train")
        gold = _one_line(row["gold"][0] if "gold" in row else row["reference1"])
        answer = _one_line(row["pred"] if "pred" in row else row["answer"])
        if part == split and answer and gold:
            label, asked = float(row["score"]) / highest, _one_line(row["question"])
            pairs.append(TrainingPair(gold, answer, label, split, f"graded:{language}", asked))
    return pairs


def written_pairs(languages: Sequence[str], split: str) -> list[TrainingPair]:
    """Return the answers of this split and these languages that a language model wrote for this project, in file order.

    Of each question, four are right and four wrong. The gold answer decides: a third of the questions are about
    invented things. The texts of a test part have other writers than those of train and dev.
    """
    return [
        TrainingPair(gold, text, label, split, f"written:{lang}", question)
        for part, lang, question, gold, *texts in table(__file__, "written.tsv")
        if lang in languages and split == (split_of(question, WRITTEN_DEV) if part == "train" else part)
        for text, label in zip(texts, [1.0] * 4 + [0.0] * 4, strict=True)
    ]
