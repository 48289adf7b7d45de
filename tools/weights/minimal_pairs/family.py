"""A family of minimal pairs, and how one is drawn from two values that are easily confused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, NamedTuple

# ``random.Random`` and not numpy, because a seed gives the same draws on every version of Python that is supported.
# numpy does not promise that for its generators.


class Family(NamedTuple):
    """A gold answer, a rewrite that keeps its meaning, and a close miss."""

    question: str
    gold: str
    same: str
    different: str


class Twins(NamedTuple):
    """Two families that exchange roles: what keeps the meaning in one is the close miss of the other."""

    first: Family
    second: Family


def draw(rng: Random, values: Sequence[Sequence[str]], question: str = "") -> Family | None:
    """Return a family whose gold answer is one of two values, drawn at random.

    Each value comes with several ways to write it. If both have the same number, way i of one corresponds to way i of
    the other, and both candidates are written in the same way. Otherwise, each candidate is drawn for itself. Because
    both values are exchangeable, a candidate alone does not show its label.

    Returns:
        None if a way to write the one is also a way to write the other, or if no two differ.
    """
    gold, other = values if rng.random() < 0.5 else values[::-1]
    folded = [{text.casefold() for text in texts} for texts in (gold, other)]
    if folded[0] & folded[1] or len(folded[0]) < 2:
        return None
    i = rng.randrange(len(gold))
    j = rng.choice([k for k, text in enumerate(gold) if text.casefold() != gold[i].casefold()])
    miss = other[j] if len(gold) == len(other) else rng.choice(other)
    return Family(question, gold[i], gold[j], miss)


def twins(a1: str, a2: str, b1: str, b2: str, question_a: str = "", question_b: str = "") -> Twins:
    """Return two families from two values (a and b), each in two forms.

    >>> twins("NASA", "the space agency", "NOAA", "the weather agency").second.different
    'the space agency'
    """
    return Twins(Family(question_a, a1, a2, b2), Family(question_b, b1, b2, a2))


def in_context(rng: Random, contexts: Sequence[Sequence[str]], texts: Sequence[str]) -> tuple[str, list[str]]:
    """Put each of these texts into the answer of one context, drawn at random.

    ``contexts``: pairs of a question and an answer with ``{}`` for the text. A question may be empty. The result is the
    question and the answers.
    """
    question, answer = rng.choice(contexts)
    return question, [answer.format(text) for text in texts]


def written(forms: Iterable[str], **slots: Any) -> list[str]:
    """Return these forms with their slots filled.

    >>> written(["{d}. {month}", "the {d:02} of {month}"], d=4, month="May")
    ['4. May', 'the 04 of May']
    """
    return [form.format(**slots) for form in forms]
