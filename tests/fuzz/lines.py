"""Command lines: random options of every command, on small files."""

import csv
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.fuzz import odd, programs
from tests.fuzz.area import Checked, Round, area, at_most

VALUES = (
    "", "0", "1", "-1", "2", "0.5", "1e30", "nan", "inf", "-inf", "f1", "em", "f1,em", "bertscor", "sas", "gold",
    "pred", "label", "question", "qid", "nowhere", "en", "de", "ja", "xx", "embedded", "paper", "squad", "cpu",
    "cuda", "fp32", "int8", "k=v", "=", "table.csv", "table.tsv", "table.jsonl", "empty.csv", "odd.csv",
    "no-header.csv", "binary.bin", "folder", "link", "loop", "gold.txt", "pred.txt", "out.csv", "out.jsonl",
    "out.html", "folder/out.csv", "missing/out.csv", "-", "--", "ü" * 20, "999999999999999999999",
)  # fmt: skip
# Commands that fetch from a network, or train for minutes; the area "training options" runs the trainings.
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
            for words, command in programs.commands(program).items()
            if words not in LEFT_OUT
        ]

        def make_round(rng: random.Random) -> Checked:
            _files(folder, rng)
            program, words, command = rng.choice(choices)
            line = [*words, *_arguments(command, rng)]
            try:
                with at_most(LONG):
                    ended = programs.run(program, line)
            except TimeoutError:
                return 0, []
            return 1, [ended.complaint] if ended.complaint else []

        yield make_round


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
            writer.writerows(rows)
    (folder / "table.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "empty.csv").write_text("")
    (folder / "no-header.csv").write_text("a,b\n")
    (folder / "odd.csv").write_bytes(odd.damaged(rng, (folder / "table.csv").read_bytes()))
    (folder / "binary.bin").write_bytes(rng.randbytes(200))
    (folder / "gold.txt").write_text("a\nb\nthe c\n")
    (folder / "pred.txt").write_text("a\nB\nc\n")
    (folder / "folder").mkdir(exist_ok=True)
    for name, target in (("link", "table.csv"), ("loop", "loop")):
        if not (folder / name).is_symlink():
            (folder / name).unlink(missing_ok=True)
            (folder / name).symlink_to(target)
