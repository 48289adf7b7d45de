"""The commands that README shows run on files of the named form. `.ci/wheel` runs this file outside the tree."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
LINES = re.findall(r"\| `(answersim \w+ \w+\.\w+[^`]*)` \|", README)
QUESTIONS = ["Where is the Colosseum?", "What is the capital of Norway?", "What is the capital of Switzerland?"] * 40
GOLDS = ["Rome", "Oslo", "Bern"] * 40
OLD = ["It is in Rome.", "Oslo", "Basel"] * 40
NEW = ["Rome", "the city of Oslo", "in Bern"] * 40


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = zip(QUESTIONS, GOLDS, OLD, NEW, strict=True)
    lines = ["question,gold,a,b,pred", *(",".join((*row, row[2])) for row in rows)]
    (tmp_path / "answers.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, preds in (("a", OLD), ("b", NEW)):
        records = [
            {"id": i, "question": question, "gold": gold, "pred": pred}
            for i, (question, gold, pred) in enumerate(zip(QUESTIONS, GOLDS, preds, strict=True))
        ]
        text = "".join(json.dumps(record) + "\n" for record in records)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


def test_the_readme_shows_commands():
    assert len(LINES) >= 4


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES)
def test_a_command_of_the_readme_runs(line, folder):
    """Of the labeling on the terminal only the first question is answered, and then it is left."""
    command, *arguments = shlex.split(line)[1:]
    run = subprocess.run(
        [sys.executable, "-m", "answersim", command, *arguments],
        cwd=folder,
        input="y\nq\n",
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    assert run.returncode in {0}, run.stderr
    assert "Traceback" not in run.stderr
    assert run.stdout or (folder / "scored.csv").exists()
