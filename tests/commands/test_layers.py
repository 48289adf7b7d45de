"""``answersim layers``: a table of layers, a recommendation in words, files on request."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from answersim.io import files
from tests.command_line import combined

TEXTS = ["National Football League", "the NFL", "eleven", "11", "cortex", "in regions of new growth", "Müller", "a"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "judged.csv"
    rng = np.random.default_rng(0)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["answer", "guess", "told", "more"])
        for i in range(40):
            writer.writerow([TEXTS[i % 8], TEXTS[rng.integers(8)], rng.integers(3), rng.integers(3)])
    return path


def arguments(table: Path, model: Path, *more: object) -> tuple[object, ...]:
    names = ("--gold", "answer", "--pred", "guess", "--label", "told", "--option", f"model={model}", "--resamples", 50)
    return ("layers", table, *names, *more)


def test_layers_recommends_one_and_says_how_sure_it_is(table: Path, tiny: Callable[..., Path]) -> None:
    code, output = combined(*arguments(table, tiny("bert")))
    assert code == 0, output
    lines = output.splitlines()
    chosen = [line for line in lines if line.endswith("<-")]
    assert len(chosen) == 1
    layer = chosen[0].split()[0]
    assert f"layer {layer} has the highest kendall on the 40 pairs (all)" in output
    assert f"|layer:{layer}|" in output
    assert "no layer agrees with the labels here: even the highest interval is not above 0" in output  # noise
    assert "\nsure: " not in output
    assert "not sure: " not in output
    assert "50 resamples of the pairs, seed 0" in output


def test_scores_of_every_layer_are_written_and_curves_drawn(
    table: Path, tiny: Callable[..., Path], tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib", reason="needs the extra `report`")
    output, figure = tmp_path / "layers.csv", tmp_path / "curves"
    code, text = combined(*arguments(table, tiny("bert"), "-o", output, "--figure", figure))
    assert code == 0, text
    written = files.read(output)
    assert len(written.rows) == 40
    assert list(written.columns) == ["answer", "guess", "label", "layer-0", "layer-1", "layer-2", "layer-3"]
    assert figure.with_suffix(".png").is_file()
    assert figure.with_suffix(".svg").is_file()


def test_several_raters_have_a_mean_and_subset_and_coefficient_decide(
    table: Path, tiny: Callable[..., Path], tmp_path: Path
) -> None:
    output = tmp_path / "layers.csv"
    chosen = ("--label", "more", "--subset", "F1=0", "--coefficient", "spearman")
    code, text = combined(*arguments(table, tiny("bert"), *chosen, "-o", output))
    assert code == 0, text
    assert "highest spearman" in text
    assert "(F1=0)" in text
    given, written = files.read(table).rows, files.read(output).rows
    assert [float(row["label"]) for row in written] == [(int(row["told"]) + int(row["more"])) / 2 for row in given]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--subset", "F1"], "no subset is called 'F1'"),
        (["--option", "layer=2"], "this command compares all"),
        (["--label", "none"], "no column of"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    table: Path, tiny: Callable[..., Path], words: list[str], complaint: str
) -> None:
    base = ["layers", table, "--gold", "answer", "--pred", "guess", "--option", f"model={tiny('bert')}"]
    label = [] if "--label" in words else ["--label", "told"]
    code, output = combined(*base, *label, *words)
    assert code == 2
    assert complaint in output
    assert len(output.strip().splitlines()) == 1


def test_a_metric_without_layers_is_refused(table: Path) -> None:
    code, output = combined("layers", table, "--gold", "answer", "--pred", "guess", "--label", "told", "--metric", "f1")
    assert code == 2
    assert "compares no layers" in output
