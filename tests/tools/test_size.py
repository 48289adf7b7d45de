"""The counts of the project, by room, and the picture of the rooms."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tools import rooms, size

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
