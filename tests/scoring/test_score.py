"""Scores: of pairs, tables and several golds, with verdicts and hints about the language."""

from __future__ import annotations

import csv
import decimal
import math
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.arrays import FloatArray
from answersim._base.errors import DetectedLanguageWarning, GuessedLanguageWarning
from answersim._base.io import files
from answersim.answers.tables.reader import read_answers
from answersim.calibration.scores import Score
from answersim.calibration.storing import find
from answersim.calibration.verdicts import verdict_rule
from answersim.evaluation.agreement.judgments import judgments
from answersim.metrics.catalog.lookup import metric
from answersim.scoring.languages.by_language import by_language
from answersim.scoring.languages.table_language import AUTO, table_language
from answersim.scoring.tables.row_verdicts import calibration_for, row_verdicts
from answersim.scoring.tables.score_file import score_file
from answersim.types import Pair
from tests.cases import every
from tests.command_line import run
from tests.language_texts import ENGLISH, GERMAN, OTHERS
from tests.made_metrics import Asked, Length


def test_two_strings_give_a_score_with_its_signature() -> None:
    score = answersim.score("National Football League", "the Football League", metric="f1")
    assert isinstance(score, Score)
    assert score == pytest.approx(0.8)
    assert score.signature == metric("f1").signature


def test_the_best_of_several_references_counts_and_is_kept() -> None:
    golds = [["NFL", "National Football League"], ["x"], ["q", "y z", "y"]]
    scores = answersim.score(golds, ["National Football League", "y", "y"], metric="f1")
    assert scores.values.tolist() == [1.0, 0.0, 1.0]
    assert scores.references.tolist() == [1, 0, 2]
    first = answersim.score(golds[0], "National Football League", metric="f1")
    assert (first, first.reference) == (1.0, 1)


def test_no_answers_give_no_scores() -> None:
    scores = answersim.score([], [], metric="f1")
    assert (len(scores), scores.signature) == (0, metric("f1").signature)
    assert math.isnan(scores.mean)


def test_each_prediction_has_its_question_and_so_has_each_of_its_references() -> None:
    assert answersim.score("a", "b", Asked(), question="who") == 3.0
    assert answersim.score(["a", "b"], "b", Asked(), question="who") == 3.0
    asked = iter(["who", "", "which"])
    assert answersim.score(["a", ["b", "c"], "d"], ["x", "y", "z"], Asked(), question=asked).values.tolist() == [
        3,
        0,
        5,
    ]
    scored = answersim.score_pairs([("a", "x"), (["b", "c"], "y")], ["em", Asked()], question=["", "who"])
    assert scored["asked|v:1"].values.tolist() == [0.0, 3.0]


def test_a_signature_says_whether_questions_were_read() -> None:
    mine = Asked()
    assert answersim.score("a", "b", mine, question="who").signature == "asked|question:yes|v:1"
    assert answersim.score("a", "b", mine, question="").signature == "asked|v:1"
    assert answersim.score("a", "b", mine).signature == "asked|v:1"
    some = answersim.score(["a", "b"], ["c", "d"], mine, question=["", "who"])
    assert some.signature == some[0].signature == some[1:].signature == "asked|question:yes|v:1"
    assert answersim.score(["a"], ["c"], mine, question=[""]).signature == "asked|v:1"
    scores = answersim.score_pairs([("a", "b")], ["em", mine], question=["who"])
    assert {name: value.signature for name, value in scores.items()} == {
        "em": metric("em").signature,
        "asked|v:1": "asked|question:yes|v:1",
    }


def test_a_question_that_no_metric_reads_is_refused_before_any_work() -> None:
    mine = Length()
    with pytest.raises(
        ValueError, match=r"a question is given, but length, em reads no question; .*'sas' reads questions with an"
    ):
        answersim.score_pairs([("a", "b")], [mine, "em"], question=["who"])
    assert mine.calls == 0
    assert answersim.score("a", "bc", mine, question="") == 2.0  # an empty one is none
    assert answersim.score_pairs([("a", "bc")], [mine, Asked()], question=["who"])["length|v:1"].mean == 2.0


