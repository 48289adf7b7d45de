"""Answers behind a mark: ``<answer>``, ``####``, "the final answer is", "Answer:", in English and German."""

from __future__ import annotations

import re

from answersim.extraction.boxed import boxed
from answersim.extraction.last import last_line

_TAG = re.compile(r"<(/?)\s?(?:final[_-]?)?answer(?:\s[^<>]*)?>", re.IGNORECASE)
_HASH = re.compile(r"####+[ \t]*([^\n]*)")
_NUMBER = re.compile(r"[-+−]?[$€£]?\s?\d[\d,.\s]*(?:%|\s?\w{1,12})?\.?")
# A field of JSON, and a row of a table.
_FIELD = re.compile(
    r"\"(?:final[_ ]?)?answer\"\s{0,9}:\s{0,9}(?:\"((?:[^\"\\\n]|\\.)+)\"|([^\s\",{}\[\]]+))"
    r"|^[ \t]{0,9}\|[ \t*_]{0,9}(?:final )?answer[ \t*_:]{0,9}\|[ \t]{0,9}([^|\n]*[^|\s])",
    re.IGNORECASE | re.MULTILINE,
)
_KIND = "correct|right|best|richtige|korrekte"
_KINDS = f"{_KIND}|final|short|exact|full|complete|my|overall|endgültige|finale|meine|kurze|finales|richtiges"
_WORDS = ("answer", "antwort", "option", "choice")
# These may open a derivation, so what they announce counts on the last line with text only.
_WEAK_WORDS = ("ergebnis", "lösung", "result", "solution")
_MARK = r"(?:\*{1,3}|__?|`|</\w{1,6}>)?"
# What follows the word: "Answer:", "answer is", "**Answer**:", "answer to this question is", "Antwort lautet".
_AFTER = re.compile(
    rf"(?:s|en)?(?:[ \t]+(?:to|for|auf)[ \t]+[^\n.:;\"“?]{{0,60}}?(?:[\"“][^\"”\n]{{1,200}}[\"”])?)?{_MARK}[ \t]{{0,9}}"
    r"(?:\b(?:is|are|was|would[ \t]+be|should[ \t]+be|must[ \t]+be|ist|sind|lautet|beträgt|wäre)(?!\w)(?:[ \t]{0,9}:)?"
    rf"(?:[ \t]+(?:indeed|therefore|thus|hence|clearly|simply|definitely|then|now)(?!\w))?|[:：=→]|->|=>){_MARK}[ \t]*",
    re.IGNORECASE,
)
# What may not precede it: "no answer is", "to answer: ...", "the wrong answer is", "the student's answer", "if the".
_BEFORE = re.compile(
    r"(?:\b(?:no|not|cannot|to|please|wrong|false|incorrect|first|previous|long|longer|detailed|keine|falsche"
    r"|if|whether|unless|suppose|assume|assuming|ob|wenn|falls|as a)|n['’]t|(?<!today)['’]s)(?:[ \t]+that)?[ \t]+"
    rf"(?:(?:the|die|das)[ \t]+)?(?:(?:{_KINDS})[ \t]+){{0,2}}\Z",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"(?:\bno (?:proof|evidence|source|indication|guarantee)|(?<!no )(?<!without )(?<!no real )\bdoubt(?:s|ful)?"
    r"|\bwhether|\b(?:unclear|uncertain|unproven)"
    r"|(?:\bnot|n['’]t|\bcannot|\bunable to) (?:know|sure|say|prove|confirm|think|believe|claim|certain|clear|true)"
    r"|\bkein\w* (?:beweis|beleg|hinweis)|\bbezweif\w+|\bnicht (?:sicher|klar|bewiesen|erwiesen))\b"
    r"[^,;:.!?\n]*(?:, (?:dass|ob)\b[^,;:.!?\n]*)?\Z",
    re.IGNORECASE,
)
_DOUBTS = ("no ", "not", "n't", "n’t", "doubt", "whether", "un", "kein", "zweif", "nicht")  # one is in each doubt
_TURNED = re.compile(r"(?<!das )(?<!dies )(?<!was )\b(?:ist|lautet)[ \t]+(?:die|das|meine)[ \t]+(?:\w+[ \t]+)?\Z", re.I)
_HEADING_BEFORE = re.compile(r"(?:[#>*_|✅•-]|\d\.|</?\w{1,6}>|[ \t])*(?:(?:final|endgültige)[ \t_]+)?", re.IGNORECASE)
_HEADING_AFTER = re.compile(rf"[ \t]*:?{_MARK}[ \t]*:?(?:[ \t]*(?=\n|\Z)|[ \t]+[-–—][ \t]+)")
_CORRECT = re.compile(rf"\b(?:{_KIND})[ \t]+\Z", re.IGNORECASE)
_WINDOW, _NEAR = 160, 48  # characters before the word that may doubt it, and that may deny it
_SENTENCE_END = re.compile(
    r"[.!?。！？]+[\"”’)\]*]*(?=\s+[^\s\d(]|\s*\Z)(?!\s+(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|"
    r"Oktober|November|Dezember|Jahrhundert)\b)|(?<=[。！？])"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Mt|Ft|Jr|Sr|Prof|Gen|Lt|Col|Capt|Rev|Hon|vs|etc|approx|ca|bzw|z|u|d|"
    r"e\.g|i\.e|(?:der|die|das|den|dem|am|im|vom|zum) \d{1,3})|\.\w)\Z"
)
_LATER = re.compile(r"\b(?:because|since|as it|which is why|weil|denn|da es)\b.*\Z", re.IGNORECASE | re.DOTALL)
_ITEM = re.compile(r"[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+\S")
_BLOCKS = (("\\[", "\\]"), ("$$", "$$"), ("```", "```"))


