"""The texts of the ids of a run: documents and questions in JSON lines, CSV or TSV, read line by line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from csv import reader
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from answersim._base.arguments import is_unicode
from answersim._base.io import text_rows
from rankers.data.tables import CANDIDATE_ID, QUESTION_ID, column_of, file_lines, identifier, plain_name
from rankers.evaluation import ties
from rankers.evaluation.qrels import Qrels
from rankers.evaluation.semantic import FLOOR, drawn_wrong
from rankers.types import Candidate, Question, Questions, Run

SUFFIXES = (".jsonl", ".tsv", ".csv")
_ANY_ID = ("_id", "id")
_DOCUMENT_TEXT = ("text", "candidate", "contents", "passage", "answer", "document")
_QUESTION_TEXT = ("text", "question", "query")
_GOLDS = ("golds", "gold", "answers")


class QueryText(NamedTuple):
    """The text of a question, and its gold answers if the file gives them."""

    text: str
    golds: tuple[str, ...] = ()


def read_documents(path: str | Path, only: Collection[str] | None = None) -> dict[str, str]:
    """Return the texts of documents by their ids.

    JSON lines and tables with a header have the id in ``docid``, ``docno``, ``pid``, ``candidate_id``, ``_id``, ``id``
    and so on, and the text in ``text``, ``candidate``, ``contents``, ``passage``, ``answer`` or ``document``. Case and
    underscores do not matter. A TSV file without such names in its first line has two columns: id and text (MS MARCO).
    Other columns, such as the title of a BEIR corpus, are not read.

    Args:
        path: A .jsonl, .tsv or .csv file, UTF-8, also gzipped (.jsonl.gz).
        only: The ids that are kept, so that a large collection needs little memory. None keeps all.

    Raises:
        FileNotFoundError: If the file does not exist.
        LookupError: If it has no column of ids or of texts. The message lists its columns.
        ValueError: If the suffix is not supported, the file is empty or damaged, an id is malformed, a text is not
            text, or such an id has two texts. The message names the line.
    """
    texts: dict[str, str] = {}
    for where, name, text, _ in _rows(Path(path), CANDIDATE_ID, _DOCUMENT_TEXT):
        if (only is None or name in only) and texts.setdefault(name, text) != text:
            raise ValueError(f"{where}: the document {name!r} has another text here than before; keep one of them")
    return texts


def read_queries(path: str | Path) -> dict[str, QueryText]:
    """Return the texts of questions by their ids, with their gold answers.

    The format is that of ``read_documents``; the id is in ``qid``, ``query_id``, ``question_id``, ``_id`` or ``id``,
    the text in ``text``, ``question`` or ``query``, and the gold answers in ``golds``, ``gold`` or ``answers``: a text,
    or in JSON lines also a list of texts. The errors are those of ``read_documents``.
    """
    queries: dict[str, QueryText] = {}
    for where, name, text, row in _rows(Path(path), QUESTION_ID, _QUESTION_TEXT):
        column = column_of(where, row, _GOLDS)
        cell = [] if column is None else row[column]
        golds = [_text(where, str(column), gold) for gold in (cell if isinstance(cell, list) else [cell])]
        query = QueryText(text, tuple(gold for gold in golds if gold.strip()))
        if queries.setdefault(name, query) != query:
            raise ValueError(f"{where}: the question {name!r} has another text here than before; keep one of them")
    return queries


def _rows(path: Path, ids: Sequence[str], texts: Sequence[str]) -> Iterator[tuple[str, str, str, Mapping[str, Any]]]:
    """Yield the place, the id, the text and all columns of each line, by the names of the columns of ids and texts."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    kind = next((suffix for suffix in suffixes[-2:] if suffix in SUFFIXES), "")
    if not kind:
        raise ValueError(f"{path} has the suffix {path.suffix!r}; texts are read from: {', '.join(SUFFIXES)}, or .gz")
    if not path.is_file():
        raise FileNotFoundError(f"no file at {path}; give a file of ids and texts ({', '.join(SUFFIXES)})")
    columns: dict[tuple[str, ...], tuple[str, str]] = {}
    is_empty = True
    lines = file_lines(path)
    known = {*map(plain_name, (*ids, *_ANY_ID, *texts))}
    for where, row in text_rows.json_records(lines, path) if kind == ".jsonl" else _table(lines, path, kind, known):
        header, is_empty = tuple(row), False
        if header not in columns:
            # The first name that is present counts: a table with both "docid" and "id" is named by "docid".
            columns[header] = (
                _column(where, header, "ids", (ids, *((name,) for name in _ANY_ID))),
                _column(where, header, "texts", [(name,) for name in texts]),
            )
        name, text = columns[header]
        yield where, identifier(where, name, row[name]), _text(where, text, row[text]), row
    if is_empty:
        raise ValueError(f"{path} contains no line; it must contain ids and texts")


def _column(where: str, header: Sequence[str], content: str, names: Iterable[Sequence[str]]) -> str:
    """Return the column of ids or of texts by the first of these groups of names. Raise LookupError without one."""
    listed = list(names)
    column = next((column for group in listed if (column := column_of(where, header, group))), None)
    if column is None:
        raise LookupError(
            f"{where}: there is no column of {content} among {', '.join(map(repr, header)) or '(nothing)'}; name one "
            f"of them {', '.join(chain(*listed))}"
        )
    return column


