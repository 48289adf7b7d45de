"""Tools for the code: counts of the project, the picture of the rooms, and mutants."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import typer
from coverage import CoverageData
from typer.testing import CliRunner

from tools import mutants, rooms, size
from tools.mutant_places import KINDS, Place, draw, places_of
from tools.mutants import TIMEOUT, Tree, read_coverage

FILES = {
    "answersim/__init__.py": "from answersim.top.all import f\n",
    "answersim/types.py": "from typing import NamedTuple\n\n\nclass Pair(NamedTuple):\n    gold: str\n",
    "answersim/top/__init__.py": "",
    "answersim/top/all.py": "def f():\n    from answersim.middle import g\n    return g\n",
    "answersim/middle/__init__.py": "from answersim.types import Pair\n\n\ndef g():\n    return Pair\n",
    "docs/one.md": "two words\n",
    "docs/papers-x.md": "not counted here\n",
    "README.md": "one\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    (tmp_path / "answersim/untracked.py").write_text("x = 1\n", encoding="utf-8")
    return tmp_path


def test_lines_files_records_and_words_are_those_of_tracked_files(root: Path):
    lines = dict(size.lines_and_files(root))
    assert (lines["lines of answersim"], lines["files of answersim"]) == (14, 5)
    assert dict(size.records(root)) == {"record types and aliases": 1}
    (root / "answersim/types.py").write_text("found = 1\n\n\ndef f(part):\n    return [one for one in part]\n")
    assert dict(size.vague_names(root))["vague names of answersim"] == 3
    words = dict(size.words(root))
    assert (words["guides (pages of papers not counted)"], words["words of guides and README"]) == (1, 3)


def test_rooms_are_folders_and_files_and_imports_inside_functions_are_arrows(root: Path):
    assert size.arrows_of(root, "answersim") == {"types": set(), "top": {"middle"}, "middle": {"types"}}
    assert list(dict(size.rooms(root, "answersim")).values()) == [3, 2, 3, 0]


def test_this_project_has_commands_and_public_names():
    assert dict(size.public_names())["public names of answersim"] > 20
    counts = dict(size.commands())
    assert 0 < counts["commands of answersim"] <= counts["commands of answersim with those of groups"]
    assert counts["option names of answersim"] <= counts["parameters of answersim"]


ROOMS = rooms.rooms()


def test_the_picture_is_that_of_the_tree() -> None:
    assert rooms.PICTURE.read_text(encoding="utf-8") == rooms.drawn(), "run python -m tools.rooms"


def test_no_room_imports_a_room_of_its_floor_or_above() -> None:
    floor = {room.name: room.floor for room in ROOMS}
    arrows = size.arrows_of(rooms.ROOT, "answersim")
    assert set(arrows) == set(floor)
    assert [(room, other) for room, targets in arrows.items() for other in targets if floor[other] >= floor[room]] == []


def test_the_table_of_architecture_has_each_room_and_a_file_to_read() -> None:
    section = (rooms.ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("## The rooms of answersim\n")[2]
    rows = re.findall(r"^\| `(\w+)` \|.*\| `([\w/.]+)` \|$", section.partition("\n## ")[0], re.MULTILINE)
    assert {name for name, _ in rows} == {room.name for room in ROOMS}
    assert all((rooms.ROOT / path).is_file() and path.startswith(f"answersim/{name}") for name, path in rows)


MODULE = """LIMIT = 3


def double(x: int) -> int:
    total = x * 2
    return total


def triple(x: int) -> int:
    total = x * 3
    return total
