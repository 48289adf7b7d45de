"""Pairs of aliases: tables that are read, and pairs that are drawn from them."""

from pathlib import Path

import pytest
import typer
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from answersim.training.data.pairs import TrainingPair, read_pairs, shared_texts
from tests.cases import cases_of, every
from tests.training.made import people_table, put, rng
from tools.pairs import of_aliases, of_numbers
from tools.pairs.alias_pairs import RULES, AliasPairConfig, alias_pairs, spellings
from tools.pairs.alias_tables import Entity, read_aliases, read_legislators

TABLES = cases_of(__file__)


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
    settings = AliasPairConfig((), 0, 2, 2, 0.1, tuple(RULES))
    result = alias_pairs(entities, settings, rng(seed))
    assert not shared_texts(result.pairs)
    ends = [frozenset(pair[:2]) for pair in result.pairs]
    assert len(set(ends)) == len(ends)
    assert all(len(pair) == 2 for pair in ends)
    assert alias_pairs(entities, settings, rng(seed)) == result


LEGISLATORS = """\
last_name,first_name,middle_name,suffix,nickname,full_name,state,bioguide_id,wikipedia_id
Ox,Bernard,,,Bernie,Bernard Ox,VT,O01,Bernie Ox
Elk,John,Quincy,Jr.,"“Jack”",,MA,E01,John Elk (Massachusetts politician)
Ox,Ben,,,,Ben Ox,VT,O01,Ben Ox
Fly,Ann,,,,,NY,,
"""


@every(
    ("table", "columns", "error"),
    [
        ("entity,other\na,b\n", {}, r"a\.csv has no column 'alias'; its columns are: entity, other"),
        ("entity,alias\na,b\n ,c\n", {}, r"a\.csv, line 3: the column 'entity' is empty"),
        ("entity,alias\n", {}, r"contains no entities"),
        ("entity,alias\na,b\n", {"separator": ""}, r"separator is empty"),
    ],
)
def test_a_bad_alias_table_is_refused(tmp_path, table, columns, error):
    with pytest.raises(ValueError, match=error):
        read_aliases(put(tmp_path / "a.csv", table), **columns)


def test_a_legislator_has_the_spellings_of_the_fields(tmp_path):
    path = put(tmp_path / "legislators.csv", LEGISLATORS)
    assert read_legislators([path, path]) == [
        Entity("Bernard Ox", ("Bernie Ox",), ("VT",)),
        Entity("John Elk", ("John Quincy Elk", "John Quincy Elk Jr.", "Jack Elk"), ("MA",)),
        Entity("Ann Fly", (), ("NY",)),
    ]


def run(module, *words, status=0) -> str:
    """What a builder prints."""
    program = typer.Typer(pretty_exceptions_enable=False)
    program.command()(module.main)
    result = CliRunner().invoke(program, [str(word) for word in words])
    assert result.exit_code == status, result.output
    return result.output


@pytest.fixture
def people(tmp_path: Path) -> Path:
    return people_table(tmp_path / "people.csv")


def built(tmp_path: Path, *words) -> list[TrainingPair]:
    run(of_aliases, *words, "-o", tmp_path / "pairs.csv")
    return read_pairs(tmp_path / "pairs.csv")


def test_a_table_gives_aliases_variants_and_random_pairs_for_the_teacher(people, tmp_path):
    words = (people, "--variants", "inverted", "--group", "US")
    pairs = built(tmp_path, *words)
    assert {pair.source for pair in pairs} == {"alias", "variant:inverted", "random"}
    assert {pair.label for pair in pairs if pair.source == "random"} == {None}
    assert {pair.label for pair in pairs if pair.source != "random"} == {1.0}
    assert built(tmp_path, *words) == pairs
    assert built(tmp_path, *words, "--seed", 1) != pairs


def test_numbers_are_made_by_rule_and_all_labeled(tmp_path):
    pytest.importorskip("num2words")
    words = ("--lang", "en", "--size", 60, "-o", tmp_path / "numbers.csv")
    assert run(of_numbers, *words).endswith("numbers.csv, 60 pairs\n")
    pairs = read_pairs(tmp_path / "numbers.csv")
    assert len(pairs) == 60
    assert {pair.label for pair in pairs} == {0.0, 1.0}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nowhere.csv"], "nowhere.csv"),
        (["PEOPLE", "--variants", "initial"], "'initial'"),
        (["PEOPLE", "--group", "FR"], "FR"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(people, tmp_path, words, complaint):
    words = [str(people) if word == "PEOPLE" else word for word in words]
    output = run(of_aliases, *words, "-o", tmp_path / "out.csv", status=2)
    assert complaint in output
    assert output.count("\n") == 1
    assert not (tmp_path / "out.csv").exists()


CASES = TABLES["cases"]


@every(("rule", "name", "expected"), CASES)
def test_a_rule_gives_these_variants(rule, name, expected):
    assert spellings(name, rule) == expected


def test_every_rule_has_a_case():
    assert {rule for rule, _, _ in CASES} == set(RULES)


@given(st.text(max_size=30) | st.from_regex(r"[A-Z][a-zé]{0,6}( [A-Za-z.,\"(-]{1,6}){0,5}", fullmatch=True))
def test_a_variant_is_another_text_and_never_empty(name):
    for text in (text for rule in RULES for text in spellings(name, rule)):
        assert text.strip()
        assert text != name
