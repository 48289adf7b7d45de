"""The README and the pages of docs: what they show is what the program prints. (Python examples run as doctests.)"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from answersim.__main__ import LISTED
from tests.cases import every
from tests.command_line import output as printed_by

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md"))]
CHOOSING = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
AGREEMENT = (ROOT / "docs" / "agreement.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"-?\d+\.\d{3}\b")


def rows_of_metrics(text: str, metric: str) -> list[list[str]]:
    """The cells of each line of a table that begins with this metric, in order."""
    return [line.split() for line in text.splitlines() if line.startswith(f"{metric} ")]


def test_the_metrics_on_the_page_of_choosing_exist():
    import answersim

    table = CHOOSING.partition("## The metrics\n")[2].partition("\n## ")[0]
    names = {
        name for cell in re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE) for name in re.findall(r"`([\w-]+)`", cell)
    }
    assert len(names) > 10
    assert names <= set(answersim.names())


def test_the_table_of_tasks_has_at_most_eight_links():
    table = README.partition("| I want to know |")[2].partition("\n\n")[0]
    assert 3 <= table.count("](") <= 8


@every("words", ["is B better than A?", "German", "a reward for a training", "official F1", "without torch"])
def test_the_first_questions_of_a_user_are_answered_on_the_page(words):
    assert words in README


def test_the_readme_can_be_read_in_a_minute():
    assert len(README.splitlines()) <= 100


def test_there_are_at_most_20_guides_of_1_200_words_and_24_000_in_all():
    """Result tables and experiments belong to benchmarks/results. Pages of papers are not counted."""
    guides = [path for path in (ROOT / "docs").glob("*.md") if not path.name.startswith("papers")]
    words = {path.name: len(path.read_text(encoding="utf-8").split()) for path in [ROOT / "README.md", *guides]}
    assert len(guides) <= 20
    assert {name: number for name, number in words.items() if number > 1_200} == {}
    assert sum(words.values()) <= 24_000


@every(("page", "limit"), [("ARCHITECTURE.md", 700), ("CONTRIBUTING.md", 900), ("CHANGELOG.md", 400)])
def test_a_page_about_the_project_is_short(page, limit):
    assert len((ROOT / page).read_text(encoding="utf-8").split()) <= limit


def test_the_readme_leads_to_every_page():
    """A page that README does not link to is linked to by a page that it links to."""
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    reached, new = set[str](), set(re.findall(r"\(docs/([\w-]+\.md)", README))
    while new:
        reached |= new
        texts = [(ROOT / "docs" / name).read_text(encoding="utf-8") for name in new if name in pages]
        new = {name for text in texts for name in re.findall(r"\(([\w-]+\.md)", text)} - reached
    assert pages - reached == set()


@every("page", PAGES)
def test_every_command_of_a_page_exists(page):
    """``answersim NAME`` at the beginning of a line of code is a command."""

    blocks = re.findall(r"```(?:sh|console|text)?\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    used = {
        name
        for block in blocks
        for name in re.findall(r"^(?:\$ )?answersim ([a-z][a-z-]*)\b(?!:| P@1=0|  )", block, re.MULTILINE)
    }
    assert used - set(LISTED) == set()


def test_the_section_about_grpo_shows_the_reward_in_the_script_and_its_log():
    section = (ROOT / "docs" / "reward.md").read_text(encoding="utf-8").partition("## GRPO\n")[2].partition("\n## ")[0]
    script = (ROOT / "examples" / "hosts" / "grpo.py").read_text(encoding="utf-8")
    (lines,) = re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert all(part.replace(" = ", "=").strip() in script.replace(" = ", "=") for part in lines.split("\n\n"))
    assert "AnswerReward(" in lines
    assert len(script.splitlines()) <= 60
    assert len(re.findall(r"^step +\d+: reward [.\d]+, right [.\d]+$", section, re.MULTILINE)) == 6


@pytest.mark.data
@pytest.mark.parametrize(
    ("step", "options"), [(3, ["--resamples", 10, "--tests", "bootstrap"]), pytest.param(1, [], marks=pytest.mark.slow)]
)
def test_the_rows_of_the_page_of_agreement_are_what_its_command_prints(step, options, data_home):
    """The same cells, but for the last digit, which other processors may round elsewhere.

    Without intervals if resamples are few.
    """
    command, output = AGREEMENT.partition("    $ answersim ")[2].split("\n\n", 1)
    words = command.replace("\\\n", " ").split()
    words[1] = str(data_home / "sas" / "recorded" / words[1])
    metrics = words[-1].split(",")[::step]
    intervals = re.compile(r"\S+ to \S+" if options else "$^")
    shown, printed = (
        [row for metric in metrics for row in rows_of_metrics(intervals.sub("", text), metric)]
        for text in (output.split("```")[1], printed_by(*words[:-1], ",".join(metrics), *options))
    )
    assert len(shown) == 3 * len(metrics)
    assert [row for row in shown if not any(_alike(row, other) for other in printed)] == []


def _alike(row, other):
    return len(row) == len(other) and all(
        entry == two or (NUMBER.fullmatch(entry) and NUMBER.fullmatch(two) and abs(float(entry) - float(two)) < 0.0011)
        for entry, two in zip(row, other, strict=True)
    )


@pytest.mark.slow
def test_the_first_command_of_the_readme_prints_what_it_shows():
    command, first = README.partition("```console\n$ answersim ")[2].replace("\\\n", "").splitlines()[:2]
    words = [sys.executable, "-m", "answersim", *shlex.split(command), "--rows", "0"]
    run = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False, timeout=300)
    assert run.stdout.splitlines()[0] == first
