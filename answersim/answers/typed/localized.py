"""Tokens of an answer in German, French, Russian ... with their values in English words, which the grammars read.

"le 3 mai 2001" becomes "the 3 May 2001", "3,5 Kilometern" becomes "3.5 kilometers", and "двадцать три" becomes 23. A
word that is not translated is marked, so that no grammar reads it as an English word.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache, lru_cache

from answersim.answers.text.patterns import Patterns
from answersim.answers.typed.cjk import in_digits as cjk_in_digits
from answersim.answers.typed.date import MONTHS
from answersim.answers.typed.numerals import LANGUAGES, numeral, pieces_of, roman_value, unaccented
from answersim.answers.typed.tokens import Tokens, tokens
from answersim.answers.typed.vocabulary import listed, meanings, rows
from answersim.answers.typed.words import Spelled

MARK = "\ua66e"  # ends a word that is not translated; a letter that hardly occurs in a text
DECIMAL_COMMA = frozenset("de fr es it pt nl ru pl cs sk sv da no nb nn fi hu tr el ro bg uk hr sr sl id vi ca".split())
_P = Patterns("localized")
_YEARS_RU = frozenset("год года году годом годы годов г гг годах".split())
_PARTS_OF_HOURS = {"четверть": "quarter", "половина": "half", "половину": "half", "половине": "half"}
_UNTIL = ("bis", "tot", "hasta", "até", "до")
_DECADES = {"fr": ("années",), "es": ("años",), "it": ("anni",), "pt": ("anos",), "nl": ("jaren",), "ru": ()}
_SCALES = {"3": "thousand", "6": "million", "9": "billion", "12": "trillion", "15": "quadrillion"}
_MONTH_NAMES = frozenset(name.title() for name in MONTHS)
_PARTS = frozenset(
    "thirds quarters fifths sixths sevenths eighths ninths tenths twelfths twentieths hundredths thousandths".split()
)
# English words that are no values, and may change one that is beside them; they are read in each language.
_KEPT_KINDS = "verb|change|rise|operation|doubt before|doubt after|from now|denial|condition|multiplier".split("|")
_KEPT = frozenset("x e us usd eur gbp jpy chf rub cny krw inr cad aud hkd thb ils k n v".split())


@lru_cache(maxsize=1 << 9)
def localized(folded: str, lang: str) -> Tokens:
    """Return the tokens of a folded text, with values in the words of English."""
    if lang == "en":
        return tokens(folded)
    if lang in ("zh", "ja"):
        return tokens(cjk_in_digits(folded, whole=False))
    if lang in ("fr", "it"):
        folded = _P.elision.sub(lambda match: match[1][:-1] + " ", folded)
    if lang in ("fr", "pt"):
        folded = _P.clock.sub(r"\1:\2", folded)
    return _Translation(tokens(folded), lang).result()


@cache
def _phrases(lang: str) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return the English tokens of the phrases of a language, which are folded tokens, also without accents."""
    table: dict[tuple[str, ...], tuple[str, ...]] = {}
    for row in (*rows("words"), *rows("cldr")):
        if row.kind == "in English" and row.language == lang:
            english = tuple(row.meaning.split())
            for word in row.words:
                table.setdefault(tokens(word).low, english)
        elif row.kind == "scale" and row.language == lang:
            table |= dict.fromkeys(((word,) for word in row.words), (_SCALES[row.meaning],))
    for phrase, english in tuple(table.items()):
        table.setdefault(tuple(map(unaccented, phrase)), english)
    return table


@cache
def _starts(lang: str) -> dict[str, int]:
    """Return the first words of phrases, with the length of the longest one."""
    longest: dict[str, int] = {}
    for phrase in _phrases(lang):
        longest[phrase[0]] = max(longest.get(phrase[0], 0), len(phrase))
    return longest


@cache
def _kept() -> frozenset[str]:
    """Return the words that are neither translated nor marked."""
    values = {word for row in rows("words") if row.language == "en" for word in row.words}
    return listed(*_KEPT_KINDS) - values | _KEPT


