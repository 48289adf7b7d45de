"""The figures of ranking, drawn from plain numbers, and readable without color by markers, line styles and labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks import drawing
from benchmarks.drawing import COLORS, LINES, MARKERS
from rankers.types import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NUMBERED = 12  # up to so many systems are labeled with names; more get numbers and a list beside the axes


class Point(NamedTuple):
    """A mean with its interval."""

    mean: float
    low: float
    high: float


class Placed(NamedTuple):
    """A system between a measure and a metric. ``family`` decides the marker, which is hollow if ``circular``."""

    name: str
    family: str
    across: Point
    up: Point
    circular: bool = False


class Tau(NamedTuple):
    """The similarity of two orders."""

    name: str
    tau: float
    low: float
    high: float


class Weighed(NamedTuple):
    """The effect of the weights of SCAN at a learning rate.

    Attributes:
        rate: The learning rate.
        lowest: The smallest weight times the number of samples; 1 is an equal share.
        highest: The largest weight times the number of samples.
        effective: The effective sample size, from 1 to the number of samples.
        samples: The number of samples.
        before: The dependence of the features under equal weights, on Fourier features that the learner did not see.
        after: The same under the learned weights.
    """

    rate: float
    lowest: float
    highest: float
    effective: float
    samples: int
    before: float
    after: float


class Forgotten(NamedTuple):
    """Accuracies of a network by epoch on several sets of examples, and the generator that proposed them."""

    epochs: list[int]  # from 1
    ordinary: list[float]  # on ordinary negatives, like those of the training before
    earlier: list[float]  # the mean over the examples of all earlier epochs; nan for the first epoch
    first: list[float]  # on the examples of the first epoch
    newest: list[float]  # on the examples that the epoch was trained with
    dev: list[float]  # the measure on dev
    entropy: list[float]  # of the generator's distributions, as a share of the largest
    reward: list[float]  # the mean reward of the generator


def systems(placed: Sequence[Placed], *, across: str, up: str, title: str = "") -> Figure:
    """Draw each system between a measure and a metric, with both intervals; hollow if its own weights score it."""
    figure, (axes,) = _figure(7.2 if len(placed) > NUMBERED else 5.6, 4.4)
    families = list(dict.fromkeys(system.family for system in placed))
    for i, system in enumerate(placed, start=1):
        k = families.index(system.family)
        color, marker = COLORS[k % len(COLORS)], MARKERS[k % len(MARKERS)]
        axes.errorbar(
            system.across.mean,
            system.up.mean,
            xerr=_errors(system.across),
            yerr=_errors(system.up),
            fmt=marker,
            color=color,
            markerfacecolor="none" if system.circular else color,
            markersize=6,
            elinewidth=0.6,
            capsize=1.5,
            alpha=0.9,
        )
        shown = system.name if len(placed) <= NUMBERED else str(i)
        place = (4, 4) if i % 2 else (-4 - 4 * len(shown), -9)  # neighbors of one family are often close together
        axes.annotate(shown, (system.across.mean, system.up.mean), xytext=place, textcoords="offset points", fontsize=7)
    if len(placed) > NUMBERED:
        listed = "\n".join(f"{i} {system.name}" for i, system in enumerate(placed, start=1))
        axes.annotate(listed, (1.02, 1.0), xycoords="axes fraction", va="top", fontsize=6)
    axes.set(xlabel=across, ylabel=up, title=title)
    axes.grid(alpha=0.3)
    return figure


def taus(coefficients: Sequence[Tau], *, title: str = "") -> Figure:
    """Draw Kendall's tau-b of pairs of orders with their intervals, one per line, the first on top."""
    figure, (axes,) = _figure(7.2, 0.9 + 0.2 * len(coefficients))
    places = np.arange(len(coefficients))[::-1]
    for place, coefficient in zip(places, coefficients, strict=True):
        axes.errorbar(
            coefficient.tau, place, xerr=_errors(coefficient), fmt="o", color=COLORS[0], capsize=2, elinewidth=0.8
        )
    axes.set_yticks(places, [coefficient.name for coefficient in coefficients], fontsize=7)
    axes.axvline(0, color="0.4", linewidth=0.8)
    axes.axvline(1, color="0.4", linewidth=0.8, linestyle=":")
    axes.set(xlabel="Kendall's τ-b of two orders of systems", xlim=(-1.05, 1.05), title=title)
    axes.set_ylim(-0.7, len(coefficients) - 0.3)
    axes.grid(axis="x", alpha=0.3)
    return figure


def weights(effects: Mapping[str, Sequence[Weighed]], *, title: str = "") -> Figure:
    """Draw weights by learning rate: their range, the effective sample size, and the dependence of the features.

    Each kind of features has a line style and a marker. The dependence is the ratio of after to before.
    """
    figure, panels = _figure(9.0, 3.0, 3)
    for k, (name, rows) in enumerate(effects.items()):
        rates = [row.rate for row in rows]
        style = _style(k)
        panels[0].plot(rates, [row.highest for row in rows], label=name, **style)
        panels[0].plot(rates, [row.lowest for row in rows], markerfacecolor="none", **style)
        panels[1].plot(rates, [row.effective / row.samples for row in rows], **style)
        panels[2].plot(rates, [row.after / row.before if row.before else np.nan for row in rows], **style)
    titles = ("largest (filled) and smallest (hollow)\nweight, equal ones are 1", "effective sample size,\nas a share")
    for axes, heading in zip(panels, (*titles, "off-diagonal covariance,\nafter over before"), strict=True):
        axes.set_xscale("log")
        axes.set_xlabel("learning rate of the weights")
        axes.set_title(heading, fontsize=8)
        axes.axhline(1, color="0.4", linewidth=0.8, linestyle=":")
        axes.grid(alpha=0.3)
    panels[0].set_yscale("symlog", linthresh=0.1)
    panels[0].set_ylim(bottom=-0.02)
    panels[0].legend(frameon=False, fontsize=7)
    figure.suptitle(title, fontsize=9)
    return figure


