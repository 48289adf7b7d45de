"""Runs: what a ranker says, and TREC files that come back as they went."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankers import fit
from rankers.evaluation import runs, ties
from rankers.types import Candidate, FloatArray, Question, Questions, Run
from tests.cases import every
from tests.rankers.made_questions import made

IDS = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_characters="\x7f"), min_size=1, max_size=8)
SCORES = st.floats(allow_nan=False, allow_infinity=False)


class Longest:
    """The longer an answer, the better."""

    signature = "longest|unit:characters"

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]], /) -> list[FloatArray]:
        assert len(questions) == len(candidates)
        return [np.array([float(len(text)) for text in candidate]) for candidate in candidates]


def test_a_run_holds_each_candidates_score_by_the_ids():
    result = runs.run(Longest(), made({"a": 0, "bbb": 0}, {}, {"cc": 0}))
    assert result == Run("longest", {"q0": {"c0": 1.0, "c1": 3.0}, "q1": {}, "q2": {"c0": 2.0}}, Longest.signature)
    assert runs.run(Longest(), made({"a": 0}), "mine").name == "mine"


def test_what_are_no_questions_is_refused():
    with pytest.raises(TypeError, match="questions is 'q'"):
        runs.run(Longest(), "q")  # type: ignore[arg-type]


@every(
    ("given", "complaint"),
    [
        ([], "scored 0 questions of 1"),
        ([np.array([1.0])], "returned 1 scores for the 2 candidates of 'q0'"),
        ([np.array([1.0, np.nan])], "gave nan to candidate 1 of question 'q0'"),
        ([np.array([np.inf, 1.0])], "gave inf to candidate 0 of question 'q0', 'c0'"),
        ([np.array([[1.0, 2.0]])], r"returned scores of shape \(1, 2\)"),
    ],
)
def test_a_ranker_that_breaks_its_promise_is_named(given, complaint):
    class Broken(Longest):
        def score(self, *_):
            return given

    with pytest.raises(ValueError, match=complaint) as error:
        runs.run(Broken(), made({"a": 0, "b": 0}))
    assert Longest.signature in str(error.value)


@given(scores=st.dictionaries(IDS, st.dictionaries(IDS, SCORES, min_size=1, max_size=4), min_size=1, max_size=4))
@settings(max_examples=50, deadline=None)
@pytest.mark.parametrize("ending", ["trec", "gz"])
def test_a_run_comes_back_from_its_file_to_the_last_digit(tmp_path_factory, ending, scores):
    path = tmp_path_factory.mktemp("runs") / f"run.{ending}"
    runs.write_trec(Run("one", scores), path)
    assert runs.read_trec(path) == Run("one", scores)


def test_a_file_lists_the_best_first_with_ranks_from_1(tmp_path):
    runs.write_trec(Run("one", {"q": {"b": 0.1, "a": 1 / 3, "c": -2.0}}), tmp_path / "run")
    assert (tmp_path / "run").read_text() == ("q Q0 a 1 0.3333333333333333 one\nq Q0 b 2 0.1 one\nq Q0 c 3 -2.0 one\n")
    scores = dict.fromkeys("abcdefgh", 1.0)
    for seed in (0, 1):  # equal scores are in the order in which they count
        runs.write_trec(Run("one", {"q": scores}), tmp_path / "run", ties_seed=seed)
        documents = [line.split()[2] for line in (tmp_path / "run").read_text().splitlines()]
        assert documents == ties.order("q", scores, seed)


def test_the_score_decides_and_the_rank_is_not_read(tmp_path):
    (tmp_path / "run").write_bytes(b"\xef\xbb\xbfq Q0 d x 0.5 one\r\n\r\nq\tQ0\te\t9\t1e-3\tone")
    assert runs.read_trec(tmp_path / "run") == Run("one", {"q": {"d": 0.5, "e": 0.001}})
    (tmp_path / "run.txt").write_bytes(gzip.compress(b"q Q0 d 1 0.5 one\n", mtime=0))  # known by its bytes
    assert runs.read_trec(tmp_path / "run.txt").scores == {"q": {"d": 0.5}}


TREC, GRADES = runs.read_trec, runs.read_qrels


@pytest.mark.parametrize(
    ("read", "text", "complaint"),
    [
        (TREC, b"q Q0 d 1 2 one\nq Q0 e 2 0.4\n", "line 2: 5 fields, but it must be 'question Q0 document rank score"),
        (TREC, b"q Q0 d 1 high one\n", "line 1: the score is 'high', but it must be a finite number"),
        (TREC, b"q Q0 d 1 nan one\n", "line 1: the score is 'nan'"),
        (TREC, b"q Q0 d 1 1e999 one\n", "line 1: the score is '1e999'"),
        (TREC, b"q Q0 d 1 2 one\np Q0 d 1 2 one\nq Q0 d 2 1 one\n", "line 3: 'd' occurs twice under question 'q'"),
        (TREC, b"q Q0 \xe9 1 2 one\n", "line 1: not UTF-8"),
        (TREC, b"\n", "contains no line"),
        (TREC, gzip.compress(b"q Q0 d 1 2 one\n", mtime=0)[:-9], "is damaged"),
        (GRADES, b"q 0 d 1\nq 0 e\n", "line 2: 3 fields, but it must be 'question iteration document grade'"),
        (GRADES, b"q 0 d 1.5\n", "line 1: the grade is '1.5', but it must be a whole number"),
        (GRADES, b"q 0 d 1\nq 0 d 1\n", "line 2: 'd' occurs twice under question 'q'"),
        (GRADES, b"", "contains no line"),
    ],
)
def test_a_flaw_in_a_file_is_an_error_with_its_line(tmp_path, read, text, complaint):
    (tmp_path / "read").write_bytes(text)
    with pytest.raises(ValueError, match="read") as error:
        read(tmp_path / "read")
    assert complaint in str(error.value)
    with pytest.raises(FileNotFoundError, match=r"no file at .*none; give a TREC file of lines 'question "):
        read(tmp_path / "none")


@pytest.mark.parametrize(
    ("write", "content"),
    [
        (runs.write_trec, Run("two words", {"q": {"d": 1.0}})),
        (runs.write_trec, Run("", {"q": {"d": 1.0}})),
        (runs.write_trec, Run("one", {"": {"d": 1.0}})),
        (runs.write_trec, Run("one", {"q": {"d\te": 1.0}})),
        (runs.write_trec, Run("one", {"q": {"d": float("nan")}})),
        (runs.write_qrels, {"q": {"a b": 1}}),
    ],
)
def test_what_the_format_cannot_hold_is_refused_and_the_old_file_stays(tmp_path, write, content):
    path = tmp_path / "run"
    path.write_text("old")
    with pytest.raises(ValueError, match=r"white space|finite|a document's id is 'a b'"):
        write(content, path)
    assert path.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_grades_come_back_and_those_below_0_stay(tmp_path):
    grades = {"q1": {"a": 3, "b": -2}, "q2": {"a": 0}}
    runs.write_qrels(grades, tmp_path / "qrels.gz")
    assert runs.read_qrels(tmp_path / "qrels.gz") == grades


GOOD = Candidate("a", "Ann", 1)


def asked(text: Any, *pool: Candidate) -> Question:
    return Question("q1", text, pool)


MALFORMED = [
    ((asked(" ", GOOD),), ValueError, "the text of question 'q1' is ' ', but an empty text cannot be ranked"),
    ((asked(None, GOOD),), TypeError, "the text of question 'q1' is None (NoneType)"),
    ((asked("Who?", Candidate("a", "", 0)),), ValueError, "the text of candidate 'a' of question 'q1' is ''"),
    ((asked("Who?", Candidate("a", 3, 0)),), TypeError, "the text of candidate 'a' of question 'q1' is 3"),
    ((asked("Who?", Candidate("a", "\ud800", 0)),), ValueError, "contains half a surrogate pair"),
    ((asked("Who?", Candidate("a", "Ann", 0.5)),), TypeError, "the grade of candidate 'a' of question 'q1'"),
    ((asked("Who?", Candidate("a", "Ann", -1)),), ValueError, "must be 0 (not relevant) or more"),
    ((asked("Who?", GOOD, GOOD),), ValueError, "two candidates of 'q1' have the id 'a'"),
    ((asked("Who?", GOOD), asked("Why?", GOOD)), ValueError, "two questions have the id 'q1'"),
]


@pytest.mark.parametrize(("items", "kind", "says"), MALFORMED)
def test_malformed_questions_are_named_before_any_scoring_or_training(items, kind, says, tmp_path):
    class Unused:
        signature = "unused"

        def score(self, questions, candidates):
            raise AssertionError("nothing is scored")

    questions = Questions("made", "test", items)
    calls = lambda: runs.run(Unused(), questions), lambda: fit("man", questions, questions, folder=tmp_path / "f")
    for call in calls:
        with pytest.raises(kind) as caught:
            call()
        assert says in str(caught.value)
    assert not (tmp_path / "f").exists()
