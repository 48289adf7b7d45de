"""The two builders of files of pairs: from a table of aliases, and from numbers."""

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from answersim.training.data.pairs import TrainingPair, read_pairs
from tests.tools.weights.people import people_table
from tools.pairs import of_aliases, of_numbers


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


@pytest.mark.parametrize("sampling", ["bm25", "semantic"])
def test_pairs_for_the_teacher_can_be_sampled_by_words_or_by_meaning(people, tmp_path, tiny, sampling):
    pytest.importorskip("bm25s" if sampling == "bm25" else "torch")
    words = ("--sampling", sampling, "--k", 2, "--base", tiny("bert"), "--both-orders")
    pairs = [pair for pair in built(tmp_path, people, *words) if pair.source == sampling]
    assert len(pairs) > 20
    ends = {pair[:2] for pair in pairs}
    assert {(b, a) for a, b in ends} == ends


def test_entities_with_too_many_spellings_are_left_out_and_counted(tmp_path):
    path = tmp_path / "many.csv"
    rows = [f"{first} {second},{second}" for first in "abcdefghij" for second in "abcdefghij" if first != second]
    path.write_text("entity,alias\n" + "\n".join([*rows, "a,b", "a,c", "a,d"]) + "\n")
    output = run(of_aliases, path, "-o", tmp_path / "pairs.csv")
    assert "; left out: 1 entities with too many spellings (--most-spellings)" in output
    assert "left out" not in run(of_aliases, path, "-o", tmp_path / "pairs.csv", "--most-spellings", 0)


def test_numbers_are_made_by_rule_and_all_labeled(tmp_path):
    pytest.importorskip("num2words")
    words = ("--lang", "en", "--kinds", "cardinal", "--size", 60, "-o", tmp_path / "numbers.csv")
    assert run(of_numbers, *words).endswith("numbers.csv, 60 pairs\n")
    pairs = read_pairs(tmp_path / "numbers.csv")
    assert len(pairs) == 60
    assert {pair.label for pair in pairs} == {0.0, 1.0}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nowhere.csv"], "nowhere.csv"),
        (["PEOPLE", "--format", "cvs"], "no format of tables is called 'cvs'; did you mean 'csv'?"),
        (["PEOPLE", "--format", "dbpedia", "--separator", ";"], "--separator is for tables of"),
        (["PEOPLE", "--variants", "initial"], "'initial'"),
        (["PEOPLE", "--sampling", "bm26"], "'bm26'"),
        (["PEOPLE", "--group", "FR"], "FR"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(people, tmp_path, words, complaint):
    words = [str(people) if word == "PEOPLE" else word for word in words]
    output = run(of_aliases, *words, "-o", tmp_path / "out.csv", status=2)
    assert complaint in output
    assert output.count("\n") == 1
    assert not (tmp_path / "out.csv").exists()


def test_a_language_without_number_words_is_an_error(tmp_path):
    pytest.importorskip("num2words")
    assert "fr" in run(of_numbers, "--lang", "fr", "-o", tmp_path / "numbers.csv", status=2)
