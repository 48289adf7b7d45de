"""Times of day by 24 and by 12 hours, in words and with zones, and durations."""

from __future__ import annotations

from random import Random

from tools.weights.minimal_pairs.family import Family, draw, in_context
from tools.weights.minimal_pairs.writing import full_width, words
from tools.weights.tables import table

ZONES = {"UTC": 0, "CET": 1, "EET": 2, "EST": -5, "PST": -8, "JST": 9}  # standard time, hours from UTC
_TEXTS = table(__file__, "times")
CONTEXTS = _TEXTS["contexts"]
PARTS_OF_DAY = {
    "en": [(0, "in the morning"), (12, "in the afternoon"), (18, "in the evening")],
    "de": [(0, "in der Nacht"), (5, "am Morgen"), (10, "am Vormittag"), (12, "am Nachmittag"), (18, "am Abend")],
    "zh": [(0, "凌晨"), (5, "早上"), (8, "上午"), (12, "中午"), (13, "下午"), (18, "晚上")],
}
DURATIONS = {
    "en": ["How long is the film?", "How long did the game last?", "How long does the walk take?", ""],
    "de": ["Wie lange dauert der Film?", "Wie lange dauert die Wanderung?", ""],
    "zh": ["电影有多长时间？", ""],
    "ja": ["映画の上映時間は？", ""],
}


def family(rng: Random, language: str) -> Family | None:
    """Return a family about a time of day or a duration, or None if the draw is of no use."""
    ways = [_clock, _clock, _clock, _duration]
    if language == "en":
        ways += [_zone, _noon]
    return rng.choice(ways)(rng, language)


def clock_forms(hour: int, minute: int, language: str) -> list[str]:
    """Return the ways to write this time of day. 12-hour forms name the half of the day, 24-hour forms have two digits.

    >>> clock_forms(15, 30, "en")
    ['15:30', '3:30 p.m.', '3:30 PM', '1530 hours', '3.30 pm', 'half past three in the afternoon']
    >>> clock_forms(15, 30, "de")[-1]
    'halb vier am Nachmittag'
    """
    return {"en": _english, "de": _german, "zh": _chinese, "ja": _japanese}[language](hour, minute)


def _english(hour: int, minute: int) -> list[str]:
    twelve, half = (hour - 1) % 12 + 1, "am" if hour < 12 else "pm"
    dotted = f"{half[0]}.{half[1]}."
    name, following = words(twelve), words(twelve % 12 + 1)
    spoken = {
        0: f"{name} o'clock",
        15: f"quarter past {name}",
        30: f"half past {name}",
        45: f"quarter to {following}",
    }.get(
        minute,
        f"{words(minute)} minutes past {name}" if minute < 30 else f"{words(60 - minute)} minutes to {following}",
    )
    return [
        f"{hour:02}:{minute:02}",
        f"{twelve}:{minute:02} {dotted}",
        f"{twelve}:{minute:02} {half.upper()}",
        f"{hour:02}{minute:02} hours",
        f"{twelve}.{minute:02} {half}" if minute else f"{twelve} {half}",
        f"{spoken} {_part(hour, 'en')}",
    ]


def _german(hour: int, minute: int) -> list[str]:
    twelve, part = (hour - 1) % 12 + 1, _part(hour, "de")
    name, following = words(twelve, "de"), words(hour % 12 + 1, "de")
    spoken = {
        0: f"{'ein' if name == 'eins' else name} Uhr",
        15: f"Viertel nach {name}",
        30: f"halb {following}",
        45: f"Viertel vor {following}",
    }
    half_day = f"{twelve} Uhr {minute} {part}" if minute else f"{twelve} Uhr {part}"
    forms = [f"{hour:02}:{minute:02} Uhr", f"{hour:02}.{minute:02} Uhr", half_day, f"{hour:02}:{minute:02}"]
    return [*forms, f"{spoken[minute]} {part}"] if minute in spoken else forms


def _chinese(hour: int, minute: int) -> list[str]:
    twelve, part = (hour - 1) % 12 + 1, _part(hour, "zh")
    spoken = {0: "整", 15: "一刻", 30: "半", 45: "三刻"}.get(
        minute, f"{words(minute, 'zh')}分" if minute > 9 else f"零{words(minute, 'zh')}分"
    )
    digits = f"{hour:02}:{minute:02}"
    name = "两" if twelve == 2 else words(twelve, "zh")
    return [digits, full_width(digits), f"{part}{twelve}点{minute:02}分", f"{part}{name}点{spoken}"]


