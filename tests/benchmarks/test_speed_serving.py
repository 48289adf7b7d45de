"""The load on a service: every request is counted, and lost ones are found. No test asserts a time."""

from __future__ import annotations

import json
import socket

import pytest

from benchmarks import speed_serving
from tests.benchmarks.programs import invoke


def test_a_service_answers_all_requests() -> None:
    pytest.importorskip("starlette", reason="needs starlette, of the extra 'serve'")
    pytest.importorskip("uvicorn", reason="needs uvicorn, of the extra 'serve'")
    result = invoke("speed", *"serving --metric rules --requests 40 --one-by-one 5 --rounds 2 --format json".split())
    rows = json.loads(result.output)
    assert [(row["way"], row["n"], row["lost"]) for row in rows] == [("at the same time", 80, 0), ("one by one", 10, 0)]


def test_requests_without_an_answer_are_lost() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    rows = speed_serving.measured("rules", f"http://127.0.0.1:{port}", 3, 2, 1)
    assert [row.lost for row in rows] == [3, 2]
    assert "3" in str(speed_serving.table(rows).rows[0])


def test_rows_of_an_encoder_are_names_and_phrases_that_are_not_right() -> None:
    rows = speed_serving._rows("answersim", 50)
    assert len({row.completion for row in rows}) == 50
    assert all(row.kind != "number" and row.answer != "right" for row in rows)
