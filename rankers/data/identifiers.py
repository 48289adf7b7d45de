"""The columns of a table that contain the identifiers of questions and candidates, under any of the names in use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from answersim._base.arguments import is_unicode

QUESTION_ID = ("question_id", "qid", "query_id")
CANDIDATE_ID = ("candidate_id", "docid", "doc_id", "docno", "document_id", "answer_id", "passage_id", "pid")
CANDIDATE_IDS = ("candidate_ids", "docids", "doc_ids", "document_ids", "answer_ids", "passage_ids", "pids")


def column_of(where: str, columns: Iterable[str], names: Iterable[str]) -> str | None:
    """Return the one column that has one of these names, or None if there is none.

    Case and underscores do not matter: "DocID" is "doc_id".

    Raises:
        ValueError: If two columns have such names, because one of them would be ignored.

    >>> column_of("a.csv", ["QID", "question"], QUESTION_ID)
    'QID'
    """
    wanted = {_plain(name) for name in names}
    matching = [column for column in columns if _plain(column) in wanted]
    if len(matching) > 1:
        raise ValueError(
            f"{where}: the columns {matching[0]!r} and {matching[1]!r} both name the same identifier; keep one of them"
        )
    return matching[0] if matching else None


def identifier(where: str, column: str, value: Any) -> str:
    """Return this cell as an identifier.

    Raise ValueError if it is not text or a whole number, is empty, or contains white space, which separates the fields
    of TREC files.
    """
    shown = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not shown or shown.split() != [shown] or not is_unicode(shown):
        raise ValueError(
            f"{where}: {column!r} is {value!r}, but an id must not be empty or contain white space, which separates "
            "the fields of TREC files; replace it, for example by '_'"
        )
    return shown


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "")
