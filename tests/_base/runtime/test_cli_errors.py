"""What a user can mend is one line and an exit status; what is our fault keeps its traceback."""

import errno
import json
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from answersim._base.runtime.cli_errors import one_line, user_errors
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
