"""Pairs from judged answers: gold answers with system answers, aliases and wrong answers of the same kind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from answersim.answers.text.tokens import tokenizer
from answersim.training.data.pairs import TrainingPair
from benchmarks.system_answers import SystemAnswer
from tools.tables import table
from tools.weights.pairs.draws import draw_one, shuffled

SHORT = 6  # the most words of a phrase
NAMES = 6  # the most other names that a gold answer is paired with
LONGEST = 90  # words of an answer that is read
POSSIBLE = 0.7  # the label of an answer that annotators called possibly correct
# Titles of encyclopedia pages that lead to the entity but are not names of it.
_NO_NAME = re.compile(r"^(?:list of|history of|iso 3166|rgb)|disambiguation|\bfilm\)|^\W*$", re.IGNORECASE)
_BRACKETS = re.compile(r"\s*\([^)]*\)\s*$")  # "Mercury (planet)"
_LONGEST_NAME = 60
_NUMBER = re.compile(r"^[\W\d]*\d[\d,.]*\W*(?:\w+)?$")
_YEAR = re.compile(r"^(?:1\d|20)\d\d$")
_MONTH = re.compile(r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b")
_ASKED = "who|whose|where|when|how many|how much|how old|how long"
_KIND = re.compile(rf"\b({_ASKED}|(?:which|what) (?:\w+ )?(?:{'|'.join(table(__file__, 'kinds.txt'))}))\b")


class Question(NamedTuple):
    """A question with its judged answers, and the gold answers that can be names of the entity."""

    text: str  # the question
    names: Sequence[str]  # the gold answers, in order
    gold: str  # the main one
    answers: Sequence[SystemAnswer]  # those of systems

    def right(self, words: int) -> list[str]:
        """Return the answers with more than this number of words that annotators called right."""
        return [answer.answer for answer in self.answers if answer.verdict and len(answer.answer.split()) > words]

    def pair(self, gold: str, pred: str, label: float, source: str) -> TrainingPair:
        """Return a pair for the question."""
        return TrainingPair(gold, pred, label, self.answers[0].part, source, self.text)


def by_question(judged: Sequence[SystemAnswer]) -> list[Question]:
    """Group the answers by question. Those of one question are consecutive."""
    groups = [list(group) for _, group in groupby(judged, key=lambda answer: (answer.question, answer.golds))]
    return [Question(group[0].question, names := names_of(group[0]), _main(names, group), group) for group in groups]


def names_of(judged: SystemAnswer) -> list[str]:
    """Return the gold answers that can be names of the entity, in order, without brackets at their end.

    Those of TriviaQA are titles of encyclopedia pages. If no name is among them, the first gold answer is returned.
    """
    stripped = dict.fromkeys(_BRACKETS.sub("", gold).strip() for gold in judged.golds if not _NO_NAME.search(gold))
    names = [name for name in stripped if name and not _NO_NAME.search(name) and len(name) <= _LONGEST_NAME]
    return names or [judged.golds[0]]


def _main(names: Sequence[str], answers: Sequence[SystemAnswer]) -> str:
    """Return the name that most of the right answers contain, of several the longest. EVOUNA does not mark it."""
    right = [f" {plain(answer.answer)} " for answer in answers if answer.verdict]
    words = {name: plain(name) for name in names}
    counts = {name: sum(bool(text) and f" {text} " in answer for answer in right) for name, text in words.items()}
    return max(names, key=lambda name: (counts[name], len(words[name].split())))


def plain(name: str) -> str:
    """Return the tokens of a name."""
    return " ".join(tokenizer("en")(name))


def alias_pairs(judged: Sequence[Question], *, rng: np.random.Generator) -> list[TrainingPair]:
    """Pair the main gold answer of each question with other names, and right answers with a name. The label is 1.

    Both are drawn by rng: at most six names, and answers of at most six words. Names that contain the main one and two
    more words, or "of" or "in", are mostly pages about it ("Climate of Utah").
    """
    pick, pairs = tokenizer("en"), []
    for question in judged:
        gold, words = question.gold, pick(question.gold)
        others = [name for name in question.names if name.casefold() != gold.casefold()]
        others = [name for name in others if not (set(words) < set(pick(name)) and len(pick(name)) > len(words) + 1)]
        others = shuffled([name for name in others if not {"of", "in"} & set(name.split())], rng, NAMES)
        pairs += [question.pair(gold, other, 1.0, "evouna:alias") for other in others]
    several = ((question, answer) for question in judged if len(question.names) > 1 for answer in question.right(0))
    short = [(question, answer.strip()) for question, answer in several if len(answer.split()) <= SHORT]
    return pairs + [q.pair(draw_one(q.names, rng), answer, 1.0, "evouna:alias-answer") for q, answer in short]


def verdict_pairs(
    judged: Sequence[SystemAnswer], source: str, *, most_golds: int, rng: np.random.Generator
) -> list[TrainingPair]:
    """Pair every answer with gold answers of its question: a wrong one with ``most_golds``. The label is the verdict.

    A correct answer is paired with the gold answer that shares most words, because not all of them are synonyms.
    """
    pick, pairs = tokenizer("en"), []
    for question in by_question(judged):
        names, main = question.names, question.gold
        for answer in question.answers:
            text = answer.answer.strip()
            if not 0 < len(text.split()) <= LONGEST:
                continue
            if answer.verdict:
                words = set(pick(text))
                golds = [max([main, *names], key=lambda name: len(set(pick(name)) & words) / (len(pick(name)) or 1))]
            else:
                golds = [main, *shuffled([name for name in names if name != main], rng, most_golds - 1)]
            label = float(answer.verdict) if answer.certain else POSSIBLE
            pairs += [question.pair(gold, text, label, f"{source}:verdict") for gold in golds]
    return pairs


def kind_of(question: str, gold: str) -> str:
    """Return the kind of the gold answer, as far as its form and the question determine it.

    >>> kind_of("Which river flows through Paris?", "Seine"), kind_of("When did it end?", "1945")
    ('which river/1', 'year')
    """
    for kind, form in (("year", _YEAR), ("date", _MONTH), ("number", _NUMBER)):
        if form.search(gold.casefold()):
            return kind
    match = _KIND.search(" ".join(question.casefold().split()))
    kind = match[1].replace("what ", "which ") if match else "other"
    return f"{kind}{'' if gold[:1].isupper() else ' common'}/{min(len(gold.split()), 3)}"


def with_rivals(judged: Sequence[Question], rng: np.random.Generator) -> Iterator[tuple[Question, list[str]]]:
    """Yield each question with wrong answers to it: short ones of systems, golds of its kind, and other golds."""
    golds, kinds = [one.gold for one in judged], [kind_of(one.text, one.gold) for one in judged]
    pools = {kind: [gold for gold, other in zip(golds, kinds, strict=True) if other == kind] for kind in set(kinds)}
    for question, kind in zip(judged, kinds, strict=True):
        right = {f" {plain(name)} " for name in (*question.names, question.gold)}
        wrong = [answer.answer for answer in question.answers if not answer.verdict]
        short = [answer.strip().rstrip(".") for answer in wrong if 0 < len(answer.split()) <= 5]
        near = shuffled(pools[kind], rng, 6)
        texts = {name: f" {plain(name)} " for name in (*short, *near, *shuffled(golds, rng, 3))}
        alike = {name for name, text in texts.items() if any(text in other or other in text for other in right)}
        yield question, [name for name, text in texts.items() if text.strip() and name not in alike]


def plausible(rivals: Sequence[str], rng: np.random.Generator) -> str:
    """Return a wrong answer, mostly one of the first."""
    return rivals[min(int(rng.exponential(1.5)), len(rivals) - 1)]
