"""The language of a table: given, of its column, or guessed once; and what the analyses do with it."""

import warnings
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.errors import GuessedLanguageWarning
from answersim.answers.tables.reader import read_answers
from answersim.calibration.storing import find
from answersim.calibration.verdicts import verdict_rule
from answersim.evaluation.agreement.judgments import judgments
from answersim.scoring.by_language import by_language
from answersim.scoring.score_file import score_file
from answersim.scoring.table_language import AUTO, table_language
from tests.language_texts import ENGLISH, GERMAN, OTHERS


def table(rows: list[tuple[str, str, str]], times: int = 1) -> dict[str, list[Any]]:
    names = ("question", "gold", "pred")
    return {name: [row[i] for row in rows] * times for i, name in enumerate(names)}


def language_of(data: dict[str, list[Any]], lang: str = AUTO) -> str:
    return table_language(lang, read_answers(data))


def test_a_german_table_is_guessed_and_said_once() -> None:
    with pytest.warns(GuessedLanguageWarning, match=r"is German, by \d+ of \d+ texts; .*--lang") as caught:
        assert language_of(table(GERMAN)) == "de"
    assert len(caught) == 1


def test_questions_are_read_although_no_metric_reads_them() -> None:
    data = table([(question, str(i), str(i)) for i, (question, *_) in enumerate(GERMAN * 3)])
    with pytest.warns(GuessedLanguageWarning):
        assert language_of(data) == "de"
    del data["question"]
    assert language_of(data) == "en"


@pytest.mark.parametrize("code", [*OTHERS])
def test_other_languages_are_guessed(code: str) -> None:
    texts = OTHERS[code]
    with pytest.warns(GuessedLanguageWarning):
        assert language_of({"gold": texts, "pred": texts[::-1]}) == code


def test_english_answers_with_foreign_names_are_english() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", GuessedLanguageWarning)
        assert language_of(table(ENGLISH, 5)) == "en"


def test_a_language_that_is_given_decides() -> None:
    assert language_of(table(GERMAN), "en") == "en"
    assert language_of(table(ENGLISH), "pt-BR") == "pt-BR"
    with pytest.raises(LookupError, match="'xx'"):
        language_of(table(ENGLISH), "xx")


def test_the_column_of_languages_decides_if_it_has_codes() -> None:
    data = table(ENGLISH)
    n = len(ENGLISH)
    assert language_of({**data, "lang": ["fr"] * n}) == "fr"
    assert language_of({**data, "lang": ["some other column"] * n}) == "en"


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
    found = judgments(labeled, metric=["f1"], question="question")
    assert found.lang == "de"
    assert "|text:de|" in found.scores["f1"].signature
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
    found = answersim.evaluate(MIXED, "em", cache=None)
    assert "|languages:de+en|" in found.signature
    two = {**MIXED, "other": MIXED["gold"]}
    assert "|languages:de+en|" in answersim.compare(two, "f1", pred=["pred", "other"]).pair.signature


def test_a_mixed_table_with_a_language_that_is_given_has_one() -> None:
    assert "|text:de|" in answersim.evaluate(MIXED, "f1", lang="de", cache=None).signature


def test_scores_become_probabilities_only_if_every_language_has_them() -> None:
    metrics = {code: answersim.metric("recall", lang=code) for code in ("de", "en")}
    raw = by_language("recall", ["de", "en"], metrics.__getitem__)
    assert raw.has_probabilities == all(
        verdict_rule(metric.signature).basis == "calibration" for metric in metrics.values()
    )
    both = by_language("recall", ["en"], metrics.__getitem__)
    assert both.has_probabilities
    scored = both.scored("en", np.array([0.0, 1.0]), ["a b", "a b"], asked=False)
    assert scored.tolist() == find("recall").probability(np.array([0.0, 1.0])).tolist()


def test_without_a_table_a_metric_by_language_is_an_error() -> None:
    metric = by_language("f1", ["de", "en"], lambda code: answersim.metric("f1", lang=code))
    with pytest.raises(ValueError, match="column 'lang'"):
        metric([("a", "b")])
