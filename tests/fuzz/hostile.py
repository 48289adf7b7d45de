"""Rewards of hostile and of honest texts: forms in ``hostile.tsv``, with answers that are drawn anew.

The table of the fuzz has one line per kind, whose failures are the wrong answers that the rules pay, or the honest ones
that they refuse. Its rate is the share of these among the drawn texts of this kind.
"""

import csv
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from answersim import Reward
from tests.fuzz.area import Checked, Round, area

FORMS = Path(__file__).with_name("hostile.tsv")
HONEST = "honest"
PAID = 0.5
ROWS = 200  # of a round
_FIRST = "Clara Edgar Ingrid Marco Yusuf Hanna Pavel Renée Tomás Wilma Oscar Leila".split()
_LAST = "Brandt Okafor Lindqvist Moreau Tanaka Silva Novak Petrov Haddad Jansen Rossi Kim".split()
_PLACES = "Lisbon Nairobi Quito Tallinn Osaka Bergen Tampico Gdansk Lahore Cusco Windhoek Hobart".split()
_MONTHS = "January March May June August October November".split()
_UNITS = "kg", "km", "litres", "hours", "%"

Answers = tuple[str, str, str]


def forms() -> dict[str, list[str]]:
    """Return the forms of each kind, with line breaks and tabs."""
    with FORMS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    by_kind: dict[str, list[str]] = {}
    for row in rows:
        text = row["form"].replace("\\\\", "\0").replace("\\n", "\n").replace("\\t", "\t").replace("\0", "\\")
        by_kind.setdefault(row["kind"], []).append(text)
    return by_kind


def _different(rng: random.Random, draw: Callable[[], str]) -> Answers:
    """Return a gold answer, a wrong one and another wrong one."""
    drawn = list(dict.fromkeys(draw() for _ in range(40)))
    return drawn[0], drawn[1], drawn[2]


def answers(rng: random.Random) -> Answers:
    """Return a gold answer and two wrong ones of the same kind: people, places, numbers, amounts or dates."""
    kinds: tuple[Callable[[], str], ...] = (
        lambda: f"{rng.choice(_FIRST)} {rng.choice(_LAST)}",
        lambda: rng.choice(_PLACES),
        lambda: str(rng.randrange(2, 5000)),
        lambda: f"{rng.randrange(2, 900)} {rng.choice(_UNITS)}".replace(" %", "%"),
        lambda: f"{rng.randrange(1, 28)} {rng.choice(_MONTHS)} {rng.randrange(1700, 2020)}",
    )
    return _different(rng, rng.choice(kinds))


def texts(rng: random.Random, kind: str, number: int = ROWS) -> Iterator[tuple[str, str]]:
    """Yield gold answers, each with a text of this kind."""
    known = forms()[kind]
    for _ in range(number):
        gold, wrong, other = answers(rng)
        yield gold, rng.choice(known).format(gold=gold, wrong=wrong, other=other)


def _area(kind: str) -> None:
    promise = "the rules pay it" if kind == HONEST else "the rules do not pay it"

    @area(f"hostile: {kind}" if kind != HONEST else kind, promise)
    def hostile() -> Iterator[Round]:
        reward = Reward("rules")

        def make_round(rng: random.Random) -> Checked:
            rows = list(texts(rng, kind))
            scores = reward([gold for gold, _ in rows], [text for _, text in rows]).scores
            bad = [
                f"{text!r} for {gold!r} has the reward {score}"
                for (gold, text), score in zip(rows, scores, strict=True)
                if (score is not None and score >= PAID) is not (kind == HONEST)
            ]
            return len(rows), bad

        yield make_round


for name in forms():
    _area(name)
