"""The picture of the rooms is that of the tree, no import leads upward, and the table of ARCHITECTURE has each room."""

from __future__ import annotations

import re

import pytest

from tools import rooms, size

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


def test_a_dot_is_drawn_for_each_import() -> None:
    two = [rooms.Room("top", 2, "Above."), rooms.Room("low", 1, "Below & more.")]
    drawn = rooms.picture(two, {"top": {"low"}, "low": set()})
    assert drawn.count("<circle") == 1
    assert "2 rooms, 1 imports" in drawn
    assert "Below &amp; more." in drawn


def test_a_contract_that_is_missing_is_an_error() -> None:
    with pytest.raises(ValueError, match="restore the name"):
        rooms.floors("[tool.importlinter]")


def test_every_room_states_its_purpose() -> None:
    assert all(room.purpose.endswith((".", "?")) and len(room.purpose) > 10 for room in ROOMS)
