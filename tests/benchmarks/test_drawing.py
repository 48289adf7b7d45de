"""Figures and their files: three formats, and colors that every reader tells apart."""

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="figures need it")

from benchmarks import drawing, plots
from benchmarks.drawing import COLORS
from benchmarks.plots import Ends

ROOT = Path(__file__).parents[2]
STARTS = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}


def figure() -> object:
    return plots.log_ranges([Ends("a", 0.3, 0.1, 0.5)], label="s")


def luminance(color: str) -> float:
    channels = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def seen_without_red_or_green(color: str) -> tuple[float, float]:
    """Return the blue-yellow position and the lightness: about what is left of a color without red-green vision."""
    red, green, blue = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return blue - (red + green) / 2, luminance(color) ** (1 / 2.2)


def test_colors_differ_for_readers_who_do_not_see_red_and_green():
    seen = [seen_without_red_or_green(color) for color in COLORS[:5]]
    for i, one in enumerate(seen):
        for other in seen[:i]:
            assert max(abs(one[0] - other[0]), abs(one[1] - other[1])) > 0.1


def test_a_figure_is_saved_as_vectors_and_pixels_or_as_pixels_only_and_is_the_same_files_twice(tmp_path):
    assert [path.name for path in drawing.save(figure(), tmp_path / "a")] == ["a.svg", "a.png", "a.pdf"]  # type: ignore[arg-type]
    for suffix, start in STARTS.items():
        assert (tmp_path / f"a.{suffix}").read_bytes().startswith(start)
    for path in drawing.save(figure(), tmp_path / "again"):  # type: ignore[arg-type]
        assert path.read_bytes() == (tmp_path / f"a{path.suffix}").read_bytes()
    assert [path.name for path in drawing.save(figure(), tmp_path / "b", vector=False)] == ["b.png"]  # type: ignore[arg-type]


def test_colors_and_canvases_are_those_of_one_module():
    for folder in ("answersim", "benchmarks", "rankers"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            if "matplotlib" not in text or path.name == "drawing.py":
                continue
            colors = [color for color in re.findall(r"#[0-9a-fA-F]{6}\b", text) if len({*color[1:].lower()}) > 1]
            assert colors == [], path  # shades of gray may be anywhere
            assert not re.search(r"\bFigure\(|pyplot|savefig|tab:", text), path


def test_two_colors_differ_for_readers_who_see_no_difference_of_red_and_green():
    """Colors as dichromats see them (Vienot, Brettel and Mollon 1999), apart by a distance in linear RGB."""
    rgb = np.array([[int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)] for color in COLORS]) ** 2.2
    for kind in ([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
                 [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]):  # fmt: skip
        seen = rgb @ np.array(kind).T
        apart = np.linalg.norm(seen[:, None] - seen[None], axis=-1)[np.triu_indices(len(COLORS), 1)]
        assert apart.min() > 0.1  # the default colors of matplotlib: 0.028
