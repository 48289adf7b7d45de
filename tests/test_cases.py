"""A table as one test: all cases run, and each failure is listed."""

import inspect

import pytest

from tests.cases import every


def test_each_case_runs_and_each_failure_is_listed():
    seen = []

    @every("other", "ab")
    @every(("one", "two"), [(1, 1), (1, 2), (3, 4)])
    def check(one, two, other, fixture):
        seen.append((one, other, fixture))
        if one == 3:
            with pytest.raises(ValueError, match="raised by nothing"):
                pass
        assert one == two

    assert list(inspect.signature(check).parameters) == ["fixture"]
    with pytest.raises(pytest.fail.Exception, match=r"2 of 2 cases fail:\n\('a',\): .*2 of 3 cases fail") as failure:
        check(fixture=None)
    assert seen == [(one, other, None) for other in "ab" for one in (1, 1, 3)]
    assert "(3, 4): Failed: DID NOT RAISE" in str(failure.value)


def test_a_table_without_cases_and_one_with_marks_are_errors():
    with pytest.raises(AssertionError, match="there is no case of one"):
        every("one", [])
    with pytest.raises(AssertionError, match="a case has no marks"):
        every("one", [1, pytest.param(2, marks=pytest.mark.slow)])
