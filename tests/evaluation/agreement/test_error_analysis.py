"""Where metric and human labels disagree: gaps in rank, categories by rule, the table of errors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from answersim.calibration.scores import Scores
from answersim.evaluation.agreement.error_analysis import (
    RULES,
    categories,
    category_by_rule,
    disagreements,
    error_table,
    gaps,
    missed,
)
from answersim.evaluation.agreement.judgments import Judgments
from answersim.types import Pair
from tests.cases import every

COLUMNS = st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 2)), min_size=1, max_size=30)


def judged(**changes: object) -> Judgments:
    """Five pairs: of the first the metric is far too low, of the last far too high."""
    fields: dict[str, object] = {
        "name": "five",
        "lang": "en",
        "pairs": (
            Pair("National Football League", "the NFL"),
            Pair("cortex", "cortex"),
            Pair("11", "eleven"),
            Pair("red", "blue"),
            Pair("1 May 1945", "8 May 1945"),
        ),
        "labels": [2, 2, 1, 0, 0],
        "scores": {"m": Scores([0.0, 0.9, 0.5, 0.1, 1.0], "m|v:1")},
    }
    return Judgments(**(fields | changes))  # type: ignore[arg-type]


@given(COLUMNS)
def test_a_gap_is_the_difference_of_scipys_ranks(rows: list[tuple[int, int]]) -> None:
    scores, labels = (np.array(each, dtype=float) for each in zip(*rows, strict=True))
    expected = (rankdata(scores) - rankdata(labels)) / len(rows)
    np.testing.assert_allclose(gaps(scores, labels), expected, atol=1e-12)


@given(COLUMNS)
def test_gaps_know_no_scale_and_sum_to_nothing(rows: list[tuple[int, int]]) -> None:
    scores, labels = (np.array(each, dtype=float) for each in zip(*rows, strict=True))
    result = gaps(scores, labels)
    np.testing.assert_allclose(result, gaps(scores**3 * 7 + 1, labels * 10 - 4), atol=1e-12)
    assert abs(result.sum()) < 1e-9
    assert (np.abs(result) < 1).all()


def test_the_largest_gap_comes_first_with_its_direction() -> None:
    # By hand: ranks of the scores 1 4 3 2 5, of the labels 4.5 4.5 3 1.5 1.5, of five rows.
    result = disagreements(judged(), "m", most=3)
    assert [each.place for each in result] == [0, 4, 1]  # equal sizes as they come
    assert [each.gap for each in result] == pytest.approx([-0.7, 0.7, -0.1])
    assert (result[1].label, result[1].score, result[1].category) == (0.0, 1.0, "Dates")


def test_all_pairs_are_there_when_asked_for() -> None:
    result = disagreements(judged(), "m", most=None)
    assert sorted(each.place for each in result) == [0, 1, 2, 3, 4]
    sizes = [abs(each.gap) for each in result]
    assert sizes == sorted(sizes, reverse=True)


def test_questions_stand_beside_their_pairs() -> None:
    asked = judged(questions=("who", "", "how many", "", "when"))
    assert [disagreement.question for disagreement in disagreements(asked, "m", most=2)] == ["who", "when"]
    assert disagreements(judged(), "m", most=1)[0].question == ""


def test_an_error_table_counts_each_pair_once_in_its_category_and_direction() -> None:
    rows = {row.category: row for row in error_table(judged(), "m", worst=0.4)}
    assert sum(row.n for row in rows.values()) == 5
    assert (rows["Dates"].too_low, rows["Dates"].too_high, rows["Dates"].share) == (0, 1, 1.0)
    assert (rows["Acronym"].too_low, rows["Acronym"].too_high) == (1, 0)
    assert (rows[""].n, rows[""].too_low, rows[""].too_high) == (2, 0, 0)
    assert rows["Acronym"].worst.pair == ("National Football League", "the NFL")
    assert rows[""].mean_gap == pytest.approx(gaps(judged().scores["m"], judged().labels)[[1, 3]].mean())


def test_the_untold_category_comes_last() -> None:
    assert error_table(judged(), "m", worst=1.0)[-1].category == ""


def test_pairs_without_a_gap_are_no_errors() -> None:
    agreed = judged(scores={"m": Scores(judged().labels, "")})
    assert all(row.too_low + row.too_high == 0 for row in error_table(agreed, "m", worst=1.0))


def test_an_annotation_goes_before_the_rules() -> None:
    noted = judged(columns={"category": ["Alias", "", None, "  ", "Temporal "]})
    assert categories(noted) == ["Alias", "", "Numeric", "", "Temporal"]
    assert categories(judged())[0] == "Acronym"


def test_missed_are_the_pairs_of_the_highest_label_below_the_limit() -> None:
    assert missed(judged(), "m").tolist() == [True, False, False, False, False]
    assert missed(judged(), "m", below=0.95).tolist() == [True, True, False, False, False]


@every(
    ("gold", "pred", "category"),
    [
        ("OWN", "Oprah Winfrey Network", "Acronym"),  # Table 4 of the SAS paper
        ("NFL", "the National Football League", "Acronym"),
        ("U.S.A.", "United States of America", "Acronym"),
        ("UK", "United Kingdom", "Acronym"),
        ("in", "inner north", ""),  # two small letters begin too many phrases
        ("Randall Flagg", "Walter Padick", "Names"),  # Table 4
        ("Kennedy", "John F. Kennedy", "Names"),
        ("Rome", "Oslo", ""),  # one word each: any noun at the start of an answer
        ("scapula", "shoulder blade", ""),
        ("11", "eleven", "Numeric"),
        ("three hundred", "300 people", "Numeric"),
        ("11", "the group", ""),
        ("1945", "8 May 1945", "Dates"),
        ("12.3.1999", "March", "Dates"),
        ("15th century", "1450", "Dates"),
        ("it may be", "1945", ""),
        ("1945", "12 people", "Numeric"),
        ("Beijing", "北京", "Language"),
        ("Москва", "Moscow", "Language"),
        ("東京", "とうきょう", ""),  # two ways to write one language
        ("東京タワー", "東京", ""),
        ("", "", ""),
        ("?!", "...", ""),
    ],
)
def test_a_category_by_rule(gold: str, pred: str, category: str) -> None:
    assert category_by_rule(gold, pred) == category


@given(st.text(max_size=20), st.text(max_size=20))
def test_a_rule_knows_no_order_of_the_answers(gold: str, pred: str) -> None:
    result = category_by_rule(gold, pred)
    assert result == category_by_rule(pred, gold)
    assert result in (*RULES, "")


def test_german_nouns_are_no_names() -> None:
    assert category_by_rule("Politische Führung", "Große Koalition", "de") == ""
    assert category_by_rule("Politische Führung", "Große Koalition", "en") == "Names"


def test_what_is_not_there_is_named() -> None:
    with pytest.raises(LookupError, match=r"'n'; did you mean 'm'|called 'n'"):
        disagreements(judged(), "n")
    with pytest.raises(ValueError, match="worst is 0"):
        error_table(judged(), "m", worst=0)
    with pytest.raises(ValueError, match="most is -1"):
        disagreements(judged(), "m", most=-1)
    with pytest.raises(ValueError, match="nan"):
        gaps([1.0, float("nan")], [0, 1])
    with pytest.raises(ValueError, match="shape"):
        gaps([1.0], [0, 1])
