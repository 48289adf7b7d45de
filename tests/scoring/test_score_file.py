"""score_file names bad rows, and its output is complete or absent; scores with calibrations, plug-ins and an index."""

from __future__ import annotations

import copy
import json
import os
import pickle
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.arrays import FloatArray
from answersim._base.errors import NonFiniteScoreError, ShortAnswersWarning, SkippedRowsWarning
from answersim._base.io import files
from answersim.scoring.tables.score_file import FileScores, score_file
from answersim.types import Metric, Pair
from tests.cases import calls_between_files
from tests.made_metrics import Asked

WORDS = ["Rome", "in Rome", "the National Football League", "NFL", "eleven", "11", "a b c", "", "Zürich", "北京"]
N = 23


class Counting:
    """The length of both texts. It counts the pairs that it scores."""

    def __init__(self, name: str = "counting") -> None:
        self.scored, self.name = 0, name

    @property
    def signature(self) -> str:
        return f"{self.name}|v:1"

    def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
        self.scored += len(pairs)
        return np.array([(len(gold) + len(pred)) / 7 for gold, pred in pairs])


def rows_of(n: int = N) -> list[dict[str, str]]:
    return [{"id": str(i), "gold": WORDS[i % 10], "pred": WORDS[i * 3 % 7]} for i in range(n)]


def table(path: Path, rows: list[Any] | None = None) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in (rows_of() if rows is None else rows)), "utf-8")
    return path


def run(data: Any, output: Path | None = None, metric: Metric | None = None, **columns: Any) -> FileScores:
    metrics = {"em": answersim.metric("em"), "counting": metric or Counting()}
    return score_file(answersim.read_answers(data, **columns), metrics, output)


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_every_row_has_the_score_of_one_call(suffix: str, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = list(rows_of())
    if suffix != "parquet":
        rows = [row | {"gold": [row["gold"], "x"]} if i % 5 == 0 else row for i, row in enumerate(rows)]
    completed = run(table(tmp_path / "t.jsonl", rows), tmp_path / f"out.{suffix}")
    expected = answersim.score([row["gold"] for row in rows], [row["pred"] for row in rows], Counting())
    written = files.read(tmp_path / f"out.{suffix}")
    assert [float(row["counting"]) for row in written.rows] == expected.values.tolist()
    assert written.columns == ("id", "gold", "pred", "em", "counting")
    assert completed["counting"].values.tolist() == expected.values.tolist()
    assert (completed["counting"].mean, completed["counting"].ci()) == (expected.mean, expected.ci())
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"out.{suffix}", "t.jsonl"]


@pytest.mark.parametrize("is_file", [True, False])
def test_each_column_of_predictions_has_a_column_of_scores(tmp_path: Path, is_file: bool) -> None:
    rows = [row | {"old": row["gold"]} for row in rows_of()]
    data: Any = (
        table(tmp_path / "t.jsonl", rows) if is_file else {name: [row[name] for row in rows] for name in rows[0]}
    )
    scores = score_file(data, {"n": Counting(), "m": Counting()}, tmp_path / "out.jsonl", pred=["pred", "old"])
    assert list(scores) == ["n:pred", "m:pred", "n:old", "m:old"]
    for name in ("pred", "old"):
        numbers = [(len(row["gold"]) + len(row[name])) / 7 for row in rows]
        assert [row[f"n:{name}"] for row in read_lines(tmp_path / "out.jsonl")] == numbers
        assert scores[f"m:{name}"].mean == pytest.approx(np.mean(numbers))


def flawed() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{"id": str(i), "gold": [f"g{i}"], "pred": f"p{i}"} for i in range(14)]
    del rows[1]["pred"]
    rows[6]["gold"] = []
    for i in (8, 9, 10, 11):
        del rows[i]["pred"]
    return rows


def test_rows_without_answers_are_reported_at_once(tmp_path: Path) -> None:
    metric = Counting()
    with pytest.raises(ValueError, match="6 rows cannot be scored: row 2: 'pred' is null") as error:
        run(table(tmp_path / "in.jsonl", flawed()), tmp_path / "out.csv", metric)
    for words in ("row 7: 'gold' is []", "row 9: ", "row 12: the same", "leave them out with --skip-bad"):
        assert words in str(error.value)
    assert metric.scored == 0
    assert not (tmp_path / "out.csv").exists()


