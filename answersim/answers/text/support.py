"""Which languages the package supports, and how far: one table for code, tests and the documentation."""

from __future__ import annotations

from typing import NamedTuple

from answersim.answers.text.tokens import language


class Support(NamedTuple):
    """How far a language is supported, by ISO 639-1 codes."""

    similarity: frozenset[str]  # pairs of sentences with graded similarity trained the multilingual weights
    judged: frozenset[str]  # judged answers trained them
    checked: frozenset[str]  # answers of reading comprehension that were kept out checked them
    values: frozenset[str]  # numbers, dates, units, yes and no in words
    marks: frozenset[str]  # marks of final answers, letters of options, abstentions
    by_character: frozenset[str]  # a character is a token of f1, recall and the other metrics of words


SUPPORT = Support(
    similarity=frozenset("en de es fr it ja nl pl pt ru zh".split()),
    judged=frozenset("en de zh".split()),
    checked=frozenset("ar de el en es hi ro ru th tr vi zh".split()),
    values=frozenset("en de fr es it pt nl ru zh ja".split()),
    marks=frozenset("en de fr es it pt nl ru zh ja ko ar".split()),
    by_character=frozenset("zh ja th".split()),
)


def is_checked(lang: str) -> bool:
    """Return whether verdicts with the multilingual weights were checked in this language, or trained on judgments.

    >>> is_checked("de"), is_checked("zh-TW"), is_checked("sw")
    (True, True, False)
    """
    return language(lang) in SUPPORT.judged | SUPPORT.checked