def epochs(trainings: Mapping[str, Sequence[tuple[int, float, float]]], *, title: str = "") -> Figure:
    """Draw the effective sample size as a share, and the largest weight, by epoch, with one line per system."""
    from matplotlib.ticker import MaxNLocator

    figure, panels = _figure(7.0, 3.0, 2)
    for k, (name, rows) in enumerate(trainings.items()):
        style = _style(k)
        for column, axes in enumerate(panels, start=1):
            axes.plot([row[0] for row in rows], [row[column] for row in rows], label=name, **style)
    for axes, heading in zip(
        panels, ("effective sample size, as a share", "largest weight, equal ones are 1"), strict=True
    ):
        axes.set(xlabel="epoch", title=heading)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(alpha=0.3)
    panels[0].legend(frameon=False, fontsize=7)
    figure.suptitle(title, fontsize=9)
    return figure


def forgetting(trainings: Mapping[str, Forgotten], *, title: str = "") -> Figure:
    """Draw, per training, the accuracies on examples of earlier epochs and on dev, and below them the generator."""
    from matplotlib.ticker import MaxNLocator

    figure, panels = _figure(3.2 * len(trainings), 5.2, 2 * len(trainings), rows=2)
    for k, (name, rows) in enumerate(trainings.items()):
        above, below = panels[k], panels[len(trainings) + k]
        lines = {
            "ordinary negatives": rows.ordinary,
            "examples of epoch 1": rows.first,
            "of all earlier epochs": rows.earlier,
            "of this epoch": rows.newest,
            "dev measure": rows.dev,
        }
        for i, (label, values) in enumerate(lines.items()):
            above.plot(rows.epochs, values, label=label, **_style(i))
        for i, (label, values) in enumerate({"entropy": rows.entropy, "reward": rows.reward}.items()):
            below.plot(rows.epochs, values, label=label, **_style(i))
        above.set_title(name, fontsize=8)
        below.set_xlabel("epoch")
        for axes in (above, below):
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            axes.grid(alpha=0.3)
    panels[0].set_ylabel("accuracy of the discriminator")
    panels[len(trainings)].set_ylabel("generator")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=6)
    panels[len(trainings)].legend(frameon=False, fontsize=6)
    figure.suptitle(title, fontsize=9)
    return figure


def sweep(settings: Mapping[str, Sequence[tuple[float, Point]]], *, measure: str, title: str = "") -> Figure:
    """Draw a measure by the value of each swept setting: one panel per setting, the values sorted and evenly spaced."""
    figure, panels = _figure(2.9 * len(settings), 2.8, len(settings))
    for k, (axes, (name, rows)) in enumerate(zip(panels, settings.items(), strict=True)):
        ordered = sorted(rows)
        places = np.arange(len(ordered))
        errors = np.hstack([_errors(point) for _, point in ordered])
        axes.errorbar(
            places,
            [point.mean for _, point in ordered],
            yerr=errors,
            color=COLORS[k % len(COLORS)],
            marker=MARKERS[k % len(MARKERS)],
            linestyle=LINES[k % len(LINES)],
            capsize=2,
        )
        axes.set_xticks(places, [f"{value:g}" for value, _ in ordered], fontsize=7)
        axes.set(xlabel=name)
        axes.grid(alpha=0.3)
    panels[0].set_ylabel(measure)
    figure.suptitle(title, fontsize=9)
    return figure


def heat_maps(maps: Mapping[str, tuple[Sequence[str], FloatArray]], *, title: str = "") -> Figure:
    """Draw the codes of the words of an answer: a gray map per ranker, a row per word piece, a column per number."""
    rows = sum(len(tokens) for tokens, _ in maps.values())
    figure, panels = _figure(7.0, 0.8 * len(maps) + 0.2 * rows, len(maps), down=True)
    for axes, (name, (tokens, values)) in zip(panels, maps.items(), strict=True):
        shown = axes.imshow(values, aspect="auto", cmap="gray", interpolation="nearest")
        axes.set_yticks(range(len(tokens)), list(tokens), fontsize=6)
        axes.set_title(name, fontsize=8)
        figure.colorbar(shown, ax=axes)
    figure.suptitle(title, fontsize=9)
    return figure


def _style(k: int) -> dict[str, Any]:
    """Return the style of the k-th line. Two lines differ in more than their color."""
    return {
        "color": COLORS[k % len(COLORS)],
        "marker": MARKERS[k % len(MARKERS)],
        "linestyle": LINES[k % len(LINES)],
        "markersize": 4,
    }


def _errors(point: Point | Tau) -> FloatArray:
    """Return the distances of the ends from the number, (2, 1); 0 for an undefined end or one on the other side."""
    value = point.tau if isinstance(point, Tau) else point.mean
    ends = np.array([[value - point.low], [point.high - value]])
    return np.nan_to_num(np.maximum(ends, 0.0))


def _figure(
    width: float, height: float, panels: int = 1, down: bool = False, rows: int = 1
) -> tuple[Figure, list[Axes]]:
    n_rows = panels if down else rows
    columns = panels // n_rows
    figure, grid = drawing.panels(n_rows, columns, width / columns, height / n_rows, share_y=False)
    return figure, list(grid.ravel())