class Odd:
    """No number for one gold answer."""

    signature = "odd|v:1"

    def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
        return np.array([np.nan if gold == "odd" else 0.5 for gold, _ in pairs])


def test_a_score_that_is_not_finite_is_named_by_its_row_in_the_file(tmp_path: Path) -> None:
    rows: list[Any] = [{"gold": ["a", "b"], "pred": None}] + [{"gold": ["a", "b"], "pred": "x"}] * 8
    path = table(tmp_path / "in.jsonl", [*rows, {"gold": ["a", "odd"], "pred": "x"}])
    with pytest.warns(SkippedRowsWarning):
        answers = answersim.read_answers(path, skip_bad=True)
    with pytest.raises(NonFiniteScoreError, match=r"pair 10 \(gold 'odd'"):
        score_file(answers, {"odd": Odd()}, tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".parquet"])
def test_fields_inside_objects_are_scored_and_the_table_keeps_its_columns(suffix: str, tmp_path: Path) -> None:
    rows = [{"id": i, "answer": {"texts": ["a", "b"]}, "response": {"text": "b"}} for i in range(6)]
    path = tmp_path / f"in{suffix}"
    if suffix == ".parquet":
        pyarrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(pyarrow.Table.from_pylist(rows), path)
    elif suffix == ".json":
        path.write_text(json.dumps(rows))
    else:
        table(path, rows)
    assert run(path, tmp_path / "out.jsonl", gold="answer.texts", pred="response.text")["em"].mean == 1.0
    assert [list(row) for row in read_lines(tmp_path / "out.jsonl")] == [
        ["id", "answer", "response", "em", "counting"]
    ] * 6


@pytest.mark.parametrize(("suffix", "value"), [("csv", "\ud83d"), ("parquet", 5)])
def test_a_value_that_the_output_cannot_hold_is_found_before_any_work(suffix: str, value: Any, tmp_path: Path) -> None:
    path, metric = table(tmp_path / "t.jsonl", [*rows_of(8), {"gold": "a", "pred": "b", "id": value}]), Counting()
    with pytest.raises(ValueError, match=rf"out\.{suffix} cannot contain this table: .*"):
        run(path, tmp_path / f"out.{suffix}", metric)
    assert metric.scored == 0
    assert not (tmp_path / f"out.{suffix}").exists()


def test_bytes_in_parquet_are_refused_for_json_before_any_work(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    raw = pyarrow.table({"gold": ["a"], "pred": ["b"], "raw": pyarrow.array([b"x"], "binary")})
    pytest.importorskip("pyarrow.parquet").write_table(raw, tmp_path / "t.parquet")
    metric = Counting()
    with pytest.raises(ValueError, match="b'x' is bytes, not text; leave that column out, or write"):
        run(tmp_path / "t.parquet", tmp_path / "out.jsonl", metric)
    assert metric.scored == 0
    run(tmp_path / "t.parquet", tmp_path / "out.parquet", metric)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes in folders there")
@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet", ""])
def test_a_pipe_gets_the_table_and_stays_a_pipe(suffix: str, tmp_path: Path) -> None:
    path = table(tmp_path / "t.jsonl")
    run(path, expected := tmp_path / f"expected{suffix or '.jsonl'}")
    pipe, received = tmp_path / f"pipe{suffix}", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()), daemon=True)
    reader.start()
    run(path, pipe)
    reader.join(60)
    assert received == [expected.read_bytes()]
    assert pipe.is_fifo()


def test_metrics_are_names_or_built_ones_and_two_of_one_name_are_an_error(tmp_path: Path) -> None:
    path = table(tmp_path / "t.jsonl")
    assert list(score_file(path, ["f1", answersim.metric("em")])) == ["f1", "em"]
    assert list(score_file(path, "recall")) == ["recall"]
    with pytest.raises(ValueError, match="two metrics are called 'f1'"):
        score_file(path, ["f1", answersim.metric("f1", profile="squad")])


def test_a_calibrated_metric_beside_one_that_reads_all_gold_answers_at_once() -> None:
    names = ["official:qampari", "recall"]
    pairs = [(["Rome", "the city of Rome"], "Rome"), (["Oslo", "Bergen"], "Paris")]
    scored = answersim.score_pairs(pairs, names, calibration={"recall": "shipped"})
    assert list(scored) == names
    assert scored["recall"].verdicts.tolist() == ["equivalent", "different"]  # type: ignore[attr-defined]


