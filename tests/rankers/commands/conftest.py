"""Files of questions to train on and to rank, in the working directory of each test."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

RANK = "question,candidate\nwhere is the apple kept?,the apple is on the table\nwhere is the apple kept?,in a boat\n"


@pytest.fixture(autouse=True)
def _files(asked, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, questions in (("train", asked(12)), ("dev", asked(8, split="dev", start=4))):
        with Path(f"{name}.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("question", "candidate", "label"))
            writer.writerows(
                (question.text, candidate.text, candidate.grade)
                for question in questions
                for candidate in question.candidates
            )
    Path("asked.csv").write_text(RANK)
