"""The letters that a text chooses: "(B)", "B) Paris", "option B", "A and C"; never "I" or the article "a"."""

from __future__ import annotations

import re
import unicodedata

from answersim.answers.extraction.announced import announced, chosen
from answersim.answers.extraction.frames import innermost
from answersim.answers.extraction.marked import Place, answer_tags, boxes, hash_answers, last_line
from answersim.answers.text.patterns import Patterns, word_sets

_P, _W = Patterns("choice"), word_sets("choice")
_LATIN = dict(pair.split("/") for pair in _W.latin)
_MOST = 40  # letters from the end that are read
_STOPS, _ENDS = (" ", "\n"), tuple(".:…!?")  # before the last word of a text, and of its last but one part
_LONGEST = 80  # characters of a marked answer, or of a line, that are read


def choice(text: str) -> Place | None:
    """Return the place of the letter that a text chooses; None if it chooses none, or several.

    In order: the whole text is a letter with marks, maybe behind "probably"; an answer behind a mark (a tag, a box,
    "####", "the answer is") that begins with a letter; the last "option B" or "B is correct"; a letter with a delimiter
    at the start; the last line that is or begins with a letter; the last letter in brackets or bold. A letter that is
    denied ("not B") or one of several ("A or B") is none, and so is a bare capital letter in running text: "I" and "A"
    are never options.
    """
    if not _may_choose(text):
        return None
    offered = _P.offered.match(text)  # "Between A and C, I choose C", "AではなくB"
    begin = 0 if offered is None else offered.end()
    place = _choice(text[begin:])
    return None if place is None else (place[0] + begin, place[1] + begin)


def _choice(text: str) -> Place | None:
    """Return what ``choice`` does, of a text that does not begin with the letters on offer."""
    if (place := _alone(text, 0, len(text))) is not None:
        return place
    if (sure := _P.sure.match(text)) is not None and (place := _alone(text, sure.end(), len(text))) is not None:
        return place if not text[place[0]].islower() or text[place[0] - 1] in "([（" else None
    for marked in _marked(text):
        if (place := _at_start(text, *marked)) is not None:
            return place
        if _P.joined.match(text, *marked) is not None:
            return None
    places = [_place(match) for match in _P.candidate.finditer(text)][-_MOST:]
    places = [place for place in reversed(places) if _is_chosen(text, place)]
    for is_chosen in (_is_named, _is_correct, _is_framed):
        if (place := next((place for place in places if is_chosen(text, *place)), None)) is not None:
            return place
    if [latin(text[slice(*_place(match))]) for match in _P.listed.finditer(text)][:2] == ["A", "B"]:
        return None  # all options
    start, end = last_line(text) or (0, 0)
    first, at = _with_delimiter(text, 0, len(text)), max(text.rstrip(" .\n").rfind(stop) for stop in _STOPS)
    is_apart = first is not None and at > 0 and text[:at].rstrip()[-1:] in _ENDS
    last = _alone(text, at + 1, len(text)) if is_apart else None
    if first is not None and last is not None and latin(text[slice(*first)]) != latin(text[slice(*last)]):
        return None  # "B. Let me reconsider: A"
    place = first or _alone(text, start, end) or _with_delimiter(text, start, end)
    place = place or _before_reason(text, 0, len(text))
    return place or next((place for place in places if _is_marked(text, *place)), None)


def letter(text: str) -> str | None:
    """Return the letter that a text chooses, in upper case and Latin; None if it chooses none, or several."""
    place = choice(text)
    return None if place is None else latin(text[place[0] : place[1]])


def letters(text: str) -> str:
    """Return all letters that a text chooses, sorted: of an answer to a question with several right options."""
    return (several(text) or letter(text) or "") if _may_choose(text) else ""


def several(text: str) -> str:
    """Return what ``letters`` does, of a text that lists letters; "" for another text, which may choose one letter."""
    if _alone(text, 0, len(text)) is None:
        for start, end in ((0, len(text)), *_marked(text)):
            if end - start > _LONGEST:
                continue
            listed = _P.joined.fullmatch(text, start, end)
            together = _P.together.fullmatch(text, start, end) if listed is None else None
            if together is not None and (together.start(1) or text.startswith("\\")):
                listed = together
            if listed is not None:
                return "".join(sorted({latin(single) for single in _P.single.findall(listed[1])}))
    return ""


def _may_choose(text: str) -> bool:
    """Return whether a text may choose letters: one in ASCII has a letter, or letters of options, that stand apart."""
    return not text.isascii() or "\\" in text or _P.apart.search(text) is not None