def test_a_calibration_is_for_scores_with_the_same_use_of_questions() -> None:
    mine = Asked()
    gold, asked = ["a"] * 40, ["who", ""] * 20
    plain = answersim.calibrate(
        [float(i % 2) for i in range(40)],
        [0, 1] * 20,
        signature="asked|v:1",
        bootstrap=answersim.Bootstrap(resamples=10),
    )
    reading = answersim.calibrate(
        answersim.score(gold, gold, mine, question=asked), [1, 0] * 20, bootstrap=answersim.Bootstrap(resamples=10)
    )
    assert reading.signature == "asked|question:yes|v:1"
    assert answersim.score("a", "b", mine, question="who", calibration=reading).verdict
    calls = mine.calls
    with pytest.raises(ValueError, match=r"'asked\|v:1'.*'asked\|question:yes\|v:1'.*leave the question out"):
        answersim.score("a", "b", mine, question="who", calibration=plain)
    with pytest.raises(ValueError, match=r"'asked\|question:yes\|v:1'.*'asked\|v:1'.*give the question"):
        answersim.score("a", "b", mine, calibration=reading)
    with pytest.raises(ValueError, match="give the question"):
        answersim.score_pairs([("a", "b")], [mine], question=[""], calibration={"asked|v:1": reading})
    with pytest.raises(LookupError, match="made with questions"):
        answersim.score("a", "b", mine, question="who", calibration="shipped")
    assert mine.calls == calls


def test_scores_keep_the_index_of_a_series() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"gold": ["a", "b", "c"], "pred": ["a", "x", "c"]}, index=[7, 3, 5])
    for gold, pred in (
        (frame["gold"], frame["pred"]),
        (frame["gold"], list(frame["pred"])),
        (list(frame["gold"]), frame["pred"]),
    ):
        scores = answersim.score(gold, pred, metric="em")
        frame["em"] = scores.to_pandas()
        assert frame["em"].tolist() == [1.0, 0.0, 1.0]
        assert scores.to_pandas().index.tolist() == [7, 3, 5]
        assert scores[1:].to_pandas().index.tolist() == [3, 5]
        assert scores[np.array([True, False, True])].to_pandas().index.tolist() == [7, 5]
        assert scores[[2, 0]].to_pandas().index.tolist() == [5, 7]  # type: ignore[call-overload]
        assert scores[::-1][0:1].to_pandas().to_dict() == {5: 1.0}
        assert pickle.loads(pickle.dumps(scores)).to_pandas().index.tolist() == [7, 3, 5]
    calibrated = answersim.score(frame["gold"], frame["pred"], metric="recall", calibration="recall")
    assert calibrated.to_pandas().index.tolist() == [7, 3, 5]
    assert calibrated[1:].to_pandas().index.tolist() == [3, 5]
    assert copy.deepcopy(calibrated).to_pandas().index.tolist() == [7, 3, 5]
    asked = answersim.score(["a", "b"], ["a", "b"], Asked(), question=pandas.Series(["who", ""], index=["x", "y"]))
    assert asked.to_pandas().to_dict() == {"x": 3.0, "y": 0.0}
    assert answersim.score(["a"], ["a"], "em").to_pandas().index.tolist() == [0]


def test_two_series_with_other_indexes_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    gold = pandas.Series(["a", "b"], index=[0, 1])
    with pytest.raises(ValueError, match=r"gold and pred are pandas.Series with different indexes.*tolist"):
        answersim.score(gold, pandas.Series(["b", "a"], index=[1, 0]))
    with pytest.raises(ValueError, match="pred and question are"):
        answersim.score(["a", "b"], gold, Asked(), question=pandas.Series(["b", "a"], index=[1, 0]))
    assert answersim.score(gold, pandas.Series(["a", "b"], index=[0, 1]), "em").mean == 1.0


