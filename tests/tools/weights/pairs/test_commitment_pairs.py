"""Texts that commit to an answer: forms by split, twins, and what a text of each kind is right for."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest

from answersim.evaluation.data.minimal_pairs import MinimalPair
from answersim.evaluation.data.system_answers import SystemAnswer
from answersim.evaluation.doctor.attacks import CHEATS
from tests.cases import every
from tools.weights.pairs import commitment_forms as forms
from tools.weights.pairs.commitment_pairs import KINDS, LONGEST, Topic, commitment_pairs

TABLES = {name: table for name, table in vars(forms).items() if name.isupper() and name != "_TEXTS"}
LANGUAGES = {name: table for name, table in TABLES.items() if isinstance(table["train"], dict)}
NAMES = ("Paris", "Rome", "Oslo", "Bern", "Lima", "Cairo", "Quito", "Delhi")


def judged(split: str = "train") -> list[SystemAnswer]:
    answers = []
    for i, name in enumerate(NAMES):
        question, golds = f"Which city is number {i}?", (name, f"{name} City")
        answers.append(SystemAnswer(question, golds, "a", f"This city is called {name}, as I said.", True, split))
        answers.append(SystemAnswer(question, golds, "b", NAMES[i - 1], False, split))
    return answers


def topic(gold: str = "Paris", split: str = "train", language: str = "en") -> Topic:
    right = ["The city that you mean is Paris, of course."]
    return Topic("Which city is it?", gold, gold, ["Rome", "Oslo", "Bern"], right, [gold, "Lutetia"], split, language)


def without_fillers(text: str) -> str:
    for filler in forms.FILLERS["train"]["en"]:
        text = text.replace(filler, "")
    return text.strip()


@every("name", LANGUAGES)
def test_no_two_splits_share_a_form(name: str) -> None:
    for language in ("en", "de"):
        listed = [form for split in ("train", "dev", "test") for form in LANGUAGES[name][split][language]]
        assert len({form.casefold() for form in listed}) == len(listed)


def test_no_two_splits_share_a_city_or_a_question() -> None:
    cities = [city for places in forms.PLACES.values() for city, _, _ in places]
    asked = [
        question
        for table in (forms.CITY_QUESTIONS, forms.COUNTRY_QUESTIONS)
        for listed in table.values()
        for question in listed
    ]
    assert max(Counter(cities).values()) == max(Counter(asked).values()) == 1


def test_three_forms_of_the_training_are_cheats_of_the_test() -> None:
    pair = MinimalPair("en", "text", "q", "test", "q?", "GOLD", "GOLD", "WRONG")
    others = [f"Other {i}" for i in range(60)]
    cheats = {wording(pair, others) for wordings in CHEATS.values() for wording in wordings[1::2]}
    made = {
        form.format(*texts)
        for table in (forms.COMMITTED, forms.OPEN, forms.DENIED, forms.REFUSED, forms.RELATED, forms.UNSURE)
        for split in ("train", "dev")
        for form in table[split]["en"]
        for texts in (("GOLD", "WRONG"), ("WRONG", "GOLD"))
    }
    assert len(cheats) > 40
    shared = {text.strip(" .").casefold() for text in made} & {text.strip(" .").casefold() for text in cheats if text}
    assert shared == {"wrong, not gold", "it isn't gold", "the opposite of gold"}


@every("language", ["en", "de"])
@every("kind", sorted(set(KINDS) - {"dated"}))
def test_every_kind_has_right_and_wrong_texts_that_name_the_gold_answer(kind: str, language: str) -> None:
    for seed in range(20):
        made = list(KINDS[kind](topic(language=language), np.random.default_rng(seed)))
        own = [(label, text) for label, gold, text in made if gold == "Paris"]
        assert {label > 0.5 for label, _ in own} == {True, False}
        assert any("Paris" in text for label, text in own if label < 0.5) or kind in ("argued", "truncated", "refused")
        assert all("Paris" in text or "Lutetia" in text for label, text in own if label > 0.5)


@pytest.mark.parametrize("kind", ["committed", "decided", "tagged"])
def test_a_text_with_its_answers_exchanged_is_wrong(kind: str) -> None:
    for seed in range(10):
        (_, _, right), (label, _, wrong), *_ = KINDS[kind](topic(), np.random.default_rng(seed))
        assert label == 0.0
        other = next(name for name in ("Rome", "Oslo", "Bern") if name in right)
        exchanged = right.replace("Paris", "@").replace(other, "Paris").replace("@", other)
        assert without_fillers(exchanged) == without_fillers(wrong)


def test_the_pairs_of_a_split_depend_on_the_seed_only() -> None:
    one, same, other = (commitment_pairs(judged(), "train", rng=np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert one == same != other
    assert {pair.split for pair in one} == {"train"}
    assert max(len(pair.second.split()) for pair in one) <= LONGEST
    by_kind = defaultdict(set)
    for pair in one:
        by_kind[pair.source].add(pair.label > 0.5)
    assert by_kind.keys() >= {"commitment:places", "commitment:listed", "commitment:denied"}
    assert all(labels == {True, False} for labels in by_kind.values())
