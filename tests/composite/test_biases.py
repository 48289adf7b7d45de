"""Length, position and fluency decide no verdict of ``answersim``: minimal pairs, with and without the question.

A right text and its wrong twin differ in the answer alone. The texts were written for this test.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

import answersim
from answersim.calibration.storing import find
from answersim.types import Metric, Pair

pytest.importorskip("torch")


class Item(NamedTuple):
    """A question, its gold answer, a wrong answer of the same kind, and two sentences that do not answer it."""

    question: str
    gold: str
    wrong: str
    before: str
    after: str


ITEMS = [
    Item(
        "Which city is the capital of Australia?",
        "Canberra",
        "Sydney",
        "Australia is the largest country of Oceania.",
        "Most of its people live near the coast.",
    ),
    Item(
        "Who painted the Mona Lisa?",
        "Leonardo da Vinci",
        "Michelangelo",
        "The portrait hangs in the Louvre in Paris.",
        "Millions of visitors see it every year.",
    ),
    Item(
        "In which year did the Berlin Wall fall?",
        "1989",
        "1991",
        "The wall had divided the city for decades.",
        "Parts of it can still be visited.",
    ),
    Item(
        "Which planet is the largest of the solar system?",
        "Jupiter",
        "Saturn",
        "The solar system has eight planets.",
        "Probes have sent pictures of its moons.",
    ),
    Item(
        "Who wrote the novel Emma?",
        "Jane Austen",
        "Charlotte Brontë",
        "The novel is set in an English village.",
        "It has been filmed several times.",
    ),
    Item(
        "What is the chemical symbol of gold?",
        "Au",
        "Ag",
        "The metal is soft and does not rust.",
        "It has been used for coins and jewelry.",
    ),
    Item(
        "Which river flows through London?",
        "the Thames",
        "the Severn",
        "London was founded by the Romans.",
        "Several tunnels run below it today.",
    ),
    Item(
        "How many strings does a violin have?",
        "four",
        "six",
        "The instrument is played with a bow.",
        "Its body is made of spruce and maple.",
    ),
    Item(
        "Which language is spoken in Brazil?",
        "Portuguese",
        "Spanish",
        "Brazil is the largest country of South America.",
        "Schools teach it from the first year on.",
    ),
    Item(
        "Who discovered penicillin?",
        "Alexander Fleming",
        "Louis Pasteur",
        "The drug changed medicine.",
        "A prize was awarded for it in 1945.",
    ),
    Item(
        "Which ocean lies between Africa and Australia?",
        "the Indian Ocean",
        "the Atlantic Ocean",
        "Three oceans touch Africa and its islands.",
        "Its monsoon winds carried traders for centuries.",
    ),
    Item(
        "Which animal is the tallest on land?",
        "the giraffe",
        "the elephant",
        "Many large animals live in the savanna.",
        "It sleeps for less than two hours a day.",
    ),
]


def sentence(answer: str) -> str:
    return f"The answer to the question is {answer}."


POSITIONS: dict[str, Callable[[Item, str], str]] = {
    "first": lambda item, answer: f"{sentence(answer)} {item.before} {item.after}",
    "middle": lambda item, answer: f"{item.before} {sentence(answer)} {item.after}",
    "last": lambda item, answer: f"{item.before} {item.after} {sentence(answer)}",
}


@pytest.fixture(scope="module", params=[False, True], ids=["without question", "with question"])
def asked(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(scope="module")
def metric() -> Metric:
    return answersim.metric("answersim")


def scores(metric: Metric, asked: bool, text: Callable[[Item], str]) -> np.ndarray:  # type: ignore[type-arg]
    """Score one text for each item against its gold answer, shape (items,)."""
    pairs = [Pair(item.gold, text(item)) for item in ITEMS]
    questions = [item.question for item in ITEMS] if asked else None
    return metric(pairs, questions) if questions else metric(pairs)  # type: ignore[call-arg]


@pytest.mark.parametrize("position", POSITIONS)
def test_an_answer_counts_wherever_it_is_in_the_text(metric, asked, position):
    place = POSITIONS[position]
    right, wrong = (
        scores(metric, asked, lambda item, pick=pick: place(item, pick(item)))  # type: ignore[misc]
        for pick in (lambda item: item.gold, lambda item: item.wrong)
    )
    assert (right > wrong).mean() >= 11 / 12


def test_the_place_in_the_text_moves_the_score_of_no_answer_far(metric, asked):
    means = [
        scores(metric, asked, lambda item, place=place: place(item, item.gold)).mean()  # type: ignore[misc]
        for place in POSITIONS.values()
    ]
    assert max(means) - min(means) < 0.15


def test_a_long_wrong_answer_is_below_a_short_right_one_and_the_reverse(metric, asked):
    long_wrong = scores(metric, asked, lambda item: POSITIONS["middle"](item, item.wrong))
    long_right = scores(metric, asked, lambda item: POSITIONS["middle"](item, item.gold))
    short_right = scores(metric, asked, lambda item: item.gold)
    short_wrong = scores(metric, asked, lambda item: item.wrong)
    assert (long_wrong < short_right).all()
    assert (long_right > short_wrong).mean() >= 11 / 12


def test_fluent_sentences_without_the_answer_do_not_pass(metric, asked):
    fluent = scores(metric, asked, lambda item: f"{item.before} {item.after}")
    right = scores(metric, asked, lambda item: sentence(item.gold))
    assert (fluent < right).all()
    calibration = find("answersim-question" if asked else "answersim")
    assert "equivalent" not in calibration.verdicts(fluent)


def test_a_text_that_names_the_answer_to_deny_it_is_below_the_answer(metric, asked):
    denied = scores(metric, asked, lambda item: f"It was {item.wrong}, not {item.gold}.")
    given = scores(metric, asked, lambda item: f"It was {item.gold}, not {item.wrong}.")
    assert (denied < given).mean() >= 11 / 12
