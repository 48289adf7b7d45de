"""The command line as a process, and any line of words: status, plain text, pipes, bars, and its help."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer import Typer
from typer.testing import CliRunner

import answersim
from answersim.__main__ import app
from rankers.__main__ import app as rankers_app
from tests.cases import cases_of, every
from tests.command_line import TABLE, run, succeed
from tests.fuzz import lines, odd

ROOT = Path(__file__).parent.parent


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "answers.csv"
    path.write_text(TABLE)
    return path


def alone(*arguments: object, **more: Any) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "answersim", *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, **more
    )


def test_version_is_one_word() -> None:
    assert succeed("--version") == f"{answersim.__version__}\n"


@every("arguments", [[], ["data"]])
def test_without_a_command_the_help_says_what_there_is(arguments: list[str]) -> None:
    code, out, err = run(*arguments)
    assert code in (0, 2)  # by the version of click
    for command in ("list", "fetch", "cache") if arguments else ("score", "show", "data"):
        assert f"\n  {command} " in out + err
    assert "Traceback" not in out + err


@every("command", [[], ["score"], ["show"], ["data"], ["data", "list"], ["data", "fetch"], ["data", "cache"]])
def test_every_command_has_its_help(command: list[str]) -> None:
    assert succeed(*command, "--help").startswith("Usage: ")


@every(("arguments", "said"), cases_of(__file__)["a_mistyped_command_ends_with_status_2_and_its_usage"])
def test_a_mistyped_command_ends_with_status_2_and_its_usage(arguments: list[str], said: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("Usage: ")
    assert said in err


def test_a_process_prints_plain_text_and_ends_with_status_0(table: Path, tmp_path: Path) -> None:
    done = alone("score", table, "-m", "em,f1", "-o", tmp_path / "out.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert all(line == line.rstrip() for line in done.stdout.splitlines())
    assert done.stdout.endswith(f"\nscores of every row: {tmp_path / 'out.csv'}\n")


def test_a_process_that_fails_prints_one_line_and_ends_with_status_2(tmp_path: Path) -> None:
    done = alone("score", tmp_path / "gone.csv", "-o", tmp_path / "out.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"answersim: no file at {tmp_path / 'gone.csv'}; "
        "give a table (.csv, .tsv, .jsonl, .ndjson, .parquet, .json, .xlsx)\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="there is no /dev/stdout there")
@pytest.mark.parametrize("into", ["pipe", pytest.param("file", marks=pytest.mark.slow)])
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
            [sys.executable, "-m", "answersim", "show", "--all"],
            cwd=ROOT,
            stdout=broken,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.stderr == ""
    assert done.returncode == 141  # the status that a shell gives to a program that SIGPIPE ends


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize(
    "arguments", [["show"], *(pytest.param([word], marks=pytest.mark.slow) for word in ("--help", "--version"))]
)
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
from answersim.metrics import planning
from answersim.metrics.catalog import lookup
from answersim.types import Definition
from answersim.__main__ import main

class Slow:
    signature = "slow|v:0"
    def __call__(self, pairs):
        time.sleep(0.2)
        return np.zeros(len(pairs))

planning._CHUNK = 1
lookup.ENTRIES["slow"] = Definition("slow", "lexical", "", "", lambda *, lang, profile: Slow())
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals there")
@pytest.mark.parametrize(
    ("terminal", "more", "shown"),
    [(True, [], True), (True, ["--no-progress"], False), pytest.param(False, [], False, marks=pytest.mark.slow)],
)
def test_a_bar_is_shown_only_on_a_terminal_and_only_where_it_may(terminal, more, shown, tmp_path):
    import fcntl
    import pty
    import struct
    import termios

    (tmp_path / "t.csv").write_text("gold,pred\n" + "a,b\n" * 4)
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
for command in (["show"], ["show", "sas"], ["data", "list"], [*score, "f1"], [*score, "sas"]):
    code, out = run(*command)
    assert code == 0, (command, out)
for command in (
    ["data", "cache"],
    ["data", "fetch", "squad"],
    ["score", table, "-m", "sas", "--option", "model=~/x"],
    ["score", table, "-m", "sas", "--option", "adapter=~/x"],
):
    code, out = run(*command)
    assert (code, out.count("\\n")) == (2, 1), (command, out)
    assert "no home folder" in out or "but there is none" in out, (command, out)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no module pwd")
def test_a_user_without_a_home_folder_can_score_and_is_reported_what_needs_one(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("gold,pred\nRome,in Rome\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", NO_HOME, str(table)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("seed", range(4))
def test_every_command_line_ends_with_a_known_status_and_without_a_traceback(seed: int) -> None:
    """The fuzz tries more lines, and those of rankers."""
    with odd.sandbox() as folder:
        commands = {words: command for words, command in lines.commands("answersim").items() if words[0] != "train"}
        rng = random.Random(seed)
        ended = [lines.random_line(rng, folder, "answersim", *rng.choice([*commands.items()])) for _ in range(20)]
    assert [end.complaint for end in ended if end.complaint] == []
    assert {0, 2} <= {end.status for end in ended}


@pytest.mark.parametrize(
    ("program", "group"),
    [(app, ()), (app, ("data",)), (app, ("train",)), (rankers_app, ())],
    ids=["answersim", "data", "train", "rankers"],
)
def test_the_list_of_commands_shows_whole_sentences(program: Typer, group: tuple[str, ...]) -> None:
    """At 80 columns, a longer first sentence of a command is cut. The commands are below the options, in groups."""
    result = CliRunner().invoke(program, [*group, "--help"], env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"})
    below = result.output.partition("Show this message and exit.")[2].splitlines()
    commands = [line for line in below if line.startswith("  ")]
    assert len(commands) > 1
    assert [line for line in commands if not line.endswith(".") or line.endswith("...")] == []
