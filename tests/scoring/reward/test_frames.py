"""Each frame has an example that is paid and a counter-example that is not; the forms of attacks are refused."""

from __future__ import annotations

import re
import time

from answersim import Reward
from answersim.answers.extraction.frames import FRAMES, peeled
from tests.cases import every

RULES = Reward("rules")
QUESTION = "Who won best boy band at the radio awards?"
# G: the gold answer. W: another answer. Q: the question.
HONEST = (
    *("G", "G.", "**G**", "It is G.", "The answer is G.", "My final answer: G", "<answer>G</answer>"),
    *("\\boxed{\\text{G}}", "#### G", "(G)", '"G"', "`G`", "- G", "1. G", "G ✅", "the G", "The band G"),
    *("G G G", "G. G.", "Q G", "Q\nA: G", "There is no doubt: G", "No doubt it is G", "None other than G"),
    *("Unless I'm mistaken, G", "Definitely G", "Yes, G", "According to historians, it was G"),
    *("No, it's not W. It's G", "Some say W, but it is G", "G, as far as I know", "W... no wait, G"),
    *("I'd say G", "Of course it's G", "La réponse est G", "答案是G", "=> G", "G, not W", "Not W but G"),
    *("The best boy band was G", "G won best boy band", "G won the best boy band award", "Hi! It's G."),
    *("G it is!", "Well, it is G, because people love them.", "Ich glaube, es ist G", "Je pense que c'est G"),
    *("Gです", "정답은 G입니다", "I'd go for G", "In a word: G", "The passage states that it is G.", "G rather than W"),
    *("It's not W, it's G.", "W? No, G.", "G 😊", "Question: Q\nA: G", "G for sure", "Yo respondería que es G"),
)  # fmt: skip
WRONG = (
    *("W\nG", "<answer>W\nG</answer>", "G W", "G; W", "\\boxed{G, W}", "#### G, W", "G = W", "G | W", "G. W."),
    *("G & W", "G and W", "G, W", "W, G", "G or W", "either G", "maybe G or W", "G / W"),
    *("<answer>G</answer><answer>W</answer>", "kein G", "außer G", "pas G", "ce n'est pas G", "não é G"),
    *("не G", "不是G", "Gではない", "falsch: G", "W ou G", "le frère de G", "sans G", "all save G", "by no means G"),
    *("barring G", "disproved: G", "Lie: G", "G ✗", "❌ G", "G — just kidding", "≠ G", "G is fake news"),
    *("G Jr.", "G II", "G & Sons", "G Street", "G Airport", "G tribute band", "G plus 1", "at least G"),
    *("W outranked G", "W defeated G", "runner-up: G", "the loser was G", "Not G", "not only G"),
    *('{"not_answer": "G"}', "Distractors: G", "See also: G", "Sponsored by G", "pretend it is G"),
    *("According to a hoax, G", "\\boxed{W\\phantom{G}}", "W (G)", "G (wrong)", "G (NOT the answer)"),
    *("G (no, W)", "G (Rome, Oslo, Bern, Madrid)", "G, which it is not", "G, which I doubt"),
    *("G, since nobody knows; W is right", "The least likely answer is G"),
    *("G, as it is not W but could also be Oslo", "rejected answer: G", "The one answer to avoid is G"),
    *("G? No.", "I doubt it is G", "It's not G. It's W", "Some say G, but it is W", "G... no wait, W"),
    *("the best boy band is not G", "G never won", "Q", "Who won? W", "W <!-- G -->", "print('W') # G"),
    *("so-called G", "Is it G?", '"G"?', "// G", "!G", "based on G", "G | yes", "Answer to avoid: G", "G is the city"),
    *("W % G", "The answer is W. A common mistaken answer is G."),
)  # fmt: skip


def completion(form: str) -> str:
    texts = {"G": "BTS", "W": "Linda Davis", "Q": QUESTION}
    return re.sub(r"\b[GWQ]\b|[GWQ](?![A-Za-z])", lambda match: texts[match[0]], form)


def paid(form: str, reward: Reward = RULES) -> float | None:
    return reward(["BTS"], [completion(form)], [QUESTION]).scores[0]


@every("frame", FRAMES)
def test_a_frame_has_an_example_and_a_counter_example(frame):
    assert peeled(frame.example.replace("G", "Zork"), frame.lang)[-1] == "Zork"
    assert "Zork" not in peeled(frame.counter.replace("G", "Zork"), frame.lang)


@every("form", HONEST)
def test_an_honest_form_is_paid(form):
    assert paid(form) == 1.0


@every("form", WRONG)
def test_a_wrong_form_is_not_paid(form):
    assert paid(form) in (0.0, None)


def test_words_of_the_question_explain_an_answer_in_their_order_only():
    question = "Who defeated Brazil in 2014?"
    completions = [
        "Germany defeated Brazil in 2014.",
        "Brazil defeated Germany in 2014.",
        "In 2014 Brazil defeated Germany.",
    ]
    assert RULES(["Germany"] * 3, completions, [question] * 3).scores == [1.0, 0.0, 0.0]
    capital = "What is the capital of Kenya?"
    assert RULES(["Nairobi"], ["The capital of Kenya is Nairobi."], [capital]).scores == [1.0]


@every(
    "gold, swapped",
    [
        ("supply exceeds demand", "demand exceeds supply"),
        ("Germany invaded Poland", "Poland invaded Germany"),
        ("from Paris to Rome", "from Rome to Paris"),
        ("War and Peace", "Peace and War"),
    ],
)
def test_the_same_words_in_another_order_are_undecided(gold, swapped):
    row = RULES([gold], [swapped]).rows[0]
    assert (row.score, row.verdict) == (None, "undecided")


def test_near_values_are_paid_by_the_setting():
    golds, preds = ["6", "24.26", "24.26"], ["6 weeks", "24.257", "24.3"]
    assert Reward("rules")(golds, preds).scores == [1.0, 1.0, None]
    assert Reward("rules", near="wrong")(golds[1:], preds[1:]).scores == [0.0, 0.0]
    assert Reward("rules", near="right")(golds, preds).scores == [1.0, 1.0, 1.0]
    assert Reward("rules", near="wrong").signature != Reward("rules").signature


def test_the_limit_holds_inside_a_row():
    reward = Reward("rules", limit=0.2)
    start = time.monotonic()
    row = reward([[f"answer number {i} of many" for i in range(200_000)]], ["nothing of the kind"]).rows[0]
    assert row.verdict == "undecided"
    assert "limit=0.2" in row.reason
    assert time.monotonic() - start < 60  # without the limit, it takes minutes
