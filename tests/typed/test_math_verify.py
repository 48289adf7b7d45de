"""The metric math-verify, with a child that has a stand-in for the package; the real one if it is installed."""

import threading
from importlib.metadata import PackageNotFoundError

import pytest

import answersim
from answersim.catalog import lookup
from answersim.doctor.study import examine
from answersim.errors import MissingExtraError
from answersim.runtime.line_process import LineProcess
from answersim.typed import latex_equality, math_verify

STAND_IN = """
import time

def parse(text, parsing_timeout):
    assert parsing_timeout is None
    if "sleep" in text:
        time.sleep(60)
    return [] if "?" in text or ("dollars" in text and "$" in text) else [text.strip("$")]

def verify(golds, preds, timeout_seconds):
    assert timeout_seconds is None
    return golds == preds
"""


@pytest.fixture
def metric(tmp_path, monkeypatch):
    (tmp_path / "math_verify.py").write_text(STAND_IN)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(math_verify, "check_installed", lambda: "0.9.0+sympy1.14.0")
    monkeypatch.setattr(math_verify, "_PROCESS", LineProcess("answersim.typed.math_verify", 1.0))
    math_verify.verified.cache_clear()
    yield answersim.metric("math-verify")
    math_verify.verified.cache_clear()


def test_answers_are_decided_in_another_process_which_is_killed_at_its_limit(metric):
    pairs = [("1", "1"), ("1", "2"), ("1", "sleep"), ("$1$", "1"), ("5 dollars", "5 dollars")]
    results: list[float] = []
    thread = threading.Thread(target=lambda: results.extend(metric(pairs).tolist()))
    thread.start()
    thread.join()
    assert results == [1.0, 0.0, 0.0, 1.0, 1.0]


def test_gold_answers_that_cannot_be_read_are_counted(metric):
    with pytest.warns(UserWarning, match="cannot read 1 of 2 gold answers"):
        assert metric([("?", "1"), ("1", "1")]).tolist() == [0.0, 1.0]


def test_it_is_a_metric_of_its_own(metric):
    assert metric.signature == "math-verify|version:0.9.0+sympy1.14.0|limit:5|rev:1"
    scores = answersim.score(["1", "1"], ["1", "2"], metric="math-verify", calibration="shipped")
    assert list(scores.verdicts) == ["equivalent", "different"]
    report = examine("math-verify", attacked=0, properties=False)
    assert [row.name for row in report.metrics] == ["math-verify"]
    assert "math-verify" not in answersim.names()
    assert lookup.entry("math-verify").kind == "lexical"


def test_without_the_extra_the_error_names_it(monkeypatch):
    math_verify.check_installed.cache_clear()
    monkeypatch.setattr(latex_equality, "check_installed", lambda: "1.14.0")

    def missing(package):
        raise PackageNotFoundError(package)

    monkeypatch.setattr(math_verify, "version", missing)
    with pytest.raises(MissingExtraError, match="math"):
        answersim.metric("math-verify")
    math_verify.check_installed.cache_clear()


def test_the_real_package_decides_examples(monkeypatch):
    monkeypatch.setattr(math_verify, "_PROCESS", LineProcess("answersim.typed.math_verify", 2.0))
    try:
        built = answersim.metric("math-verify")
    except MissingExtraError as error:
        pytest.skip(str(error))
    pairs = [(r"\frac12", "0.5"), ("x^2+1", "1+x^2"), ("72", "27"), ("1", "7^{9^{9^{9}}}")]
    assert built(pairs).tolist() == [1.0, 1.0, 0.0, 0.0]
