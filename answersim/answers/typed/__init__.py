"""Answers as typed values: numbers, quantities, money, dates, times, ranges, lists, names; compared by rules."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.answers.typed import choice as choice
    from answersim.answers.typed.api import Parsed, compare, compare_math, parse
    from answersim.answers.typed.comparison import Relation, Relations
    from answersim.answers.typed.items import ListMatch, match_items, split_items
    from answersim.answers.typed.reading import REVISION

__all__ = [
    "REVISION",
    "ListMatch",
    "Parsed",
    "Relation",
    "Relations",
    "compare",
    "compare_math",
    "match_items",
    "parse",
    "split_items",
]

if not TYPE_CHECKING:
    __getattr__ = submodules(
        __name__,
        ["choice"],
        {"REVISION": "reading"}
        | dict.fromkeys(("Parsed", "compare", "compare_math", "parse"), "api")
        | dict.fromkeys(("Relation", "Relations"), "comparison")
        | dict.fromkeys(("ListMatch", "match_items", "split_items"), "items"),
    )
