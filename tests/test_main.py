"""The command line, as a demanding user meets it: the right columns, one line for every mistake, nothing half done."""

from __future__ import annotations

import http.server
import json
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import answersim
from answersim import planning, profiles
from answersim.__main__ import app
from answersim.catalog import lookup
from answersim.catalog.lookup import Entry
from answersim.errors import NO_NETWORK, CheckpointNotFoundError, ChecksumError, MissingExtraError
from answersim.neural import factories
from answersim.types import FloatArray, Pair

ROOT = Path(__file__).parent.parent
TABLE = "id,gold,pred\n1,National Football League,the NFL\n2,Rome,in Rome\n3,NA,None\n"


def run(*arguments: object) -> tuple[int, str, str]:
    """Exit status, stdout and stderr of the command line, within this process; any other exception is a failure."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def succeed(*arguments: object) -> str:
    """What is printed by a run that ends well and has nothing to complain about."""
    code, out, err = run(*arguments)
    assert (code, err) == (0, "")
    return out


def refused(*arguments: object) -> str:
    """The one line that a run says which does nothing."""
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("answersim: ")
    assert err.count("\n") == 1
    return err.removeprefix("answersim: ").rstrip("\n")


def alone(*arguments: object, **more: Any) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "answersim", *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, **more
    )


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "answers.csv"
    path.write_text(TABLE)
    return path


class Broken:
    """A metric that breaks at the third pair."""

    signature = "broken|v:0"

    def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
        if any(pair.gold == "NA" for pair in pairs):
            raise ValueError("it broke\nin two lines")
        return np.zeros(len(pairs))


@pytest.fixture
def new_metric(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Any], None]:
    """Puts a metric of the test's own into the catalogue."""

    def put(name: str, metric: Any) -> None:
        monkeypatch.setitem(
            lookup.ENTRIES, name, Entry(name, "lexical", "a test's", "a test", lambda *, lang, profile: metric)
        )

    return put


