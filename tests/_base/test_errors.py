"""Errors name a pair by its position in the whole; warnings carry counts as numbers and name the line of the user."""

import pickle
import re
import threading
import warnings
from contextlib import suppress
from pathlib import Path

import pytest

import answersim
from answersim._base.errors import (
    DetectedLanguageWarning,
    EmptyReferencesWarning,
    ExtractionWarning,
    NonFiniteScoreError,
    SkippedRowsWarning,
    TruncationWarning,
    deferred_warnings,
    renumbered,
    warn_user,
)
from answersim.types import Pair
from tests.cases import every

LONG = "in regions of new growth " * 100


WARNINGS = [
    (TruncationWarning(3, "pairs", "sas|v:1"), "3 pairs were longer than"),
    (ExtractionWarning(2, 3000, "boxed", "empty"), "no final answer in 2 of 3,000 predictions; they are read as empty"),
    (EmptyReferencesWarning(1, Path("x.csv"), 1234), "x.csv: 1 empty part of gold answers left out, .* in row 1,234"),
    (EmptyReferencesWarning(1200, Path("x.csv"), 8), "1,200 empty parts of gold answers"),
    (SkippedRowsWarning(1000, 2000, "row 2: 'pred' is null"), "1,000 of 2,000 rows are left out: row 2: 'pred' is"),
    (DetectedLanguageWarning("de", "German", 5, 9, "f1", "give --lang de"), "German, but f1 reads .*; give --lang de"),
]


@every(("warning", "message"), WARNINGS)
def test_a_warning_has_counts_as_numbers_and_survives_pickling(warning, message):
    copy = pickle.loads(pickle.dumps(warning))
    assert tuple(vars(copy).values()) == warning.args
    assert str(copy) == str(warning)
    assert re.search(message, str(copy))


@pytest.mark.parametrize("filters", ["always", "error"])
def test_a_warning_issued_once_per_place_is_raised_each_time_by_the_error_filter(filters):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(filters)  # type: ignore[arg-type]
        for _ in range(3):
            with suppress(UserWarning):
                warn_user(UserWarning(f"once, by the filter {filters}"), once=True)
                caught.append("issued")  # type: ignore[arg-type] # not reached if it is raised
    assert len(caught) == {"always": 1 + 3, "error": 0}[filters]


@pytest.mark.parametrize("depth", ["metric", "score", "score_pairs"])
def test_a_truncation_warning_names_the_line_of_the_user_whatever_the_depth(depth, tiny):
    pytest.importorskip("torch")
    metric = answersim.metric("bi-encoder", model=tiny())
    calls = {
        "metric": lambda: metric([Pair(LONG, "x")]),
        "score": lambda: answersim.score(LONG, "x", metric),
        "score_pairs": lambda: answersim.score_pairs([(LONG, "x")], [metric]),
    }
    with pytest.warns(TruncationWarning) as caught:
        calls[depth]()
    (warning,) = caught
    assert isinstance(warning.message, TruncationWarning)
    assert (warning.filename, warning.message.count) == (__file__, 1)


def test_deferred_warnings_are_collected_and_issued_later():
    with deferred_warnings() as collected:
        warn_user(TruncationWarning(1, "texts", "a"))
        with deferred_warnings() as inner:
            warn_user(TruncationWarning(2, "texts", "b"))
    assert [str(each) for each in (*collected, *inner)] == [str(TruncationWarning(*count)) for count in _COUNTS]
    with pytest.warns(TruncationWarning, match="1 texts"):
        warn_user(collected[0])


_COUNTS = ((1, "texts", "a"), (2, "texts", "b"))


def test_deferred_warnings_of_one_thread_do_not_take_those_of_another():
    def collect() -> None:
        with deferred_warnings() as collected:
            inside.set()
            done.wait()
        kept.extend(collected)

    inside, done, kept = threading.Event(), threading.Event(), list[Warning]()
    thread = threading.Thread(target=collect)
    thread.start()
    inside.wait()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_user(TruncationWarning(1, "texts", "a"))
    done.set()
    thread.join()
    assert len(caught) == 1
    assert not kept


def test_a_non_finite_score_is_named_with_its_pair_shortened_and_its_metric():
    error = NonFiniteScoreError(4, float("inf"), "mine|v:1", "g" * 100, "p")
    assert isinstance(error, ValueError)
    assert str(error).startswith(
        f"the score of pair 5 (gold '{'g' * 57}...', prediction 'p') is inf, but a score is a "
    )
    assert "(mine|v:1)" in str(error)
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.index, copy.score, str(copy)) == (4, float("inf"), str(error))


@every(("positions", "expected"), [(0, 1), (100, 101), ([7, 3], 3)])
def test_the_position_is_that_of_the_whole(positions, expected):
    with pytest.raises(NonFiniteScoreError) as caught, renumbered(positions):
        raise NonFiniteScoreError(1, float("nan"), "mine|v:1", "a", "b")
    assert caught.value.index == expected
    assert f"pair {expected + 1} " in str(caught.value)
