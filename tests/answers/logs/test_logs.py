"""Logs of Inspect and lm-eval become rows of answers, and other shapes are refused with a remedy."""

import json
import struct
import zlib
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pytest
from typer.testing import CliRunner

import answersim
from answersim.__main__ import app
from answersim.answers.logs import formats, inspect_log, lm_eval, rows
from tests.cases import every


@every(
    ("golds", "gold"),
    [(["a"], ["a"]), (["a", "b"], ["a", "b"]), ([], None), ([None], None), ([4, True], ["4", "true"])],
)
def test_gold_answers_are_a_list_or_null(golds, gold):
    assert rows.row("x", "q", golds, "p")["gold"] == gold


def test_answers_that_are_no_text_become_one():
    assert rows.row(3, None, ["a"], {"b": [1]}, extra=0) == {
        "id": "3",
        "extra": 0,
        "question": "",
        "gold": ["a"],
        "pred": '{"b": [1]}',
    }


@every(
    ("messages", "text"),
    [
        ("plain", "plain"),
        ([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], "a"),
        ([{"type": "human", "content": "a"}, {"type": "ai", "content": "b"}], "a"),
        ([{"role": "assistant", "content": "b"}], ""),
        (None, ""),
    ],
)
def test_the_question_is_the_last_message_of_a_user(messages, text):
    assert rows.last_user_text(messages) == text


def test_a_missing_field_names_file_and_place():
    with pytest.raises(
        ValueError, match=r"x\.json, line 2: there must be an object with the field 'a', but there is .* fields b"
    ):
        rows.field({"b": 1}, "a", Path("x.json"), "line 2")


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


WRITTEN = [DATA / "inspect-0.3.285.json", DATA / "inspect-0.3.285.eval"]
SAMPLE = {"id": 1, "epoch": 2, "input": "Who?", "target": "a", "output": {"choices": [], "completion": "b"}}


def by_id(path: Path) -> dict[str, dict[str, Any]]:
    if path.suffix == ".eval":
        pytest.importorskip("pyarrow", reason="could not import 'pyarrow'")
    return {row["id"]: row for row in inspect_log.rows(path)}


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.suffix)
def test_each_sample_is_a_row_with_the_last_question_and_the_completion(path):
    rows_by_id = by_id(path)
    assert rows_by_id["2"] == {
        "id": "2",
        "epoch": 1,
        "question": "How many players has a football team?",
        "gold": ["eleven"],
        "pred": "11",
    }
    assert rows_by_id["long"]["gold"] == ["Rome", "Roma"]
    assert rows_by_id["long"]["question"].startswith("Which city is the capital of Italy? Think")
    assert rows_by_id["long"]["pred"].endswith("as everybody knows.")
    assert (rows_by_id["chat"]["question"], rows_by_id["chat"]["pred"]) == (
        "Who wrote Hamlet?",
        "William \nShakespeare",
    )


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.suffix)
def test_an_empty_completion_is_an_answer_and_an_error_is_not(path):
    rows_by_id = by_id(path)
    assert rows_by_id["error"]["pred"] is None
    assert (rows_by_id["open"]["pred"], rows_by_id["open"]["gold"]) == ("", None)


def zipped(path: Path, samples: dict[str, str], compression: int = ZIP_DEFLATED) -> Path:
    with ZipFile(path, "w", compression) as file:
        file.writestr("header.json", "{}")
        for name, content in samples.items():
            file.writestr(f"samples/{name}.json", content)
    return path


def test_long_texts_may_be_stored_beside_the_sample(tmp_path):
    sample = SAMPLE | {
        "input": "attachment://x",
        "output": {"choices": [{"message": {"content": "attachment://y"}}]},
        "attachments": {"x": "a long question", "y": "a long answer"},
    }
    (row,) = inspect_log.rows(zipped(tmp_path / "a.eval", {"1": json.dumps(sample)}, ZIP_STORED))
    assert (row["question"], row["pred"], row["epoch"]) == ("a long question", "a long answer", 2)


def test_a_sample_of_several_frames_of_zstd_is_read_and_its_checksum_is_checked(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="could not import 'pyarrow'")
    text = json.dumps(SAMPLE).encode()
    frames = b"".join(pyarrow.compress(part, "zstd", asbytes=True) for part in (text[:20], text[20:]))
    for damaged in (False, True):
        path = zipped(tmp_path / f"{damaged}.eval", {"1": frames.decode("latin-1")}, ZIP_STORED)
        with ZipFile(path, "w") as file:
            file.writestr("samples/1.json", frames)
        raw = bytearray(path.read_bytes())
        directory = raw.index(b"PK\1\2")
        sums = struct.pack("<III", zlib.crc32(text) + damaged, len(frames), len(text))
        raw[8:10] = raw[directory + 10 : directory + 12] = struct.pack("<H", 93)
        raw[14:26] = raw[directory + 16 : directory + 28] = sums
        path.write_bytes(raw)
        if damaged:
            with pytest.raises(ValueError, match=r"samples/1\.json is damaged: its checksum differs"):
                list(inspect_log.rows(path))
        else:
            assert [row["pred"] for row in inspect_log.rows(path)] == ["b"]


