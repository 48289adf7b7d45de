"""The README: what it shows is what the program prints. (Its Python examples run as doctests.)"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"-?\d+\.\d{3}\b")


def shown(marker: str) -> str:
    """The block of text in the README that follows this comment."""
    result = re.search(rf"<!-- {re.escape(marker)} -->\n```text\n(.*?)```", README, re.DOTALL)
    assert result, f"the README has no block after the comment {marker!r}"
    return result.group(1).strip()


def printed(*arguments: str) -> str:
    run = subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, check=True, cwd=ROOT, encoding="utf-8"
    )
    return run.stdout


def assert_same(ours: str, theirs: str) -> None:
    """The same text, and the same numbers but for the last digit, which other processors may round elsewhere."""
    assert NUMBER.sub("#", ours).split() == NUMBER.sub("#", theirs).split()
    ours_numbers, their_numbers = (list(map(float, NUMBER.findall(each))) for each in (ours, theirs))
    assert ours_numbers == pytest.approx(their_numbers, abs=0.0011)


@pytest.mark.data
def test_the_table_in_the_readme_is_what_the_program_prints(data_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSWERSIM_DATA", str(data_home.resolve()))
    command = "python -m benchmarks.correlations --datasets nq-open"
    table = shown(f"the first table of: {command}")
    assert len(table.splitlines()) > 20
    first, *_ = printed(*command.split()[2:]).split("\n\n  recorded|")  # the signatures stand below the table
    assert_same(table, first.strip())


def test_every_metric_stands_in_the_readme() -> None:
    import answersim

    assert [name for name in answersim.names() if f"`{name}`" not in README] == []


def test_every_file_that_the_readme_links_to_is_there() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
