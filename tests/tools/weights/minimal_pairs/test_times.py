"""Times of day, checked by hand, and durations, read back."""

import re
from random import Random

import pytest

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
    rng = Random(0)
    for _ in range(300):
        drawn = _zone(rng, "en")
        if drawn:
            gold, same, different = (in_utc(text) for text in drawn[1:])
            assert gold == same, drawn
            assert gold != different, drawn


def in_utc(text: str) -> int:
    hour, minute, zone = re.fullmatch(r"(\d+):(\d\d) (\w+)", text).groups()
    return 60 * (int(hour) - ZONES[zone]) + int(minute)


def test_durations_agree() -> None:
    rng, compared = Random(1), 0
    for _ in range(300):
        drawn = _duration(rng, "zh")
        minutes = [in_minutes(text) for text in drawn[1:]] if drawn else [None]
        if None not in minutes:
            assert minutes[0] == minutes[1] != minutes[2], drawn
            compared += 1
    assert compared > 10


def in_minutes(text: str) -> int | None:
    match = re.fullmatch(r"(?:(\d+)小时)?(\d+)分钟", text)
    return 60 * int(match[1] or 0) + int(match[2]) if match else None
