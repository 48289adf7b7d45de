"""What a text says, before anything is compared: its visible text, its final answer, and the letters in it."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property

from answersim.answers.extraction.abstention import attempted
from answersim.answers.extraction.announced import conclusion
from answersim.answers.extraction.asides import denies, is_governed
from answersim.answers.extraction.auto import marked
from answersim.answers.extraction.choice import letters
from answersim.answers.extraction.extractor import content
from answersim.answers.extraction.frames import bare, innermost
from answersim.answers.extraction.marked import answer_tags, around
from answersim.answers.extraction.reasoning import has_reasoning, without_reasoning
from answersim.answers.text.markup import visible, visible_lines
from answersim.answers.text.patterns import pattern
from answersim.answers.text.tokens import language
from answersim.answers.typed.api import compare_checked, parse

LONGEST = 20_000  # characters from the end of a text, without its reasoning, in which marks are searched
LONGEST_GOVERNED = 300  # characters of a text whose words may govern "the answer is"
GOVERNED = "governed"  # the rule of such a text: its words "the answer is" mark nothing
_LONGEST_OFFER = 300  # characters of an answer that is split into alternatives
_MOST_WORDS = 8  # of an alternative
_LONGEST_BEHIND, _MOST_NAMES = 200, 3  # characters behind a final answer, and words of a name there


@dataclass(frozen=True)
class Reading:
    """A text that was read.

    Attributes:
        raw: The text as it was given.
        text: The visible text, without reasoning: see ``answersim.answers.text.markup.visible``. Formulas keep their
        notation.
        answer: The final answer in it. It is ``text`` if nothing marks one.
        rule: What marks it: "answer-tag", "boxed", "hash", "final" or "line"; "" if nothing does, and "governed" if
        other words govern what would mark it.
        several: The different answers that are marked side by side, in order; () for at most one.
        lang: An ISO 639-1 code.
    """

    raw: str
    text: str
    answer: str
    rule: str
    several: tuple[str, ...]
    lang: str

    @cached_property
    def alternatives(self) -> tuple[str, ...]:
        """The guesses that the answer offers, such as "Rome or Oslo" or one per line; () for at most one."""
        if len(self.several) > 1:
            return self.several
        if len(self.answer) > _LONGEST_OFFER or conclusion(self.answer) is not None:
            return ()
        answer = pattern("reading", "either").sub("", self.answer)
        split = pattern("reading", "offered", language(self.lang)).split(answer)
        if len(split) > 1 and "," in split[0]:  # "Rome, Oslo or Bern"
            split = [*split[0].split(", "), *split[1:]]
        guesses = tuple(guess for guess in split if any(map(str.isalnum, guess)) and not guess.rstrip().endswith(":"))
        is_offer = len(guesses) > 1 and all(len(guess.split()) <= _MOST_WORDS for guess in guesses)
        return guesses if is_offer else ()

    @cached_property
    def letters(self) -> str:
        """The letters of options that the text chooses, sorted: "B" or "AC"; "" if it chooses none."""
        return letters(self.answer) or (letters(self.text) if self.rule else "")

    @property
    def attempted(self) -> bool:
        """Whether the text attempts an answer. It does not if it is empty, a refusal, or "I don't know"."""
        return attempted(self.text)


def read(text: str, *, lang: str = "en", marks: bool = True) -> Reading:
    r"""Read a text. The time is linear.

    Args:
        text: An answer, or the output of a model.
        lang: An ISO 639-1 code. It decides what an abstention is. Marks of twelve languages are always read.
        marks: Whether a mark, such as a box or "the answer is", makes a part of the text the final answer.

    Raises:
        LookupError: If there is no such language.

    >>> reading = read(r"<think>Oslo?</think> So $x = 5$. The answer is **Rome**.")
    >>> reading.answer, reading.rule
    ('Rome', 'final')
    >>> read(r"\boxed{4} and \boxed{5}").several, read("Rome or Oslo").alternatives, read("A and C").letters
    (('4', '5'), ('Rome', 'Oslo'), 'AC')
    """
    language(lang)
    left = _left(text)
    visible_text, with_signs = visible_lines(left)
    rule, answers = _marked(left if answer_tags(left) else with_signs) if marks else ("", ())
    answer, several = ", ".join(answers) or visible_text, answers if len(answers) > 1 else ()
    return Reading(text, visible_text, answer, rule, several, lang)


def final_answers(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the rule that marks final answers, as of ``read``, and the different ones; "" and () if nothing does.

    The rule is ``GOVERNED`` if other words govern the announcement: "Nobody thinks that the answer is Rome".
    """
    left = _left(text)
    return _marked(left if answer_tags(left) else visible_lines(left)[1])


