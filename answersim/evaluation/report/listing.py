"""The rows of a page that the reader can search, filter, sort and download, as columns for the script."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from answersim._base.text_tables import Column, Listing

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # scripts without spaces: every character is a word
_WORD = re.compile(rf"[{_CJK}]|[^\s{{}}{_CJK}]+")  # braces part words: \boxed{Rome}
_MOST = 250_000  # the product of the numbers of words up to which words are aligned; above it, they are only looked up


class Word(NamedTuple):
    """A word of a text: what is compared, and where it begins and ends."""

    key: str
    start: int
    end: int


class Shared(NamedTuple):
    """The words that a prediction shares with the nearest of its gold answers."""

    gold: int  # which of the gold answers is compared: the first one that shares most words with the prediction
    in_gold: tuple[tuple[int, int], ...]  # where the shared words of this gold answer begin and end
    in_pred: tuple[tuple[int, int], ...]  # the same in the prediction
    n: int  # the number of shared words


def shared_words(golds: Sequence[str], pred: str) -> Shared:
    """Return the words that a prediction shares with the nearest of its gold answers, each counted once.

    Words are compared without case, compatibility forms and the punctuation around them. The longest common parts are
    found first, then words in another order. Neighboring words are one range, in characters from 0.
    """
    candidates = [Shared(i, *_of(gold, pred)) for i, gold in enumerate(golds)]
    return max(candidates, key=lambda shared: shared.n / max(1, len(golds[shared.gold].split()) + len(pred.split())))


def words(text: str) -> list[Word]:
    """Return the words of a text: runs without white space, and single characters of Chinese and Japanese."""
    words_of_text = []
    for match in _WORD.finditer(text):
        start, end = match.span()
        while start < end and _is_punctuation(text[start]):
            if text[start] == "-" and text[start + 1 : min(start + 2, end)].isdigit():  # -5 is not 5
                break
            start += 1
        while end > start and _is_punctuation(text[end - 1]):
            end -= 1
        if start == end:  # punctuation alone is a word too: "-" and "=" may be the difference
            start, end = match.span()
        words_of_text.append(Word(unicodedata.normalize("NFKC", text[start:end]).casefold(), start, end))
    return words_of_text


def _of(gold: str, pred: str) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...], int]:
    first, second = words(gold), words(pred)
    keys, others = [word.key for word in first], [word.key for word in second]
    pairs: dict[int, int] = {}
    if len(first) * len(second) <= _MOST:
        for a, b, size in SequenceMatcher(None, keys, others, autojunk=False).get_matching_blocks():
            pairs |= {a + i: b + i for i in range(size)}
    free: defaultdict[str, deque[int]] = defaultdict(deque)
    for j in sorted(set(range(len(others))).difference(pairs.values())):
        free[others[j]].append(j)
    for i, key in enumerate(keys):
        if i not in pairs and free[key]:
            pairs[i] = free[key].popleft()
    return _ranges(first, pairs), _ranges(second, pairs.values()), len(pairs)


def _ranges(text_words: Sequence[Word], places: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return where the words at these places begin and end; neighbors are one range."""
    joined: list[list[int]] = []
    for i in sorted(places):
        if joined and joined[-1][1] == i - 1:
            joined[-1][1] = i
        else:
            joined.append([i, i])
    return tuple((text_words[a].start, text_words[b].end) for a, b in joined)


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] == "P"


