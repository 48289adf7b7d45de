"""A server on the loopback interface that speaks ``/chat/completions``, with faults, in a thread of the test.

It logs an event when it has read a request, and another one before it sends a whole reply. The verdict is "yes" if the
candidate equals the gold answer, unless the script says otherwise.
"""

import asyncio
import base64
import gzip
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

FENCED = re.compile(r"<<<text ([0-9a-f]{16})\n(.*?)\n\1 text>>>", re.DOTALL)


class Server:
    """The state of the server: how often each candidate was asked about."""

    def __init__(self, script: dict[str, Any]) -> None:
        self.script = script
        self.log: list[dict[str, Any]] = []
        self.attempts: dict[str, int] = {}
        self.answered = self.busy = self.most = 0

    def note(self, **event: Any) -> None:
        self.log.append(event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self.one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        line, *rows = head.split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (row.partition(":") for row in rows)}
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        body = json.loads(raw)
        texts = [text for _, text in FENCED.findall(body["messages"][-1]["content"])]
        gold, pred = texts[-2], texts[-1]
        key = f"{pred}|{body['model']}" if f"{pred}|{body['model']}" in self.script.get("say", {}) else pred
        count = self.attempts[pred] = self.attempts.get(pred, 0) + 1
        structured = "response_format" in body
        path = line.split(" ")[1]
        self.busy += 1
        self.most = max(self.most, self.busy)
        self.note(
            event="asked", time=time.monotonic(),
            pred=pred, gold=gold, texts=texts, structured=structured, path=path, busy=self.busy,
            auth=headers.get("authorization", ""), model=body["model"], body=body,
        )  # fmt: skip
        await asyncio.sleep(self.script.get("delay", 0))
        try:
            return await self.reply(writer, headers, body, gold, pred, key, count, structured)
        finally:
            self.busy -= 1

    async def reply(
        self, writer: asyncio.StreamWriter, headers: dict[str, str], body: dict[str, Any], gold: str, pred: str,
        key: str, count: int, structured: bool,
    ) -> bool:  # fmt: skip
        if structured and self.script.get("refuse_format"):
            return await self.send(writer, self.script["refuse_format"], {"error": {"message": "response_format?"}})
        plan = self.script.get("plan", {}).get(pred, self.script.get("plan", {}).get("*", []))
        content = self.script.get("say", {}).get(key, json.dumps({"verdict": "yes" if gold == pred else "no"}))
        if isinstance(content, list):
            content = content[(count - 1) % len(content)]
        models = self.script.get("models", ["fake-1"])
        answer = {
            "id": f"chat-{count}",
            "model": models[min(self.answered // self.script.get("switch_after", 1), len(models) - 1)],
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105},
        }
        fault = plan[count - 1] if count <= len(plan) else ""
        whole = json.dumps(answer).encode()
        if fault == "drop":
            return False
        if fault == "half":
            writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(whole)}\r\n\r\n".encode() + whole[: len(whole) // 2])
            await writer.drain()
            return False
        if fault == "half, closed":  # without a length, so that only the content shows that it is half
            writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + whole[: len(whole) // 2])
            await writer.drain()
            return False
        if fault == "slow":
            writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(whole)}\r\n\r\n".encode())
            for i in range(len(whole)):
                writer.write(whole[i : i + 1])
                await writer.drain()
                await asyncio.sleep(0.1)
        if fault in ("huge", "huge, no length", "gzip"):  # valid JSON after 100 MB of spaces; 40 kB if compressed
            head = "Content-Length: 100000000\r\n" if fault == "huge" else "Connection: close\r\n"
            if fault == "gzip":
                packed = gzip.compress(b" " * 40_000_000 + whole)
                head = f"Content-Encoding: gzip\r\nContent-Length: {len(packed)}\r\n"
                writer.write(f"HTTP/1.1 200 OK\r\n{head}\r\n".encode() + packed)
                await writer.drain()
                return True
            writer.write(f"HTTP/1.1 200 OK\r\n{head}\r\n".encode())
            for i in range(100):
                writer.write(b" " * 1_000_000)
                await writer.drain()
                self.note(event="megabyte", number=i)
            writer.write(whole)
            await writer.drain()
            return False
        if fault == "NaN":
            return await self.send(writer, 200, json.dumps(answer | {"created": float("nan")}).encode())
        if fault == "two texts":  # one key twice
            return await self.send(writer, 200, whole.replace(b'"content"', b'"content": "", "content"'))
        if fault == "two choices":
            other = json.dumps({"verdict": "no" if "yes" in content else "yes"})
            answer["choices"].append({"index": 1, "message": {"content": other}})  # type: ignore[attr-defined]
            return await self.send(writer, 200, answer)
        if fault == "json":
            return await self.send(writer, 200, b'{"choices": [{"message": {"content": "yes"}')
        if fault == "empty":
            return await self.send(writer, 200, {"error": {"message": "overloaded"}})
        if fault == "echo":  # an error that repeats the key
            return await self.send(writer, 401, {"error": {"message": f"bad key {headers.get('authorization')}"}})
        if fault.startswith(("429", "503")):
            status, _, after = fault.partition(" ")
            return await self.send(writer, int(status), {"error": "wait"}, f"Retry-After: {after}\r\n" if after else "")
        if fault:
            return await self.send(writer, int(fault), {"error": {"message": f"status {fault}"}})
        if self.script.get("echo_key"):
            secret = headers.get("authorization", "").removeprefix("Bearer ")
            coded = [base64.b64encode(text.encode()).decode() for text in (secret, f"Bearer {secret}", f"me:{secret}")]
            escaped = "".join(f"\\u{ord(c):04x}" for c in secret)
            answer["echo"] = [f"Bearer {secret}", escaped, secret.encode().hex(), *coded]
        self.answered += 1
        self.note(event="answered", pred=pred, gold=gold, model=body["model"])
        return await self.send(writer, 200, answer)

    async def send(self, writer: asyncio.StreamWriter, status: int, content: Any, more: str = "") -> bool:
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(raw)}\r\n{more}\r\n"
        writer.write(head.encode() + raw)
        await writer.drain()
        return True


class Running:
    """A running server, for a test.

    Attributes:
        url: The base URL.
    """

    def __init__(self, port: int, log: list[dict[str, Any]]) -> None:
        self.url, self.log = f"http://127.0.0.1:{port}/v1", log

    def events(self, kind: str = "") -> list[dict[str, Any]]:
        """Return the logged events of this kind."""
        return [event for event in list(self.log) if kind in ("", event["event"])]

    def preds(self, kind: str) -> list[str]:
        """Return the candidates of these events."""
        return [event["pred"] for event in self.events(kind)]


@contextmanager
def running(**script: Any) -> Iterator[Running]:
    """Run a server with this script."""
    server, loop = Server(script), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        started = asyncio.start_server(server.serve, "127.0.0.1", 0)
        listener = asyncio.run_coroutine_threadsafe(started, loop).result()
        yield Running(listener.sockets[0].getsockname()[1], server.log)
    finally:
        asyncio.run_coroutine_threadsafe(_ended(listener), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _ended(listener: asyncio.Server) -> None:
    """Stop listening, and drop all connections."""
    listener.close()
    rest = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
    await asyncio.sleep(0)  # the connections close
