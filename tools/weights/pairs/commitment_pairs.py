"""Pairs that ask which answer a text commits to: made texts, right and wrong ones from the same answers.

Each wrong text has a right twin of nearly the same words, or the same text is right for another gold answer, so that
neither side of a pair decides alone. The forms, fillers and places of train, dev and test have nothing in common.
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
from tools.weights.pairs.confusable_pairs import MONTHS
from tools.weights.pairs.contrast_pairs import INCOMPLETE, UNDECIDED, exchanged
from tools.weights.pairs.draws import draw_one, shuffled
from tools.weights.pairs.judged_pairs import Question, by_question, plausible, with_rivals

LONGEST = 60  # words of a text
LONGEST_GOLD = 8  # words of a gold answer that texts are made with
GERMAN = 0.15  # the share of questions whose texts are German
KINDS_EACH = 5  # the kinds of texts of a question
_DATE = re.compile(rf"^(?:({'|'.join(MONTHS)}) (\d{{1,2}}), |(\d{{1,2}}) ({'|'.join(MONTHS)}),? )(\d{{4}})$")
_YEAR = re.compile(r"^(?:1\d|20)\d\d$")

FORMS: dict[str, Any] = table(__file__, "commitment.json")

Labeled: TypeAlias = tuple[float, str, str]  # label, gold answer, text


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
    """Build texts of five kinds with forms of the split for the gold answer of each question, and pairs of places."""
    pairs = list(_places(split, rng))
    for question, listed in with_rivals(by_question(judged), rng):
        rivals = [name.rstrip(".") for name in listed if len(name.split()) <= LONGEST_GOLD]
        if len(rivals) < 2 or len(question.gold.split()) > LONGEST_GOLD:
            continue
        name = draw_one(question.names, rng) if rng.random() < 0.2 else question.gold
        topic = Topic(question, question.gold, name, rivals, split, "de" if rng.random() < GERMAN else "en")
        for i in rng.choice(len(KINDS), size=KINDS_EACH, replace=False).tolist():
            source = f"commitment:{KINDS[i].__name__[1:]}"
            for label, gold, text in KINDS[i](topic, rng):
                if gold.strip() and text.strip() and len(text.split()) <= LONGEST:
                    pairs.append(TrainingPair(gold, text.strip(), label, split, source, topic.question.text))
    return pairs


def _filled(topic: Topic, text: str, rng: np.random.Generator) -> str:
    """Return the text with up to two fillers before it and one after it."""
    order = shuffled(FORMS["fillers"][topic.split][topic.language], rng)
    before, after = int(rng.choice(3, p=(0.65, 0.25, 0.1))), rng.random() < 0.2
    return " ".join([*order[:before], text, *(order[-1:] if after else ())])


def _twins(topic: Topic, template: Callable[[str, str], str], rng: np.random.Generator) -> Iterator[Labeled]:
    """Yield a text that gives the gold answer, the same with both answers exchanged, and one of them for the rival."""
    other = plausible(topic.rivals, rng)
    answers = ((topic.name, other), (other, topic.name))
    right, wrong = (_filled(topic, template(*both), rng) for both in answers)
    yield 1.0, topic.gold, right
    yield 0.0, topic.gold, wrong
    if rng.random() < 0.3:
        yield (1.0, other, wrong) if rng.random() < 0.5 else (0.0, other, right)


def _committed(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    yield from _twins(topic, topic.drawn("committed", rng).format, rng)


def _decided(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    """Yield texts that leave two answers open, and the same ones with a decision at the end."""
    opening, closing = topic.drawn("open", rng), topic.drawn("asserted", rng)
    step = -1 if rng.random() < 0.5 else 1
    yield from _twins(topic, lambda *both: f"{opening.format(*both[::step])} {closing.format(both[0])}", rng)
    answers = (topic.name, plausible(topic.rivals, rng))
    yield UNDECIDED, topic.gold, _filled(topic, opening.format(*answers[::step]), rng)


def _denied(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    denial, asserted = topic.drawn("denied", rng), topic.drawn("asserted", rng)
    yield from _twins(topic, lambda one, two: f"{denial.format(two)} {asserted.format(one)}", rng)
    yield 0.0, topic.gold, _filled(topic, denial.format(topic.name), rng)
    is_statement = topic.language == "en" and rng.random() < 0.3
    sentence = statements.statement(topic.question.text, topic.name) if is_statement else None
    yield 1.0, topic.gold, _filled(topic, sentence or topic.drawn("asserted", rng).format(topic.name), rng)


def _refused(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    unsure, refused = topic.drawn("unsure", rng), topic.drawn("refused", rng)
    yield 0.0, topic.gold, _filled(topic, refused.format(topic.name), rng)
    yield 1.0, topic.gold, _filled(topic, unsure.format(topic.name), rng)
    yield 0.0, topic.gold, _filled(topic, unsure.format(plausible(topic.rivals, rng)), rng)


def _related(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    relation, asserted = topic.drawn("related", rng), topic.drawn("asserted", rng)
    thing = relation.format(topic.name)
    yield 0.0, topic.gold, asserted.format(thing)
    yield 1.0, topic.gold, asserted.format(topic.name)
    yield 1.0, thing, asserted.format(thing)
    other = topic.name if rng.random() < 0.5 else relation.format(plausible(topic.rivals, rng))
    yield 0.0, thing, asserted.format(other)


def _listed(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    """Yield a list with the gold answer, the same with a decision, the list for itself, and one of names."""
    others = shuffled(topic.rivals, rng)[: int(rng.integers(2, 10))]
    form, joined, items = topic.drawn("lists", rng), topic.drawn("joined", rng), [topic.name, *others]

    def text(items: Sequence[str]) -> str:
        return form.format(joined.join(shuffled(items, rng)))

    yield 0.0, topic.gold, text(items)
    yield 1.0, ", ".join(items), text(items)
    yield 0.0, ", ".join(items), topic.name if rng.random() < 0.5 else text(others)
    if names := [name for name in topic.question.names if name != topic.gold and len(name.split()) <= LONGEST_GOLD]:
        yield 1.0, topic.gold, text([topic.gold, *shuffled(names, rng, 2)])
    closing = topic.drawn("asserted", rng)
    yield 1.0, topic.gold, f"{text(items)} {closing.format(topic.name)}"
    yield 0.0, topic.gold, f"{text(items)} {closing.format(others[0])}"


def _tagged(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    """Yield an argument that names an answer, and then a marked answer, perhaps another one."""
    tagged = topic.drawn("tagged", rng)
    body = topic.drawn("open" if rng.random() < 0.5 else "denied", rng)
    step = -1 if rng.random() < 0.3 else 1
    yield from _twins(topic, lambda one, two: "\n".join((body.format(two, one), tagged.format(one))[::step]), rng)


def _argued(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    """Yield the answer of a system, then the same with its answer exchanged, before or after a decision."""
    if not (listed := topic.right()):
        return
    right, other = draw_one(listed, rng), plausible(topic.rivals, rng)
    if (wrong := exchanged(right, (topic.gold, *topic.question.names), other)) is None:
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
    right, names = draw_one(listed, rng), (topic.gold, *topic.question.names)
    found = (re.search(rf"(?<!\w){re.escape(name)}(?!\w)", right, re.IGNORECASE) for name in names)
    places = [match.span() for match in found if match]
    if places and len((before := right[: min(start for start, _ in places)]).split()) >= 3:
        yield 0.0, topic.gold, before
        yield 1.0, topic.gold, right[: max(end for _, end in places)]


def _dated(topic: Topic, rng: np.random.Generator) -> Iterator[Labeled]:
    """Yield less and more specific dates than the gold answer."""
    gold, date = topic.gold, _DATE.match(" ".join(topic.gold.split()))
    if date:
        month, day, year = date[1] or date[4], date[2] or date[3], date[5]
    elif _YEAR.match(gold):
        month, day, year = MONTHS[int(rng.integers(12))], str(int(rng.integers(1, 29))), gold
    else:
        return
    near, said = int(year) + int(rng.choice((-10, -2, -1, 1, 2, 10))), topic.drawn("asserted", rng).format
    if date:
        yield INCOMPLETE, gold, said(year if rng.random() < 0.5 else f"{month} {year}")
        yield 1.0, gold, said(f"{day} {month[:3]} {year}" if rng.random() < 0.5 else f"{month} {day}, {year}")
        yield 0.0, gold, said(f"{month} {day}, {near}")
        yield 1.0, year, said(f"{month} {day}, {year}")
        yield 0.0, year, said(f"{month} {day}, {near}")
    else:
        yield 1.0, gold, said(f"{month} {gold}" if rng.random() < 0.5 else f"{day} {month} {gold}")
        yield 0.0, gold, said(f"{day} {month} {near}")
        yield INCOMPLETE, gold, said(f"the {gold[:3]}0s")


def _places(split: str, rng: np.random.Generator) -> Iterator[TrainingPair]:
    """Yield pairs about cities and their countries."""
    places = FORMS["places"][split]
    for city, country, other in [place for place in places for _ in range(8 if split == "train" else 3)]:
        form = draw_one(FORMS["asserted"][split]["en"], rng)
        of_city, of_country = (draw_one(FORMS[f"{kind}_questions"][split], rng) for kind in ("city", "country"))
        far = draw_one(places, rng)[1]
        for question, label, gold, text in (
            (of_city, 1.0, city, f"{city}, {country}"),
            (of_city, INCOMPLETE, city, country),
            (of_city, 0.0, city, f"{other}, {country}"),
            (of_country, 1.0, country, f"{city}, {country}"),
            (of_country, 0.0, country, f"{city}, {far}"),
        )[: 5 if far != country else 4]:
            yield TrainingPair(gold, form.format(text), label, split, "commitment:places", question)


KINDS = (_committed, _decided, _denied, _refused, _related, _listed, _tagged, _argued, _truncated, _dated)
