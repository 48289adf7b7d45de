"""`answersim score`: the right columns, several references, two text files, and one line for every mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

import answersim
from tests.command_line import refused, succeed


@pytest.mark.parametrize(("here", "there"), [("csv", "parquet"), ("jsonl", "tsv")])
def test_score_gives_the_same_table_with_one_column_a_metric(here: str, there: str, tmp_path: Path) -> None:
    from answersim._base.io import files

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
    monkeypatch.setattr("answersim.metrics.catalog.lookup.DEFAULT_METRIC", "meteor")
    assert succeed("score", table) == succeed("score", table, "-m", "meteor")


def test_a_metric_asked_for_twice_is_one_column(table: Path, tmp_path: Path) -> None:
    succeed("score", table, "-m", "f1,em,f1", "-m", "em", "-o", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().startswith("id,gold,pred,f1,em\n")


def test_columns_of_other_names_are_scored(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("answer 1\tanswer,2\nRome\tin Rome\n")
    named = ("--gold", "answer 1", "--pred", '"answer,2"')
    out = succeed("score", tmp_path / "t.tsv", *named, "-m", "recall", "-o", tmp_path / "t.csv")
    assert "recall   1   1.0000" in out
    assert (tmp_path / "t.csv").read_text() == 'answer 1,"answer,2",recall\nRome,in Rome,1.0\n'


def test_a_bad_table_is_one_line_and_no_output(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("gold,pred\na\n")
    assert "line 2: 1 values for 2 columns" in refused("score", tmp_path / "t.csv", "-o", tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_a_mistyped_path_is_an_error_and_never_a_text(tmp_path: Path) -> None:
    (tmp_path / "here.txt").write_text("a\n")
    for name in ("gone.txt", "Paris"):
        assert f"no file at {name}; give a table (.csv" in refused("score", name)
        for paths in ((name, tmp_path / "here.txt"), (tmp_path / "here.txt", name)):
            assert refused("score", *paths) == f"no file at {name}; give two text files with one answer per line"


def test_split_gold_separates_references_and_leaves_the_column(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("gold,pred\nNFL||the League,league\na|b,b\n")
    out = tmp_path / "out.csv"
    assert "em       2   0.5000" in succeed("score", tmp_path / "t.csv", "--split-gold", "||", "-m", "em", "-o", out)
    assert out.read_text() == "gold,pred,em\nNFL||the League,league,1.0\na|b,b,0.0\n"


def test_two_text_files_are_scored_line_by_line(tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_bytes(b"\xef\xbb\xbfRome\r\nNA\r\n\r\n")
    (tmp_path / "pred").write_bytes(b'in Rome\n"NA"\n\n')
    named = ("--gold", "truth", "--pred", "answer", "-o", tmp_path / "out.csv")
    succeed("score", tmp_path / "gold.txt", tmp_path / "pred", "-m", "recall", *named)
    assert (tmp_path / "out.csv").read_text() == 'truth,answer,recall\nRome,in Rome,1.0\nNA,"""NA""",1.0\n,,1.0\n'


def test_one_text_file_is_not_scored_against_itself(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\n")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    for other in ("a", "b"):
        assert "are the same file" in refused("score", tmp_path / "a", tmp_path / other)


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


def test_a_question_needs_a_table_and_a_column_and_never_a_metric_that_reads_it(table: Path, tmp_path: Path) -> None:
    assert "has no column 'q'; its columns are: id, gold, pred" in refused("score", table, "--question", "q")
    assert succeed("score", table, "-m", "em,f1", "--question", "id") == succeed("score", table, "-m", "em,f1")
    (tmp_path / "lines.txt").write_text("a\n")
    (tmp_path / "others.txt").write_text("a\n")
    two = (tmp_path / "lines.txt", tmp_path / "others.txt")
    assert "--question names a column of a table" in refused("score", *two, "--question", "q")
