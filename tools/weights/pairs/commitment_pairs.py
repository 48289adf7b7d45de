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
from tools.weights.pairs import statements
from tools.weights.pairs.contrast_pairs import INCOMPLETE, UNDECIDED, exchanged, golds_by_kind, rivals_of
from tools.weights.pairs.date_pairs import MONTHS
from tools.weights.pairs.draws import draw_one
from tools.weights.pairs.judged_pairs import by_question, main_gold, names_of
from tools.weights.tables import table

LONGEST = 60  # words of a text
LONGEST_GOLD = 8  # words of a gold answer that texts are made with
GERMAN = 0.15  # the share of questions whose texts are German
KINDS_EACH = 5  # the kinds of texts of a question
_DATE = re.compile(rf"^(?:({'|'.join(MONTHS)}) (\d{{1,2}}), |(\d{{1,2}}) ({'|'.join(MONTHS)}),? )(\d{{4}})$")
_YEAR = re.compile(r"^(?:1\d|20)\d\d$")

FORMS: dict[str, Any] = table(__file__, "commitment")

Labeled: TypeAlias = "tuple[float, str, str]"  # label, gold answer, text


class Topic(NamedTuple):
    """A question with what texts are made of."""

    question: str  # the question
    gold: str  # its main gold answer
    name: str  # a gold answer to write into texts
    rivals: Sequence[str]  # wrong answers, the most plausible ones first
    right: Sequence[str]  # answers of systems that annotators called right
    names: Sequence[str]  # all gold answers
    split: str  # train, dev or test
    language: str  # the language of the texts

    def drawn(self, kind: str, rng: np.random.Generator) -> str:
        """Return a form of this kind, drawn by rng."""
        return draw_one(FORMS[kind][self.split][self.language], rng)

    def rival(self, rng: np.random.Generator) -> str:
        """Return a wrong answer, mostly a plausible one."""
        return self.rivals[min(int(rng.exponential(1.5)), len(self.rivals) - 1)]


def commitment_pairs(judged: Sequence[SystemAnswer], split: str, *, rng: np.random.Generator) -> list[TrainingPair]:
    """Build texts of five kinds for the gold answer of each question, and pairs of places.

    ``split``: train, dev or test, which decides the forms.
    """
    pairs = [
        TrainingPair(gold, text, label, split, "commitment:places", question)
        for question, label, gold, text in _places(split, rng)
    ]
    for topic in _topics(judged, split, rng):
        kinds = list(KINDS)
        for i in rng.choice(len(kinds), size=KINDS_EACH, replace=False).tolist():
            for label, gold, text in KINDS[kinds[i]](topic, rng):
                if gold.strip() and text.strip() and len(text.split()) <= LONGEST:
                    pairs.append(
                        TrainingPair(gold, text.strip(), label, split, f"commitment:{kinds[i]}", topic.question)
                    )
    return pairs


def _topics(judged: Sequence[SystemAnswer], split: str, rng: np.random.Generator) -> Iterator[Topic]:
    questions = by_question(judged)
    golds = [main_gold(question) for question in questions]
    pools = golds_by_kind(questions, golds)
    for question, gold in zip(questions, golds, strict=True):
        rivals = [
            name.rstrip(".")
            for name in rivals_of(question, gold, pools, golds, rng)
            if len(name.split()) <= LONGEST_GOLD
        ]
        if len(rivals) < 2 or len(gold.split()) > LONGEST_GOLD:
            continue
        names = names_of(question[0])
        name = draw_one(names, rng) if rng.random() < 0.2 else gold
        right = [answer.answer for answer in question if answer.verdict and 3 < len(answer.answer.split()) <= LONGEST]
        language = "de" if rng.random() < GERMAN else "en"
        yield Topic(question[0].question, gold, name, rivals, right, names, split, language)


def _asserted(topic: Topic, answer: str, rng: np.random.Generator) -> str:
    sentence = statements.statement(topic.question, answer) if topic.language == "en" and rng.random() < 0.3 else None
    return sentence or topic.drawn("asserted", rng).format(answer)


def _filled(topic: Topic, text: str, rng: np.random.Generator) -> str:
    """Return the text with up to two fillers before it and one after it."""
    fillers = FORMS["fillers"][topic.split][topic.language]
    order = [fillers[i] for i in rng.permutation(len(fillers))]
    before, after = int(rng.choice(3, p=(0.65, 0.25, 0.1))), rng.random() < 0.2
    return " ".join([*order[:before], text, *(order[-1:] if after else ())])


def _twins(topic: Topic, template: Callable[[str, str], str], rng: np.random.Generator) -> Iterator[Labeled]:
    """Yield a text that gives the gold answer, the same with both answers exchanged, and one of them for the rival."""
    other = topic.rival(rng)
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
    other = topic.rival(rng)
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
    yield 0.0, topic.gold, _filled(topic, unsure.format(topic.rival(rng)), rng)


