"""The pages of results: short, with a command that exists, and with all their numbers in a CSV."""

from __future__ import annotations

import csv
import hashlib
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

import benchmarks
from benchmarks import math_pairs
from tests.cases import every

RESULTS = Path(benchmarks.__file__).parent / "results"
LONGEST, ALL = 600, 50_000  # words
STUDIES = sorted(path.stem for path in RESULTS.glob("*.md") if path.name not in {"README.md"})
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_COMMAND = re.compile(r"(?:python -m |\$ |`)(benchmarks\.\w+|tools\.\w+(?:\.\w+)*|answersim \w+|make \w+)")
FORMER = re.compile(r"git checkout \w{8} && (?:[^`\n\\]|\\\n)*")


def page(name: str) -> str:
    return (RESULTS / f"{name}.md").read_text(encoding="utf-8")


def rows(name: str) -> list[dict[str, str]]:
    with (RESULTS / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@every("name", STUDIES)
def test_a_page_has_a_question_a_command_a_csv_and_at_most_600_words(name: str) -> None:
    text = page(name)
    assert len(text.split()) <= LONGEST
    for heading in ("**Question.**", "**Sizes.**", "**What it means.**"):
        assert (heading in text) or (name == "ranking-protocol" and "**Training.**" in text), heading
    assert FORMER.search(text) or _COMMAND.search(text)
    assert f"[{name}.csv]({name}.csv)" in text
    assert rows(name)


def test_every_csv_has_a_page_and_all_pages_have_at_most_50_000_words() -> None:
    assert {path.stem for path in RESULTS.glob("*.csv")} == set(STUDIES)
    assert sum(len(path.read_text(encoding="utf-8").split()) for path in RESULTS.glob("*.md")) <= ALL
    assert all(f"]({name}.md)" in page("README") for name in STUDIES)


@every("name", STUDIES)
def test_a_command_is_of_a_program_of_this_tree_or_of_a_named_commit(name: str) -> None:
    for program in _COMMAND.findall(FORMER.sub("", page(name))):
        if "." in program:
            assert find_spec(program) is not None, program


@every("name", STUDIES)
def test_the_numbers_of_a_table_are_in_the_csv(name: str) -> None:
    known = set(_NUMBER.findall(" ".join(cell for row in rows(name) for cell in (*row, *row.values()) if cell)))
    table = [line for line in page(name).splitlines() if line.startswith("| ")]
    assert [number for line in table for number in _NUMBER.findall(line) if number not in known] == []


@pytest.mark.data
@every("name", ["sas-paper", "sas-paper-data", "sas-paper-relabeling"])
def test_no_page_has_a_text_of_the_data_sets(name: str, data_home: Path) -> None:
    from answersim.evaluation.data import load
    from benchmarks.paper_sets import PAPER_SETS

    text = page(name) + (RESULTS / f"{name}.csv").read_text(encoding="utf-8")
    answers = {answer for name in PAPER_SETS for pair in load(name, cleaning="none").pairs for answer in pair}
    assert not [answer for answer in answers if len(answer) > 25 and answer in text]


def test_the_pairs_of_mathematics_are_frozen() -> None:
    data = math_pairs.FILE.read_bytes()
    assert hashlib.sha256(data).hexdigest() == "1ce1547a56ff43424b1f15c9c9bb40ba7a12354e446e783d2d48609f9e52c728"
    assert [len(math_pairs.constructed(seed)) for seed in (39, 7)] == [384, 384]
