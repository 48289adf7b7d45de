"""Equality of LaTeX by sympy in another process."""

import threading

import pytest

from answersim._base.errors import MissingExtraError
from answersim._base.runtime.line_process import LineProcess
from answersim.metrics.official import latex_equality


@pytest.fixture
def with_sympy():
    try:
        latex_equality.check_installed()
    except MissingExtraError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("2^{10}", "1024", True), ("x=1", "x=1", False), ("", "", False), ("\\frac{", "\\frac{", False)],
)
def test_what_cannot_be_parsed_or_subtracted_differs_from_itself(with_sympy, one, other, expected):
    assert latex_equality.equal(one, other) is expected


def test_an_endless_comparison_is_different_on_any_thread(with_sympy, monkeypatch):
    monkeypatch.setattr(latex_equality, "_PROCESS", LineProcess("answersim.metrics.official.latex_equality", 1.0))
    results = []
    thread = threading.Thread(target=lambda: results.append(latex_equality.equal("7^{9^{9^{9}}}", "1")))
    thread.start()
    thread.join()
    assert results == [False]


def test_another_version_of_the_parser_is_an_error_too(monkeypatch):
    latex_equality.check_installed.cache_clear()
    monkeypatch.setattr(latex_equality, "version", lambda package: "4.9.3")
    with pytest.raises(MissingExtraError, match="math"):
        latex_equality.check_installed()
    latex_equality.check_installed.cache_clear()
