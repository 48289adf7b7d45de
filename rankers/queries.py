"""Questions and candidates of a user, without labels, from a table, and their ranking to a table or a TREC file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from answersim._base.arguments import is_unicode
from answersim._base.io import files, output_files
from answersim._base.io.files import Table
from answersim._base.text_tables import Result, TextTable, counted
from answersim.answers.tables.answer_values import answers_of
from rankers.data.labeled import LISTED, Data, lists_of, names, source_of
from rankers.data.pools import Answer, CandidateRow, digest, gather, shelve
from rankers.data.tables import CANDIDATE_ID, CANDIDATE_IDS, QUESTION_ID, column_of, identifier
from rankers.data.trec import read_trec
from rankers.evaluation import runs, ties
from rankers.types import Questions, Run

TREC = (".trec", ".run")
COLUMNS = ("question_id", "question", "rank", "score", "candidate_id", "candidate")
_TEXTS = ("question", "candidate", "candidates")
_ROLES = ("question", "candidate", "question_id", "candidate_id")


class Queries(NamedTuple):
    """The questions of a table, and its other columns."""

    questions: Questions  # the questions with their candidates. Every grade is 0.
    columns: tuple[str, ...]  # the other columns of the table, in order. A ranking in a table keeps them.
    # the cells of these columns, by the ids of question and candidate
    values: Mapping[tuple[str, str], Mapping[str, Any]]
    # "question" and "candidate" if the table has no ids for them, so that their ids are hashes of the texts
    hashed: tuple[str, ...]
    unclear: str = ""  # the column ``id`` of a table with one row per candidate, if it may be either missing id


@dataclass(frozen=True, eq=False)
class Ranking(Result):
    """The ranked candidates of many questions."""

    run: Run  # the scores
    queries: Queries  # the questions, and the other columns of their table

    def summary(self) -> list[str]:
        """Return the numbers of questions and candidates in a sentence."""
        n = sum(map(len, self.run.scores.values()))
        return [
            f"{self.run.name} ranked {counted(n, 'candidate')} of {counted(len(self.queries.questions), 'question')}"
        ]

    def tables(self) -> list[TextTable]:
        """Return the table of the first 20 rows."""
        rows = self.records()[:20]
        names = ("question", "rank", "score", "candidate")
        shown = tuple(
            tuple(f"{row[name]:.4f}" if name == "score" else str(row[name]) for name in names) for row in rows
        )
        return [TextTable("", names, shown)]

    def records(self) -> list[dict[str, Any]]:
        """Return one row per candidate: ``COLUMNS``, then the other columns of the table; the best candidate first."""
        return list(ranking(self.run, self.queries))

    def write(self, path: str | Path) -> None:
        """Write the ranking in the format of the suffix: csv, tsv, jsonl, parquet or trec. Errors: ``check_output``."""
        check_output(Path(path))
        check_holds(self.queries, Path(path))
        write(self.run, self.queries, Path(path))


def read(data: Data, columns: Mapping[str, str] | None = None) -> Queries:
    """Read the questions of a table with their candidates: a file, a DataFrame, a Dataset, mappings or lists.

    A table has one row per candidate, in the columns ``question`` and ``candidate``, or one row per question, in the
    columns ``question`` and ``candidates``, a list of texts. The id of a question is in ``question_id``, ``qid`` or
    ``query_id``; of a candidate in ``candidate_id``, ``docid``, ``docno``, ``document_id``, ``answer_id``,
    ``passage_id`` or ``pid``. A table with one row per question may have the id of the question in ``id``, and the ids
    of its candidates in a list of the same length, in ``candidate_ids``, ``docids`` and so on. Case and underscores in
    these names do not matter. Rows of one question share its id, or without ids its text. An id that is not given is a
    hash of the text. All other columns are kept. ``columns`` has other names by role: question, candidate, question_id,
    candidate_id.

    Raise FileNotFoundError if there is no such file. Raise LookupError if a column is missing or a role is unknown.
    Raise ValueError if the suffix cannot be read, there are no rows, a value is not text, a question or a candidate is
    empty, a candidate without an id has the text of another candidate of its question, or an id is empty, contains
    white space, occurs twice for a question, or has two texts. The message names the row, from 1.
    """
    if isinstance(data, Questions):
        return Queries(data, (), {}, ())
    path, table = _table_of(data, columns)
    if not table.rows:
        raise ValueError(f"{path} contains no rows; it must contain questions and candidates")
    one_a_row = "candidates" not in table.columns
    if not one_a_row and "candidate" in table.columns:
        raise ValueError(f"{path} has both columns 'candidate' and 'candidates'; keep the one to be ranked")
    try:
        questions = answers_of(table, "question", path)
        answers = answers_of(table, "candidate" if one_a_row else "candidates", path, several=not one_a_row)
    except LookupError as error:
        role = "candidate" if "question" in table.columns else "question"
        raise LookupError(f"{error}. Give the name: columns={{'{role}': ...}}, or --{role} ...") from None
    ids = _ids(path, table, one_a_row)
    others = tuple(column for column in table.columns if column not in (*_TEXTS, *ids.values()))
    rows, values = [], {}
    for row, kept in _rows(table, path, questions, answers, ids, one_a_row):
        rows.append(row)
        values[digest(row.question) if ids["question"] is None else str(row.key), str(row.answer.id)] = {
            name: kept[name] for name in others if name in kept
        }
    items = shelve(gather(rows), path.stem, "all", 0)
    hashed = tuple(kind for kind, column in ids.items() if column is None)
    unclear = next((column for column in others if column.strip().lower() == "id"), "") if hashed else ""
    return Queries(Questions(path.stem, "all", items, pool="given", source=str(path)), others, values, hashed, unclear)


def _table_of(data: Data, columns: Mapping[str, str] | None) -> tuple[Path, Table]:
    """Return the name of a table, and the table with the standard names of its columns."""
    table, path, *_ = source_of(data)
    by_role = names(columns)
    lists = lists_of(table.rows[0], by_role) if table.rows else {}
    renamed = {name: LISTED[role] if role in lists else role for role, name in by_role.items()}
    for role, name in by_role.items():
        if role not in _ROLES:
            raise ValueError(f"a ranking reads no {role}; leave out the column {name!r}")
        if name not in table.columns:
            raise LookupError(
                f"{path} has no column {name!r} ({role}); its columns are {', '.join(map(repr, table.columns))}"
            )
        if renamed[name] in table.columns and name != renamed[name]:
            raise ValueError(f"{path} has the columns {name!r} and {renamed[name]!r}; rename or remove the second")
    if not renamed:
        return path, table
    rows = [{renamed.get(name, name): value for name, value in row.items()} for row in table.rows]
    return path, Table(tuple(renamed.get(name, name) for name in table.columns), rows)


def read_run(path: Path, texts: Path, queries: Path, depth: int = 100) -> Queries:
    """Read the first documents of a TREC run as the candidates of its questions. See ``rankers.data.read_trec``."""
    return Queries(read_trec(path, texts, queries, depth=depth), (), {}, ())


def check_output(path: Path) -> None:
    """Check that a ranking can be written to this file, before any work. A pipe needs no suffix and gets CSV.

    Raise ValueError if the suffix cannot be written, and an OSError if it cannot be written there.
    """
    if path.suffix.lower() not in (*output_files.WRITABLE, *TREC) and not output_files.is_special(path):
        suffixes = ", ".join((*output_files.WRITABLE, *TREC))
        raise ValueError(f"{path} has the suffix {path.suffix!r}; a ranking is written as: {suffixes}")
    if path.suffix.lower() not in TREC:
        files.check_writable(path, Table(COLUMNS, []))
    elif not output_files.is_special(path):  # the same rules apply to the place of every format
        _check_place(path)


def _check_place(path: Path) -> None:
    """Check the place of a TREC file by the rules of ``answersim._base.io.files``."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} cannot be written: it is a folder; give the name of a file")
    output_files.check_place(path.parent / f"{path.name}.jsonl")


