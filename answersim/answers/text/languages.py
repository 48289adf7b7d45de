"""Which language do texts look like? Frequent words and scripts, for a warning if the wrong language is set.

The decision is about many texts together and needs much evidence. Names such as "Rio de Janeiro" are part of English
answers, so the tables leave out the words of names (de, la, van, von, der, das).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

MOST = 300  # texts that are looked at
_WORDS = 8  # frequent words of a language that are needed
_TEXTS = 4  # texts with one of them
_LETTERS = 20  # letters of a script that are needed
_TIMES = 3  # how often the frequent words of the language must outnumber those of English
_SHARE = 0.03  # of all words that are frequent words of the language

# Frequent words that are no English words and no parts of names; few are frequent in two of these languages.
FREQUENT: dict[str, frozenset[str]] = {
    "en": frozenset(
        "the of and to is was for are with as his they at be this from have had by but not what all were when we there "
        "can which she how their if who where did does it its on that he you been has will would about into than most "
        "many much first".split()
    ),
    "de": frozenset(
        "und ist nicht ein eine einen einem einer eines dem wird wurde wurden werden durch für auf auch sich zum zur "
        "oder aber nach wie bei aus über unter zwischen sind hat haben kann sie wer wann wo warum welche welcher "
        "welches wieviel als im vom ihre seine seit bis mehr sehr etwa gegen ohne gab gibt weil dass".split()
    ),
    "fr": frozenset(
        "est une dans qui pour sur avec pas sont aux du des au par plus cette ces été il elle ils elles nous vous "
        "quel quelle quels quelles où quand pourquoi comment combien ont était leur leurs mais entre sous depuis "
        "aussi après avant c'est d'une d'un qu'il n'est".split()
    ),
    "es": frozenset(
        "una por para es fue está son pero más muy también qué quién quiénes cuándo dónde cuál cuáles cuánto cuántos "
        "cómo porque desde hasta sobre entre cuando donde fueron tiene había ha sus lo al y este esta estos hay ser "
        "primero según durante".split()
    ),
    "it": frozenset(
        "il che è non sono una nel nella nelle nei dei degli delle della dello dalla dal alla alle sul sulla gli chi "
        "quando dove perché come quale quali quanto quanti quante cosa più anche ma fu stato stata dopo prima tra "
        "questo questa suo sua loro viene era ed".split()
    ),
    "nl": frozenset(
        "het een van niet zijn wordt werd worden naar ook aan bij uit voor door tot met dat deze dit maar heeft "
        "hebben kan zij hij wie wat waar wanneer waarom welke hoeveel omdat tussen tijdens sinds meer veel nog geen "
        "ongeveer tegen".split()
    ),
    "pt": frozenset(
        "não uma um em foi são mais também com ao aos às pelo pela pelos pelas na nas nos num numa quem quando onde "
        "qual quais quanto quantos quantas porque até desde seu sua seus suas é está foram tem havia ele ela isso "
        "este esta durante depois entre sobre".split()
    ),
    "pl": frozenset(
        "nie jest się że jak przez dla oraz który która które są był była było były jego jej ich przed między podczas "
        "kiedy gdzie kto czy jaki jaka jakie roku został została tym tego ale lub jako także według".split()
    ),
    "ro": frozenset(
        "este și să pentru prin fost sunt că această acest după între când unde cine cât câți câte despre său sale în "
        "către era avut ani cu lui din nu".split()
    ),
    "tr": frozenset(
        "ve bir için olarak daha çok gibi kadar sonra önce olan olduğu nerede kaç hangi nasıl değil tarafından "
        "arasında oldu edildi yılında göre neden nedir kimdir neydi".split()
    ),
    "vi": frozenset(
        "là và của các những được với một không người có đã này từ năm ở đến nhiêu nào gì tại về như vào trên đâu "
        "thế".split()
    ),
}
# By the first word of the Unicode name of a letter: the language that is named, and how its letters are called.
SCRIPTS: dict[str, tuple[str, str]] = {
    "HIRAGANA": ("ja", "Japanese"),
    "KATAKANA": ("ja", "Japanese"),
    "HANGUL": ("ko", "Korean"),
    "CJK": ("zh", "Chinese"),
    "CYRILLIC": ("ru", "Russian"),
    "GREEK": ("el", "Greek"),
    "ARABIC": ("ar", "Arabic"),
    "HEBREW": ("he", "Hebrew"),
    "THAI": ("th", "Thai"),
    "DEVANAGARI": ("hi", "Hindi"),
}
NAMES = {
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "nl": "Dutch",
    "pt": "Portuguese",
    "pl": "Polish",
    "ro": "Romanian",
    "tr": "Turkish",
    "vi": "Vietnamese",
}
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


class TextLanguage(NamedTuple):
    """The language that texts look like."""

    code: str  # its ISO 639-1 code, such as "de". For a script of several languages, that of the most frequent one.
    name: str  # its English name
    showing: int  # the number of texts that show it: with a frequent word, or mainly in its script
    n: int  # the number of texts that were looked at


def text_language(texts: Iterable[str]) -> TextLanguage | None:
    """Return the language that these texts look like; None if it is English, another Latin one, or not clear.

    ``texts``: gold answers, predictions and questions together. The first 300 different ones are looked at.

    >>> text_language(["Wer ist das und wann?", "Im Mai und im Juni", "nach dem Krieg", "Sie ist nicht hier", "Ulm"])
    TextLanguage(code='de', name='German', showing=4, n=5)
    >>> text_language(["Rio de Janeiro", "Der Spiegel", "Ludwig van Beethoven", "La Paz", "Müller"]) is None
    True
    """
    different: dict[str, None] = {}
    for text in texts:
        if text not in different and text.strip():
            different[text] = None
            if len(different) == MOST:
                break
    return _by_script(list(different)) or _by_words(list(different))


def _by_script(texts: list[str]) -> TextLanguage | None:
    """Return the language of the script of most letters, if they are enough."""
    letters: Counter[str] = Counter()
    mainly: Counter[str] = Counter()
    for text in texts:
        if not text.isascii():
            here = Counter(map(_script, text))
            del here[""]
            letters.update(here)
            if here:
                mainly[here.most_common(1)[0][0]] += 1
    if (count := sum(map(letters.__getitem__, SCRIPTS))) < _LETTERS:
        return None
    n_ascii = sum(map(str.isalpha, "".join(filter(str.isascii, texts))))
    if 2 * count <= letters.total() + n_ascii:
        return None
    kana = letters["HIRAGANA"] + letters["KATAKANA"]
    script = max(SCRIPTS, key=letters.__getitem__)
    if script == "CJK" and kana > 0.05 * letters["CJK"]:
        script = "HIRAGANA"
    return TextLanguage(*SCRIPTS[script], sum(map(mainly.__getitem__, SCRIPTS)), len(texts))


@lru_cache(maxsize=1 << 14)
def _script(character: str) -> str:
    return unicodedata.name(character, "").partition(" ")[0] if character.isalpha() else ""


@cache
def _codes_of() -> dict[str, tuple[str, ...]]:
    """Return the languages of each frequent word."""
    words = dict.fromkeys(word for frequent in FREQUENT.values() for word in frequent)
    return {word: tuple(code for code, frequent in FREQUENT.items() if word in frequent) for word in words}


def _by_words(texts: list[str]) -> TextLanguage | None:
    """Return the language whose frequent words are the most, if they are enough and far more than those of English."""
    words, codes_of = _words("\n".join(texts)), _codes_of()
    hits = Counter([code for word in words if word in codes_of for code in codes_of[word]])
    first = max(NAMES, key=hits.__getitem__)
    needed = max(_WORDS, _SHARE * len(words), _TIMES * hits["en"])
    if hits[first] < needed:
        return None
    showing = sum(not FREQUENT[first].isdisjoint(_words(text)) for text in texts)
    return None if showing < _TEXTS else TextLanguage(first, NAMES[first], showing, len(texts))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("’", "'"))
