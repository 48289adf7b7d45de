"""The final answer of a model's output, by a named rule."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from answersim._base.arguments import shown
from answersim._base.errors import unknown
from answersim._base.signature import escaped, unescaped
from answersim.answers.extraction.announced import announced, chosen
from answersim.answers.extraction.auto import marked
from answersim.answers.extraction.choice import choice
from answersim.answers.extraction.markdown import bare
from answersim.answers.extraction.marked import Place, answer_tags, boxes, hash_marks, last_line, last_number
from answersim.answers.extraction.reasoning import has_reasoning, without_reasoning

REVISION = 6  # raise it when a rule returns another text; it is signed
Missing: TypeAlias = Literal["whole", "empty", "error"]
MISSING: tuple[Missing, ...] = ("whole", "empty", "error")
RULES: dict[str, Callable[[str], Place | None]] = {
    "boxed": lambda text: _last(boxes(text)),
    "answer-tag": lambda text: _last(answer_tags(text)),
    "hash": lambda text: _last(hash_marks(text)),
    "final": lambda text: None if (mark := chosen(announced(text))) is None else (mark.start, mark.end),
    "last-line": last_line,
    "last-number": last_number,
    "choice": choice,
}
NAMES = ("auto", "reasoning", *RULES)
_OTHER = r"[\w%;]{0,200}%[\w%;]{0,200}"
_SIGNED = re.compile(rf"(?P<rule>{'|'.join((*NAMES, _OTHER))})\.(?P<revision>\d+)(?:\.(?P<missing>empty|error))?")


class Extraction(NamedTuple):
    """The answer that was read out of a text."""

    text: str  # the answer; the whole text, or an empty one, if the rule found none
    rule: str | None  # the rule that applied: of "auto" the one that found the answer. None if none did.
    start: int  # where the answer begins in the text, with its marks; -1 if it is no part of the text as it stands
    end: int  # where it ends


@dataclass(frozen=True)
class Extractor:
    r"""A rule with its settings. Equal extractors have equal signatures.

    >>> Extractor()("So $72$. The answer is \\boxed{72}.").text
    '72'
    >>> Extractor(r"Result: (\w+)")("Result: Rome").text
    'Rome'
    """

    rule: str = "auto"  # one of ``NAMES``, a regular expression with one group, or the name of a function of one's own
    # the answer if the rule finds none: the "whole" text without reasoning, an "empty" one, or an "error"
    missing: Missing = "whole"
    # a function of one's own: from a text to the answer, or None for none
    function: Callable[[str], str | None] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Check the settings."""
        if self.missing not in MISSING:
            raise unknown("value of missing", self.missing, MISSING)
        if self.function is None and self.rule not in NAMES:
            _expression(self.rule)

    @property
    def signed(self) -> str:
        """The part of a signature, such as ``extract:auto.5``."""
        rule = self.rule if self.function is not None or self.rule in NAMES else escaped(self.rule)
        return f"extract:{rule}.{REVISION}" + ("" if self.missing == "whole" else f".{self.missing}")

    def __call__(self, text: str) -> Extraction:
        """Return the answer in this text.

        Raises:
            ValueError: If the rule finds none and ``missing`` is "error".
            TypeError: If a function of one's own returns neither a text nor None.
        """
        at, left = without_reasoning(text) if has_reasoning(text) else (0, text)
        if (extraction := self._found(left)) is not None:
            answer, rule, place = extraction
            start, end = (at + place[0], at + place[1]) if place and at >= 0 else (-1, -1)
            return Extraction(answer, rule, start, end)
        if self.rule == "auto" and left is not text and left.strip():
            return Extraction(left.strip(), "reasoning", max(at, -1), len(text) if at >= 0 else -1)
        if self.missing == "error":
            raise ValueError(
                f"the rule {self.rule!r} finds no answer in {shown(text)}; give another rule, or missing='whole'"
            )
        if self.missing == "empty":
            return Extraction("", None, -1, -1)
        return Extraction(left.strip() if at else text, None, max(at, -1), len(text) if at >= 0 else -1)

    def _found(self, text: str) -> tuple[str, str, Place | None] | None:
        """Return the answer, the rule and its place in a text without reasoning; None if there is none."""
        if self.function is not None:
            answer = self.function(text)
            if answer is not None and not isinstance(answer, str):
                raise TypeError(f"the rule {self.rule!r} returned {shown(answer)}, but it must return a text or None")
            return None if answer is None else (answer, self.rule, None)
        if self.rule == "reasoning":
            return (text.strip(), "reasoning", None) if text.strip() else None
        if self.rule == "auto":
            rule, places = marked(text) or ("", [])
            contents = [content(text[start:end], rule) for start, end in places]
            answer = ", ".join({content.casefold(): content for content in contents if content}.values())
            return (answer, rule, (places[0][0], places[-1][1])) if answer else None
        if self.rule in RULES:
            span = RULES[self.rule](text)
            answer = "" if span is None else content(text[slice(*span)], self.rule)
            return (answer, self.rule, span) if answer else None
        match = _expression(self.rule).search(text)
        return None if match is None or match.group(1) is None else (match.group(1), "expression", match.span(1))