@pytest.mark.parametrize("scorer", [False, True])
def test_a_metric_that_returns_too_few_numbers_is_found_out(scorer: bool) -> None:
    class Short(Length):
        def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
            return np.zeros(1)

    if scorer:
        Short.scorer = None  # type: ignore[attr-defined] # as a cross-encoder has one
    with pytest.raises(ValueError, match="returned an array of shape"):
        answersim.score(["a", "b"], ["a", "b"], metric=Short())


def test_a_whole_table_is_refused() -> None:
    frame = pytest.importorskip("pandas").DataFrame({"a": ["x"]})
    with pytest.raises(TypeError, match=r"gold is a DataFrame with the columns \['a'\]; give one of them"):
        answersim.score(frame, ["x"])
    with pytest.raises(TypeError, match="pred is a DataFrame"):
        answersim.score(["x"], frame)


@every(
    ("gold", "pred", "error", "words"),
    [
        (["a", "b"], ["a"], ValueError, "gold has 2 entries and pred has 1"),
        (["a", None], ["a", "b"], TypeError, r"gold\[1\] is None"),
        (["a"], [None], TypeError, r"pred\[0\] is None .*empty string"),
        (["a"], [5], TypeError, r"pred\[0\] is 5 \(int\)"),
        (["a"], [float("nan")], TypeError, r"pred\[0\] is nan .*empty string"),
        (["a"], [b"a"], TypeError, r"pred\[0\] is b'a' \(bytes\)"),
        (["a"], [["a"]], TypeError, r"pred\[0\] is \['a'\]"),
        ([["a", 3]], ["a"], TypeError, r"gold\[0\] is 3"),
        ([{"a"}], ["a"], TypeError, r"gold\[0\] is \{'a'\}"),
        ({"a"}, ["a"], TypeError, "gold is .*, which has no defined order"),
        (["a"], {"a": 1}, TypeError, "pred is .*, which has no defined order"),
        ([[]], ["a"], ValueError, r"gold\[0\] contains no reference"),
        ([], "a", ValueError, r"gold\[0\] contains no reference"),
        ("a", ["a"], TypeError, "gold is one string but pred is list"),
        ("a", None, TypeError, "pred is None|gold is one string"),
        (None, "a", TypeError, r"gold\[0\] is None"),
        (None, ["a"], TypeError, "gold is None"),
        ({"a": 1}, ["a"], TypeError, "gold is"),
        ({"a"}, ["a"], TypeError, "gold is"),
        (b"a", [b"a"], TypeError, "gold is b'a'"),
        (["a"], [decimal.Decimal(3)], TypeError, "Decimal"),
        (["ok", "\ud800x"], ["a", "b"], ValueError, r"gold\[1\] holds the lone surrogate U\+D800 at position 0"),
        ("a", "x\udfff", ValueError, r"pred\[0\] holds the lone surrogate U\+DFFF at position 1"),
    ],
)
def test_bad_answers_are_refused_before_any_work(gold: Any, pred: Any, error: type[Exception], words: str) -> None:
    mine = Length()
    with pytest.raises(error, match=words):
        answersim.score(gold, pred, metric=mine)
    assert mine.calls == 0


