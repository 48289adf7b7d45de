from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankers import data, queries
from rankers.evaluation import runs
from rankers.evaluation.qrels import qrels_of
from rankers.systems import catalog
from tests.rankers.commands.command_line import called


def test_all_systems_are_listed_in_order() -> None:
    result = called("list --all")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()[2:]
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == list(catalog.names())
    assert max(map(len, lines)) <= 80


def test_the_short_list_is_by_use_and_counts_what_it_leaves_out() -> None:
    lines = called("list").stdout.splitlines()
    named = [line.split()[0] for line in lines if line.startswith("  ")]
    assert named[0] == "minilm-hybrid"
    assert set(named) <= set(catalog.names())
    assert len(named) == len(set(named)) < 25
    assert lines[-1].split()[0] == str(len(catalog.names()) - len(named))
    assert [line for line in lines if line.endswith(":")] == [f"{use}:" for use in catalog.USES]


def test_a_corpus_is_written_as_a_beir_folder_qrels_and_pools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = called("export toy --split dev -o toy")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == "toy: 60 questions; grades from 2 on are relevant (rankers evaluate --relevant 2)\n"
    toy = data.load("toy", "dev")
    assert runs.read_qrels("toy/qrels.trec") == qrels_of(toy).grades
    pools = {question.id: {c.id: c.text for c in question.candidates} for question in toy}
    ranked = queries.read(Path("toy/pools.jsonl")).questions
    assert {question.id: {c.id: c.text for c in question.candidates} for question in ranked} == pools
    first = json.loads(Path("toy/corpus.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert set(first) == {"_id", "title", "text"}
    again = called("export toy --split dev -o toy")
    assert again.exit_code == 2
    assert "exists already; give another folder" in again.stderr
