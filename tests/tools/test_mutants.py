"""Mutants of a toy package: those that a test notices are caught, the tree stays as it is, and work resumes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tools import mutants
from tools.mutant_places import Place
from tools.mutants import SURVIVED, caught_by, mirrored_tests, outcomes, quick_tests, table

MODULE = "def double(x: int) -> int:\n    return x * 2\n\n\ndef triple(x: int) -> int:\n    return x * 3\n"
FILES = {
    "toy/__init__.py": "",
    "toy/numbers.py": MODULE,
    "toy/deep/words.py": "WIDTH = 3\n",
    "tests/test_mirror.py": 'FOLDERS = {"toy": "tests"}\nELSEWHERE: dict[str, tuple[str, str]] = {}\n',
    "tests/test_numbers.py": "from toy.numbers import double\n\n\ndef test_double():\n    assert double(3) == 6\n",
    "tests/deep/test_other.py": "from toy.deep.words import WIDTH\n\n\ndef test_width():\n    assert WIDTH == 3\n",
    "tests/quick/test_all.py": "from toy.numbers import triple\n\n\ndef test_triple():\n    assert triple(1) < 4\n",
    "Makefile": 'quick:\n\tpython -m pytest -m "not slow" -n auto --dist worksteal tests/quick --ignore=tests/x\n',
    "pytest.ini": "[pytest]\npythonpath = .\naddopts = --import-mode=importlib\nmarkers = slow: slow\n",
}
STAGES = ("file", "folder", "quick")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A toy package with tests, run by a pytest that loads no plug-in, as that takes most of the time."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setattr(mutants, "PYTEST", ("-x", "-q", "-p", "no:cacheprovider"))
    root = tmp_path / "tree"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)
    return root


def place(before: str, after: str, path: str = "toy/numbers.py") -> Place:
    source = FILES[path]
    return Place(path, "", "constant", 1, before, after, source.index(before), f"{path}|{before}")


DOUBLE, TRIPLE, WIDTH = place("x * 2", "(x / 2)"), place("x * 3", "(x * 4)"), place("3", "(4)", "toy/deep/words.py")
UNNOTICED = place("x * 3", "(x + 2)")


def test_a_mutant_is_caught_by_the_first_tests_that_notice_it_or_survives(tree: Path, tmp_path: Path) -> None:
    found = dict(outcomes(tree, [DOUBLE, WIDTH, TRIPLE, UNNOTICED], tmp_path / "m.json", STAGES, 60))
    assert found[DOUBLE] == {"file": False}
    assert found[WIDTH] == {"folder": False}
    assert found[TRIPLE] == {"file": True, "quick": False}
    assert found[UNNOTICED] == {"file": True, "quick": True}
    assert [caught_by(passed) for passed in found.values()] == ["file", "folder", "quick", SURVIVED]
    assert {name: (tree / name).read_text(encoding="utf-8") for name in FILES} == FILES


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The tests that were run; all of them pass."""
    tests: list[list[str]] = []
    monkeypatch.setattr(mutants.Tree, "passes", lambda self, run: tests.append(run) or True)
    return tests


def test_a_second_call_runs_only_what_is_missing(tree: Path, tmp_path: Path, runs: list[list[str]]) -> None:
    file, places = tmp_path / "m.json", [DOUBLE, WIDTH]
    list(outcomes(tree, places, file, STAGES[:2], 60))
    assert runs == [["tests/test_numbers.py"], ["tests/deep"]]
    runs.clear()
    found = dict(outcomes(tree, places, file, STAGES, 60))
    assert runs == [["tests/quick", "--ignore=tests/x"]] * 2
    assert found == {DOUBLE: {"file": True, "quick": True}, WIDTH: {"folder": True, "quick": True}}


