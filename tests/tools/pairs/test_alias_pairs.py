import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from answersim._base.io.text_rows import located_rows
from answersim.training.data.pairs import shared_texts
from tests.cases import every
from tests.training.data.drawing import rng, sets
from tools.pairs.alias_pairs import AliasPairConfig, alias_pairs
from tools.pairs.alias_tables import Entity, read_legislators
from tools.pairs.variants import ERRORS, RULES

PAPER_NAMES, PAPER_ALIAS_PAIRS, PAPER_PAIRS = 25_462, 14_131, 39_593

ENTITIES = [
    Entity("William Gates", ("Bill Gates", "Gates, William"), ("US",)),
    Entity("Ann Ox", (), ("CA", "US")),
    Entity("Bo Elk", ("B. Elk",), ("CA",)),
    Entity("Cy Fly", ("C1", "C2", "C3"), ("US",)),
    Entity("Dee Gates", ("D. Gates",), ("us",)),
]


def of(result, source):
    return {frozenset(pair[:2]) for pair in result.pairs if pair.source.split(":")[0] == source}


def made(**settings):
    return alias_pairs(ENTITIES, AliasPairConfig(shares=(1, 0, 0), **settings), rng())


def test_two_spellings_of_an_entity_are_a_pair():
    result = made()
    assert of(result, "alias") == sets(
        ("William Gates", "Bill Gates"),
        ("William Gates", "Gates, William"),
        ("Bill Gates", "Gates, William"),
        ("Bo Elk", "B. Elk"),
        ("Dee Gates", "D. Gates"),
    )
    assert all(pair.label == 1 for pair in result.pairs if pair.source == "alias")


def test_entities_with_too_many_spellings_are_dropped():
    assert (made().counts.dropped, made().counts.entities) == (1, 4)
    assert (made(most_spellings=4).counts.dropped, made(most_spellings=0).counts.dropped) == (0, 0)
    assert made(most_spellings=1).counts.alias_pairs == 0


def test_groups_choose_entities():
    result = made(groups=("US",))
    assert result.counts[:4] == (3, 3, 1, 1)
    assert not any("Elk" in text for pair in result.pairs for text in pair[:2])


def test_every_name_is_drawn_once_as_first_and_once_as_second():
    entities = [Entity(f"N{i}", (f"A{i}",)) for i in range(40)]
    result = alias_pairs(entities, AliasPairConfig(shares=(0.5, 0.25, 0.25)), rng())
    drawn = [pair for pair in result.pairs if pair.source == "random"]
    names = sorted(f"N{i}" for i in range(40))
    assert sorted(pair.first for pair in drawn) == sorted(pair.second for pair in drawn) == names
    assert {pair.label for pair in drawn} == {None}


def test_rounds_draw_more_random_pairs():
    entities = [Entity(f"N{i}") for i in range(300)]
    once, thrice = (alias_pairs(entities, AliasPairConfig(rounds=n), rng()).counts.random_pairs for n in (1, 3))
    assert once == 300
    assert 850 < thrice <= 900


def test_namesakes_are_never_a_random_pair_and_share_their_split():
    entities = [Entity("John Ox", ("J. Ox",)), Entity("John Ox", ("Johnny Ox",)), Entity("Jo Ox", ("John Ox",))]
    for seed in range(20):
        result = alias_pairs(entities, AliasPairConfig(shares=(0.4, 0.3, 0.3)), rng(seed))
        assert of(result, "random") == set()
        assert len({pair.split for pair in result.pairs}) == 1
    assert result.counts.names == 2


def test_hard_negatives_have_the_last_name_of_another():
    result = made(rounds=0, last_names=2, last_name_label=0.0)
    assert of(result, "last-name") == sets(("William Gates", "Dee Gates"))
    assert [pair.label for pair in result.pairs if pair.source == "last-name"] == [0.0]
    assert made(last_names=2).counts.last_name_pairs == 1
    assert [pair.label for pair in made(rounds=0, last_names=2).pairs if pair.source == "last-name"] == [None]


def test_names_of_one_entity_are_no_hard_negatives():
    entities = [Entity("Anna", ("Ann Ox", "A. Ox")), Entity("Ann Ox"), Entity("A. Ox")]
    result = alias_pairs(entities, AliasPairConfig(rounds=0, last_names=2), rng())
    assert {pair.source for pair in result.pairs} == {"alias"}


def test_variants_by_rule_are_aliases():
    result = made(rules=("initials", "inverted"), rounds=0)
    assert ("Ann Ox", "A. Ox") in [pair[:2] for pair in result.pairs if pair.source == "variant:initials"]
    assert result.counts.variant_pairs == len(of(result, "variant")) > 4
    assert not of(result, "variant") & of(result, "alias")


