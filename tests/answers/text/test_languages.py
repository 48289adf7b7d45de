"""The language of texts: found with enough evidence, never for English answers with foreign names."""

import csv
import json
import random
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from answersim.answers.text.languages import FREQUENT, text_language
from tests.cases import every
from tests.language_texts import ENGLISH, GERMAN, OTHERS


def texts(rows: list[tuple[str, str, str]]) -> list[str]:
    return [text for row in rows for text in row]


@every(("code", "of"), [("de", texts(GERMAN)), *OTHERS.items()])
def test_a_language_is_found_with_enough_evidence(code, of):
    result = text_language(of)
    assert result is not None
    assert (result.code, result.n) == (code, len(of))
    assert 3 <= result.showing <= len(of)


@every(
    "of",
    [
        [],
        ["", " "],
        texts(ENGLISH),
        texts(ENGLISH) * 50,
        [f"{text} {i}" for i in range(50) for text in texts(ENGLISH)],
        [answer for _, *answers in ENGLISH for answer in answers],  # names only
        texts(GERMAN)[:3],  # too little
        ["Москва"],
        ["1", "2", "3.5", "$5"] * 30,
    ],
)
def test_english_answers_with_foreign_names_are_english(of):
    assert text_language(of) is None


def test_no_frequent_word_is_one_of_english():
    for first, second in combinations(FREQUENT, 2):
        assert "en" not in (first, second) or not FREQUENT[first] & FREQUENT[second]


@pytest.mark.data
def test_human_labeled_sets_are_english_but_for_german_quad(data_home):
    for name, rows in _sets(data_home):
        for size in (5, 10, 20, 50, 120, len(rows)):
            rng = random.Random(size)
            draws = [rng.sample(rows, min(size, len(rows))) for _ in range(20 if size < len(rows) else 1)]
            results = [text_language(text for row in draw for text in row) for draw in draws]
            codes = {language.code for language in results if language is not None}
            assert codes <= {"de" if name == "GermanQuAD" else ""} - {""}, (name, size)
            if name == "GermanQuAD" and size >= 50:
                assert None not in results


def _sets(home: Path) -> Iterator[tuple[str, list[list[str]]]]:
    for name in ("SQuAD", "NQ-open", "GermanQuAD"):
        with (home / "sas" / f"{name}_SAS.csv").open(newline="", encoding="utf-8") as file:
            yield name, [[row["answer1"], row["answer2"]] for row in csv.DictReader(file)]
    if (home / "judged" / "evouna-TQ.json").is_file():
        answers = json.loads((home / "judged" / "evouna-TQ.json").read_text(encoding="utf-8"))
        for system in ("fid", "gpt35", "chatgpt", "gpt4", "newbing"):
            yield f"EVOUNA {system}", [[row["golden_answer"], row[f"answer_{system}"] or ""] for row in answers]
    efficient = home / "judged" / "NQ-open.efficientqa.test.1.1.jsonl"
    if efficient.is_file():
        rows = [json.loads(line) for line in efficient.read_text(encoding="utf-8").splitlines()]
        yield ("EfficientQA", [[row["answer"][0], pred] for row in rows for pred in row["def_incorrect_predictions"]])