"""
MUTATED = {
    "toy/__init__.py": "",
    "toy/numbers.py": MODULE,
    "tests/test_numbers.py": (
        "from toy.numbers import LIMIT, double, triple\n\n\n"
        "def test_both():\n    assert double(3) == 6 and triple(2) == 6\n\n\n"
        "def test_double():\n    assert double(1) == 2\n\n\n"
        "def test_limit():\n    assert double(2) > LIMIT\n"
    ),
    "pytest.ini": "[pytest]\npythonpath = .\naddopts = --import-mode=importlib\nmarkers = slow: slow\n",
}


@pytest.fixture(autouse=True)
def _few_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runs of pytest load only the plugins that they use: a third of their time."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "_hypothesis_pytestplugin")


@pytest.fixture(scope="module")
def mutated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A toy package with tests, and the coverage of its tests."""
    tree = tmp_path_factory.mktemp("toy") / "tree"
    for name, text in MUTATED.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=tree, check=True)
    (tree / ".gitignore").write_text(".coverage\n__pycache__/\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "--cov=toy", "--cov-context=test", "--cov-report="]
    subprocess.run([*command, "-p", "no:cacheprovider"], cwd=tree, check=True, capture_output=True)
    return tree


def run_mutants(mutated: Path, *options: str) -> str:
    app = typer.Typer()
    app.command()(mutants.main)
    arguments = ["--package", "toy", "--root", str(mutated), "--coverage", str(mutated / ".coverage"), *options]
    outcome = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


def stored(file: Path) -> dict[str, str]:
    return {mutant["before"]: mutant["test"] for mutant in json.loads(file.read_text(encoding="utf-8"))["mutants"]}


def test_a_mutant_is_caught_by_the_most_specific_test_that_notices_it(mutated: Path, tmp_path: Path):
    printed = run_mutants(mutated, str(tmp_path / "m.json"), "--number", "3", "--seed", "10")
    by_place = stored(tmp_path / "m.json")
    assert by_place["x * 2"] == "tests/test_numbers.py::test_double"
    assert by_place["total = x * 3"] == "tests/test_numbers.py::test_both"
    assert by_place["3"] == "tests/test_numbers.py::test_limit"  # of an import: any test of the file
    assert "mutants were caught." in printed
    assert (mutated / "toy/numbers.py").read_text(encoding="utf-8") == MODULE


def test_the_value_of_an_import_meets_the_tests_of_all_defaults_and_those_that_use_it_first(tmp_path: Path):
    (tmp_path / "a.py").write_text("MOST = 1\n\n\ndef f(x=2):\n    return min(x, MOST)\n\n\ndef g():\n    return 3\n")
    small, large, reader = "tests/test_a.py::test_g", "tests/test_a.py::test_f", "tests/test_defaults.py"
    (tmp_path / "tests").mkdir()
    (tmp_path / reader).write_text("")
    lines = {"a.py": {1: [""], 4: [""], 5: [large], 9: [small]}}
    coverage = mutants.Coverage(lines, {small: 1, large: 2}, tmp_path)
    place = Place("a.py", "", "constant", 1, "1", "(2)", 0, "")
    assert coverage.tests(place) == coverage.tests(place._replace(line=4)) == [reader, large, small]
    assert coverage.tests(place._replace(line=5)) == [large]


def test_a_second_call_runs_only_what_is_missing(mutated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "m.json"
    met: list[str] = []
    monkeypatch.setattr(Tree, "first_failure", lambda self, tests: met.append(tests[0]) or "")
    run_mutants(mutated, str(file), "--number", "3")
    assert len(met) == 3
    content = json.loads(file.read_text(encoding="utf-8"))
    before = content["mutants"].pop(0)
    del before["test"]
    file.write_text(json.dumps({**content, "mutants": [before, *content["mutants"]]}), encoding="utf-8")
    run_mutants(mutated, str(file))
    assert len(met) == 4


def test_a_broken_test_catches_nothing(mutated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def first_failure(tree: Tree, tests: list[str]) -> str:
        """As if one test failed always, and another one with any mutant."""
        changed = (tree.root / "toy/numbers.py").read_text(encoding="utf-8") != MODULE
        failing = ["tests/test_numbers.py::test_double", *["tests/test_numbers.py::test_both"][: int(changed)]]
        return next((test for test in tests if test in failing), "")

    monkeypatch.setattr(Tree, "first_failure", first_failure)
    run_mutants(mutated, str(tmp_path / "m.json"), "--number", "3")
    assert stored(tmp_path / "m.json")["x * 2"] == "tests/test_numbers.py::test_both"


def test_a_run_over_the_limit_counts_as_a_failure(mutated: Path):
    (mutated / "tests/test_slow.py").write_text(
        "import time\n\n\ndef test_x():\n    time.sleep(60)\n", encoding="utf-8"
    )
    assert Tree(mutated, 0.5).first_failure(["tests/test_slow.py::test_x"]) == TIMEOUT


def test_coverage_without_contexts_is_an_error_that_names_the_option(mutated: Path):
    data = CoverageData(str(mutated / "other"))
    data.add_lines({str(mutated / "toy/numbers.py"): [1]})
    data.write()
    with pytest.raises(ValueError, match="--cov-context=test"):
        read_coverage(mutated / "other", mutated)


SOURCE = '''"""A module."""

from __future__ import annotations

LIMIT = 3


@lru_cache(maxsize=7)
def share(part: int | None, whole: int = 10) -> float:
    """Return a share."""
    if part is None:
        raise ValueError("no part")
    größe = "Größe"; total = part + whole
    while total > LIMIT and not whole:
        total -= 1
    return total / len(größe)


class Flag:
    """A flag."""

    is_set: bool = False

    def name(self) -> str:
        """Return a text."""
        print(f"{1 + 1}")
        return ""
'''


def changes(source: str, seed: int = 0) -> dict[str, set[str]]:
    """All changes of a module by kind: one seed draws one of a statement, so several are tried."""
    places = [place for entry in range(40) for place in places_of(source.encode(), "m.py", seed + entry, Counter())]
    return {kind: {f"{p.before} -> {p.after}" for p in places if p.kind == kind} for kind in KINDS}


def test_statements_are_dropped_but_no_docstring_import_or_message() -> None:
    dropped = {change.removesuffix(" -> pass") for change in changes(SOURCE)["statement"]}
    assert dropped == {
        'if part is None:\n        raise ValueError("no part")',
        'größe = "Größe"',
        "total = part + whole",
        "total -= 1",
        "return total / len(größe)",
        "is_set: bool = False",
        'print(f"{1 + 1}")',
        'return ""',
    }


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "toy"
    folder.mkdir()
    for i in range(6):
        function = f"def add_{i}(x: int) -> int:\n    x = x + {i}\n    return x - {i}\n\n\n"
        (folder / f"part_{i}.py").write_text(function, encoding="utf-8")
    return tmp_path


def drawn(mutated: Path, seed: int, number: int = 9) -> list[tuple[str, ...]]:
    return [(place.function, place.before, place.after) for place in draw(mutated, ["toy"], seed, number)]


def test_equal_seeds_draw_equal_places_and_others_draw_others(tree: Path) -> None:
    assert drawn(tree, 0) == drawn(tree, 0)
    assert drawn(tree, 0) != drawn(tree, 1)
