"""ANTIQUE: non-factoid questions with graded answers, as a re-ranking of the judged pool."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rankers.data.corpus import Corpus, Counts, Request
from rankers.data.pools import Answer, CandidateRow, Group, blocks
from rankers.data.tables import document, grade, read_quoted
from rankers.types import Questions

_FOLDER = "ranking/antique"
_JUDGED = f"{_FOLDER}/judged-answers-500q.json"
_COUNTS = {"train": Counts(267, 3272, 2408), "dev": Counts(200, 2193, 1584), "test": Counts(200, 6589, 2530)}
_RELEVANT = 3
_GAINS = {1: 0, 2: 1, 3: 2, 4: 3}  # linear, from the second lowest grade on (the corpus' own readme)


def _read(request: Request) -> Questions:
    path = request.path(ANTIQUE.files[request.split][0])
    groups = _train(request, path) if request.split == "train" else _graded(path)
    return request.questions(path, groups, _COUNTS[request.split], relevant=_RELEVANT, gains=_GAINS)


def _graded(path: Path) -> Iterator[Group]:
    """Yield the questions of a file with the columns question, answer, binary label and grade, quoted as in CSV."""
    rows = []
    for line in read_quoted(path, 4):
        question, answer, _, label = line.cells
        rows.append(CandidateRow(question, question, Answer(answer, grade(label, line.where))))
    return blocks(rows)


def _train(request: Request, path: Path) -> Iterator[Group]:
    """Yield the judged questions that are not in dev or test and share at most a stray answer with those."""
    held_out = [group for split in ("dev", "test") for group in _graded(request.path(f"{_FOLDER}/{split}.tsv"))]
    questions = {_plain(group.text) for group in held_out}
    pools = [{_plain(answer.text) for answer in group.answers} for group in held_out]
    for question, judged in _mapping(path).items():
        answers = tuple(_answer(path, question, entry) for entry in judged)
        if _plain(question) not in questions and not _same_pool({_plain(answer.text) for answer in answers}, pools):
            yield Group(question, answers)


def _same_pool(answers: set[str], pools: list[set[str]]) -> bool:
    """Return whether most of these answers are those of one of the pools: the same question in another spelling."""
    return any(2 * len(answers & pool) > min(len(answers), len(pool)) for pool in pools)


def _plain(words: str) -> str:
    return " ".join(words.lower().split())


def _mapping(path: Path) -> dict[str, list[dict[str, Any]]]:
    content = document(path)
    if not all(isinstance(value, list) for value in content.values()):
        raise ValueError(f"{path} must be an object from each question to the list of its labeled answers")
    return content


def _answer(path: Path, question: str, judged: Any) -> Answer:
    where = f"{path}, an answer to {question!r}"
    if not isinstance(judged, dict) or not isinstance(judged.get("passage"), str):
        raise ValueError(f"{where}: {judged!r} has no text under 'passage'")
    return Answer(judged["passage"], grade(judged.get("label"), where))  # its own id begins with its author's question


ANTIQUE = Corpus(
    name="antique",
    about="non-factoid questions, answers graded 1-4 (3 and 4 relevant, gains grade - 1); the judged pool re-ranked",
    files={
        "train": (_JUDGED, f"{_FOLDER}/dev.tsv", f"{_FOLDER}/test.tsv"),
        "dev": (f"{_FOLDER}/dev.tsv",),
        "test": (f"{_FOLDER}/test.tsv",),
    },
    source="github xish9/SCAN @ 0abccf7 (dev, test); babyyang525/LINKAGE-Listwise-NFQA-Evaluation @ 097fdc5 (train)",
    license="research use (ANTIQUE, Hashemi et al. 2020, from Yahoo! Webscope L6)",
    read=_read,
)
