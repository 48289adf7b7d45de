"""Days in every form, read back."""

import datetime
import re
from random import Random

import pytest

from tests.tools.weights.minimal_pairs.draws import families
from tools.weights.minimal_pairs.dates import HOLIDAYS, day_forms, family, near_day


def test_forms_of_a_day() -> None:
    forms = day_forms(datetime.date(1969, 7, 20), "en")
    assert {"20 July 1969", "July 20, 1969", "1969-07-20", "7/20/1969", "Sunday, July 20, 1969"} <= set(forms)
    assert "the twentieth of July, 1969" in forms
    assert "Sonntag, 20. Juli 1969" in day_forms(datetime.date(1969, 7, 20), "de")
    assert "一九六九年七月二十日" in day_forms(datetime.date(1969, 7, 20), "zh")
    assert "1969年7月20日（日）" in day_forms(datetime.date(1969, 7, 20), "ja")


def test_a_day_that_could_be_a_month_is_not_written_with_slashes() -> None:
    assert [form for form in day_forms(datetime.date(1969, 7, 12), "en") if "/" in form] == []
    assert "7/13/1969" in day_forms(datetime.date(1969, 7, 13), "en")


def test_a_near_day_is_another_day_or_none() -> None:
    rng, day = Random(0), datetime.date(1987, 4, 3)
    found = {near_day(rng, day) for _ in range(300)}
    assert {datetime.date(1978, 4, 3), datetime.date(1987, 3, 4), datetime.date(1987, 4, 2)} <= found
    assert day not in found


def test_holidays_have_fixed_days() -> None:
    for days in HOLIDAYS.values():
        assert len(set(days.values())) == len(days)
        for day, month in days.values():
            datetime.date(2000, month, day)


@pytest.mark.parametrize("language", ["en", "de", "zh", "ja"])
def test_the_year_of_a_rewrite_is_in_the_gold_answer(language: str) -> None:
    compared = 0
    for drawn in families(family, language, 400, language):
        gold, same = (re.findall(r"\b1[789]\d\d\b", text) for text in drawn[1:3])
        if len(gold) == len(same) == 1:
            assert gold == same, drawn
            compared += 1
    assert compared > 10
