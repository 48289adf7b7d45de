"""How the outcomes of answers look, in figures and on pages: one color, one mark and one hatch each."""

from __future__ import annotations

from typing import NamedTuple

from answersim.report.drawing import COLORS


class Outcome(NamedTuple):
    """The look of an outcome. ``base.css`` has the same colors and marks, under the name of the class."""

    css: str
    mark: str
    color: str
    hatch: str


OUTCOMES = {  # in the order of figures
    "right": Outcome("right", "✓", COLORS[0], ""),
    "unsure": Outcome("unsure", "?", COLORS[4], "////"),
    "not attempted": Outcome("not-attempted", "–", "#bbbbbb", "...."),
    "wrong": Outcome("wrong", "✗", COLORS[1], "xxxx"),
}
