from __future__ import annotations

import collections
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rankers.data import load
from rankers.data.yahooqa import unpickle

SPLITS = {"train": {"who?": [["Ann", 1], ["Bob", 0]]}, "dev": {"when?": [["now", 1]]}, "test": {}}
OLD = b"(dp0\nS'caf\xc3\xa9'\np1\n(lp2\n(lp3\nS'a'\naI1\naas."  # Python 2: {'café': [['a', 1]]}


class Evil:
    """What a malicious pickle looks like: it runs a command when it is loaded."""

    def __init__(self, call: Any, *arguments: Any) -> None:
        self.call, self.arguments = call, arguments

    def __reduce__(self) -> Any:
        return self.call, self.arguments


@pytest.fixture
def file(tmp_path: Path) -> Callable[[Any], Path]:
    def write(content: Any) -> Path:
        path = tmp_path / "ranking" / "yahooqa" / "yahooqa.pkl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else pickle.dumps(content))
        return path

    return write


def test_a_split_is_a_dictionary_of_questions(file: Callable[[Any], Path], tmp_path: Path) -> None:
    file(SPLITS)
    questions = load("yahooqa", "train", home=tmp_path, check=False)
    assert [(question.text, {(c.text, c.grade) for c in question.candidates}) for question in questions] == [
        ("who?", {("Ann", 1), ("Bob", 0)})
    ]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("content", [SPLITS, {"a": (1, 2.5, {"x"}, frozenset({1}), b"y", True, None)}])
def test_builtin_containers_are_read_in_every_protocol(
    file: Callable[[Any], Path], protocol: int, content: Any
) -> None:
    if protocol < 3:
        content = SPLITS  # older protocols write bytes with the help of _codecs.encode
    assert unpickle(file(pickle.dumps(content, protocol))) == content


def test_text_of_python_2_is_read(file: Callable[[Any], Path]) -> None:
    assert unpickle(file(OLD)) == {"café": [["a", 1]]}
    with pytest.raises(ValueError, match="not ascii; give another encoding"):
        unpickle(file(OLD), "ascii")


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (lambda path: Evil(path.touch), "getattr|pathlib"),
        (lambda _: Evil(eval, "1 + 1"), "builtins.eval"),
        (lambda _: Evil(getattr, "a", "upper"), "builtins.getattr"),
        (lambda _: Evil(__import__, "os"), "builtins.__import__"),
        (lambda _: Evil(open, "x"), "open"),
        (lambda _: {"train": {"q": [[collections.OrderedDict(), 1]]}}, "collections.OrderedDict"),
        (lambda _: b"cos\nsystem\n(S'true'\ntR.", "os.system"),
        (lambda _: b"cevil\ndict\n(tR.", "evil.dict"),
        (lambda _: b"cbuiltins\ndict.fromkeys\n(]tR.", "dict.fromkeys"),
        (lambda _: b"\x80\x04\x8c\x08builtins\x8c\x0cstr.__init__\x93.", "str.__init__"),
    ],
)
def test_a_malicious_pickle_is_refused_by_name(
    file: Callable[[Any], Path], tmp_path: Path, content: Callable[[Path], Any], named: str
) -> None:
    touched = tmp_path / "touched"
    with pytest.raises(ValueError, match=rf"is refused: it needs .*({named})"):
        unpickle(file(content(touched)))
    assert not touched.exists()


@pytest.mark.parametrize("content", [b"", b"no pickle", pickle.dumps(SPLITS)[:-9], b"\x80\x04P1\n."])
def test_a_damaged_pickle_is_refused(file: Callable[[Any], Path], content: bytes) -> None:
    with pytest.raises(ValueError, match="is refused"):
        unpickle(file(content))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ([1], "must be a dictionary of splits with 'train'; it contains: list"),
        ({"dev": {}}, "must be a dictionary of splits with 'train'; it contains: ..dev"),
        ({"train": []}, "a split must be a dictionary of questions, not list"),
        ({"train": {"q": [["a"]]}}, "question 'q': .* is not .answer, label."),
        ({"train": {"q": [["a", "b"]]}}, "question 'q': the label is 'b'"),
    ],
)
def test_another_shape_is_named(file: Callable[[Any], Path], tmp_path: Path, content: Any, complaint: str) -> None:
    file(content)
    with pytest.raises(ValueError, match=complaint):
        load("yahooqa", "train", home=tmp_path, check=False)


def test_the_published_counts_are_checked(file: Callable[[Any], Path], tmp_path: Path) -> None:
    file(SPLITS)
    with pytest.raises(ValueError, match=r"yahooqa\.pkl contains 1 questions, but yahooqa \(train\) has 50,112"):
        load("yahooqa", "train", home=tmp_path)


def fives(*questions: str) -> str:
    return "".join(f"{q}#answer {i} to {q}#{int(i == 4)}\n" for q in questions for i in range(5))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a#b\n", "line 1: 2 cells, but each line must be question#answer#label"),
        ("a#b#c#0\n", "line 1: 4 cells"),
        (fives("who") + "who#x#0\nwhen#y#0\n", "line 7: another question, but each must have 5 lines"),
        (fives("who") + "when#y#0\n", "ends within a question: each must have 5 lines, but the last one has 1"),
    ],
)
def test_lines_that_are_no_groups_of_five_are_named(put: Callable[[str, str], Path], text: str, complaint: str) -> None:
    put("yahoocqa-small/train.txt", fives("where"))
    with pytest.raises(ValueError, match=rf"test\.txt,? {complaint}"):
        load("yahoocqa-disjoint", "test", home=put("yahoocqa-small/test.txt", text), check=False)
