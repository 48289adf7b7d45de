"""The README and the pages of docs: what they show is what the program prints. (Python examples run as doctests.)"""

import re
from pathlib import Path

import pytest

from tests.benchmarks.programs import invoke
from tests.cases import every

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md"))]
CHOOSING = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"-?\d+\.\d{3}\b")


def shown(marker: str) -> list[str]:
    """The rows of the table in docs/choosing.md that follows this comment."""
    result = re.search(rf"<!-- {re.escape(marker)} -->\n```text\n(.*?)```", CHOOSING, re.DOTALL)
    assert result, f"the page has no block after the comment {marker!r}"
    return [line for line in result.group(1).splitlines() if re.search(r" (?:recorded|computed) ", line)]


def taus(text: str) -> list[str]:
    """The tau of each metric with its interval, in both groups of pairs, from the first table of the program."""
    labels, _, tables = text.partition("\n\n")
    assert labels.startswith("Human labels: ")
    lines = tables.split("\n\n  recorded|")[0].splitlines()
    rows = [[cell.strip() for cell in line.split("|")] for line in lines if line.count("|") == 11][2:]
    return [" ".join(row[i] for i in (0, 1, 4, 5, 9, 10) if row[i]) for row in rows]


def assert_same(ours: list[str], theirs: list[str]) -> None:
    """The same text, and the same numbers but for the last digit, which other processors may round elsewhere."""
    assert [NUMBER.sub("#", row).split() for row in ours] == [NUMBER.sub("#", row).split() for row in theirs]
    ours_numbers, their_numbers = (list(map(float, NUMBER.findall("\n".join(rows)))) for rows in (ours, theirs))
    assert ours_numbers == pytest.approx(their_numbers, abs=0.0011)


COMMAND = "python -m benchmarks.correlations --datasets nq-open"


def printed(*options: str) -> str:
    """What this command prints with more options."""
    result = invoke("correlations", *COMMAND.split()[3:], *options)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.data
def test_rows_of_words_in_the_table_of_choosing_are_what_the_program_prints(data_home, monkeypatch):
    """An interval does not depend on the metrics beside it, so the rows of the metrics without a network suffice."""
    monkeypatch.setenv("ANSWERSIM_DATA", str(data_home.resolve()))
    metrics = ("bleu-paper", "rouge-l", "meteor", "f1", "em", "recall", "containment")
    rows = [line for line in shown(f"tau in the first table of: {COMMAND}") if line.split(" ")[0] in metrics]
    assert len(rows) == 2 * 4 + 3  # four metrics of the paper are recorded, too
    computed = taus(printed("--metrics", ",".join(metrics)))
    assert_same(rows, [row for row in computed if row.split(" ")[0] in metrics])


@pytest.mark.slow  # 3,559 pairs by ten networks; the rows without a network are tested above
@pytest.mark.data
def test_the_table_of_choosing_is_what_the_program_prints(data_home, monkeypatch):
    monkeypatch.setenv("ANSWERSIM_DATA", str(data_home.resolve()))
    rows = shown(f"tau in the first table of: {COMMAND}")
    assert len(rows) > 20
    assert_same(rows, taus(printed()))


def test_where_to_go_next_has_at_most_eight_links():
    links = README.partition("## Where to go next")[2].partition("\n## ")[0].count("](")
    assert 3 <= links <= 8


def test_the_readme_can_be_read_in_a_minute():
    assert len(README.splitlines()) <= 120


def test_the_guides_have_at_most_38_000_words_and_a_page_1_500():
    """Result tables and experiments belong to benchmarks/results."""
    paths = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    words = {path.name: len(path.read_text(encoding="utf-8").split()) for path in paths}
    assert {name: number for name, number in words.items() if number > 1_500} == {}
    assert sum(words.values()) <= 38_000


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
def test_every_file_that_a_page_links_to_exists(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@every("page", PAGES)
def test_every_command_of_a_page_exists(page):
    """``answersim NAME`` at the beginning of a line of code is a command."""
    from typer.core import TyperGroup
    from typer.main import get_command

    from answersim.__main__ import app

    group = get_command(app)
    assert isinstance(group, TyperGroup)
    blocks = re.findall(r"```(?:sh|console|text)?\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    used = {
        name
        for block in blocks
        for name in re.findall(r"^(?:\$ )?answersim ([a-z][a-z-]*)\b(?!:| P@1=0|  )", block, re.MULTILINE)
    }
    assert used - set(group.commands) == set()


def test_the_page_about_grpo_shows_the_reward_in_the_script_and_its_log():
    page = (ROOT / "docs" / "grpo.md").read_text(encoding="utf-8")
    script = (ROOT / "examples" / "hosts" / "grpo.py").read_text(encoding="utf-8")
    (lines,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert all(part in script for part in lines.split("\n\n"))
    assert "AnswerReward(" in lines
    assert len(script.splitlines()) <= 60
    assert len(re.findall(r"^step +\d+: reward [.\d]+, right [.\d]+$", page, re.MULTILINE)) == 6
