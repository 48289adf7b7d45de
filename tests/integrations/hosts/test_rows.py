"""Every host shows the same of the same rows: scores, verdicts, reasons, signatures, limits, errors.

A host is a row of the table ``WAYS``. What it alone does is tested in a file of its own. The lines of the guide work:
with the names that they need, the expected values come out.
"""

from importlib.util import find_spec
from typing import Any

import pytest

import answersim
from tests.integrations.hosts import calls
from tests.integrations.hosts.calls import LINES, WAYS, Lines, Way
from tests.integrations.hosts.contract import (
    F1,
    ONE_GOLD,
    PASSED,
    ROWS,
    THRESHOLD,
    VALUES,
    Constant,
    Raising,
    lines_of,
    of_encoder,
    pasted,
)

HERE = [way for way in WAYS if find_spec(way.host)]  # `make test-hosts` has an environment per host


def of(ways: Any) -> Any:
    """Run a test on these ways."""
    return pytest.mark.parametrize("way", list(ways), ids=str)


@pytest.fixture(autouse=True)
def _store(request: pytest.FixtureRequest) -> None:
    stated = request.node.callspec.params.values() if hasattr(request.node, "callspec") else ()
    if any("mlflow" in (getattr(value, "host", ""), getattr(value, "library", "")) for value in stated):
        request.getfixturevalue("mlflow_store")


def rows_of(way: Way) -> Any:
    return ROWS if way.several else ONE_GOLD


@of(HERE)
def test_a_row_has_its_score_verdict_reason_and_signature(way: Way) -> None:
    rows = rows_of(way)
    seen = way.call(rows, "f1", threshold=THRESHOLD)
    assert [entry.error for entry in seen] == [""] * len(rows)
    assert [entry.value for entry in seen] == pytest.approx([row.value for row in rows])
    words, passed = [row.verdict for row in rows], [row.verdict == "equivalent" for row in rows]
    assert [entry.verdict for entry in seen] == {"word": words, "passed": passed, "": [None] * len(rows)}[way.verdict]
    assert {entry.signature for entry in seen} == {F1}
    if way.reason:
        assert all(entry.reason.endswith(f"signature: {F1}") for entry in seen)
        assert "nearest of 2 gold answers: 'Roma'" in seen[1].reason
    else:
        assert {entry.reason for entry in seen} == {""}


@of(way for way in HERE if way.missing)
def test_a_missing_prediction_scores_0_with_the_reason(way: Way) -> None:
    first, second = way.call((ROWS[0]._replace(prediction=None), ROWS[1]), "f1", threshold=THRESHOLD)
    assert (first.value, second.value) == (0.0, 1.0)
    assert first.verdict == {"word": "different", "passed": False, "": None}[way.verdict]
    if way.reason:
        assert "there is no prediction" in first.reason


@of(way for way in HERE if way.objects)
@pytest.mark.parametrize("value", [1.5, -0.5])
def test_a_score_outside_0_to_1_is_passed_on_clipped_or_refused_and_its_verdict_is_of_the_raw_score(
    way: Way, value: float
) -> None:
    clipped = min(1.0, max(0.0, value))
    row = rows_of(way)[:1]
    (seen,) = way.call(row, Constant(value), threshold=0.25)
    assert seen.value == (clipped if way.limits == "clip" else value)
    assert (
        seen.verdict == {"word": "equivalent" if value > 0 else "different", "passed": value > 0, "": None}[way.verdict]
    )
    (seen,) = way.call(row, Constant(value), threshold=0.25, limits="clip")
    assert seen.value == clipped
    assert f"(clipped from {value:.4f})" in seen.reason or not way.reason
    check_failure(way, row, Constant(value), "accepts scores from 0 to 1 only", threshold=0.25, limits="refuse")


@of(way for way in HERE if way.objects)
def test_an_error_is_that_of_its_row(way: Way) -> None:
    if way.errors == "raised":
        check_failure(way, Raising.rows, Raising(), "this prediction is broken", threshold=THRESHOLD)
        seen = way.call(Raising.rows[::2], Raising(), threshold=THRESHOLD)  # the next call works
        assert [entry.value for entry in seen] == [0.5, 0.5]
        return
    seen = way.call(Raising.rows, Raising(), threshold=THRESHOLD)
    assert [entry.value for entry in seen] == [0.5, None, 0.5]
    if way.errors == "shown":
        assert "this prediction is broken" in seen[1].error


def check_failure(way: Way, rows: Any, metric: Any, message: str, **settings: Any) -> None:
    """Check that the host shows an error with this message in its way."""
    if way.errors == "raised" or message == "'threshold'":  # deepeval begins no evaluation without one
        with pytest.raises(Exception, match=message):
            way.call(rows, metric, **settings)
        return
    (seen,) = way.call(rows, metric, **settings)
    assert seen.value is None
    if way.errors == "shown":
        assert message in seen.error


@of(HERE)
def test_without_a_rule_there_is_no_verdict_or_a_host_that_needs_one_says_so(way: Way) -> None:
    row = ROWS[1] if way.several else ONE_GOLD[0]
    if way.needs_verdict:
        check_failure(way, [row], "bleu", way.needs_verdict)
        return
    (seen,) = way.call([row], "bleu")
    assert (seen.value, seen.verdict) == (answersim.score(row.golds, row.prediction, "bleu"), None)


@of(way for way in HERE if way.encoder)
def test_an_encoder_scores_the_rows_as_the_package_does(way: Way) -> None:
    expected = of_encoder("bertscore-names")  # it reads no question
    assert [entry.value for entry in way.call(ROWS, "bertscore-names", threshold=THRESHOLD)] == expected


HELD = [lines for lines in LINES if find_spec(lines.library)]


@pytest.mark.parametrize("lines", HELD, ids=[lines.library for lines in HELD])
def test_the_lines_of_the_guide_work(lines: Lines, request: pytest.FixtureRequest, capsys: Any, tmp_path: Any) -> None:
    if lines.library == "evaluate":
        request.getfixturevalue("monkeypatch").setattr("evaluate.config.HF_METRICS_CACHE", tmp_path)
    names = pasted(lines.section, **lines.names())
    assert lines.shown(names, capsys.readouterr().out) == lines.expected


def test_the_lines_of_promptfoo_work() -> None:
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    (stated,) = yaml.safe_load(lines_of("promptfoo"))["defaultTest"]["assert"]
    assert (stated["type"], stated["value"]) == ("python", "file://check.py")
    seen = calls.promptfoo(ROWS, **stated["config"])
    assert [(entry.value, entry.verdict) for entry in seen] == list(zip(VALUES, PASSED, strict=True))
