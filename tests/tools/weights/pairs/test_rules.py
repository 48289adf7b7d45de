"""Pairs by rule: commitments, confusions, contrasts, dates and negations."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date, datetime

import numpy as np
import pytest

from answersim.evaluation.data.system_answers import SystemAnswer
from answersim.training.data.pairs import TrainingPair
from tests.cases import every
from tools.weights.pairs import commitment_forms as forms
from tools.weights.pairs import negation_pairs as negation_pairs_module
from tools.weights.pairs.confusable_pairs import KINDS as CONFUSABLE_KINDS
from tools.weights.pairs.contrast_pairs import INCOMPLETE, UNDECIDED, contrast_pairs
from tools.weights.pairs.date_pairs import FIRST, LAST, date_pairs, split_of
from tools.weights.pairs.negation_pairs import MINIMAL, SUBJECTS, antonyms, negation_pairs
from tools.weights.pairs.wordnet_pairs import Synset
from tools.weights.tables import table

TABLES = {name: table for name, table in vars(forms).items() if name.isupper() and name != "_TEXTS"}
LANGUAGES = {name: table for name, table in TABLES.items() if isinstance(table["train"], dict)}


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


def items(kind, n=600):
    rng = np.random.default_rng(0)
    return [CONFUSABLE_KINDS[kind](rng) for _ in range(n)]


def judged_contrasts(n=40):
    """Questions with two gold answers, a correct sentence, a correct phrase and a wrong phrase."""
    answers = []
    for i in range(n):
        question, golds = f"Which river is number {i}?", (f"River {i}", f"Stream {i}")
        texts = (f"The river with this number is River {i}, of course.", f"Stream {i}", f"Creek {i}")
        for system, text in enumerate(texts):
            answers.append(SystemAnswer(question, golds, f"s{system}", text, system < 2, "train"))
    return answers


def pairs(seed=0, n=40):
    return contrast_pairs(judged_contrasts(n), rng=np.random.default_rng(seed))


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


EXACT = ("%Y-%m-%d", "%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d of %B %Y")
# The parts of a date that a format contains.
FORMS = dict.fromkeys(EXACT, "ymd") | {"%Y": "y", "%B %Y": "ym", "%B %d": "md", "%d %B": "md"}


def read(text):
    """Return the year, month and day of a text, None for each that it lacks."""
    plain = re.sub(r"^(?:on|the|in) ", "", re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", text))
    for form, parts in FORMS.items():
        try:  # a leap year is added where there is none
            day = datetime.strptime(plain if "y" in parts else f"{plain} 2000", form if "y" in parts else f"{form} %Y")
        except ValueError:
            continue
        return tuple(value if part in parts else None for part, value in zip("ymd", day.timetuple()[:3], strict=True))
    raise AssertionError(f"{text!r} is no date")


def drawn(size, split="train", seed=0):
    return date_pairs(size, split, rng=np.random.default_rng(seed))


@pytest.mark.parametrize("split", ["train", "dev"])
def test_the_years_of_a_split_are_its_own(split):
    pairs = drawn(1000, split)
    years = {parts[0] for pair in pairs for parts in (read(pair.first), read(pair.second))} - {None}
    assert {year % 10 == 0 for year in years} == {split == "dev"}
    assert FIRST.year <= min(years) <= max(years) <= LAST.year
    assert {split_of(date(year, 1, 1)) for year in years} == {split}
    assert {pair.split for pair in pairs} == {split}


LETTERS = "abcdefghijklmno"
COUPLES = [
    (f"x{a}{b}x", f"unx{a}{b}x") for a in LETTERS for b in LETTERS
]  # no word of a form, and none is a part of another word
DENIED = r"not|never|anything but|far from|no truth|in no way|myth|mistaken|wasn't|isn't|denied|mistake|wrong"


def dictionary() -> dict[str, Synset]:
    """Return a dictionary in which each first word has a pointer to its opposite."""
    by_name = {}
    for i, (word, opposite) in enumerate([*COUPLES, ("open", "closed"), ("two words", "one")]):
        by_name[f"a{i}"] = Synset(f"a{i}", (word,), (("!", f"o{i}", "0101"), ("&", f"o{i}", "0000")), "")
        by_name[f"o{i}"] = Synset(f"o{i}", (opposite,), (), "")
    return by_name | {"n1": Synset("n1", ("day",), (("!", "n2", "0101"),), ""), "n2": Synset("n2", ("night",), (), "")}


DICTIONARY = dictionary()


def drawn_negations(size: int, split: str, seed: int = 0) -> list[TrainingPair]:
    return negation_pairs(DICTIONARY, size, split, rng=np.random.default_rng(seed))


def state(text: str, asked: str) -> bool:
    """Return whether a text says that the state ``asked`` applies, and not its opposite."""
    plain = asked.removeprefix("un")
    if bare := re.match(r"(?i)(yes|right|correct|sure|no|not really|wrong|incorrect)\b", text):
        return bare[1].lower() in ("yes", "right", "correct", "sure")
    words = re.findall(r"\b(?:un)?x[a-o]{2}x", text)
    assert {word.removeprefix("un") for word in words} == {plain}
    if len(words) == 2:  # one is denied and the other stated
        denied = re.search(r"(?:rather than|instead of|and not|thought that [\w ]+ is) ((?:un)?x[a-o]{2}x)", text, re.I)
        assert denied
        return denied[1] != asked
    return (words[0] == asked) != bool(re.search(rf"\b(?:{DENIED})\b", text))


@every("split", ["train", "dev"])
def test_texts_agree_if_and_only_if_the_label_is_1(split: str) -> None:
    for pair in drawn_negations(3000, split):
        asked = (re.search(r"(\w+)\?", pair.question) or re.search(r"\b((?:un)?x[a-o]{2}x)", pair.first))[1]  # type: ignore[index]
        agree = state(pair.first, asked) == state(pair.second, asked)
        assert agree == bool(pair.label), pair
        assert pair.first != pair.second
        assert bool(pair.question) == (pair.source == "negation:asked")


def test_train_dev_and_minimal_pairs_share_no_couple_and_only_the_plainest_forms() -> None:
    train, dev = (antonyms(DICTIONARY, split) for split in ("train", "dev"))
    assert not set(train) & set(dev)
    assert sorted([*train, *dev]) == sorted(tuple(sorted(couple)) for couple in COUPLES)  # adjectives of one word
    assert 5 < len(dev) < 40
    texts = table(negation_pairs_module.__file__, "negation_pairs")
    train_forms, dev_forms = ({form for forms in texts[split].values() for form in forms} for split in ("train", "dev"))
    subjects = {subject for subject, *_ in MINIMAL["states"]}
    assert not subjects & set(SUBJECTS)
    assert not train_forms & dev_forms
    minimal = {form for forms in (MINIMAL["stated"], *MINIMAL["affirmed"]) for form in forms}
    assert minimal & (train_forms | dev_forms) == {"Yes", "No", "{S} is {a}.", "{S} is {b}."}


def test_pairs_depend_on_the_seed_and_a_split_without_forms_is_an_error() -> None:
    assert drawn_negations(50, "train") == drawn_negations(50, "train") != drawn_negations(50, "train", seed=1)
    with pytest.raises(ValueError, match="split is 'test'"):
        drawn_negations(1, "test")
    with pytest.raises(ValueError, match="no opposite adjectives"):
        negation_pairs({}, 1, "dev", rng=np.random.default_rng(0))
