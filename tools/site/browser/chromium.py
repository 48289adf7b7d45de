"""A headless Chromium that is driven by the DevTools protocol over a pipe, with the standard library only."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

_QUIET = (  # nothing that Chromium does by itself
    "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --no-default-browser-check "
    "--disable-background-networking --disable-component-update --disable-sync --disable-extensions "
    "--disable-default-apps --disable-domain-reliability --disable-client-side-phishing-detection "
    "--disable-features=OptimizationHints,MediaRouter,Translate,AutofillServerCommunication --mute-audio "
    "--metrics-recording-only"
).split()
_NO_NETWORK = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"


def executable() -> str | None:
    """Return the path of an installed Chromium or Chrome, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class PageError(RuntimeError):
    """The page, or the browser, answered with an error."""


class Page:
    """One page in a Chromium of its own. Make it by ``opened``."""

    def __init__(self, process: subprocess.Popen[bytes], read: int, write: int) -> None:
        self._process, self._read, self._write = process, read, write
        self._buffer = b""
        self._calls = 0
        self._session: str | None = None
        self.violations: list[str] = []  # of the Content-Security-Policy, and other errors in the console
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method: str, timeout: float = 300, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its result. Raises: PageError if it fails or the time is over."""
        self._calls += 1
        message = {"id": self._calls, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + timeout
        while True:
            answer = self._receive(end)
            if answer.get("method") == "Log.entryAdded" and answer["params"]["entry"]["level"] == "error":
                self.violations.append(answer["params"]["entry"]["text"])
            if answer.get("id") == self._calls:
                if "error" in answer:
                    raise PageError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result

    def _receive(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            if not select.select([self._read], [], [], max(0.0, end - time.monotonic()))[0]:
                raise PageError("Chromium did not answer in time")
            if not (data := os.read(self._read, 1 << 16)):
                raise PageError("Chromium has ended")
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\0")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def run(self, script: str, timeout: float = 300) -> Any:
        """Return the value of a JavaScript expression, of which a promise is awaited."""
        result = self.send(
            "Runtime.evaluate", timeout, expression=script, awaitPromise=True, returnByValue=True, userGesture=True
        )
        if "exceptionDetails" in result:
            raise PageError(json.dumps(result["exceptionDetails"])[:2000])
        return result["result"].get("value")

    def wait(self, condition: str, timeout: float = 300) -> None:
        """Wait until a JavaScript expression is true."""
        end = time.monotonic() + timeout
        while not self.run(condition):
            if time.monotonic() > end:
                raise PageError(f"not true in {timeout:g} s: {condition}")
            time.sleep(0.2)

    def open(self, url: str) -> None:
        """Open an address and wait until its scripts have run."""
        self.send("Page.navigate", url=url)
        self.wait(f"location.href === {json.dumps(url)} && document.readyState === 'complete'")

    def resize(self, width: int, height: int = 900) -> None:
        """Make the window as wide as a screen of this size."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    def press(self, key: str, code: int, text: str = "") -> None:
        """Press and release a key."""
        for kind in ("keyDown", "keyUp"):
            more: dict[str, Any] = {"text": text} if text and kind == "keyDown" else {}
            self.send("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **more)

    def screenshot(self, path: Path) -> None:
        """Write a picture of the whole page (PNG)."""
        picture = self.send("Page.captureScreenshot", captureBeyondViewport=True, format="png")
        path.write_bytes(base64.b64decode(picture["data"]))


@contextmanager
def opened(netlog: Path) -> Iterator[Page]:
    """Start a Chromium that writes every request of the whole browser to this file, and end it."""
    found = executable()
    if found is None:
        raise FileNotFoundError("no Chromium is installed; on Debian: apt-get install chromium")
    with tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as profile:
        to_browser, write = os.pipe()
        read, from_browser = os.pipe()
        pipes = f'exec 3<&{to_browser} 4>&{from_browser}; exec "$@"'  # the descriptors that Chromium expects
        command = [
            found,
            *_QUIET,
            _NO_NETWORK,
            f"--user-data-dir={profile}",
            f"--log-net-log={netlog}",
            "--remote-debugging-pipe",
        ]
        process = subprocess.Popen(
            ["bash", "-c", pipes, "chromium", *command],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_browser)
        os.close(from_browser)
        try:
            page = Page(process, read, write)
            yield page
            page._session = None
            page.send("Browser.close", timeout=30)
            process.wait(30)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            os.close(read)
            os.close(write)


def requested(netlog: Path, origin: str) -> set[str]:
    """Return the hosts that pages of this origin and their workers requested, or opened by a link.

    Left out are requests of the browser itself, such as of its updates, which no page has initiated.
    """
    content = json.loads(netlog.read_text(encoding="utf-8"))
    types = {number: name for name, number in content["constants"]["logEventTypes"].items()}
    found = [
        (urlsplit(event["params"]["url"]), event["params"].get("initiator"))
        for event in content["events"]
        if types[event["type"]] == "URL_REQUEST_START_JOB" and "url" in event.get("params", {})
    ]
    hosts = {f"{url.scheme}://{url.netloc}" for url, initiator in found if initiator == origin}
    return {host for host in hosts if urlsplit(host).scheme not in _LOCAL}


_LOCAL: Sequence[str] = ("blob", "data", "chrome", "about", "devtools")  # they need no connection
