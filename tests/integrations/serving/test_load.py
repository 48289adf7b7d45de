"""The service under load and attack: bounded memory and time, no request lost. It prints its figures."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("uvicorn", reason="needs uvicorn, of the extra 'serve'")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the memory of a process from /proc"),
]
MOST = 300  # MB above the process that has loaded its reward
SENDING = 6  # seconds in which a request has to arrive
ROW = {"golds": ["Rome"], "preds": ["\\boxed{Rome}"]}


class Reply(NamedTuple):
    """A response: its status (0 if the connection ended without one), its JSON, and the seconds until then."""

    status: int
    body: Any
    seconds: float


class Service:
    """A process of ``answersim serve`` with the rules."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "answersim", "serve", "-m", "rules", "--port", "0"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [*command, "--limit", f"sending={SENDING}"], stdout=subprocess.PIPE, text=True, env=environment
        )
        assert self.process.stdout is not None
        lines = iter(self.process.stdout.readline, "")
        self.port = next(int(line.rpartition(":")[2]) for line in lines if line.startswith("serving on "))
        self.ask(ROW)  # what is loaded with the first request is not counted
        self.base = self.memory("VmRSS")

    def memory(self, name: str) -> int:
        """The memory of the process in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.findall(rf"{name}:\s+(\d+) kB", status)[0]) // 1024

    def connected(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), 30)

    def ask(self, body: Any, path: str = "/score") -> Reply:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        start = time.monotonic()
        with self.connected() as connection:
            with suppress(BrokenPipeError, ConnectionResetError):  # the response may be there all the same
                connection.sendall(head(len(raw), path) + raw)
            return replied(connection, start)


def head(size: int, path: str = "/score", close: bool = True) -> bytes:
    end = "Connection: close\r\n" if close else ""
    return f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n{end}\r\n".encode()


def replied(connection: socket.socket, start: float, timeout: float = 300) -> Reply:
    connection.settimeout(timeout)
    parts = []
    try:
        while part := connection.recv(1 << 16):
            parts.append(part)
    except (ConnectionResetError, TimeoutError):
        pass
    first, _, content = b"".join(parts).partition(b"\r\n\r\n")
    status = int(first.split(b" ", 2)[1]) if first else 0
    return Reply(status, json.loads(content) if content else None, time.monotonic() - start)


@pytest.fixture
def service(capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest) -> Iterator[Service]:
    """A service whose peak of memory is checked and printed after the test."""
    running = Service()
    try:
        yield running
        if running.process.poll() is None:
            peak = running.memory("VmHWM") - running.base
            shown(capsys, f"{request.node.name}: {peak} MB above the {running.base} MB of the service")
            assert peak <= MOST
    finally:
        running.process.kill()
        running.process.communicate()


def shown(capsys: pytest.CaptureFixture[str], text: str) -> None:
    with capsys.disabled():
        sys.stdout.write(f"\n  {text}")


def test_a_row_with_50_000_gold_answers_has_no_reward_and_the_others_are_scored(service, capsys) -> None:
    golds = [["Rome"], [f"Rome {i}" for i in range(50_000)], "Rome"]
    reply = service.ask({"golds": golds, "preds": ["Rome"] * 3})
    assert (reply.status, reply.body["scores"]) == (200, [1.0, None, 1.0])
    assert reply.body["rows"][1]["reason"] == "the row has more than 1,000 gold answers"
    assert service.ask({"golds": golds[1:2], "preds": ["Rome"]}).status == 422
    most = service.ask({"golds": [[f"Oslo {i} of Norway" for i in range(1000)]], "preds": ["Rome in Italy"]})
    assert most.status == 200
    shown(capsys, f"50,000 gold answers: {reply.seconds:.2f} s; 1,000: {most.seconds:.2f} s")


@pytest.mark.parametrize("value", ["[]", '"é"', "[[[[[[]]]]]]"])
def test_bodies_of_many_values_are_refused(service, capsys, value: str) -> None:
    for size in (60, 31):  # MB: above the largest body, and below it
        values = ",".join([value] * (size * 1_000_000 // (len(value.encode()) + 1)))
        reply = service.ask(f'{{"golds": ["Rome"], "preds": ["Rome"], "question": [{values}]}}'.encode())
        shown(capsys, f"{size} MB of {value}: {reply.seconds:.2f} s")
        assert reply.status == 413
    assert service.ask(ROW).body["scores"] == [1.0]


@pytest.mark.parametrize("letter", ["x", "é", "😀"])
def test_large_requests_at_the_same_time_are_answered_or_told_to_come_again(service, capsys, letter: str) -> None:
    texts = [f"{letter} {i} {'x' * 20_000}" for i in range(1_200)]  # 24 MB
    raw = json.dumps({"golds": ["Rome"] * len(texts), "preds": texts}, ensure_ascii=False).encode()
    with ThreadPoolExecutor(12) as pool:
        replies = list(pool.map(service.ask, [raw] * 12))
    counted = Counter(reply.status for reply in replies)
    assert set(counted) <= {200, 408, 503}  # 408 if this machine is slower than the time for sending
    assert service.ask(ROW).body["scores"] == [1.0]
    assert service.ask(raw).status == 200
    shown(capsys, f"12 requests of {len(raw) / 1e6:.0f} MB: {dict(counted)}, {max(r.seconds for r in replies):.1f} s")


def test_900_half_open_requests_end_and_others_are_answered_meanwhile(service, capsys) -> None:
    halves = [b"", b"POST /score HT", head(5_000_000)[:-4], head(5_000_000), head(5_000_000) + b"[" * 100_000]
    start = time.monotonic()
    held = [service.connected() for _ in range(900)]
    for i, connection in enumerate(held):
        with suppress(OSError):  # refused, because the others take the memory
            connection.sendall(halves[i % len(halves)])
    meanwhile = [service.ask(ROW).seconds for _ in range(20)]
    left = list(held)
    while left and time.monotonic() - start < 10 * SENDING:
        ready, _, _ = select.select(left, [], [], 1)
        left = [entry for entry in left if entry not in ready or not ended(entry)]
    seconds = time.monotonic() - start
    shown(capsys, f"the last of 900 ended after {seconds:.1f} s; a row took at most {max(meanwhile):.2f} s meanwhile")
    assert not left
    for connection in held:
        connection.close()
    assert service.ask(ROW).body["scores"] == [1.0]


def ended(connection: socket.socket) -> bool:
    """Whether the service has ended this connection."""
    try:
        return not connection.recv(1 << 16)
    except OSError:
        return True


@pytest.mark.parametrize("sent", [b"POST /score HTTP/1.1\r\nHost: x\r\nX-Slow: ", head(10_000)])
def test_a_client_that_sends_a_byte_a_second_is_refused(service, capsys, sent: bytes) -> None:
    start = time.monotonic()
    with service.connected() as connection:
        connection.sendall(sent)
        status, is_over = 0, False
        while not is_over and time.monotonic() - start < 5 * SENDING:
            ready, _, _ = select.select([connection], [], [], 1)
            try:
                if ready:
                    part = connection.recv(1 << 16)
                    status = status or (int(part.split(b" ", 2)[1]) if part else 0)
                    is_over = not part
                else:
                    connection.sendall(b" ")
            except OSError:
                is_over = True
    seconds = time.monotonic() - start
    shown(capsys, f"status {status} and the end after {seconds:.1f} s")
    assert (status, is_over) == (408, True)


def test_no_request_of_an_accepted_connection_is_lost_at_the_signal(service, capsys) -> None:
    def client(_: int) -> list[int]:
        """The statuses of all requests until a connection is refused; 0 if a request was lost."""
        statuses = []
        with suppress(OSError):
            while connection := service.connected():
                with connection:
                    statuses.append(0)
                    connection.sendall(head(len(raw)) + raw)
                    statuses[-1] = replied(connection, time.monotonic()).status
        return statuses

    raw = json.dumps(ROW).encode()
    with ThreadPoolExecutor(24) as pool:
        clients = pool.map(client, range(24))
        time.sleep(3)
        start = time.monotonic()
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(30) == -signal.SIGTERM
        seconds = time.monotonic() - start
        counted = Counter(status for statuses in clients for status in statuses)
    shown(capsys, f"{dict(counted)}; the process ended {seconds:.1f} s after the signal")
    assert counted[200] > 50
    assert set(counted) == {200}
