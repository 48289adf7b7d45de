"""The letters that a text chooses: "(B)", "B) Paris", "option B", "A and C"; never "I" or the article "a"."""

from __future__ import annotations

import re

from answersim.answers.extraction.boxed import boxed
from answersim.answers.extraction.frames import LANGUAGES, peeled
from answersim.answers.extraction.last import last_line
from answersim.answers.extraction.marked import announced, answer_tag, chosen, hash_answer
from answersim.answers.extraction.marks import pattern

_ARABIC = {"أ": "A", "ا": "A", "ب": "B", "ج": "C", "د": "D", "ه": "E", "هـ": "E", "و": "F"}
_CYRILLIC = {"А": "A", "В": "B", "С": "C", "Е": "E"}  # letters that look like those of a Latin list
_WIDE = {chr(0xFF21 + i): chr(65 + i) for i in range(26)} | {chr(0xFF41 + i): chr(65 + i) for i in range(26)}
_CIRCLED = {chr(0x24B6 + i): chr(65 + i) for i in range(26)}
_LATIN = {**_ARABIC, **_CYRILLIC, **_WIDE, **_CIRCLED}
# A letter, or letters of options together, that stand apart; a text in ASCII without them chooses none.
_APART = re.compile(r"(?<![A-Za-z])(?:[A-Za-z]|[A-H]{2,8})(?![A-Za-z])")
_OTHER = "".join(key for key in _LATIN if len(key) == 1)
_UPPER, _ANY = f"A-Z{_OTHER}", f"A-Za-z{_OTHER}"
_BIG = f"(?-i:[{_UPPER}])"
_MOST = 40  # letters from the end that are read
_LONGEST = 80  # characters of a marked answer, or of a line, that are read
# Marks before and behind a letter: one loop each, so that a run of blanks is read in one way.
_M = r"(?:[*_`$\s\"'“”«»<{]|\\(?:text(?:bf)?|mathrm|mathbf|boxed|\()){0,12}"
_E = r"(?:[*_`$\s}>\"'“”«»)\]）]|\\\)){0,12}"
_ALONE = re.compile(rf"{_M}(?:[(\[（]{_M})?([{_ANY}]ـ?){_E}(?:[.:。]{_E}\.?)?")
# Letters that are joined: "A, C", "A and C", "A & C", "AC".
_LETTER = rf"[(\[（]?\s?{_BIG}(?![^\W\d_])\s?[)\]）]?"
_LINK = r"(?:\s{0,3}[,;&+、،，]\s{0,3}(?:(?:<and>)\s{0,3})?|\s{0,3}(?:<and>)\s{0,3}|(?<=[)\]）])\s{0,3}(?=[(\[（]))"
_JOINED = pattern(
    rf"{_M}(?:(?:both|<the,option,answer>)\s{{0,3}}){{0,2}}({_LETTER}(?:{_LINK}{_LETTER}){{1,9}}){_E}(?:[.。]{_E})?"
)
_TOGETHER = re.compile(rf"{_M}([A-H]{{2,8}}){_E}(?:\.{_E})?")
# A letter with a delimiter at the start: "(b) Paris", "B. Paris", "B - Paris"; not "B. B. King".
_FIRST = re.compile(
    rf"{_M}(?:[(\[（]{_M}([{_ANY}])\s?[)\]）]|([{_ANY}])(?:[).:、．](?!\s?[A-Z]\.)|\s[-–—](?=\s)))(?=[*_`$\s}}\\]|\w|\Z)"
)
# The same without a delimiter, before what may follow: "B because ...", "option B, as ...".
_AFTER = pattern(
    rf"{_E}(?:\Z|[,;:)(–—\n。，；]|\.(?:\s|\Z)|\s{{0,3}}(?:<because,end>)|\b(?:as|is|based|da)\b|\s[-–—]\s)"
)
_BEFORE_REASON = pattern(
    rf"{_M}(?:(?:<the>)?\s{{0,2}}(?:<answer,option>)\b{_M})?(?:(?:<the>)\s{{0,2}})?(?:[(\[（]\s?([{_ANY}])\s?[)\]）]|({_BIG}))"
)
# A letter that may be an option, and what names it: "option B", "I choose B", "答案：B".
_BESIDE = r"A-Za-zÀ-ɏа-яёء-ي\d_'’+"  # of a letter that belongs to a word
_CANDIDATE = re.compile(rf"(?<![{_BESIDE}.])(?:(?<=[(\[（]) ?([{_ANY}])(?= ?[)\]）])|([{_UPPER}])(?![{_BESIDE}#]|-\w))")
_NAMED = pattern(
    rf"(?:(?:(?:\A|[^\w\s]|(?:<the,kind,last,choose,so,is,answer,and>))\s{{0,3}}(?:<answer,option>)|(?:<choose,so>)"
    rf"|(?:<right>)(?=[ \t]{{0,3}}(?:<is>)|[ \t]?[:：]))(?:[ \t]{{0,3}}<kind,last,right>){{0,2}}"
    rf"(?:[ \t]{{0,3}}<is>)?{_E}[ \t]{{0,3}}[:：=,，、]?(?:[ \t]{{0,3}}(?:<the,option,answer>)){{0,2}}{_M}[(\[（]? ?\Z)"
)
_SURE = pattern(r"\W{0,9}(?:<sure>[\s,:–—-]{0,3}){1,2}")  # "Probably B"
# "B is correct", "(B) is the right answer", "B가 정답".
_CORRECT = pattern(rf"{_E}번?(?:(?:<is>)|seems|está)?\s{{0,3}}(?:<right,answer>)")
_LISTED = re.compile(rf"^[*_ -]{{0,9}}(?:[(\[]([{_ANY}])[)\]]|([{_ANY}])[).:])", re.MULTILINE)
_DENIED_BEFORE = pattern(
    r"(?:<not>)\s{0,3}(?:be\s|es\s|est\s|è\s|é\s)?(?:(?:<the>)\s{0,2})?(?:(?:<option,answer>)\s{0,2})?[\s(*\[]{0,9}\Z"
)
_ASIDE = rf"(?:\s(?!<is,wrong,because>|{_BIG}(?![^\W_]))[^\W\d_]{{1,20}}){{0,3}}?"
_DENIED_AFTER = pattern(
    rf"{_E}(?::|{_ASIDE})\s{{0,3}}(?:(?:<is>)|can|could|seems|does|do|kann|peut|está|puede)?(?:n['’]t)?\s{{0,3}}"
    rf"(?:clearly\s|obviously\s|definitely\s|also\s|be\s|eindeutig\s)?(?:<wrong>)"
)
_ONE_OF = r"(?:/|(?:<or,and>)|&)\s{0,3}(?:(?:<option>)\s)?[(\[*]{0,3}"
_OR_AFTER = pattern(rf"{_E}(?:,\s?)?\s{{0,3}}{_ONE_OF}{_BIG}(?![\w'’.]\w|\w)")
_OR_BEFORE = pattern(rf"(?<!\w){_BIG}[)\]*_]{{0,3}}(?:,\s?)?\s{{0,3}}{_ONE_OF}\Z")
_LISTED_AFTER = re.compile(rf"[)\]]?\s?[,;/、]\s?[(\[]?[{_UPPER}](?!\w)")
_STOP = pattern(r"[,;.]\s{1,3}(?:<because>)")  # behind a letter, before a reason
_PART_OF_NAME = re.compile(r"\.\s?[A-Z]")


