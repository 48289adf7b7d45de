"""What the shipped reranker learns from: questions with one positive each, and negatives that are positives elsewhere.

Every text is under a license that allows it: SelQA (seven of eight questions of its dev split), the part "train" of
EVOUNA's TriviaQA questions, training questions of SemEval-2013 Task 7, and definitions of WordNet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from answersim.checkpoints import sha256
from answersim.data.system_answers import EVOUNA, load_evouna
from answersim.training.data import graded_answers, judged_pairs, wordnet_pairs
from answersim.training.data.mixture import DICTIONARY, TASK7
from rankers.data.disjoint import negatives, normalized
from rankers.data.pools import Answer, Group, shelve
from rankers.data.trainable import trainable
from rankers.types import Questions

NAME = "reranker-training"
LEAST, MOST = 5, 79  # words of an answer
LEAST_DEFINITION = 6
SELQA = "ranking/selqa/dev.tsv"


class Example(NamedTuple):
    """A question with its positive.

    Attributes:
        question: Its text.
        positive: A text that answers it.
        own: Texts beside the positive that do not answer it, and that are a positive of no question.
        source: Where it is from.
    """

    question: str
    positive: str
    own: tuple[str, ...]
    source: str


class Pools(NamedTuple):
    """What the reranker learns from, and what an epoch is chosen by.

    Attributes:
        train: Questions with one positive each.
        dev: The other questions of SelQA, as they are.
        sources: How many questions of each source are in ``train``.
        files: The SHA-256 of the files that were read, by name.
    """

    train: Questions
    dev: Questions
    sources: dict[str, int]
    files: dict[str, str]


def pools(data: Path, *, own: int, cross: int, definitions: int, seed: int = 0, dictionary: Path = DICTIONARY) -> Pools:
    """Return the training pools.

    The negatives of a question are positives of other questions of its source, drawn from the fifth that shares most
    words with it, so that each is a negative ``cross`` times; and up to ``own`` of its own negatives.

    Args:
        data: The data folder.
        own: How many own negatives a question of SelQA gets at most: sentences of the same section.
        cross: How many negatives a question gets from other questions.
        definitions: How many nouns of WordNet are questions.
        seed: Decides what is drawn.
        dictionary: The folder of the files of WordNet.

    Raises:
        FileNotFoundError: If a file is missing.
    """
    rng = np.random.default_rng(seed)
    learned, dev = trainable("selqa", home=data)
    found = [
        *_selqa(learned, own, rng),
        *_evouna(data / EVOUNA, rng),
        *_task7(data / TASK7),
        *_definitions(dictionary, definitions, np.random.default_rng([seed, 1])),
    ]
    by_source: dict[str, list[Example]] = {}
    for example in _distinct(found):
        by_source.setdefault(example.source, []).append(example)
    groups = [group for examples in by_source.values() for group in _groups(examples, cross)]
    names = [SELQA, EVOUNA, TASK7]
    files = {name: sha256(data / name) for name in names}
    files |= {f"wordnet/data.{part}": sha256(dictionary / f"data.{part}") for part in wordnet_pairs.PARTS}
    return Pools(
        Questions(NAME, "train", shelve(groups, NAME, "train", seed)),
        dev,
        {source: len(examples) for source, examples in by_source.items()},
        files,
    )


def _selqa(questions: Questions, own: int, rng: np.random.Generator) -> Iterator[Example]:
    for question in questions:
        right = [c.text for c in question.candidates if questions.is_relevant(c)]
        other = [c.text for c in question.candidates if not questions.is_relevant(c)]
        if right:
            drawn = tuple(other[i] for i in rng.permutation(len(other))[:own])
            yield Example(question.text, right[0], drawn, "selqa")


def _evouna(path: Path, rng: np.random.Generator) -> Iterator[Example]:
    """Yield each question of the part "train" with one of its correct answers that is a sentence."""
    for answers in judged_pairs.by_question(load_evouna("train", path=path)):
        right = [answer.answer.strip() for answer in answers if answer.verdict and _fits(answer.answer)]
        if right:
            yield Example(answers[0].question, right[int(rng.integers(len(right)))], (), "evouna")


def _task7(path: Path) -> Iterator[Example]:
    """Yield each training question with its best reference answer."""
    seen = set()
    for question, references, _, _ in graded_answers.read_archive(path):
        is_new = question not in seen and graded_answers.split_of(question) == "train"
        if is_new and len(references[0].split()) >= LEAST:
            seen.add(question)
            yield Example(question, references[0], (), "task7")


def _definitions(folder: Path, n: int, rng: np.random.Generator) -> Iterator[Example]:
    """Yield n nouns with the definition of their first meaning that is drawn."""
    if not n:
        return
    synsets = [
        synset
        for synset in wordnet_pairs.read_dictionary(folder).values()
        if synset.key.startswith(wordnet_pairs.PARTS["noun"]) and len(synset.gloss.split()) >= LEAST_DEFINITION
    ]
    words: set[str] = set()
    for i in rng.permutation(len(synsets)):
        word = synsets[i].words[0]
        if word.lower() not in words:
            words.add(word.lower())
            yield Example(f"what is {word}?", synsets[i].gloss, (), "wordnet")
        if len(words) == n:
            return


def _fits(text: str) -> bool:
    return LEAST <= len(text.split()) <= MOST


def _distinct(examples: Sequence[Example]) -> list[Example]:
    """Return the examples whose positive, and question, is no positive before them."""
    seen: set[str] = set()
    kept = []
    for example in examples:
        positive = normalized(example.positive)
        if not {positive, normalized(example.question)} & seen:
            seen.add(positive)
            kept.append(example)
    return kept


def _groups(examples: Sequence[Example], cross: int) -> Iterator[Group]:
    n = min(cross, len(examples) - 1)
    drawn = negatives([e.question for e in examples], [e.positive for e in examples], n)
    for example, places in zip(examples, drawn.tolist(), strict=True):
        texts = dict.fromkeys([*example.own, *(examples[place].positive for place in places)])
        wrong = [text for text in texts if normalized(text) != normalized(example.positive)]
        yield Group(example.question, (Answer(example.positive, 1), *(Answer(text, 0) for text in wrong)))
