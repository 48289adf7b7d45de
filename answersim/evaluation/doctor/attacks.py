"""Answers that are wrong, and that a metric or a judge may accept for a reason other than their meaning.

Each pattern has one or several wordings, which are functions of a minimal pair and of other gold answers. Published
studies of verifiers and judges describe such patterns. The wording here is original.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from answersim.answers.typed.api import parse
from answersim.evaluation.data.minimal_pairs import MinimalPair
from answersim.types import Pair

Pattern: TypeAlias = Callable[[MinimalPair, Sequence[str]], "str | Pair | None"]
"""From a family and other gold answers to a wrong answer, or to a pair that belongs to no question.

None if the family lacks what the wording needs.
"""

MOST = 149  # other gold answers in a list of as many as there are


class Attack(NamedTuple):
    """A wrong answer to a question."""

    pattern: str  # the name of the pattern
    question: str  # the question, "" if there is none
    gold: str  # the gold answer
    pred: str  # the wrong answer


def _wording(form: str) -> Pattern:
    """Return a wording with the close miss, the gold answer, the question or another gold answer, which it needs."""

    def answer(pair: MinimalPair, others: Sequence[str]) -> str | None:
        if ("{question}" in form and not pair.question) or ("{other}" in form and not others):
            return None
        text = form.replace("{wrong}", pair.different).replace("{question}", pair.question)
        return text.replace("{other}", others[0] if others else "").replace("{gold}", pair.gold)

    return answer


def _swapped(form: str) -> Pattern:
    """Return a wording in which the gold answer and another one exchange their roles."""

    def answer(pair: MinimalPair, others: Sequence[str]) -> Pair | None:
        if not others:
            return None
        return Pair(form.format(pair.gold, others[0]), form.format(others[0], pair.gold))

    return answer


def _other_unit(unit: str, other_name: str) -> Pattern:
    """Return an amount in one unit as the gold answer, and the same number in another unit as the wrong answer."""

    def answer(pair: MinimalPair, others: Sequence[str]) -> Pair:
        number = 2 + zlib.crc32(pair.family.encode()) % 97
        return Pair(f"{number} {unit}", f"{number} {other_name}")

    return answer


def _list(form: str, join: str, most: int, wrong: bool = False) -> Pattern:
    """Return a wording that lists the gold answer, and maybe the close miss, in the middle of up to ``most`` others."""

    def answer(pair: MinimalPair, others: Sequence[str]) -> str | None:
        items = _around([pair.different, pair.gold] if wrong else [pair.gold], others[:most])
        return form.format(list=join.join(items), last=items[-1], first=join.join(items[:-1])) if items[1:] else None

    return answer


def _lettered(form: str, most: int) -> Pattern:
    """Return a wording that numbers or letters the gold answer and up to ``most`` others."""

    def answer(pair: MinimalPair, others: Sequence[str]) -> str | None:
        items = _around([pair.gold], others[:most])
        lines = [form.format(letter=chr(ord("A") + i % 26), number=i + 1, item=item) for i, item in enumerate(items)]
        return " ".join(lines) if items[1:] else None

    return answer


def _around(middle: Sequence[str], others: Sequence[str]) -> list[str]:
    half = len(others) // 2
    return [*others[:half], *middle, *others[half:]]


def _refusal(pair: MinimalPair, others: Sequence[str]) -> str:
    value = parse(pair.gold, pair.language)
    return f"I cannot tell which {'name' if value is None else value.kind} is meant here."


def patterns(part: str, **functions: Pattern) -> dict[str, tuple[Pattern, ...]]:
    """Return the patterns of a part of ``attacks.json``, each with its wordings.

    A wording is a text with the marks of ``_wording``, or a list of a form and its arguments. ``functions``: forms
    without arguments.
    """
    forms: dict[str, Callable[..., Pattern]]
    forms = {"list": _list, "lettered": _lettered, "swapped": _swapped, "unit": _other_unit}

    def built(wording: str | list[Any]) -> Pattern:
        if isinstance(wording, str):
            return _wording(wording)
        name, *arguments = wording
        return forms[name](*arguments) if arguments else functions[name]

    return {name: tuple(map(built, wordings)) for name, wordings in TABLE[part].items()}


TABLE: dict[str, Any] = json.loads(Path(__file__).with_name("attacks.json").read_text(encoding="utf-8"))
CHEATS = patterns("cheats")  # answers that contain the gold answer and must not count as right
# Two answers without a word between them, and answers that are wrong by one role, one script or one unit.
BLIND_SPOTS = patterns("blind spots")
PATTERNS: dict[str, tuple[Pattern, ...]] = {**patterns("patterns", refusal=_refusal), **CHEATS, **BLIND_SPOTS}
"""All patterns by name, each with its wordings."""


def attacks(pairs: Sequence[MinimalPair], patterns: Mapping[str, Sequence[Pattern]] = PATTERNS) -> list[Attack]:
    """Return all attacks on these minimal pairs, pattern by pattern. The wordings of a pattern take turns.

    A pattern that needs a question or other gold answers is left out if there are none. So is a denial that says
    nothing but the gold answer: "No? No.".
    """
    others = [_others(pairs, i) for i in range(len(pairs))]
    attacks_of_answer = []
    for name, several in patterns.items():
        for i, pair in enumerate(pairs):
            answer = several[i % len(several)](pair, others[i])
            if isinstance(answer, Pair):
                attacks_of_answer.append(Attack(name, "", answer.gold, answer.pred))
            elif answer is not None and not (name.startswith("denied") and words(answer) <= words(pair.gold)):
                attacks_of_answer.append(Attack(name, pair.question, pair.gold, answer))
    return attacks_of_answer


def words(text: str) -> set[str]:
    """Return the words of a text without case."""
    return set(re.findall(r"\w+", text.casefold()))


def _others(pairs: Sequence[MinimalPair], i: int) -> list[str]:
    """Return up to ``MOST`` other gold answers, of the same kind first."""
    pair = pairs[i]
    later = [*pairs[i + 1 :], *pairs[:i]]
    ordered = [*(other for other in later if other.kind == pair.kind), *later]
    golds = dict.fromkeys(other.gold for other in ordered if other.gold not in (pair.gold, pair.different))
    return list(golds)[:MOST]


def attackable(pairs: Sequence[MinimalPair], most: int) -> list[int]:
    """Return the positions of up to this many minimal pairs, evenly spaced, whose gold answer is a real answer.

    Families with a question are preferred, because judges and other metrics read it. A gold answer such as "" or "I
    don't know" is left out, because an empty answer is right for it.
    """
    usable = [
        i
        for i, pair in enumerate(pairs)
        if (value := parse(pair.gold, pair.language)) is None or value.kind != "no answer"
    ]
    with_question = [i for i in usable if pairs[i].question] or usable
    return with_question[:: max(1, len(with_question) // most)][:most] if most else []
