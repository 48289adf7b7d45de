"""The letter of a choice: "(B)", "B.", "**B**", "option B", "B) Paris"; never the pronoun "I" or the article "a"."""

from __future__ import annotations

import re

from answersim.extraction.boxed import boxed
from answersim.extraction.last import last_line
from answersim.extraction.marked import answer_tag, final, hash_answer

_ARABIC = {"أ": "A", "ا": "A", "ب": "B", "ج": "C", "د": "D", "ه": "E", "هـ": "E", "و": "F"}
_WIDE = {chr(0xFF21 + i): chr(65 + i) for i in range(26)} | {chr(0xFF41 + i): chr(65 + i) for i in range(26)}
_CIRCLED = {chr(0x24B6 + i): chr(65 + i) for i in range(26)}
_LATIN = {**_ARABIC, **_WIDE, **_CIRCLED}
_OTHER = "".join(key for key in _LATIN if len(key) == 1)
_UPPER, _ANY = f"A-Z{_OTHER}", f"A-Za-z{_OTHER}"
_LONGEST = 80  # characters of a marked answer, or of a line, that are read
_M = r"[*_`$\s\"'{]{0,9}(?:\\(?:text(?:bf)?|mathrm|mathbf|boxed)\s?\{)?[*_`$\s]{0,9}"
_AND = r"\s*(?:/|&|,?\s\b(?:and|or|und|oder)\b)\s*"
_ALONE = re.compile(rf"{_M}(?:[(\[（]{_M})?([{_ANY}]ـ?)[*_`$\s]{{0,9}}[)\]）.:]?[*_`$\s}}.\"']*")
# A letter with a delimiter at the start: "(b) Paris", "B. Paris", "B - Paris"; not "B. B. King".
_FIRST = re.compile(
    rf"{_M}(?:[(\[（]{_M}([{_ANY}])\s?[)\]）]|([{_ANY}])(?:[).:、．](?!\s?[A-Z]\.)|\s[-–—](?=\s)))(?=[*_`$\s}}\\]|\Z)"
)
# The same without a delimiter, before what may follow: "B because ...", "option B, as ...".
_BEFORE_REASON = re.compile(
    rf"{_M}(?:(?:option|choice|letter|antwort)\b{_M})?(?:[(\[（]\s?([{_ANY}])\s?[)\]）]|([{_UPPER}]))[*_`\s]{{0,9}}"
    r"(?=\Z|[,;:)(–—\n]|\.(?:\s|\Z)|\b(?:because|since|which|as|is|based|weil|denn|da)\b)",
    re.IGNORECASE,
)
# A letter that may be an option, and what names it: "option B", "I choose B", "答案：B".
_CANDIDATE = re.compile(
    rf"(?<![A-Za-zÀ-ɏ\d_'’.+])(?:(?<=[(\[（]) ?([{_ANY}])(?= ?[)\]）])|([{_UPPER}])(?![\w'’+#]|-\w))"
)
_NAMED = re.compile(
    r"(?:\b(?:option|choice|letter|opción|respuesta(?: correcta)?|réponse|risposta|resposta|antwort|lösung|(?:i|i['’]d|"
    r"i would|will|we|ich) (?:choose|pick|select|go with|chose|wähle|nehme))\b|答案|选项?|答え|正解|الإجابة|الجواب)"
    rf"(?:\s?(?:is|es|est|è|é|ist|are|هو|هي|是|は)\s|是)?[*_`\"'\s]{{0,9}}[:：]?{_M}[(\[（]? ?\Z",
    re.IGNORECASE,
)
# "B is correct", "(B) is the right answer"; "It is B."
_CORRECT = re.compile(
    r"[)\]]?\**\s(?:is|ist|seems|must be|would be)\s(?:the |die )?(?:correct|right|richtig|korrekt|"
    r"(?:best |correct |right |richtige )?(?:answer|option|choice|antwort))\b"
)
_IT_IS = re.compile(rf"\b(?:[Ii]t|[Tt]hat|[Ee]s)(?:['’]s|\s(?:is|must be|ist))\s{_M}[(\[]?\Z")
_LISTED = re.compile(rf"^[*_ -]{{0,9}}(?:[(\[]([{_ANY}])[)\]]|([{_ANY}])[).:])", re.MULTILINE)
_DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|nicht|keine?|except|neither|nor|between|either)|n['’]t)\s(?:be\s)?(?:the\s)?(?:option|choice|answer)?"
    r"[\s(*\[]*\Z",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"[)\]*_]*(?:\s(?!is\b|was\b|ist\b)\w+){0,3}?\s(?:is|was|ist)(?:\sclearly)?(?:n['’]t|\s(?:not|wrong|incorrect|false|falsch))\b"
)
_ALTERNATIVE_AFTER = re.compile(rf"[)\]*_]*{_AND}(?:option\s)?[(\[*]*[{_UPPER}](?![\w'’.]\w|\w)")
_ALTERNATIVE_BEFORE = re.compile(rf"(?<!\w)[{_UPPER}][)\]*_]*{_AND}(?:option\s)?[(\[*]*\Z")


