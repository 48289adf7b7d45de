"""Chinese and Japanese numbers, with a unit or as a date, in the notation that the grammars of values read."""

from __future__ import annotations

import re

_DIGITS = {sign: i for i, sign in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2, "両": 2}
_SMALL = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8, "兆": 10**12}
_SIGNS = "".join((*_DIGITS, *_SMALL, *_LARGE))
_N = rf"[{_SIGNS}\d.,]{{1,20}}"
_UNITS = {"": "", "円": "円", "元": "元", "日元": "円", "美元": " USD", "ドル": " USD", "ユーロ": " EUR", "%": "%"}
_UNITS |= {
    "公里": " km",
    "キロ": " km",
    "キロメートル": " km",
    "米": " m",
    "メートル": " m",
    "公斤": " kg",
    "キログラム": " kg",
}
_UNITS |= {
    "年": "",
    "年間": " years",
    "年间": " years",
    "日間": " days",
    "天": " days",
    "時間": " hours",
    "小时": " hours",
}
_UNITS |= {"分鐘": " minutes", "分钟": " minutes", "分間": " minutes", "秒": " seconds", "度": "°", "歳": "", "岁": ""}
_UNITS |= dict.fromkeys("人名個个つ回次本匹枚冊册台位番頭头只座件階楼番目명개", "")
# A pattern of a whole answer, and what is written for it; the groups are numbers.
_FORMS = (
    (re.compile(rf"({_N})年({_N})月({_N})日"), "{0}-{1:02}-{2:02}"),
    (re.compile(rf"({_N})年({_N})月"), "{0}-{1:02}"),
    (re.compile(rf"({_N})月({_N})日"), "{2} {1}"),
    (re.compile(rf"(?:午前|上午)?({_N})[時时点點](?:({_N})分)?"), "{0}:{1:02}"),
    (re.compile(rf"百分之({_N})"), "{0}%"),
    (re.compile(rf"({_N})割"), "{0}0%"),
    (re.compile(rf"({_N})分之({_N})"), "{1}/{0}"),
    (re.compile(rf"({_N})[点點・]([{''.join(_DIGITS)}]{{1,9}})"), "{0}.{1}"),
)
_COUNTED = re.compile(rf"(?:約|约|第)?({_N})({'|'.join(sorted(_UNITS, key=len, reverse=True))})")
_MONTHS = "January February March April May June July August September October November December".split()
_ANY = re.compile(rf"[{_SIGNS}年月日円元人]")


def in_digits(text: str) -> str:
    """Return a text that is one number, amount or date of these scripts in digits, and other texts unchanged.

    >>> in_digits("十二"), in_digits("1億円"), in_digits("二〇〇四年三月五日"), in_digits("三分之二")
    ('12', '100000000円', '2004-03-05', '2/3')
    >>> in_digits("一般"), in_digits("第二次世界大戦")
    ('一般', '第二次世界大戦')
    """
    if not _ANY.search(text):
        return text
    whole = text.strip().removesuffix("。")
    for pattern, form in _FORMS:
        if (match := pattern.fullmatch(whole)) is not None:
            numbers = [number(group or "0") for group in match.groups()]
            if None in numbers:
                return text
            if form == "{0}.{1}":
                return f"{numbers[0]}.{''.join(str(_DIGITS[sign]) for sign in match[2])}"
            if form == "{2} {1}":
                return f"{_MONTHS[numbers[0] - 1]} {numbers[1]}" if 0 < numbers[0] < 13 else text  # type: ignore[operator]
            return form.format(*numbers)
    counted = _COUNTED.fullmatch(whole)
    value = number(counted[1]) if counted is not None else None
    if counted is None or value is None:
        return text
    shown = counted[1] if re.fullmatch(r"[\d.,]+", counted[1]) else str(value)
    return f"{shown}{_UNITS[counted[2]]}"


def number(text: str) -> int | None:
    """Return the value of a whole number: 十二, 二〇〇四, 1億2000万, 1.2万; None if it is none.

    >>> number("二百五"), number("1億2000万"), number("1.2万"), number("千")
    (205, 120000000, 12000, 1000)
    """
    plain = text.replace(",", "")
    if all(sign in _DIGITS for sign in plain):
        return int("".join(str(_DIGITS[sign]) for sign in plain)) if plain else None
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
