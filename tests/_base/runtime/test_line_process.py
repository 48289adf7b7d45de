import os

import pytest

from answersim._base.runtime.line_process import LineProcess

MODULE = """
import os, sys, time
from answersim._base.runtime.line_process import serve

def answers():
    for line in sys.stdin:
        word = line.strip()
        if word == "sleep":
            time.sleep(60)
        if word == "end":
            os._exit(3)
        print("noise that is no answer")
        yield f"{word} {os.getpid()}"

serve(answers())
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "echoing.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "echoing"


def test_lines_are_answered_by_one_other_process(module):
    process = LineProcess(module, 30)
    words = [process.answer(word).split() for word in ("a", "größer")]
    assert [word for word, _ in words] == ["a", "größer"]
    assert len({pid for _, pid in words}) == 1
    assert words[0][1] != str(os.getpid())


def test_a_line_without_end_is_stopped_at_the_limit_and_the_next_one_is_answered(module):
    process = LineProcess(module, 0.5)
    assert process.answer("sleep") is None
    assert process.answer("a").startswith("a ")


def test_a_process_that_ends_by_itself_is_an_error_that_names_the_line(module):
    process = LineProcess(module, 30)
    with pytest.raises(RuntimeError, match="exit code 3 at the line 'end'"):
        process.answer("end")
    assert process.answer("a").startswith("a ")


def test_a_module_that_cannot_start_is_an_error(tmp_path, monkeypatch):
    (tmp_path / "broken_module.py").write_text("import a_module_that_is_missing")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(RuntimeError, match="python -m broken_module"):
        LineProcess("broken_module", 30).answer("a")
