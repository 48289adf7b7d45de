from __future__ import annotations

import json
from pathlib import Path

import pytest

import rankers
from answersim._base.errors import PluginError
from rankers import data, queries
from rankers.commands.options import names_in
from rankers.evaluation import runs
from rankers.evaluation.qrels import qrels_of
from rankers.systems import catalog
from tests.rankers.commands.command_line import called


def names_of(line: str) -> list[str]:
    result = called(line)
    assert result.exit_code == 0
    return [line.split()[0] for line in result.stdout.splitlines() if line.startswith("  ")]


def test_the_list_has_six_systems_and_all_adds_those_of_the_papers():
    assert names_of("list") == catalog.main_names()
    assert list(dict.fromkeys(names_of("list --all"))) == catalog.shown_names()
    assert "papers: 21 systems, none shown to be better than the default" in called("list").stdout
    assert called("list").stdout.count("; not measured") == 2  # encoders of users
    lines = called("list --ablations").stdout.splitlines()[2:]
    others = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert others == [name for name in catalog.names() if name not in catalog.shown_names()]
    assert max(map(len, lines)) <= 80


def test_a_ranker_of_an_installed_package_is_listed_and_ranks(monkeypatch):
    from importlib.metadata import EntryPoint

    points = [
        EntryPoint("mine", "rankers.models.baselines:WordOverlap", catalog.GROUP),
        EntryPoint("broken", "json:loads", catalog.GROUP),
        EntryPoint("other", "builtins:dict", catalog.GROUP),
    ]
    monkeypatch.setattr(catalog, "entry_points", lambda group: points)
    assert names_of("list")[-3:] == ["broken", "mine", "other"]
    best, _ = rankers.rank("Who wrote it?", ["It rained.", "Ann wrote it."], "mine")
    assert best.index == 1
    with pytest.raises(LookupError, match="did you mean 'mine'"):
        rankers.rank("Who?", ["Ann."], "mime")
    with pytest.raises(PluginError, match=r"'broken' of .*json:loads.* cannot be loaded: TypeError"):
        rankers.rank("Who?", ["Ann."], "broken")
    with pytest.raises(PluginError, match="a ranker has 'signature' and 'score'"):
        rankers.rank("Who?", ["Ann."], "other")
    monkeypatch.setattr(
        catalog, "entry_points", lambda group: [*points, EntryPoint("mine", "json:dumps", catalog.GROUP)]
    )
    with pytest.raises(PluginError, match="2 packages offer a ranker called 'mine'"):
        rankers.rank("Who?", ["Ann."], "mine")


def test_a_corpus_is_written_as_a_beir_folder_qrels_and_pools(tmp_path, monkeypatch):
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


def test_names_of_measures_are_split_outside_parentheses():
    of = "nDCG(dcg='exp-log2', judged_only=True)@5"
    assert names_in(["MAP, P@1", of]) == ["MAP", "P@1", of]
    assert names_in(["", " , "]) == names_in(None) == []