def test_a_variant_that_fits_two_entities_is_left_out():
    entities = [Entity("Ann Ox"), Entity("Amy Ox"), Entity("Bo Elk"), Entity("B. Elk")]
    result = alias_pairs(entities, AliasPairConfig(rules=("initials",), rounds=0, shares=(1, 0, 0)), rng())
    assert result.pairs == []
    assert result.counts.ambiguous == 3


def test_an_alias_that_two_entities_share_is_one_pair():
    result = alias_pairs([Entity("a", ("b",)), Entity("b", ("a",))], AliasPairConfig(), rng())
    assert len(result.pairs) == result.counts.alias_pairs == result.counts.total == 1


def test_no_entity_left_is_an_error_that_names_the_groups():
    with pytest.raises(ValueError, match=re.escape("in none of the groups ('FR',), but of: US (2), CA (2), us (1)")):
        made(groups=("FR",))
    with pytest.raises(ValueError, match="no entity is left: 0 have more than 3 spellings"):
        alias_pairs([], AliasPairConfig(), rng())


@every(
    ("wrong", "kind", "error"),
    [
        ({"most_spellings": -1}, ValueError, "most_spellings is -1"),
        ({"rounds": -1}, ValueError, "rounds is -1"),
        ({"last_names": -1}, ValueError, "last_names is -1"),
        ({"last_name_label": 2.0}, ValueError, "last_name_label is 2.0"),
        ({"rules": ("initial",)}, LookupError, "did you mean 'initials'"),
        ({"shares": (1, 1, 1)}, ValueError, "shares is"),
    ],
)
def test_a_setting_out_of_its_range_is_named(wrong, kind, error):
    with pytest.raises(kind, match=error):
        AliasPairConfig(**wrong)


@hypothesis_settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("Ann Ox;Amy Ox;Bo van Elk;Cy Fly;Émile Zola;Dr. Di Gnu;毛澤東;X".split(";")),
            st.lists(st.sampled_from("A. Ox;Bo Elk;Ox, Ann;Zola;M1;M2".split(";")), max_size=3, unique=True),
        ),
        min_size=1,
        max_size=8,
    ),
    st.integers(0, 99),
)
def test_no_text_is_in_two_splits_and_no_pair_occurs_twice(table, seed):
    entities = [Entity(name, tuple(aliases)) for name, aliases in table]
    settings = AliasPairConfig((), 0, 2, 2, 0.1, (*RULES, *ERRORS), (0.4, 0.3, 0.3))
    result = alias_pairs(entities, settings, rng(seed))
    assert not shared_texts(result.pairs)
    ends = [frozenset(pair[:2]) for pair in result.pairs]
    assert len(set(ends)) == len(ends) == result.counts.total
    assert all(len(pair) == 2 for pair in ends)
    by_source = Counter(pair.source.split(":")[0] for pair in result.pairs)
    counts = result.counts
    assert (by_source["alias"], by_source["random"]) == (counts.alias_pairs, counts.random_pairs)
    assert (by_source["last-name"], by_source["variant"]) == (counts.last_name_pairs, counts.variant_pairs)
    assert alias_pairs(entities, settings, rng(seed)) == result


@pytest.mark.data
def test_the_recorded_names_have_the_papers_counts(data_home):
    """All three are in the file: 25,462 random pairs (a list and its permutation), then 14,131 aliases of that list."""
    recorded = [row for _, row in located_rows(data_home / "names" / "name_pairs_score_split.csv")]
    drawn, aliases = recorded[:PAPER_NAMES], recorded[PAPER_NAMES:]
    assert (len(recorded), len(aliases)) == (PAPER_PAIRS, PAPER_ALIAS_PAIRS)
    assert {float(row["score"]) for row in aliases} == {1.0}
    assert all(float(row["score"]) < 1 for row in drawn)
    names = Counter(row["name1"] for row in drawn)
    assert names == Counter(row["name2"] for row in drawn)
    assert len(names) == 25_363  # 99 of the 25,462 stand there again: namesakes
    assert all(row["name1"] in names for row in aliases)
    assert sum(not row["name2"] for row in aliases) == 4
    texts = {text for row in recorded for text in (row["name1"], row["name2"])}
    assert not any(mark in text for text in texts for mark in ".,'\"()")
    assert all(text == text.lower() for text in texts)
    splits = Counter(row["split"] for row in recorded)  # drawn row by row, not name by name
    assert [splits[split] / PAPER_PAIRS for split in ("train", "dev", "test")] == pytest.approx(
        [0.68, 0.18, 0.14], abs=1e-4
    )


@pytest.mark.data
def test_the_legislators_give_pairs(data_home):
    names = data_home / "names"
    entities = read_legislators([names / "legislators-current.csv", names / "legislators-historical.csv"])
    pairs, counts = alias_pairs(entities, AliasPairConfig(), rng())
    assert not shared_texts(pairs)
    assert counts[:4] == (11_451, 12_506, 261, 0)
    assert counts.alias_pairs == 20_691
    assert counts.random_pairs > 11_400
