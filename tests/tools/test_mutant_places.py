"""Places are drawn by seed, function and statement, and each is one small change of valid Python."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from tools.mutant_places import KINDS, Place, draw, places_of

SOURCE = '''"""A module."""

from __future__ import annotations

LIMIT = 3


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
    places = [place for each in range(40) for place in places_of(source.encode(), "m.py", seed + each, Counter())]
    return {kind: {f"{p.before} -> {p.after}" for p in places if p.kind == kind} for kind in KINDS}


def test_operators_are_exchanged() -> None:
    assert changes(SOURCE)["operator"] == {
        "part is None -> (part is not None)",
        "part + whole -> (part - whole)",
        "total > LIMIT and not whole -> (total > LIMIT or not whole)",
        "total > LIMIT -> (total >= LIMIT)",
        "not whole -> (whole)",
        "total / len(größe) -> (total * len(größe))",
    }


def test_numbers_and_truth_values_are_changed() -> None:
    assert changes(SOURCE)["constant"] == {"3 -> (4)", "10 -> (11)", "1 -> (2)", "False -> (True)"}


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


def test_a_change_keeps_all_other_bytes() -> None:
    for seed in range(10):
        for place in places_of(SOURCE.encode(), "m.py", seed, Counter()):
            text = place.changed(SOURCE.encode()).decode()
            before, after = SOURCE.encode()[: place.start].decode(), SOURCE.encode()[place.start :].decode()
            assert text == before + place.after + after.removeprefix(place.before)
            assert SOURCE.splitlines()[place.line - 1].find(place.before.splitlines()[0]) >= 0
            ast.parse(text)


def test_the_functions_have_qualified_names() -> None:
    names = {place.function for place in places_of(SOURCE.encode(), "m.py", 0, Counter())}
    assert names == {"", "share", "Flag", "Flag.name"}


def test_a_change_that_is_no_python_or_no_change_does_not_compile() -> None:
    source = b"if a:\n    b = 1\n"
    assert not Place("m.py", "", "constant", 2, "1", "(", source.index(b"1"), "").compiles(source)
    assert not Place("m.py", "", "constant", 2, "1", "(1)", source.index(b"1"), "").compiles(source)
    assert Place("m.py", "", "constant", 2, "1", "(2)", source.index(b"1"), "").compiles(source)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "toy"
    folder.mkdir()
    for i in range(6):
        function = f"def add_{i}(x: int) -> int:\n    x = x + {i}\n    return x - {i}\n\n\n"
        (folder / f"part_{i}.py").write_text(function, encoding="utf-8")
    return tmp_path


def drawn(root: Path, seed: int, number: int = 9) -> list[tuple[str, ...]]:
    return [(place.function, place.before, place.after) for place in draw(root, ["toy"], seed, number)]


def test_equal_seeds_draw_equal_places_and_others_draw_others(tree: Path) -> None:
    assert drawn(tree, 0) == drawn(tree, 0)
    assert drawn(tree, 0) != drawn(tree, 1)


def test_a_moved_module_keeps_its_places(tree: Path) -> None:
    before = drawn(tree, 0)
    (tree / "toy/inner").mkdir()
    (tree / "toy/part_3.py").rename(tree / "toy/inner/numbers.py")
    assert drawn(tree, 0) == before


def test_each_kind_has_a_third_and_no_line_has_two(tree: Path) -> None:
    places = draw(tree, ["toy"], 0, 9)
    assert Counter(place.kind for place in places) == dict.fromkeys(KINDS, 3)
    assert len({(place.path, place.line) for place in places}) == 9


def test_fewer_places_than_asked_are_an_error_with_both_numbers(tree: Path) -> None:
    with pytest.raises(ValueError, match=r"toy have only \d+ places, not 900; draw fewer"):
        draw(tree, ["toy"], 0, 900)
