"""Chinese and Japanese values in the notation that the grammars read: 二十三 is 23, and 3月3日 is March 3."""

from __future__ import annotations

import re
from functools import cache

from answersim.answers.text.patterns import forms
from answersim.answers.typed.date import DAYS, MONTHS
from answersim.answers.typed.vocabulary import meanings, numbers, rows

_DIGITS = {sign: i for i, sign in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2, "両": 2, "○": 0}
_SMALL, _LARGE = (numbers(kind, table="cjk") for kind in ("small", "large"))
_SIGNS = "".join((*_DIGITS, *_SMALL, *_LARGE))
_N = rf"[{_SIGNS}\d.,]{{1,20}}"
_START = rf"(?<![{_SIGNS}\d.,])"
_ERAS, _MINUTES = (numbers(kind, table="cjk") for kind in ("era", "minutes"))  # of eras: the year before the first
_WEEK = [name.title() for name in DAYS]
_DAYS = dict(zip("月火水木金土日", _WEEK, strict=True)) | dict(zip("一二三四五六天", _WEEK, strict=True))
_WEEKDAY = "(?:星期|周|礼拜)[一二三四五六日天](?!\\w?[月年])|[月火水木金土日]曜日?"
_MOST = {"m": 12, "d": 31, "h": 24, "i": 59}
# What is counted by these words is no unit.
_COUNTERS = "人名個个つ回次本匹枚冊册台位番頭头只座件階楼種种门歳岁届章号號世代分日명개"
_HALVES, _HEDGES, _BEHIND, _UNITS = (
    meanings(kind, table="cjk") for kind in ("half of the day", "hedge before", "hedge behind", "unit")
)


@cache
def _units() -> dict[str, str]:
    units = {
        word: row.meaning.upper() if len(row.meaning) == 3 and row.meaning != "bar" else row.meaning
        for row in rows("cldr")
        if row.language in ("zh", "ja")
        for word in row.words
        if " " not in word
    }
    return units | _UNITS


@cache
def _forms() -> dict[str, re.Pattern[str]]:
    """Return the patterns of all forms. A group with a name of one letter is a number: y, m, d, h, i for minutes."""
    parts = {"N": _N, "START": _START, "SIGNS": _SIGNS, "WEEKDAY": _WEEKDAY, "COUNTERS": _COUNTERS}
    parts["UNITS"] = "|".join(sorted(map(re.escape, _units()), key=len, reverse=True))
    words = {"HALVES": [*_HALVES], "ERAS": [*_ERAS], "MINUTES": [*_MINUTES]}
    parts |= {"DIGITS": "".join(_DIGITS)} | {name: "|".join(listed) for name, listed in words.items()}
    expressions = forms("typed/cjk_forms.tsv", parts)
    expressions["any"] = "|".join(re.sub(r"\(\?P<\w+>", "(?:", form) for form in expressions.values())
    return {name: re.compile(form) for name, form in expressions.items()}


_HEDGE = re.compile(rf"(?:{'|'.join(sorted(_HEDGES, key=len, reverse=True))})(?={_N})")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ANY = re.compile(rf"[{_SIGNS}年月日円元人半%％曜周]|星期|礼拜|\d")
_WHOLE_NUMBER = re.compile(_N)
_AFTER = re.compile(rf"(?<=[\d\w°%]) ?({'|'.join(sorted(_BEHIND, key=len, reverse=True))})(?![{_SIGNS}])")
_PARTICLES = re.compile(r" ?(?:に|です|でした|である|だ|のこと)\Z")
_RANGE = re.compile(r"(?<=[\w%]) {0,2}(?:到|至|から|~|〜) {0,2}(?=\d)")


def in_digits(text: str, *, whole: bool = True) -> str:
    """Return a text with numbers, amounts, dates and times of these scripts in digits and English words.

    ``whole``: whether a text that is more than one value is unchanged.
    """
    if not _CJK.search(text) or not _ANY.search(text):
        return text
    stripped = text.strip().removesuffix("。")
    if _WHOLE_NUMBER.fullmatch(stripped):
        value = number(stripped)
        return text if value is None else str(value)
    rewritten = _forms()["any"].sub(_written, _HEDGE.sub(lambda match: f" {_HEDGES[match[0]]} ", stripped))
    rewritten = _RANGE.sub(" to ", _AFTER.sub(lambda match: f" {_BEHIND[match[1]]} ", rewritten))
    bare = _PARTICLES.sub("", rewritten).strip()
    rewritten = rewritten if _CJK.search(bare) else bare
    if whole and _CJK.search(rewritten.replace("円", "").replace("元", "")):
        return text
    return " ".join(rewritten.split())


