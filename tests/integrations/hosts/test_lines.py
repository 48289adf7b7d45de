"""The lines of the guide work, host by host: with the names that they need, the expected values come out."""

from importlib.util import find_spec
from typing import Any

import pytest

from tests.integrations.hosts import calls
from tests.integrations.hosts.calls import LINES, Lines
from tests.integrations.hosts.contract import PASSED, ROWS, VALUES, lines_of, pasted


@pytest.mark.parametrize("lines", [lines for lines in LINES if find_spec(lines.library)], ids=lambda lines: lines[0])
def test_the_lines_of_the_guide_work(lines: Lines, request: pytest.FixtureRequest, capsys: Any, tmp_path: Any) -> None:
    if lines.library == "mlflow":
        request.getfixturevalue("mlflow_store")
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
