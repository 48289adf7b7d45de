"""Sessions on a terminal: labels, skips, steps back, the end of the input, and texts that control nothing."""

from __future__ import annotations

from collections.abc import Mapping

from answersim.evaluation.labels.asking import ask
from answersim.evaluation.labels.human_labels import shown
from answersim.evaluation.labels.sheets import KEY, Sheet, ShownColumns
from tests.evaluation.made_sheets import drawn, sheet_of


def answered(sheet: Sheet, answers: list[str]) -> tuple[dict[str, str], int, list[str]]:
    """What a terminal session gives: labels, how often it saved, and the lines it printed."""
    lines: list[str] = []
    saved: list[dict[str, str]] = [{}]
    left = iter(answers)

    def read_line(prompt: str) -> str:
        lines.append(prompt)
        answer = next(left, None)
        if answer is None:
            raise EOFError
        return answer

    def save(labels: Mapping[str, str]) -> Sheet:
        saved.append({**saved[-1], **labels})
        return sheet.labeled(saved[-1])

    found = ask(sheet, save, read_line, lines.append)
    assert found == sheet.labeled(saved[-1])
    return saved[-1], len(saved) - 2, lines  # without the first state, and without the last call, which adds nothing


def test_a_session_labels_skips_goes_back_and_stops() -> None:
    sheet = drawn(4)
    keys = [row[KEY] for row in sheet.rows]
    given, saved, lines = answered(sheet, ["y", "what", "n", "b", "0.5", "s", "Y", "q"])
    assert given == {keys[0]: "1", keys[1]: "0.5", keys[3]: "1"}
    assert saved == 4
    assert any(line.startswith("question:  question ") for line in lines)
    assert sum("y: correct" in line for line in lines) == 2  # at the start and after "what"


def test_a_session_that_ends_keeps_what_was_given_and_a_later_one_goes_on() -> None:
    sheet = drawn(4)
    given, _, _ = answered(sheet, ["y"])
    rest, _, lines = answered(sheet.labeled(given), ["n", "n", "n"])
    assert lines[0].startswith("3 of 4 rows are open")
    assert len(given | rest) == 4
    assert sheet.labeled(given | rest).n_open == 0
    assert sheet.n_open == 4  # the sheet itself is unchanged


def test_texts_cannot_control_the_terminal() -> None:
    columns = {"gold": [shown(["a\x1b[2J", "b"])], "pred": ["x\ny"]}
    sheet = sheet_of(columns, [0.5], 1, ShownColumns(None, None, "gold", "pred"))
    lines = answered(sheet, [])[2]
    assert "gold:      a\N{REPLACEMENT CHARACTER}[2J or b" in lines
    assert "pred:      x y" in lines