def _related(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    relation = topic.drawn("related", rng)
    thing = relation.format(topic.name)
    asserted = topic.drawn("asserted", rng)
    yield 0.0, topic.gold, asserted.format(thing)
    yield 1.0, topic.gold, asserted.format(topic.name)
    yield 1.0, thing, asserted.format(thing)
    yield 0.0, thing, asserted.format(topic.name if rng.random() < 0.5 else relation.format(topic.rival(rng)))


def _listed(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    """Yield a list with the gold answer, the same with a decision, the list for itself, and one of names."""
    others = [topic.rivals[i] for i in rng.permutation(len(topic.rivals))[: int(rng.integers(2, 10))]]
    form, joined = topic.drawn("lists", rng), topic.drawn("joined", rng)

    def text(items: Sequence[str]) -> str:
        return form.format(joined.join(items[i] for i in rng.permutation(len(items))))

    items = [topic.name, *others]
    yield 0.0, topic.gold, text(items)
    yield 1.0, ", ".join(items), text(items)
    yield 0.0, ", ".join(items), topic.name if rng.random() < 0.5 else text(others)
    if names := [name for name in topic.names if name != topic.gold and len(name.split()) <= LONGEST_GOLD]:
        yield 1.0, topic.gold, text([topic.gold, *(names[i] for i in rng.permutation(len(names))[:2])])
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
    if not topic.right:
        return
    right, other = draw_one(topic.right, rng), topic.rival(rng)
    wrong = exchanged(right, (topic.gold, *topic.names), other)
    if wrong is None:
        return
    closing = topic.drawn("committed", rng) if rng.random() < 0.5 else topic.drawn("asserted", rng)
    yield 1.0, topic.gold, right
    yield 0.0, topic.gold, wrong
    yield 1.0, topic.gold, f"{right} {closing.format(topic.name, other)}"
    yield 0.0, topic.gold, f"{wrong} {closing.format(other, topic.name)}"
    if rng.random() < 0.5:  # the end decides
        yield 1.0, topic.gold, f"{wrong} {topic.drawn('committed', rng).format(topic.name, other)}"
        yield 0.0, topic.gold, f"{right} {topic.drawn('committed', rng).format(other, topic.name)}"


def _truncated(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    """Yield the opening of an answer that ends before or after it names the gold answer."""
    if not topic.right:
        return
    right = draw_one(topic.right, rng)
    places = [
        match
        for name in (topic.gold, *topic.names)
        if (match := re.search(rf"(?<!\w){re.escape(name)}(?!\w)", right, re.IGNORECASE))
    ]
    if not places:
        return
    before, after = right[: min(place.start() for place in places)], right[: max(place.end() for place in places)]
    if len(before.split()) >= 3:
        yield 0.0, topic.gold, before
        yield 1.0, topic.gold, after


def _dated(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    """Yield less and more specific dates than the gold answer."""
    date = _DATE.match(" ".join(topic.gold.split()))
    if date:
        month, day, year = date[1] or date[4], date[2] or date[3], date[5]
        near = str(int(year) + int(rng.choice((-10, -2, -1, 1, 2, 10))))
        asserted = topic.drawn("asserted", rng)
        yield INCOMPLETE, topic.gold, asserted.format(year if rng.random() < 0.5 else f"{month} {year}")
        yield (
            1.0,
            topic.gold,
            asserted.format(f"{day} {month[:3]} {year}" if rng.random() < 0.5 else f"{month} {day}, {year}"),
        )
        yield 0.0, topic.gold, asserted.format(f"{month} {day}, {near}")
        yield 1.0, year, asserted.format(f"{month} {day}, {year}")
        yield 0.0, year, asserted.format(f"{month} {day}, {near}")
    elif _YEAR.match(topic.gold):
        month, day = MONTHS[int(rng.integers(12))], int(rng.integers(1, 29))
        near = str(int(topic.gold) + int(rng.choice((-10, -2, -1, 1, 2, 10))))
        asserted = topic.drawn("asserted", rng)
        yield (
            1.0,
            topic.gold,
            asserted.format(f"{month} {topic.gold}" if rng.random() < 0.5 else f"{day} {month} {topic.gold}"),
        )
        yield 0.0, topic.gold, asserted.format(f"{day} {month} {near}")
        yield INCOMPLETE, topic.gold, asserted.format(f"the {topic.gold[:3]}0s")


def _places(split: str, rng: np.random.Generator) -> Iterator[tuple[str, float, str, str]]:
    """Yield a question, a label, a gold answer and a text for cities and their countries."""
    places, asserted = FORMS["places"][split], FORMS["asserted"][split]["en"]
    for city, country, other in places:
        for _ in range(8 if split == "train" else 3):
            form = draw_one(asserted, rng)
            where = draw_one(FORMS["city_questions"][split], rng)
            yield where, 1.0, city, form.format(f"{city}, {country}")
            yield where, INCOMPLETE, city, form.format(country)
            yield where, 0.0, city, form.format(f"{other}, {country}")
            where = draw_one(FORMS["country_questions"][split], rng)
            yield where, 1.0, country, form.format(f"{city}, {country}")
            far = draw_one(places, rng)[1]
            if far != country:
                yield where, 0.0, country, form.format(f"{city}, {far}")


KINDS: dict[str, Callable[[Topic, np.random.Generator], Iterator[Labeled]]] = {
    "committed": _committed,
    "decided": _decided,
    "denied": _denied,
    "refused": _refused,
    "related": _related,
    "listed": _listed,
    "tagged": _tagged,
    "argued": _argued,
    "truncated": _truncated,
    "dated": _dated,
}
