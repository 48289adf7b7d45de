"""The tables of a study: what stands in them, and that Markdown holds what the terminal shows."""

import math

import numpy as np
import pytest

from answersim._base.text_tables import p_value
from answersim.evaluation.agreement.comparing import TESTS
from answersim.evaluation.agreement.results import Agreement
from answersim.evaluation.agreement.rows import Comparison, Group, Measured, Row, Subset
from answersim.evaluation.agreement.study import correlate
from answersim.evaluation.agreement.tables import tables
from answersim.stats.resampling import Bootstrap

SETTINGS = {"level": 0.9, "method": "bca", "resamples": 1500, "test_resamples": 4000, "seed": 7, "against": None}


@pytest.fixture
def found() -> Agreement:
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


def test_the_shown_coefficient_has_interval_and_share(found: Agreement) -> None:
    table = next(tables(found, "tau-b"))
    assert table.header == ("metric", "tau-b", "90%", "ceiling", "tau-c", "tied")
    assert table.rows[0] == ("a|b", "0.123", "0.050 to 0.200", "25 %", "-0.500", "0 %")
    assert table.rows[1] == ("flat", "-", "", "-", "-", "100 %")


def test_the_notes_tell_labels_ceiling_raters_and_groups(found: Agreement) -> None:
    notes = next(tables(found, "tau-b")).notes
    assert "labels 0: 10, 1: 5, 2: 15; annotators tie 55 % of all pairs" in notes[0]
    assert "without ties has tau-b 0.600" in notes[0]
    assert "alpha ordinal 0.700" in notes[1]
    assert "tau-b 0.400" in notes[1]
    assert notes[2:] == ("not distinguishable by tau-b: a|b, flat",)


def test_differences_show_the_tests_that_there_are(found: Agreement) -> None:
    against = Agreement(
        *(found.name, found.lang, found.subsets, found.rows, found.comparisons),
        settings=dict(found.settings) | {"against": "flat"},
    )
    _, by_b, by_c = tables(against)
    assert by_b.header[-1] == "p bootstrap (Holm)"
    assert by_b.rows == (("all", "a|b", "+0.100", "0.020 to 0.180", "<0.001 (<0.001)"),)
    assert by_c.rows[0][-2:] == ("0.500 (1.000)", "0.250 (0.500)")


def test_markdown_escapes_and_ends_with_what_decides_the_numbers(found: Agreement) -> None:
    page = found.to_markdown()
    assert "| a\\|b | 0.123 | 0.050 to 0.200 | 25 % | -0.500 | 0 % |" in page
    assert "bca bootstrap, 1,500 resamples" in page
    assert "p: 4,000" in page
    assert "- x is left out" in page
    assert "- a|b: a|x:y|v:1" in page
    assert "- flat: scores as given" in page


def test_the_notes_say_where_no_metric_agrees_and_which_order_against_the_labels(found: Agreement) -> None:
    low = Measured(0.02, -0.1, 0.14, 0.5, 0.04)
    changed = Row("all", "a|b", 30, 30, 0.0, {"tau-b": low, "tau-c": Measured(-0.5, -0.6, -0.4)})
    none = Agreement(*(found.name, found.lang, found.subsets, (changed, found.rows[1])), settings=dict(found.settings))
    assert "no metric agrees with the labels here: no interval of tau-b is above 0" in next(tables(none, "tau-b")).notes
    notes = next(tables(none, "tau-c")).notes
    assert notes[-1] == "these order the pairs against the labels, because their whole interval is below 0: a|b"
    assert not any("no metric agrees" in note for note in next(tables(found, "tau-b")).notes)
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
    table = next(tables(two_labels))
    assert table.header == (
        *("metric", "auc>=1", "95%", "p (Holm) against fine", "tau-b", "pearson", "spearman", "tied"),
    )
    assert [row[0] for row in table.rows[:2]] == ["fine", "tied"]
    (compared,) = (row for row in two_labels.comparisons if row.subset == "all")
    assert compared.coefficient == "auc>=1"
    assert table.rows[1][3] == p_value(compared.holm_bootstrap)
    assert "not distinguishable by auc>=1" in " ".join(table.notes) or compared.holm_bootstrap <= 0.05


def test_graded_labels_are_led_by_tau_b_and_a_requested_coefficient_leads(found: Agreement) -> None:
    assert next(tables(found)).header == next(tables(found, "tau-b")).header
    data = {"gold": ["a b"] * 30, "pred": ["a", "b", "a b"] * 10, "label": [0, 1, 2] * 10}
    assert correlate(data, ["f1"], bootstrap=Bootstrap(resamples=20)).settings["compare"] == ("tau-b",)
    data["label"] = [0, 1, 1] * 10
    assert correlate(data, ["f1"], bootstrap=Bootstrap(resamples=20)).settings["compare"] == ("auc>=1",)
    assert correlate(data, ["f1"], bootstrap=Bootstrap(resamples=20), compare=("tau-b",)).settings["compare"] == (
        "tau-b",
    )