def choice(text: str) -> tuple[int, int] | None:
    """Return the place of the letter that a text chooses; None if it chooses none, or several.

    In order: the whole text is a letter with marks, maybe behind "probably"; an answer behind a mark (a tag, a box,
    "####", "the answer is") that begins with a letter; the last "option B" or "B is correct"; a letter with a delimiter
    at the start; the last line that is or begins with a letter; the last letter in brackets or bold. A letter that is
    denied ("not B") or one of several ("A or B") is none, and so is a bare capital letter in running text: "I" and "A"
    are never options.

    >>> [letter(text) for text in ("(B)", "**b**", "I think it is option C.", "B) Paris", "I see a cat", "A cat sat")]
    ['B', 'B', 'C', 'B', None, None]
    """
    if not _may_choose(text):
        return None
    if (place := _alone(text, 0, len(text))) is not None:
        return place
    if (sure := _SURE.match(text)) is not None and (place := _alone(text, sure.end(), len(text))) is not None:
        return place if not text[place[0]].islower() or text[place[0] - 1] in "([（" else None
    for marked in _marked(text):
        if (place := _at_start(text, *marked)) is not None:
            return place
        if _JOINED.match(text, *marked) is not None:
            return None
    places = [_place(match) for match in _CANDIDATE.finditer(text)][-_MOST:]
    places = [place for place in reversed(places) if _is_chosen(text, place)]
    for is_said in (_is_named, _is_correct, _is_framed):
        if (place := next((place for place in places if is_said(text, *place)), None)) is not None:
            return place
    listed = [latin(text[slice(*_place(match))]) for match in _LISTED.finditer(text)]
    is_list = listed[:2] == ["A", "B"]  # all options
    if not is_list:
        start, end = last_line(text) or (0, 0)
        ends = (
            _with_delimiter(text, 0, len(text)),
            _alone(text, start, end),
            _with_delimiter(text, start, end),
            _before_reason(text, 0, len(text)),
        )
        if (place := next((place for place in ends if place), None)) is not None:
            return place
    return None if is_list else next((place for place in places if _is_marked(text, *place)), None)


def letter(text: str) -> str | None:
    """Return the letter that a text chooses, in upper case and Latin; None if it chooses none, or several."""
    place = choice(text)
    return None if place is None else latin(text[place[0] : place[1]])


