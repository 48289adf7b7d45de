"""Answers that look like another language are scored as English with one warning, by a call and by each command."""

import csv
import pickle
import warnings
from pathlib import Path

import pytest

import answersim
from answersim._base.errors import DetectedLanguageWarning
from tests.command_line import run
from tests.language_texts import GERMAN, OTHERS


def pairs() -> tuple[list[str], list[str], list[str]]:
    questions, golds, preds = map(list, zip(*GERMAN, strict=True))
    return questions, golds, preds


def of_language(found: list[warnings.WarningMessage]) -> list[DetectedLanguageWarning]:
    return [each.message for each in found if isinstance(each.message, DetectedLanguageWarning)]


@pytest.mark.parametrize("metric", ["f1", "recall", "meteor", "rouge-l", "typed+em"])
def test_german_answers_scored_as_english_give_one_warning_with_counts(metric):
    _, golds, preds = pairs()
    with pytest.warns(DetectedLanguageWarning, match=r"look German, .* give --lang de \(lang='de'\)") as found:
        answersim.score(golds, preds, metric=metric)
    (warning,) = of_language(list(found))
    assert (warning.language, warning.name, warning.metrics) == ("de", "German", metric)
    assert 4 <= warning.count <= warning.n == 12
    again = pickle.loads(pickle.dumps(warning))
    assert (str(again), again.count) == (str(warning), warning.count)


def test_one_warning_names_all_metrics_that_read_english():
    _, golds, preds = pairs()
    with pytest.warns(DetectedLanguageWarning, match="but recall, f1 reads them as English") as found:
        answersim.score_pairs(list(zip(golds, preds, strict=True)), ["recall", "bleu", "f1"])
    assert len(of_language(list(found))) == 1


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


def test_english_weights_are_named_as_such():
    _, golds, preds = pairs()
    with pytest.warns(DetectedLanguageWarning, match="look German, .* its weights are English"):
        answersim.score(golds, preds, metric="bi-encoder")


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
