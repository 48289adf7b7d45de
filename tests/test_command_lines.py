"""Command lines at random: each ends with a known status, without a traceback, and 0 only if the work is done."""

from __future__ import annotations

import json
import os
import random
import socket
import warnings
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from answersim.__main__ import app
from rankers.__main__ import app as rankers_app

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


def test_every_command_line_ends_with_a_known_status_and_without_a_traceback(
    inputs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
