"""The table that `score` writes, and the golden texts of all commands."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import answersim
from answersim._base.arrays import FloatArray
from answersim.metrics import official, planning
from answersim.metrics.catalog import lookup
from answersim.types import Definition, Pair
from rankers.__main__ import app as rankers_app
from tests.command_line import TABLE, combined, refused, run, succeed


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


def test_a_question_needs_no_metric_that_reads_it(table: Path) -> None:
    assert succeed("score", table, "-m", "em,f1", "--question", "id") == succeed("score", table, "-m", "em,f1")


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
            lookup.ENTRIES, name, Definition(name, "lexical", "a test's", "a test", lambda *, lang, profile: metric)
        )

    return put


def test_an_existing_column_is_never_overwritten(table: Path, tmp_path: Path) -> None:
    scored = tmp_path / "scored.csv"
    succeed("score", table, "-m", "em,f1", "-o", scored)
    assert refused("score", scored, "-m", "recall,f1", "-o", tmp_path / "out.csv") == (
        "the table already has a column 'f1'; choose another name with --prefix"
    )
    assert not (tmp_path / "out.csv").exists()
    succeed("score", scored, "-m", "recall,f1", "--prefix", "my ", "-o", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == "id,gold,pred,em,f1,my recall,my f1"


def test_scoring_that_fails_in_the_middle_touches_no_file(table, tmp_path, monkeypatch, new_metric):
    new_metric("broken", Broken())
    monkeypatch.setattr(planning, "_CHUNK", 1)
    (tmp_path / "out.csv").write_text("old")
    before = sorted(tmp_path.iterdir())
    assert refused("score", table, "-m", "em,broken", "-o", tmp_path / "out.csv") == "it broke in two lines"
    assert refused("score", table, "-m", "em,broken", "-o", tmp_path / "new.csv") == "it broke in two lines"
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "out.csv").read_text() == "old"
    assert table.read_text() == TABLE


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


run_official = partial(combined, "official")


def test_the_list_has_every_profile_with_its_owner() -> None:
    code, text = run_official()
    assert code == 0, text
    for name in official.profiles():
        assert name in text
        assert official.profile(name).commit in text
    assert any(line.endswith("math") for line in text.splitlines() if line.startswith("minerva "))


HERE = Path(__file__).parent / "golden"
NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?")


def printed(line: str) -> str:
    """Return what a command prints, and its status if it is not 0."""
    program, *words = shlex.split(line)
    if program == "cat":
        return Path(words[0]).read_text(encoding="utf-8")
    if program == "rankers":
        done = CliRunner().invoke(rankers_app, words)
        status, output, errors = done.exit_code, done.stdout, done.stderr
    else:
        status, output, errors = run(*words)
    return errors + output + (f"[status {status}]\n" if status else "")


def again(text: str) -> Iterator[str]:
    """Yield the commands of a text, each with its output now."""
    for line in re.findall(r"^\$ (.+)$", text, re.MULTILINE):
        yield f"$ {line}\n{printed(line)}"


def alike(one: str, other: str) -> bool:
    """Return whether two texts are equal, but for the last digit, which another processor may round elsewhere."""
    numbers = [[number.replace(",", "") for number in NUMBER.findall(text)] for text in (one, other)]
    return NUMBER.sub("0", one) == NUMBER.sub("0", other) and all(
        abs(float(a) - float(b)) < (max(1.1 * 10.0 ** -len(a.partition(".")[2]), 1e-6) if "." in a else 0.5)
        for a, b in zip(*numbers, strict=True)
    )


@pytest.mark.filterwarnings("always::UserWarning")  # the command shows them
@pytest.mark.usefixtures("no_data")
@pytest.mark.parametrize("name", sorted(path.stem for path in HERE.glob("*.txt")))
def test_a_command_prints_what_it_printed_before(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "rankers":
        pytest.importorskip("torch")
    monkeypatch.setattr("answersim.metrics.catalog.lookup.DEFAULT_METRIC", "recall")  # no network runs
    shutil.copytree(HERE / "data", tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    text = (HERE / f"{name}.txt").read_text(encoding="utf-8")
    now = "\n".join(again(text))
    if os.environ.get("ANSWERSIM_GOLDEN") == "write":
        (HERE / f"{name}.txt").write_text(now, encoding="utf-8")
        return
    assert alike(now, text), f"ANSWERSIM_GOLDEN=write renews {name}.txt, and git diff shows the changes:\n{now}"
