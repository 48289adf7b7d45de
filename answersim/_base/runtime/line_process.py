"""A module in a process of its own, which answers one line per line and is killed at a time limit."""

from __future__ import annotations

import os
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterable
from threading import Event, Lock, Timer
from typing import Any

READY = "ready"  # the first line of the module, when it has imported what it needs
_RUN = "import runpy, sys; sys.path[:] = sys.argv[2:]; runpy.run_module(sys.argv[1], run_name='__main__')"
_STARTING = 120.0  # seconds that the imports may take


class LineProcess:
    """Asks a module that runs in another process, so that a computation without end can be stopped on any thread.

    The module calls ``serve``. The process starts with the first line, and again after it was killed. It ends with
    this process.
    """

    def __init__(self, module: str, seconds: float) -> None:
        self.module, self.seconds = module, seconds
        self._lock = Lock()
        self._process: subprocess.Popen[str] | None = None
        self._owner = 0  # a forked process must not read the lines of its parent
        self._end: Callable[[], Any] = int

    def answer(self, line: str) -> str | None:
        """Return the line for this one, or None if the process was killed at the limit."""
        with self._lock:
            if self._process is None or self._owner != os.getpid():
                self._process, self._owner = self._started(), os.getpid()
            reply, stopped = _asked(self._process, line, self.seconds)
            if reply:
                return reply
            code = self._process.wait()
            self._end()
            self._process = None
            if stopped:
                return None
            raise RuntimeError(f"{self.module} ended with exit code {code} at the line {line[:200]!r}")

    def _started(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", _RUN, self.module, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        self._end = weakref.finalize(self, _ended, process, os.getpid())
        if _asked(process, "", _STARTING)[0] != READY:
            self._end()
            raise RuntimeError(
                f"{self.module} did not start (exit code {process.returncode}); run python -m {self.module} to see why"
            )
        return process


def _ended(process: subprocess.Popen[str], owner: int) -> None:
    """Kill a process and close its pipes, unless this is a fork of its owner."""
    if os.getpid() == owner:
        process.kill()
        process.communicate()


def _asked(process: subprocess.Popen[str], line: str, seconds: float) -> tuple[str, bool]:
    """Return the next line of a process, "" if it has ended, and whether it was killed at the limit."""
    stopped = Event()

    def stop() -> None:
        stopped.set()
        process.kill()

    timer = Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    stdin: Any = process.stdin
    stdout: Any = process.stdout
    try:
        if line:
            stdin.write(line + "\n")
            stdin.flush()
        reply = stdout.readline().rstrip("\n")
    except OSError:  # the process has closed its side
        reply = ""
    timer.cancel()
    return reply, stopped.is_set()


def serve(answers: Iterable[str]) -> None:
    """Print that the module is ready, then one line per answer, made one at a time. All else goes to stderr."""
    out, sys.stdout = sys.stdout, sys.stderr
    print(READY, file=out, flush=True)
    for answer in answers:
        print(answer, file=out, flush=True)
