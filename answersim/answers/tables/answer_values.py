"""Which values of a table are answers, and what is read of them; and one message for all rows that have none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from answersim._base.arguments import is_missing, is_unicode
from answersim._base.errors import EmptyReferencesWarning, ReadingWarning, warn_user
from answersim._base.golds import StructuredGold, as_text, gold_of, texts_in
from answersim._base.io.files import Table
from answersim._base.text_tables import counted
from answersim.answers.tables.sources import Source
from answersim.answers.text.patterns import Patterns

_P = Patterns("answer_values")
# "like_list": texts, also cut off, a tuple, or numbers, maybe an interval; no structure of an official profile.
_MOST_NAMED = 10  # rows in a message
_LEFT_OUT = "missing entries of lists of gold answers are left out"
_SHOWN = 60  # characters of a value in a message


def read_column(
    source: Source, name: str, *, golds: bool = False, lists: bool = False, nulls: bool = False
) -> tuple[list[Any], list[ReadingWarning]]:
    """Return what is read of a column of answers or questions, and notes on what is not read as it looks.

    Numbers and truth values are read as text. What cannot be read is unchanged. A missing column is a LookupError.
    ``golds``: whether the values are gold answers, which may be lists of texts and structures. ``lists``: whether gold
    answers that are lists in texts, as CSV has them, are lists, if all texts that begin like a list are lists of texts.
    ``nulls``: whether null and nan are read as empty texts, as the empty cells of a CSV file are, which mean that there
    is no answer; a row without the column is no such row.
    """
    values = source.values(name)
    where, n, parse = f"{source.path}, {name!r}", len(values), gold_of if golds else as_text
    read = [value if isinstance(value, str) or (parsed := parse(value)) is None else parsed for value in values]
    changed = (value for i, value in enumerate(values) if read[i] is not value)
    numbers = [value for value in changed if any(map(as_text, value if isinstance(value, (list, tuple)) else [value]))]
    notes = noted(where, n, "numbers and truth values are read as text", numbers)
    others = [i for i, value in enumerate(values) if not isinstance(value, str)] if nulls else []
    empty = [i for i in others if is_missing(values[i]) and name in source.table.rows[i]]
    for i in empty:
        read[i] = ""
    reading = "null and nan are read as an empty text, which means that there is no answer"
    notes += noted(where, n, reading, [source.numbered[i] for i in empty], "such as row {}")
    if golds:
        lacking = [value for value in values if isinstance(value, (list, tuple)) and any(map(is_missing, value))]
        lacking = [value for value in lacking if gold_of(value) is not None]
        notes += noted(where, n, _LEFT_OUT, lacking, "such as in {}")
    if golds and lists:
        read, more_notes = _with_lists(read, where)
        notes += more_notes
    return read, notes


def _with_lists(read: list[Any], where: str) -> tuple[list[Any], list[ReadingWarning]]:
    """Return gold answers with the lists in texts, if all that begin like one are lists, and notes on the others."""
    n = len(read)
    begun = [i for i, value in enumerate(read) if isinstance(value, str) and value.lstrip().startswith("[")]
    begun = [i for i in begun if _is_text(read[i])]
    listed = {i: listed_texts for i in begun if (listed_texts := texts_in(read[i])) is not None}
    others = [i for i in begun if i not in listed and read[i].strip() != "[]"]
    if others and listed:
        problem = "begins like a list of texts and is none, so that it may be a formula; repair it, or quote its items"
        more = f"because row {others[0] + 1} ({read[others[0]][:_SHOWN]!r}) {problem}"
        return read, [ReadingWarning(where, "lists in texts are read as text", len(listed), n, more)]
    if others or not begun:
        like = [value for value in read if isinstance(value, str) and _P.like_list.match(value.strip())]
        like = list(filter(_is_text, like))
        reading = "texts that look like lists are read as one answer"
        return read, noted(where, n, reading, like, "such as {}, which is no list of texts")
    lists = {i: listed.get(i, []) for i in begun}  # "[]" is an empty list, which is no gold answer
    notes = noted(where, n, "lists in texts are read as several gold answers", [read[i] for i in listed])
    lacking = [read[i] for i in listed if _P.missing.search(_P.quoted.sub("", read[i]))]
    notes += noted(where, n, _LEFT_OUT, lacking, "such as in {}")
    return [lists.get(i, value) for i, value in enumerate(read)], notes


def noted(where: str, n: int, reading: str, cells: Sequence[Any], more: str = "such as {}") -> list[ReadingWarning]:
    """Return a note on cells of a column of n cells, if there are any. ``more`` names the first one."""
    return [ReadingWarning(where, reading, len(cells), n, more.format(str(cells[0])[:_SHOWN]))] if cells else []


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, StructuredGold)


def answers_of(table: Table, name: str, path: Path, *, several: bool = False) -> list[Any]:
    """Return the answers in a column, in order: texts, or with ``several`` also non-empty lists of texts.

    Raise LookupError if there is no such column. Raise ValueError if a value is not an answer (a number, null, half a
    surrogate pair).
    """
    values = table.values(name, path)
    if flaws := flaws_of(name, values, several):
        raise flawed_rows(path, {1 + i: flaw for i, flaw in flaws.items()})
    return values


def flaws_of(name: str, values: Iterable[Any], several: bool = False) -> dict[int, str]:
    """Return, by position, why some values are not answers. See ``answers_of``."""
    # Nearly all of possibly millions of values are texts in ASCII.
    unclear = (row for row in enumerate(values) if not (isinstance(row[1], str) and row[1].isascii()))
    return {i: f"{name!r} {flaw}" for i, value in unclear if (flaw := _flaw(value, several))}


def flawed_rows(path: Path, flaws: Mapping[int, str], remedy: str = "") -> ValueError:
    """Return one error for all rows that contain no answers."""
    end = f"; {remedy}" if remedy else ""
    if len(flaws) == 1:
        ((row, flaw),) = flaws.items()
        return ValueError(f"{path}, row {row}: {flaw}{end}")
    return ValueError(f"{path}: {len(flaws):,} rows cannot be scored: {listed_rows(flaws)}{end}")


def listed_rows(flaws: Mapping[int, str]) -> str:
    """Return the numbers of these rows and what is wrong, the first ones of each kind."""
    parts, last = [], ""
    for row, flaw in sorted(flaws.items())[:_MOST_NAMED]:
        parts.append(f"row {row}: {'the same' if flaw == last else flaw}")
        last = flaw
    more = [str(row) for row in sorted(flaws)[_MOST_NAMED : 10 * _MOST_NAMED]]
    if more:
        rest = len(flaws) - _MOST_NAMED - len(more)
        parts.append(f"and the rows {', '.join(more)}{f' and {rest:,} more' if rest else ''}")
    return "; ".join(parts)


def split_references(
    golds: Sequence[Any], separator: str | None, path: Path, numbers: Sequence[int] | None = None
) -> list[Any]:
    """Return gold answers with each text as the list of its parts. Empty parts are left out, with a warning.

    A text without any other part is an empty answer, and remains one. ``golds``: texts, or lists of texts and
    structures, which are unchanged. ``numbers``: the number of each row; by default from 1.
    """
    if not separator:
        return list(golds)
    references, empty = list(golds), dict[int, int]()  # the number of empty parts by position
    for i, gold in enumerate(golds):
        if _is_text(gold):
            references[i] = [part for part in gold.split(separator) if part.strip()] or [""]
            if n := gold.count(separator) + 1 - len(references[i]):
                empty[i] = n
    if empty:
        row = next(iter(empty))
        parts_out, first = counted(sum(empty.values()), "empty part"), row + 1 if numbers is None else numbers[row]
        text = f"{path}: {parts_out} of gold answers left out, the first in row {first:,}"
        warn_user(EmptyReferencesWarning(text), once=True)
    return references


def _flaw(value: Any, several: bool) -> str:
    """Return why this value is not an answer, as the end of a sentence; empty if it is one."""
    texts: list[Any] = value if several and isinstance(value, list) else [value]
    if not texts or any(not isinstance(text, str) for text in texts):
        spelled = "null, or missing" if value is None else repr(value)[:60]
        rule = "text, or a list of texts that are all correct" if several else "text"
        return f"is {spelled}, but an answer is {rule}; for 'no answer' give ''"
    if any(not is_unicode(text) for text in texts):
        return "contains half a surrogate pair, which is not a character; repair the text where it was decoded"
    return ""