@cache
def _part_words(lang: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the words of a language for parts, such as "Drittel", with their English words."""
    phrases = _phrases(lang).items()
    return tuple((words[0], english) for words, english in phrases if len(words) == 1 and english[0] in _PARTS)


class _Translation:
    """A pass over the tokens from left to right."""

    def __init__(self, toks: Tokens, lang: str) -> None:
        self.toks, self.lang, self.low = toks, lang, toks.low
        self.plain = tuple(map(unaccented, toks.low))
        # the words in their own case, whether each is glued to the one before it, and whether no grammar may read it
        self.out: list[tuple[str, bool, bool]] = []

    def result(self) -> Tokens:
        """Return the translated tokens."""
        i = 0
        while i < len(self.low):
            i = self.step(i)
        low = tuple(word.casefold() + MARK * is_marked for word, _, is_marked in self.out)
        return Tokens(tuple(word for word, *_ in self.out), low, tuple(glued for _, glued, _ in self.out))

    def add(self, i: int, *words: str, mark: bool = False) -> None:
        """Add tokens for what begins at token i."""
        self.out += [(word, not at and self.toks.glued[i], mark) for at, word in enumerate(words)]

    def glue(self, ending: str) -> None:
        """Add "th" or "s" to the last token."""
        self.out.append((ending, True, False))

    def at(self, i: int) -> str:
        """Return the token at i in lower case; "" if there is none."""
        return self.low[i] if i < len(self.low) else ""

    def step(self, i: int) -> int:
        """Translate what begins at token i, and return the position after it."""
        word, lang = self.low[i], self.lang
        if word[0].isdecimal():
            return self.digits(i)
        (words, end), number = self.phrase(i), None
        if lang in LANGUAGES and (word[0].isalpha() or word in ("'", "№", "º")):
            for read in (self.century, self.half_of_hour):
                if (behind := read(i)) is not None:
                    return behind
            number = numeral(self.low, i, lang) if pieces_of(word, lang) else None
        last, is_glued, _ = self.out[-1] if self.out else ("-", False, False)
        after_number = last[0].isdecimal() or last in ("one", "half")
        in_date = last == "of" and not is_glued and bool(words) and words[0] in _MONTH_NAMES
        if words and (number is None or after_number or in_date or end > number.end):
            return self.english(i, words, end)
        if number is not None:
            return self.number(i, number)
        if not self.part(i):
            is_degree = i > 0 and self.low[i - 1] == "°" and word in ("c", "f")
            is_read = not word[0].isalpha() or is_degree or word in _kept() or self.plain[i] in _kept()
            self.add(i, self.toks.text[i], mark=not is_read)
        return i + 1

    def part(self, i: int) -> bool:
        """Read "zweidrittel" and "tweederde"."""
        word = self.plain[i]
        for part, english in _part_words(self.lang) if self.lang in ("de", "nl") else ():
            if word.endswith(part) and word != part:
                over = word.removesuffix(part)
                mixed = over.endswith("ein") and over != "ein"  # zweieinviertel
                number = numeral((over.removesuffix("ein") if mixed else over,), 0, self.lang)
                if number is not None and not number.ordinal and 1 < number.value < 100:
                    words = ("and", "a", english[0][:-1]) if mixed else (english[0],)
                    self.add(i, str(number.value), *words)
                    return True
        return False

    def phrase(self, i: int) -> tuple[tuple[str, ...], int]:
        """Return the English words of the longest phrase at i, and the position after it; () if there is none."""
        if i >= len(self.low):
            return (), i
        table, starts = _phrases(self.lang), _starts(self.lang)
        longest = max(starts.get(self.low[i], 0), starts.get(self.plain[i], 0))
        for length in range(min(longest, len(self.low) - i), 0, -1):
            english = table.get(self.low[i : i + length]) or table.get(self.plain[i : i + length])
            if english is not None:
                return english, i + length
        return (), i

    def english(self, i: int, words: tuple[str, ...], end: int) -> int:
        """Add the English words of a phrase."""
        lang, last = self.lang, self.out[-1][0] if self.out else ""
        if lang == "de" and self.toks.text[i] == "billion":  # an English word may be 10^9
            self.add(i, "mal")
            return end
        if lang == "ru" and self.low[i] in _YEARS_RU and last.isdecimal() and len(last) == 4 and last < "2999":
            return end + (self.at(end) == "." and self.low[i] in ("г", "гг") and end + 1 < len(self.low))
        if lang == "ru" and self.low[i] in _YEARS_RU and self.phrase(end)[0] in (("bc",), ("ad",)):
            return end
        after_value = last[:1].isdecimal() or last.islower()
        if words == ("to",) and not after_value:
            words = ("until",) if self.low[i] in _UNTIL else ("at",)
        elif words == ("of",) and lang == "de" and (last[:1].isdecimal() or last == "one"):
            words = ("out", "of")
        elif words == ("of",) and lang == "de" and not after_value:
            words = ("from",)
        if words[-1] in _PARTS and not last[:1].isdecimal():
            words = (*(("one",) if lang == "ru" and last != "one" else ()), words[-1][:-1])
        if words == ("half",) and lang in ("de", "nl") and self.is_hour(end):
            words = ("halb",)
        self.add(i, *words)
        short = words[0] in _MONTH_NAMES and len(self.low[i]) <= 5 and end + 1 < len(self.low)
        return end + (short and self.low[end] == ".")

    def is_hour(self, i: int) -> bool:
        """Return whether a number at i may be an hour."""
        word = self.at(i)
        number = Spelled(Fraction(int(word)), i + 1) if word.isdecimal() else numeral(self.low, i, self.lang)
        return number is not None and not number.ordinal and 1 <= number.value <= 12

    def digits(self, i: int) -> int:
        """Add a number in digits with English separators, and "th" after it if it is an ordinal."""
        text, low, n = self.toks.text[i], self.low, len(self.low)
        if self.lang in DECIMAL_COMMA and ("," in text or re.fullmatch(r"[1-9]\d{0,2}(?:\.\d{3})+", text)):
            text = text.translate(str.maketrans(",.", ".,"))
        self.add(i, text)
        at = i + 1
        if self.lang == "ru" and at + 1 < n and low[at] == "-" and self.toks.glued[at + 1]:
            at += 1
        at += self.lang in ("es", "pt") and self.at(at) == "." and self.at(at + 1) in ("º", "ª")
        if at < n and self.toks.glued[at] and low[at] in meanings("ordinal sign", self.lang, table="endings"):
            has_years = self.at(at + 1) in ("годы", "годов", "годах")
            is_decade = self.lang == "ru" and text.endswith("0") and (has_years or low[at] in ("е", "х"))
            if not is_decade and self.lang == "ru" and len(text) == 4 and self.at(at + 1) in _YEARS_RU:
                return at + 2
            self.glue("s" if is_decade else "th")
            return at + 1 + (is_decade and has_years)
        if text.endswith("0") and len(text) == 4 and self.at(at) == "s" and self.toks.glued[at]:
            self.glue("s")
            return at + 1
        if self.lang == "de" and text.endswith("0") and at < n and self.toks.glued[at] and low[at] in ("er", "ern"):
            self.glue("s")
            at += 1 + (self.at(at + 1) == "-")
            return at + (self.at(at) in ("jahre", "jahren"))
        if text.isdecimal() and len(text) < 3 and self.phrase(at)[0] == ("century",):
            self.glue("th")
        elif (n_words := self.n_decade_words(i)) and text.endswith("0") and len(self.toks.text[i]) in (2, 4):
            self.out[-1 - n_words :] = [(text, False, False)]
            self.glue("s")
        return i + 1

    def n_decade_words(self, i: int) -> int:
        """Return how many tokens before the number at i name a decade: "les années 80", "gli anni '60"."""
        at = i - 1 - (i > 1 and self.low[i - 1] == "'")
        is_decade = at >= 0 and self.low[at] in _DECADES.get(self.lang, ())
        return i - at if is_decade and not (at and self.low[at - 1][0].isdecimal()) else 0

    def number(self, i: int, number: Spelled) -> int:
        """Add a number that was read from words."""
        value, end = number.value, number.end
        half, after_half = self.phrase(end)
        if half == ("and", "a", "half") and value >= 1000 and not number.ordinal:  # un milione e mezzo
            scale = next(10**power for power in (12, 9, 6, 3, 0) if value % 10**power == 0)
            value, end = value + Fraction(scale, 2), after_half
        words: tuple[str, ...] = (str(value),)
        if value == 1:
            words = ("first",) if number.ordinal else ("one",)
        elif number.step < 1:
            words = (f"{float(value):.{len(str(number.step.denominator)) - 1}f}",)
        elif value.denominator > 1:
            words = (str(int(value)), "1", "/", "2")
        is_year = self.lang == "ru" and number.ordinal and self.at(end) in _YEARS_RU and 1000 <= value < 3000
        self.add(i, *((str(value),) if is_year else words))
        if is_year:
            return end + 1
        is_decade = self.lang == "ru" and 20 <= value <= 90 and self.at(end) in ("годы", "годов", "годах")
        if number.ordinal and value != 1:
            self.glue("s" if is_decade else "th")
            return end + is_decade
        if value.denominator == 1 and 20 <= value <= 90 and value % 10 == 0 and self.n_decade_words(i) == 1:
            del self.out[-2]
            self.glue("s")
        return end

    def century(self, i: int) -> int | None:
        """Read "XIXe siècle" and "XIX век"; "siglo XIX", "siglo 19" and "secolo XIX"."""
        is_first = self.plain[i] in ("siglo", "seculo", "secolo")
        at = i + is_first
        match = _P.roman.fullmatch(self.toks.text[at]) if at < len(self.low) else None
        value: int | None = roman_value(match[1]) if match is not None else None
        end = at + 1
        if not is_first:
            phrase, end = self.phrase(end) if value is not None else ((), end)
            value = value if phrase == ("century",) else None
        elif value is None and self.at(at).isdecimal() and len(self.low[at]) < 3:
            value = int(self.low[at])
        elif value is None and (number := numeral(self.low, at, self.lang)) is not None and number.value < 30:
            value, end = int(number.value), number.end
        if value is None:
            return None
        self.add(i, str(value))
        self.glue("th")
        self.add(i if is_first else i + 1, "century")
        return end

    def half_of_hour(self, i: int) -> int | None:
        """Read "половина третьего" and "четверть шестого": half past two, and a quarter past five."""
        part = _PARTS_OF_HOURS.get(self.low[i]) if self.lang == "ru" else None
        hour = numeral(self.low, i + 1, "ru") if part is not None else None
        if part is None or hour is None or not hour.ordinal or not 1 <= hour.value <= 12:
            return None
        self.add(i, part, "past", str(int(hour.value) - 1 or 12))
        return hour.end