def choice(text: str) -> tuple[int, int] | None:
    """Return the place of the letter that a text chooses; None if it chooses none.

    In order: the whole text is a letter with marks; an answer behind a mark (a tag, a box, "####", "the answer is")
    that begins with a letter; the last "option B" or "B is correct"; a letter with a delimiter at the start; the last
    line that is or begins with a letter; the last letter in brackets or bold. A letter that is denied ("not B") or one
    of several ("A or B") is none, and so is a bare capital letter in running text: "I" and "A" are never options.

    >>> [letter(text) for text in ("(B)", "**b**", "I think it is option C.", "B) Paris", "I see a cat", "A cat sat")]
    ['B', 'B', 'C', 'B', None, None]
    """
    if (place := _alone(text, 0, len(text))) is not None:
        return place
    for rule in (answer_tag, boxed, hash_answer, final):
        if (marked := rule(text)) is not None and (place := _at_start(text, *marked)) is not None:
            return place
    places = [_place(match) for match in _CANDIDATE.finditer(text)]
    places = [place for place in reversed(places) if _is_chosen(text, place)]
    for is_said in (_is_named, _is_correct):
        if (place := next((place for place in places if is_said(text, *place)), None)) is not None:
            return place
    letters = [latin(text[slice(*_place(match))]) for match in _LISTED.finditer(text)]
    lists = letters[:2] == ["A", "B"]  # all options
    if not lists:
        start, end = last_line(text) or (0, 0)
        ends = _with_delimiter(text, 0, len(text)), _alone(text, start, end), _with_delimiter(text, start, end)
        if (found := next((place for place in ends if place), None)) is not None:
            return found
    return None if lists else next((place for place in places if _is_marked(text, *place)), None)


def letter(text: str) -> str | None:
    """Return the letter that a text chooses, in upper case and Latin; None if it chooses none."""
    place = choice(text)
    return None if place is None else latin(text[place[0] : place[1]])


def latin(character: str) -> str:
    """Return a letter of an option in upper case and Latin.

    >>> latin("b"), latin("Ｂ"), latin("ب")
    ('B', 'B', 'B')
    """
    return _LATIN.get(character, character.upper())


def _at_start(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the letter with which a marked answer begins. A bare "a" after "is" is an article that was cut off."""
    if (place := _alone(text, start, end)) is not None:
        cut_off = text[start:end].strip(" .") == "a" and text[:start].rstrip()[-2:] in ("is", "be")
        return None if cut_off else place
    if (place := _with_delimiter(text, start, end)) is not None:
        return place
    found = _BEFORE_REASON.match(text, start, end)
    place = None if found is None else _place(found)
    lower = place is not None and text[place[0]].islower() and text[place[0] - 1] not in "([（"
    return None if place is None or lower or not _is_chosen(text, place) else place


def _alone(text: str, start: int, end: int) -> tuple[int, int] | None:
    found = _ALONE.fullmatch(text, start, end) if end - start <= _LONGEST else None
    return None if found is None else found.span(1)


def _with_delimiter(text: str, start: int, end: int) -> tuple[int, int] | None:
    found = _FIRST.match(text, start, min(end, start + _LONGEST))
    place = None if found is None else _place(found)
    if place is None or not _is_chosen(text, place) or re.match(r"I\.\s?[A-Z]", text[place[0] : place[1] + 4]):
        return None
    return place


def _place(match: re.Match[str]) -> tuple[int, int]:
    """Return the place of the only group that matched."""
    return next(match.span(i) for i in range(1, (match.lastindex or 1) + 1) if match.group(i) is not None)


def _is_chosen(text: str, place: tuple[int, int]) -> bool:
    """Return whether the letter is neither denied nor one of several."""
    before, end = text[max(0, place[0] - 24) : place[0]], place[1]
    after = text[end : end + _LONGEST]
    denied = _DENIED_BEFORE.search(before) or _DENIED_AFTER.match(after)
    return not (denied or _ALTERNATIVE_BEFORE.search(before) or _ALTERNATIVE_AFTER.match(after))


def _is_marked(text: str, start: int, end: int) -> bool:
    """Return whether the letter is in brackets or bold."""
    return bool(
        re.search(r"[(（*] ?\Z", text[max(0, start - 2) : start]) and re.match(r" ?[)）*.]", text[end : end + 2])
    )


def _is_named(text: str, start: int, end: int) -> bool:
    """Return whether the text names an option with this letter, which is no word: "the choice I made"."""
    if _NAMED.search(text[max(0, start - 48) : start]) is None:
        return False
    after = r"\s+(?!(?:is|because|since|as|und|ist|weil|and|or)\b)[a-z]"
    is_bracketed = text[start - 1] in "([{（*"
    return is_bracketed or not (text[start] in "AI" and re.match(after, text[end : end + 12]))


def _is_correct(text: str, start: int, end: int) -> bool:
    """Return whether the text calls this letter correct."""
    if _CORRECT.match(text, end):
        return not text[max(0, start - 8) : start].lower().endswith("vitamin ")
    said = text[start] != "I" and _IT_IS.search(text[max(0, start - 40) : start])
    return bool(said and re.match(r"[)\]]?\**(?:[.,;:!]|\s*\Z)", text[end : end + 9]))
