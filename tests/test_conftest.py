"""What may not be missing in CI: a skip for it is a failure there, and every other skip stays one."""

import pytest

from tests.conftest import _missing_is_a_failure

PAPER = "needs the paper's sets: set ANSWERSIM_DATA to the folder that contains sas/"
SKIPS = (
    ("data", PAPER, "failed"),
    ("wordnet,data", PAPER, "failed"),
    ("wordnet", PAPER, "skipped"),
    ("", PAPER, "skipped"),
    ("wordnet", "needs Debian's WordNet (apt-get install wordnet-base)", "failed"),
    ("libraries", "could not import 'peft': No module named 'peft'", "failed"),
    ("libraries", "needs the extra `report`", "failed"),
    ("libraries", "could not import 'tomllib': No module named 'tomllib'", "skipped"),
    ("libraries", "needs the extra 'ray'", "skipped"),
    ("libraries,data,wordnet", "there is no fork there", "skipped"),
)


@pytest.mark.parametrize(("required", "reason", "outcome"), SKIPS)
def test_a_skip_for_what_is_required_is_a_failure(required, reason, outcome, monkeypatch):
    monkeypatch.setenv("ANSWERSIM_REQUIRE", required)
    report = pytest.TestReport("id", ("a.py", 1, "a"), {}, "skipped", ("a.py", 1, f"Skipped: {reason}"), "call")
    after = _missing_is_a_failure(report)
    assert after.outcome == outcome
    assert reason in str(after.longrepr)
    assert ("may not be missing" in str(after.longrepr)) == (outcome == "failed")
