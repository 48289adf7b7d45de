"""Pairs of two meanings: one text alone predicts nothing, held-out verbs and names are in dev only."""

import numpy as np
import pytest

from answersim.training.data.pairs import TrainingPair
from tools.weights.pairs import amounts, near_names, reading_pairs, roles
from tools.weights.pairs.details import exchanged
from tools.weights.pairs.drawn_meanings import KINDS, drawn_pairs
from tools.weights.pairs.lexicon import Lexicon, past_forms

PRAISE = [[("praised", "praised")], [("took", "taken")]]
NAMES = [[["George Washington"], ["Booker T. Washington", "Booker Washington"]]]
LEXICON = Lexicon(
    {"train": PRAISE, "dev": PRAISE}, {"train": NAMES, "dev": NAMES}, {"guitar": ["flute", "violin"], "dog": ["wolf"]}
)


@pytest.mark.parametrize("source", KINDS)
@pytest.mark.parametrize("split", ["train", "dev"])
def test_a_text_alone_predicts_no_label(source, split):
    pairs = drawn_pairs(source, LEXICON, 1500, split, rng=np.random.default_rng(0))
    labels = np.array([pair.label for pair in pairs])
    assert 0.42 < labels.mean() < 0.58
    for side in (0, 1):  # texts that occur several times have both labels alike
        by_text: dict[str, list[float]] = {}
        for pair in pairs:
            by_text.setdefault(pair[side], []).append(pair.label)
        often = [np.mean(values) for values in by_text.values() if len(values) >= 12]
        assert all(0.1 < mean < 0.95 for mean in often)
    assert all(pair.first.casefold() != pair.second.casefold() for pair in pairs)


def test_no_relation_and_no_entity_of_dev_is_in_train():
    train, dev = (
        {form for relation in roles.relations(split) for form in relation.forms} for split in ("train", "dev")
    )
    assert len(train) > 400
    assert not train & dev
    for kind in roles.ENTITIES:
        of_split = [set(roles._of_split(kind, split)) for split in ("train", "dev")]
        assert not of_split[0] & of_split[1]
    fields = [
        {name for pair in near_names.fields(split) for names in pair for name in names} for split in ("train", "dev")
    ]
    assert not fields[0] & fields[1]


def test_a_relation_has_active_and_passive_and_exchanged_roles_are_another_meaning():
    assert roles._forms("beat/beaten") == ["{A} beat {B}", "{B} was beaten by {A}"]
    rng = np.random.default_rng(1)
    for _ in range(200):
        meanings = roles.listed("train", rng, LEXICON)
        if meanings is not None:
            assert not {form.casefold() for form in meanings.forms[0]} & {form.casefold() for form in meanings.forms[1]}


def test_notations_of_one_amount_have_one_value():
    from decimal import Decimal

    assert set(amounts._count(Decimal(1_500_000))) >= {"1,500,000", "1500000", "1.5 million"}
    assert amounts._ratio(Decimal("12.5"))[:3] == ["12.5%", "12.5 percent", "0.125"]
    assert amounts.rounded(Decimal(123456), 3) == 123000
    rng = np.random.default_rng(0)
    assert all(amounts._altered(Decimal("12.5"), rng) != Decimal("12.5") for _ in range(300))


def test_a_detail_is_exchanged_in_both_paraphrases():
    pair = TrainingPair("A man is playing a guitar.", "The man plays the guitar.", 1.0)
    meanings = exchanged(pair, LEXICON, np.random.default_rng(0))
    assert meanings is not None
    assert meanings.forms[0] == pair[:2]
    other = meanings.forms[1][0].split()[-1]
    assert other in ("flute.", "violin.")
    assert meanings.forms[1] == (f"A man is playing a {other}", f"The man plays the {other}")
    assert exchanged(TrainingPair("Rain.", "It rains.", 1.0), LEXICON, np.random.default_rng(0)) is None


@pytest.mark.parametrize(
    ("verb", "irregular", "forms"),
    [
        ("praise", {}, ("praised", "praised")),
        ("carry", {}, ("carried", "carried")),
        ("beat", {"beat": ["beaten"]}, ("beat", "beaten")),
        ("admit", {"admit": ["admitted", "admitting"]}, ("admitted", "admitted")),
    ],
)
def test_past_forms(verb, irregular, forms):
    assert past_forms(verb, irregular) == forms


def test_articles_are_held_out_alike_in_every_language():
    splits = [reading_pairs.split_of(i) for i in range(30)]
    assert [splits.count(name) for name in ("train", "dev", "test")] == [20, 5, 5]
    assert reading_pairs.sentences("Er kam. Sie ging! Warum?", "de") == ["Er kam.", "Sie ging!", "Warum?"]
    assert reading_pairs.sentences("他来了。她走了。", "zh") == ["他来了。", "她走了。"]