def _japanese(hour: int, minute: int) -> list[str]:
    half = "午前" if hour < 12 else "午後"
    spoken = {0: "", 30: "半"}.get(minute, f"{minute}分")
    digits = f"{hour:02}:{minute:02}"
    return [
        digits,
        f"{hour:02}時{minute:02}分",
        f"{half}{hour % 12}時{spoken}",
        full_width(digits),
        f"{half}{words(hour % 12, 'ja')}時{spoken}",
    ]


def _part(hour: int, language: str) -> str:
    """Return the name of the part of the day: that of the last limit which is not after this hour."""
    return [name for limit, name in PARTS_OF_DAY[language] if limit <= hour][-1]


def _clock(rng: Random, language: str) -> Family | None:
    hour, minute = rng.randrange(1, 23), rng.choice([0, 15, 30, 45, 15, 30, 45, 5, 10, 20, 25, 35, 40, 50, 55])
    if hour in (0, 12, 11):
        return None
    other = rng.choice(
        [
            ((hour + 12) % 24, minute),
            ((hour + 12) % 24, minute),
            (hour + 1, minute),
            (hour - 1, minute),
            (hour, (60 - minute) % 60),
            (hour, (minute + 30) % 60),
        ]
    )
    if other == (hour, minute) or other[0] in (0, 11, 12, 23):
        return None
    texts = [clock_forms(h, m, language) for h, m in ((hour, minute), other)]
    least = min(map(len, texts))
    question, filled = in_context(rng, CONTEXTS[language], [*texts[0][:least], *texts[1][:least]])
    return draw(rng, (filled[:least], filled[least:]), question)


def _noon(rng: Random, language: str) -> Family | None:
    noon = ["noon", "12 noon", "midday", "12:00 p.m.", "twelve noon", "1200 hours"]
    midnight = ["midnight", "12 midnight", "12 o'clock at night", "12:00 a.m.", "twelve midnight", "0000 hours"]
    question, filled = in_context(rng, CONTEXTS[language], [*noon, *midnight])
    return draw(rng, (filled[:6], filled[6:]), question)


def _zone(rng: Random, language: str) -> Family | None:
    first, second = rng.sample(list(ZONES), 2)
    hour, minute = rng.randrange(9, 15), rng.choice([0, 15, 30, 45])
    there = hour + ZONES[second] - ZONES[first]
    off = rng.choice([-1, 1, 2 * (ZONES[first] - ZONES[second])])
    if not (0 < there < 24 and 0 < there + off < 24 and 0 < hour - off < 24) or there == 12:
        return None
    # Both candidates are in the second zone. The other value is the same clock reading, some hours off.
    texts = []
    for shift in (0, off):
        texts.append([f"{hour + shift}:{minute:02} {first}", f"{there + shift}:{minute:02} {second}"])
    if not 0 < hour + off < 24:
        return None
    return draw(rng, texts, rng.choice(["", "When does the broadcast begin?"]))


def _duration(rng: Random, language: str) -> Family | None:
    minutes = rng.choice([*range(65, 200, 5), *range(205, 600, 15)])
    other = rng.choice(
        [minutes + 60, minutes - 60, minutes + 10, minutes - 10, minutes // 60 * 100 + minutes % 60, minutes + 30]
    )
    if other == minutes or other < 61 or other % 60 == 0 or minutes % 60 == 0:
        return None
    texts = [_duration_forms(value, language) for value in (minutes, other)]
    if len(texts[0]) != len(texts[1]):
        least = min(map(len, texts))
        texts = [forms[:least] for forms in texts]
    return draw(rng, texts, rng.choice(DURATIONS[language]))


def _duration_forms(minutes: int, language: str) -> list[str]:
    h, m = divmod(minutes, 60)
    if language == "zh":
        return [
            f"{minutes}分钟",
            f"{h}小时{m}分钟",
            f"{words(h, 'zh').replace('二', '两') if h == 2 else words(h, 'zh')}小时{words(m, 'zh')}分钟",
        ]
    if language == "ja":
        return [f"{minutes}分", f"{h}時間{m}分", f"{words(h, 'ja')}時間{words(m, 'ja')}分"]
    if language == "de":
        hours = "eine Stunde" if h == 1 else f"{words(h, 'de')} Stunden"
        return [f"{minutes} Minuten", f"{h} h {m} min", f"{hours} und {words(m, 'de')} Minuten", f"{h}:{m:02} Stunden"]
    hours = "one hour" if h == 1 else f"{words(h)} hours"
    forms = [
        f"{minutes} minutes",
        f"{h} h {m} min",
        f"{hours} and {words(m)} minutes",
        f"{words(minutes)} minutes",
        f"{h}:{m:02} hours",
    ]
    return (
        [
            *forms,
            f"{'an' if h == 1 else words(h)} hour{'s' if h > 1 else ''} and a half"
            if h == 1
            else f"{words(h)} and a half hours",
        ]
        if m == 30
        else forms
    )
