"""From values to a page: nothing in a text ends an element, and what cannot be written is refused before any work."""

import json
import math

import pytest

pytest.importorskip("jinja2", reason="needs the extra `report`")

from answersim.report import rendering
from answersim.report.rendering import check_page, embedded, settings_shown, write_page
from tests.cases import every

EVIL = "</script><script>alert(1)</script><!--<b onload='x'>&\u2028\"'"


def test_embedded_json_is_read_back_and_ends_no_element():
    shown = embedded({"a": EVIL, "b": [1.5, None]})
    assert json.loads(shown) == {"a": EVIL, "b": [1.5, None]}
    assert not set("<>&") & set(shown)
    with pytest.raises(ValueError, match="JSON"):
        embedded(math.nan)


@pytest.mark.parametrize("missing", ["jinja2", "matplotlib"])
def test_without_a_library_the_extra_is_named(missing, monkeypatch):
    monkeypatch.setattr(rendering, "find_spec", lambda name: None if name == missing else object())
    with pytest.raises(ImportError, match=r"\.\[report\]"):
        rendering.ready()


@every("script", rendering.SCRIPTS)
def test_a_script_builds_no_markup_and_runs_no_text(script):
    text = rendering._resource(script)
    for forbidden in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
        "fetch(",
    ):
        assert forbidden not in text


def test_settings_that_are_empty_are_not_shown():
    shown = settings_shown({"resamples": 100, "by": [], "cut": None, "raters": ["a", "b"]})
    assert list(shown)[:2] == ["resamples", "raters"]
    assert shown["raters"] == "a, b"


def test_a_page_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(ValueError, match="a report is an HTML file"):
        check_page(tmp_path / "report.txt")
    with pytest.raises(FileNotFoundError, match="no folder to write it in"):
        check_page(tmp_path / "nowhere" / "report.html")
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match="give the name of a folder"):
        check_page(tmp_path / "report.html", tmp_path / "file")
    check_page(tmp_path / "report.html", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_half_a_surrogate_pair_is_replaced(tmp_path):
    assert write_page("a\ud800b", tmp_path / "a.html", "1 pair").endswith("a.html (0.0 MB, 1 pair)")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == "a?b"
