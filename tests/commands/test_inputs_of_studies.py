"""What the commands that read tables refuse alike: exit status 2, one line."""

import numpy as np
import pytest

from tests.command_line import refused, run

COMMANDS = {
    "correlate": (("-m", "f1"), ".csv"),
    "calibrate": (("-m", "f1"), ".json"),
    "score": (("-c", "f1"), ".csv"),
    "evaluate": (("-m", "recall"), ".csv"),
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
    (tmp_path / "empty.csv").write_text("gold,pred,label\n")
    assert "has no rows" in refused(command, tmp_path / "empty.csv", "-o", tmp_path / f"out{suffix}", *more)
    assert not (tmp_path / f"out{suffix}").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_that_is_the_input_through_a_link_is_refused(command, table, tmp_path):
    more, suffix = COMMANDS[command]
    output = tmp_path / f"out{suffix}"
    output.symlink_to(table)
    before = table.read_bytes()
    message = refused(command, table, "-o", output, *more)
    assert "choose another name for the output" in message
    assert table.read_bytes() == before


@pytest.mark.parametrize("command", COMMANDS)
def test_answers_are_not_compared_with_themselves(command, table, tmp_path):
    more, suffix = COMMANDS[command]
    message = refused(command, table, "--pred", "gold", "-o", tmp_path / f"out{suffix}", *more)
    assert "'gold'" in message
    assert "twice" in message or "both name the column" in message
    assert not (tmp_path / f"out{suffix}").exists()


@pytest.mark.parametrize("command", ["correlate"])
def test_labels_are_no_answers_no_scores_and_no_subsets(command, table, tmp_path):
    _, suffix = COMMANDS[command]
    for more in (("--label", "gold"), ("--score", "label"), ("--by", "label", "-m", "f1")):
        assert "'label'" in (told := refused(command, table, "-o", tmp_path / f"out{suffix}", *more)) or "gold" in told


@pytest.mark.parametrize(("command", "value"), [("correlate", "inf"), ("correlate", "1e999")])
def test_a_label_that_is_no_finite_number_is_told_with_its_row(command, value, table, tmp_path):
    more, suffix = COMMANDS[command]
    lines = table.read_text().splitlines()
    lines[3] = f"a,b,{value}"
    table.write_text("\n".join(lines))
    message = refused(command, table, "-o", tmp_path / f"out{suffix}", *more)
    assert f"row 3: 'label' is '{value}', but it must be a finite number" in message


@pytest.mark.filterwarnings("always::UserWarning")
@pytest.mark.parametrize(("command", "value"), [("correlate", "inf"), ("correlate", ""), ("correlate", "nan")])
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
