"""The tables of a page that the reader can search, filter, sort and download, as columns for the script."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from answersim.report.shared_words import in_utf16, shared_words
from answersim.types import FloatArray

BUDGET = 24_000_000  # characters of all different texts of a page
LENGTHS = (100_000, 20_000, 5_000, 2_000, 1_000, 300)  # lengths to which texts are shortened to fit
WIDTHS = {"number": 5.0, "choice": 6.5, "gap": 8.5, "text": 9.0}  # the minimum width of a column in rem
ROW = 4.0  # the same of the ids of rows
LEFT_OUT = " … [{:,} more characters are not on this page]"


class Texts:
    """The distinct texts of a page. A page with two tables or several systems repeats most of its texts.

    Args:
        texts: All texts that will be inserted. They decide to which length texts are shortened.
        budget: The characters of all different texts that a page may have.
    """

    def __init__(self, texts: Sequence[str], budget: int = BUDGET) -> None:
        lengths = [len(text) for text in dict.fromkeys(texts)]
        self.longest = next(
            (most for most in LENGTHS if sum(min(length, most) for length in lengths) <= budget), LENGTHS[-1]
        )
        self.shortened = sum(length > self.longest for length in lengths)
        self._at: dict[str, int] = {}

    @property
    def words(self) -> str:
        """A sentence on the texts that are shortened; "" if none is."""
        if not self.shortened:
            return ""
        return f"{self.shortened:,} texts have more than {self.longest:,} characters. Their ends are not on this page."

    def at(self, text: str) -> int:
        """Return the index of this fitted text among those of the page."""
        return self._at.setdefault(text, len(self._at))

    def fitted(self, text: str) -> str:
        """Return the text, or its beginning and how much is left out, if it is too long for the page."""
        more = len(text) - self.longest
        return text if more <= 0 else text[: self.longest] + LEFT_OUT.format(more)

    def listed(self) -> list[str]:
        """Return the texts in the order of their positions."""
        return list(self._at)


class Answer(NamedTuple):
    """A gold and a predicted answer on a page, and where the words are that both have."""

    gold: str
    pred: str
    in_gold: list[int]
    in_pred: list[int]


def answer(golds: str | Sequence[str], pred: str, texts: Texts) -> Answer:
    """Return an answer with the shared words marked, from a gold answer or several.

    Several gold answers are one text, the nearest first. The marks are pairs of ends, in UTF-16 code units.

    >>> answer(["Italy", "Rome"], "in Rome", Texts([]))
    Answer(gold='Rome | Italy', pred='in Rome', in_gold=[0, 4], in_pred=[3, 7])
    """
    every = [golds] if isinstance(golds, str) else list(golds)
    shown = texts.fitted(pred)
    fitted = [texts.fitted(gold) for gold in every]
    found = shared_words(fitted, shown)
    nearest = fitted[found.gold]
    rest = [gold for i, gold in enumerate(fitted) if i != found.gold]
    return Answer(" | ".join([nearest, *rest]), shown, in_utf16(found.in_gold, nearest), in_utf16(found.in_pred, shown))


def text_column(key: str, name: str, values: Sequence[str], texts: Texts, **more: Any) -> dict[str, Any]:
    """Return a column of texts."""
    return {"key": key, "name": name, "kind": "text", "at": [texts.at(texts.fitted(value)) for value in values], **more}


def marked_column(
    key: str,
    name: str,
    values: Sequence[str],
    marks: Sequence[list[int]],
    texts: Texts,
    kind: str = "shared",
    **more: Any,
) -> dict[str, Any]:
    """Return a column of fitted texts with marked words. The kind of the marks is "shared" or "answer"."""
    places = [texts.at(value) for value in values]
    return {"key": key, "name": name, "kind": "text", "at": places, "mark": kind, "marks": [at or 0 for at in marks],
            **more}  # fmt: skip


def number_column(key: str, name: str, values: FloatArray | Sequence[float], **more: Any) -> dict[str, Any]:
    """Return a column of numbers with five digits, which halves the size of a page. nan is null."""
    return {"key": key, "name": name, "kind": "number", "values": short(values), **more}


def choice_column(key: str, name: str, values: Sequence[str], choices: Sequence[str], **more: Any) -> dict[str, Any]:
    """Return a column of few different values, which the reader can filter by.

    With ``inside``, the key of a column of texts, its values are shown above those texts and not in cells of their own.
    """
    place = {choice: i for i, choice in enumerate(choices)}
    return {"key": key, "name": name, "kind": "choice", "choices": list(choices),
            "values": [place[value] for value in values], **more}  # fmt: skip


def table(name: str, columns: Sequence[Mapping[str, Any]], n: int, **more: Any) -> dict[str, Any]:
    """Return a table for the script and the template of the page.

    Args:
        name: The name of its rows, from which the name of the downloaded file is made.
        columns: The columns.
        n: The number of rows.
        more: Further settings of the script.
    """
    columns = [{"rem": WIDTHS[column["kind"]], **column} for column in columns]
    rem = sum(float(column["rem"]) for column in columns if "inside" not in column)
    settings = {"name": name, "file": name.replace(" ", "-"), "n": n, "rem": rem, "variants": []}
    return {**settings, "columns": columns, **more}


def short(values: FloatArray | Sequence[float]) -> list[float | None]:
    """Round numbers for display to five digits. A number that is not finite becomes None.

    >>> short([0.123456789, 2.0, math.nan])
    [0.12346, 2, None]
    """
    rounded = (float(f"{value:.5g}") if math.isfinite(value) else None for value in values)
    return [int(value) if value is not None and value == int(value) else value for value in rounded]
