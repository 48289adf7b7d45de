"""What may stand around an answer without changing it: an allow list, as data, in twelve languages."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from answersim.answers.extraction.marks import TOUCHING


class Frame(NamedTuple):
    """Phrases that may stand before or after an answer.

    Attributes:
        side: Where they stand. "around": words on either side, which may be joined freely.
        lang: An ISO 639-1 code.
        meaning: What they do.
        phrases: The phrases, separated by "|". Words in brackets may be missing: "(that)". A phrase ends where a word
            ends, unless the language writes words without spaces.
        example: An answer "G" in such a frame.
        counter: A text of the like that is no frame.
    """

    side: Literal["before", "after", "around"]
    lang: str
    meaning: str
    phrases: str
    example: str
    counter: str


def _read() -> tuple[Frame, ...]:
    _, *lines = (Path(__file__).with_suffix(".tsv")).read_text(encoding="utf-8").splitlines()
    return tuple(Frame(*line.split("\t")) for line in lines)  # type: ignore[arg-type] # a test checks the sides


FRAMES = _read()
LANGUAGES = tuple(dict.fromkeys(frame.lang for frame in FRAMES))
_GAP = r"[\s,.:;!?…\-–—>=→∴•*#|\"'“”„«»`()\[\]]{0,40}"
_MOST = 24  # frames around one answer


@cache
def _pattern(side: Literal["before", "after", "around"], lang: str) -> re.Pattern[str]:
    """Return one expression of the phrases of a side in a language, anchored at the start or the end of a text."""
    rows = (frame.phrases.split("|") for frame in FRAMES if frame.side in (side, "around") and frame.lang == lang)
    phrases = _joined({phrase for row in rows for phrase in row})
    words = f"(?:{phrases})" if lang in TOUCHING else f"(?<![\\w'’])(?<!\\w-)(?:{phrases})(?!['’]?\\w|-\\w)"
    return re.compile(rf"{_GAP}{words}{_GAP}" if side == "before" else rf"{_GAP}{words}{_GAP}\Z", re.IGNORECASE)


def _joined(phrases: set[str]) -> str:
    expressions = []
    for phrase in sorted(phrases, key=lambda phrase: (-len(phrase), phrase)):
        words = re.escape(phrase).replace("'", "['’]").replace(r"\ ", r"\s{1,3}")
        expressions.append(re.sub(r"\\s\{1,3\}\\\((.*?)\\\)", r"(?:\\s{1,3}\1)?", words))
    return "|".join(expressions)


_EDGES = re.compile(rf"\A{_GAP}|{_GAP}\Z")
# A frame that may be a guess, and a sign of another one: "Yes and Rome", "Yes; Rome".
_JOINED = re.compile(
    r"\W{0,40}(?:yes|yeah|yep|right|sure|ok|okay)(?:\W{1,40}(?:and|or|und|oder|et|ou)\b|\s?[;=|/&])", re.IGNORECASE
)
_ENDING = 80  # characters at the end of a text in which a closing frame is searched


def bare(text: str) -> str:
    """Return a text without punctuation and quotation marks at both ends."""
    return text.strip(" \t\r\n,.:;!?…–—>=→∴•*#|\"'“”„«»`")


def peeled(text: str, lang: str = "en") -> list[str]:
    """Return a text and what is left after each frame around it was removed, from the outside to the inside.

    ``lang``: the language of the frames, an ISO 639-1 code. A language without frames removes punctuation only.

    >>> peeled("I think it is Rome, of course.")[-1]
    'Rome'
    >>> peeled("It is not Rome.")[-1]
    'not Rome'
    """
    cores = [text.strip()]
    core = bare(text)
    if lang not in LANGUAGES:
        return list(dict.fromkeys((*cores, core)))
    for _ in range(_MOST):
        if core and core != cores[-1]:
            cores.append(core)
        before = _pattern("before", lang).match(core)
        if before is not None and 0 < before.end() < len(core) and not _JOINED.match(core):
            core = bare(core[before.end() :])
            continue
        after = _pattern("after", lang).search(core, max(0, len(core) - _ENDING))
        if after is None or not after.start():
            break
        core = bare(core[: after.start()])
    return cores
