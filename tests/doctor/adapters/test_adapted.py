"""What the adapters share."""

import sys
from pathlib import Path

import pytest

from answersim.doctor.adapters import adapted


def test_a_missing_package_is_an_error_with_the_line_that_installs_it():
    with pytest.raises(ModuleNotFoundError, match="pip install 'gone-dist'") as caught:
        adapted.imported("gone_library_of_a_test.part", "gone-dist")
    assert caught.value.name == "gone_library_of_a_test"


def test_a_package_with_a_missing_requirement_is_not_a_missing_package(tmp_path, monkeypatch):
    (tmp_path / "broken_library_of_a_test.py").write_text("import gone_requirement_of_a_test\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(ImportError, match="is installed but cannot be imported: No module named 'gone_requirement"):
        adapted.imported("broken_library_of_a_test", "x")


def test_an_unknown_metric_of_a_library_is_an_error_with_the_nearest_name():
    with pytest.raises(LookupError, match="did you mean 'Levenshtein'"):
        adapted.one_of("autoevals", "Levenstein", ["Levenshtein", "ExactMatch"])


def test_weights_are_found_on_this_machine_or_left_to_the_library(tmp_path):
    assert adapted.local_weights({"model": "gone/model", "n": 1}, "model") == {"model": "gone/model", "n": 1}
    with pytest.raises(TypeError, match="the setting model= is missing"):
        adapted.local_weights({}, "model")
    try:
        folder = adapted.local_weights({"model": "all-MiniLM-L6-v2"}, "model")["model"]
    except ImportError:
        pytest.skip("needs the weights of all-MiniLM-L6-v2")
    assert folder == "all-MiniLM-L6-v2" or (Path(folder) / "config.json").is_file()


def test_settings_that_a_metric_lacks_are_an_error():
    adapted.refuse_settings("qa_metrics", "f1_match", {"threshold": 0.5}, ("threshold",))
    with pytest.raises(TypeError, match=r"qa_metrics:em_match has no setting 'x'; it has none"):
        adapted.refuse_settings("qa_metrics", "em_match", {"x": 1})
