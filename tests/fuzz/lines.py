"""Command lines: how a command of ``answersim`` or ``rankers`` ends, and random options of every command."""

import csv
import json
import random
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.fuzz import odd
from tests.fuzz.area import Checked, Round, area, at_most

STATUSES = {0, 1, 2, 3, 130}  # 1: a bar of a gate is failed; 3: it is undecided


class Ended(NamedTuple):
    """The end of a command: its status, its output, and a complaint or None."""

    status: int
    output: str
    complaint: str | None


def run(program: str, words: Sequence[object], allowed: set[int] = STATUSES) -> Ended:
    """Run one command. A traceback, another status, or status 2 without a message is a complaint."""
    from typer.testing import CliRunner

    texts = [str(word) for word in words]
    result = CliRunner().invoke(_app(program), texts)
    line = f"{program} {shlex.join(texts)}"
    complaint = None
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        complaint = f"{line}: {type(result.exception).__name__}: {result.exception}"
    elif result.exit_code not in allowed:
        complaint = f"{line}: status {result.exit_code}: {result.output[-200:]}"
    elif "Traceback (most recent call last)" in result.output:
        complaint = f"{line}: a traceback is printed"
    elif result.exit_code == 2 and not (f"{program}: " in result.output or "Usage: " in result.output):
        complaint = f"{line}: status 2 without a line that says why: {result.output[-200:]}"
    return Ended(result.exit_code, result.output, complaint)


def commands(program: str) -> dict[tuple[str, ...], Any]:
    """Return the click commands of a program by their words, such as ("cache", "info")."""
    import typer

    by_words: dict[tuple[str, ...], Any] = {}

    def visit(command: Any, words: tuple[str, ...]) -> None:
        if hasattr(command, "list_commands"):
            for name in command.list_commands(None):
                visit(command.get_command(None, name), (*words, name))
        else:
            by_words[words] = command

    visit(typer.main.get_command(_app(program)), ())
    return by_words


def _app(program: str) -> Any:
    if program == "rankers":
        from rankers.__main__ import app
    else:
        from answersim.__main__ import app
    return app


BAD = {
    "empty.csv": "",
    "no-header.csv": "a,b\n",
    "twice.csv": "gold,gold,pred\na,b,c\n",
    "quote.csv": 'gold,pred\na,"b\n',
    "nul.csv": "gold,pred\na\0,b\n",
    "deep.jsonl": '{"gold": "a", "pred": "b", "x": ' + "[" * 100_000 + "]" * 100_000 + "}\n",
    "surrogate.jsonl": '{"gold": "\\ud83d", "pred": "b"}\n',
    "number.jsonl": '{"gold": 1, "pred": "b"}\n',
    "x.xlsx": "",
    "no.parquet": "PAR1 no",
}
VALUES = (
    "", "0", "1", "-1", "2", "0.5", "1e30", "nan", "inf", "-inf", "f1", "em", "f1,em", "bertscor", "sas", "gold",
    "pred", "label", "question", "qid", "nowhere", "en", "de", "ja", "xx", "embedded", "paper", "squad", "cpu",
    "cuda", "fp32", "int8", "k=v", "=", "table.csv", "table.tsv", "table.jsonl", "odd.csv",
    *BAD, "binary.bin", "folder", "link", "loop", "gold.txt", "pred.txt", "out.csv", "out.jsonl",
    "out.html", "folder/out.csv", "missing/out.csv", "-", "--", "ü" * 20, "999999999999999999999",
)  # fmt: skip
# Commands that fetch from a network, or train for minutes.
LEFT_OUT = {
    ("data", "fetch"),
    ("train", "names"),
    ("train", "aliases"),
    ("train", "numbers"),
    ("train", "cross-encoder"),
}
LONG = 20  # seconds; a longer run, such as the training of a ranker, is stopped and is not a failure


@area("command lines", "every command ends with a documented status and never with a traceback")
def command_lines() -> Iterator[Round]:
    with odd.sandbox() as folder:
        choices = [
            (program, words, command)
            for program in ("answersim", "rankers")
            for words, command in commands(program).items()
            if words not in LEFT_OUT
        ]

        def make_round(rng: random.Random) -> Checked:
            try:
                with at_most(LONG):
                    complaint = random_line(rng, folder, *rng.choice(choices)).complaint
            except TimeoutError:
                return 0, []
            return 1, [complaint] if complaint else []

        yield make_round


def random_line(rng: random.Random, folder: Path, program: str, words: Sequence[str], command: Any) -> Ended:
    """Run a command with random options on the files of a folder. A lock or half a file that is left is a complaint."""
    _files(folder, rng)
    ended = run(program, [*words, *_arguments(command, rng)])
    left = [path.name for path in folder.glob(".answersim*") if "-" not in path.name[11:]]  # partial results may stay
    return ended._replace(complaint=f"{' '.join(words)} leaves {left}") if left and not ended.complaint else ended


def _arguments(command: Any, rng: random.Random) -> list[str]:
    """Return random values for some of the options and arguments of a command, most of them of the correct kind."""
    words: list[str] = []
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            if parameter.required or rng.random() < 0.3:
                words.append(rng.choice(("table.csv", "table.jsonl", rng.choice(VALUES))))
        elif parameter.name != "help" and rng.random() < (0.9 if parameter.required else 0.15):
            name = rng.choice([*parameter.opts, *parameter.secondary_opts])
            words.append(name)
            if not getattr(parameter, "is_flag", False):
                words.append(rng.choice(VALUES))
    if rng.random() < 0.1:
        words.insert(rng.randrange(len(words) + 1), rng.choice(("--nonsense", "-x", "--", rng.choice(VALUES))))
    return words


def _files(folder: Path, rng: random.Random) -> None:
    rows = [
        {
            "gold": gold,
            "pred": pred,
            "label": rng.choice("01"),
            "question": odd.text(rng, 4),
            "qid": str(i % 4),
            "f1": "0.5",
        }
        for i, (gold, pred) in enumerate(odd.pairs(rng, 12))
    ]
    for name, delimiter in (("table.csv", ","), ("table.tsv", "\t")):
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
            writer.writeheader()
            # The writer of Python 3.10 refuses NUL.
            writer.writerows({key: cell.replace("\0", "\a") for key, cell in row.items()} for row in rows)
    (folder / "table.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for name, content in BAD.items():
        (folder / name).write_text(content)
    (folder / "odd.csv").write_bytes(odd.damaged(rng, (folder / "table.csv").read_bytes()))
    (folder / "binary.bin").write_bytes(rng.randbytes(200))
    (folder / "gold.txt").write_text("a\nb\nthe c\n")
    (folder / "pred.txt").write_text("a\nB\nc\n")
    (folder / "folder").mkdir(exist_ok=True)
    for name, target in (("link", "table.csv"), ("loop", "loop")):
        if not (folder / name).is_symlink():
            (folder / name).unlink(missing_ok=True)
            (folder / name).symlink_to(target)
