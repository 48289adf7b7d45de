"""The server: requests, answers and counts."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from typing import Any
from urllib.request import Request, urlopen

import pytest

from answersim import Reward
from answersim.integrations.serving.app import build
from answersim.integrations.serving.counts import BOUNDS, Counts
from answersim.integrations.serving.server import OpenServiceWarning, serve

pytest.importorskip("starlette", reason="needs starlette, of the extra 'serve'")
uvicorn: Any = pytest.importorskip("uvicorn", reason="needs uvicorn, of the extra 'serve'")
# A metric of one second, so that the signal comes while a request waits.
PROGRAM = """
import sys, time
import numpy as np
from answersim import Reward
from answersim.integrations.serving.app import build
from answersim.integrations.serving.server import serve
from answersim.types import Capabilities

class Slow:
    signature = "slow|rev:1"
    capabilities = Capabilities(cost="remote", scale="probability")

    def __call__(self, pairs):
        if ("Rome", "Oslo") in pairs:
            print("began", flush=True)
            time.sleep(1)
        return np.ones(len(pairs))

reward = Reward(Slow())
serve(build(reward), reward, port=0, ready=lambda address: print(address, flush=True))
"""


def post(address: str, body: Any) -> Any:
    request = Request(f"{address}/score", json.dumps(body).encode())
    with urlopen(request, timeout=30) as response:
        return json.load(response)


def test_a_signal_ends_the_process_after_the_accepted_requests() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True, env=environment) as child:
        address = child.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        results: list[Any] = []
        caller = threading.Thread(
            target=lambda: results.append(post(address, {"golds": ["Rome"], "preds": ["Oslo"]})), daemon=True
        )
        caller.start()
        assert child.stdout.readline().strip() == "began"
        child.send_signal(signal.SIGTERM)
        assert child.wait(30) == -signal.SIGTERM
        caller.join(30)
    assert results[0]["scores"] == [1.0]


def test_connections_that_only_the_kernel_has_accepted_are_answered_after_the_signal() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True, env=environment) as child:
        address = child.stdout.readline().strip()
        post(address, {"golds": ["Rome"], "preds": ["Paris"]})  # it runs
        host, _, port = address.removeprefix("http://").rpartition(":")
        child.send_signal(signal.SIGSTOP)
        body = json.dumps({"golds": ["Rome"], "preds": ["Paris"]}).encode()
        request = b"POST /score HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        callers = [socket.create_connection((host, int(port)), 30) for _ in range(24)]
        for caller in callers:
            caller.sendall(request)
        child.send_signal(signal.SIGTERM)
        child.send_signal(signal.SIGCONT)
        for caller in callers:
            with caller:
                assert caller.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
        assert child.wait(30) == -signal.SIGTERM


@pytest.mark.parametrize(("host", "warned"), [("0.0.0.0", True), ("127.0.0.1", False), ("localhost", False)])
def test_an_open_address_without_a_token_is_a_warning(
    host: str, warned: bool, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: None)
    addresses: list[str] = []
    reward = Reward("rules")
    serve(build(reward), reward, host=host, port=0, ready=addresses.append)
    assert addresses[0].startswith(f"http://{host}:")
    assert any(isinstance(entry.message, OpenServiceWarning) for entry in recwarn) is warned


def test_a_port_in_use_is_an_error() -> None:
    reward = Reward("rules")
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        serve(build(reward), reward, port=taken.getsockname()[1])


def test_the_buckets_of_a_histogram_are_cumulative() -> None:
    counts = Counts('a "signature"')
    for seconds in (0.001, 0.005, 0.3, 1000.0):
        counts.request("/score", 200, seconds)
    lines = counts.text().splitlines()
    assert 'answersim_request_seconds_bucket{le="0.005"} 2' in lines
    assert f'answersim_request_seconds_bucket{{le="{BOUNDS[-1]}"}} 3' in lines
    assert 'answersim_request_seconds_bucket{le="+Inf"} 4' in lines
    assert "answersim_request_seconds_sum 1000.306000" in lines
    assert 'answersim_info{signature="a \\"signature\\""} 1' in lines


def test_each_name_has_a_type() -> None:
    lines = Counts("x").text().splitlines()
    assert all(line.startswith(("#", "answersim_")) for line in lines)
    assert len([line for line in lines if line.startswith("# TYPE")]) == 7
