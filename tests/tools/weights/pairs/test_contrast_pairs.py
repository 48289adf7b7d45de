"""Minimal pairs: which answers are exchanged, that positives have twins, and what the prediction alone tells."""

from collections import Counter

import numpy as np

from answersim.evaluation.data.system_answers import SystemAnswer
from tests.cases import every
from tools.weights.pairs.contrast_pairs import (
    INCOMPLETE,
    UNDECIDED,
    contrast_pairs,
    exchanged,
    kind_of,
)


def judged(n=40):
    """Questions with two gold answers, a correct sentence, a correct phrase and a wrong phrase."""
    answers = []
    for i in range(n):
        question, golds = f"Which river is number {i}?", (f"River {i}", f"Stream {i}")
        texts = (f"The river with this number is River {i}, of course.", f"Stream {i}", f"Creek {i}")
        for system, text in enumerate(texts):
            answers.append(SystemAnswer(question, golds, f"s{system}", text, system < 2, "train"))
    return answers


def pairs(seed=0, n=40):
    return contrast_pairs(judged(n), rng=np.random.default_rng(seed))


@every(
    ("question", "gold", "kind"),
    [
        ("When did it end?", "1945", "year"),
        ("When did it end?", "8 May 1945", "date"),
        ("How many are there?", "3,600", "number"),
        ("Which river flows through Paris?", "Seine", "which river/1"),
        ("What  river flows through Rome?", "Tiber", "which river/1"),
        ("Who wrote it?", "Jane Austen", "who/2"),
        ("Name it.", "a cat", "other common/2"),
        ("Who?", "one two three four", "who common/3"),
    ],
)
def test_the_kind_of_an_answer(question, gold, kind):
    assert kind_of(question, gold) == kind


def test_every_form_is_built_and_labeled():
    labels = {}
    for pair in pairs():
        labels.setdefault(pair.source.removeprefix("contrast:"), set()).add(pair.label)
    assert labels == {
        "exchanged": {0.0},
        "as given": {0.0, 1.0},
        "both exchanged": {1.0},
        "other question": {0.0},
        "rival": {0.0},
        "statement": {0.0, 1.0},
        "mention": {0.0, 1.0},
        "undecided": {UNDECIDED},
        "refusal": {0.0},
        "negation": {0.0, 0.1},
        "list": {0.0, INCOMPLETE, 1.0},
    }


def test_the_exchanged_sentence_contains_another_answer_and_not_the_gold_one():
    texts = [pair for pair in pairs() if pair.source == "contrast:exchanged"]
    assert texts
    for pair in texts:
        assert exchanged(pair.second, [pair.first], "") is None


def test_the_prediction_alone_does_not_show_the_label_of_a_mention():
    """A model that reads the prediction alone: every template asserts gold answers as often as others."""
    shapes = {0.0: Counter(), 1.0: Counter()}
    for seed in range(30):
        for pair in pairs(seed):
            if pair.source == "contrast:mention":
                words = [
                    "*" if any(c.isdigit() for c in word) or word in ("River", "Stream", "Creek") else word
                    for word in pair.second.split()
                ]
                shapes[pair.label][" ".join(words)] += 1
    total = sum(shapes[1.0].values())
    for shape, count in shapes[1.0].items():
        assert abs(count - shapes[0.0][shape]) < 0.03 * total