def answer_tag(text: str) -> tuple[int, int] | None:
    """Return the place of the content of the last ``<answer>`` that is not blank; None if there is none.

    A last tag that is not closed ends with the text, because servers cut the output at ``</answer>``.

    >>> text = "<answer>Oslo</answer> <answer> Rome </answer>"
    >>> start, end = answer_tag(text)
    >>> text[start:end]
    ' Rome '
    """
    if "<" not in text:
        return None
    found: tuple[int, int] | None = None
    start: int | None = None
    for tag in _TAG.finditer(text):
        if not tag.group(1):
            start = tag.end()
        elif start is not None:
            if text[start : tag.start()].strip():
                found = start, tag.start()
            start = None
    if start is not None and text[start:].strip():
        found = start, len(text)
    return found


def hash_mark(text: str) -> tuple[int, int] | None:
    """Return the place of the rest of the line after the last ``####`` that is followed by text; None if there is none.

    If the line is empty, it is that of the next line.

    >>> text = "2 + 3 = 5. #### 5"
    >>> start, end = hash_mark(text)
    >>> text[start:end]
    '5'
    """
    found = None
    for match in _HASH.finditer(text) if "####" in text else ():
        start, end = match.span(1)
        if not match[1].strip(" #\t*"):
            start, end = end + 1, text.find("\n", end + 1)
            end = len(text) if end < 0 else end
        content = text[start:end]
        if content.strip(" #\t*") and not content.lstrip().startswith("#"):
            found = max(start, text.rfind("####", start, end) + 4), end
    return found


def hash_answer(text: str) -> tuple[int, int] | None:
    """Return the same if it is an answer and no heading: the last line of the text, or a number."""
    found = hash_mark(text)
    if found is None:
        return None
    content = text[found[0] : found[1]].strip()
    return found if not text[found[1] :].strip() or _NUMBER.fullmatch(content) else None


def final(text: str) -> tuple[int, int] | None:
    """Return the place of the answer after the last "the answer is", "Answer:" or a like heading; None without one.

    The answer ends with its line, or with its sentence; a list has several lines. If the line is empty, the answer is
    the next line with text. What stands in a doubt is no answer: "There is no proof that the answer is Rome".

    >>> text = "The answer is Oslo. No, the final answer is **Rome**. It is old."
    >>> start, end = final(text)
    >>> text[start:end]
    '**Rome**'
    """
    lowered = text.replace("İ", "I").lower()  # of the same length
    if 'answer"' in lowered or ("|" in text and "answer" in lowered):
        for field in reversed(list(_FIELD.finditer(text))):
            return field.span(field.lastindex or 0)
    if (place := _last_announced(text, lowered, _WORDS, 0, 0)) is not None:
        return place
    if not any(word in lowered for word in _WEAK_WORDS):
        return None
    last = last_line(text) or (0, 0)
    return _last_announced(text, lowered, _WEAK_WORDS, (last_line(text[: last[0]]) or last)[0], last[0])


def inner(text: str, rule: str) -> str:
    """Return the box or the announced answer in an answer that a rule found; the text itself without one."""
    place = boxed(text) or (final(text) if rule in ("answer-tag", "hash") else None)
    return text if place is None else text[place[0] : place[1]]


def _last_announced(text: str, lowered: str, words: tuple[str, ...], begin: int, first: int) -> tuple[int, int] | None:
    """Return the place of the answer after the last of these words from ``begin`` on, if it begins at ``first``."""
    at = {word: lowered.rfind(word, begin) for word in words}
    while (start := max(at.values())) >= 0:
        word = next(word for word in words if at[word] == start)
        after = _after(text, start, start + len(word))
        if after is not None and (place := _sentence(text, after)) is not None and place[0] >= first:
            return place
        at[word] = lowered.rfind(word, begin, start)
    return None


def _after(text: str, start: int, end: int) -> int | None:
    """Return where the answer begins after the word "answer" at this place; None if the word announces none."""
    before = text[max(0, start - _WINDOW) : start]
    if text[start] in "oOcC" and not _CORRECT.search(before):  # option, choice
        return None
    line = before[before.rfind("\n") + 1 :]
    is_heading = _HEADING_BEFORE.fullmatch(line) is not None
    if before and (
        (before[-1].isalnum() and not before.endswith(("End", "end")))
        or before[-1] in "<\"'"
        or (before[-1] == "_" and not is_heading)
    ):
        return None
    announced = _AFTER.match(text, end)
    if announced is not None:
        return None if _BEFORE.search(before[-_NEAR:]) or _is_doubted(line) else announced.end()
    if is_heading and (heading := _HEADING_AFTER.match(text, end)) is not None:
        return heading.end()
    if text[end : end + 1] == " " and _TURNED.search(before[-_NEAR:]) and not _is_doubted(line):
        return None if text.startswith(("auf ", "zu "), end + 1) else end + 1
    return None


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
    if later := _LATER.search(text, start, end):
        end = later.start()
    content = text[start:end].strip(" \t,;:*_`|")
    return (start, start + len(text[start:end].rstrip(" \t,;:"))) if content else None