@every(
    ("pred", "question", "error", "words"),
    [
        ("a", ["who"], TypeError, r"question is \['who'\] \(list\), but for one prediction it must be one string"),
        ("a", 5, TypeError, r"question is 5 \(int\)"),
        ("a", "\ud800", ValueError, r"question\[0\] holds the lone surrogate"),
        (["a", "b"], "who", TypeError, r"question is the one string 'who' .*2 predictions; give .*\['who'\] \* 2"),
        (["a", "b"], ["who"], ValueError, "there are 1 questions and 2 predictions; give one per prediction"),
        (["a", "b"], ["who", None], TypeError, r"question\[1\] is None .*a question is a string; .*'no question'"),
        (["a", "b"], ["who", 7], TypeError, r"question\[1\] is 7 \(int\), but a question is a string"),
        (["a", "b"], {"who", "what"}, TypeError, "question is {"),
    ],
)
def test_a_bad_question_is_refused_before_any_work(pred, question, error, words):
    mine = Asked()
    with pytest.raises(error, match=words):
        answersim.score(pred, pred, mine, question=question)
    assert mine.calls == 0


def test_nan_in_a_data_frame_is_an_error_that_names_its_row() -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match=r"pred\[1\] is nan"):
        answersim.score(["a", "b"], pandas.Series(["a", float("nan")], dtype=object))


@pytest.mark.parametrize("pairs", [["ab"], [("a",)], [("a", "b", "c")], [3], [None]])
def test_what_is_no_pair_is_refused(pairs: Any) -> None:
    with pytest.raises(TypeError, match=r"pairs\[0\]"):
        answersim.score_pairs(pairs, ["em"])


DATA = {"gold": [None, "Rome", "Oslo"], "a": ["x", "in Rome", "Bergen"], "b": ["x", "Paris", "in Oslo"]}


def test_each_answer_of_each_system_has_a_verdict(tmp_path):
    with pytest.warns(UserWarning, match="1 of 3 rows"):
        answers = answersim.read_answers(DATA, pred=["a", "b"], skip_bad=True)
    result = row_verdicts(answers, "recall", output=tmp_path / "out.jsonl", prefix="my_")
    expected = find("recall").verdicts([1.0, 0.0, 0.0, 1.0]).tolist()
    assert result.scores.verdicts.tolist() == expected
    rows = files.read(tmp_path / "out.jsonl").rows
    assert [row[f"my_verdict:{system}"] for system in "ab" for row in rows] == expected
    assert [row["my_recall:b"] for row in rows] == [0.0, 1.0]
    assert result.summary()[0].startswith("2 of 4 equivalent, 50%")


def test_a_calibration_of_other_scores_is_refused():
    with pytest.raises(ValueError, match="the column 'gold' may contain other scores"):
        row_verdicts(DATA, "recall", score="gold")


def test_questions_choose_the_calibration_that_was_made_with_questions(monkeypatch):
    assert calibration_for(None, False) == "answersim"
    assert calibration_for(None, True) == calibration_for("answersim", True) == "answersim-question"
    assert calibration_for("mine.json", True) == "mine.json"
    monkeypatch.setattr("answersim.metrics.catalog.lookup.DEFAULT_METRIC", "recall")
    assert calibration_for(None, False) == "recall"
    with pytest.raises(LookupError, match="no calibration of recall was made with questions; leave --question out"):
        calibration_for(None, True)


def pairs() -> tuple[list[str], list[str], list[str]]:
    questions, golds, preds = map(list, zip(*GERMAN, strict=True))
    return questions, golds, preds


def of_language(result: list[warnings.WarningMessage]) -> list[DetectedLanguageWarning]:
    return [entry.message for entry in result if isinstance(entry.message, DetectedLanguageWarning)]


@pytest.mark.parametrize("metric", ["f1", "recall", "meteor", "rouge-l", "typed+em"])
def test_german_answers_scored_as_english_give_one_warning(metric):
    _, golds, preds = pairs()
    with pytest.warns(DetectedLanguageWarning, match=r"look German, .* give --lang de \(lang='de'\)") as caught:
        answersim.score(golds, preds, metric=metric)
    (warning,) = of_language(list(caught))
    assert f"German, but {metric} reads" in str(warning)


@pytest.mark.parametrize(
    ("metric", "options"),
    [("f1", {"lang": "de"}), ("bleu", {}), ("f1", {"profile": "unicode"}), ("f1", {"profile": "squad"})],
)
def test_metrics_that_do_not_read_english_give_no_warning(metric, options):
    _, golds, preds = pairs()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answersim.score(golds, preds, metric=metric, **options)


