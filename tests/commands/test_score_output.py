"""Settings and outputs of `answersim score`: nothing is half done, and no input is overwritten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from answersim._base.arrays import FloatArray
from answersim.metrics import planning
from answersim.metrics.catalog import lookup
from answersim.types import Definition, Pair
from tests.command_line import TABLE, refused, run, succeed


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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-m", "bertscor"], "no metric is called 'bertscor'; did you mean 'bertscore'"),
        (["-m", "f1", "--option", "layer=3"], "the metric 'f1' has no option 'layer'; its options are extract"),
        (["-m", "f1", "--option", "lang=de"], "--option 'lang=de' duplicates another option; write --lang de"),
        (["-m", "em,f1", "--option", "alpha=1"], "--option is for one metric at a time, but 2 were given"),
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


def test_a_table_that_was_scored_before_can_be_summed_up_again(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("gold,pred,em\na,b,0.0\n")
    assert "em       1   0.0000" in succeed("score", tmp_path / "t.csv", "-m", "em")


def test_scoring_that_fails_in_the_middle_touches_no_file(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new_metric: Callable[[str, Any], None]
) -> None:
    new_metric("broken", Broken())
    monkeypatch.setattr(planning, "_CHUNK", 1)
    (tmp_path / "out.csv").write_text("old")
    before = sorted(tmp_path.iterdir())
    assert refused("score", table, "-m", "em,broken", "-o", tmp_path / "out.csv") == "it broke in two lines"
    assert refused("score", table, "-m", "em,broken", "-o", tmp_path / "new.csv") == "it broke in two lines"
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "out.csv").read_text() == "old"
    assert table.read_text() == TABLE


def test_the_output_is_neither_of_two_text_files(tmp_path: Path) -> None:
    for name in ("golds.csv.txt", "preds.csv"):
        (tmp_path / name).write_text("a\n")
    (tmp_path / "preds").symlink_to(tmp_path / "preds.csv")
    for golds, preds in (("golds.csv.txt", "preds"), ("preds", "golds.csv.txt")):
        assert "is the input" in refused("score", tmp_path / golds, tmp_path / preds, "-o", tmp_path / "preds.csv")


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


def test_missing_weights_are_one_line_and_no_output(table: Path, tmp_path: Path, no_weights: None) -> None:
    assert "pip install them" in refused("score", table, "-m", "em,bi-encoder", "-o", tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()
