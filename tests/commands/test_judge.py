"""The judge on the command line: scored, replayed to the byte, verified, calibrated and compared like any metric."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from answersim._base.io import files
from tests.cases import cases_of
from tests.command_line import run
from tests.metrics.judge.fake_server import Running, running

pytestmark = pytest.mark.skipif(
    not any(map(find_spec, ("httpx", "httpx2"))), reason="needs httpx: pip install '.[judge]'"
)
N = 30


def command(*arguments: object, status: int = 0) -> tuple[str, str]:
    code, out, err = run(*arguments)
    assert code == status, err
    return out, err


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [
        {"id": i, "question": f"Q{i}?", "gold": f"g{i}", "pred": f"g{i}" if i % 3 else f"x{i}", "label": int(i % 3 > 0)}
        for i in range(N)
    ]
    rows[7]["label"] = 0
    (tmp_path / "qa.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    other = [row | {"pred": "x"} if i == 1 else row for i, row in enumerate(rows)]
    (tmp_path / "other.jsonl").write_text("".join(json.dumps(row) + "\n" for row in other), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def server(folder: Path) -> Iterator[Running]:
    with running() as caught:
        yield caught


MAIN = """
import signal
from answersim.__main__ import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for what runs in the background
main()
"""
JUDGE = ("-m", "judge", "--question", "question")
REPLAY = ("--record", "r.jsonl", "--replay")


def recorded(server: Running) -> tuple[str, str]:
    at = ("--base-url", server.url, "--model", "m", "--record", "r.jsonl")
    return command("score", "qa.jsonl", *JUDGE, *at, "-o", "out.jsonl")


def test_scores_are_replayed_to_the_byte(folder: Path, server: Running) -> None:
    out, error = recorded(server)
    assert "judge: 30 replies for 30 pairs: 30 asked now, 0 from the record" in error
    assert len(server.events("asked")) == N
    again, error = command("score", "qa.jsonl", *JUDGE, *REPLAY, "-o", "again.jsonl")
    assert "0 asked now, 30 from the record" in error
    assert (folder / "again.jsonl").read_bytes() == (folder / "out.jsonl").read_bytes()
    assert again.replace("again.jsonl", "out.jsonl") == out
    assert len(server.events("asked")) == N


def test_a_replay_of_other_rows_writes_nothing(folder: Path, server: Running) -> None:
    recorded(server)
    _, error = command("score", "other.jsonl", *JUDGE, *REPLAY, "-o", "again.jsonl", status=2)
    assert "1 of 30 replies are not in" in error
    assert "pair 2 (gold 'g1', prediction 'x')" in error
    assert not (folder / "again.jsonl").exists()
    (folder / "r.jsonl").unlink()
    assert "r.jsonl" in command("score", "qa.jsonl", *JUDGE, *REPLAY, status=2)[1]  # nothing is in the score cache


def test_a_judge_is_calibrated_and_gives_verdicts(folder: Path, server: Running) -> None:
    recorded(server)
    out, _ = command("calibrate", "qa.jsonl", *JUDGE, *REPLAY, "-o", "c.json")
    assert "30 pairs" in out
    stored = json.loads((folder / "c.json").read_text())
    assert server.url not in json.dumps(stored)
    assert "r.jsonl" not in json.dumps(stored)
    out, _ = command("score", "qa.jsonl", "-c", "c.json", "--question", "question", *REPLAY)
    assert out.startswith("20 of 30 equivalent")
    out, _ = command("evaluate", "qa.jsonl", *JUDGE, "-c", "c.json", *REPLAY)
    assert out.startswith("20 of 30 right")
    assert "base_url=" in command("score", "qa.jsonl", "-c", "c.json", "--question", "question", status=2)[1]
    at = ("--base-url", server.url, "--model", "m")
    assert "20 of 30" in command("score", "qa.jsonl", "-c", "c.json", "--question", "question", *at)[0]
    other = (*at[:2], "--model", "n")
    assert (
        "this calibration is for"
        in command("score", "qa.jsonl", "-c", "c.json", "--question", "question", *other, status=2)[1]
    )


def test_a_judge_needs_one_model_and_an_address(folder: Path) -> None:
    twice = ("-m", "judge", "--model", "m", "--option", "model=n")
    assert "given by --option and by --model" in command("score", "qa.jsonl", *twice, status=2)[1]
    assert "base_url=" in command("score", "qa.jsonl", "-m", "judge", status=2)[1]


WITH_RULES = ("-m", "typed+judge")


@pytest.fixture
def unsure(folder: Path) -> Path:
    """Return a table: 20 answers that recall is sure of, 20 that share a word with the gold answer."""
    rows = [{"question": f"Q{i}?", "gold": f"word{i}", "pred": f"it is word{i}", "label": 1} for i in range(20)]
    rows += [
        {"question": f"Q{i}?", "gold": f"red fox{i}|a fox{i} in red", "pred": f"some fox{i}", "label": i % 2}
        for i in range(20, 40)
    ]
    path = folder / "unsure.csv"
    path.write_text(
        "question,gold,pred,label\n" + "".join(",".join(map(str, row.values())) + "\n" for row in rows),
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize(("words", "status", "counted"), cases_of(__file__)["a_judge_with_rules_is_asked"])
def test_a_judge_with_rules_is_asked_by_all_commands_that_compare(unsure, words, status, counted):
    table = files.read(unsure)
    rows = [row | {"id": i, "gold": row["gold"].partition("|")[0]} for i, row in enumerate(table.rows)]
    for name in ("one.csv", "unsure.csv"):
        files.write(files.Table(("id", *table.columns), rows), Path(name))
    with running() as server:
        cut = () if words[0] == "correlate" else ("--threshold", 0.5)
        settings = (*words, *WITH_RULES, *cut, "--question", "question")
        out, errors = command(*settings, "--base-url", server.url, "--model", "m", "--record", "r.jsonl", status=status)
        assert server.events("asked")
    assert counted in out
    assert "asked now" in errors


def test_ctrl_c_ends_with_130_and_the_next_run_resumes(folder: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("needs a signal that can be sent to a process")
    with running(delay=0.1) as server:
        at = ["--base-url", server.url, "--model", "m", "--record", "r.jsonl"]
        line = [sys.executable, "-c", MAIN, "score", "qa.jsonl", *JUDGE, *at, "--option", "transport=concurrency=2"]
        process = subprocess.Popen(line, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        until = time.monotonic() + 60
        while len(server.events("answered")) < 6 and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "interrupted" in error
        assert "asked now" in error  # what was paid for
        done = len(server.events("answered"))
        assert 6 <= done < N
        _, error = command("score", "qa.jsonl", *JUDGE, *at)
        assert f"{N - done} asked now, {done} from the record" in error
        assert len(server.events("answered")) == len(server.events("asked")) == N


def test_batch_files_lead_to_the_bytes_of_a_server(folder: Path, server: Running) -> None:
    settings = ("qa.jsonl", "--question", "question", "--model", "m")
    asked = ("-m", "judge", "--base-url", server.url, "--record", "server.jsonl", "-o", "by-server.jsonl")
    command("score", *settings, *asked)
    out, _ = command("judge", "requests", *settings, "--record", "judge.jsonl", "-o", "batch.jsonl")
    assert out.startswith(f"{N} requests for {N} rows in batch.jsonl")
    replies = {(entry := json.loads(line))["key"]: entry["response"] for line in lines("server.jsonl")}
    with open("out.jsonl", "w", encoding="utf-8") as file:
        for line in lines("batch.jsonl"):
            key = json.loads(line)["custom_id"]
            response = {"status_code": 200, "request_id": "r", "body": json.loads(replies[key])}
            file.write(json.dumps({"id": "b", "custom_id": key, "response": response, "error": None}) + "\n")
    out, _ = command("judge", "replies", "out.jsonl", "--record", "judge.jsonl")
    assert out.startswith(f"{N} replies recorded; 0 requests")
    command("score", *settings, "-m", "judge", "--record", "judge.jsonl", "--replay", "-o", "by-batch.jsonl")
    assert Path("by-batch.jsonl").read_bytes() == Path("by-server.jsonl").read_bytes()


def lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    "words",
    [("requests", "qa.jsonl", "-o", "b.jsonl"), ("requests", "qa.jsonl", "--record", "r.jsonl"), ("replies", "x")],
)
def test_a_batch_without_a_record_or_an_output_is_an_error_with_the_remedy(folder, words):
    _, error = command("judge", *words, status=2)
    assert "is missing; give the" in error


def test_the_judge_is_asked_about_the_unsure_answers_alone(unsure: Path) -> None:
    says = {f"some fox{i}": '{"verdict": "yes"}' for i in range(20, 40, 2)}
    table = ("evaluate", unsure, "--split-gold", "|", "--question", "question", "-m", "recall", "--unsure-by")
    with running(say=says) as server:
        service = ("--base-url", server.url, "--model", "m", "--record", "r.jsonl")
        out, errors = command(*table, "judge", *service, "-o", "a.json")
        asked = len(server.events("asked"))
    assert asked == 40  # both gold answers of the last 20 rows
    assert f"judge: {asked} replies for {asked} pairs" in errors
    assert "30 of 40 right" in out
    assert "judge scored the 20 unsure answers: 10 right, 10 wrong, 0 still unsure" in out
    command(*table, "judge", "--model", "m", "--record", "r.jsonl", "--replay", "-o", "b.json")
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()
    assert "NAME=FILE names a calibration" in command(*table, "judge=", *service, status=2)[1]
    assert "no calibration is called 'g'" in command(*table, "f1=g", status=2)[1]


def test_typed_judge_and_a_refused_connection(unsure: Path) -> None:
    with running() as server:
        command("score", unsure, "-m", "typed+judge", "--base-url", server.url, "--model", "m")
        assert len(server.events("asked")) == 40
    start = time.monotonic()
    message = command("score", unsure, "-m", "judge", "--base-url", server.url, "--model", "m", status=2)[1]
    assert f"no connection to {server.url} (ConnectError: " in message
    assert "start the server, or correct the address: base_url= (--base-url)" in message
    assert time.monotonic() - start < 30  # 56 s before
