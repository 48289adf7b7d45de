"""One name and one meaning per option, in all commands; and nothing is written twice in their code."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import answersim.commands
from tools.site.commands import OptionRow, command_pages, commands, option_table

NOTES = {  # why the help of a command adds something to the text of an option
    "--by": "studies of metrics know the languages of rows",
    "--calibration": "in score, no calibration is the default",
    "--gold": "in score, the text of one pair",
    "--id": "the sheet of label shows it",
    "--label": "raters, systems, or a default that is not a column",
    "--label-from": "a default of a study, and when grades need it",
    "--labels": "the default of calibrate, and what needs them in label",
    "--lang": "the minimal pairs have four languages, and a signature may contain the language",
    "--metric": "calibrate has no default; studies also read functions; layers needs an encoder",
    "--output": "what is written, and the suffixes",
    "--pred": "several systems",
    "--question": "what else questions do there",
    "--record": "what the command does with the record",
    "--rows": "which rows",
    "--score": "what the scores replace, and the default",
    "--threshold": "label decides nothing, unless it draws by a verifier",
}
LONGEST = 6  # lines


@pytest.fixture(scope="module")
def rows() -> list[OptionRow]:
    return option_table()


def name(row: OptionRow) -> str:
    return next(part for part in row.name.replace(",", "").split() if part.startswith("--"))


def test_an_option_has_one_text_and_one_spelling_in_all_commands(rows: list[OptionRow]) -> None:
    """The table raises an error for two texts of one name; a name with two short forms would be two rows."""
    assert [key for key, n in Counter(map(name, rows)).items() if n > 1] == []
    assert {row.help for row in rows if not row.help} == set()


FIRST = 12  # options that the help of a command shows


def test_the_first_screen_of_help_is_short() -> None:
    shown = {command: [item.name for item in found.params if item.param_type_name == "option" and not item.hidden]
             for command, found in commands("answersim")}  # fmt: skip
    assert {command: names for command, names in shown.items() if len(names) > FIRST} == {}


def test_commands_and_names_of_options_are_few() -> None:
    """A group such as train is one command of the 14."""
    found = dict(commands("answersim"))
    assert len({command.split()[1] for command in found}) <= 14
    assert len(found) <= 20
    names = {next((part for part in item.opts if part.startswith("--")), item.opts[0]) for each in found.values()
             for item in each.params if item.param_type_name == "option"}  # fmt: skip
    assert len(names) <= 90


def test_two_options_have_two_meanings(rows: list[OptionRow]) -> None:
    assert [text for text, n in Counter(row.help for row in rows).items() if n > 1] == []


def test_what_a_command_adds_to_the_text_of_an_option_has_a_reason(rows: list[OptionRow]) -> None:
    assert {name(row) for row in rows if row.notes} == {key for key, reason in NOTES.items() if reason}


def test_every_command_that_scores_has_the_options_of_metrics_networks_and_judges(rows: list[OptionRow]) -> None:
    scoring = {"score", "evaluate", "compare", "label", "calibrate", "correlate", "doctor"}
    have = {name(row): {command.split()[1] for command in row.commands} for row in rows}
    for option in ("--option", "--extract", "--extract-gold", "--device", "--cache"):
        assert scoring - have[option] == set(), option
    for option in ("--base-url", "--model", "--record", "--replay", "--prompt", "--profile", "--lang", "--progress"):
        assert scoring - have[option] == set(), option
    assert scoring - {"doctor"} <= have["--metric"]  # it names them first


def test_the_page_of_options_lists_every_option(rows: list[OptionRow]) -> None:
    page = command_pages()["reference/options.md"]
    assert [row.name for row in rows if f"`{name(row)}`" not in page] == []
    known = {option for command, found in commands("answersim") for item in found.params for option in item.opts
             if command.split()[1] != "train" and item.param_type_name == "option"}  # fmt: skip
    assert {option for option in known if option.startswith("--")} - {name(row) for row in rows} <= {"--help"}


def test_the_code_of_commands_repeats_nothing() -> None:
    """No run of more than six equal lines, but for imports and signatures, which name what they use."""
    seen: dict[tuple[str, ...], str] = {}
    twice = []
    for path in sorted(Path(answersim.commands.__file__).parent.glob("*.py")):
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
        for i in range(len(lines) - LONGEST):
            block = tuple(lines[i : i + LONGEST + 1])
            if sum(len(line) > 3 for line in block) <= LONGEST or all(_is_declaration(line) for line in block[:-1]):
                continue
            place = f"{path.name}:{i + 1}"
            if block in seen:
                twice.append((seen[block], place))
            seen.setdefault(block, place)
    assert twice == []


def _is_declaration(line: str) -> bool:
    """Return whether a line is of an import or a parameter list."""
    return line.startswith(("from ", "import ", "def ")) or line.endswith((",", "(")) or line[:1] in (")", "@")
