"""Labels against certainty: how narrow an interval of the share right becomes with more labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from answersim.evaluation.sample_size import labels_for_width
from answersim.report.drawing import Drawn, Gallery
from answersim.report.system_figures import label_curves

WIDTHS = (0.2, 0.1, 0.05, 0.02)  # full widths of the interval in the table
_CURVE = tuple(float(width) for width in np.geomspace(0.5, 0.02, 16))


class WidthRow(NamedTuple):
    """A width of the interval, and how many labels give it: with each score, and without scores."""

    width: str
    counts: tuple[str, ...]


class Certainty(NamedTuple):
    """The part of the page on labels and certainty."""

    sentence: str
    figure: Drawn
    caption: str
    names: tuple[str, ...]
    rows: tuple[WidthRow, ...]


def certainty(
    explained: Mapping[str, float],
    share: float,
    labels: int,
    gallery: Gallery,
    *,
    rows: int | None = None,
    level: float = 0.95,
) -> Certainty | None:
    """Return how many labels an interval of a given width needs, or None if these labels do not suffice for a plan.

    Args:
        explained: By the name of a score, the share of the variance of the labels that it explains.
        share: The share of answers that are right.
        labels: How many answers are labeled now.
        gallery: The gallery to which the figure is added. The figure is drawn within ``inked()``.
        rows: How many answers have scores. By default, their number is unlimited.
        level: The coverage of the interval.
    """
    known = {name: min(max(value, 0.0), 0.99) for name, value in explained.items() if not np.isnan(value)}
    if not known or not 0 < share < 1:
        return None
    curves: dict[str, list[tuple[int, float]]] = {}
    for name, value in known.items():
        plans = [labels_for_width(width, share=share, explained=value, rows=rows, level=level) for width in _CURVE]
        curves[f"labels with {name}"] = [(plan.labels, plan.width) for plan in plans if plan.labels is not None]
        curves["labels alone"] = [(plan.labels_alone, plan.width) for plan in plans if plan.labels_alone is not None]
    curves["labels alone"] = curves.pop("labels alone")  # the last line of the legend
    table = []
    for width in WIDTHS:
        plans = [
            labels_for_width(width, share=share, explained=value, rows=rows, level=level) for value in known.values()
        ]
        counts = (*(_count(plan.labels) for plan in plans), _count(plans[0].labels_alone))
        table.append(WidthRow(f"{100 * width:g} points", counts))
    best = max(known, key=lambda name: known[name])
    sentence = (
        f"{best} explains {known[best]:.0%} of the variance of the labels, so fewer labels give the same "
        f"{level:.0%} interval of the share of right answers. The numbers are for a share of {share:.0%}"
        + ("." if rows is None else f" and {rows:,} answers with scores.")
    ).replace("%", "\N{NO-BREAK SPACE}%")
    return Certainty(
        sentence,
        gallery.add(label_curves({name: points for name, points in curves.items() if points}, labels),
                    "width of the interval by the number of labels", "labels against certainty"),
        f"Expected width of the {100 * level:g} % interval of the share of right answers, by the number of labels.",
        tuple(known),
        tuple(table),
    )  # fmt: skip


def _count(labels: int | None) -> str:
    return "not enough answers" if labels is None else f"{labels:,}"