def check_holds(queries: Queries, path: Path | None) -> list[str]:
    """Check that this output can represent the ranking, before any ranking; return notices, one line each.

    The path is None for JSON lines on the terminal. Raise ValueError if a column of the table has the name of a column
    of the ranking, the values of a column cannot be written in this format, or a TREC file needs the ids of a column
    ``id`` that may be that of the question or of the candidate.
    """
    if path is None or path.suffix.lower() not in TREC:
        if taken := [name for name in queries.columns if name in COLUMNS]:
            raise ValueError(
                f"{queries.questions.source} has a column {taken[0]!r}, which the ranking would overwrite; rename it"
            )
        if path is not None:
            run = Run("", {question.id: {c.id: 0.0 for c in question.candidates} for question in queries.questions})
            files.check_writable(path, _table(run, queries))
        return []
    if queries.unclear:
        raise ValueError(
            f"{queries.questions.source} has a column {queries.unclear!r}, which may be the id of the question or of "
            f"the candidate, and a TREC file needs both; rename it to question_id or candidate_id"
        )
    notices = []
    if queries.hashed:
        kinds = " and ".join(f"{kind}s" for kind in queries.hashed)
        missing = " and ".join(f"{kind}_id" for kind in queries.hashed)
        notices.append(
            f"{queries.questions.source} gives no ids of its {kinds}: those in {path} are hashes of the texts; "
            f"evaluate it with --data {queries.questions.source}, or give the column {missing} for other qrels"
        )
    if queries.columns:
        listed = ", ".join(map(repr, queries.columns))
        notices.append(
            f"{path} contains ids and scores only, so these columns are left out: {listed}; .jsonl keeps them"
        )
    return notices