def _last(places: list[Place]) -> Place | None:
    return places[-1] if places else None


def content(text: str, rule: str) -> str:
    """Return the answer in what a rule found, without marks around it: of a mark in it, the inner one."""
    if rule in ("choice", "last-number"):  # whose text has no marks around it
        return text.strip()
    text = bare(text)
    if rule not in ("final", "answer-tag", "hash"):
        return text
    place = _last(boxes(text)) or (RULES["final"](text) if rule != "final" else None)
    return bare(text if place is None else text[slice(*place)])


def extractor(rule: Any) -> Extractor | None:
    """Return the extractor of an argument ``extract=``: a name, an expression, a function, an extractor, or None.

    A name or an expression may end with ":empty" or ":error", which is what ``missing`` of an ``Extractor`` states. A
    text may also be what a signature contains, such as "auto.5".

    Raises:
        LookupError: If no rule has this name, and it is no expression with a group.
        ValueError: If the rules of the signature have another revision, or an expression is malformed.
        TypeError: If it is of another type, or a function has no name that can be signed.
    """
    if rule is None or isinstance(rule, Extractor):
        return rule
    if isinstance(rule, re.Pattern):
        rule = rule.pattern
    if isinstance(rule, str):
        if (match := _SIGNED.fullmatch(rule)) is None:
            name, colon, missing = rule.rpartition(":")
            return Extractor(name, missing) if colon and missing in MISSING else Extractor(rule)
        if int(match["revision"]) != REVISION:
            raise ValueError(f"{rule!r} is revision {match['revision']} of the rules, but this package has {REVISION}")
        return Extractor(unescaped(match["rule"]), match["missing"] or "whole")  # type: ignore[arg-type] # one of MISSING
    if callable(rule):
        name = getattr(rule, "__name__", "")
        if not name or name == "<lambda>":
            raise TypeError("extract is a function without a name, which cannot be signed; define it with def")
        return Extractor(f"{getattr(rule, '__module__', '')}.{name}", function=rule)
    raise TypeError(f"extract is {shown(rule)}, but it must be the name of a rule, an expression or a function")


def _expression(rule: str) -> re.Pattern[str]:
    """Return a rule of one's own as an expression. Raise LookupError if it is neither a name nor one with a group."""
    if "(" not in rule:
        raise unknown("extraction rule", rule, NAMES)
    try:
        compiled = re.compile(rule)
    except re.error as error:
        raise ValueError(f"extract is {rule!r}, which is no regular expression: {error}; correct it") from error
    if compiled.groups != 1:
        raise ValueError(f"the expression {rule!r} has {compiled.groups} groups, but it must have one: the answer")
    return compiled


MAY_BE_OUTPUT = re.compile(r"\\boxed|####|[<\[◁]")  # in a text without, ``looks_like_output`` is False


def looks_like_output(text: str) -> bool:
    """Return whether a text has a box or a tag that an extraction would read."""
    return "\\boxed" in text or "####" in text or has_reasoning(text) or bool(answer_tags(text))
