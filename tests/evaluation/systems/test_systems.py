"""Systems are evaluated: scores, verdicts, final answers, several golds, and means."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import answersim
from answersim._base.errors import TruncationWarning, warn_user
from answersim._base.io import files
from answersim._base.text_tables import content
from answersim.answers.extraction import Extractor
from answersim.answers.tables.reader import read_answers
from answersim.calibration.transfer import Transfer
from answersim.calibration.verdicts import Verdicts
from answersim.evaluation.systems.listed_answers import columns_of
from answersim.evaluation.systems.systems import evaluate
from answersim.evaluation.systems.tables import answer_table
from answersim.types import Pair
from tests.cases import every

N = 120


class Words:
    """1 if both answers are equal, .4 if the prediction ends in "?", else 0."""

    signature = "words|v:1"

    def __call__(self, pairs, /):
        return np.array([float(gold == pred) or 0.4 * pred.endswith("?") for gold, pred in pairs])


@pytest.fixture(scope="module")
def meaning():
    """Scores of 1 are right, those of 0 wrong, and half of those between are."""
    scores = np.repeat([0.0, 0.4, 1.0], 100)
    labels = np.repeat([0.0, 0.0, 1.0, 1.0], [100, 50, 50, 100])
    return answersim.calibrate(scores, labels, signature="words|v:1", bootstrap=answersim.Bootstrap(resamples=20))


@pytest.fixture
def data():
    """System a is right on 80 rows of 120 and unsure on 10; b is right on the odd rows. Two rows share a question."""
    gold = [f"g{i}" for i in range(N)]
    a = [g if i < 80 else f"{g}?" if i < 90 else "no, it is none of these at all" for i, g in enumerate(gold)]
    b = [g if i % 2 else "no" for i, g in enumerate(gold)]
    asked = [f"{'Who' if i < 60 else 'How many'} {i // 2}?" for i in range(N)]
    return {"gold": gold, "a": a, "b": b, "asked": asked, "part": ["x"] * 30 + ["y"] * 90}


def run(data, meaning, **more):
    settings = {"pred": ["a", "b"], "calibration": meaning} | more
    return evaluate(data, Words(), **settings)


def test_answers_are_counted_and_the_shares_are_theirs(data, meaning):
    a, b = run(data, meaning).rows
    assert (a.system, a.n, a.right, a.wrong, a.unsure) == ("a", 120, 80, 30, 10)
    assert (b.system, b.n, b.right, b.wrong, b.unsure) == ("b", 120, 60, 60, 0)
    assert a.share.value == 80 / 120
    assert a.share.low < a.share.value < a.share.high
    assert a.mean.value == pytest.approx((80 + 0.4 * 10) / 120)
    expected = meaning.probability([1.0] * 80 + [0.4] * 10 + [0.0] * 30)
    assert a.probability.value == pytest.approx(expected.mean())


def test_intervals_are_over_questions_or_groups(data, meaning):
    alone = run(data, meaning, pred="a")
    by_question = run(data, meaning, pred="a", question="asked")
    by_part = evaluate(read_answers(data, pred="a", group="part"), Words(), calibration=meaning)
    assert [entry.row().clusters for entry in (alone, by_question, by_part)] == [120, 60, 2]
    assert [entry.settings["clusters"] for entry in (alone, by_question, by_part)] == [
        "answers",
        "questions",
        "the values of 'part'",
    ]
    widths = [entry.row().share.high - entry.row().share.low for entry in (alone, by_question)]
    assert widths[0] < widths[1]  # neighbors share a question and a fate


def test_the_wrong_and_the_unsure_are_listed_the_surest_first(data, meaning):
    result = run(data, meaning, question="asked")
    assert [answer.verdict for answer in result.answers if answer.system == "a"] == ["wrong"] * 30 + ["unsure"] * 10
    first = result.only("unsure")[0]
    assert (first.row, first.gold, first.pred, first.question) == ("81", "g80", "g80?", "How many 40?")
    assert (first.score, first.probability) == (0.4, meaning.probability(0.4))
    assert len(result.only("wrong")) == 90
    assert {answer.verdict for answer in run(data, meaning, keep=["right"]).answers} == {"right"}
    assert run(data, meaning, keep="wrong").only("unsure") == ()


def test_subsets_are_by_column_by_length_of_the_prediction_and_by_question_word(data, meaning):
    result = run(data, meaning, question="asked", by=["part", "length", "question"])
    assert result.subsets == (
        *("all", "part=x", "part=y", "length=0-1", "length=6-15"),
        *("question=how many", "question=who"),
    )
    assert (result.row("a", "part=x").right, result.row("b", "part=x").right) == (30, 15)
    assert (result.row("a", "length=6-15").wrong, result.row("a", "length=0-1").n) == (30, 90)
    assert result.row("a", "question=who").right == 60
    with pytest.raises(LookupError):
        result.row("b", "length=6-15")  # b gives no long answer
    for name in ("part", "length", "question"):
        parts = [row for row in result.rows if row.system == "a" and row.subset.startswith(f"{name}=")]
        assert sum(row.n for row in parts) == N


def test_a_column_goes_before_a_subset_of_its_name(data, meaning):
    result = run({**data, "length": ["short"] * 100 + ["long"] * 20}, meaning, by=["length"])
    assert result.subsets == ("all", "length=long", "length=short")
    with pytest.raises(ValueError, match="by names 'question', but there are no questions"):
        run(data, meaning, by=["question"])
    with pytest.raises(LookupError, match="no column 'source'"):
        run(data, meaning, by=["source"])


def test_the_band_decides_the_verdicts(data, meaning):
    assert run(data, Verdicts(meaning, low=0.5, high=0.5), pred="a").row().unsure == 0


def test_without_a_calibration_there_are_scores_only(data, meaning):
    result = run(data, None)
    assert result.row("a").right is None
    assert np.isnan(result.row("a").share.value)
    assert result.answers == ()
    assert result.summary()[0].startswith("a: mean words 0.700 [")
    shipped = evaluate(data, "bleu", pred="a")
    assert "no calibration ships for bleu" in shipped.notes[0]
    with pytest.raises(LookupError, match="no calibration is called 'emm'"):
        evaluate(data, "em", pred="a", calibration="emm")


def test_without_a_metric_it_is_that_of_the_calibration_or_the_default_one(monkeypatch):
    monkeypatch.setattr("answersim.metrics.catalog.lookup.DEFAULT_METRIC", "meteor")
    assert evaluate({"gold": ["Rome"], "pred": ["Rome"]}).metric == "meteor"
    assert evaluate({"gold": ["Rome"], "pred": ["Rome"]}, calibration="f1").metric == "f1"


def test_truncated_texts_are_counted_once_for_all_systems(data, meaning):
    class Short(Words):
        def __call__(self, pairs, /):
            warn_user(TruncationWarning(2, "texts", "short"))
            return super().__call__(pairs)

    with pytest.warns(TruncationWarning, match="^2 texts were longer") as caught:
        evaluate(data, Short(), pred=["a", "b"], calibration=meaning)
    assert len(caught) == 1


def test_scores_are_stored_and_looked_up(data, meaning, tmp_path):
    calls = []

    class Costly(Words):
        capabilities = answersim.types.Capabilities(cost="model")

        def __call__(self, pairs, /):
            calls.append(len(pairs))
            return super().__call__(pairs)

    for _ in range(2):
        evaluate(data, Costly(), pred="a", calibration=meaning, cache=tmp_path)
    assert sum(calls) == len({Pair(*pair) for pair in zip(data["gold"], data["a"], strict=True)})


def test_a_file_is_read_with_what_is_stated(meaning, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("gold;pred\nÄ;Ä\nb;c\n", encoding="cp1252")
    result = evaluate(read_answers(path, encoding="cp1252", delimiter=";"), Words(), calibration=meaning)
    assert (result.name, result.systems, result.row().right) == ("t", ("t",), 1)
    assert json.loads(result.to_json())["rows"][0]["n"] == 2


@every(
    ("more", "error", "words"),
    [
        ({"bootstrap": 0.9}, TypeError, "bootstrap is 0.9"),
        ({"keep": ["worng"]}, LookupError, "did you mean 'wrong'"),
        ({"keep": {"wrong": -1}}, ValueError, "keep is -1"),
        ({"calibration": Verdicts(low=0.6)}, ValueError, "low is 0.6"),
        ({"pred": []}, ValueError, "pred names no column"),
        ({"by": "part"}, TypeError, "by is the string 'part'"),
        ({"question": "none"}, LookupError, "no column 'none'"),
        ({"extract": "auto"}, TypeError, "already built"),
        ({"progress": 1}, TypeError, "progress is 1"),
    ],
)
def test_a_wrong_setting_is_reported_before_any_work(data, meaning, more, error, words):
    with pytest.raises(error, match=words):
        run(data, meaning, **more)


@pytest.fixture
def table(data, tmp_path):
    path = tmp_path / "table.jsonl"
    rows = [{name: values[i] for name, values in data.items()} for i in range(N)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_listed_answers_are_written_whole_and_held_in_part(table, meaning, tmp_path):
    output = tmp_path / "wrong.jsonl"
    part = run(table, meaning, keep={"wrong": 3, "unsure": 1})
    whole = run(table, meaning)
    files.write(whole.answers_table(), output)
    assert [answer.system for answer in part.answers] == ["a"] * 4 + ["b"] * 3
    assert part.answers[:3] == whole.answers[:3]
    assert part.n_listed == whole.n_listed == len(whole.answers)
    assert "not shown: 93 more rows" in part.to_text()
    written = [json.loads(line) for line in output.read_text().splitlines()]
    ours = [{name: row[name] for name in columns_of(False)} for row in written]
    assert ours == [{name: getattr(answer, name) for name in columns_of(False)} for answer in whole.answers]
    rows = [json.loads(line) for line in table.read_text().splitlines()]
    for row in written:  # the columns of the input stay
        held = rows[int(row["row"]) - 1]
        assert {name: row[name] for name in held if name != "gold"} | {"gold": row["gold"]} == held


def test_the_listed_answers_are_headed_by_the_ids_of_the_table_and_keep_columns_of_the_same_name(data, meaning):
    more = data | {"id": [f"q{i}" for i in range(N)], "score": ["mine"] * N}
    completed = run(more, meaning)
    table = completed.answers_table()
    assert table.columns[:4] == ("id", "system", "verdict", "score")
    assert (table.rows[0]["id"], table.rows[0]["input score"], table.rows[0]["asked"]) == (
        "q90",
        "mine",
        "How many 45?",
    )
    assert next(table for table in completed.tables() if "verdict" in table.header).header[0] == "id"


def test_the_listed_answers_of_a_file_per_system_keep_the_columns_of_each_file(tmp_path):
    files_of = {"a": {"tokens": 7}, "b": {"seed": 5, "pred": "Paris"}}
    rows = [{"id": f"q{i}", "gold": "Oslo", "pred": "Rome", "topic": i} for i in range(2)]
    for system, more in files_of.items():
        (tmp_path / f"{system}.jsonl").write_text("\n".join(json.dumps(row | more) for row in rows))
    evaluation = evaluate(read_answers([tmp_path / "a.jsonl", tmp_path / "b.jsonl"]), "em")
    table = evaluation.answers_table()
    assert [(row["id"], row["pred"], row["topic"], row["tokens"], row["seed"]) for row in table.rows] == [
        *[("q0", "Rome", 0, 7, None), ("q1", "Rome", 1, 7, None)],
        *[("q0", "Paris", 0, None, 5), ("q1", "Paris", 1, None, 5)],
    ]
    assert not [name for name in table.columns if name.startswith("input")]


def test_what_is_left_out_is_counted(table, meaning):
    lines = table.read_text().splitlines()
    lines[100] = lines[100].replace('"b": ', '"c": ')
    table.write_text("\n".join(lines))
    with pytest.raises(ValueError, match="row 101: 'b' is null, or missing"):
        run(table, meaning)
    with pytest.warns(answersim._base.errors.SkippedRowsWarning, match="1 of 120 rows"):
        evaluation = evaluate(read_answers(table, pred=["a", "b"], skip_bad=True), Words(), calibration=meaning)
    assert (evaluation.row("a").n, evaluation.settings["skipped"]) == (N - 1, 1)
    assert {answer.row for answer in evaluation.answers} <= {str(i) for i in range(1, N + 1) if i != 101}


def test_the_interval_of_the_expected_share_includes_the_transfer_of_the_calibration(data, meaning):
    known = Transfer(0.1, 12, -0.2, 0.1, "")
    plain, wider = run(data, meaning), run(data, replace(meaning, metadata={"transfer": content(known)}))
    for row, other in zip(plain.rows, wider.rows, strict=True):
        assert other.probability == known.widened(row.probability, 0.95)
        assert other.share == row.share
    assert any("is unknown" in note for note in plain.notes)
    assert any("12 other systems and sets" in note for note in wider.notes)


def test_shared_words_of_short_answers_are_unsure_with_a_note_and_a_remedy():
    golds = ["Barack Obama", "North Korea", "New York", "Rome"] * 5
    preds = [
        "Michelle Obama",
        "South Korea",
        "New Delhi",
        "I think that the answer to your question of today is Rome",
    ] * 5
    for name in ("f1", "rouge-l", "meteor"):
        evaluation = evaluate({"gold": golds, "a": preds, "b": preds}, name, pred=["a", "b"])
        row = evaluation.row("a")
        assert (row.right, row.wrong, row.unsure) == (5, 0, 15)
        (note,) = (note for note in evaluation.notes if "fewer than 12 words and" in note)
        assert note.startswith("30 of 40 predictions")
        assert "use answersim or typed+recall, or give the score" in note
        assert note in evaluation.brief()
        by_threshold = evaluate({"gold": golds, "pred": preds}, name, calibration=Verdicts(threshold=0.9))
        assert (by_threshold.row().right, by_threshold.row().unsure) == (0, 0)
        assert not any("fewer than" in note for note in by_threshold.notes)


def test_empty_answers_and_texts_of_missing_values_are_counted_in_notes():
    answers = {"gold": ["", "", "NaN", "Rome"], "a": ["", "x", "NaN", "None"], "b": ["x", "x", "x", "Rome"]}
    notes = evaluate(answers, "em", pred=["a", "b"]).notes
    assert "2 gold answers are empty: there is no answer" in notes
    assert "1 prediction is empty: there is no answer" in notes
    assert "2 texts 'NaN' are read as an answer, and not as a missing value" in notes
    assert "1 text 'None' is read as an answer, and not as a missing value" in notes


@every(
    ("metric", "options", "gold", "has_note"),
    [
        ("em", {}, "72", True),
        ("official:squad", {}, "72", True),
        ("official:gsm8k", {}, "#### 72", False),  # the rule reads the mark itself
        ("official:math", {}, "\\boxed{72}", False),
        ("official:math", {"mode": "pair"}, "72", True),
    ],
)
def test_extraction_is_named_only_for_a_metric_that_reads_no_mark_itself(metric, options, gold, has_note):
    answers = {"gold": [gold] * 2, "a": ["so #### 72"] * 2, "b": ["so #### 71"] * 2}
    built = answersim.metric(metric, **options)
    for result in (evaluate(answers, built, pred=["a", "b"]), answersim.compare(answers, built, pred=["a", "b"])):
        assert any("--extract auto" in note for note in result.notes) is has_note


@every(("probability", "shown"), [(0.695, "0.695"), (0.302, "0.302"), (None, "0.70")])
def test_the_shown_probability_of_an_unsure_answer_is_not_that_of_a_verdict(probability, shown):
    row = evaluate({"gold": ["a", "b"], "pred": ["a", "c"]}, "em", keep=["right"]).answers[0]
    row = row._replace(score=0.698, probability=probability)
    assert answer_table([row], 1, False).rows[0][2] == shown


def test_answers_are_counted_by_rule() -> None:
    answers = {"gold": ["Rome"] * 200, "pred": ["\\boxed{Rome}"] * 2 + ["Rome"] * 198}
    note = (
        "final answers by the rule boxed: in 2 of 200 predictions (boxed 2); 198 (99 %) have none and are read as a "
        "whole"
    )
    assert note in evaluate(answers, "em", extract="boxed").notes
    empty = evaluate(answers, "em", extract=Extractor("boxed", "empty"))
    assert any(note.endswith("198 (99 %) have none and are counted as empty") for note in empty.notes)