def latin(character: str) -> str:
    """Return a letter of an option in upper case and Latin."""
    return _LATIN.get(character) or unicodedata.normalize("NFKC", character).upper()


def _marked(text: str) -> list[Place]:
    """Return the places of what marks announce: a tag, a box, "####", and "the answer is"."""
    places = [place for rule in (answer_tags, boxes, hash_answers) for place in rule(text)[-1:]]
    mark = chosen(announced(text))
    return places if mark is None else [*places, (mark.start, mark.end)]


def _at_start(text: str, start: int, end: int) -> Place | None:
    """Return the letter with which a marked answer begins. A bare "a" after "is" is an article that was cut off."""
    if (place := _alone(text, start, end)) is not None:
        cut_off = text[start:end].strip(" .") == "a" and text[:start].rstrip()[-2:] in ("is", "be")
        return None if cut_off else place
    return _with_delimiter(text, start, end) or _before_reason(text, start, end)


def _before_reason(text: str, start: int, end: int) -> Place | None:
    """Return the upper-case letter at the start, before a reason, an aside or the end of a sentence."""
    match = _P.before_reason.match(text, start, end)
    if match is None or _P.after.match(text, match.end()) is None:
        return None
    place = _place(match)
    is_lower = text[place[0]].islower() and text[place[0] - 1 : place[0]] not in _W.opening
    is_longer = _P.part_of_name.match(text, place[1]) is not None or _P.listed_after.match(text, place[1]) is not None
    return None if is_lower or is_longer or not _is_chosen(text, place) else place


def _alone(text: str, start: int, end: int) -> Place | None:
    match = _P.alone.fullmatch(text, start, end) if end - start <= _LONGEST else None
    return None if match is None or text[match.end(1) : match.end(1) + 1] in _W.signs else match.span(1)


def _with_delimiter(text: str, start: int, end: int) -> Place | None:
    """Return the letter with a delimiter at the start: "(b) Paris", "B. Paris", "B - Paris"; not "B. B. King"."""
    match = _P.first.match(text, start, min(end, start + _LONGEST))
    place = None if match is None else _place(match)
    return None if place is None or not _is_chosen(text, place) or _P.name.match(text, place[0]) else place


def _place(match: re.Match[str]) -> Place:
    """Return the place of the only group that matched."""
    return next(match.span(i) for i in range(1, (match.lastindex or 1) + 1) if match.group(i) is not None)


def _is_chosen(text: str, place: Place) -> bool:
    """Return whether the letter is neither denied nor one of several."""
    before, after = text[max(0, place[0] - 32) : place[0]], text[place[1] : place[1] + _LONGEST]
    denied = _P.denied_before.search(before) or _P.denied_after.match(after)
    return not (denied or _P.or_before.search(before) or _P.or_after.match(after))


def _is_marked(text: str, start: int, end: int) -> bool:
    """Return whether the letter is in brackets or bold."""
    return bool(_P.opened.search(text[max(0, start - 2) : start]) and _P.closed.match(text[end : end + 2]))


def _is_named(text: str, start: int, end: int) -> bool:
    """Return whether the text names an option with this letter, which is no word: "the choice I made"."""
    if _P.named.search(text[max(0, start - 48) : start]) is None:
        return False
    is_bracketed = text[start - 1] in "([{（*"
    return is_bracketed or _P.after.match(text, end) is not None or _P.correct.match(text, end) is not None


def _is_framed(text: str, start: int, end: int) -> bool:
    """Return whether only words of frames stand around the letter: "Only B fits", "Yo diría que B"."""
    if len(text) > _LONGEST or "?" in text:
        return False
    stop = _P.stop.match(text, end) if _P.listed_after.match(text, end) is None else None
    clause = text[max(text.rfind(sign, 0, start) for sign in ",;.!\n") + 1 : None if stop is None else end]
    whole = (text, clause) if len(clause.split()) > 1 else (text,)
    cores = dict.fromkeys(core for framed in whole for core in innermost(framed).values())
    left = map(_P.alone.fullmatch, cores)
    return any(match is not None and match[1] == text[start:end] for match in left)


def _is_correct(text: str, start: int, end: int) -> bool:
    """Return whether the text calls this letter correct."""
    is_vitamin = text[max(0, start - 8) : start].lower().endswith("vitamin ")
    return _P.correct.match(text, end) is not None and not is_vitamin
