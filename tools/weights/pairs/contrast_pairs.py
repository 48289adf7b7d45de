"""Minimal pairs from judged answers: a text with the gold answer, and its twin with another answer of the same kind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from answersim.training.data.pairs import TrainingPair
from benchmarks.system_answers import SystemAnswer
from tools.weights.pairs.draws import draw_one, shuffled
from tools.weights.pairs.judged_pairs import LONGEST, Question, by_question, plausible, with_rivals
from tools.weights.pairs.statements import asserted, negated, templated

UNDECIDED = 0.1  # the label of a text that offers the gold answer and another one
INCOMPLETE = 0.2  # the label of a list that lacks one of several items

Labeled = tuple[float, str, str, str]  # label, gold answer, text, name of the form


def contrast_pairs(judged: Sequence[SystemAnswer], split: str, *, rng: np.random.Generator) -> list[TrainingPair]:
    """Build minimal pairs from the answers to each question; see the functions below for the forms."""
    questions = by_question(judged)
    golds = [question.gold for question in questions]
    sentences = [answer for answer in judged if answer.verdict and len(answer.answer.split()) > 6]
    pairs: list[TrainingPair] = []
    for question, rivals in with_rivals(questions, rng):
        for label, first, second, form in _of_question(question, rivals, sentences, golds, rng) if rivals else ():
            if first.strip() and second.strip() and len(second.split()) <= LONGEST:
                pairs.append(TrainingPair(first, second.strip(), label, split, f"contrast:{form}", question.text))
    return pairs


def exchanged(text: str, names: Sequence[str], other: str) -> str | None:
    """Return the text with every mention of one of the names replaced, or None if it mentions none.

    >>> exchanged("The capital of France is Paris, and Paris is old.", ["Paris"], "Rome")
    'The capital of France is Rome, and Rome is old.'
    """
    for name in sorted(names, key=len, reverse=True):
        changed, count = re.subn(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _: other, text, flags=re.IGNORECASE)
        if count:
            return changed
    return None


def _of_question(
    question: Question,
    rivals: Sequence[str],
    sentences: Sequence[SystemAnswer],
    golds: Sequence[str],
    rng: np.random.Generator,
) -> Iterator[Labeled]:
    """Yield texts with the gold answer and a wrong one: short, in a sentence, and with another name of the gold."""
    asked, gold, names = question.text, question.gold, question.names
    yield from _in_answers(question, rivals, rng)
    other = draw_one(sentences, rng) if sentences else None
    if other and other.question != asked and exchanged(other.answer, names, "") is None:
        yield 0.0, gold, other.answer, "other question"
    wrong, name = plausible(rivals, rng), draw_one(names, rng)
    yield 0.0, gold, wrong, "rival"
    yield 1.0, gold, asserted(asked, name if rng.random() < 0.3 else gold, rng), "statement"
    yield 0.0, gold, asserted(asked, plausible(rivals, rng), rng), "statement"
    wrong = plausible(rivals, rng)
    yield 1.0, gold, templated("mentions", rng, gold, wrong), "mention"
    yield 0.0, gold, templated("mentions", rng, wrong, gold), "mention"
    form = rng.integers(3)
    if form == 0:
        answers = (gold, plausible(rivals, rng))[:: 1 if rng.random() < 0.5 else -1]
        yield UNDECIDED, gold, templated("undecided", rng, *answers), "undecided"
    elif form == 1:
        yield 0.0, gold, templated("refusals", rng, gold), "refusal"
    elif sentence := negated(asserted(asked, gold, rng)):
        yield 0.0, gold, sentence, "negation"
    if rng.random() < 0.25:
        yield from _lists(gold, plausible(rivals, rng), golds, rng)


def _in_answers(question: Question, rivals: Sequence[str], rng: np.random.Generator) -> Iterator[Labeled]:
    """Yield sentences of systems with their answer exchanged, and with the gold answer exchanged alike."""
    gold = question.gold
    for right in shuffled(question.right(3), rng, 2):
        wrong = plausible(rivals, rng)
        if (changed := exchanged(right, (gold, *question.names), wrong)) is None:
            continue
        yield 0.0, gold, changed, "exchanged"
        yield (1.0, gold, right, "as given") if rng.random() < 0.5 else (0.0, wrong, right, "as given")
        if rng.random() < 0.4:
            yield 1.0, wrong, changed, "both exchanged"
        if rng.random() < 0.2 and (denied := negated(right)):
            yield 0.1, gold, denied, "negation"


def _lists(gold: str, wrong: str, golds: Sequence[str], rng: np.random.Generator) -> Iterator[Labeled]:
    """Yield a list of answers against itself in another order, with an item changed, and with an item missing."""
    items = [gold, *(other for other in shuffled(golds, rng, 2) if other not in (gold, wrong))]
    if len(items) < 2:
        return
    order = shuffled(items, rng)
    changed, others = [wrong if item == gold else item for item in order], [item for item in order if item != gold]
    for label, listed in ((1.0, order), (0.0, changed), (INCOMPLETE, others)):
        yield label, _list(items, rng), _list(listed, rng), "list"


def _list(items: Sequence[str], rng: np.random.Generator) -> str:
    if len(items) == 1 or rng.random() < 0.4:
        return ", ".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"