def test_an_interrupted_call_keeps_what_was_done_before(tree: Path, tmp_path: Path, runs: list[list[str]]) -> None:
    file = tmp_path / "m.json"
    list(outcomes(tree, [DOUBLE, WIDTH], file, STAGES, 60))
    done = len(runs)
    next(iter(outcomes(tree, [DOUBLE, WIDTH], file, STAGES, 60)))
    assert len(json.loads(file.read_text(encoding="utf-8"))["mutants"]) == 2
    list(outcomes(tree, [DOUBLE, WIDTH], file, STAGES, 60))
    assert len(runs) == done


def test_tests_that_fail_without_a_mutant_are_an_error_that_names_them(tree: Path, tmp_path: Path) -> None:
    (tree / "tests/test_numbers.py").write_text("def test_fails():\n    assert False\n", encoding="utf-8")
    with pytest.raises(RuntimeError, match=r"without a mutant.*tests/test_numbers\.py"):
        list(outcomes(tree, [DOUBLE], tmp_path / "m.json", STAGES, 60))


def test_a_run_over_the_limit_counts_as_a_failure(tree: Path) -> None:
    (tree / "tests/test_slow.py").write_text("import time\n\n\ndef test_x():\n    time.sleep(60)\n", encoding="utf-8")
    assert not mutants.Tree(tree, 0.5).passes(["tests/test_slow.py"])


def test_a_changed_file_of_equal_size_is_compiled_again(tree: Path) -> None:
    changing = mutants.Tree(tree, 60)
    tests = ["tests/deep"]
    for i, (text, passes) in enumerate([("WIDTH = 3\n", True), ("WIDTH = 4\n", False)]):
        changing.write("toy/deep/words.py", text.encode(), 10**9 + 2 * i)
        assert changing.passes(tests) == passes


def test_mirrored_tests_are_the_file_and_its_folder(tree: Path) -> None:
    assert mirrored_tests(tree, "toy/numbers.py") == {"file": ["tests/test_numbers.py"], "folder": []}
    assert mirrored_tests(tree, "toy/deep/words.py") == {"file": [], "folder": ["tests/deep"]}
    assert mirrored_tests(tree, "toy/gone/words.py") == {"file": [], "folder": []}


def test_mirrored_tests_of_this_tree_follow_its_tables() -> None:
    assert mirrored_tests(mutants.ROOT, "answersim/stats/auc.py") == {
        "file": ["tests/stats/test_auc.py"],
        "folder": ["tests/stats"],
    }
    assert mirrored_tests(mutants.ROOT, "answersim/official/drop.py")["file"] == ["tests/official/test_quirks.py"]
    assert mirrored_tests(mutants.ROOT, "rankers/api.py") == {"file": ["tests/rankers/test_api.py"], "folder": []}


def test_quick_tests_of_this_tree_are_those_of_its_makefile() -> None:
    tests = quick_tests(mutants.ROOT)
    assert "tests/stats" in tests
    assert not {"-n", "auto", "--dist", "-m", "slow"} & set(tests)


def test_a_makefile_without_quick_tests_is_an_error_that_names_it(tree: Path) -> None:
    (tree / "Makefile").write_text("quick:\n\ttrue\n", encoding="utf-8")
    with pytest.raises(ValueError, match="has 0 lines with pytest"):
        quick_tests(tree)


def test_the_table_has_a_row_per_mutant_and_the_share_caught() -> None:
    text = table([(DOUBLE, {"file": False}), (UNNOTICED, {"file": True, "quick": True})])
    assert "| toy/numbers.py:1 |  | `x * 2` -> `(x / 2)` | file |" in text
    assert text.endswith("1 of 2 mutants were caught (1 by the file, 0 by the folder, 0 by the quick suite).")


def test_the_command_prints_the_table_of_the_drawn_mutants(tree: Path, tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(mutants.main)
    options = ["--number", "2", "--package", "toy", "--root", str(tree), "--no-quick"]
    outcome = CliRunner().invoke(app, [str(tmp_path / "m.json"), *options])
    assert outcome.exit_code == 0, outcome.output
    assert "of 2 mutants were caught" in outcome.stdout
    assert outcome.stdout.count("| toy/") == 2