def write(run: Run, queries: Queries, path: Path) -> None:
    """Write this ranking to this file in the format of its suffix, completely or not at all."""
    if path.suffix.lower() in TREC:
        runs.write_trec(run, path)
    else:
        files.write(_table(run, queries), path)


def ranking(run: Run, queries: Queries) -> Iterator[dict[str, Any]]:
    """Yield one row per candidate of the run: ``COLUMNS``, then the other columns of the table.

    The best candidate of each question comes first. Ranks count from 1.
    """
    for question in queries.questions:
        texts = {candidate.id: candidate.text for candidate in question.candidates}
        scores = run.scores.get(question.id, {})
        for rank, candidate in enumerate(ties.order(question.id, scores), start=1):
            values = (question.id, question.text, rank, scores[candidate], candidate, texts[candidate])
            yield {**dict(zip(COLUMNS, values, strict=True)), **queries.values.get((question.id, candidate), {})}


def best(run: Run, top: int) -> Run:
    """Return the run with the first ``top`` candidates of each question. Raise ValueError for less than 1."""
    if top < 1:
        raise ValueError(f"top is {top}, but a ranking has at least 1 candidate per question")
    kept = {
        question: {candidate: scores[candidate] for candidate in ties.order(question, scores)[:top]}
        for question, scores in run.scores.items()
    }
    return run._replace(scores=kept)


def _table(run: Run, queries: Queries) -> Table:
    return Table((*COLUMNS, *queries.columns), list(ranking(run, queries)))


def _ids(path: Path, table: Table, one_a_row: bool) -> dict[str, str | None]:
    """Return the columns with ids by role. Raise ValueError for a list of ids beside one candidate, or the reverse."""
    where = str(path)
    question = column_of(where, table.columns, QUESTION_ID if one_a_row else (*QUESTION_ID, "id"))
    one, several = (column_of(where, table.columns, names) for names in (CANDIDATE_ID, CANDIDATE_IDS))
    if one_a_row and several:
        raise ValueError(f"{path} has a column {several!r} without a column 'candidates'; name it 'candidate_id'")
    if one and not one_a_row:
        raise ValueError(
            f"{path}: the {one} is given with a list of candidates; give a list 'candidate_ids' of the same length"
        )
    return {"question": question, "candidate": one if one_a_row else several}


def _rows(
    table: Table, path: Path, questions: list[str], answers: list[Any], ids: Mapping[str, str | None], one_a_row: bool
) -> Iterator[tuple[CandidateRow, dict[str, Any]]]:
    """Yield one row per candidate with the row of the table. Raise ValueError for the row at which two contradict."""
    texts: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    for i, (question, given) in enumerate(zip(questions, answers, strict=True), start=1):
        where, cells = f"{path}, row {i}", table.rows[i - 1]
        if not question.strip():
            raise ValueError(f"{where}: 'question' is {question!r}, but it must not be empty")
        name = None if (column := ids["question"]) is None else identifier(where, column, cells.get(column))
        if name is not None and texts.setdefault(name, question) != question:
            raise ValueError(f"{where}: the question {name!r} has another text here than before")
        key = question if name is None else name
        if not one_a_row and not isinstance(given, list):
            raise ValueError(
                f"{where}: 'candidates' is {given!r:.60}, but it must be a list; CSV has a row per candidate"
            )
        pool = [given] if one_a_row else given
        candidates = _candidate_ids(where, ids["candidate"], cells, len(pool), one_a_row)
        for place, (text, candidate_id) in enumerate(zip(pool, candidates, strict=True), start=1):
            if not text.strip():
                which = f"'candidate' is {text!r}" if one_a_row else f"candidate {place} is {text!r}"
                raise ValueError(f"{where}: {which}, but an empty text cannot be ranked; leave it out")
            candidate = digest(text) if candidate_id is None else candidate_id
            if (key, candidate) in seen:
                what = f"candidate {text!r:.60}" if candidate_id is None else f"{ids['candidate']} {candidate_id!r}"
                hint = "keep one of them, or give each an id in a column 'candidate_id'"
                raise ValueError(f"{where}: the {what} occurs twice for this question; {hint}")
            seen.add((key, candidate))
            yield CandidateRow(key=key, question=question, answer=Answer(text, 0, candidate), question_id=name), cells


def _candidate_ids(where: str, column: str | None, cells: Mapping[str, Any], n: int, one_a_row: bool) -> list[Any]:
    """Return the id of each candidate of this row, or None for each if the table has no ids."""
    if column is None:
        return [None] * n
    value = cells.get(column)
    if one_a_row:
        return [identifier(where, column, value)]
    if not isinstance(value, list) or len(value) != n:
        raise ValueError(f"{where}: {column!r} is {value!r:.60}, but it must be a list of {n} ids, one per candidate")
    return [identifier(where, column, part) for part in value]


def line(row: Mapping[str, Any]) -> str:
    """Return this row as one line of JSON."""
    text = json.dumps(row, ensure_ascii=False, default=str)
    return text if is_unicode(text) else json.dumps(row, default=str)
