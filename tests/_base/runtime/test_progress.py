"""A bar is shown where it may be, and takes no lock that a killed process could keep."""

import io
import subprocess
import sys
from contextlib import redirect_stderr
from types import ModuleType
from typing import Any

import pytest

import answersim._base.runtime.progress as progress_module
from answersim._base.runtime.progress import bar, progress

KILLED = """
import os, signal, sys
from answersim._base.runtime.progress import bar, progress
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
def test_a_killed_worker_does_not_block_the_bars_of_the_others(where):
    done = subprocess.run([sys.executable, "-c", KILLED, where], capture_output=True, text=True, timeout=120)
    assert done.stdout == "done\n", done.stderr


def test_a_bar_that_is_not_shown_counts_all_the_same(capsys):
    for allowed in (True, False):  # standard error is no terminal here
        with progress(allowed), bar(3, "work", "pair") as shown:
            shown.update(2)
            shown.update()
            shown.total = 5
            assert (shown.n, shown.total) == (3, 5)
        shown.close()
    assert capsys.readouterr() == ("", "")


class FakeKernelStream(io.StringIO):
    """What ``ipykernel.iostream.OutStream`` is to the bar: no terminal."""


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> FakeKernelStream:
    module = ModuleType("ipykernel.iostream")
    setattr(module, "OutStream", FakeKernelStream)  # noqa: B010 # a module without attributes to mypy
    monkeypatch.setitem(sys.modules, "ipykernel.iostream", module)
    monkeypatch.setattr(progress_module, "find_spec", lambda name: None)  # no ipywidgets
    return FakeKernelStream()


def show() -> str:
    with progress(True), bar(2, "work", "pair") as made:
        shown: Any = made
        shown.delay = 0
        shown.update(2)
        if hasattr(shown, "refresh"):
            shown.refresh()
    return type(shown).__name__


def test_a_kernel_that_is_no_terminal_shows_a_bar(kernel, monkeypatch):
    monkeypatch.setattr(sys, "stderr", kernel)
    assert show() != "_Silent"
    assert "work" in kernel.getvalue()
    assert "2/2" in kernel.getvalue()


def test_a_kernel_shows_no_bar_if_bars_are_off_or_stderr_is_redirected(kernel):
    with redirect_stderr(kernel), progress(False), bar(2, "work", "pair") as shown:
        shown.update(2)
    with redirect_stderr(io.StringIO()) as elsewhere:  # as in a file, although a kernel runs
        assert show() == "_Silent"
    assert kernel.getvalue() == elsewhere.getvalue() == ""


NOTEBOOK = """
import sys
from importlib.util import find_spec
from answersim._base.runtime.progress import bar, progress
with progress(True), bar(3, "work", "pair") as shown:
    shown.delay = 0
    shown.update(2)
    shown.refresh()
print(type(shown).__mro__[1].__module__, find_spec("ipywidgets") is not None, sys.stderr.isatty())
"""


@pytest.mark.slow
def test_a_bar_in_a_real_kernel_is_a_widget_or_text():
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed: pip install nbclient ipykernel")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed: pip install nbclient ipykernel")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed: pip install nbclient ipykernel")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(NOTEBOOK)])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = notebook.cells[0].outputs
    (printed,) = (output.text for output in outputs if output.get("name") == "stdout")
    module, widgets, terminal = printed.split()
    assert terminal == "False"
    assert module == ("tqdm.notebook" if widgets == "True" else "tqdm.std")
    if widgets == "False":
        assert any("2/3" in output.text for output in outputs if output.get("name") == "stderr")
