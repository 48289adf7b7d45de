"""The command line as a process, and any line of words: status, plain text, pipes, bars, and its help."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from typer import Typer
from typer.testing import CliRunner

import answersim
from answersim.__main__ import app
from rankers.__main__ import app as rankers_app
from tests.cases import every
from tests.command_line import TABLE, run, succeed

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


@every(
    ("arguments", "said"),
    [
        (["scor"], "No such command 'scor'; did you mean 'score'?"),
        (
            ["meteor", "a.csv"],
            "'meteor' is a metric and not a command; to score with it: answersim score FILE -m meteor",
        ),
        (["a.csv"], "'a.csv' is a file and not a command; did you mean 'answersim evaluate a.csv'?"),
        (["judge", "a.csv"], "did you mean 'answersim evaluate a.csv -m judge'?"),
        (["train", "names.csv"], "did you mean 'answersim evaluate names.csv'?"),
        (["list"], "No such command 'list'; the commands are score, evaluate, "),
        (["data", "caches"], "No such command 'caches'; did you mean 'cache'?"),
        (["typed+f1", "a.csv"], "to score with it: answersim score FILE -m typed+f1"),
        (["bertscore"], "to score with it: answersim score FILE -m bertscore-trained"),
        (["score"], "Missing argument"),
        (["score", "a.csv", "--metrik", "f1"], "No such option"),
        (["score", "a", "b", "c"], "unexpected extra argument"),
    ],
)
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


LINES = int(os.environ.get("ANSWERSIM_FUZZ_LINES", "80"))
SEED = int(os.environ.get("ANSWERSIM_FUZZ_SEED", "0"))
ALLOWED = {"compare": {0, 1, 2, 3}, "evaluate": {0, 1, 2, 3}}  # of all others 0 and 2


@pytest.fixture
def inputs(tmp_path: Path) -> list[str]:
    """Files of every kind that a user may name, good and bad."""
    rows = [
        {"gold": f"answer {i % 7}", "pred": f"answer {i % 5}", "label": i % 3, "s": i % 7 / 7, "q": "who?", "id": i}
        for i in range(30)
    ]
    table = "gold,pred,label,s,q,id\n" + "".join(",".join(map(str, row.values())) + "\n" for row in rows)
    texts = {
        "good.csv": table,
        "good.tsv": table.replace(",", "\t"),
        "good.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
        "empty.csv": "",
        "header.csv": "gold,pred,label,s,q\n",
        "empty.jsonl": "",
        "twice.csv": table.replace("label", "gold", 1),
        "twice.jsonl": '{"gold": "a", "gold": "b", "pred": "c", "label": 1}\n',
        "short.csv": table + "a,b\n",
        "quote.csv": table + 'a,"b\n',
        "nul.csv": table + "a\0,b,1,0,q\n",
        "deep.jsonl": '{"gold": "a", "pred": "b", "x": ' + "[" * 100_000 + "]" * 100_000 + "}\n",
        "broken.jsonl": '{"gold": "a"\n',
        "list.jsonl": "[1, 2]\n",
        "number.jsonl": '{"gold": 1, "pred": "b", "label": 1}\n',
        "surrogate.jsonl": '{"gold": "\\ud83d", "pred": "b", "label": 1}\n',
        "no.parquet": "PAR1 no",
        "lines": "a\nb\n",
        "longer": "a\nb\nc\n",
        "x.xlsx": "",
        "array.json": json.dumps(rows),
        "lines.json": "\n".join(map(json.dumps, rows)),
        "broken.json": "[{]",
        "semicolons.csv": table.replace(",", ";"),
        "nested.jsonl": '{"gold": {"gold": "a"}, "pred": {"q": "b"}, "label": 1}\n',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "bytes.csv").write_bytes(b"gold,pred\n\xff,\xfe\n")
    (tmp_path / "wide.csv").write_text(table, encoding="utf-16")
    (tmp_path / "western.csv").write_text(f"{table}Zürich,Zürich,1,1,q\n", encoding="cp1252")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    return [
        *texts,
        "bytes.csv",
        "wide.csv",
        "western.csv",
        "folder.csv",
        "loop.csv",
        "gone.csv",
        "n" * 300 + ".csv",
        "",
        "lines/x.csv",
        "\udcff.csv",
    ]


OUTPUTS = ["out.csv", "out.jsonl", "out.parquet", "out.json", "out.md", "out.html", "out", "gone/out.csv", "good.csv"]
OUTPUTS += ["folder.csv", "loop.csv", "lines/x.csv", "n" * 300 + ".csv", "socket.csv", os.devnull, ""]
COLUMNS = ["gold.gold", "pred.q", "gold", "pred", "label", "s", "q", "gone", "", "\udcff"]
METRICS = ["em", "f1", "em,f1", "recall", "bleu", "gone", "", "f1,f1", ",", "rouge-l"]
NUMBERS = ["0", "1", "-1", "20", "0.5", "nan", "inf", "1e999", "99999999999999999999", "x", ""]
OPTIONS: dict[str, dict[str, list[str]]] = {
    "score": {
        "-m": METRICS,
        "--gold": COLUMNS,
        "--pred": COLUMNS,
        "--question": COLUMNS,
        "--split-gold": ["|", "", " "],
        "--lang": ["en", "de", "xx", ""],
        "--profile": ["squad", "paper", "gone", ""],
        "--option": ["x=1", "layer=3", "=", "x", "lang=de", "n=1e400"],
        "--prefix": ["my ", "", "\n"],
        "-o": OUTPUTS,
        "--device": ["cpu", "gone", ""],
        "--no-cache": [],
        "-c": ["f1", "gone", "good.csv", "empty.jsonl", ""],
        "--from": ["auto", "inspect", "lm-eval", "lm-eval:x", "gone", ""],
    },
    "correlate": {
        "--label": COLUMNS,
        "-m": METRICS,
        "--score": COLUMNS,
        "--by": ["length", "question", "lang", "q", "gone"],
        "--coefficients": ["tau-b", "pearson", "gone", ""],
        "--level": NUMBERS,
        "--gold": COLUMNS,
        "--seed": NUMBERS,
        "-o": OUTPUTS,
    },
    "evaluate": {
        "-m": METRICS,
        "--gold": COLUMNS,
        "--pred": COLUMNS,
        "--question": COLUMNS,
        "--by": ["length", "question", "lang", "q", "gone"],
        "--group": COLUMNS,
        "--id": COLUMNS,
        "--keep": ["wrong", "right", "gone", ""],
        "--format": ["text", "markdown", "json", "latex", "gone"],
        "--low": NUMBERS,
        "--high": NUMBERS,
        "--encoding": ["cp1252", "utf-16", "gone", ""],
        "--delimiter": [";", "tab", ";;", ""],
        "--skip-bad": [],
        "--labels": [*COLUMNS, "good.csv", "gone.csv"],
        "--min-right": NUMBERS,
        "-o": OUTPUTS,
    },
    "calibrate": {"-m": METRICS, "--label-from": NUMBERS, "--labels": COLUMNS, "-o": OUTPUTS},
    "compare": {
        "-m": METRICS,
        "--score": COLUMNS,
        "--id": COLUMNS,
        "--gold": COLUMNS,
        "--level": NUMBERS,
        "--labels": [*COLUMNS, "good.csv", "gone.csv"],
        "--max-drop": NUMBERS,
        "--threshold": NUMBERS,
        "--noise": NUMBERS,
        "-o": OUTPUTS,
    },
    "label": {
        "-n": NUMBERS,
        "--sheet": OUTPUTS,
        "--score": COLUMNS,
        "--ask": [],
        "--plan": [*NUMBERS, "share=.9,explained=.5", "rows=9", "drop=.1", "x=1", "drop="],
    },
    "show": {"--lang": ["de", "xx"], "--profile": ["squad", "gone"], "--all": []},
    "official": {"--profiles": ["squad", "squad,drop", "all", "gone", ""], "--pred": COLUMNS, "-o": OUTPUTS},
    "data list": {},
    "data cache": {"--clear": []},
    "data fetch": {},
}
ALWAYS = {
    "correlate": ["--resamples", "20"],
    "evaluate": ["-m", "recall"],
    "compare": ["-m", "recall"],
    "label": ["-m", "recall"],
}


def line(rng: random.Random, inputs: list[str]) -> list[str]:
    """A command with arguments and options at random; mostly sound ones."""
    command = rng.choice([*OPTIONS, "evaluate", "evaluate", "score", "score", "score", "score", "correlate"])
    stated = [rng.choice(["good.csv", "good.jsonl", "good.tsv"]) if rng.random() < 0.6 else rng.choice(inputs)]
    if command == "score" and rng.random() < 0.2:
        stated = ["lines", rng.choice(["longer", "lines", *inputs])]
    elif command == "show":
        stated = [rng.choice(METRICS)]
    elif command == "data fetch":
        stated = [rng.choice(["gone", ""])]  # a test reaches for no network
    elif command == "compare":
        stated.append(rng.choice(["good.csv", "good.jsonl", "good.tsv", *inputs]))
    elif command not in ("score", "correlate", "calibrate", "evaluate", "label", "official"):
        stated = ["surplus"] if rng.random() < 0.1 else []
    options = OPTIONS[command]
    for name in rng.sample(sorted(options), k=min(len(options), rng.choice([0, 1, 1, 2, 3]))):
        stated += [name, *([rng.choice(options[name])] if options[name] else [])]
    if rng.random() < 0.03:
        stated.append("--gone")
    return [*command.split(), *ALWAYS.get(command, []), *stated]


def test_every_command_line_ends_with_a_known_status_and_without_a_traceback(inputs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANSWERSIM_CACHE", str(tmp_path / "cache"))
    if hasattr(socket, "AF_UNIX"):
        with socket.socket(socket.AF_UNIX) as caught:
            caught.bind("socket.csv")
    before = {name: Path(name).read_bytes() for name in inputs if name and len(name) < 200 and Path(name).is_file()}
    rng, ended = random.Random(SEED), {0: 0, 1: 0, 2: 0, 3: 0}
    for _ in range(LINES):
        words = line(rng, inputs)
        output = Path(words[words.index("-o") + 1]) if "-o" in words[:-1] else None
        if output is not None and output.name.startswith("out"):
            output.unlink(missing_ok=True)
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            result = CliRunner().invoke(app, words)
        failed = result.exception is not None and not isinstance(result.exception, SystemExit)
        assert not failed, (words, result.exception)
        assert result.exit_code in ALLOWED.get(words[0], {0, 2}), (words, result.output)
        assert "Traceback" not in result.output, words
        if result.exit_code == 2:
            assert "answersim: " in result.stderr or "Usage: " in result.stderr, (words, result.output)
        elif output is not None and output.name.startswith("out"):
            no_rows = words[0] == "evaluate" and output.suffix == ".jsonl"  # if no answer is wrong or unsure
            assert output.stat().st_size > 0 or no_rows, words
        ended[result.exit_code] += 1
    assert min(ended[0], ended[2]) >= LINES // 10  # the lines are neither all sound nor all wrong
    assert {name: Path(name).read_bytes() for name in before} == before  # no input was touched
    assert Path(os.devnull).is_char_device()
    left = sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".answersim"))
    assert all("-" in name[11:] for name in left), left  # partial results may stay, a lock or half a file may not


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