def test_the_warning_names_the_languages_with_rules_for_values():
    texts = OTHERS["ko"]
    with pytest.warns(DetectedLanguageWarning, match="give --lang ko .* Rules for values in words exist for en, de"):
        answersim.score(texts, texts[::-1], metric="recall")


@pytest.fixture
def german_file(tmp_path: Path) -> Path:
    path = tmp_path / "de.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["question", "gold", "pred", "other", "label", "number", "id"])
        for i in range(60):
            question, gold, pred = GERMAN[i % 6]
            writer.writerow([question, f"{gold} {i}", f"{pred} {i}", f"{gold} {i + 1}", i % 2, i % 7, i])
    return path


COMMANDS = {
    "score": ["-m", "recall"],
    "evaluate": ["-m", "recall", "--pred", "pred,other", "--question", "question"],
    "correlate": ["-m", "recall", "--resamples", "20", "--score", "number"],
    "calibrate": ["-m", "recall", "--output", "c.json"],
    "compare": ["other.csv", "--id", "id", "-m", "recall"],
    "compare --max-drop": ["other.csv", "--id", "id", "-m", "recall", "--max-drop", "0.99"],
    "label": ["-m", "recall", "-n", "20", "--sheet", "s.csv"],
    "score -c": ["--calibration", "recall"],
}
KNOWN_LANGUAGE = ("score -c", "label")  # a calibration has a language of its own; the sheet is there already


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_warns_once(command, german_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = list(csv.DictReader(german_file.read_text(encoding="utf-8").splitlines()))
    with (tmp_path / "other.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        writer.writerows(row | {"pred": row["other"]} for row in table)
    warned = succeed_err(command.split()[0], german_file, *COMMANDS[command])
    told = "look German" if command == "score -c" else "the language of these answers is German"
    assert warned.count(told) == 1, warned
    if command not in KNOWN_LANGUAGE:
        assert "German" not in succeed_err(command.split()[0], german_file, *COMMANDS[command], "--lang", "de")


def succeed_err(*arguments: object) -> str:
    code, _, err = run(*arguments)
    assert code == 0, err
    return err


def table(rows: list[tuple[str, str, str]], times: int = 1) -> dict[str, list[Any]]:
    names = ("question", "gold", "pred")
    return {name: [row[i] for row in rows] * times for i, name in enumerate(names)}


def language_of(data: dict[str, list[Any]], lang: str = AUTO) -> str:
    return table_language(lang, read_answers(data))


def test_a_german_table_is_guessed_and_said_once() -> None:
    with pytest.warns(
        GuessedLanguageWarning, match=r"is German: \d+ of \d+ texts are clearly German; .*--lang"
    ) as caught:
        assert language_of(table(GERMAN)) == "de"
    assert len(caught) == 1


@pytest.mark.parametrize("code", [*OTHERS])
def test_other_languages_are_guessed(code: str) -> None:
    texts = OTHERS[code]
    with pytest.warns(GuessedLanguageWarning):
        assert language_of({"gold": texts, "pred": texts[::-1]}) == code


def test_the_column_of_languages_decides_if_it_has_codes() -> None:
    data = table(ENGLISH)
    n = len(ENGLISH)
    assert language_of({**data, "lang": ["fr"] * n}) == "fr"
    assert language_of({**data, "lang": ["some other column"] * n}) == "en"


@pytest.mark.parametrize("empty", ["", None, float("nan")])
def test_an_empty_cell_is_guessed(empty: Any) -> None:
    data = {**MIXED, "lang": ["de", "en", "de", empty]}
    with pytest.warns(GuessedLanguageWarning, match="'lang' is empty in 1 of 4 rows, which are read as English"):
        assert score_file(data, ["em"], cache=None)["em"].signature.startswith("em|languages:de+en|")


def test_an_unknown_code_among_others_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"the table, row 4: 'lang' is 'xx', but other rows have ISO 639-1 codes"):
        score_file({**MIXED, "lang": ["de", "en", "de", "xx"]}, ["em"], cache=None)


def test_several_languages_in_one_column_are_an_error_that_names_them() -> None:
    data = table(ENGLISH)
    mixed = ["de", "fr"] * len(ENGLISH)
    with pytest.raises(ValueError, match=r"languages de, fr, .*give lang="):
        judgments({**data, "lang": mixed[: len(ENGLISH)], "label": [0, 1, 0] * 3})


@pytest.mark.filterwarnings("ignore::answersim._base.errors.LanguageWarning")
def test_the_signature_of_an_analysis_has_the_language() -> None:
    data = table(GERMAN, 2)
    assert "|text:de|" in answersim.evaluate(data, "recall", cache=None).signature
    assert "|text:en|" in answersim.evaluate(data, "recall", lang="en", cache=None).signature
    assert "|text:de|" in score_file(data, ["f1"], cache=None)["f1"].signature
    labeled = {**data, "label": [0, 1] * len(GERMAN)}
    result = judgments(labeled, question="question").scored("f1")
    assert result.lang == "de"
    assert "|text:de|" in result.scores["f1"].signature
    calibration = answersim.calibrate({**table(GERMAN, 8), "label": [0, 1] * 4 * len(GERMAN)}, metric="recall")
    assert calibration.metric["lang"] == "de"
    two = {**data, "other": data["gold"]}
    assert "|text:de|" in answersim.compare(two, "f1", pred=["pred", "other"]).pair.signature


def test_a_score_of_texts_stays_english_unless_told() -> None:
    rows = GERMAN * 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = answersim.score([row[1] for row in rows], [row[2] for row in rows], "f1")
    assert "|text:en|" in scores.signature


MIXED = {
    "gold": ["zwölf", "twelve", "die alte Brücke", "the old bridge"],
    "pred": ["12", "12", "alte Brücke", "old bridge"],
    "lang": ["de", "en", "de", "en"],
}


def test_each_row_of_a_mixed_table_is_scored_in_its_language() -> None:
    scores = score_file(MIXED, ["typed+f1"], cache=None)["typed+f1"]
    assert scores.signature.startswith("typed+f1|languages:de+en|metrics:")
    for i, code in enumerate(MIXED["lang"]):
        alone = answersim.score(MIXED["gold"][i], MIXED["pred"][i], "typed+f1", lang=code)
        assert scores.values[i] == float(alone)


def test_a_mixed_table_is_counted_by_the_calibration_of_each_language() -> None:
    evaluation = answersim.evaluate(MIXED, "em", cache=None)
    assert "|languages:de+en|" in evaluation.signature
    two = {**MIXED, "other": MIXED["gold"]}
    assert "|languages:de+en|" in answersim.compare(two, "f1", pred=["pred", "other"]).pair.signature


def test_scores_become_probabilities_only_if_every_language_has_them() -> None:
    metrics = {code: answersim.metric("recall", lang=code) for code in ("de", "en")}
    raw = by_language("recall", ["de", "en"], metrics.__getitem__)
    assert raw.has_probabilities == all(
        verdict_rule(metric.signature).basis == "calibration" for metric in metrics.values()
    )
    both = by_language("recall", ["en"], metrics.__getitem__)
    assert both.has_probabilities
    scored = both.scored("en", np.array([0.0, 1.0]), ["a b", "a b"], has_question=False)
    assert scored.tolist() == find("recall").probability(np.array([0.0, 1.0])).tolist()


def test_without_a_table_a_metric_by_language_is_an_error() -> None:
    metric = by_language("f1", ["de", "en"], lambda code: answersim.metric("f1", lang=code))
    with pytest.raises(ValueError, match="column 'lang'"):
        metric([("a", "b")])
