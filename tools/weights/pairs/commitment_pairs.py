"""Pairs that ask which answer a text commits to: made texts, right and wrong ones from the same answers.

The texts of ``sources/commitment.json`` change their mind, decide, deny, list, refuse, hide or compute. Each wrong text
has a right twin of nearly the same words, or the same text is right for another gold answer, so that neither side of a
pair decides alone. The forms, fillers and places of train, dev and test have nothing in common.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from answersim.training.data.pairs import TrainingPair
from benchmarks.system_answers import SystemAnswer
from tools.tables import table
from tools.weights.pairs import statements
from tools.weights.pairs.contrast_pairs import INCOMPLETE, UNDECIDED, exchanged
from tools.weights.pairs.date_pairs import MONTHS
from tools.weights.pairs.draws import draw_one, shuffled
from tools.weights.pairs.judged_pairs import Question, by_question, plausible, with_rivals

LONGEST = 60  # words of a text
LONGEST_GOLD = 8  # words of a gold answer that texts are made with
GERMAN = 0.15  # the share of questions whose texts are German
KINDS_EACH = 5  # the kinds of texts of a question
_DATE = re.compile(rf"^(?:({'|'.join(MONTHS)}) (\d{{1,2}}), |(\d{{1,2}}) ({'|'.join(MONTHS)}),? )(\d{{4}})$")
_YEAR = re.compile(r"^(?:1\d|20)\d\d$")

FORMS: dict[str, Any] = table(__file__, "commitment.json")

Labeled: TypeAlias = "tuple[float, str, str]"  # label, gold answer, text


class Topic(NamedTuple):
    """A question with what texts are made of."""

    question: Question  # the question
    gold: str  # its main gold answer
    name: str  # a gold answer to write into texts
    rivals: Sequence[str]  # wrong answers, the most plausible ones first
    split: str  # train, dev or test
    language: str  # the language of the texts

    def drawn(self, kind: str, rng: np.random.Generator) -> str:
        """Return a form of this kind, drawn by rng."""
        return draw_one(FORMS[kind][self.split][self.language], rng)

    def right(self) -> list[str]:
        """Return the sentences of systems that annotators called right."""
        return [text for text in self.question.right(3) if len(text.split()) <= LONGEST]


def commitment_pairs(judged: Sequence[SystemAnswer], split: str, *, rng: np.random.Generator) -> list[TrainingPair]:
    """Build texts of five kinds for the gold answer of each question, and pairs of places.

    ``split``: train, dev or test, which decides the forms.
    """
    pairs = list(_places(split, rng))
    for topic in _topics(judged, split, rng):
        for i in rng.choice(len(KINDS), size=KINDS_EACH, replace=False).tolist():
            source = f"commitment:{KINDS[i].__name__[1:]}"
            for label, gold, text in KINDS[i](topic, rng):
                if gold.strip() and text.strip() and len(text.split()) <= LONGEST:
                    pairs.append(TrainingPair(gold, text.strip(), label, split, source, topic.question.text))
    return pairs


def _topics(judged: Sequence[SystemAnswer], split: str, rng: np.random.Generator) -> Iterator[Topic]:
    for question, listed in with_rivals(by_question(judged), rng):
        rivals = [name.rstrip(".") for name in listed if len(name.split()) <= LONGEST_GOLD]
        if len(rivals) >= 2 and len(question.gold.split()) <= LONGEST_GOLD:
            name = draw_one(question.names, rng) if rng.random() < 0.2 else question.gold
            yield Topic(question, question.gold, name, rivals, split, "de" if rng.random() < GERMAN else "en")


def _asserted(topic: Topic, answer: str, rng: np.random.Generator) -> str:
    sentence = (
        statements.statement(topic.question.text, answer) if topic.language == "en" and rng.random() < 0.3 else None
    )
    return sentence or topic.drawn("asserted", rng).format(answer)


def _filled(topic: Topic, text: str, rng: np.random.Generator) -> str:
    """Return the text with up to two fillers before it and one after it."""
    order = shuffled(FORMS["fillers"][topic.split][topic.language], rng)
    before, after = int(rng.choice(3, p=(0.65, 0.25, 0.1))), rng.random() < 0.2
    return " ".join([*order[:before], text, *(order[-1:] if after else ())])


def _twins(topic: Topic, template: Callable[[str, str], str], rng: np.random.Generator) -> Iterator[Labeled]:
    """Yield a text that gives the gold answer, the same with both answers exchanged, and one of them for the rival."""
    other = plausible(topic.rivals, rng)
    right = _filled(topic, template(topic.name, other), rng)
    wrong = _filled(topic, template(other, topic.name), rng)
    yield 1.0, topic.gold, right
    yield 0.0, topic.gold, wrong
    if rng.random() < 0.3:
        yield (1.0, other, wrong) if rng.random() < 0.5 else (0.0, other, right)


def _committed(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    yield from _twins(topic, topic.drawn("committed", rng).format, rng)


def _decided(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    """Yield texts that leave two answers open, and the same ones with a decision at the end."""
    opening, closing = topic.drawn("open", rng), topic.drawn("asserted", rng)
    swap = rng.random() < 0.5

    def decision(one: str, two: str) -> str:
        return f"{opening.format(*((two, one) if swap else (one, two)))} {closing.format(one)}"

    yield from _twins(topic, decision, rng)
    other = plausible(topic.rivals, rng)
    answers = (other, topic.name) if swap else (topic.name, other)
    yield UNDECIDED, topic.gold, _filled(topic, opening.format(*answers), rng)


def _denied(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    denial, asserted = topic.drawn("denied", rng), topic.drawn("asserted", rng)
    yield from _twins(topic, lambda one, two: f"{denial.format(two)} {asserted.format(one)}", rng)
    yield 0.0, topic.gold, _filled(topic, denial.format(topic.name), rng)
    yield 1.0, topic.gold, _filled(topic, _asserted(topic, topic.name, rng), rng)


def _refused(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    unsure = topic.drawn("unsure", rng)
    yield 0.0, topic.gold, _filled(topic, topic.drawn("refused", rng).format(topic.name), rng)
    yield 1.0, topic.gold, _filled(topic, unsure.format(topic.name), rng)
    yield 0.0, topic.gold, _filled(topic, unsure.format(plausible(topic.rivals, rng)), rng)


def _related(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    relation = topic.drawn("related", rng)
    thing = relation.format(topic.name)
    asserted = topic.drawn("asserted", rng)
    yield 0.0, topic.gold, asserted.format(thing)
    yield 1.0, topic.gold, asserted.format(topic.name)
    yield 1.0, thing, asserted.format(thing)
    yield (
        0.0,
        thing,
        asserted.format(topic.name if rng.random() < 0.5 else relation.format(plausible(topic.rivals, rng))),
    )


def _listed(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    """Yield a list with the gold answer, the same with a decision, the list for itself, and one of names."""
    order = shuffled(topic.rivals, rng)
    others = order[: int(rng.integers(2, 10))]
    form, joined = topic.drawn("lists", rng), topic.drawn("joined", rng)

    def text(items: Sequence[str]) -> str:
        return form.format(joined.join(shuffled(items, rng)))

    items = [topic.name, *others]
    yield 0.0, topic.gold, text(items)
    yield 1.0, ", ".join(items), text(items)
    yield 0.0, ", ".join(items), topic.name if rng.random() < 0.5 else text(others)
    others_of_gold = [name for name in topic.question.names if name != topic.gold]
    if names := [name for name in others_of_gold if len(name.split()) <= LONGEST_GOLD]:
        yield 1.0, topic.gold, text([topic.gold, *shuffled(names, rng, 2)])
    closing = topic.drawn("asserted", rng)
    yield 1.0, topic.gold, f"{text(items)} {closing.format(topic.name)}"
    yield 0.0, topic.gold, f"{text(items)} {closing.format(others[0])}"


def _tagged(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    """Yield an argument that names an answer, and then a marked answer, perhaps another one."""
    tagged = topic.drawn("tagged", rng)
    body = topic.drawn("open" if rng.random() < 0.5 else "denied", rng)
    first = rng.random() < 0.3

    def text(one: str, two: str) -> str:
        argument, answer = body.format(two, one), tagged.format(one)
        return f"{answer}\n{argument}" if first else f"{argument}\n{answer}"

    yield from _twins(topic, text, rng)


def _argued(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    """Yield the answer of a system, then the same with its answer exchanged, before or after a decision."""
    if not (listed := topic.right()):
        return
    right, other = draw_one(listed, rng), plausible(topic.rivals, rng)
    wrong = exchanged(right, (topic.gold, *topic.question.names), other)
    if wrong is None:
        return
    closing = topic.drawn("committed" if rng.random() < 0.5 else "asserted", rng)
    yield 1.0, topic.gold, right
    yield 0.0, topic.gold, wrong
    yield 1.0, topic.gold, f"{right} {closing.format(topic.name, other)}"
    yield 0.0, topic.gold, f"{wrong} {closing.format(other, topic.name)}"
    if rng.random() < 0.5:  # the end decides
        yield 1.0, topic.gold, f"{wrong} {topic.drawn('committed', rng).format(topic.name, other)}"
        yield 0.0, topic.gold, f"{right} {topic.drawn('committed', rng).format(other, topic.name)}"


def _truncated(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    """Yield the opening of an answer that ends before or after it names the gold answer."""
    if not (listed := topic.right()):
        return
    right = draw_one(listed, rng)
    names = (topic.gold, *topic.question.names)
    found = [re.search(rf"(?<!\w){re.escape(name)}(?!\w)", right, re.IGNORECASE) for name in names]
    places = [match.span() for match in found if match]
    if places and len((before := right[: min(start for start, _ in places)]).split()) >= 3:
        yield 0.0, topic.gold, before
        yield 1.0, topic.gold, right[: max(end for _, end in places)]


def _dated(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    """Yield less and more specific dates than the gold answer."""
    gold = topic.gold
    if date := _DATE.match(" ".join(gold.split())):
        month, day, year = date[1] or date[4], date[2] or date[3], date[5]
        near, said = _near_year(year, rng), topic.drawn("asserted", rng).format
        yield INCOMPLETE, gold, said(year if rng.random() < 0.5 else f"{month} {year}")
        yield 1.0, gold, said(f"{day} {month[:3]} {year}" if rng.random() < 0.5 else f"{month} {day}, {year}")
        yield 0.0, gold, said(f"{month} {day}, {near}")
        yield 1.0, year, said(f"{month} {day}, {year}")
        yield 0.0, year, said(f"{month} {day}, {near}")
    elif _YEAR.match(gold):
        month, number = MONTHS[int(rng.integers(12))], int(rng.integers(1, 29))
        near, said = _near_year(gold, rng), topic.drawn("asserted", rng).format
        yield 1.0, gold, said(f"{month} {gold}" if rng.random() < 0.5 else f"{number} {month} {gold}")
        yield 0.0, gold, said(f"{number} {month} {near}")
        yield INCOMPLETE, gold, said(f"the {gold[:3]}0s")


def _near_year(year: str, rng: np.random.Generator) -> int:
    return int(year) + int(rng.choice((-10, -2, -1, 1, 2, 10)))


def _places(split: str, rng: np.random.Generator) -> Iterator[TrainingPair]:
    """Yield pairs about cities and their countries."""
    places, asserted = FORMS["places"][split], FORMS["asserted"][split]["en"]
    for city, country, other in [place for place in places for _ in range(8 if split == "train" else 3)]:
        form = draw_one(asserted, rng)
        of_city, of_country = (draw_one(FORMS[f"{kind}_questions"][split], rng) for kind in ("city", "country"))
        far = draw_one(places, rng)[1]
        for question, label, gold, text in (
            (of_city, 1.0, city, f"{city}, {country}"),
            (of_city, INCOMPLETE, city, country),
            (of_city, 0.0, city, f"{other}, {country}"),
            (of_country, 1.0, country, f"{city}, {country}"),
            *([(of_country, 0.0, country, f"{city}, {far}")] if far != country else []),
        ):
            yield TrainingPair(gold, form.format(text), label, split, "commitment:places", question)


KINDS: Sequence[Callable[[Topic, np.random.Generator], Iterator[Labeled]]] = [
    *(_committed, _decided, _denied, _refused, _related, _listed, _tagged, _argued, _truncated, _dated)
]
