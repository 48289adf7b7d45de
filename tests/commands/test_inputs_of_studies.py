"""What the commands that read tables refuse alike: exit status 2, one line."""

import os

import numpy as np
import pytest

from answersim.calibration.fitting import calibrate
from answersim.calibration.storing import write
from answersim.stats.resampling import Bootstrap
from tests.calibration.conftest import world
from tests.command_line import refused, run

COMMANDS = {
    "correlate": (("-m", "f1"), ".csv"),
    "calibrate": (("-m", "f1"), ".json"),
    "score": (("-c", "f1"), ".csv"),
    "report": (("-m", "f1"), ".html"),
    "evaluate": (("-m", "recall"), ".csv"),
    "layers": ((), ".csv"),
}


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "judged.csv"
    rows = [f"answer {i},answer {rng.integers(40)},{rng.integers(2)}" for i in range(40)]
    path.write_text("\n".join(["gold,pred,label", *rows]) + "\n")
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_an_empty_table_is_an_error_and_nothing_is_written(command, tmp_path):
    more, suffix = COMMANDS[command]
    for name, text in (("empty.csv", "gold,pred,label\n"), ("empty.jsonl", "")):
        (tmp_path / name).write_text(text)
        message = refused(command, tmp_path / name, "-o", tmp_path / f"out{suffix}", *more)
        assert "has no rows" in message
        assert not (tmp_path / f"out{suffix}").exists()


@pytest.mark.parametrize("link", ["symbolic", "hard", "itself"])
@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_that_is_the_input_is_refused_also_through_a_link(command, link, table, tmp_path):
    more, suffix = COMMANDS[command]
    output = tmp_path / f"out{suffix}"
    if link == "symbolic":
        output.symlink_to(table)
    elif link == "hard":
        os.link(table, output)
    elif suffix == ".csv":
        output = tmp_path / "." / "judged.csv"
    else:
        pytest.skip("the input has another suffix than the output")
    before = table.read_bytes()
    message = refused(command, table, "-o", output, *more)
    assert "choose another name for the output" in message
    assert table.read_bytes() == before


def test_a_drawing_does_not_go_over_the_table(table, tmp_path):
    os.link(table, tmp_path / "curves.svg")
    assert "choose another name" in refused("layers", table, "--figure", tmp_path / "curves")


@pytest.mark.parametrize("command", COMMANDS)
def test_answers_are_not_compared_with_themselves(command, table, tmp_path):
    more, suffix = COMMANDS[command]
    message = refused(command, table, "--pred", "gold", "-o", tmp_path / f"out{suffix}", *more)
    assert "'gold'" in message
    assert "twice" in message or "both name the column" in message
    assert not (tmp_path / f"out{suffix}").exists()


@pytest.mark.parametrize("command", ["correlate", "report"])
def test_labels_are_no_answers_no_scores_and_no_subsets(command, table, tmp_path):
    _, suffix = COMMANDS[command]
    for more in (("--label", "gold"), ("--score", "label"), ("--by", "label", "-m", "f1")):
        assert "'label'" in (told := refused(command, table, "-o", tmp_path / f"out{suffix}", *more)) or "gold" in told


@pytest.mark.parametrize("command", ["correlate", "report", "layers"])
@pytest.mark.parametrize("value", ["inf", "-inf", "1e999"])
def test_a_label_that_is_no_finite_number_is_told_with_its_row(command, value, table, tmp_path):
    more, suffix = COMMANDS[command]
    lines = table.read_text().splitlines()
    lines[3] = f"a,b,{value}"
    table.write_text("\n".join(lines))
    message = refused(command, table, "-o", tmp_path / f"out{suffix}", *more)
    assert f"row 3: 'label' is '{value}', but it must be a finite number" in message


@pytest.mark.filterwarnings("always::UserWarning")
@pytest.mark.parametrize(("command", "value"), [("correlate", "inf"), ("correlate", ""), ("report", "nan")])
def test_a_named_column_of_scores_with_a_gap_is_told_with_its_row(command, value, table, tmp_path):
    suffix = COMMANDS[command][1]
    lines = [f"{line},{'tool' if i == 0 else i}" for i, line in enumerate(table.read_text().splitlines())]
    lines[3] = f"a,b,1,{value}"
    table.write_text("\n".join(lines))
    message = refused(command, table, "--score", "tool", "-o", tmp_path / f"out{suffix}")
    assert f"row 3: the score 'tool' is '{value}', but it must be a finite number" in message
    if value != "inf":
        code, _, err = run(command, table, "-m", "f1", "-o", tmp_path / f"out{suffix}")
        assert (code, err.count("the column is not studied as scores")) == (0, 1)


def test_a_damaged_calibration_is_told_in_one_line(table, tmp_path):
    write(calibrate(*world(100, 1), signature="f1", bootstrap=Bootstrap(resamples=5)), tmp_path / "mine.json")
    text = (tmp_path / "mine.json").read_text()
    for damaged in (text[:-20], text.replace('"folds": 5', '"folds": {}'), "[" * 100_000):
        (tmp_path / "mine.json").write_text(damaged)
        assert "mine.json contains no calibration: " in refused("score", table, "-c", tmp_path / "mine.json")
