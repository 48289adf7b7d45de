"""The command line: one line per error, groups of options, progress, and what a terminal shows."""

from __future__ import annotations

import errno
import io
import json
import subprocess
import sys
import unicodedata
import warnings
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, ClassVar

import pytest
import typer
from typer.testing import CliRunner

import answersim._base.runtime.progress as progress_module
from answersim._base.runtime.cli_errors import one_line, user_errors
from answersim._base.runtime.option_groups import GroupedCommand, Later, OptionGroup, Use, command, option
from answersim._base.runtime.progress import bar, progress
from answersim._base.runtime.terminal import text_table
from answersim._base.text_tables import TextTable
from tests.cases import every


class OutOfMemoryError(RuntimeError):
    """Named as that of torch."""


def _undecodable() -> Exception:
    try:
        b"\xff".decode()
    except UnicodeDecodeError as error:
        return error
    raise AssertionError


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("two\n  lines\n"), "two lines"),
        (LookupError("no metric"), "no metric"),
        (TypeError("is a number"), "is a number"),
        (ImportError("no torch"), "no torch"),
        (IsADirectoryError(errno.EISDIR, "Is a directory", "out"), "out: Is a directory"),
        (OSError(errno.ENOSPC, "No space left on device", "out"), "out: No space left on device"),
        (OSError(errno.ENAMETOOLONG, "File name too long", "nnn"), "nnn: File name too long"),
        (OSError(errno.ELOOP, "Too many levels of symbolic links", "a"), "a: Too many levels of symbolic links"),
        (PermissionError(errno.EACCES, "Permission denied", "p"), "p: Permission denied"),
        (BlockingIOError(errno.EWOULDBLOCK, "another run is writing o"), "another run is writing o"),
        (_undecodable(), "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
        (EOFError("the file ends"), "the file ends"),
        (OverflowError("int too large"), "int too large"),
        (
            MemoryError(),
            "there is not enough memory (the system gives no more); use smaller batches, fewer rows or a smaller model",
        ),
        (
            OutOfMemoryError("CUDA"),
            "there is not enough memory (CUDA); use smaller batches, fewer rows or a smaller model",
        ),
        (RuntimeError("Symlink loop from 'a'"), "Symlink loop from 'a'"),
        (RecursionError("maximum"), "something in the input is nested too deeply; flatten it"),
        (OSError(), "OSError"),
    ],
)
def test_what_a_user_can_mend_is_one_line_and_status_2(error, line, capsys):
    before = warnings.showwarning
    with pytest.raises(SystemExit) as ended, user_errors("program"):
        raise error
    assert ended.value.code == 2
    assert capsys.readouterr() == ("", f"program: {line}\n")
    assert warnings.showwarning is before
    assert one_line(error) == line


@every("error", [RuntimeError("a fault"), AttributeError("a fault"), AssertionError("a fault")])
def test_a_fault_of_ours_keeps_its_traceback(error):
    with pytest.raises(type(error), match="a fault"), user_errors():
        raise error


def test_ctrl_c_ends_with_the_status_of_a_shell(capsys):
    with pytest.raises(SystemExit) as ended, user_errors():
        raise KeyboardInterrupt
    assert ended.value.code == 130
    assert capsys.readouterr().err == "answersim: interrupted\n"


BROKEN = """
import sys
from answersim._base.runtime.cli_errors import user_errors
with user_errors():
    sys.stdout.write("x" * 10)  # stays in the buffer
    raise BrokenPipeError
"""