def _written(match: re.Match[str]) -> str:
    """Return a value in digits and English words, with spaces around it; as it is if it is none."""
    forms = ((name, form.match(match.string, match.start())) for name, form in _forms().items())
    name, form = next((name, form) for name, form in forms if form is not None)
    stated, values = form.groupdict(), dict[str, int]()
    for key, text in stated.items():
        value = number(text) if text and len(key) == 1 else 0
        if value is None or value > _MOST.get(key, value):
            return match[0]
        values[key] = value
    m, d = values.get("m", 0), values.get("d", 0)
    if (name == "month" and not m) or (name == "{n}/{u}" and not values["u"]):
        return match[0]
    if name in ("era", "date"):
        year = values["y"] if name == "date" else _ERAS[stated["era"]] + (values["y"] if stated["y"] else 1)
        written = f"{year}-{m:02}-{d:02}" if d else f"{year}-{m:02}" if m else str(year)
    elif name == "month":
        written = f"{MONTHS[m - 1].title()} {d or ''}".strip()
    elif name == "weekday":
        written = _DAYS[stated["weekday"][0 if "曜" in stated["weekday"] else -1]]
    elif name == "time":
        half = _HALVES.get(stated["half"] or "", "")
        written = f"{values['h']}:{_MINUTES.get(stated['part'] or '') or values['i']:02}{' ' if half else ''}"
        written = f"{written}{half if values['h'] <= 12 else ''}".strip()
    elif name in ("percent", "counted"):
        return _amount(match, stated)
    elif name == "halved":
        written = f"half a {_units()[stated['unit']].removesuffix('s')}"
    else:
        written = name.strip().format(**values)
    return f" {written} "


def _amount(match: re.Match[str], stated: dict[str, str | None]) -> str:
    """Return a percentage, or a number with what it counts, in the same way."""
    raw, decimals, unit = stated["raw"] or "", stated["decimals"], stated.get("unit", "%")
    value, is_plain = number(raw), re.fullmatch(r"[\d.,]+", raw)
    around = match.string[max(match.start() - 1, 0) : match.start()] + match.string[match.end() : match.end() + 1]
    is_part = not (is_plain or unit or decimals) and re.search(r"\w", around)  # of a word: 三鷹, 万一
    if (value is None and not is_plain) or is_part or (raw == "一" and not unit):
        return match[0]
    written = raw if is_plain else str(value)
    if decimals:
        written += "." + "".join(str(_DIGITS.get(sign, sign)) for sign in decimals)
    if unit in ("年", "月") and value is not None and value >= 100:
        return f" {written} "
    name = _units().get(unit or "", "")
    written += " and a half" if stated.get("half") else ""
    glue = "" if name in ("円", "元", "%", "°") else " "
    return f" {f'{written}{glue}{name}'.strip()}{' and a half' if stated.get('behind') else ''} "


def number(text: str) -> int | None:
    """Return the value of a whole number: 十二, 二〇〇四, 1億2000万, 1.2万; None if it is none."""
    plain = text.replace(",", "")
    if all(sign in _DIGITS or sign.isdecimal() for sign in plain):
        return int("".join(str(_DIGITS.get(sign, sign)) for sign in plain)) if plain else None
    total, rest = 0, plain
    for large in ("兆", "億亿", "万萬"):
        head, mark, tail = next(((*rest.partition(sign),) for sign in large if sign in rest), ("", "", rest))
        if mark:
            below = _below(head)
            if below is None:
                return None
            total, rest = total + round(below * _LARGE[mark]), tail
    below = _below(rest) if rest else 0
    return None if below is None or below != int(below) else total + int(below)


def _below(text: str) -> float | None:
    """Return the value of a number below 10,000."""
    if re.fullmatch(r"\d{1,12}(?:\.\d{1,6})?", text):
        return float(text)
    value, current = 0, None
    for sign in text:
        if sign in _SMALL:
            value, current = value + (1 if current is None else current) * _SMALL[sign], None
        elif sign in _DIGITS and current in (None, 0):
            current = _DIGITS[sign]
        elif sign.isdecimal():
            current = (current or 0) * 10 + int(sign)
        else:
            return None
    return value + (current or 0) if text else None
