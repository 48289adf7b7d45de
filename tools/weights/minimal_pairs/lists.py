"""Lists: complete or not, and in an order that matters or does not."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from tools.weights.minimal_pairs.family import Family
from tools.weights.tables import table

SOURCES = Path(__file__).parent / "sources"

_TEXTS = table(__file__, "lists")
JOINED = _TEXTS["joined"]
IN_ORDER = _TEXTS["in_order"]
_INNER = {"en": ", ", "de": ", ", "zh": "、", "ja": "、"}


class Pools(NamedTuple):
    """The items that lists are drawn from."""

    items: dict[str, list[str]]  # answers in any order, by question
    ordered: list[list[str]]  # groups of answers whose order matters
    questions: list[str]  # questions that ask for an order


@lru_cache
def pools(language: str) -> Pools:
    """Return the pools of ``sources/lists.LANGUAGE.txt``."""
    found = Pools({}, [], [])
    for line in (SOURCES / f"lists.{language}.txt").read_text("utf-8").splitlines():
        if line.startswith("ordered: "):
            found.ordered.append(line.removeprefix("ordered: ").split(_INNER[language]))
        elif line.startswith("order: "):
            found.questions.append(line.removeprefix("order: "))
        elif not line.startswith("#"):
            question, items = line.split(" | ")
            found.items[question] = items.split(_INNER[language])
    return found


def incomplete(rng: Random, language: str) -> Family:
    """Return a family about a complete list. The close miss lacks one item, or has one that does not belong to it.

    Either is equally likely, so that the length of a candidate does not show its label.
    """
    question = rng.choice(list(pools(language).items))
    items = rng.sample(pools(language).items[question], rng.randrange(3, 6))
    dropped = rng.choice(items)
    lacking = [item for item in items if item != dropped]
    first, second = (items, lacking) if rng.random() < 0.5 else (lacking, items)
    gold_style, style = rng.sample(JOINED[language], 2)
    shuffled = rng.sample(first, len(first))
    missed = rng.sample(second, len(second))
    return Family(
        question,
        joined(first, gold_style, language),
        joined(shuffled, style, language),
        joined(missed, style, language),
    )


def order(rng: Random, language: str) -> Family:
    """Return a family about the order of a list.

    If the question asks for an order, the rewrite keeps it and the close miss changes it. If it does not, the rewrite
    changes the order, and the close miss replaces an item.
    """
    if rng.random() < 0.5:
        question = rng.choice(pools(language).questions)
        items = rng.sample(rng.choice(pools(language).ordered), rng.randrange(3, 5))
        i, j = rng.sample(range(len(items)), 2)
        changed = list(items)
        changed[i], changed[j] = changed[j], changed[i]
        gold_style, style = rng.sample(IN_ORDER[language], 2)
        return Family(
            question,
            joined(items, gold_style, language),
            joined(items, style, language),
            joined(changed, style, language),
        )
    question = rng.choice(list(pools(language).items))
    size = rng.randrange(3, 5)
    items = rng.sample(pools(language).items[question], size + 1)
    i = rng.randrange(size)
    first, second = items[:size], [*items[:i], items[size], *items[i + 1 : size]]
    gold_style, style = rng.sample(JOINED[language], 2)
    shuffled = first
    while shuffled == first:
        shuffled = rng.sample(first, size)
    return Family(
        question,
        joined(first, gold_style, language),
        joined(shuffled, style, language),
        joined(rng.sample(second, size), style, language),
    )


def joined(items: Sequence[str], style: str, language: str) -> str:
    """Return these items as one text.

    >>> joined(["a", "b", "c"], "{0} and {1}", "en"), joined(["a", "b"], "numbered", "en")
    ('a, b and c', '1. a 2. b')
    """
    if style == "numbered":
        return " ".join(f"{i}. {item}" for i, item in enumerate(items, 1))
    if style == "bulleted":
        return " ".join(f"- {item}" for item in items)
    if (
        any(
            mark in style for mark in (";", "/", " + ", ">", "before", "then", "dann", "然后", "それから", "次に", "・")
        )
        and "first" not in style
        and "erst" not in style
    ):
        mark = style.removeprefix("{0}").removesuffix("{1}")
        return mark.join(items)
    return style.format(_INNER[language].join(items[:-1]), items[-1])
