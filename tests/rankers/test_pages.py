"""The pages on rankers show what their commands print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.rankers.commands.command_line import called
from tests.rankers.small_minilm import needs_minilm

PAGE = Path(__file__).parents[2] / "docs" / "semantic-judgment.md"
NUMBER = re.compile(r"[-+]?\d+\.\d+")


def transcripts(page: str) -> list[tuple[str, str]]:
    """The commands of the marked blocks of a page, in order, each with the output that the page shows."""
    blocks = re.findall(r"<!-- commands: [^>]*-->\n```console\n(.*?)```", page, re.DOTALL)
    text = "".join(blocks).replace("\\\n", "")
    lines = [part for part in re.split(r"^\$ ", text, flags=re.MULTILINE) if part]
    return [(command, output) for command, _, output in (line.partition("\n") for line in lines)]


@pytest.mark.slow
def test_the_page_on_semantic_judgment_shows_what_its_commands_print(tmp_path, monkeypatch):
    needs_minilm()
    monkeypatch.chdir(tmp_path)
    shown = transcripts(PAGE.read_text(encoding="utf-8"))
    assert [command.split()[1] for command, _ in shown] == ["export", "rank", "rank"]
    for command, output in shown:
        result = called(command.removeprefix("rankers "))
        assert result.exit_code == 0, result.stderr
        assert NUMBER.sub("#", result.stdout).split() == NUMBER.sub("#", output).split(), command
        printed, expected = (list(map(float, NUMBER.findall(text))) for text in (result.stdout, output))
        assert printed == pytest.approx(expected, abs=0.002), command  # the last digit differs between processors
