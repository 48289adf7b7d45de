"""The page "Use it from ...": its lines run, as far as this environment has the libraries."""

import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "integrations.md").read_text(encoding="utf-8")


def pasted(section: str, module: str, block: int = 0, **names: Any) -> dict[str, Any]:
    """Run the Python lines of one block of a section, and return all names after that."""
    pytest.importorskip(module, reason=f"could not import {module!r}")
    (text,) = re.findall(rf"^## {section}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    code = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[block]
    exec(compile(code, f"the lines for {section}", "exec"), names)
    return names


def test_pytest():
    pasted("pytest", "pytest")["test_capital"]()


def test_pytest_of_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i},q{i},Rome,{'Rome' if i % 20 else 'Oslo'}\n" for i in range(400))
    for name in ("july.csv", "august.csv"):
        Path(name).write_text(f"id,question,gold,pred\n{rows}")
    test = pasted("pytest", "pytest", 1)["test_release"]
    test()
    Path("august.csv").write_text("id,question,gold,pred\n" + rows.replace(",Rome\n", ",Bern\n", 200))
    with pytest.raises(AssertionError, match="### Fail: august"):
        test()


def test_the_failure_on_the_page_is_the_one_of_the_plug_in():
    from answersim.integrations.pytest_plugin import assert_equivalent

    with pytest.raises(AssertionError) as caught:
        assert_equivalent("Milan", "Rome", question="Which city is the capital of Italy?", metric="recall")
    assert f"AssertionError: {caught.value}\n" in PAGE


def test_each_format_of_logs_is_on_the_page():
    from answersim.answers.logs.formats import FORMATS

    page = (DOCS / "files.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([\w-]+)` \| `", page, re.MULTILINE) == list(FORMATS)