def _table(lines: Iterable[str], path: Path, kind: str, known: set[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the rows of a table. A TSV file without a known name in line 1 has the columns ``id`` and ``text``."""
    remaining = iter(lines)
    first = next(remaining, "")
    cells = first.rstrip("\r\n").split("\t")
    if kind == ".tsv" and not any(plain_name(cell) in known for cell in cells):
        for number, line in enumerate(chain([first], remaining), start=1):
            if stripped := line.rstrip("\r\n"):
                name, tab, text = stripped.partition("\t")
                if not tab:
                    raise ValueError(f"{path}, line {number}: no tab, but each line must be an id, a tab and a text")
                yield f"{path}, line {number}", {"id": name, "text": text}
        return
    delimiter = "," if kind == ".csv" else "\t"
    rows = text_rows.csv_records(reader(chain([first], remaining), delimiter=delimiter, strict=True), path)
    header = next(rows, ("", []))[1]
    for where, values in rows:
        if values:
            yield where, text_rows.by_column(header, values, where)


def _text(where: str, column: str, value: Any) -> str:
    if not isinstance(value, str) or not is_unicode(value):
        raise ValueError(f"{where}: {column!r} is {value!r:.60}, but it must be text")
    return value


def wanted_ids(runs: Sequence[Run], qrels: Qrels, ties_seed: int = 0) -> set[str]:
    """Return the ids of ``needed_ids``, and those of irrelevant documents for the floors of metrics."""
    floors = {document for question in qrels.grades for document in _wrong(runs, qrels, question)}
    return needed_ids(runs, qrels, ties_seed) | floors


def needed_ids(runs: Iterable[Run], qrels: Qrels, ties_seed: int = 0) -> set[str]:
    """Return the ids of the documents whose texts the semantic scores of these runs need.

    They are the relevant documents of each question, and the document that each run ranks first for it.
    """
    names = {
        document
        for documents in qrels.grades.values()
        for document, grade in documents.items()
        if grade >= qrels.relevant
    }
    for run in runs:
        names.update(_first(run, question, ties_seed) for question in qrels.grades if run.scores.get(question))
    return names


def with_texts(
    runs: Sequence[Run],
    qrels: Qrels,
    documents: Mapping[str, str],
    queries: Mapping[str, QueryText] | None = None,
    *,
    name: str = "",
    skip_missing: bool = False,
    ties_seed: int = 0,
) -> Questions:
    """Return the questions of qrels with the texts that the semantic scores of these runs need.

    The result has the relevant documents of a question, the first document of each run, and a few irrelevant documents
    of the runs as its candidates, and no others. Use it for ``rankers.evaluate(run, questions, ..., qrels=qrels)``, not
    to rank.

    Args:
        runs: The runs to evaluate.
        qrels: The grades. The questions keep the order of the qrels.
        documents: Texts by id, as ``read_documents`` returns them.
        queries: Texts and gold answers by the ids of the questions. A question with gold answers is compared with
            these, any other with the texts of its relevant documents. If None, all texts of questions are empty.
        name: The name of the data.
        skip_missing: Leave a question out of the semantic scores if the text of a first document is missing, and a
            relevant document if its own text is, instead of raising an error. The notes count both.
        ties_seed: The seed of the order of equal scores, as of the evaluation.

    Raises:
        LookupError: If a text is missing. The message names the first id and gives the number of missing texts.
    """
    missing = sorted(needed_ids(runs, qrels, ties_seed) - documents.keys())
    if missing and not skip_missing:
        raise LookupError(
            f"{len(missing):,} of the documents that are ranked first or relevant have no text, such as "
            f"{missing[0]!r}; add their texts, use the ids of the run there, or leave these questions out: "
            "skip_missing=True (--skip-missing)"
        )
    if queries is not None and (unknown := [question for question in qrels.grades if question not in queries]):
        raise LookupError(
            f"{len(unknown):,} of {len(qrels.grades):,} questions of the grades have no text, such as {unknown[0]!r}; "
            "add them to the file of queries, or leave that file out"
        )
    items, left_out = [], 0
    for question, grades in qrels.grades.items():
        first = [_first(run, question, ties_seed) for run in runs if run.scores.get(question)]
        right = [document for document, grade in grades.items() if grade >= qrels.relevant]
        query = queries[question] if queries is not None else QueryText("")
        is_left_out = any(document not in documents for document in first)
        left_out += is_left_out or (bool(right) and not query.golds and not any(name in documents for name in right))
        candidates = tuple(
            # A question that is left out keeps no relevant candidate, so that it has no gold answer.
            Candidate(document, documents.get(document, ""), 0 if is_left_out else grades.get(document, 0))
            for document in dict.fromkeys([*first, *right, *_wrong(runs, qrels, question)])
            if document in documents or document in first
        )
        items.append(Question(question, query.text, candidates, () if is_left_out else query.golds))
    notes = []
    if missing:
        notes.append(
            f"{len(missing):,} texts are missing: {left_out:,} of {len(items):,} questions are left out of the metrics"
        )
    return Questions(name, "", tuple(items), qrels.relevant, qrels.gains, pool="run", notes=tuple(notes))


def _wrong(runs: Sequence[Run], qrels: Qrels, question: str) -> list[str]:
    """Return a few irrelevant documents that the runs rank for a question, for the floors of metrics."""
    grades = qrels.grades[question]
    ranked = {document for run in runs for document in run.scores.get(question, {})}
    return drawn_wrong(question, (name for name in ranked if grades.get(name, 0) < qrels.relevant), FLOOR)


def _first(run: Run, question: str, seed: int) -> str:
    return ties.order(question, run.scores[question], seed)[0]
