"""Answers behind a mark: ``<answer>``, ``####``, "the final answer is", "Answer:", in twelve languages."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from answersim.answers.extraction.boxed import boxed
from answersim.answers.extraction.last import last_line
from answersim.answers.extraction.marks import languages, pattern, words

_TAG = re.compile(r"<(/?)\s?(?:final[_-]?)?answer(?:\s[^<>]{0,200})?>", re.IGNORECASE)
_QUOTE_ENDS = re.compile(r"[\"'`”](?:\W|\Z)")  # the tag is named: "write <answer>"
_HASH = re.compile(r"####+[ \t]*([^\n]*)")
_HASHED = re.compile(r"(?<![#\"'`“])####+[ \t]*([^\n#]+)")
_NUMBER = re.compile(r"[-+−]?[$€£]?\s?\d[\d,. ]{0,40}(?:%|\s?\w{1,12})?\.?")
# A field of JSON, and a row of a table.
_FIELD = re.compile(
    r"\"(?:final[_ ]?)?answer\"\s{0,9}:\s{0,9}(?:\"((?:[^\"\\\n]|\\.){1,2000})\"|([^\s\",{}\[\]]{1,200}))"
    r"|^[ \t]{0,9}\|[ \t*_]{0,9}(?:final )?answer[ \t*_:]{0,9}\|[ \t]{0,9}([^|\n]{0,500}[^|\s])",
    re.IGNORECASE | re.MULTILINE,
)
_MARK = r"(?:\*{1,3}|__?|`|</\w{1,6}>)?"
# What an answer may be to: "the answer to your question", and not "the answer to avoid".
_ASKED = (
    r"(?=<the>|(?:th(?:is|at|ese|ose)|what|who|how|which|where|when|why|it|all|both|each|an?|part|question|problem"
    r"|exercise|dies\w{1,2}|ihre?r?|deine?r?|frage|aufgabe|cette|votre|ta|question|est[ae]|t?su|tu|pregunta|quest[ao]"
    r"|[ts]ua|domanda|ess[ae]|pergunta|dez?e|uw|je|jouw|vraag|этот|ваш|твой|вопрос)\b|[^\w\s]|\d)"
)
_OF = r"(?:to|for|of|auf|à|de|a|alla|al|na|op|voor|на)"
# What follows the noun: "Answer:", "answer is", "**Answer**:", "answer to this question is", "réponse correcte est".
_AFTER = (
    rf"(?:[ \t]{{1,3}}\([^()\n]{{1,40}}\))?(?:[ \t]{{0,3}}<kind,last>){{0,2}}"
    rf"(?:[ \t]{{1,3}}{_OF}[ \t]{{1,3}}{_ASKED}[^\n.:;\"“?=]{{0,60}}?(?:[\"“][^\"”\n]{{1,200}}[\"”])?)?"
    rf"{_MARK}[ \t]{{0,9}}"
    r"(?:<is>(?:[ \t]{0,9}[:：])?"
    r"(?:[ \t]{1,3}(?:indeed|therefore|thus|hence|clearly|simply|definitely|then|now|probably)(?!\w))?"
    rf"|[:：=→]|->|=>|[ \t][-–—](?=[ \t])){_MARK}[ \t]{{0,9}}"
)
_KIND = r"(?:<kind,last>)[ \t*_]{0,3}\Z"
_THE = r"(?:<the>)[ \t*_]{0,3}\Z"
_LAST = pattern(r"<last>")
_EDGE = re.compile(r"(?:\A|[^\w\s'’])[ \t]{0,9}\Z")
_LEAD = pattern(r"(?:<so>|\b(?:and|but|that|i|is|be|as|will|would|final)|。)[ \t]{0,3}\Z")
_DENIED = pattern(r"(?:<not,if>|\b(?:no|to|please|cannot|as))[ \t]{0,3}\Z")
_TURNED = re.compile(r"\b(?:ist|lautet|wäre|is|luidt)[ \t]{1,3}\Z", re.IGNORECASE)
_TOUCHES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]\Z")
_DOUBT = re.compile(
    r"(?:\bno (?:proof|evidence|source|indication|guarantee)|(?<!no )(?<!without )(?<!no real )\bdoubt(?:s|ful)?"
    r"|\bwhether|\b(?:unclear|uncertain|unproven)"
    r"|(?:\bnot|n['’]t|\bcannot|\bunable to) (?:know|sure|say|prove|confirm|think|believe|claim|certain|clear|true)"
    r"|\bkein\w{0,3} (?:beweis|beleg|hinweis)|\bbezweif\w{1,6}|\bnicht (?:sicher|klar|bewiesen|erwiesen))\b"
    r"[^,;:.!?\n]{0,160}(?:, (?:dass|ob)\b[^,;:.!?\n]{0,160})?\Z",
    re.IGNORECASE,
)
_DOUBTS = ("no ", "not", "n't", "n’t", "doubt", "whether", "un", "kein", "zweif", "nicht")  # one is in each doubt
_IF = pattern(r"(?:\A|[,;:.!?。，；：！？\n(][ \t]{0,3}|\b(?:so|and|but)[ \t]{1,3})(?:<if>)")
_SO = pattern(r"(?:<so>)")
_REVISED = pattern(r"(?:\A|[,;:.!?。，；：！？\n(—–…*-][ \t]{0,3}|\b(?:but|and|oh|hmm|ah)[ \t,]{1,3})(?:<revise>)")
_HEADING_BEFORE = pattern(r"(?:[#>*_|✅•-]|\d\.|</?\w{1,6}>|[ \t]){0,20}(?:<last,kind>[ \t_]{1,3}){0,2}\Z")
_HEADING_AFTER = re.compile(
    rf"[ \t]{{0,3}}:?{_MARK}[ \t]{{0,3}}:?(?:[ \t]{{0,9}}(?=\n|\Z)|[ \t]{{1,3}}[-–—][ \t]{{1,3}})"
)
_WINDOW = 160  # characters before the noun that are read
_MOST = 20  # nouns from the start, and as many from the end, that are read
_SENTENCE_END = re.compile(
    r"[.!?。！？][\"”’)\]*]{0,3}(?=\s+[^\s\d(]|\s*\Z)(?!\s{1,3}(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|"
    r"Oktober|November|Dezember|Jahrhundert)\b)|(?<=[。！？])"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Mt|Ft|Jr|Sr|Prof|Gen|Lt|Col|Capt|Rev|Hon|vs|etc|approx|ca|bzw|z|u|d|"
    r"e\.g|i\.e|(?:der|die|das|den|dem|am|im|vom|zum) \d{1,3})|\.\w)\Z"
)
_REASON = pattern(r"(?:[\s,]{1,3}[(（\[]?|[(（\[])(?:<because>)")
_END = pattern(r"(?:<end>)[.。!！]?\Z")
_ITEM = re.compile(r"[ \t]{0,9}(?:\d{1,2}[.)]|[-*•])[ \t]{1,9}\S")
_BLOCKS = (("\\[", "\\]"), ("$$", "$$"), ("```", "```"))
LAST, PLAIN, CONDITIONAL = 2, 1, 0  # the ranks of an announced answer


class Announced(NamedTuple):
    """An answer that a text announces.

    Attributes:
        start: Where the answer begins.
        end: Where it ends.
        rank: ``LAST`` for "the final answer", ``CONDITIONAL`` for "if ..., the answer is", else ``PLAIN``.
        revises: Whether it takes back or concludes what was announced before.
    """

    start: int
    end: int
    rank: int
    revises: bool


def answer_tag(text: str) -> tuple[int, int] | None:
    """Return the place of the content of the last ``<answer>`` that is not blank; None if there is none.

    A last tag that is not closed ends with the text, because servers cut the output at ``</answer>``.

    >>> text = "<answer>Oslo</answer> <answer> Rome </answer>"
    >>> start, end = answer_tag(text)
    >>> text[start:end]
    ' Rome '
    """
    places = answer_tags(text)
    return places[-1] if places else None


def answer_tags(text: str) -> list[tuple[int, int]]:
    """Return the places of the contents of all ``<answer>`` that are not blank, in order."""
    places: list[tuple[int, int]] = []
    start: int | None = None
    for tag in _TAG.finditer(text) if "<" in text else ():
        if not tag.group(1):
            start = tag.end()
        elif start is not None:
            if text[start : tag.start()].strip():
                places.append((start, tag.start()))
            start = None
    if start is not None and text[start:].strip() and not _QUOTE_ENDS.match(text, start):
        places.append((start, len(text)))
    return places


def hash_mark(text: str) -> tuple[int, int] | None:
    """Return the place of the rest of the line after the last ``####`` that is followed by text; None if there is none.

    If the line is empty, it is that of the next line.

    >>> text = "2 + 3 = 5. #### 5"
    >>> start, end = hash_mark(text)
    >>> text[start:end]
    '5'
    """
    place = None
    for match in _HASH.finditer(text) if "####" in text else ():
        start, end = match.span(1)
        if not match[1].strip(" #\t*"):
            start, end = end + 1, text.find("\n", end + 1)
            end = len(text) if end < 0 else end
        content = text[start:end]
        if content.strip(" #\t*") and not content.lstrip().startswith("#"):
            place = max(start, text.rfind("####", start, end) + 4), end
    return place


def hash_answer(text: str) -> tuple[int, int] | None:
    """Return the same if it is an answer and no heading: the last line of the text, or a number."""
    place = hash_mark(text)
    if place is None:
        return None
    content = text[place[0] : place[1]].strip()
    return place if not text[place[1] :].strip() or _NUMBER.fullmatch(content) else None


def hash_answers(text: str) -> list[tuple[int, int]]:
    """Return the place of ``hash_answer`` after those of all texts that "####" marks before it, in order."""
    last = hash_answer(text)
    if last is None:
        return []
    earlier = [match.span(1) for match in _HASHED.finditer(text, 0, last[0]) if match[1].strip()]
    return [*(place for place in earlier if place[1] < last[0]), last]


def final(text: str) -> tuple[int, int] | None:
    """Return the place of the answer that "the answer is", "Answer:" or a like heading announces; None without one.

    The first announcement counts, unless a later one is final ("the final answer is"), revises it ("no wait", "on
    second thought") or concludes ("therefore"). One with a condition ("if ..., the answer is") counts if there is no
    other. Between an article and "answer" only words such as "correct" and "final" may stand. The answer ends with its
    line, or with its sentence; a list has several lines. If the line is empty, the answer is the next line with text.

    >>> text = "The answer is Oslo. No, the final answer is **Rome**. It is old."
    >>> start, end = final(text)
    >>> text[start:end]
    '**Rome**'
    >>> final("A common mistaken answer is Paris.") is None
    True
    """
    best = chosen(announced(text))
    return None if best is None else (best.start, best.end)


def chosen(marks: list[Announced]) -> Announced | None:
    """Return the announced answer that counts; see ``final``."""
    best: Announced | None = None
    for mark in marks:
        is_inside = best is not None and best.start <= mark.start and mark.end <= best.end
        if best is None or is_inside or mark.rank > best.rank or (mark.rank == best.rank and mark.revises):
            best = mark
    return best


def announced(text: str) -> list[Announced]:
    """Return all answers that a text announces, in order."""
    lowered = text.replace("İ", "I").lower()  # of the same length
    marks: list[Announced] = []
    if 'answer"' in lowered or ("|" in text and "answer" in lowered):
        fields = (match.span(match.lastindex or 0) for match in _FIELD.finditer(text))
        marks = [Announced(start, end, LAST, True) for start, end in fields]
    if marks:
        return marks
    marks = _announced(text, lowered, "answer", 0) + _announced(text, lowered, "option", 0)
    if not marks and any(noun in lowered for noun in _of_role("result", lowered.isascii())):
        # These may open a derivation, so what they announce counts on the last line with text only.
        last = last_line(text) or (0, 0)
        begin = (last_line(text[: last[0]]) or last)[0]
        marks = [mark for mark in _announced(text, lowered, "result", begin) if mark.start >= last[0]]
    return sorted(marks)


@cache
def _of_role(role: str, ascii_only: bool) -> tuple[str, ...]:
    """Return the nouns of a role in all languages, or only those that a text in ASCII can have."""
    listed = dict.fromkeys(word for by_language in words(role).values() for word in by_language)
    return tuple(word for word in listed if not ascii_only or word.isascii())


@lru_cache(maxsize=256)
def _any_of(nouns: tuple[str, ...]) -> re.Pattern[str]:
    """Return an expression of these nouns: those of an alphabet as whole words, the longest first."""
    ordered = sorted(nouns, key=len, reverse=True)
    separate = "|".join(re.escape(noun) for noun in ordered if not _TOUCHES.search(noun))
    touching = "|".join(re.escape(noun) for noun in ordered if _TOUCHES.search(noun))
    whole = f"(?<![^\\W_])(?<!-)(?:{separate})(?![^\\W_])"
    return re.compile("|".join(expression for expression in (whole if separate else "", touching) if expression))


def inner(text: str, rule: str) -> str:
    """Return the box or the announced answer in an answer that a rule found; the text itself without one."""
    place = boxed(text) or (final(text) if rule in ("answer-tag", "hash") else None)
    return text if place is None else text[place[0] : place[1]]


def revised(between: str) -> bool:
    """Return whether the text between two answers takes the first one back.

    >>> revised(". No wait, "), revised(" and also ")
    (True, False)
    """
    return _REVISED.search(between[-_WINDOW:]) is not None


def _announced(text: str, lowered: str, role: str, begin: int) -> list[Announced]:
    """Return the answers that the nouns of a role announce from ``begin`` on, in order.

    ``lowered``: the text in lower case, of the same length. A noun of the role "option" needs a kind before it or
    behind it, as in "the correct option is".
    """
    present = tuple(noun for noun in _of_role(role, lowered.isascii()) if noun in lowered)
    if not present:
        return []
    marks: list[Announced] = []
    at = 0
    matches = list(_any_of(present).finditer(lowered, begin))
    for noun in matches[:_MOST] + matches[max(_MOST, len(matches) - _MOST) :]:
        before = text[max(0, noun.start() - _WINDOW) : noun.start()]
        start = _start(text, noun, before, role == "option")
        place = None if start is None else _sentence(text, start)
        if place is None:
            continue
        line = before[before.rfind("\n") + 1 :]
        sentence = line[max((stop.end() for stop in _SENTENCE_END.finditer(line)), default=0) :]
        rank = LAST if _LAST.search(text, max(0, noun.start() - 24), place[0]) else PLAIN
        if _IF.search(sentence.lstrip()) is not None:
            rank = CONDITIONAL
        between = text[at : noun.start()][-_WINDOW:]
        revises = bool(marks) and (_REVISED.search(between) is not None or _SO.search(between[-48:]) is not None)
        marks.append(Announced(*place, rank, revises))
        at = place[1]
    return marks


def _start(text: str, noun: re.Match[str], before: str, named_only: bool) -> int | None:
    """Return where the answer begins after this noun; None if the noun announces none."""
    line = before[before.rfind("\n") + 1 :]
    if before[-1:] in ("<", '"', "'", "’") or (before.endswith("_") and not _HEADING_BEFORE.fullmatch(line)):
        return None
    langs = languages(noun[0], "answer", "result", "option")
    starts = (_start_in(lang, text, noun, line, named_only) for lang in langs)
    return next((start for start in starts if start is not None), None)


def _start_in(lang: str, text: str, noun: re.Match[str], line: str, named_only: bool) -> int | None:
    """Return the same by the words of one language."""
    rest, is_named, has_article = line, False, False
    for _ in range(3):
        kind = pattern(_KIND, lang).search(rest[-32:])
        if kind is None:
            break
        rest, is_named = rest[: len(rest) - len(kind[0])], True
    if (article := pattern(_THE, lang).search(rest[-24:])) is not None:
        rest, has_article = rest[: len(rest) - len(article[0])], True
    after = pattern(_AFTER, lang).match(text, noun.end())
    is_heading = _HEADING_BEFORE.fullmatch(line) is not None
    if after is not None:
        if named_only and not is_named and not _KIND_INSIDE.search(text, noun.end(), after.end()):
            return None
        is_clear = has_article or is_heading or _EDGE.search(rest) or _LEAD.search(rest[-24:]) or _TOUCHES.search(rest)
        if not is_clear or _DENIED.search(rest[-24:]) or _is_doubted(line):
            return None
        return after.end()
    if named_only:
        return None
    if is_heading and (heading := _HEADING_AFTER.match(text, noun.end())) is not None:
        return heading.end()
    turned = has_article and text[noun.end() : noun.end() + 1] == " " and _TURNED.search(rest[-16:]) is not None
    if turned and not _is_doubted(line) and not re.match(r" (?:auf|zu|op|to|of)\b", text[noun.end() : noun.end() + 6]):
        return noun.end() + 1
    return None


_KIND_INSIDE = pattern(r"<kind,last>")


def _is_doubted(line: str) -> bool:
    lowered = line.lower()
    return any(word in lowered for word in _DOUBTS) and _DOUBT.search(line) is not None


def _sentence(text: str, start: int) -> tuple[int, int] | None:
    """Return the place of the first sentence from here on, on its line or on the next line with text."""
    while start < len(text) and text[start].isspace():
        start += 1
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    line = text[start:end]
    for opening, closing in _BLOCKS:  # a displayed formula, a block of code
        rest = line[len(opening) :]
        if line.startswith(opening) and not rest.strip(" \tabcdefghijklmnopqrstuvwxyz" if opening == "```" else " \t"):
            close = text.find(closing, end)
            return end, close if close > 0 else len(text)
    if _ITEM.match(line):
        if re.match(r"1[.)]", line) and re.search(r"\s2[.)]\s", line):
            return start, end
        first = end
        while _ITEM.match(text, end + 1):
            end = text.find("\n", end + 1)
            end = len(text) if end < 0 else end
        if end > first:
            return start, end
    for stop in _SENTENCE_END.finditer(line):
        if not _ABBREVIATION.search(line, max(0, stop.start() - 9), stop.start()):
            end = start + stop.start()
            break
    if (reason := _REASON.search(text, start, end)) is not None and reason.start() > start:
        end = reason.start()
    if (ending := _END.search(text, max(start, end - 24), end)) is not None and ending.start() > start:
        end = ending.start()
    content = text[start:end].strip(" \t,;:*_`|")
    return (start, start + len(text[start:end].rstrip(" \t,;:"))) if content else None
