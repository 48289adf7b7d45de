"""Pairs from judged answers: gold answers of TriviaQA in EVOUNA with system answers, aliases and unrelated answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

import numpy as np

from answersim.answers.text.tokens import tokenizer
from answersim.training.data.pairs import TrainingPair
from benchmarks.system_answers import SystemAnswer
from tools.weights.pairs.draws import draw_one

SHORT = 6  # the most words of a phrase
# Titles of encyclopedia pages that lead to the entity but are not names of it.
_NO_NAME = re.compile(r"^(?:list of|history of|iso 3166|rgb)|disambiguation|\bfilm\)|^\W*$", re.IGNORECASE)
_BRACKETS = re.compile(r"\s*\([^)]*\)\s*$")  # "Mercury (planet)"
_LONGEST_NAME = 60


def alias_pairs(judged: Sequence[SystemAnswer], *, most: int, rng: np.random.Generator) -> list[TrainingPair]:
    """Pair the main gold answer of each question with up to ``most`` of its other names, drawn by rng. The label is 1.

    Names that contain the main one and at least two more words, and names with "of" or "in", are left out, because most
    are pages about the entity ("Climate of Utah").
    """
    pick, pairs = tokenizer("en"), []
    for question in by_question(judged):
        gold = main_gold(question)
        words = set(pick(gold))
        others = [
            name
            for name in names_of(question[0])
            if name.casefold() != gold.casefold()
            and not (words < set(pick(name)) and len(pick(name)) > len(pick(gold)) + 1)
            and not {"of", "in"} & set(name.split())
        ]
        for i in rng.permutation(len(others))[:most]:
            pairs.append(_pair(gold, others[i], 1.0, "alias", question[0]))
    return pairs


def alias_answer_pairs(judged: Sequence[SystemAnswer], *, rng: np.random.Generator) -> list[TrainingPair]:
    """Pair every equivalent answer of at most six words with a name of the gold answer drawn by rng. The label is 1."""
    pairs = []
    for question in by_question(judged):
        names = names_of(question[0])
        for answer in question:
            if answer.verdict and 0 < len(answer.answer.split()) <= SHORT and len(names) > 1:
                name = draw_one(names, rng)
                pairs.append(_pair(name, answer.answer.strip(), 1.0, "alias-answer", answer))
    return pairs


def by_question(judged: Sequence[SystemAnswer]) -> list[list[SystemAnswer]]:
    """Group the answers by question. Those of one question are consecutive in the file."""
    return [list(group) for _, group in groupby(judged, key=lambda answer: (answer.question, answer.golds))]


def names_of(judged: SystemAnswer) -> list[str]:
    """Return the gold answers that can be names of the entity, in order, without brackets at their end.

    The gold answers of TriviaQA are titles of encyclopedia pages that lead to the page of the answer; lists, codes and
    disambiguations are left out. If nothing else is left, the first gold answer is returned.
    """
    stripped = (_BRACKETS.sub("", gold).strip() for gold in judged.golds if not _NO_NAME.search(gold))
    names = [
        name for name in dict.fromkeys(stripped) if name and not _NO_NAME.search(name) and len(name) <= _LONGEST_NAME
    ]
    return names or [judged.golds[0]]


def main_gold(question: Sequence[SystemAnswer]) -> str:
    """Return the name that most of the equivalent answers contain. Ties select the longest, then the first.

    EVOUNA joins all gold answers of a question without marking the one of TriviaQA.
    """
    pick = tokenizer("en")
    right = [f" {' '.join(pick(answer.answer))} " for answer in question if answer.verdict]

    def held(name: str) -> tuple[int, int]:
        words = pick(name)
        return sum(f" {' '.join(words)} " in answer for answer in right) if words else 0, len(words)

    return max(names_of(question[0]), key=held)


def _pair(first: str, second: str, label: float, kind: str, judged: SystemAnswer) -> TrainingPair:
    return TrainingPair(first, second, label, judged.part, f"evouna:{kind}", judged.question)