def letters(text: str) -> str:
    """Return all letters that a text chooses, sorted: of an answer to a question with several right options.

    >>> letters("A, C"), letters("The answers are A and C."), letters("(B)"), letters("A or C"), letters("I am A. Li")
    ('AC', 'AC', 'B', '', '')
    """
    if not _may_choose(text):
        return ""
    if _alone(text, 0, len(text)) is None:
        for start, end in ((0, len(text)), *_marked(text)):
            joined = _JOINED.fullmatch(text, start, end) if end - start <= _LONGEST else None
            together = _TOGETHER.fullmatch(text, start, end) if end - start <= _LONGEST and not joined else None
            if joined is not None or (together is not None and (start or text.startswith("\\"))):
                content = joined[1] if joined is not None else together[1]  # type: ignore[index]
                singles = _SINGLE.findall(content)
                return "".join(sorted({latin(single) for single in singles}))
    single = letter(text)
    return single or ""


def _may_choose(text: str) -> bool:
    return not text.isascii() or "\\" in text or _APART.search(text) is not None


_SINGLE = re.compile(rf"(?<![A-Za-z])[{_UPPER}](?![a-z])|(?<=[A-H])[A-H]")


def latin(character: str) -> str:
    """Return a letter of an option in upper case and Latin.

    >>> latin("b"), latin("Ｂ"), latin("ب")
    ('B', 'B', 'B')
    """
    return _LATIN.get(character, character.upper())


def _marked(text: str) -> list[tuple[int, int]]:
    """Return the places of what marks announce: a tag, a box, "####", and "the answer is"."""
    places = [place for rule in (answer_tag, boxed, hash_answer) if (place := rule(text)) is not None]
    mark = chosen(announced(text))
    return places if mark is None else [*places, (mark.start, mark.end)]


def _at_start(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the letter with which a marked answer begins. A bare "a" after "is" is an article that was cut off."""
    if (place := _alone(text, start, end)) is not None:
        cut_off = text[start:end].strip(" .") == "a" and text[:start].rstrip()[-2:] in ("is", "be")
        return None if cut_off else place
    return _with_delimiter(text, start, end) or _before_reason(text, start, end)


def _before_reason(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the upper-case letter at the start, before a reason, an aside or the end of a sentence."""
    match = _BEFORE_REASON.match(text, start, end)
    if match is None or _AFTER.match(text, match.end()) is None:
        return None
    place = _place(match)
    is_lower = text[place[0]].islower() and text[place[0] - 1 : place[0]] not in ("(", "[", "（")
    is_longer = _PART_OF_NAME.match(text, place[1]) is not None or _LISTED_AFTER.match(text, place[1]) is not None
    return None if is_lower or is_longer or not _is_chosen(text, place) else place


def _alone(text: str, start: int, end: int) -> tuple[int, int] | None:
    match = _ALONE.fullmatch(text, start, end) if end - start <= _LONGEST else None
    return None if match is None else match.span(1)


def _with_delimiter(text: str, start: int, end: int) -> tuple[int, int] | None:
    match = _FIRST.match(text, start, min(end, start + _LONGEST))
    place = None if match is None else _place(match)
    if place is None or not _is_chosen(text, place) or re.match(r"I\.\s?[A-Z]", text[place[0] : place[1] + 4]):
        return None
    return place


def _place(match: re.Match[str]) -> tuple[int, int]:
    """Return the place of the only group that matched."""
    return next(match.span(i) for i in range(1, (match.lastindex or 1) + 1) if match.group(i) is not None)


def _is_chosen(text: str, place: tuple[int, int]) -> bool:
    """Return whether the letter is neither denied nor one of several."""
    before, end = text[max(0, place[0] - 32) : place[0]], place[1]
    after = text[end : end + _LONGEST]
    denied = _DENIED_BEFORE.search(before) or _DENIED_AFTER.match(after)
    return not (denied or _OR_BEFORE.search(before) or _OR_AFTER.match(after))


def _is_marked(text: str, start: int, end: int) -> bool:
    """Return whether the letter is in brackets or bold."""
    return bool(
        re.search(r"[(（*] ?\Z", text[max(0, start - 2) : start]) and re.match(r" ?[)）*.]", text[end : end + 2])
    )


def _is_named(text: str, start: int, end: int) -> bool:
    """Return whether the text names an option with this letter, which is no word: "the choice I made"."""
    before = text[max(0, start - 48) : start]
    if _NAMED.search(before) is None:
        return False
    is_bracketed = text[start - 1] in "([{（*"
    return is_bracketed or _AFTER.match(text, end) is not None or _CORRECT.match(text, end) is not None


def _is_framed(text: str, start: int, end: int) -> bool:
    """Return whether only words of frames stand around the letter: "Only B fits", "Yo diría que B"."""
    if len(text) > _LONGEST or "?" in text:
        return False
    stop = _STOP.match(text, end) if _LISTED_AFTER.match(text, end) is None else None
    clause = text[max(text.rfind(sign, 0, start) for sign in ",;.!\n") + 1 : None if stop is None else end]
    whole = (text, clause) if len(clause.split()) > 1 else (text,)
    left = (_ALONE.fullmatch(peeled(said, lang)[-1]) for lang in LANGUAGES for said in whole)
    return any(match is not None and match[1] == text[start:end] for match in left)


def _is_correct(text: str, start: int, end: int) -> bool:
    """Return whether the text calls this letter correct."""
    is_named_so = text[max(0, start - 8) : start].lower().endswith("vitamin ")
    return _CORRECT.match(text, end) is not None and not is_named_so
