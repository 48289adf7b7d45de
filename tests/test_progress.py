"""A bar is shown where it may be, and takes no lock that a killed process could keep."""

from __future__ import annotations

import subprocess
import sys

import pytest

from answersim.progress import bar, progress

KILLED = """
import os, signal, sys
from answersim.progress import bar, progress
sys.stderr.isatty = lambda: sys.argv[1] == "terminal"

def show():
    with progress(True), bar(2, "work", "pair") as shown:
        shown.update(1)

from tqdm import tqdm
show()
child = os.fork()
if not child:
    tqdm.get_lock().acquire()  # what every bar of tqdm does for a moment
    os.kill(os.getpid(), signal.SIGKILL)
os.waitpid(child, 0)
show()
print("done")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork there")
@pytest.mark.parametrize("where", ["terminal", "file"])
def test_a_killed_worker_does_not_block_the_bars_of_the_others(where: str) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, where], capture_output=True, text=True, timeout=120)
    assert done.stdout == "done\n", done.stderr


def test_a_bar_that_is_not_shown_counts_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    for allowed in (True, False):  # standard error is no terminal here
        with progress(allowed), bar(3, "work", "pair") as shown:
            shown.update(2)
            shown.update()
            shown.total = 5
            assert (shown.n, shown.total) == (3, 5)
        shown.close()
    assert capsys.readouterr() == ("", "")
