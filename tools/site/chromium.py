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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next(filter(None, map(shutil.which, names)), None)


class PageError(RuntimeError):
    """The page, or the browser, answered with an error."""


class Page:
    """One page in a Chromium of its own. Make it by ``opened``."""

    def __init__(self, process: subprocess.Popen[bytes], read: int, write: int) -> None:
        self._process, self._read, self._write = process, read, write
        self._buffer, self._calls, self._width = b"", 0, 0
        self._session: str | None = None
        self.errors: list[str] = []  # violations of the Content-Security-Policy, and other errors of the page
        self.requests: list[str] = []  # addresses
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
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
            self._note(answer.get("method"), answer.get("params", {}))
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

    def _note(self, event: str | None, parameters: dict[str, Any]) -> None:
        if event == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.errors.append(parameters["entry"]["text"])
        elif event == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(parameters["exceptionDetails"]))
        elif event == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def run(self, script: str, timeout: float = 300) -> Any:
        """Return the value of a JavaScript expression, of which a promise is awaited."""
        flags = dict.fromkeys(("awaitPromise", "returnByValue", "userGesture"), True)
        result = self.send("Runtime.evaluate", timeout, expression=script, **flags)
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

    def resize(self, width: int, height: int = 900, *, dark: bool | None = None) -> None:
        """Make the window as wide as a screen of this size, and perhaps dark or light."""
        self._width = width
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.send("Emulation.setDeviceMetricsOverride", **size)
        if dark is not None:
            scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
            self.send("Emulation.setEmulatedMedia", features=scheme)

    def screenshot(self, path: Path, height: int | None = None) -> None:
        """Write a picture of the whole page, or of its top (PNG), after all of it is painted."""
        width, whole = self._width, int(self.send("Page.getLayoutMetrics")["cssContentSize"]["height"])
        self.resize(width, min(whole, height or whole))  # a page is painted no further than its window
        picture, last = self._painted(), ""
        while picture != last:
            picture, last = self._painted(), picture
        path.write_bytes(base64.b64decode(picture))
        self.resize(width)

    def _painted(self) -> str:
        frame = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
        self.run(f"document.fonts.ready.then(() => {frame})")
        return str(self.send("Page.captureScreenshot", format="png")["data"])


@contextmanager
def opened(downloads: Path | None = None) -> Iterator[Page]:
    """Start a Chromium and end it. ``downloads``: a folder for what pages offer to download."""
    if (found := executable()) is None:
        raise FileNotFoundError("no Chromium is installed; on Debian: apt-get install chromium")
    with tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as profile:
        to_browser, write = os.pipe()
        read, from_browser = os.pipe()
        pipes = f'exec 3<&{to_browser} 4>&{from_browser}; exec "$@"'  # the descriptors that Chromium expects
        command = [found, *_QUIET, _NO_NETWORK, f"--user-data-dir={profile}", "--remote-debugging-pipe"]
        quiet: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        command = ["bash", "-c", pipes, "chromium", *command]
        process = subprocess.Popen(command, pass_fds=(to_browser, from_browser), start_new_session=True, **quiet)
        os.close(to_browser)
        os.close(from_browser)
        try:
            page = Page(process, read, write)
            if downloads is not None:
                page.send("Page.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))
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
