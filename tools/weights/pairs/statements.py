"""Sentences that state an answer: a question turned into a statement, and templates for one or two answers."""

from __future__ import annotations

import re

import numpy as np

from tools.tables import table
from tools.weights.pairs.draws import capital, draw_one

_TEXTS = table(__file__, "statements.json")
_BE = "is|was|are|were"
_THING = r"(?:which|what)\s+(?:[\w'’-]+\s+){1,3}?"
_SUBJECT = re.compile(r"^who\s+(?!is\b|was\b|are\b|were\b|did\b|does\b|do\b)(?P<rest>.+)$", re.IGNORECASE)
_IDENTITY = re.compile(rf"^(?:who|what)\s+(?P<be>{_BE})\s+(?P<rest>.+)$", re.IGNORECASE)
_WHICH = re.compile(rf"(?i)^{_THING}(?P<verb>{_BE}|has|had|won|wrote|hosted|became|plays|played)\s+(?P<rest>.+)$")
_PREPOSITION = re.compile(rf"(?i)^(?P<where>in|on|from|at|for|to)\s+{_THING}(?P<be>{_BE})\s+(?P<rest>.+)$")
_PREPOSITIONAL_END = re.compile(r"\s(?:in|on|from|at|for|to|of|with|by)$", re.IGNORECASE)
_VERB = re.compile(r"\b(is|was|are|were|has|had|can|will|would|could)\b(?!\s+(?:not|n't))")


def statement(question: str, answer: str) -> str | None:
    """Return the question as a statement with this answer, or None if the form of the question is not supported.

    >>> statement("Who wrote Emma?", "Jane Austen"), statement("What is the capital of France?", "Paris")
    ('Jane Austen wrote Emma.', 'The capital of France is Paris.')
    >>> statement("How many legs has a spider?", "eight") is None
    True
    """
    asked = question.strip().strip('"').rstrip(" ?.!")
    if len(asked.split()) > 30 or "?" in asked:
        return None
    if match := _SUBJECT.match(asked):
        return f"{answer} {match['rest']}."
    if match := _PREPOSITION.match(asked):
        sentence = f"{capital(match['rest'])} {match['be']} {match['where'].lower()} {answer}."
        return sentence if len(match["rest"].split()) <= 4 else None
    if match := _IDENTITY.match(asked):
        ends = _PREPOSITIONAL_END.search(match["rest"])
        return None if ends else f"{capital(match['rest'])} {match['be']} {answer}."
    match = _WHICH.match(asked)
    return f"{answer} {match['verb']} {match['rest']}." if match else None


def asserted(question: str, answer: str, rng: np.random.Generator) -> str:
    """Return a sentence that gives this answer, drawn by rng: the question as a statement, or a template."""
    sentence = statement(question, answer) if question and rng.random() < 0.5 else None
    return capital(sentence) if sentence else templated("plain", rng, answer)


def templated(kind: str, rng: np.random.Generator, *answers: str) -> str:
    """Return a text of one or two answers, drawn by rng. Kinds but "undecided" and "refusals" assert the first one."""
    return capital(draw_one(_TEXTS[kind], rng).format(*answers))


def negated(sentence: str) -> str | None:
    """Return the sentence with "not" after its first auxiliary verb, or None if it has none or is negated.

    >>> negated("The capital of France is Paris."), negated("Paris")
    ('The capital of France is not Paris.', None)
    """
    if re.search(r"\bnot\b|n't\b|\bnever\b", sentence):
        return None
    denied, count = _VERB.subn(r"\1 not", sentence, count=1)
    return denied if count else None
