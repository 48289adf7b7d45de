"""Length, position and fluency decide no verdict of ``answersim``: minimal pairs, with and without the question.

A right text and its wrong twin differ in the answer alone. The texts were written for this test.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

import answersim
from answersim.calibration.storing import find
from answersim.types import Pair

pytest.importorskip("torch")


class Item(NamedTuple):
    """A question, its gold answer, a wrong answer of the same kind, and two sentences that do not answer it."""

    question: str
    gold: str
    wrong: str
    before: str
    after: str


LINES = """\
Which city is the capital of Australia? | Canberra | Sydney
    Australia is the largest country of Oceania. | Most of its people live near the coast.
Who painted the Mona Lisa? | Leonardo da Vinci | Michelangelo
    The portrait hangs in the Louvre in Paris. | Millions of visitors see it every year.
In which year did the Berlin Wall fall? | 1989 | 1991
    The wall had divided the city for decades. | Parts of it can still be visited.
Which planet is the largest of the solar system? | Jupiter | Saturn
    The solar system has eight planets. | Probes have sent pictures of its moons.
Who wrote the novel Emma? | Jane Austen | Charlotte Brontë
    The novel is set in an English village. | It has been filmed several times.
What is the chemical symbol of gold? | Au | Ag
    The metal is soft and does not rust. | It has been used for coins and jewelry.
Which river flows through London? | the Thames | the Severn
    London was founded by the Romans. | Several tunnels run below it today.
How many strings does a violin have? | four | six
    The instrument is played with a bow. | Its body is made of spruce and maple.
Which language is spoken in Brazil? | Portuguese | Spanish
    Brazil is the largest country of South America. | Schools teach it from the first year on.
Who discovered penicillin? | Alexander Fleming | Louis Pasteur
    The drug changed medicine. | A prize was awarded for it in 1945.
Which ocean lies between Africa and Australia? | the Indian Ocean | the Atlantic Ocean
    Three oceans touch Africa and its islands. | Its monsoon winds carried traders for centuries.
Which animal is the tallest on land? | the giraffe | the elephant
    Many large animals live in the savanna. | It sleeps for less than two hours a day.""".splitlines()
ITEMS = [Item(*f"{one} | {other.strip()}".split(" | ")) for one, other in zip(LINES[::2], LINES[1::2], strict=True)]


def sentence(answer: str) -> str:
    return f"The answer to the question is {answer}."


POSITIONS: dict[str, Callable[[Item, str], str]] = {
    "first": lambda item, answer: f"{sentence(answer)} {item.before} {item.after}",
    "middle": lambda item, answer: f"{item.before} {sentence(answer)} {item.after}",
    "last": lambda item, answer: f"{item.before} {item.after} {sentence(answer)}",
}


TEXTS: dict[str, Callable[[Item], str]] = {
    **{f"{name} {kind}": (lambda item, place=place, kind=kind: place(item, getattr(item, kind)))  # type: ignore[misc]
       for name, place in POSITIONS.items() for kind in ("gold", "wrong")},
    "short gold": lambda item: item.gold,
    "short wrong": lambda item: item.wrong,
    "sentence": lambda item: sentence(item.gold),
    "fluent": lambda item: f"{item.before} {item.after}",
    "denied": lambda item: f"It was {item.wrong}, not {item.gold}.",
    "given": lambda item: f"It was {item.gold}, not {item.wrong}.",
}  # fmt: skip


@pytest.fixture(scope="module", params=[False, True], ids=["without question", "with question"])
def asked(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(scope="module")
def scores(asked: bool) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    """The scores of each kind of text, one per item."""
    pairs = [Pair(item.gold, text(item)) for text in TEXTS.values() for item in ITEMS]
    more = ([item.question for item in ITEMS] * len(TEXTS),) if asked else ()
    rows = answersim.metric("answersim")(pairs, *more)  # type: ignore[call-arg]
    return dict(zip(TEXTS, rows.reshape(len(TEXTS), -1), strict=True))


def test_an_answer_counts_wherever_it_is_in_the_text(scores):
    for position in POSITIONS:
        assert (scores[f"{position} gold"] > scores[f"{position} wrong"]).mean() >= 11 / 12, position
    means = [scores[f"{position} gold"].mean() for position in POSITIONS]
    assert max(means) - min(means) < 0.15


def test_a_long_wrong_answer_is_below_a_short_right_one_and_the_reverse(scores):
    assert (scores["middle wrong"] < scores["short gold"]).all()
    assert (scores["middle gold"] > scores["short wrong"]).mean() >= 11 / 12


def test_fluent_sentences_without_the_answer_do_not_pass(scores, asked):
    assert (scores["fluent"] < scores["sentence"]).all()
    calibration = find("answersim-question" if asked else "answersim")
    assert "equivalent" not in calibration.verdicts(scores["fluent"])


def test_a_text_that_names_the_answer_to_deny_it_is_below_the_answer(scores):
    assert (scores["denied"] < scores["given"]).mean() >= 11 / 12
