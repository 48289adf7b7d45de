"""Chinese and Japanese values in the notation that the grammars read: 二十三 is 23, and 3月3日 is March 3."""

from __future__ import annotations

import re
from functools import cache

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
# What is counted by these words is no unit.
_COUNTERS = "人名個个つ回次本匹枚冊册台位番頭头只座件階楼種种门歳岁届章号號世代分日명개"
_HALVES, _HEDGES, _BEHIND, _UNITS = (
    meanings(kind, table="cjk") for kind in ("half of the day", "hedge before", "hedge behind", "unit")
)


@cache
def _units() -> dict[str, str]:
    table = {
        word: row.meaning.upper() if len(row.meaning) == 3 and row.meaning != "bar" else row.meaning
        for row in rows("cldr")
        if row.language in ("zh", "ja")
        for word in row.words
        if " " not in word
    }
    return table | _UNITS


@cache
def _pattern() -> re.Pattern[str]:
    """Return one pattern of all values. Each group of a name is one form; its numbers are groups after it."""
    units = "|".join(sorted(map(re.escape, _units()), key=len, reverse=True))
    halves, eras, minutes = "|".join(_HALVES), "|".join(_ERAS), "|".join(_MINUTES)
    parts = (
        rf"(?P<era>{eras})(?P<year>元|{_N})年(?:({_N})月)?(?:({_N})[日号號])?",
        rf"{_START}(?P<date>{_N})年({_N})月(?:({_N})[日号號](?: ?[(（]?(?:{_WEEKDAY})[)）]?)?)?",
        rf"(?P<weekday>{_WEEKDAY})",
        rf"(?P<bc>公元前|紀元前|前)({_N})年",
        rf"(?P<ad>公元|西暦|紀元)({_N})年(?!\w?月)",
        rf"{_START}(?P<decade>{_N})年代",
        rf"{_START}(?P<century>{_N})(?:世紀|世纪)(?!間)",
        rf"{_START}(?P<month>{_N})月(?:({_N})[日号號])?(?!間)",
        rf"(?P<half>{halves})?{_START}(?P<time>{_N})(?:[時时]|[点點](?![{_SIGNS}\d]{{1,4}}(?![{_SIGNS}\d分])))"
        rf"(?![間间])(?:({_N})分|({minutes}))?",
        rf"百分之(?P<percent>{_N})(?:[点點]({_N}))?",
        rf"{_START}(?P<fraction>{_N})分[之の]({_N})",
        rf"{_START}(?P<tenths>{_N})割",
        rf"第(?P<ordinal>{_N})(?:番目|[{_COUNTERS}])?",
        rf"{_START}(?P<place>{_N})番目",
        rf"{_START}(?P<counted>{_N})(?:[点點・]([{''.join(_DIGITS)}\d]{{1,9}}))?(?:个?(半)(?=\w))?({units}|[{_COUNTERS}])?(半)?",
        rf"半(?P<halved>{units})",
    )
    return re.compile("|".join(parts))


@cache
def _hedge() -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(sorted(_HEDGES, key=len, reverse=True))})(?={_N})")


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
    found = _pattern().sub(_written, _hedge().sub(lambda match: f" {_HEDGES[match[0]]} ", stripped))
    found = _RANGE.sub(" to ", _AFTER.sub(lambda match: f" {_BEHIND[match[1]]} ", found))
    bare = _PARTICLES.sub("", found).strip()
    found = found if _CJK.search(bare) else bare
    if whole and _CJK.search(found.replace("円", "").replace("元", "")):
        return text
    return " ".join(found.split())


def _written(match: re.Match[str]) -> str:
    kind = next(
        name for name in reversed(list(match.re.groupindex)) if match[name] is not None and name not in ("half", "year")
    )
    form = _FORMS.get(kind)
    first = match.re.groupindex[kind]
    groups = match.groups()[first - 1 :]
    written = form(match, groups) if form is not None else None
    return match.group() if written is None else f" {written} "


