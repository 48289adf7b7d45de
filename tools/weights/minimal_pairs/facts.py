"""Answers in sentences about one fact: verbose answers of language models, and hedged answers."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from tools.weights.minimal_pairs.family import Family
from tools.weights.tables import table

SOURCES = Path(__file__).parent / "sources"

_TEXTS = table(__file__, "facts")
# {s}: the statement with the answer, {l}: the same inside a sentence, {a}: the answer, {o}: another answer that the
# speaker rejects, {x} and {y}: both in alphabetical order. The close miss exchanges {a} and {o}.
VERBOSE = _TEXTS["verbose"]
HEDGED = _TEXTS["hedged"]
FIRST_WORDS = "The A In At For Most To Scurvy Insulin Thyroxine Air Earthquakes Bees Bile Chlorophyll".split()
TRUE = {
    "en": ("Is it true that {l}", "?"),
    "de": ("Stimmt das: {s}", ""),
    "zh": ("{s}对吗？", ""),
    "ja": ("{s}正しいですか？", ""),
}
YES = _TEXTS["yes"]


class Fact(NamedTuple):
    """A question, a statement with ``{}`` for its answer, the answer, and the answer of a similar question."""

    question: str
    statement: str
    answer: str
    other: str


@lru_cache
def facts(language: str) -> tuple[Fact, ...]:
    """Return the facts of a language, each in a row with the one whose answer is easily confused with its own.

    Raise ValueError if a line of the source does not have two facts of three fields.
    """
    found = []
    for line in (SOURCES / f"facts.{language}.txt").read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        sides = [tuple(field.strip() for field in side.split(" | ")) for side in line.split(" || ")]
        if [len(side) for side in sides] != [3, 3] or not all("{}" in side[1] for side in sides):
            raise ValueError(
                f"facts.{language}.txt: {line!r} is not 'question | statement with {{}} | answer', twice, with ' || '"
            )
        (qa, sa, a), (qb, sb, b) = sides
        found += [Fact(qa, sa, a, b), Fact(qb, sb, b, a)]
    return tuple(found)


def verbose(rng: Random, language: str) -> Family:
    """Return a family with two verbose answers that differ in the answer that they settle on."""
    fact = rng.choice(facts(language))
    return _answered(fact, rng.choice(VERBOSE[language]))


def hedged(rng: Random, language: str) -> Family:
    """Return a family with two answers that are qualified in the same way. A hedge keeps the meaning."""
    fact = rng.choice(facts(language))
    if rng.random() < 0.75:
        return _answered(fact, rng.choice(HEDGED[language]))
    form, mark = TRUE[language]
    stated = rng.choice([fact.answer, fact.other])
    statement = fact.statement.format(stated)
    inner = _inside(statement) if language == "en" else statement
    question = form.format(s=statement, l=inner.rstrip(".")) + mark
    (yes, no), (hedged_yes, hedged_no) = YES[language][0], rng.choice(YES[language][1:])
    return (
        Family(question, yes, hedged_yes, hedged_no)
        if stated == fact.answer
        else Family(question, no, hedged_no, hedged_yes)
    )


def _answered(fact: Fact, template: str) -> Family:
    x, y = sorted((fact.answer, fact.other))
    texts = []
    for answer, other in ((fact.answer, fact.other), (fact.other, fact.answer)):
        statement = fact.statement.format(answer)
        text = template.format(s=statement, l=_inside(statement), a=answer, o=other, x=x, y=y)
        texts.append(text[0].upper() + text[1:] if template.startswith("{a}") else text)
    return Family(fact.question, fact.answer, texts[0], texts[1])


def _inside(statement: str) -> str:
    """Return a statement as a part of a sentence.

    >>> _inside("The answer is A."), _inside("In Rome, it rains."), _inside("Jupiter is large.")
    ('the answer is A.', 'in Rome, it rains.', 'Jupiter is large.')
    """
    first = statement.split(" ", 1)[0]
    inner = first in FIRST_WORDS and not statement.startswith(("The Night Watch", "The Magic Flute"))
    return statement[0].lower() + statement[1:] if inner else statement
