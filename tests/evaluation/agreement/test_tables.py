"""What a study returns and prints: rows, the best metrics, tables, JSON, and errors of a metric."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from answersim._base.text_tables import number, p_value
from answersim.calibration.scores import Scores
from answersim.evaluation.agreement.coefficients.comparing import TESTS
from answersim.evaluation.agreement.coefficients.rows import Comparison, Group, Measured, Row, Subset, chance
from answersim.evaluation.agreement.judgments import Judgments
from answersim.evaluation.agreement.pages import categories, errors, gaps
from answersim.evaluation.agreement.results import Agreement
from answersim.evaluation.agreement.study import correlate
from answersim.stats.intervals.resampling import Bootstrap
from answersim.types import Pair
from tests.cases import every
from tests.evaluation.agreement.conftest import noise

SETTINGS = {"level": 0.9, "method": "bca", "resamples": 1500, "test_resamples": 4000, "seed": 7, "against": None}


@pytest.fixture
def made_up() -> Agreement:
    measured = {"tau-b": Measured(0.1234, 0.05, 0.2, 0.5, 0.2468), "tau-c": Measured(-0.5, -0.6, -0.4, 0.9, -0.55)}
    flat = {name: Measured(math.nan) for name in measured}
    rows = (Row("all", "a|b", 30, 30, 0.0, measured, signature="a|x:y|v:1"), Row("all", "flat", 30, 1, 1.0, flat))
    subset = Subset("all", 30, ((0.0, 10), (1.0, 5), (2.0, 15)), 0.55, {"tau-b": 0.6}, {"ordinal": 0.7}, {"tau-b": 0.4})
    compared = (
        Comparison("all", "tau-b", "a|b", "flat", 0.1, 0.02, 0.18, 0.0002, holm_bootstrap=0.0004),
        Comparison("all", "tau-c", "a|b", "flat", 0.1, 0.02, 0.18, 0.5, 0.25, holm_bootstrap=1.0, holm_permutation=0.5),
    )
    groups = (Group("all", "tau-b", ("a|b", "flat")), Group("all", "tau-b", ("a|b",)))
    settings = SETTINGS | {"compare": ("tau-b", "tau-c"), "tests": TESTS}
    return Agreement("set", "en", (subset,), rows, compared, groups, settings, ("x is left out",))


def test_the_shown_coefficient_has_interval_and_share(made_up: Agreement) -> None:
    table = next(made_up.tables())
    assert table.header == ("metric", "tau-b", "90%", "ceiling", "tau-c", "tied")
    assert table.rows[0] == ("a|b", "0.123", "0.050 to 0.200", "25 %", "-0.500", "0 %")
    assert table.rows[1] == ("flat", "-", "", "-", "-", "100 %")


def test_the_notes_tell_labels_ceiling_raters_and_groups(made_up: Agreement) -> None:
    notes = next(made_up.tables()).notes
    assert "labels 0: 10, 1: 5, 2: 15; annotators tie 55 % of all pairs" in notes[0]
    assert "without ties has tau-b 0.600" in notes[0]
    assert "alpha ordinal 0.700" in notes[1]
    assert "tau-b 0.400" in notes[1]
    assert notes[2:] == ("not distinguishable by tau-b: a|b, flat",)


def test_differences_show_the_tests_that_there_are(made_up: Agreement) -> None:
    against = Agreement(
        *(made_up.name, made_up.lang, made_up.subsets, made_up.rows, made_up.comparisons),
        settings=dict(made_up.settings) | {"against": "flat"},
    )
    _, by_b, by_c = against.tables()
    assert by_b.header[-1] == "p bootstrap (Holm)"
    assert by_b.rows == (("all", "a|b", "+0.100", "0.020 to 0.180", "<0.001 (<0.001)"),)
    assert by_c.rows[0][-2:] == ("0.500 (1.000)", "0.250 (0.500)")


def test_the_notes_say_where_no_metric_agrees_and_which_order_against_the_labels(made_up: Agreement) -> None:
    low = Measured(0.02, -0.1, 0.14, 0.5, 0.04)
    changed = Row("all", "a|b", 30, 30, 0.0, {"tau-b": low, "tau-c": Measured(-0.5, -0.6, -0.4)})
    none = Agreement(
        *(made_up.name, made_up.lang, made_up.subsets, (changed, made_up.rows[1])), settings=dict(made_up.settings)
    )
    assert "no metric agrees with the labels here: no interval of tau-b is above 0" in next(none.tables()).notes
    by_c = replace(none, settings=SETTINGS | {"compare": ("tau-c",), "tests": TESTS})
    assert (
        next(by_c.tables()).notes[-1]
        == "these order the pairs against the labels, because their whole interval is below 0: a|b"
    )
    assert not any("no metric agrees" in note for note in next(made_up.tables()).notes)
    assert "no metric agrees with the labels here" in none.to_markdown()


@pytest.fixture(scope="module")
def two_labels() -> Agreement:
    """``tied`` has few distinct scores and the higher tau-b, ``fine`` the higher AUC."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 60)
    fine = labels + rng.normal(scale=0.6, size=120)
    tied = np.where(np.arange(120) % 5 == 0, 1 - labels, labels)  # 4 of 5 are correct: tau-b .6, AUC .8
    data = {"gold": ["a b"] * 120, "pred": ["a c"] * 120, "label": labels, "tied": tied, "fine": fine}
    return correlate(data, scores=["tied", "fine"], bootstrap=Bootstrap(resamples=200))