def test_a_broken_pipe_is_quiet_also_when_python_ends():
    with subprocess.Popen(
        [sys.executable, "-c", BROKEN], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
    assert process.returncode == 141


def test_json_that_is_nested_deeply_is_one_line(tmp_path):
    deep = "[" * 100_000 + "]" * 100_000
    (tmp_path / "t.jsonl").write_text(json.dumps({"gold": "a", "pred": "b"})[:-1] + f', "x": {deep}' + "}\n")
    done = subprocess.run(
        [sys.executable, "-m", "answersim", "score", str(tmp_path / "t.jsonl"), "-o", str(tmp_path / "o.jsonl")],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "t.jsonl, line 1: not JSON" in done.stderr
    assert not (tmp_path / "o.jsonl").exists()


seen: list[Any] = []


@dataclass(frozen=True)
class Fruit(OptionGroup):
    heading: ClassVar[str] = "Fruit"

    apple: str = option("red", "The color of apples.")
    pears: tuple[str, ...] = option((), "The names of pears.")
    nuts: tuple[str, ...] = option((), "Texts of nuts.", multiple="verbatim")


@command
def one(fruit: Annotated[Fruit, Use(pears="One here.")]) -> None:
    seen.append(fruit)


@command
def several(fruit: Annotated[Fruit, Use(without="nuts", several="pears", defaults={"apple": "green"})]) -> None:
    seen.append(fruit)


def run(function: Any, *words: str) -> tuple[int, str, str]:
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(cls=GroupedCommand)(function)
    result = CliRunner().invoke(app, [*words])
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(
    ("function", "words", "expected"),
    [
        (one, (), Fruit("red", (), ())),
        (one, ("--pears", "a,b"), Fruit("red", ("a,b",), ())),
        (one, ("--nuts", "a,b", "--nuts", "c"), Fruit("red", (), ("a,b", "c"))),
        (several, ("--pears", "a, b", "--pears", "c"), Fruit("green", ("a", "b", "c"), ())),
        (several, ("--apple", "blue"), Fruit("blue", (), ())),
    ],
)
def test_a_command_gets_the_group_with_the_values(function: Any, words: tuple[str, ...], expected: Fruit) -> None:
    seen.clear()
    assert run(function, *words)[0] == 0
    assert seen == [expected]


def test_the_help_has_the_note_of_the_command() -> None:
    text = run(one, "--help")[1]
    assert "The names of pears. One here." in text
    assert one.notes == {"pears": "One here."}  # type: ignore[attr-defined]


@command
def many(
    fruit: Annotated[Fruit, Use("apple pears", later="apple")], wax: Annotated[str, Later("The wax.")] = "none"
) -> None:
    seen.append(fruit)


def test_help_shows_the_first_options_and_help_all_every_one_under_its_heading() -> None:
    code, text, _ = run(many, "--help")
    assert code == 0
    assert "--pears TEXT" in text
    assert "--apple" not in text
    assert "--wax" not in text
    assert text.rstrip().endswith("2 more options: many --help-all")
    code, text, _ = run(many, "--help-all")
    assert code == 0
    assert text.index("Options:") < text.index("--wax TEXT") < text.index("Fruit:") < text.index("--apple TEXT")
    assert "more options" not in text
    seen.clear()
    assert run(many, "--apple", "blue", "--wax", "thin")[0] == 0  # what is not shown can be given
    assert seen == [Fruit("blue", (), ())]


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
        with progress(allowed), bar(3, "work", "pair") as printed:
            printed.update(2)
            printed.update()
            printed.total = 5
            assert (printed.n, printed.total) == (3, 5)
        printed.close()
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
    with progress(True), bar(2, "work", "pair") as caught:
        printed: Any = caught
        printed.delay = 0
        printed.update(2)
        if hasattr(printed, "refresh"):
            printed.refresh()
    return type(printed).__name__


def test_a_kernel_that_is_no_terminal_shows_a_bar(kernel, monkeypatch):
    monkeypatch.setattr(sys, "stderr", kernel)
    assert show() != "Bar"
    assert "work" in kernel.getvalue()
    assert "2/2" in kernel.getvalue()


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


NAMES = ("gpt-4o-2024-08-06-with-retrieval-and-reranker-v2", "a name of words " * 6, "x" * 70, "東京" * 20)


@every("width", [48, 60, 76, 120])
def test_no_line_is_wider_than_the_terminal_no_number_is_cut_and_no_text_is_lost(width: int):
    numbers = ("1,234,567", "-0.075 [-0.295, +0.152]", "70 % [53, 83]", "0.100 to 0.250")
    header = ("system", "n", f"score of {NAMES[0]}", "share right", "interval", "prediction")
    table = TextTable("t", header, tuple((name, *numbers, name[::-1]) for name in NAMES), ("note",))
    lines = text_table(table, width)
    assert all(sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in line) <= width for line in lines)
    for number in numbers:
        assert sum(number in line for line in lines) == len(NAMES)
    assert sum(line.count("東") for line in lines) >= 2 * 20
    assert all(lines.count(title) == 1 for title in ("t", "note"))


def test_texts_are_parted_between_words_else_behind_punctuation_else_anywhere():
    assert text_table(TextTable("", ("system",), tuple((name,) for name in NAMES)), 30)[2:] == [
        "gpt-4o-2024-08-06-with-",
        "retrieval-and-reranker-v2",
        *["a name of words a name of", "words a name of words a name", "of words a name of words a", "name of words"],
        *["x" * 30, "x" * 30, "x" * 10],
        *["東京" * 7 + "東", "京東" * 7 + "京", "東京" * 5],
    ]


def test_a_table_without_rows_or_with_one_wide_column_is_printed():
    assert text_table(TextTable("", ("name", "value"), ()), 40) == ["name   value", "─" * 12]
    assert text_table(TextTable("", ("name",), (("a" * 40,),)), 4)[2:] == ["a" * 16, "a" * 16, "a" * 8]