@every(
    ("content", "message"),
    [
        ("{", r"samples/1\.json: not JSON"),
        ("[]", r"samples/1\.json: there must be an object with the field 'target'"),
        ('{"id": 1, "target": "a"}', "the field 'input', but there is one with the fields id, target"),
    ],
)
def test_a_damaged_sample_is_named(tmp_path, content, message):
    with pytest.raises(ValueError, match=message):
        list(inspect_log.rows(zipped(tmp_path / "a.eval", {"1": content})))


def test_a_log_that_was_broken_off_is_an_error(tmp_path):
    whole = zipped(tmp_path / "a.eval", {"1": json.dumps(SAMPLE)}).read_bytes()
    (tmp_path / "b.eval").write_bytes(whole[:-30])
    with pytest.raises(ValueError, match="not a complete log of Inspect"):
        list(inspect_log.rows(tmp_path / "b.eval"))
    (tmp_path / "c.json").write_text('{"version": 2, "status": "error", "eval": {}}')
    with pytest.raises(ValueError, match="the field 'samples'"):
        list(inspect_log.rows(tmp_path / "c.json"))


WRITTEN_BY_LM_EVAL = Path(__file__).parent / "data" / "lm-eval-0.4.13.jsonl"
SAMPLE_OF_LM_EVAL = json.loads(WRITTEN_BY_LM_EVAL.read_text(encoding="utf-8").splitlines()[0])


def read(folder: Path, *samples: Any, part: str | None = None) -> list[dict[str, Any]]:
    path = folder / "samples_x.jsonl"
    path.write_text("".join(json.dumps(sample) + "\n" for sample in samples), encoding="utf-8")
    return list(lm_eval.rows(path, part))


def test_each_line_is_a_row_and_a_target_that_was_a_list_is_one_again():
    assert list(lm_eval.rows(WRITTEN_BY_LM_EVAL)) == [
        {"id": "0", "question": "Which city is the capital of Italy?", "gold": ["Rome", "Roma"], "pred": "lol"},
        {"id": "1", "question": "How many players has a football team?", "gold": ["eleven"], "pred": "lol"},
    ]


@every("responses", [["a"], [["a", "b"]], [[["a"]]]])
def test_the_answer_is_the_first_response(tmp_path, responses):
    assert read(tmp_path, SAMPLE_OF_LM_EVAL | {"filtered_resps": responses})[0]["pred"] == "a"


def test_raw_response_and_prompt_replace_missing_fields(tmp_path):
    sample = SAMPLE_OF_LM_EVAL | {"doc": {"text": "x"}, "filtered_resps": []}
    assert read(tmp_path, sample)[0] == {
        "id": "0",
        "question": "Q: Which city is the capital of Italy?\nA:",
        "gold": ["Rome", "Roma"],
        "pred": "lol",
    }
    assert read(tmp_path, sample | {"arguments": [["prompt", {}]]})[0]["question"] == ""


def test_of_several_filters_one_is_chosen(tmp_path):
    samples = [
        SAMPLE_OF_LM_EVAL | {"filter": "strict-match"},
        SAMPLE_OF_LM_EVAL | {"filter": "flexible", "filtered_resps": ["yes"]},
    ]
    with pytest.raises(ValueError, match=r"line 2: .*\(strict-match, flexible.*--from lm-eval:flexible"):
        read(tmp_path, *samples)
    assert [row["pred"] for row in read(tmp_path, *samples, part="flexible")] == ["yes"]
    with pytest.raises(LookupError, match=r"of the filter 'loose'; its filters are strict-match, flexible"):
        read(tmp_path, *samples, part="loose")


@every("response", [[-1.5, False], ["-1.5", "False"], [["-1.5", "False"], ["-2.5", "True"]]])
def test_log_likelihoods_are_no_answers(tmp_path, response):
    with pytest.raises(ValueError, match="a log-likelihood instead of an answer"):
        read(tmp_path, SAMPLE_OF_LM_EVAL | {"filtered_resps": [response]})


@every(
    ("sample", "message"),
    [
        ([1], "line 1: there must be an object with the field 'doc'"),
        ({"doc": {}, "resps": [["a"]], "doc_id": 1}, "the field 'target', but there is"),
    ],
)
def test_a_line_that_is_no_sample_is_named(tmp_path, sample, message):
    with pytest.raises(ValueError, match=message):
        read(tmp_path, sample)
    (tmp_path / "broken.jsonl").write_text("{\n")
    with pytest.raises(ValueError, match=r"broken\.jsonl, line 1: not JSON"):
        list(lm_eval.rows(tmp_path / "broken.jsonl"))