def _date(year: int | None, month: str | None, day: str | None) -> str | None:
    months, days = number(month or "0"), number(day or "0")
    if year is None or months is None or days is None or months > 12 or days > 31:
        return None
    return f"{year}-{months:02}-{days:02}" if days else f"{year}-{months:02}" if months else str(year)


def _era(match: re.Match[str], groups: tuple[str | None, ...]) -> str | None:
    year = 1 if groups[1] == "元" else number(groups[1] or "")
    return None if year is None else _date(_ERAS[match["era"]] + year, groups[2], groups[3])


def _month(match: re.Match[str], groups: tuple[str | None, ...]) -> str | None:
    month, day = number(groups[0] or ""), number(groups[1] or "0")
    if month is None or day is None or not 1 <= month <= 12 or day > 31:
        return None
    return f"{MONTHS[month - 1].title()} {day}" if day else MONTHS[month - 1].title()


def _time(match: re.Match[str], groups: tuple[str | None, ...]) -> str | None:
    hours = number(groups[0] or "")
    minutes = _MINUTES.get(groups[2] or "") or number(groups[1] or "0")
    if hours is None or minutes is None or hours > 24 or minutes > 59:
        return None
    half = _HALVES.get(match["half"] or "", "")
    return f"{hours}:{minutes:02}{' ' if half else ''}{half if hours <= 12 else ''}".strip()


def _counted(match: re.Match[str], groups: tuple[str | None, ...]) -> str | None:
    text, decimals, half, unit, behind = groups[:5]
    value = number(text or "")
    plain = re.fullmatch(r"[\d.,]+", text or "")
    if value is None and not plain:
        return None
    if not (plain or unit or decimals) and re.search(r"\w", _around(match)):
        return None  # a part of a word: 三鷹, 万一
    if not plain and text == "一" and not unit:
        return None
    shown = (text or "") if plain else str(value)
    if decimals:
        shown += "." + "".join(str(_DIGITS.get(sign, sign)) for sign in decimals)
    if unit in ("年", "月") and value is not None and value >= 100:
        return shown
    name = _units().get(unit or "", "")
    shown += " and a half" if half else ""
    glue = "" if name in ("円", "元", "%", "°") else " "
    return f"{shown}{glue}{name}".strip() + (" and a half" if behind else "")


def _around(match: re.Match[str]) -> str:
    return match.string[max(match.start() - 1, 0) : match.start()] + match.string[match.end() : match.end() + 1]


def _one(form: str):  # type: ignore[no-untyped-def]
    def write(match: re.Match[str], groups: tuple[str | None, ...]) -> str | None:
        value = number(groups[0] or "")
        return None if value is None else form.format(value)

    return write


def _percent(match: re.Match[str], groups: tuple[str | None, ...]) -> str | None:
    value = number(groups[0] or "")
    shown = groups[0] if re.fullmatch(r"[\d.,]+", groups[0] or "") else value
    decimals = "." + "".join(str(_DIGITS.get(sign, sign)) for sign in groups[1]) if groups[1] else ""
    return None if shown is None else f"{shown}{decimals}%"


def _fraction(match: re.Match[str], groups: tuple[str | None, ...]) -> str | None:
    under, over = number(groups[0] or ""), number(groups[1] or "")
    return None if not under or over is None else f"{over}/{under}"


_FORMS = {
    "era": _era,
    "date": lambda match, groups: _date(number(groups[0]), groups[1], groups[2]),
    "bc": lambda match, groups: _one("{0} BC")(match, groups[1:]),
    "ad": lambda match, groups: _one("AD {0}")(match, groups[1:]),
    "weekday": lambda match, groups: _DAYS[groups[0][0 if "曜" in groups[0] else -1]],
    "decade": _one("{0}s"),
    "century": _one("{0}th century"),
    "month": _month,
    "time": _time,
    "percent": _percent,
    "fraction": _fraction,
    "tenths": _one("{0}0%"),
    "ordinal": _one("{0}th"),
    "place": _one("{0}th"),
    "counted": _counted,
    "halved": lambda match, groups: f"half a {_units()[groups[0]].removesuffix('s')}",
}


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