def in_utf16(ranges: Sequence[tuple[int, int]], text: str) -> list[int]:
    """Return the ends of ranges as JavaScript counts characters, one after another."""
    flat = [end for bounds in ranges for end in bounds]
    if text.isascii() or all(character <= "\uffff" for character in text):
        return flat
    return [len(text[:end].encode("utf-16-le", "surrogatepass")) // 2 for end in flat]


MOST = 100_000  # rows: more make a page that a browser opens slowly
BUDGET = 24_000_000  # characters of all different texts of a page
LENGTHS = (100_000, 20_000, 5_000, 2_000, 1_000, 300)  # lengths to which texts are shortened to fit
REM = {"number": 6.0, "choice": 7.5, "text": 9.0, "gold": 9.0, "pred": 12.0}  # the minimum width of a column
_SHORT = 8  # characters of a text, such as an id, in a narrow column
_NARROW = 4.5
LEFT_OUT = " … [{:,} more characters are not on this page]"


class _Texts:
    """The distinct texts of a page, each shortened so that all fit. Answers of several systems repeat most texts."""

    def __init__(self, every: Iterable[str], budget: int) -> None:
        lengths = [len(text) for text in dict.fromkeys(every)]
        fits = (most for most in LENGTHS if sum(min(length, most) for length in lengths) <= budget)
        self.longest = next(fits, LENGTHS[-1])
        self.n_shortened = sum(length > self.longest for length in lengths)
        self._at: dict[str, int] = {}

    def fitted(self, text: str) -> str:
        """Return the text, or its beginning and how much is left out, if it is too long for the page."""
        more = len(text) - self.longest
        return text if more <= 0 else text[: self.longest] + LEFT_OUT.format(more)

    def at(self, text: str) -> int:
        """Return the place of a fitted text among those of the page."""
        return self._at.setdefault(text, len(self._at))

    def listed(self) -> list[str]:
        """Return the texts in the order of their places."""
        return list(self._at)


def listed(listing: Listing, *, most: int = MOST, budget: int = BUDGET) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the first rows of a listing for a page: what its script reads, and what its template shows.

    Args:
        listing: The rows.
        most: The maximum number of rows on the page.
        budget: The maximum number of characters of the page. Long texts are shortened.
    """
    total = len(listing.columns[0].values)
    columns = [column._replace(values=column.values[:most], marks=column.marks[:most]) for column in listing.columns]
    of_texts = [column.values for column in columns if column.kind in ("text", "gold", "pred")]
    texts = _Texts((text for values in of_texts for value in values for text in golds_of(value)), budget)
    filled_columns = _columns(columns, texts)
    n = min(total, most)
    words = f"{n:,} {listing.name}, to search, filter, sort and download."
    if n < total:
        words = f"The first {n:,} of {total:,} {listing.name} are on this page; --output FILE writes all of them."
    if texts.n_shortened:
        words += f" {texts.n_shortened:,} texts have more than {texts.longest:,} characters. Their ends are left out."
    page_table = {
        "title": f"{listing.name[:1].upper()}{listing.name[1:]}",
        "words": words,
        "caption": listing.caption,
        "columns": filled_columns,
        "rem": sum(column["rem"] for column in filled_columns),
        "marked": any(column.kind == "gold" for column in columns),
    }
    table = {"name": listing.name, "file": listing.name.replace(" ", "-"), "n": n, "columns": filled_columns}
    return {"texts": texts.listed(), "table": table}, page_table


def _columns(columns: Sequence[Column], texts: _Texts) -> list[dict[str, Any]]:
    """Return the columns for the script. Gold answers are those of the first predictions."""
    golds = next((column.values for column in columns if column.kind == "gold"), ())
    preds = [column.values for column in columns if column.kind == "pred"]
    both = [list(zip(golds, values, strict=True)) for values in preds if golds]
    marked_answers = [[_answer(gold, pred, texts) for gold, pred in pairs] for pairs in both]
    filled_columns = []
    n_preds = 0
    for i, column in enumerate(columns):
        name = {"key": f"c{i}", "name": column.name, "kind": "text", "rem": REM[column.kind]}
        if column.kind == "text" and all(len(value) <= _SHORT for value in column.values):
            name["rem"] = _NARROW
        if column.kind == "number":
            filled_columns.append({**name, "kind": "number", "values": short(column.values)})
        elif column.kind == "choice":
            choices = list(dict.fromkeys(column.values))
            place = {choice: j for j, choice in enumerate(choices)}
            values = [place[value] for value in column.values]
            filled_columns.append({**name, "kind": "choice", "choices": choices, "values": values})
        elif column.kind == "gold" and marked_answers:
            answers = marked_answers[0]
            filled_columns.append(_marked(name, [row[0] for row in answers], [row[2] for row in answers], texts))
        elif column.kind == "pred" and golds:
            answers = marked_answers[n_preds]
            filled_columns.append(_marked(name, [row[1] for row in answers], [row[3] for row in answers], texts))
            n_preds += 1
        else:
            fitted = [texts.fitted(" | ".join(golds_of(value))) for value in column.values]
            marks = [
                in_utf16([mark], text) if mark is not None and 0 <= mark[0] < len(text) else []
                for mark, text in zip(column.marks or [None] * len(fitted), fitted, strict=True)
            ]
            filled_columns.append(_marked(name, fitted, marks, texts, "answer"))
    return filled_columns


def _marked(
    name: Mapping[str, Any], values: Sequence[str], marks: Sequence[list[int]], texts: _Texts, look: str = "shared"
) -> dict[str, Any]:
    marked = {"mark": look, "marks": [mark or 0 for mark in marks]} if any(marks) else {}
    return {**name, "at": [texts.at(value) for value in values], **marked}


def golds_of(value: Any) -> list[str]:
    """Return one gold answer, or several, as texts; none for a missing value."""
    if value is None:
        return [""]
    return [value] if isinstance(value, str) else list(map(str, value)) or [""]


def _answer(gold: Any, pred: str, texts: _Texts) -> tuple[str, str, list[int], list[int]]:
    """Return the gold answers as one text, the nearest first, the prediction, and the ends of words that both have."""
    golds = [texts.fitted(text) for text in golds_of(gold)]
    fitted = texts.fitted(pred or "")
    shared = shared_words(golds, fitted)
    nearest = golds[shared.gold]
    rest = [text for i, text in enumerate(golds) if i != shared.gold]
    return " | ".join([nearest, *rest]), fitted, in_utf16(shared.in_gold, nearest), in_utf16(shared.in_pred, fitted)


def short(values: Iterable[Any]) -> list[float | None]:
    """Round numbers for display to five digits, which halves the size of a page. None if one is not finite.

    >>> short([0.123456789, 2.0, math.nan, None])
    [0.12346, 2, None, None]
    """
    rounded = (float(f"{value:.5g}") if value is not None and math.isfinite(value) else None for value in values)
    return [int(value) if value is not None and value == int(value) else value for value in rounded]