def _left(text: str) -> str:
    left = without_reasoning(text)[1] if has_reasoning(text) else text
    return left if left.isascii() else unicodedata.normalize("NFC", left)


def _marked(text: str) -> tuple[str, tuple[str, ...]]:
    """Return what marks the final answers in a text without reasoning, and the different answers: as final_answers."""
    tail = text[-LONGEST:]
    rule, places = marked(tail) or ("", [])
    contents = (visible(content(tail[start:end], rule), formulas=True) for start, end in places)
    answers = tuple({answer.casefold(): answer for answer in contents if answer.strip()}.values())
    if answers and len(text) <= LONGEST_GOVERNED:
        if rule == "final" and is_governed(text, answers[0]):
            return GOVERNED, ()
        before, behind = around(text, places[0]) if len(places) == 1 else ("", "")
        if denies(before, behind):
            return GOVERNED, ()
        answers = (_with_signs(answers[0], before, behind), *answers[1:])
    if len(answers) == 1 and (other := _other_answer(answers[0], tail[places[-1][1] :])):
        answers = (answers[0], other)
    return (rule, answers) if answers else ("", ())


def _with_signs(answer: str, before: str, behind: str) -> str:
    r"""Return the content of a box with the signs and the unit beside the box: "-4" for "-\boxed{4}"."""
    signs = pattern("reading", "sign_before").search(before), pattern("reading", "sign_behind").match(behind)
    if signs != (None, None):
        stop = pattern("reading", "formula_stop")
        start = max((word.end() for word in stop.finditer(before)), default=0)
        end = word.start() if (word := stop.search(behind)) is not None else len(behind)
        formula = f"{before[start:]}{answer}{behind[:end]}".strip()
        is_chain = formula.startswith(f"{answer} =") and compare_checked(answer, formula, "en").relation == "equal"
        return answer if is_chain else formula
    beside = pattern("reading", "unit").match(behind)
    value = None if beside is None else parse(answer)
    if beside is None or value is None or not getattr(value.value, "bare", False):
        return answer
    measured = parse(with_unit := f"{answer} {beside[1] or beside[2]}")
    return answer if measured is None or getattr(measured.value, "bare", False) else with_unit


def _other_answer(answer: str, behind: str) -> str:
    """Return another value or capitalized name that a short text behind the answer states: "It is 54."; "" for none."""
    is_silent = pattern("announced", "silent").match(behind) is not None  # it has only signs and closing tags
    if is_silent or len(behind) > _LONGEST_BEHIND or pattern("announced", "if_").search(behind):
        return ""
    kind = None if (value := parse(answer)) is None else value.kind
    clauses = pattern("reading", "clause").split(behind)
    for clause in (*clauses, *pattern("reading", "sentence").split(behind)):
        stated = pattern("reading", "stated").search(clause or "")
        framed = innermost(clause).values() if stated is None and clause in clauses else ()
        cores = {core for core in framed if core != bare(clause)} if stated is None else {stated[1]}
        for core in cores if pattern("reading", "of_persons").match(clause) is None else ():
            at = clause.find(core)
            signed = clause[at - 1] + core if at > 0 and clause[at - 1] in "-−" else core
            other = parse(signed)
            if kind is not None and other is not None and kind == other.kind != "person name":
                if compare_checked(answer, signed, "en").relation == "different":
                    return signed
            elif answer.istitle() and core.istitle() and len(core.split()) <= _MOST_NAMES and core not in answer:
                return core
    return ""
