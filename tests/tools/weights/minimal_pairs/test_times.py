"""Times of day, checked by hand, and durations, read back."""

import re

import pytest

from tests.tools.weights.minimal_pairs.draws import families
from tools.weights.minimal_pairs.times import ZONES, _duration, _zone, clock_forms


@pytest.mark.parametrize(
    ("hour", "minute", "language", "form"),
    [
        (15, 30, "en", "half past three in the afternoon"),
        (8, 45, "en", "quarter to nine in the morning"),
        (20, 10, "en", "ten minutes past eight in the evening"),
        (9, 5, "en", "09:05"),
        (15, 30, "de", "halb vier am Nachmittag"),
        (8, 45, "de", "Viertel vor neun am Morgen"),
        (13, 0, "de", "ein Uhr am Nachmittag"),
        (15, 30, "zh", "下午三点半"),
        (14, 15, "zh", "下午两点一刻"),
        (15, 30, "ja", "午後3時半"),
    ],
)
def test_a_time_has_this_form(hour: int, minute: int, language: str, form: str) -> None:
    assert form in clock_forms(hour, minute, language)


@pytest.mark.parametrize("language", ["en", "de", "zh", "ja"])
def test_a_form_means_one_half_of_the_day_only(language: str) -> None:
    for hour in range(1, 11):
        morning, evening = (set(clock_forms(h, 20, language)) for h in (hour, hour + 12))
        assert morning.isdisjoint(evening)


def test_zones_agree() -> None:
    for family in families(_zone, "en"):
        gold, same, different = map(in_utc, family[1:])
        assert gold == same != different, family


def in_utc(text: str) -> int:
    hour, minute, zone = re.fullmatch(r"(\d+):(\d\d) (\w+)", text).groups()
    return 60 * (int(hour) - ZONES[zone]) + int(minute)


def test_durations_agree() -> None:
    compared = 0
    for family in families(_duration, "zh", seed=1):
        gold, same, different = map(in_minutes, family[1:])
        if None not in (gold, same, different):
            assert gold == same != different, family
            compared += 1
    assert compared > 10


def in_minutes(text: str) -> int | None:
    match = re.fullmatch(r"(?:(\d+)小时)?(\d+)分钟", text)
    return 60 * int(match[1] or 0) + int(match[2]) if match else None