def test_the_auc_leads_if_labels_have_two_values_and_rows_are_sorted_by_it(two_labels: Agreement) -> None:
    tau, auc = ({row.metric: row.measured[name].value for row in two_labels.rows} for name in ("tau-b", "auc>=1"))
    assert tau["tied"] > tau["fine"]
    assert auc["fine"] > auc["tied"]
    table = next(two_labels.tables())
    assert table.header == (
        *("metric", "auc>=1", "95%", "p (Holm) against fine", "tau-b", "pearson", "spearman", "tied"),
    )
    assert [row[0] for row in table.rows[:2]] == ["fine", "tied"]
    (compared,) = (row for row in two_labels.comparisons if row.subset == "all")
    assert compared.coefficient == "auc>=1"
    assert table.rows[1][3] == p_value(compared.holm_bootstrap)
    assert "not distinguishable by auc>=1" in " ".join(table.notes) or compared.holm_bootstrap <= 0.05


def test_an_unknown_row_is_named_with_the_nearest(found):
    with pytest.raises(LookupError, match="did you mean 'good'"):
        found.row("god")
    with pytest.raises(LookupError, match="did you mean 'F1=0'"):
        found.row("good", "f1=0")


def test_a_metric_that_orders_pairs_against_the_labels_does_not_agree():
    agreement = correlate(noise(against=-2.0, nothing=0.0), bootstrap=Bootstrap(resamples=100))
    assert agreement.best().metric is None
    assert agreement.best().disagreeing == ("against",)
    assert agreement.best(coefficient="auc>=1").disagreeing == ("against",)


def test_the_best_is_listed_with_those_that_do_not_differ_from_it():
    agreement = correlate(
        noise(good=2.0, same=2.0, poor=0.4, nothing=0.0, against=-2.0), bootstrap=Bootstrap(resamples=200)
    )
    best = agreement.best()
    assert {best.metric, *best.rivals} == {"good", "same"}
    assert best.disagreeing == ("against",)
    alone = correlate(noise(good=2.0, nothing=0.0), bootstrap=Bootstrap(resamples=200)).best()
    assert (alone.metric, alone.rivals) == ("good", ())


def test_the_best_metric_needs_a_known_subset_and_coefficient(found):
    with pytest.raises(LookupError, match="did you mean 'F1=0'"):
        found.best("f1=0")
    with pytest.raises(LookupError, match="no coefficient is called"):
        found.best(coefficient="tau")
    with pytest.raises(ValueError, match="no known value for chance"):
        found.best(coefficient="pairwise")


@every(("coefficient", "expected"), [("tau-b", 0), ("spearman", 0), ("auc>=1", 0.5), ("auc", 0.5)])
def test_chance_is_half_for_an_area_and_zero_for_a_correlation(coefficient, expected):
    assert chance(coefficient) == expected


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
    scores, labels = (np.array(entry, dtype=float) for entry in zip(*rows, strict=True))
    expected = (rankdata(scores) - rankdata(labels)) / len(rows)
    np.testing.assert_allclose(gaps(scores, labels), expected, atol=1e-12)


def test_an_error_table_counts_each_pair_once_in_its_kind_and_direction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("answersim.evaluation.agreement.pages.WORST", 0.4)
    gap = gaps(judged().scores["m"].values, judged().labels)[[1, 3]].mean()
    assert errors(judged(), "m", ["Acronym", "", "Numeric", "", "Dates"]).rows == (
        ("Acronym", "1", "1", "0", "100 %", "-0.70", "National Football League / the NFL"),
        ("Dates", "1", "0", "1", "100 %", "0.70", "1 May 1945 / 8 May 1945"),
        ("Numeric", "1", "0", "0", "0 %", "0.00", "11 / eleven"),
        ("unknown", "2", "0", "0", "0 %", number(gap, 2), "cortex / cortex"),
    )


def test_a_category_is_annotated_in_a_column() -> None:
    noted = judged(columns={"category": ["Alias", "", None, "  ", "Temporal "]})
    assert categories(noted) == ["Alias", "", "", "", "Temporal"]
    assert categories(judged()) is None
