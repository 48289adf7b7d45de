"""Each command prints what it printed before: the texts in ``golden``, which ANSWERSIM_GOLDEN=write renews.

A line that begins with ``$`` is a command in a folder with the files of ``golden/data``; its output follows.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import run

HERE = Path(__file__).parent / "golden"
NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?")


def printed(line: str) -> str:
    """Return what a command prints, and its status if it is not 0."""
    program, *words = shlex.split(line)
    if program == "cat":
        return Path(words[0]).read_text(encoding="utf-8")
    status, output, errors = run(*words)
    return errors + output + (f"[status {status}]\n" if status else "")


def again(text: str) -> Iterator[str]:
    """Yield the commands of a text, each with its output now."""
    for line in re.findall(r"^\$ (.+)$", text, re.MULTILINE):
        yield f"$ {line}\n{printed(line)}"


def alike(one: str, other: str) -> bool:
    """Return whether two texts are equal, but for the last digit, which another processor may round elsewhere."""
    numbers = [[number.replace(",", "") for number in NUMBER.findall(text)] for text in (one, other)]
    return NUMBER.sub("0", one) == NUMBER.sub("0", other) and all(
        abs(float(a) - float(b)) < (0.0011 if len(a.partition(".")[2]) > 2 else 0.11 if "." in a else 0.5)
        for a, b in zip(*numbers, strict=True)
    )


@pytest.mark.filterwarnings("always::UserWarning")  # the command shows them
@pytest.mark.usefixtures("no_data")
@pytest.mark.parametrize("name", sorted(path.stem for path in HERE.glob("*.txt")))
def test_a_command_prints_what_it_printed_before(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("answersim.metrics.catalog.lookup.DEFAULT_METRIC", "recall")  # no network runs
    shutil.copytree(HERE / "data", tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    text = (HERE / f"{name}.txt").read_text(encoding="utf-8")
    now = "\n".join(again(text))
    if os.environ.get("ANSWERSIM_GOLDEN") == "write":
        (HERE / f"{name}.txt").write_text(now, encoding="utf-8")
        return
    assert alike(now, text), f"ANSWERSIM_GOLDEN=write renews {name}.txt, and git diff shows the changes:\n{now}"
