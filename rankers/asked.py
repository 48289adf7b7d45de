"""A user's questions and candidates, without labels, from a table; and their ranking, to a table or a TREC file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from answersim import files
from answersim.files import Table
from rankers import runs, ties
from rankers.data.pools import Answer, Row, gathered, shelve
from rankers.types import Questions, Run

TREC = (".trec", ".run")
COLUMNS = ("question_id", "question", "rank", "score", "candidate_id", "candidate")


def read(path: Path) -> Questions:
    """The questions of a table (CSV, TSV, JSON lines, Parquet) with their candidates; every grade is 0.

    Either one row a candidate, in the columns ``question`` and ``candidate``, with ``question_id`` and
    ``candidate_id`` where there are such; rows of one question share its id, or without ids its text. Or one row a
    question, in the columns ``question`` and ``candidates``, a list of texts. An id that is not given is a hash of
    the text.

    Raises:
        FileNotFoundError: No such file.
        LookupError: No such columns; names those that the file has.
        ValueError: A suffix that cannot be read, no rows, a value that is no text, an empty question, an id that is
            empty, holds white space, comes twice for a question, or has two texts. Each names the row, from 1.
    """
    table = files.read(path)
    if not table.rows:
        raise ValueError(f"{path} holds no rows; it must hold questions and candidates")
    one_a_row = "candidates" not in table.columns
    questions = table.answers("question", path)
    answers = table.answers("candidate" if one_a_row else "candidates", path, several=not one_a_row)
    rows = list(_rows(table, path, questions, answers))
    return Questions(path.stem, "all", shelve(gathered(rows), path.stem, "all", 0), pool="given", source=str(path))


def check_output(path: Path) -> None:
    """Nothing, where a ranking can be written to this file; before any work.

    Raises:
        ValueError: A suffix that cannot be written.
        FileNotFoundError, PermissionError, IsADirectoryError: It cannot be written there.
    """
    if path.suffix.lower() not in TREC:
        if path.suffix.lower() not in files.READABLE:
            known = ", ".join((*files.READABLE, *TREC))
            raise ValueError(f"{path} has the suffix {path.suffix!r}; a ranking is written as: {known}")
        files.check_writable(path, Table(COLUMNS, []))
        return
    folder = path.resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {folder}; make it first")
    if path.is_dir():
        raise IsADirectoryError(f"{path} cannot be written: it is a folder; give the name of a file")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"{path} cannot be written: no file may be made in {folder}; choose another folder")


def write(run: Run, questions: Questions, path: Path) -> None:
    """This ranking in this file, by its suffix; it appears whole or not at all."""
    if path.suffix.lower() in TREC:
        runs.write_trec(run, path)
    else:
        files.write(Table(COLUMNS, list(ranking(run, questions))), path)


def ranking(run: Run, questions: Questions) -> Iterator[dict[str, Any]]:
    """One row a candidate of the run, the best of each question first, ranks from 1; the columns are ``COLUMNS``."""
    for question in questions:
        texts = {each.id: each.text for each in question.candidates}
        scores = run.scores.get(question.id, {})
        for rank, candidate in enumerate(ties.order(question.id, scores), start=1):
            values = (question.id, question.text, rank, scores[candidate], candidate, texts[candidate])
            yield dict(zip(COLUMNS, values, strict=True))


def best(run: Run, top: int) -> Run:
    """The run with the first ``top`` candidates of each question; ValueError for less than 1."""
    if top < 1:
        raise ValueError(f"top is {top}, but a ranking has at least 1 candidate a question")
    kept = {
        question: {each: scores[each] for each in ties.order(question, scores)[:top]}
        for question, scores in run.scores.items()
    }
    return run._replace(scores=kept)


def _rows(table: Table, path: Path, questions: list[str], answers: list[Any]) -> Iterator[Row]:
    """One row a candidate; ValueError for the row at which two contradict each other."""
    texts: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    for i, (question, given) in enumerate(zip(questions, answers, strict=True), start=1):
        where = f"{path}, row {i}"
        if not question.strip():
            raise ValueError(f"{where}: 'question' is {question!r}, but it must not be empty")
        name, own = (_id(table, i, column, where) for column in ("question_id", "candidate_id"))
        if name is not None and texts.setdefault(name, question) != question:
            raise ValueError(f"{where}: the question {name!r} has another text here than before")
        key = question if name is None else name
        if own is not None and (isinstance(given, list) or (key, own) in seen):
            why = "stands beside a list of candidates" if isinstance(given, list) else "comes twice for this question"
            raise ValueError(f"{where}: the candidate_id {own!r} {why}")
        if own is not None:
            seen.add((key, own))
        for text in given if isinstance(given, list) else [given]:
            yield Row(key=key, question=question, answer=Answer(text, 0, own), question_id=name)


def _id(table: Table, row: int, column: str, where: str) -> str | None:
    if column not in table.columns:
        return None
    value = table.rows[row - 1].get(column)
    shown = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not shown or shown.split() != [shown]:
        raise ValueError(f"{where}: {column!r} is {value!r}, but an id is not empty and holds no white space")
    return shown
