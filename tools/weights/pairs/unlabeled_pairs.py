"""Pairs without human labels, for a teacher: answers to one question, answers to different questions, two sentences.

Source: Augmented SBERT (Thakur et al. 2021, section 3.1), whose teacher labels pairs like these.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from answersim.answers.text.tokens import tokenizer
from answersim.evaluation.data.system_answers import SystemAnswer
from answersim.training.data.pairs import TrainingPair
from tools.weights.pairs import sampling
from tools.weights.pairs.contrast_pairs import LONGEST, kind_of
from tools.weights.pairs.draws import draw_one
from tools.weights.pairs.judged_pairs import SHORT, by_question, main_gold, names_of

ANSWERS = 12  # pairs of two answers to each question
STRANGERS = 2  # pairs of each question with answers to other questions


def answer_pairs(judged: Sequence[SystemAnswer], *, rng: np.random.Generator) -> list[TrainingPair]:
    """Pair the answers to each question with each other, and its gold answer with answers to other questions.

    In a pair of two answers, the first one has at most six words if there is such an answer that is not a gold answer.
    An answer of another question has the same kind (see ``kind_of``). No pair has a label. The draws of each question
    depend on rng only.
    """
    questions = by_question(judged)
    golds = [main_gold(question) for question in questions]
    by_kind: dict[str, list[int]] = {}
    for i, (question, gold) in enumerate(zip(questions, golds, strict=True)):
        by_kind.setdefault(kind_of(question[0].question, gold), []).append(i)
    pairs: list[TrainingPair] = []
    for i, (question, gold) in enumerate(zip(questions, golds, strict=True)):
        texts = _two_answers(question, rng)
        alike = [j for j in by_kind[kind_of(question[0].question, gold)] if j != i]
        for j in rng.permutation(len(alike))[:STRANGERS]:
            others = [answer.answer.strip() for answer in questions[alike[j]] if _usable(answer.answer)]
            if others:
                texts.append((gold, draw_one(others, rng)))
        pairs += [_pair(first, second, question[0]) for first, second in dict.fromkeys(texts)]
    return pairs


def sentence_pairs(labeled: Sequence[TrainingPair], *, rng: np.random.Generator) -> list[TrainingPair]:
    """Pair each text with the one that shares the most words with it, by BM25, within each split; without labels.

    Raise MissingExtraError if bm25s is not installed.
    """
    sampled = sampling.sample(labeled, sampling.Sampling("bm25", k=1), rng)
    return [pair._replace(source="unlabeled:sentences") for pair in sampled]


def _two_answers(question: Sequence[SystemAnswer], rng: np.random.Generator) -> list[tuple[str, str]]:
    pick = tokenizer("en")
    answers = list(dict.fromkeys(answer.answer.strip() for answer in question if _usable(answer.answer)))
    names = {" ".join(pick(name)) for name in names_of(question[0])}
    short = [text for text in answers if len(text.split()) <= SHORT and " ".join(pick(text)) not in names]
    pairs = [(first, second) for first in short or answers for second in answers if first != second]
    return [pairs[i] for i in sorted(rng.permutation(len(pairs))[:ANSWERS])]


def _usable(answer: str) -> bool:
    return 0 < len(answer.split()) <= LONGEST


def _pair(first: str, second: str, judged: SystemAnswer) -> TrainingPair:
    return TrainingPair(first, second, None, judged.part, "unlabeled:answers", judged.question)