@pytest.fixture
def no_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without any weights."""

    def find(name: object, **how: object) -> Any:
        raise CheckpointNotFoundError(f"no weights for {name!r}. Tried: everything. To fix this: pip install them")

    lookup.release()  # what was built before is not searched
    monkeypatch.setattr(factories, "find", find)


# --- score


@pytest.mark.parametrize("there", ["csv", "tsv", "jsonl", "parquet"])
@pytest.mark.parametrize("here", ["csv", "tsv", "jsonl", "parquet"])
def test_score_gives_the_same_table_with_one_column_a_metric(here: str, there: str, tmp_path: Path) -> None:
    from answersim.io import files

    gold = ["NA", "007", "1e5", "=1+1", "Zürich", "a\nb", 'say "x"', "a,b\tc", "lone\rreturn", "", "null", "北京"]
    pred = ["None", "7", "100000", "2", "Zurich", "a b", "say x", "a,b\tc", "return", "x", "null", "北京市"]
    rows = [{"note": f"{a}\r\n,{b}", "pred": b, "z": "", "gold": a} for a, b in zip(gold, pred, strict=True)]
    files.write(files.Table(("note", "pred", "z", "gold"), rows), tmp_path / f"in.{here}")
    succeed("score", tmp_path / f"in.{here}", "-m", "f1,em", "-m", "meteor", "-o", tmp_path / f"out.{there}")
    result = files.read(tmp_path / f"out.{there}")
    assert result.columns == ("note", "pred", "z", "gold", "f1", "em", "meteor")
    assert [{name: row[name] for name in rows[0]} for row in result.rows] == rows
    for name in ("f1", "em", "meteor"):
        expected = answersim.score(gold, pred, metric=name).values.tolist()
        assert [float(row[name]) for row in result.rows] == expected


def test_the_output_is_exactly_this(table: Path, tmp_path: Path) -> None:
    succeed("score", table, "-m", "em,f1", "-o", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == (
        b"id,gold,pred,em,f1\n1,National Football League,the NFL,0.0,0.0\n2,Rome,in Rome,0.0,0.6666666666666666\n"
        b"3,NA,None,0.0,0.0\n"
    )


def test_the_summary_is_exactly_this(table: Path, tmp_path: Path) -> None:
    assert succeed("score", table, "--metric", "em , f1") == (
        "metric   n   mean     95 % interval\n"
        "──────────────────────────────────────\n"
        "em       3   0.0000   0.0000 .. 0.7076\n"
        "f1       3   0.2222   0.0056 .. 0.7973\n"
        "\n"
        f"em: {answersim.metric('em').signature}\n"
        f"f1: {answersim.metric('f1').signature}\n"
        "to keep the scores of every row: --output FILE\n"
    )
    out = tmp_path / "out.tsv"
    assert succeed("score", table, "-o", out).endswith(f"\nscores of every row: {out}\n")


def test_without_metrics_it_is_the_default_metric(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("answersim.catalog.lookup.DEFAULT_METRIC", "meteor")
    assert succeed("score", table) == succeed("score", table, "-m", "meteor")


def test_a_metric_asked_for_twice_is_one_column(table: Path, tmp_path: Path) -> None:
    succeed("score", table, "-m", "f1,em,f1", "-m", "em", "-o", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().startswith("id,gold,pred,f1,em\n")


def test_columns_of_other_names_are_scored(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("answer 1\tanswer,2\nRome\tin Rome\n")
    out = succeed(
        "score",
        tmp_path / "t.tsv",
        "--gold",
        "answer 1",
        "--pred",
        '"answer,2"',
        "-m",
        "recall",
        "-o",
        tmp_path / "t.csv",
    )
    assert "recall   1   1.0000" in out
    assert (tmp_path / "t.csv").read_text() == 'answer 1,"answer,2",recall\nRome,in Rome,1.0\n'


def test_gold_comes_first(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("pred,gold\nin Rome,Rome\n")
    assert "recall   1   1.0000" in succeed("score", tmp_path / "t.csv", "-m", "recall")
    assert "recall   1   0.5000" in succeed(
        "score", tmp_path / "t.csv", "-m", "recall", "--gold", "pred", "--pred", "gold"
    )


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_a_table_without_rows_is_an_error_and_nothing_is_written(suffix: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("gold,pred\n")
    out = tmp_path / f"out.{suffix}"
    assert refused("score", tmp_path / "t.csv", "-o", out).endswith(
        "t.csv has no rows; give a table with at least one pair of answers"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_a_million_characters_are_scored(tmp_path: Path) -> None:
    long = "the quick brown fox " * 50_000
    (tmp_path / "t.csv").write_text(f"gold,pred\n{long},{long}\n")
    assert "f1       1   1.0000" in succeed("score", tmp_path / "t.csv", "-m", "f1", "-o", tmp_path / "out.jsonl")
    assert json.loads((tmp_path / "out.jsonl").read_text())["gold"] == long


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.csv", "", "names no columns"),
        ("t.csv", "gold,pred\na\n", "line 2: 1 values for 2 columns"),
        ("t.csv", "gold,gold\na,b\n", "has the column 'gold' twice"),
        ("t.csv", "Gold,pred\na,b\n", "has no column 'gold'; its columns are: Gold, pred"),
        ("t.csv", "gold,answer\na,b\n", "has no column 'pred'; its columns are: gold, answer"),
        ("t.csv", "gold;pred\na\n", "has no column 'gold'; its columns are: gold;pred"),
        ("t.jsonl", "", "t.jsonl has no rows"),
        ("t.jsonl", '{"gold": "a", "pred": "b"}\n{"gold": null, "pred": "b"}', "row 2: 'gold' is null, or missing,"),
        ("t.jsonl", '{"gold": "a", "pred": "b"}\n{"gold": "a"}', "row 2: 'pred' is null, or missing, but an"),
        ("t.jsonl", '{"gold": 1912, "pred": "b"}', "row 1: 'gold' is 1912, but an answer is text, or a list of texts"),
        ("t.jsonl", '{"gold": "a", "pred": 1912}', "row 1: 'pred' is 1912, but an answer is text"),
        ("t.jsonl", '{"gold": NaN, "pred": "b"}', "row 1: 'gold' is nan, but"),
        ("t.jsonl", '{"gold": [], "pred": "b"}', "row 1: 'gold' is [], but"),
        ("t.jsonl", '{"gold": ["a", null], "pred": "b"}', "row 1: 'gold' is ['a', None], but"),
        ("t.jsonl", '{"gold": "a", "pred": ["b"]}', "row 1: 'pred' is ['b'], but an answer is text; for"),
        ("t.jsonl", '{"gold": {"text": ["a"]}, "pred": "b"}', "is a structure, but answersim"),
        ("t.jsonl", '{"gold": "a", "pred": "\\ud83d"}', "row 1: 'pred' contains half a surrogate pair"),
        ("t.jsonl", '{"gold": "a", "pred": b}', "line 1: not JSON"),
        ("t.parquet", "gold,pred\na,b\n", "cannot be read as Parquet"),
        ("t.txt", "gold,pred\na,b\n", "has the suffix '.txt'"),
    ],
)  # fmt: skip
def test_a_bad_table_is_one_line_and_no_output(name: str, content: str, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    assert said in refused("score", tmp_path / name, "-o", tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("column", ["gold", "pred"])
@pytest.mark.parametrize(("value", "said"), [(None, "null, or missing"), (1912, "1912"), (0.5, "0.5"), (b"a", "b'a'")])
def test_parquet_with_something_else_than_text_names_the_row(
    column: str, value: Any, said: str, tmp_path: Path
) -> None:
    import pyarrow
    import pyarrow.parquet

    columns = {"gold": ["a", "b"], "pred": ["a", "b"]} | {column: [value, value] if value else ["a", None]}
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "t.parquet")
    row = 1 if value else 2
    line = refused("score", tmp_path / "t.parquet", "-o", tmp_path / "out.parquet")
    assert f"row {row}: {column!r} is {said}, but an answer is text" in line
    assert ("t.parquet: 2 rows cannot be scored" if value else "t.parquet, row 2") in line
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize("name", ["gone.csv", "gone", "Paris", "a/b/c.parquet"])
def test_a_mistyped_path_is_an_error_and_never_a_text(name: str) -> None:
    assert f"no file at {name}; give a table (.csv" in refused("score", name)


@pytest.mark.parametrize("name", ["gone.txt", "gone", "Paris", "a/b/c"])
def test_a_mistyped_path_of_one_of_two_files_is_an_error(name: str, tmp_path: Path) -> None:
    (tmp_path / "here.txt").write_text("a\n")
    for paths in ((name, tmp_path / "here.txt"), (tmp_path / "here.txt", name)):
        assert refused("score", *paths) == f"no file at {name}; give two text files with one answer per line"


# --- several references


def test_a_list_of_references_counts_its_best(tmp_path: Path) -> None:
    rows = [{"gold": ["NFL", "the National Football League"], "pred": "national football league"}]
    rows += [{"gold": ["Rome"], "pred": "Paris"}, {"gold": "Paris", "pred": "Paris"}]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    succeed("score", tmp_path / "t.jsonl", "-m", "em", "-o", tmp_path / "out.jsonl")
    result = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert result == [row | {"em": number} for row, number in zip(rows, [1.0, 0.0, 1.0], strict=True)]


def test_parquet_may_hold_lists_of_references(tmp_path: Path) -> None:
    import pyarrow.parquet

    rows = [{"gold": ["NFL", "National Football League"], "pred": "NFL"}]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "t.parquet")
    assert "em       1   1.0000" in succeed("score", tmp_path / "t.parquet", "-m", "em")


def test_split_gold_separates_references_and_leaves_the_column(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("gold,pred\nNFL||the League,league\na|b,b\n")
    out = tmp_path / "out.csv"
    assert "em       2   0.5000" in succeed("score", tmp_path / "t.csv", "--split-gold", "||", "-m", "em", "-o", out)
    assert out.read_text() == "gold,pred,em\nNFL||the League,league,1.0\na|b,b,0.0\n"


def test_an_empty_separator_is_an_error(table: Path) -> None:
    assert refused("score", table, "--split-gold", "") == (
        "split_gold is empty; give the text that separates references, such as '|'"
    )


# --- two text files


def test_two_text_files_are_scored_line_by_line(tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_bytes(b"\xef\xbb\xbfRome\r\nNA\r\n\r\n")
    (tmp_path / "pred").write_bytes(b'in Rome\n"NA"\n')
    (tmp_path / "pred").write_bytes(b'in Rome\n"NA"\n\n')
    succeed("score", tmp_path / "gold.txt", tmp_path / "pred", "-m", "recall", "-o", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == 'gold,pred,recall\nRome,in Rome,1.0\nNA,"""NA""",1.0\n,,1.0\n'


def test_the_columns_of_two_text_files_take_the_names_that_are_given(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\n")
    (tmp_path / "b").write_text("x\n")
    both = ("score", tmp_path / "a", tmp_path / "b", "-m", "em", "-o", tmp_path / "out.csv")
    succeed(*both, "--gold", "truth", "--pred", "answer")
    assert (tmp_path / "out.csv").read_text() == "truth,answer,em\nx,x,1.0\n"
    assert "gold and pred both name the column 'truth'" in refused(*both, "--gold", "truth", "--pred", "truth")


def test_one_text_file_is_not_scored_against_itself(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\n")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    for other in ("a", "b"):
        assert "are the same file" in refused("score", tmp_path / "a", tmp_path / other)


def test_one_column_is_not_scored_against_itself(table: Path, tmp_path: Path) -> None:
    output = refused("score", table, "--gold", "pred", "-o", tmp_path / "out.csv")
    assert output == "gold and pred both name the column 'pred'; give each a different column"
    assert not (tmp_path / "out.csv").exists()


def test_two_text_files_of_different_length_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("a\nb\n")
    (tmp_path / "pred.txt").write_text("a\nb\n\n")
    line = refused("score", tmp_path / "gold.txt", tmp_path / "pred.txt", "-o", tmp_path / "out.csv")
    assert line.endswith("gold.txt has 2 lines and " + str(tmp_path / "pred.txt") + " has 3; they must correspond")
    assert not (tmp_path / "out.csv").exists()


def test_a_table_is_not_read_as_lines(table: Path, tmp_path: Path) -> None:
    (tmp_path / "pred.txt").write_text("a\n" * 4)
    for paths in ((table, tmp_path / "pred.txt"), (tmp_path / "pred.txt", table)):
        assert "answers.csv is a table, but two files are read as plain text lines" in refused("score", *paths)


def test_two_files_without_lines_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    (tmp_path / "b").touch()
    assert "a has no rows" in refused("score", tmp_path / "a", tmp_path / "b")


# --- settings


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-m", "bertscor"], "no metric is called 'bertscor'; did you mean 'bertscore'"),
        (["-m", "f1,,em"], "no metric is called ''"),
        (["-m", ""], "no metric is called ''"),
        (["-m", "f1", "--option", "layer=3"], "the metric 'f1' has no option 'layer'; its options are extract"),
        (["-m", "meteor", "--option", "alpa=3"], "has no option 'alpa'; its options are alpha, beta, gamma, order"),
        (
            ["-m", "meteor", "--option", "alpha"],
            "--option 'alpha' is not a setting; write NAME=VALUE, for example layer=3",
        ),
        (["-m", "meteor", "--option", "=3"], "--option '=3' is not a setting"),
        (["-m", "meteor", "--option", "alpha=much"], "alpha is 'much'"),
        (["-m", "meteor", "--option", "order=both"], "'both'"),
        (["-m", "f1", "--option", "lang=de"], "--option 'lang=de' duplicates another option; write --lang de"),
        (["-m", "f1", "--option", "profile=x"], "--option 'profile=x' duplicates another option; write --profile x"),
        (["-m", "em,f1", "--option", "alpha=1"], "--option is for one metric at a time, but 2 were given"),
        (["--lang", "xx"], "no language has the ISO 639-1 code 'xx'"),
        (["--lang", ""], "no language has the ISO 639-1 code ''"),
        (["--profile", "squat"], "no profile of weights is called 'squat'"),
        (["-m", "sas", "--profile", "squad"], "no profile of weights is called 'squad'"),
        (["-m", "sas", "--profile", "paper", "--lang", "fr"], "has no sas for the language 'fr', only for en, de"),
        (["--gold", "truth"], "has no column 'truth'; its columns are: id, gold, pred"),
    ],
)
def test_a_wrong_setting_is_one_line_and_no_output(
    arguments: list[str], said: str, table: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    out.write_text("old")
    assert said in refused("score", table, *arguments, "-o", out)
    assert out.read_text() == "old"


def test_a_setting_of_the_metric_changes_numbers_and_signature(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("gold,pred\nthe old house,the house\n")
    plain = succeed("score", tmp_path / "t.csv", "-m", "meteor")
    other = succeed("score", tmp_path / "t.csv", "-m", "meteor", "--option", "alpha=0.5", "--option", "order=pred-gold")
    assert "alpha:0.5" in other
    assert "order:pred-gold" in other
    assert plain.splitlines()[2] != other.splitlines()[2]


def test_language_and_profile_reach_the_metric(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("gold,pred\nder Turm,ein Turm\n")
    assert "f1       1   0.5000" in succeed("score", tmp_path / "t.csv", "-m", "f1")
    assert "f1       1   1.0000" in succeed("score", tmp_path / "t.csv", "-m", "f1", "--lang", "de")
    assert "text:squad" in succeed("score", tmp_path / "t.csv", "-m", "f1", "--lang", "de", "--profile", "squad")


def test_an_existing_column_is_never_overwritten(table: Path, tmp_path: Path) -> None:
    scored = tmp_path / "scored.csv"
    succeed("score", table, "-m", "em,f1", "-o", scored)
    assert refused("score", scored, "-m", "recall,f1", "-o", tmp_path / "out.csv") == (
        "the table already has a column 'f1'; choose another name with --prefix"
    )
    assert not (tmp_path / "out.csv").exists()
    succeed("score", scored, "-m", "recall,f1", "--prefix", "my ", "-o", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == "id,gold,pred,em,f1,my recall,my f1"


# --- output


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gone/out.csv", "there is no folder"),
        ("out.xlsx", "has the suffix '.xlsx'; a table is written as: .csv, .tsv, .jsonl, .ndjson, .parquet"),
        ("out", "has the suffix ''"),
        ("folder.csv", "it is a folder"),
    ],
)
def test_a_place_that_cannot_be_written_is_said_before_any_work(
    name: str, said: str, table: Path, tmp_path: Path, new_metric: Callable[[str, Any], None]
) -> None:
    new_metric("broken", Broken())
    (tmp_path / "folder.csv").mkdir()
    assert said in refused("score", table, "-m", "broken", "-o", tmp_path / name)
    assert not (tmp_path / "gone").exists()


def test_a_column_that_is_there_already_is_said_before_any_work(
    tmp_path: Path, new_metric: Callable[[str, Any], None]
) -> None:
    new_metric("broken", Broken())
    (tmp_path / "t.csv").write_text("gold,pred,em\nNA,a,b\n")
    arguments = ("score", tmp_path / "t.csv", "-m", "broken,em", "-o", tmp_path / "out.csv")
    assert "already has a column 'em'" in refused(*arguments)
    assert refused(*arguments, "--prefix", "my ") == "it broke in two lines"


def test_a_table_that_was_scored_before_can_be_summed_up_again(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("gold,pred,em\na,b,0.0\n")
    assert "em       1   0.0000" in succeed("score", tmp_path / "t.csv", "-m", "em")


def test_a_value_that_the_output_cannot_hold_is_said_before_any_work(
    tmp_path: Path, new_metric: Callable[[str, Any], None]
) -> None:
    new_metric("broken", Broken())
    (tmp_path / "t.jsonl").write_text('{"gold": "NA", "pred": "", "x": 1}\n{"gold": "NA", "pred": "", "x": "a"}\n')
    line = refused("score", tmp_path / "t.jsonl", "-m", "broken", "-o", tmp_path / "out.parquet")
    assert "the values of the column 'x' have no common type in Parquet" in line


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_scoring_that_fails_in_the_middle_touches_no_file(
    suffix: str, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new_metric: Callable[[str, Any], None]
) -> None:
    new_metric("broken", Broken())
    monkeypatch.setattr(planning, "_CHUNK", 1)
    (tmp_path / f"out.{suffix}").write_text("old")
    before = sorted(tmp_path.iterdir())
    assert refused("score", table, "-m", "em,broken", "-o", tmp_path / f"out.{suffix}") == "it broke in two lines"
    assert refused("score", table, "-m", "em,broken", "-o", tmp_path / f"new.{suffix}") == "it broke in two lines"
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / f"out.{suffix}").read_text() == "old"
    assert table.read_text() == TABLE


@pytest.mark.parametrize("link", [None, "symbolic", "hard"])
def test_the_output_is_never_the_input(link: str | None, table: Path, tmp_path: Path) -> None:
    output = table if link is None else tmp_path / "out.csv"
    if link == "symbolic":
        output.symlink_to(table)
    elif link == "hard":
        os.link(table, output)
    before = table.read_text()
    assert "is the input" in refused("score", table, "-m", "em", "-o", output)
    assert table.read_text() == before


def test_the_output_is_neither_of_two_text_files(tmp_path: Path) -> None:
    for name in ("golds.csv.txt", "preds.csv"):
        (tmp_path / name).write_text("a\n")
    (tmp_path / "preds").symlink_to(tmp_path / "preds.csv")
    for golds, preds in (("golds.csv.txt", "preds"), ("preds", "golds.csv.txt")):
        assert "is the input" in refused("score", tmp_path / golds, tmp_path / preds, "-o", tmp_path / "preds.csv")


# --- neural, on a small model


@pytest.mark.filterwarnings("default::UserWarning")
def test_a_folder_of_weights_scores_and_truncation_is_said_once(tiny: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"gold,pred\n{'eleven ' * 100},11\nthe NFL,NFL\n{'cortex ' * 200},{'11 ' * 100}\n")
    arguments = ("score", tmp_path / "t.csv", "-m", "bertscore-trained", "--option", f"model={tiny()}")
    code, out, err = run(*arguments, "--option", "layer=2", "-o", tmp_path / "out.csv")
    assert code == 0
    assert err.startswith("answersim: 3 texts were longer than the encoder reads")
    assert err.count("\n") == 1
    assert "layer:2" in out
    assert "fp32" in out
    assert (tmp_path / "out.csv").read_text().count("\n") == 4
    assert "layer is 9, but" in refused(*arguments, "--option", "layer=9")


def test_a_folder_without_weights_is_one_line(table: Path, tmp_path: Path) -> None:
    line = refused("score", table, "-m", "bi-encoder", "--option", f"model={tmp_path}")
    assert f"no weights for '{tmp_path}'" in line


def test_missing_weights_are_one_line_and_no_output(table: Path, tmp_path: Path, no_weights: None) -> None:
    assert "pip install them" in refused("score", table, "-m", "em,bi-encoder", "-o", tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


# --- list, show, version, help


def test_list_names_every_metric_in_order() -> None:
    lines = succeed("list").splitlines()
    assert lines[0].split() == ["metric", "kind", "what", "it", "computes"]
    ships = lines[2 : 2 + len(answersim.names())]  # then aliases and plug-ins
    assert [line.split()[0] for line in ships] == list(answersim.names())
    assert [" ".join(line.split()[2:]) for line in ships] == [lookup.entry(n).summary for n in answersim.names()]
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize("name", answersim.names())
def test_show_says_what_stands_behind_every_metric(name: str) -> None:
    shown = dict(line.split(maxsplit=1) for line in succeed("show", name).splitlines())
    assert (shown["metric"], shown["computes"]) == (name, lookup.entry(name).summary)
    assert shown["source"] == lookup.entry(name).source
    assert shown["options"] == (", ".join(lookup.options_of(name)) or "none")
    if not shown["signature"].startswith("not available here: "):  # as on a machine without the extra 'embedded'
        assert shown["signature"] == answersim.metric(name).signature
    assert ("weights" in shown) == (lookup.entry(name).kind == "neural")


@pytest.mark.parametrize(
    ("name", "profile"),
    [(name, profile) for name, profiles in profiles.WEIGHTS.items() for profile in profiles if name in lookup.names()],
)
def test_show_without_the_weights_says_so_in_a_line(name: str, profile: str, no_weights: None) -> None:
    shown = dict(line.split(maxsplit=1) for line in succeed("show", name, "--profile", profile).splitlines())
    assert shown["weights"].startswith(profiles.weights(name, profile=profile).model)
    assert shown["weights"].endswith(f"(profile {profile})")
    assert shown["signature"].startswith("not available here: no weights for '")
    public = profiles.weights(name, profile=profile).public
    remedy = f"To fix this: pip install them; or {NO_NETWORK}" if public else f"whose {name} ships"
    assert shown["signature"].endswith(remedy)


@pytest.mark.parametrize(
    "error",
    [
        MissingExtraError("a neural metric", "embedded", "torch"),
        ChecksumError("the file has the SHA-256 1, but 2 is pinned"),
        FileNotFoundError("no adapter folder"),
        ValueError("config.json is not valid JSON"),
    ],
)
def test_show_of_damaged_or_missing_parts_says_so_in_a_line(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: object, **how: object) -> Any:
        raise error

    lookup.release()  # what was built before is not searched
    monkeypatch.setattr(factories, "find", find)
    assert f"\nsignature  not available here: {error}\n" in succeed("show", "bi-encoder")


def test_show_signs_what_language_and_profile_change() -> None:
    assert succeed("show", "f1", "--lang", "de-AT").endswith(
        f"\nsignature  {answersim.metric('f1', lang='de').signature}\n"
    )
    assert "text:squad" in succeed("show", "f1", "--profile", "squad")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["bertscor"], "no metric is called 'bertscor'; did you mean"),
        (["f1", "--lang", "xx"], "no language has the ISO 639-1 code 'xx'"),
        (["sas", "--lang", "xx"], "no language has the ISO 639-1 code 'xx'"),
        (["f1", "--profile", "x"], "no profile is called 'x'"),
        (["sas", "--profile", "x"], "no profile of weights is called 'x'"),
        (["sas", "--profile", "paper", "--lang", "fr"], "only for en, de; choose the weights with model="),
    ],
)
def test_show_of_what_does_not_exist_is_one_line(arguments: list[str], said: str) -> None:
    assert said in refused("show", *arguments)


@pytest.mark.filterwarnings("default::UserWarning")
def test_a_warning_is_one_line_once(no_weights: None) -> None:
    code, out, err = run("show", "bi-encoder", "--lang", "de")
    assert code == 0
    assert err.startswith("answersim: the weights of the profile 'embedded' are English; bi-encoder is weak in 'de'.")
    assert err.count("\n") == 1
    assert "are English" not in out


def test_warnings_are_shown_as_before_when_the_command_has_ended(table: Path) -> None:
    before = warnings.showwarning
    succeed("score", table)
    refused("score", table, "-m", "x")
    assert warnings.showwarning is before


def test_version_is_one_word() -> None:
    assert succeed("--version") == f"{answersim.__version__}\n"


@pytest.mark.parametrize("arguments", [[], ["data"]])
def test_without_a_command_the_help_says_what_there_is(arguments: list[str]) -> None:
    code, out, err = run(*arguments)
    assert code in (0, 2)  # by the version of click
    for command in ("list", "fetch") if arguments else ("score", "list", "show", "data"):
        assert f"\n  {command} " in out + err
    assert "Traceback" not in out + err


@pytest.mark.parametrize("command", [[], ["score"], ["list"], ["show"], ["data"], ["data", "list"], ["data", "fetch"]])
def test_every_command_has_its_help(command: list[str]) -> None:
    assert succeed(*command, "--help").startswith("Usage: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["scor"], "No such command 'scor'"),
        (
            ["meteor", "a.csv"],
            "'meteor' is a metric and not a command; to score with it: answersim score FILE -m meteor",
        ),
        (["judge", "a.csv"], "No such command 'a.csv'"),
        (["typed+f1", "a.csv"], "to score with it: answersim score FILE -m typed+f1"),
        (["bertscore"], "to score with it: answersim score FILE -m bertscore-trained"),
        (["score"], "Missing argument"),
        (["show"], "Missing argument"),
        (["score", "a.csv", "--metrik", "f1"], "No such option"),
        (["score", "a", "b", "c"], "unexpected extra argument"),
    ],
)
def test_a_mistyped_command_ends_with_status_2_and_its_usage(arguments: list[str], said: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("Usage: ")
    assert said in err


# --- data


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A small server in place of the paper's repository, with one file of one set; its folder."""
    from answersim.data import fetch

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    folder = tmp_path / "server"
    folder.mkdir()
    (folder / "squad.csv").write_text("answer1,answer2,label\n")
    pinned = fetch.File("sas/squad.csv", "squad.csv", sha256((folder / "squad.csv").read_bytes()).hexdigest())
    monkeypatch.setattr(fetch, "FILES", {"squad": (pinned,)})
    monkeypatch.setenv("ANSWERSIM_CACHE_DIR", str(tmp_path / "cache"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setattr(fetch, "fetch", partial(fetch.fetch, base_url=url))
        yield folder
        server.shutdown()


def test_data_fetch_brings_the_files_and_says_where_they_lie(source: Path, tmp_path: Path) -> None:
    place = tmp_path / "cache" / "data" / "sas" / "squad.csv"
    assert succeed("data", "fetch") == f"fetched  {place}\n"
    assert place.read_bytes() == (source / "squad.csv").read_bytes()
    assert succeed("data", "fetch", "squad") == f"was here  {place}\n"


def test_data_fetch_of_other_bytes_or_names_is_one_line(source: Path, tmp_path: Path) -> None:
    (source / "squad.csv").write_text("changed")
    assert "is pinned for sas/squad.csv" in refused("data", "fetch", "squad")
    (source / "squad.csv").unlink()
    assert "answers 404" in refused("data", "fetch", "squad")
    assert "'squat'; did you mean 'squad'?" in refused("data", "fetch", "squat")
    assert not (tmp_path / "cache" / "data" / "sas" / "squad.csv").exists()


def test_data_list_says_which_sets_are_here(no_data: None) -> None:
    lines = {line.split()[0]: line.split()[1] for line in succeed("data", "list").splitlines()[2:]}
    assert lines["probe"] == "yes"
    assert {lines[name] for name in ("squad", "germanquad", "nq-open")} == {"no"}


# --- in a process of its own


def test_a_process_prints_plain_text_and_ends_with_status_0(table: Path, tmp_path: Path) -> None:
    done = alone("score", table, "-m", "em,f1,meteor", "-o", tmp_path / "out.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert all(line == line.rstrip() for line in done.stdout.splitlines())
    assert done.stdout.endswith(f"\nscores of every row: {tmp_path / 'out.csv'}\n")


def test_a_process_that_fails_says_one_line_without_a_traceback_and_ends_with_status_2(tmp_path: Path) -> None:
    done = alone("score", tmp_path / "gone.csv", "-o", tmp_path / "out.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"answersim: no file at {tmp_path / 'gone.csv'}; "
        "give a table (.csv, .tsv, .jsonl, .ndjson, .parquet, .json, .xlsx) or two text files\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="there is no /dev/stdout there")
@pytest.mark.parametrize("into", ["pipe", "file"])
def test_standard_output_gets_the_table_alone(into: str, table: Path, tmp_path: Path) -> None:
    arguments = [sys.executable, "-m", "answersim", "score", str(table), "-m", "em", "-o", "/dev/stdout"]
    if into == "pipe":
        done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True)
        out, err = done.stdout, done.stderr
    else:
        with (tmp_path / "out.csv").open("w") as file:
            done = subprocess.run(arguments, cwd=ROOT, stdout=file, stderr=subprocess.PIPE, text=True)
        out, err = (tmp_path / "out.csv").read_text(), done.stderr
    assert done.returncode == 0, err
    assert out == "id,gold,pred,em\n" + "".join(f"{line},0.0\n" for line in TABLE.splitlines()[1:])
    assert "mean" in err  # the summary, which is no part of the table


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break in another way there")
def test_a_reader_that_has_enough_ends_the_list_quietly() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as broken:
        done = subprocess.run(
            [sys.executable, "-m", "answersim", "list"], cwd=ROOT, stdout=broken, stderr=subprocess.PIPE, text=True
        )
    assert done.stderr == ""
    assert done.returncode == 141  # what a shell says of SIGPIPE; 1 would be a result of `answersim verify`


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("arguments", [["list"], ["--help"], ["--version"]])
def test_output_that_nothing_can_take_is_one_line(arguments: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "answersim", *arguments], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.stderr == "answersim: No space left on device\n"
    assert done.returncode == 2


SLOW = """
import sys, time
import numpy as np
from answersim import planning, profiles
from answersim.catalog import lookup
from answersim.__main__ import main

class Slow:
    signature = "slow|v:0"
    def __call__(self, pairs):
        time.sleep(0.2)
        return np.zeros(len(pairs))

planning._CHUNK = 1
lookup.ENTRIES["slow"] = lookup.Entry("slow", "lexical", "", "", lambda *, lang, profile: Slow())
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals there")
@pytest.mark.parametrize(
    ("terminal", "more", "shown"), [(True, [], True), (False, [], False), (True, ["--no-progress"], False)]
)
def test_a_bar_is_shown_only_on_a_terminal_and_only_where_it_may(
    terminal: bool, more: list[str], shown: bool, tmp_path: Path
) -> None:
    import fcntl
    import pty
    import struct
    import termios

    (tmp_path / "t.csv").write_text("gold,pred\n" + "a,b\n" * 5)
    main, ours = pty.openpty() if terminal else os.pipe()
    if terminal:  # a new one has no width, and a bar needs some
        fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.run(
        [sys.executable, "-c", SLOW, "score", str(tmp_path / "t.csv"), "-m", "slow", *more],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=ours,
    )
    os.set_blocking(main, False)
    try:
        seen = os.read(main, 1 << 16)
    except BlockingIOError:
        seen = b""
    os.close(ours)
    os.close(main)
    assert process.returncode == 0
    assert (b"slow:" in seen) == shown
    assert shown or seen == b""


# --- questions; that a column of them reaches the metric is told in tests/neural/test_questions.py


def test_a_question_needs_a_table_and_a_column_and_never_a_metric_that_reads_it(table: Path, tmp_path: Path) -> None:
    assert "has no column 'q'; its columns are: id, gold, pred" in refused("score", table, "--question", "q")
    assert succeed("score", table, "-m", "em,f1", "--question", "id") == succeed("score", table, "-m", "em,f1")
    (tmp_path / "lines.txt").write_text("a\n")
    (tmp_path / "others.txt").write_text("a\n")
    two = (tmp_path / "lines.txt", tmp_path / "others.txt")
    assert "--question names a column of a table" in refused("score", *two, "--question", "q")


# --- a user without a home folder

NO_HOME = """
import os, pwd, sys

def gone(*_):
    raise KeyError("getpwuid(): uid not found: 54321")

pwd.getpwuid = pwd.getpwnam = gone
for variable in ("HOME", "XDG_CACHE_HOME", "ANSWERSIM_CACHE_DIR", "ANSWERSIM_CACHE", "ANSWERSIM_DATA"):
    os.environ.pop(variable, None)

from typer.testing import CliRunner
from answersim.__main__ import app

def run(*arguments):
    result = CliRunner().invoke(app, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output

table = sys.argv[1]
score = ["score", table, "-m"]
for command in (["list"], ["show", "sas"], ["data", "list"], [*score, "f1"], [*score, "sas"]):
    code, out = run(*command)
    assert code == 0, (command, out)
for command in (
    ["cache", "info"],
    ["data", "fetch", "squad"],
    ["score", table, "-m", "sas", "--option", "model=~/x"],
    ["score", table, "-m", "sas", "--option", "adapter=~/x"],
):
    code, out = run(*command)
    assert (code, out.count("\\n")) == (2, 1), (command, out)
    assert "no home folder" in out or "but there is none" in out, (command, out)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no module pwd")
def test_a_user_without_a_home_folder_can_score_and_is_told_what_needs_one(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("gold,pred\nRome,in Rome\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", NO_HOME, str(table)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
