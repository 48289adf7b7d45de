"""What rules decide about a final answer, before any encoder: equal, different, or no opinion."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias

from answersim.answers.same_answer import same_answer
from answersim.composite.claims import only_mentions
from answersim.composite.framing import announces, extra_words, is_framed, offers, orders
from answersim.extraction.abstention import attempted
from answersim.extraction.choice import letter
from answersim.markup import visible_pair
from answersim.reward.comparing import compare, same_wording
from answersim.reward.reading import Answer
from answersim.text import language
from answersim.typed.answer_words import NoAnswer
from answersim.typed.api import compare_checked, parse, rules_of

REVISION = 2  # of the rules here and of the reading; raise it when a reward changes; it is signed
Outcome: TypeAlias = Literal["right", "wrong", "open"]

LONGEST_TYPED = 1000  # characters of answers that the rules of typed values read
MOST_EXTRA = 4  # words beside the gold answer with which an encoder may accept an answer that contains it
_SHORTEST_QUESTION = 10  # characters of a question that an answer can repeat
_DENIAL = re.compile(r"(?i)\b(?:not|no|never)\b|n['’]t\b")  # such a gold answer with other words may be reversed
_CHOICE = re.compile(r"\(?([A-Z])\)?[.:]?")
_DOLLARS = re.compile(r"(?<![$\\])\$([^$\s](?:[^$\n]*[^$\s])?)\$(?![\d$])")  # formulas in a sentence


class Opinion(NamedTuple):
    """What the rules say about one gold answer and one final answer."""

    outcome: Outcome  # "right", "wrong", or "open" if an encoder may decide
    stage: str  # "extraction", "rules" or "recall"
    reason: str  # the reason in words


def unanswered(answer: Answer, question: str) -> str:
    """Return why a final answer answers nothing, whatever the gold answer is; "" if it may answer.

    >>> unanswered(Answer("Who wrote it? ", ""), "Who wrote it?"), unanswered(Answer("Rome", ""), "")
    ('the answer only repeats the question', '')
    """
    if answer.problem:
        return answer.problem
    rest = _without_question(answer.text, question)
    repeats = rest != answer.text and not any(map(str.isalnum, rest))
    return "the answer only repeats the question" if repeats else ""


def decide(gold: str, answer: Answer, question: str, lang: str) -> Opinion:
    """Return the opinion of the rules. An answer that they call different is wrong; the encoder never overrules them.

    >>> decide("1/2", Answer("0.5", "boxed"), "", "en").outcome, decide("12 m", Answer("12 cm", ""), "", "en").outcome
    ('right', 'wrong')
    >>> decide("Paris", Answer("It is Paris.", "final"), "", "en").stage
    'recall'
    """
    wanted, given = visible_pair(gold, answer.text)
    given = _DOLLARS.sub(r"\1", _without_question(given, question) or given)
    if not any(map(str.isalnum, given)) and any(map(str.isalnum, wanted)):
        return Opinion("wrong", "extraction", "the answer has neither letters nor digits")
    if same_answer(wanted, given, lang):
        return Opinion("right", "rules", "the answers are written alike")
    if choice := _CHOICE.fullmatch(wanted):
        return _of_choice(choice.group(1), given)
    if announces(given):
        return Opinion("wrong", "rules", "the answer only announces an answer")
    if answer.rule == "final" and given.casefold().strip(" .!") in ("correct", "right") and given != wanted:
        return Opinion("wrong", "rules", "the answer claims to be correct and names nothing")
    if orders(given) and not orders(wanted):
        return Opinion("wrong", "rules", "the answer gives orders to a grader")
    value = parse(wanted, lang) if len(wanted) <= LONGEST_TYPED else None
    states_none = value is not None and isinstance(value.value, NoAnswer)
    if not states_none and not attempted(given, "de" if language(lang) == "de" else "en"):
        return Opinion("wrong", "rules", "the answer is a refusal")
    wanted, given = same_wording(wanted), same_wording(given)
    plainly = compare(wanted, given, question) if lang == "en" and not answer.several else None
    if plainly is not None and plainly.equal:
        return Opinion("right", "rules", plainly.reason)
    if only_mentions(wanted, given, lang):
        return Opinion("wrong", "rules", "the gold answer is only mentioned")
    single = value is None or (value.kind != "math" and (value.kind != "list" or any(map(str.isalpha, wanted))))
    hedged = single and offers(given) and not offers(wanted)
    if max(len(wanted), len(given)) <= LONGEST_TYPED:
        compared = compare_checked(wanted, given, rules_of(lang), question or None)
        if compared.opinion == 1.0 and not hedged and (not answer.several or compared.kind == "list"):
            return Opinion("right", "rules", compared.reason)
        if compared.opinion == 0.0:
            return Opinion("wrong", "rules", compared.reason)
    if plainly is not None:
        return Opinion("wrong", "rules", plainly.reason)
    if answer.several:
        return Opinion("wrong", "rules", "several different answers are marked as final")
    if hedged:
        return Opinion("wrong", "rules", "the answer offers alternatives, and the gold answer does not")
    if (value is None or "(" not in given) and is_framed(wanted, given):
        return Opinion("right", "recall", "the answer is the gold answer with words around it that change nothing")
    extra = extra_words(wanted, given)
    strict = (value is not None and value.kind == "yes/no") or _DENIAL.search(wanted) is not None
    if extra > (0 if strict else MOST_EXTRA):
        return Opinion("wrong", "rules", f"the gold answer is a part of an answer with {extra} other words")
    return Opinion("open", "rules", "the rules have no opinion")


def _of_choice(wanted: str, given: str) -> Opinion:
    """Compare the letter of an option. An answer that chooses no letter is wrong."""
    found = letter(given)
    if found == wanted:
        return Opinion("right", "rules", f"both choose {wanted}")
    return Opinion("wrong", "rules", "the answer chooses no letter" if found is None else f"the answer chooses {found}")


def _without_question(text: str, question: str) -> str:
    """Return the text without the question that it repeats."""
    asked = question.strip()
    found = re.search(re.escape(asked), text, re.IGNORECASE) if len(asked) >= _SHORTEST_QUESTION else None
    return text if found is None else f"{text[: found.start()]} {text[found.end() :]}".strip()
