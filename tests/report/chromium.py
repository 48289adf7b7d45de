"""A headless Chromium that tests steer through a pipe, without any further package."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any

WAIT = 60.0  # seconds for an answer; the machine of a test may be busy
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def found() -> str | None:
    """Return the path of a Chromium, or None if none is installed."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Chromium:
    """One page in a headless Chromium. Downloads go to a folder.

    Args:
        downloads: The folder.
    """

    def __init__(self, downloads: Path) -> None:
        self._profile = TemporaryDirectory(prefix="answersim-chromium-", ignore_cleanup_errors=True)
        read, self._out = os.pipe()
        self._in, write = os.pipe()
        command = " ".join(
            [
                f"exec {found()} --headless --no-sandbox --disable-gpu --remote-debugging-pipe --disable-dev-shm-usage",
                "--no-first-run --hide-scrollbars --force-color-profile=srgb",
                f"--user-data-dir={self._profile.name} about:blank 3<&{read} 4>&{write}",
            ]
        )
        self._process = subprocess.Popen(
            ["bash", "-c", command], pass_fds=(read, write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(read)
        os.close(write)
        self._rest, self._number = b"", 0
        self._session: str | None = None
        self.errors: list[str] = []
        self.requests: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads), session=None)

    def __enter__(self) -> Chromium:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._out)  # Chromium ends when its pipe does
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        self._profile.cleanup()

    def call(self, method: str, session: Any = ..., **params: Any) -> dict[str, Any]:
        """Send a command of the DevTools protocol and return its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if (used := self._session if session is ... else session) is not None:
            message["sessionId"] = used
        os.write(self._out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            answer = self._read(end)
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                return dict(answer["result"])
        raise TimeoutError(method)

    def _read(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            if not select.select([self._in], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError("Chromium does not answer")
            if not (data := os.read(self._in, 1 << 20)):
                raise EOFError("Chromium ended")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        self._note(message)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        kind, params = message.get("method"), message.get("params", {})
        if kind == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(params["exceptionDetails"]))
        elif kind == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
        elif kind == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def open(self, page: Path, width: int, height: int = 900, *, dark: bool = False) -> None:
        """Open a file at this width in CSS pixels, and wait until its scripts ran."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=scheme)
        self.call("Page.navigate", url=page.resolve().as_uri())
        end = time.monotonic() + WAIT
        while self.run("document.readyState + location.protocol") != "completefile:":
            assert time.monotonic() < end, "the page does not load"
            time.sleep(0.05)

    def run(self, script: str) -> Any:
        """Return the value of a JavaScript expression; of a promise, that of its result."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def picture(self, path: Path, height: int | None = None) -> None:
        """Save a picture of the page from its top, of the whole page if no height is given."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": height or size["height"], "scale": 1}
        shot = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))
