"""Which marks of a text count: tags, boxes, "####", "the answer is", or an answer on the last line after working."""

from __future__ import annotations

from itertools import islice

from answersim.answers.extraction.announced import LAST, announced, announces, chosen, revised, revision, taken_back
from answersim.answers.extraction.markdown import bare
from answersim.answers.extraction.marked import Place, answer_tags, boxes, hash_answers, last_line
from answersim.answers.text.patterns import Patterns

_P = Patterns("auto")
_BETWEEN = 24  # characters between two boxes or tags that are given side by side
_LONGEST_LINE = 60  # characters of a last line that is an answer
_LEAST_WORDS = 4  # of a line that is working
_ENDS = (".", "!", ":", "…", ")", "。", "！", "：")  # of a sentence


def marked(text: str) -> tuple[str, list[Place]] | None:
    r"""Return the final answers of a text without reasoning; None if nothing marks one.

    They are the name of a rule ("answer-tag", "boxed", "hash", "final" or "line"), and one place, or several that are
    given side by side. Tags come first. A box comes before "####" and "the answer is", unless "the final answer is"
    follows it. Of several boxes or tags, those that are given side by side count together: ``\boxed{4} and \boxed{5}``.
    If other text stands between them, or a revision ("no wait"), the last one counts. "The answer is 4. The answer is
    5." are two answers. Text behind the mark may take the answer back: "The answer is 4. Sorry, 5."
    """
    marks = _marked(text)
    if marks is None:
        return None if (place := revision(text)) is None else ("final", [place])
    places = taken_back(text, marks[1])
    start, end = places[-1]
    inner = revision(text[start:end]) if marks[0] != "boxed" and len(places) == 1 else None
    return marks[0], places if inner is None else [(start + inner[0], start + inner[1])]


def _marked(text: str) -> tuple[str, list[Place]] | None:
    """Return what ``marked`` does, without regard to the text behind the marks."""
    if tags := answer_tags(text):
        return "answer-tag", _side_by_side(text, tags)
    in_boxes, hashed = boxes(text), hash_answers(text)
    if in_boxes or hashed:
        start = in_boxes[-1][1] if in_boxes else hashed[-1][0]
        # An answer is announced behind a letter or ":", and a noun.
        if _P.linked.search(text, start) is None or not announces(text[text.rfind("\n", 0, start) + 1 :]):
            return ("boxed", _side_by_side(text, in_boxes)) if in_boxes else ("hash", _side_by_side(text, hashed))
    announcements = announced(text)
    final = chosen(announcements)
    if in_boxes and not (final is not None and final.rank == LAST and final.start > in_boxes[-1][1]):
        return "boxed", _side_by_side(text, in_boxes)
    if hashed and (final is None or final.rank < LAST or final.start < hashed[-1][0]):
        return "hash", _side_by_side(text, hashed)
    if final is None:
        place = _last_line_after_working(text)
        return None if place is None else ("line", [place])
    places = [(final.start, final.end)]
    for start, end, rank, revises in announcements:  # also those in the next sentences
        at = places[-1][1]
        is_next = at <= start <= at + _BETWEEN + len("the correct answer is ") and _P.stop.fullmatch(text, at, start)
        if is_next and rank == final.rank and not revises:
            places.append((start, end))
    return "final", places


def _side_by_side(text: str, places: list[Place]) -> list[Place]:
    """Return the last places between which only short text stands that revises nothing."""
    for i in range(len(places) - 1, 0, -1):
        between = text[places[i - 1][1] : places[i][0]]
        if len(between) > _BETWEEN + len("</answer><answer>") or revised(between):
            return places[i:]
    return places


def _last_line_after_working(text: str) -> Place | None:
    """Return the last line if it is short, stands alone, and follows lines of working."""
    place = last_line(text)
    if place is None or place[0] == 0 or place[1] - place[0] > _LONGEST_LINE:
        return None
    line = bare(text[slice(*place)])
    words = _P.word.findall(_P.command.sub("", line[lead.end() :] if (lead := _P.so.match(line)) else line))
    if not line or len(words) > _LEAST_WORDS or line.endswith((":", "?")):
        return None
    above = [line for line in text[: place[0]].splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return place if above and all(map(_is_working, above)) else None


def _is_working(line: str) -> bool:
    """Return whether a line is a step or a sentence. Words without the end of a sentence are another guess."""
    is_sentence = line.rstrip("*_ ").endswith(_ENDS) and any(islice(_P.word.finditer(line), _LEAST_WORDS - 1, None))
    return is_sentence or _P.working.search(line) is not None
