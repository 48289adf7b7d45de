"""The options that commands share, and mistakes, which end with one line."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import answersim.commands
from answersim._base import text_tables
from answersim._base.device import Device
from answersim._base.errors import MissingExtraError
from answersim.calibration import storing
from answersim.calibration.fitting import calibrate
from answersim.commands.options import Result, Scoring, setting
from answersim.commands.printing import check_output, show
from answersim.stats.intervals.resampling import Bootstrap
from tests.calibration.conftest import world
from tests.cases import cases_of, every
from tests.command_line import TABLE, refused, run
from tools.site.commands import OptionRow, command_pages, commands, option_table

TABLES = cases_of(__file__)


@every(("text", "name", "value"), TABLES["a_setting_is_a_name_and_a_number_or_text"])
def test_a_setting_is_a_name_and_a_number_or_text(text: str, name: str, value: object) -> None:
    assert setting(text) == (name, value)
    assert type(setting(text)[1]) is type(value)


def test_an_option_that_is_given_twice_is_an_error() -> None:
    with pytest.raises(ValueError, match="device is given by --option and by --device; give it once"):
        Scoring(device="cpu").networks_of(["sas"], {"device": "cpu"})
    assert Scoring(device="cpu,64").networks_of(["sas"], {}) == {"sas": {"device": Device("cpu", batch_tokens=64)}}


def test_scores_are_stored_and_bars_shown_by_default_and_the_judge_is_last_in_the_help() -> None:
    assert (Scoring().cache, Scoring().progress) == (True, True)
    for command in ("score", "evaluate", "calibrate"):
        headings = re.findall(r"^(\w[\w ]*):$", run(command, "--help-all")[1], re.MULTILINE)
        assert headings[-2:] == ["Judge", "Computation"], headings


NOTES = dict(TABLES["NOTES"])  # why the help of a command adds something to the text of an option
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
    printed = {command: [item.name for item in entry.params if item.param_type_name == "option" and not item.hidden]
             for command, entry in commands("answersim")}  # fmt: skip
    assert {command: names for command, names in printed.items() if len(names) > FIRST} == {}


def test_commands_and_names_of_options_are_few() -> None:
    """A group such as train is one command of the 14."""
    result = dict(commands("answersim"))
    assert len({command.split()[1] for command in result}) <= 14
    assert len(result) <= 20
    names = {next((part for part in item.opts if part.startswith("--")), item.opts[0]) for entry in result.values()
             for item in entry.params if item.param_type_name == "option"}  # fmt: skip
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
    known = {option for command, entry in commands("answersim") for item in entry.params for option in item.opts
             if command.split()[1] != "train" and item.param_type_name == "option"}  # fmt: skip
    assert {option for option in known if option.startswith("--")} - {name(row) for row in rows} <= {"--help"}


def test_the_code_of_commands_repeats_nothing() -> None:
    """No run of more than six equal lines, but for imports and signatures, which name what they use."""
    seen: dict[tuple[str, ...], str] = {}
    twice = []
    for path in sorted(Path(answersim.commands.__file__).parent.rglob("*.py")):
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


def test_a_suffix_that_is_no_form_and_a_folder_are_refused(tmp_path: Path) -> None:
    for name in ("r.JSON", "r.tex", "r.md", "r.csv", "r.jsonl"):
        check_output(Result(output=tmp_path / name))
    with pytest.raises(ValueError, match=r"'\.html'.*\.json, \.md, \.tex, \.csv"):
        check_output(Result(output=tmp_path / "r.html"))
    with pytest.raises(FileNotFoundError, match="no folder"):
        check_output(Result(output=tmp_path / "none" / "r.json"))
    (tmp_path / "folder.tex").mkdir()
    with pytest.raises(IsADirectoryError, match="folder"):
        check_output(Result(output=tmp_path / "folder.tex"))


def test_a_table_that_cannot_be_written_here_is_refused_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match="tables"):
        check_output(Result(output=tmp_path / "r.parquet"))


@dataclass(frozen=True)
class Found(text_tables.Result):
    def summary(self) -> list[str]:
        return ["two rows"]

    def records(self) -> list[dict[str, Any]]:
        return [{"a": 1}, {"a": 2, "b": "y"}]


def test_results_are_written_in_the_form_of_the_suffix(tmp_path: Path) -> None:
    show(Found(), Result(output=tmp_path / "r.MD"), [])
    assert (tmp_path / "r.MD").read_text(encoding="utf-8").startswith("two rows  \n")
    show(Found(), Result(output=tmp_path / "r.html"), [], {".html": lambda: "a page"})
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == "a page"
    show(Found(), Result(output=tmp_path / "r.csv"), [])
    assert (tmp_path / "r.csv").read_text(encoding="utf-8").splitlines() == ["a,b", "1,", "2,y"]
    show(Found(), Result(output=tmp_path / "r.csv"), [], rows=lambda: [{"c": 3}])
    assert (tmp_path / "r.csv").read_text(encoding="utf-8").splitlines() == ["c", "3"]


def test_a_result_is_printed_as_lines_or_as_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    show(Found(), Result(), ["one line", "another"])
    assert capsys.readouterr().out == "one line\nanother\n"
    show(Found(), Result(format="markdown"), ["one line"])
    assert capsys.readouterr().out.startswith("two rows  \n")


LONG = "gpt-4o-2024-08-06-with-retrieval-and-reranker"
COMMANDS = dict(TABLES["COMMANDS"])  # every command that writes a result, and a word of it


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_writes_latex_and_prints_no_table_wider_than_80_characters(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"what is {i},Rome {i % 7},{'in ' * (i % 3)}Rome {i % 7},Oslo {i % 5},{int(i % 4 > 0)}" for i in range(24)]
    Path("answers.csv").write_text("\n".join([f"question,gold,{LONG}-a,{LONG}-b,label", *rows]))
    for output in ("table.tex", "table.csv"):
        code, out, err = run(*command.replace("LONG", LONG).split(), "-o", output)
        assert code in (0, 1, 3), err
        assert max((len(line) for line in out.splitlines() if line.startswith("──")), default=0) <= 80
    text = Path("table.tex").read_text(encoding="utf-8")
    assert "\\begin{tabular}" in text
    assert "\\end{tabular}" in text
    assert COMMANDS[command] in text
    assert len(Path("table.csv").read_text(encoding="utf-8").splitlines()) > 1


GOLD = ["Rome", "Oslo", "Paris", "Lima"]

MISTAKES = TABLES["mistakes"]  # the command and its words, and what the line says


def put(path: str, rows: list[dict[str, object]]) -> None:
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """The working folder: its files, which no mistake changes. Without --metric, the metric is recall."""
    monkeypatch.setattr("answersim.metrics.catalog.lookup.DEFAULT_METRIC", "recall")
    monkeypatch.chdir(tmp_path)
    texts = {"here.txt": "a\n", "other.txt": "b\n", "two.txt": "a\nb\n", "three.txt": "a\nb\n\n", "four.txt": "a\n" * 4}
    tables = {
        "answers.csv": TABLE,
        "out.csv": "old",
        "short.csv": "gold,pred\na\n",
        "empty.csv": "gold,pred,label\n",
        "verdict.csv": "gold,pred,verdict\na,a,mine\n",
        "judged.csv": "source,gold,pred,label,tool\n"
        + "".join(f"{'ab'[i // 20]},red stone,{'red ' * (i % 2)}brick,{i % 3 // 2},{i}\n" for i in range(40)),
    }
    for name, text in (texts | tables).items():
        Path(name).write_text(text, encoding="utf-8")
    Path("link.txt").symlink_to("here.txt")
    for name in ("link.csv", "link.json"):
        Path(name).symlink_to("judged.csv")
    rows = [{"id": i, "question": f"q{i}", "gold": GOLD[i % 4], "pred": GOLD[i % 3]} for i in range(80)]
    for name in ("old", "new", "third"):
        put(f"{name}.jsonl", rows)
    put("lacks.jsonl", rows[1:])
    put("twice.jsonl", [*rows, rows[3]])
    put("labels.jsonl", [{"id": i, "label": i % 2} for i in range(20)])
    put("samples.jsonl", [{"q": f"q{i // 4}", "gold": "1/2", "pred": str(i % 4)} for i in range(12)])
    for name, signature, metric in (("tool", "column|name:tool", {"column": "tool"}), ("unbuilt", "mine|v:1", {})):
        how = {"metric": metric} if metric else {}
        storing.write(
            calibrate(*world(100, 1), signature=signature, bootstrap=Bootstrap(resamples=5), **how), f"{name}.json"
        )
    return files()


def files() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path().iterdir()}


@every("words, message", MISTAKES)
def test_a_mistake_is_one_line_and_changes_no_file(words: str, message: str, folder: dict[str, bytes]) -> None:
    line = refused(*shlex.split(words))
    assert message.lower() in line.lower()
    assert files() == folder


@every("words", ["--gold Rome", "-c f1", "--pred Rome"])
def test_without_a_file_both_texts_are_needed(words: str, folder: dict[str, bytes]) -> None:
    code, _, error = run("score", *shlex.split(words))
    assert code == 2
    assert "Missing argument 'FILE'; for one pair of texts give both: --gold TEXT --pred TEXT" in error


def test_the_error_for_an_unknown_metric_names_the_other_ways(folder: dict[str, bytes]) -> None:
    line = refused("correlate", "judged.csv", "-m", "recal", "--score", "tool")
    for words in ("did you mean 'recall'", "--score COLUMN", "module:function", "plug-in"):
        assert words in line
