"""``answersim verify``: 0 where the numbers are reproduced, 1 where they are not, 2 where it could not be tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import run

SIGNATURE = "f1|text:en|rev:1"


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    """A table that answersim score wrote."""
    table, out = tmp_path / "answers.csv", tmp_path / "scores.csv"
    table.write_text("gold,pred\nRome,in Rome\nEiffel Tower,the Eiffel Tower|tower\nNA,None\n", encoding="utf-8")
    assert run("score", table, "-m", "f1,em", "-o", out)[0] == 0
    return out


def test_what_score_wrote_is_verified(scored: Path) -> None:
    code, out, err = run("verify", SIGNATURE, scored)
    assert (code, err) == (0, "")
    assert out.startswith("equal: 3 scores, largest difference 0.0e+00")


def test_a_changed_number_is_found_with_its_row(scored: Path) -> None:
    text = scored.read_text(encoding="utf-8")
    scored.write_text(text.replace("NA,None,0.0", "NA,None,0.5"), encoding="utf-8")
    code, out, _ = run("verify", SIGNATURE, scored)
    assert code == 1
    assert "row 3: recorded 0.5, computed 0.0" in out
    assert run("verify", SIGNATURE, scored, "--tolerance", "0.6")[0] == 0


def test_the_column_may_bear_another_name_and_references_be_several(scored: Path) -> None:
    code, _, err = run("verify", "em|text:en|rev:1", scored, "--score", "em", "--split-gold", "|")
    assert (code, err) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["f1"], "is not a signature"),
        (["recall|text:en|rev:1"], "is called 'recall'; known: em, f1, gold, pred; name the column of the scores"),
        ([SIGNATURE, "--score", "gold"], "'gold' is 'Rome', but it must be a number"),
        ([SIGNATURE, "--gold", "pred"], "gold and pred both name the column 'pred'"),
        (["bi-encoder|encoder:none@01/fp32|pooling:mean|rev:1", "--score", "f1", "--option", "model=/no"], "/no"),
    ],
)
def test_what_cannot_be_tried_is_one_line_and_exit_status_2(scored: Path, arguments: list[str], message: str) -> None:
    code, out, err = run("verify", arguments[0], scored, *arguments[1:])
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
