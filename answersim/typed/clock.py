"""Times of day: 12:00, 1 pm, 13:00, noon, half past two, halb drei, 13 Uhr."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from answersim.typed.comparison import Relation, different, equal, near, no_opinion
from answersim.typed.number_words import spelled
from answersim.typed.tokens import Tokens

kind = "time"
CLOCK_WORDS = frozenset(
    "noon midnight midday mittag mitternacht mittags mitternachts half quarter halb viertel".split()
)
_NAMED = {"noon": 12, "midday": 12, "mittag": 12, "mittags": 12, "midnight": 0, "mitternacht": 0, "mitternachts": 0}
_HALF_DAY = 12 * 3600
_NEAR = 2 * 3600  # an approximate time contradicts one that is further away
_PARTS_OF_DAY = ("morning", "afternoon", "evening")


@dataclass(frozen=True)
class Time:
    """A time of day."""

    seconds: int  # seconds since midnight
    sure: bool  # whether the half of the day is stated: "1 pm" and "13:00", but not "1:00" or "one o'clock"
    about: bool = False  # whether it is called approximate
    bound: int = 0  # 1 for "after", -1 for "before" and "by", else 0

    kind: ClassVar[str] = kind

    def __str__(self) -> str:
        hours, rest = divmod(self.seconds, 3600)
        shown = f"{hours}:{rest // 60:02}" + (f":{rest % 60:02}" if rest % 60 else "")
        return shown if self.sure else f"{shown} (am or pm)"


def compare_times(gold: Time, pred: Time) -> Relation:
    """Compare two times of day; without am or pm, those that differ by twelve hours are near.

    >>> compare_times(Time(12 * 3600, False), Time(3600, False)).relation
    'different'
    """
    gap = (gold.seconds - pred.seconds) % _HALF_DAY
    bounded = gold.bound or pred.bound
    if bounded or ((gold.about or pred.about) and min(gap, _HALF_DAY - gap) <= _NEAR):
        return no_opinion(f"{pred} is near {gold}, which is not exact", kind)
    if gap:
        return different(f"{pred} is not {gold}", kind)
    if gold.seconds == pred.seconds and gold.sure == pred.sure:
        return equal(f"both are {gold}", kind)
    if gold.sure and pred.sure:
        return different(f"{pred} is twelve hours from {gold}", kind)
    return near(f"{pred} and {gold} agree, and one does not state the half of the day", kind)


def scan_time(tokens: Tokens, i: int, lang: str) -> tuple[Time, int] | None:
    """Read a time of day that begins at token i, and return it with the position after it."""
    low, n = tokens.low, len(tokens.low)
    if low[i] == "12" and i + 1 < n and low[i + 1] in ("noon", "midnight"):
        i += 1
    if low[i] in _NAMED:
        return Time(_NAMED[low[i]] * 3600, True), i + 1
    for scan in (_relative, _digital, _hour):
        result = scan(tokens, i, lang)
        if result is not None:
            return result
    return None


def _digital(tokens: Tokens, i: int, lang: str) -> tuple[Time, int] | None:
    """Read 13:05 or 13:05:30, and 1.05 pm."""
    text, n = tokens.text, len(tokens.low)
    parts, end = [text[i]], i + 1
    if "." in text[i] and text[i].count(".") == 1:
        parts = text[i].split(".")
        if len(parts[1]) != 2 or (_half(tokens, end) is None and not (end < n and tokens.low[end] == "uhr")):
            return None
    while end + 1 < n and text[end] == ":" and all(tokens.glued[end : end + 2]) and len(parts) < 3:
        parts, end = [*parts, text[end + 1]], end + 2
    if len(parts) < 2 or not all(part.isdecimal() and len(part) <= 2 for part in parts) or len(parts[1]) != 2:
        return None
    hours, minutes, seconds = (*map(int, parts), 0)[:3]
    if hours > 24 or minutes > 59 or seconds > 59:
        return None
    return _with_half(tokens, end, hours, hours * 3600 + minutes * 60 + seconds)


def _hour(tokens: Tokens, i: int, lang: str) -> tuple[Time, int] | None:
    """Read "1 pm", "one o'clock", "13 Uhr"."""
    hours, end = _small(tokens, i, lang)
    if hours is None or end >= len(tokens.low):
        return None
    if tokens.low[end] in ("o'clock", "uhr") or _half(tokens, end) is not None or _part_of_day(tokens, end):
        return _with_half(tokens, end, hours, hours * 3600)
    return None


def _relative(tokens: Tokens, i: int, lang: str) -> tuple[Time, int] | None:
    """Read "half past two", "a quarter to five", "ten past six"; German "halb drei", "Viertel nach fünf"."""
    low, n = tokens.low, len(tokens.low)
    if low[i] == "halb" and i + 1 < n:
        hours, end = _small(tokens, i + 1, lang)
        return None if hours is None else (Time((hours * 3600 - 1800) % _HALF_DAY, False), end)
    at = i + (low[i] == "a" and i + 1 < n)
    if low[at] in ("half", "quarter", "viertel"):
        minutes, at = (30 if low[at] == "half" else 15), at + 1
    else:
        value, at = _small(tokens, at, lang, 59)
        if value is None:
            return None
        minutes = value
        at += at < n and low[at] in ("minutes", "minuten")
    if at + 1 >= n or low[at] not in ("past", "after", "to", "before", "nach", "vor", "till"):
        return None
    if low[at] == "to" and low[i].isdecimal():
        return None  # 5 to 10 is a range
    sign = -1 if low[at] in ("to", "before", "vor", "till") else 1
    hours, end = _small(tokens, at + 1, lang)
    if hours is None or (sign == -1 and low[i] not in ("half", "quarter", "viertel", "a") and low[at] == "to"):
        return None  # ten to twenty is a range
    end += end < n and low[end] in ("o'clock", "uhr")
    return _with_half(tokens, end, hours, (hours * 3600 + sign * minutes * 60) % (2 * _HALF_DAY))


def _small(tokens: Tokens, i: int, lang: str, most: int = 24) -> tuple[int | None, int]:
    """Return a whole number up to ``most`` in digits or words, and the position after it."""
    word = tokens.low[i]
    if word.isdecimal():
        return (int(word) if len(word) <= 2 and int(word) <= most else None), i + 1
    words = spelled(tokens, i, lang) if word.isalpha() else None
    if words is None or words.ordinal or words.value.denominator != 1 or words.value > most:
        return None, i + 1
    return int(words.value), words.end


def _half(tokens: Tokens, i: int) -> tuple[str, int] | None:
    """Return "am" or "pm" at i and the position after it."""
    low = tokens.low
    for half in ("am", "pm"):
        if low[i : i + 1] == (half,):
            return half, i + 1
        if low[i : i + 3] == (half[0], ".", "m"):
            return half, i + 3 + (low[i + 3 : i + 4] == (".",))
    return None


def _with_half(tokens: Tokens, i: int, hours: int, seconds: int) -> tuple[Time, int]:
    low, n = tokens.low, len(tokens.low)
    i += i < n and low[i] in ("o'clock", "uhr")
    half = _half(tokens, i)
    if half is not None and hours <= 12:
        return Time(seconds % _HALF_DAY + (_HALF_DAY if half[0] == "pm" else 0), True), half[1]
    if part := _part_of_day(tokens, i):
        return Time(seconds % _HALF_DAY + (0 if part == "morning" else _HALF_DAY), True), i + 3
    return Time(seconds % (2 * _HALF_DAY), hours > 12 or hours == 0), i


def _part_of_day(tokens: Tokens, i: int) -> str:
    """Return "morning", "afternoon" or "evening" of "in the morning" at i; "" for anything else."""
    words = tokens.low[i : i + 3]
    return words[2] if words[:2] == ("in", "the") and words[2:] and words[2] in _PARTS_OF_DAY else ""