def test_a_calibration_leaves_the_numbers_as_they_are_and_says_what_they_mean() -> None:
    gold, pred = ["Rome", "Rome", "a b c"], ["in Rome", "Milan", "c d e"]
    plain = answersim.score(gold, pred, metric="recall")
    scores = answersim.score(gold, pred, metric="recall", calibration="recall")
    assert scores == plain
    assert [score.verdict for score in scores] == scores.verdicts.tolist()  # type: ignore[attr-defined] # calibrated
    first = answersim.score(["Milan", "Rome"], "in Rome", metric="recall", calibration="shipped")
    assert (float(first), first.reference, first.verdict) == (float(plain[0]), 1, scores[0].verdict)
    assert first.probability == scores.probabilities[0]
    assert answersim.score("Rome", "Rome", "f1").verdict is None


def test_a_calibration_of_another_metric_is_refused_before_any_work() -> None:
    class Untouched:
        signature = "untouched|v:1"

        def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
            raise AssertionError("scored all the same")

    with pytest.raises(ValueError, match="untouched is another metric than f1"):
        answersim.score("a", "b", metric=Untouched(), calibration="f1")
    with pytest.raises(ValueError, match="text is squad and not en"):
        answersim.score("a", "b", metric="f1", profile="squad", calibration="f1")
    with pytest.raises(LookupError, match="no calibration is called 'f2'"):
        answersim.score("a", "b", metric="f1", calibration="f2")


LONG = "I think that the answer to your question of today is Rome"  # 12 words
SHORT = "I think that the answer to your question today is Rome"


@pytest.mark.parametrize("name", ["f1", "rouge-l", "meteor"])
def test_a_prediction_of_fewer_than_twelve_words_is_unsure_by_shared_words(name: str) -> None:
    golds = ["Barack Obama", "North Korea", "Rome", "Rome", "Rome"]
    preds = ["Michelle Obama", "South Korea", "Rome", SHORT, LONG]
    with pytest.warns(ShortAnswersWarning, match=rf"4 of 5 .* fewer than 12 words and are unsure: {name} gives no"):
        scores = answersim.score(golds, preds, name, calibration="shipped")
    assert scores.verdicts.tolist() == ["unsure"] * 4 + ["equivalent"]  # type: ignore[attr-defined]
    assert np.isnan(scores.probabilities).tolist() == [True] * 4 + [False]
    assert scores == answersim.score(golds, preds, name)
    with pytest.warns(ShortAnswersWarning, match="the prediction has"):
        first = answersim.score("Barack Obama", "Michelle Obama", name, calibration="shipped")
    assert (first.verdict, str(first.probability)) == ("unsure", "nan")
    with pytest.warns(ShortAnswersWarning):  # the answer counts that is read out
        read = answersim.score("Rome", f"{LONG}. #### Rome", name, calibration="shipped", extract="auto")
    assert read.verdict == "unsure"


@pytest.mark.parametrize("name", ["f1", "em", "recall"])
def test_a_score_by_name_enters_at_most_twelve_functions_of_other_files(name: str) -> None:
    answersim.score("National Football League", "the NFL", name)  # it is built once
    calls = calls_between_files(lambda: answersim.score("National Football League", "the NFL", name))
    assert ("score.py", "score") in calls
    assert len(calls) <= 12, calls


@pytest.mark.filterwarnings("ignore::answersim._base.errors.TruncationWarning")
def test_a_verdict_of_the_best_reference_says_whether_it_was_read_as_a_whole() -> None:
    pytest.importorskip("torch")
    long = "Rome " * 600
    golds = [[long, "Rome"], ["Rome", "Paris"]]  # the first prediction is best scored against its short reference
    scores = answersim.score(golds, ["Rome", long], "bertscore", calibration="shipped")
    assert scores.truncated.tolist() == [False, True]
    assert answersim.score("Rome", long, "bertscore", calibration="shipped").truncated


def test_several_metrics_have_their_calibrations_by_name() -> None:
    scores = answersim.score_pairs([("Rome", "in Rome")], ["em", "recall"], calibration={"recall": "shipped"})
    assert scores["recall"].verdicts.tolist() == ["equivalent"]
    assert scores["em"].verdicts is None
    with pytest.raises(LookupError, match="calibration is given for 'recall', but the metrics are: em, f1"):
        answersim.score_pairs([("a", "b")], ["em", "f1"], calibration={"recall": "shipped"})
    with pytest.raises(TypeError, match=r"give a mapping from their names, such as \{'em': 'shipped'\}"):
        answersim.score_pairs([("a", "b")], ["em", "f1"], calibration="f1")  # type: ignore[arg-type]
