"""Logs of other tools through ``answersim score --from``: detection, columns, and what cannot be scored."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import answersim
from answersim.__main__ import app
from answersim.answers.logs import formats
from tests.cases import every

DATA = Path(__file__).parent / "data"
FILES = {path.name: path for path in sorted(DATA.iterdir())}
shows_warnings = pytest.mark.filterwarnings("default::answersim._base.errors.SkippedRowsWarning")
KINDS = {name: name.rpartition("-")[0] for name in FILES}


def scored(*arguments: Any) -> Any:
    return CliRunner().invoke(app, ["score", *map(str, arguments), "--no-progress"])


@pytest.mark.parametrize("name", FILES)
def test_each_format_is_recognized_and_only_by_its_own_reader(name):
    path = FILES[name]
    head = path.read_bytes()[:65_536]
    if head.startswith(b"PAR1") or path.suffix == ".eval":
        pytest.importorskip("pyarrow", reason="could not import 'pyarrow'")
    matching = [kind for kind, read in formats.FORMATS.items() if read.matches(path, head)]
    assert matching == [KINDS[name]]
    assert formats.resolved("auto", path) == KINDS[name]


@shows_warnings
def test_a_log_is_scored_and_written_with_its_answers(tmp_path):
    output = tmp_path / "scored.jsonl"
    log = DATA / "inspect-0.3.285.json"
    result = scored(log, "--from", "inspect", "-m", "f1", "--skip-bad", "-o", output)
    assert result.exit_code == 0, result.output
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert [list(row) for row in rows] == [["id", "epoch", "question", "gold", "pred", "f1"]] * 3
    for row in rows:
        assert row["f1"] == answersim.score(row["gold"], row["pred"], "f1")
    assert answersim.metric("f1").signature in result.output
    assert "2 of 5 rows are left out" in result.output


@shows_warnings
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_log_is_written_in_other_formats(tmp_path, suffix):
    pytest.importorskip("pyarrow", reason="could not import 'pyarrow'")
    output = tmp_path / f"scored{suffix}"
    result = scored(DATA / "inspect-0.3.285.json", "--from", "auto", "-m", "em", "--skip-bad", "-o", output)
    assert result.exit_code == 0, result.output
    assert answersim._base.io.files.read(output).columns == ("id", "epoch", "question", "gold", "pred", "em")


def test_samples_without_answers_are_an_error_unless_they_are_left_out():
    result = scored(DATA / "inspect-0.3.285.json", "--from", "auto", "-m", "f1")
    assert result.exit_code == 2
    assert "'pred' is null" in result.output
    assert "--skip-bad" in result.output


@every(
    ("name", "error", "message"),
    [
        ("lm_eval", LookupError, "no format of logs is called 'lm_eval'; did you mean 'lm-eval'"),
        ("inspect:x", ValueError, "only lm-eval has parts"),
        ("auto", LookupError, "was not recognized; name it with --from, one of: inspect"),
    ],
)
def test_a_wrong_format_is_an_error_with_the_known_ones(tmp_path, name, error, message):
    path = tmp_path / "table.csv"
    path.write_text("gold,pred\na,b\n")
    with pytest.raises(error, match=message):
        formats.resolved(name, path)
    with pytest.raises(FileNotFoundError, match="no file at"):
        formats.resolved(name, tmp_path / "absent")


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of each value in a value of JSON."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@every("kind", ["inspect", "lm-eval"])
def test_a_record_with_other_types_is_read_or_named_and_never_a_crash(tmp_path, kind):
    if kind == "inspect":
        log = json.loads((DATA / "inspect-0.3.285.json").read_text(encoding="utf-8"))
        whole: Any = {
            "samples": [{key: log["samples"][0][key] for key in ("id", "epoch", "input", "target", "output")}]
        }
    else:
        (name,) = [name for name in FILES if KINDS[name] == kind]
        whole = json.loads(FILES[name].read_text(encoding="utf-8").splitlines()[0])
    path = tmp_path / "log.jsonl"
    read = refused = 0
    for place in places(whole):
        for junk in (None, 1, "x", [], {}, [[]], [{}], True):
            path.write_text(json.dumps(replaced(whole, place, junk)), encoding="utf-8")
            try:
                read += len(formats.read(path, kind).rows)
            except (ValueError, LookupError):
                refused += 1
    assert read > 10
    assert refused > 5


def test_a_log_that_is_not_utf_8_is_an_error(tmp_path):
    path = tmp_path / "samples.jsonl"
    path.write_bytes(b'{"doc_id": 0, "resps": "\xff"}\n')
    with pytest.raises(ValueError, match="is not UTF-8"):
        formats.read(path, "lm-eval")


def test_options_of_tables_are_refused(tmp_path):
    result = scored(DATA / "inspect-0.3.285.json", "--from", "auto", "-m", "f1", "--encoding", "utf-8")
    assert result.exit_code == 2
    assert "a log has its own format" in result.output
