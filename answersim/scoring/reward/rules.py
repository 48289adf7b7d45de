"""What is paid without an encoder: an allow list. Each visible word of a final answer has to be explained."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache, partial
from typing import Literal, NamedTuple

from answersim.answers.extraction.abstention import attempted
from answersim.answers.extraction.asides import is_known, without_asides
from answersim.answers.extraction.contrast import is_labeled
from answersim.answers.extraction.frames import LANGUAGES, bare, peeled
from answersim.answers.extraction.remarks import framed_places, without_remarks
from answersim.answers.reading import GOVERNED, read
from answersim.answers.relation import Relation, relate
from answersim.answers.relation.explained import (
    SIGNS,
    SMALL,
    TURNING,
    active_words,
    asked_words,
    content_words,
    counts_other,
    denials_in,
    has_any_word,
    has_words,
    is_option,
    lacks_denial,
    lacks_head,
    linking_words,
    lowered,
    occurrences,
    question_stems,
    restated,
    tokens_of,
    unexplained_words,
    words_in,
)
from answersim.answers.relation.substitution import other_content
from answersim.answers.text.english import stem
from answersim.answers.text.markup import visible_pair, without_citations
from answersim.answers.text.patterns import TOUCHING
from answersim.answers.text.tokens import language
from answersim.answers.typed import numerals
from answersim.answers.typed.api import parse
from answersim.answers.typed.choice import chosen_options, stated_options, without_subject
from answersim.answers.typed.date_grammar import DATE_WORDS
from answersim.answers.typed.math.formula import Options
from answersim.scoring.reward import around
from answersim.scoring.reward.committed import committed, concluded, sentences_of
from answersim.scoring.reward.patterns import PATTERNS as _P
from answersim.scoring.reward.patterns import WORDS as _WORDS
from answersim.scoring.reward.reading import Answer

REVISION = 20  # of the rules here and of the reading; raise it when a reward changes; it is signed

LONGEST_TYPED = 1000  # characters of answers that are read as values
MOST_WORDS = 12  # of an answer that an encoder sees
# Nouns of geographic names, which a name may lack if the question has them.
_KINDS = {kind: stem(kind) for kind in "lake river ocean sea desert mountain canal strait gulf island volcano".split()}
_KINDS |= {"mount": stem("mountain"), "mt": stem("mountain"), "mt.": stem("mountain")}
_MOST_OF_NAME = 4  # words
_OPERATORS = frozenset("+-−*/×÷·=^≈()")
# Rules of a relation that words cannot replace.
_UNSURE = frozenset("order percent sign symbol substitution incomplete".split())


class Opinion(NamedTuple):
    """What the rules say about one gold answer and one final answer."""

    outcome: Literal["right", "wrong", "open", "undecided"]  # "open" if an encoder may decide
    stage: str  # "extraction", "rules" or "recall"
    reason: str  # the reason in words


class Policy(NamedTuple):
    """What counts as right beyond equal values."""

    # what a near value is; None: right if only a unit is missing, or it is rounded as the gold answer
    near: Literal["right", "undecided", "wrong"] | None = None
    options: Options | None = None  # the tolerance and the units of numbers and formulas


def unanswered(answer: Answer, question: str) -> str:
    """Return why a final answer answers nothing, whatever the gold answer is; "" if it may answer."""
    if answer.problem:
        return answer.problem
    rest = around.without_question(answer.text, question)
    repeats = rest != answer.text and not any(map(str.isalnum, _P["bare_label"].sub("", rest)))
    return "the answer only repeats the question" if repeats else ""


def decide(
    gold: str, answer: Answer, question: str, lang: str, policy: Policy | None = None, choices: Sequence[str] = ()
) -> Opinion:
    """Return the opinion of the rules. What the relation calls different is wrong, and no encoder overrules it.

    An answer is right if its relation to the gold answer is equal, and every other word is explained: by the question,
    in the order of the question, or by a frame (see ``frames``). With the options of a multiple-choice question, the
    option that it chooses decides.
    """
    policy = policy or Policy()
    if answer.label and not _is_neutral(answer.label, question):
        return Opinion("undecided", "rules", f"it is open what {answer.label!r} before the answer means")
    if choices and (option := _of_options(gold, answer, question, lang, policy, choices)) is not None:
        return option
    if gold == answer.text:
        return Opinion("right", "rules", "the answers are the same text")
    gold_text, answer_text = visible_pair(gold, answer.text) if "\\" not in gold + answer.text else (gold, answer.text)
    answer_text = around.without_question(answer_text, question) or answer_text
    answer_text = answer_text if "[" in gold_text else without_citations(answer_text)
    if "(" in answer_text and "(" not in gold_text and not any(map(str.isdigit, gold_text)):
        answer_text = _P["years"].sub("", answer_text)  # of a life or a work
    if (early := _empty(gold_text, answer_text, answer)) is not None:
        return early
    answer_text = around.undecorated(answer_text, gold_text)
    opinion = _of_text(gold_text, answer_text, answer, question, lang, policy)
    if opinion.outcome not in ("right", "wrong") and (name := _proper_name(gold_text, question)):
        shorter = _of_text(name, answer_text, answer, question, lang, policy)
        opinion = shorter if shorter.outcome == "right" else opinion
    is_apart = answer.several or answer.rule == GOVERNED
    if opinion.outcome == "right" or _is_yes_or_no(gold_text) or is_apart:
        return opinion
    plain = without_asides(answer_text, partial(has_any_word, gold=gold_text), question, around.is_value)
    again = opinion if plain == answer_text else _of_text(gold_text, plain, answer, question, lang, policy)
    if again.outcome != "right" and around.stands_alone(gold_text, answer_text, question):
        return Opinion("right", "recall", "the words around the answer change nothing")
    return again if again.outcome == "right" else opinion


def _is_neutral(label: str, question: str) -> bool:
    """Return whether a label has only words of frames, of the question and of quantities: "Total cost", "Step 3"."""
    if is_known(f"{label}:", "before"):
        return True
    words, known = lowered(label), question_stems(question)
    plain = SMALL | _WORDS["quantities"]
    return all(len(word) == 1 or not word.isalpha() or word in plain or stem(word) in known for word in words)


@lru_cache(maxsize=64)  # of the gold answers that are compared now
def _is_yes_or_no(gold: str) -> bool:
    return bare(gold).casefold() in _WORDS["yes_no"]


def _proper_name(gold: str, question: str) -> str:
    """Return a gold answer without the noun of its kind if the question asks for this kind, else ""."""
    words = gold.split()
    kinds = [i for i in (0, -1) if words[i].casefold() in _KINDS] if 1 < len(words) <= _MOST_OF_NAME else []
    stems = question_stems(question) if kinds else frozenset()
    for i in kinds:
        rest = words[1:] if i == 0 else words[:-1]
        if _KINDS[words[i].casefold()] in stems and all(word[0].isupper() for word in rest):
            return " ".join(rest)
    return ""


def _of_text(gold_text: str, answer_text: str, answer: Answer, question: str, lang: str, policy: Policy) -> Opinion:
    """Return the opinion about a text that is the answer, or a part of it."""
    whole = answer_text = _P["sized"].sub("", answer_text) if "\\" in answer_text else answer_text
    if not _P["atom"].fullmatch(answer_text):
        if not _is_yes_or_no(gold_text) and not is_labeled(answer_text):  # "No, it is."
            answer_text = without_remarks(answer_text, partial(has_any_word, gold=gold_text))
        answer_text = concluded(answer_text, question, answer.rule == "last-line")
        answer_text = committed(answer_text, gold_text, question)
    if "$" in gold_text:
        answer_text, plain_gold = _P["dollars"].sub("", answer_text), _P["dollars"].sub("", gold_text)
        if {*_P["of_country"].findall(plain_gold)} != {*_P["of_country"].findall(answer_text)}:
            return Opinion("undecided", "rules", "only one of the answers names the country of its dollars, or another")
    stated = answer_text if answer.rule != GOVERNED else read(answer_text, lang=lang, marks=False)
    first = relate(gold_text, stated, question, lang=lang, options=policy.options)
    code = language(lang)
    value = parse(answer_text, code) if first.relation == "different" and len(answer_text) <= LONGEST_TYPED else None
    if first.relation == "different" and (first.kind == "order" or (value is not None and value.kind == first.kind)):
        return Opinion("wrong", "rules", first.reason)
    if first.kind == "choice" and first.relation in ("equal", "different"):
        return Opinion("right" if first.relation == "equal" else "wrong", "rules", first.reason)
    is_unsure = first.relation == "none" and (first.rule in _UNSURE or first.kind == "symbol")
    if is_unsure and first.rule != "substitution":  # a frame may be what looks like another word
        return Opinion("undecided", "rules", first.reason)
    if noun := counts_other(gold_text, answer_text, question):
        return Opinion("undecided", "rules", f"the number counts {noun}, and the question asks for something else")
    cores = peeled(answer_text, code)
    if _says_other(gold_text, answer_text, question):
        return Opinion("wrong", "rules", "the answer contradicts its first word")
    for core, spoken in around.all_cores(cores, (answer_text, whole), code):
        if core == answer_text:
            relation = first
        else:  # marks were read before
            inner = read(core, lang=lang, marks=False)
            relation = relate(gold_text, inner, question, lang=lang, options=policy.options)
        spoken = _measured_in(core, code) if relation.relation == "none" and spoken == code else spoken
        if relation.relation == "none" and spoken != code and any(map(str.isdigit, core)):
            relation = relate(gold_text, core, question, lang=spoken, options=policy.options)  # 18 dollari
        if relation.rule == "hedge" and core != cores[-1]:  # "Probably 1969"
            continue
        is_answer = relation.relation in ("equal", "near") and _is_whole(gold_text, core, relation, question, spoken)
        is_answer = is_answer and not (relation.rule == "restated" and "?" in answer_text)  # the question again
        if is_answer and (not answer.several or relation.kind in ("list", "math", "choice")):
            if relation.kind != "yes/no" and _is_asked(answer_text, gold_text):
                return Opinion("undecided", "rules", "the answer is a question")
            if core != answer_text and _P["name_goes_on"].fullmatch(answer_text.partition(core)[2]):
                return Opinion("undecided", "rules", "a name goes on behind the gold answer")  # Apple Records
            return _paid(gold_text, core, relation, "rules" if core in (answer_text, cores[0]) else "recall", policy)
    if is_unsure:
        return Opinion("undecided", "rules", first.reason)
    if first.relation == "different":
        return Opinion("wrong", "rules", first.reason)
    if first.kind == "choice" and first.relation == "none":
        return Opinion("wrong", "rules", first.reason)  # a letter never falls to words
    if answer.several:
        return Opinion("wrong", "rules", "several different answers are marked as final")
    opinion = _explained(gold_text, answer_text, cores[-1], question, lang, policy)
    if opinion.outcome != "right" and not attempted(answer_text) and attempted(gold_text):
        return Opinion("wrong", "rules", "the answer is a refusal")
    if opinion.outcome == "right" and _is_asked(answer_text, gold_text):
        return Opinion("undecided", "rules", "the answer is a question")
    return opinion


def _measured_in(core: str, code: str) -> str:
    """Return the language that has the unit of a number, such as "18 dollari"; ``code`` if it is none, or known."""
    number = _P["measured"].fullmatch(core)
    if number is None or parse(core, code) is not None:
        return code
    values = ((lang, parse(core, lang)) for lang in numerals.LANGUAGES)
    return next((lang for lang, value in values if value is not None and value.kind in around.UNITS), code)


def _is_asked(answer: str, gold: str) -> bool:
    """Return whether the last sentence with the gold answer is a question: "Is it Rome?"."""
    named = [sentence for sentence in sentences_of(answer) if has_words(sentence, gold)]
    return bool(named) and "?" not in gold and named[-1].rstrip(" \"'”»)*_`").endswith(("?", "？", "؟"))


def _of_options(
    gold: str, answer: Answer, question: str, lang: str, policy: Policy, choices: Sequence[str]
) -> Opinion | None:
    """Return the opinion by the options; None if the gold answer is none of them."""
    relation = relate(gold, answer.text, question, lang=lang, choices=choices)
    if relation.relation == "equal" and not stated_options(answer.text, choices, str.__eq__):
        texts = [choices[place] for place in chosen_options(gold, choices, str.__eq__)]
        is_short = len(texts) == 1 and without_subject(texts[0]) == without_subject(answer.text)
        if is_short or (len(texts) == 1 and _restates(answer.text, texts[0], question)):
            return Opinion("right", "recall", relation.reason)
        opinions = [decide(text, answer, question, lang, policy) for text in (*texts, gold)]
        return next((opinion for opinion in opinions if opinion.outcome == "right"), opinions[0])
    if relation.relation in ("equal", "different"):
        return Opinion("right" if relation.relation == "equal" else "wrong", "rules", relation.reason)
    is_option = relation.kind == "choice" or chosen_options(gold, choices, str.__eq__)
    return Opinion("wrong", "rules", relation.reason) if is_option else None


def _restates(answer: str, option: str, question: str) -> bool:
    """Return whether an answer without blanks is an option and parts of the question: "北京" in "北京是首都"."""
    before, named, after = bare(answer).rstrip("。！").partition(option)
    return bool(named) and " " not in answer and not answer.isascii() and before in question and after in question


def _empty(gold: str, answer_text: str, answer: Answer) -> Opinion | None:
    """Return the opinion about an answer that names nothing, or is code; None for any other."""
    if not any(map(str.isalnum, unicodedata.normalize("NFKC", answer_text))) and any(map(str.isalnum, gold)):
        return Opinion("wrong", "extraction", "the answer has neither letters nor digits")
    added, wanted = _P["negated"].match(answer_text), _P["negated"].match(gold)
    is_added = added is not None and not gold.lstrip(" $").startswith(added[0].strip())
    is_lost = wanted is not None and wanted[0].strip() in ("-", "!", "¬") and wanted[0].strip() not in answer_text
    relation = relate(gold, answer_text) if is_added or is_lost else None
    if relation is not None and (relation.relation == "none" or relation.kind in ("text", "person name", "")):
        return Opinion("undecided", "rules", f"a sign before the {'' if is_added else 'gold '}answer may negate it")
    may_be_unequal = _P["comparing"].search(answer_text) is not None
    if may_be_unequal and _P["unequal"].search(answer_text) and not _P["unequal"].search(gold):
        return Opinion("undecided", "rules", "a sign of inequality may deny the answer")
    is_bound = may_be_unequal and _P["bound"].search(answer_text) and not any(sign in gold for sign in "<>≤≥\\")
    if is_bound and not ("," in gold and relate(gold, answer_text).relation == "equal"):  # [0, 1) is 0 <= x < 1
        return Opinion("undecided", "rules", "a sign of inequality makes a bound of the answer")
    *earlier, last = _P["arrow"].split(answer_text) if may_be_unequal else (answer_text,)
    if earlier and has_words(earlier[-1], gold) and any(map(str.isalnum, last)) and not has_any_word(last, gold):
        return Opinion("undecided", "rules", "an arrow leads from the gold answer to something else")
    guess = _P["guessed"].match(answer_text) if not _is_yes_or_no(gold) else None
    if guess is not None and peeled(rest := bare(answer_text[guess.end() :]))[-1] == rest:
        return Opinion("undecided", "rules", "yes or no stands beside another answer")
    if _P["ironic"].search(answer_text) and not _P["ironic"].search(gold):
        return Opinion("undecided", "rules", "the answer is ironic")
    if _P["announces"].match(answer_text.strip()):
        return Opinion("wrong", "rules", "the answer only announces an answer")
    plain = bare(answer_text).casefold()
    if answer.rule == "final" and plain in _WORDS["claims"] and plain != bare(gold).casefold():
        return Opinion("wrong", "rules", "the answer claims to be correct and names nothing")
    return None


def _is_whole(gold: str, core: str, relation: Relation, question: str, code: str) -> bool:
    """Return whether the relation is about all of this text, and not about a value in a sentence."""
    if relation.kind == "yes/no":
        stated = {*lowered(core)}
        if bare(gold).casefold() in _WORDS["no"]:
            stated -= _WORDS["denials"]
        contrary = not _WORDS["contrary"].isdisjoint(stated)
        return not contrary and "?" not in core and not _names_another(core, question)
    if relation.kind in ("name", "symbol", "no answer"):
        return True  # initials and their words, and what the relation reads as a whole
    words, golds = {*lowered(core)}, {*lowered(gold)}
    is_short = len(core) <= LONGEST_TYPED
    value = (parse(core, code) or (parse(core) if code != "en" else None)) if is_short else None
    is_working = value is None and is_short and _is_working(gold, core, question, code)
    is_read = is_working or (value is not None and value.kind not in ("list", "person name", "name with number"))
    is_clock = is_read and (value is None or value.kind in ("time", "date"))  # ten after six, the 12th of March
    may_turn = _WORDS["inside"] if is_clock else {"of"} if is_read else set[str]()
    may_turn = may_turn | {"or"} if relation.kind == "math" else may_turn  # x = 2 or x = -2
    if not TURNING.isdisjoint(words - golds - may_turn):
        return False
    if value is None:
        return is_working or relation.kind in ("math", "list", "choice", "text", "code", "person name", "order")
    if value.kind == "list" and relation.kind not in ("list", "math", "text", "person name"):
        return False  # one item of several
    counted = getattr(value.value, "noun", "")
    return not counted or set(map(stem, counted.split())) <= question_stems(f"{question} {gold}")


def _says_other(gold: str, core: str, question: str) -> bool:
    """Return whether the text behind "yes" or "no" repeats the question as the other one: "No, it is legal."."""
    _, comma, rest = core.partition(" ")
    said = restated(rest, gold, question) if comma and question else None
    return said is not None and said != bare(gold).casefold()


def _is_working(gold: str, core: str, question: str, code: str) -> bool:
    """Return whether a text computes the gold answer as its last value: "Area = length × width = 6 × 4 = 24"."""
    label, colon, formula = core.partition(": ")
    core = formula if colon and _is_neutral(label, question) else core
    *sides, last = core.split("=")
    is_computed = any(sign in side.strip()[1:] for side in sides for sign in "+-−*/×÷·^")
    is_computed = is_computed or (len(sides) == 1 and _P["label"].fullmatch(sides[0]) is not None)  # F12 = 144
    return (
        is_computed and _P["working"].fullmatch(core) is not None and relate(gold, last, lang=code).relation == "equal"
    )


def _names_another(core: str, question: str) -> bool:
    """Return whether a sentence behind "yes" or "no" is a bare name, as in "No. Atlantic Ocean"."""
    stems = question_stems(question)
    for sentence in _P["parts"].split(core)[1:]:
        words = [token for token in tokens_of(sentence) if token not in SIGNS]
        others = [word for word in words if stem(word.casefold()) not in stems and not word.endswith("ly")]
        if words and len(others) == len(words) and SMALL.isdisjoint(map(str.casefold, words)):
            return True
    return False


def _paid(gold: str, core: str, relation: Relation, stage: str, policy: Policy) -> Opinion:
    if relation.relation == "equal":
        return Opinion("right", stage, relation.reason)
    near = policy.near or ("right" if _is_rounded_as(gold, relation) else "undecided")
    return Opinion(near, stage, relation.reason)


def _is_rounded_as(gold: str, relation: Relation) -> bool:
    """Return whether a near value lacks a unit, or has at least the digits of the gold answer, rounded."""
    if relation.rule != "rounding" or relation.error == 0:
        return relation.rule in ("unit", "scale", "rounding")
    digits = re.findall(r"\d[\d,]*(?:\.\d+)?", gold)
    if len(digits) != 1:
        return False
    try:
        value = Decimal(digits[0].replace(",", ""))
    except InvalidOperation:
        return False
    exponent = value.as_tuple().exponent
    step = Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)
    return bool(value) and relation.error <= float(step / 2 / abs(value)) * (1 + 1e-9)


def _explained(gold_text: str, answer: str, core: str, question: str, lang: str, policy: Policy) -> Opinion:
    """Pay an answer whose words are the gold answer, the question in its order, and frames; else refuse it."""
    gold, tokens = content_words(gold_text), tokens_of(core)
    words = words_in(core)
    problem = _swaps(gold_text, gold, core, words, question) if language(lang) == "en" else ""
    if not problem and language(lang) == "en" and lacks_head(words_in(answer), question):
        problem = "the answer leaves out the noun that the question asks for"
    if not problem and language(lang) == "en" and lacks_denial(words_in(answer), question):
        problem = "the answer leaves out the denial of the question"
    if problem:
        return Opinion("undecided", "rules", problem)
    places = occurrences(gold, words)
    asked = question_stems(question)
    is_name = not _is_yes_or_no(gold_text)
    framed = {i for i in framed_places(words, places, language(lang)) if is_name and stem(words[i]) not in asked} - {
        i for i, word in enumerate(words) if word in ("another", "wrong")
    }
    left = unexplained_words(words, places, question, lang, framed)
    if places and gold:
        if len(gold) < len(places) and around.has_two_values(gold_text, core):
            return Opinion("wrong", "rules", "the answer names the number with two signs or units")
        is_asked = asked_words(" ".join(word for i, word in enumerate(words) if i not in places), question)
        if framed and not left and not is_asked and around.is_harmed(core, tokens, places):
            return Opinion("undecided", "rules", "the words around the answer may change it")
        if not left or _links(left, question):
            return Opinion("right", "recall", "the answer is the gold answer in words of the question and of frames")
        values = _OPERATORS | _WORDS["scales"] | DATE_WORDS
        if all(word[0].isdigit() or word in values for word in left):
            rest = around.residual(tokens, places, question, core, lang)
            relation = None if rest is None else relate(gold_text, rest, question, lang=lang, options=policy.options)
            is_date = not DATE_WORDS.isdisjoint(left)
            is_same = relation is not None and (relation.relation == "equal" or relation.rule == "unit")
            if relation is not None and is_same and (not is_date or relation.kind == "date"):
                return _paid(gold_text, rest or "", relation, "recall", policy)
        return _refused(gold_text, core, left, question, lang, policy)
    value = _value_in(gold_text, tokens, question, core, lang, policy)
    if value is not None:
        return value
    return _open(gold_text, core, words, left, question)


def _links(left: list[str], question: str) -> bool:
    """Return whether words only link the answer in a language of which the question has words: "es"."""
    asked = {*lowered(question)}
    small = (linking_words(lang) - SMALL for lang in LANGUAGES if lang not in ("en", *TOUCHING))
    return any(set(left) <= known and len(asked & known) > len(asked & SMALL) for known in small)


def _swaps(gold_text: str, gold: Sequence[str], core: str, words: Sequence[str], question: str) -> str:
    """Return why the words of the question may say something else in an answer; "" if they do not."""
    items = _P["list"].split(bare(core))
    of_question = words_in(question)
    if len(items) > len(_P["list"].split(bare(gold_text))) and any(
        is_option(item, question) and not has_words(item, gold_text) for item in items
    ):
        return "the answer names another option of the question"
    _, sign, result = core.rpartition("=")
    value = result if sign and relate(gold_text, result).relation in ("equal", "near") else core
    if any(map(str.isdigit, gold_text)) and _P["signed"].search(value) and not _P["signed"].search(gold_text):
        return "a sign beside the number may change it"
    places = occurrences(gold, words)
    at = next((i for i in range(min(places, default=0) - 1, -1, -1) if words[i] not in ("the", "a", "an")), 0)
    is_behind = at > 0 and words[at] == "of" and asked_words(words[at - 1], question)
    if is_behind and "of" not in of_question[-2:-1] and not _P["of_what"].search(question):
        return "the gold answer stands behind 'of', and not before it"
    return ""


def _value_in(gold: str, tokens: Sequence[str], question: str, core: str, lang: str, policy: Policy) -> Opinion | None:
    """Compare what is left of an answer without the words of the question and of frames, if this is a value."""
    rest = around.residual(tokens, [], question, core, lang)
    if rest is None or rest == core:
        return None
    for frame in peeled(rest):
        relation = relate(gold, frame, question, lang=lang, options=policy.options)
        if relation.relation in ("equal", "near") and _is_whole(gold, frame, relation, question, language(lang)):
            return _paid(gold, frame, relation, "recall", policy)
        if relation.relation == "different":
            return Opinion("wrong", "rules", relation.reason)
    return None


def _refused(gold: str, core: str, left: list[str], question: str, lang: str, policy: Policy) -> Opinion:
    """Refuse an answer with words that nothing explains; leave it open if the relation finds it equal all the same."""
    reason = f"not explained: {', '.join(dict.fromkeys(left))}"[:200]
    turns = any(word in TURNING for word in left)
    if not turns and relate(gold, core, question, lang=lang, options=policy.options).relation == "equal":
        return Opinion("undecided", "rules", reason)
    return Opinion("wrong", "rules", reason)


def _open(gold: str, core: str, words: Sequence[str], left: list[str], question: str) -> Opinion:
    """Let an encoder see a single phrase that neither contains the gold answer nor offers alternatives."""
    gold_words = {word for word in content_words(gold) if word not in SMALL}
    shared = [word for word in words if word in gold_words]
    turning = [word for word in left if word in TURNING and word not in gold_words]
    if turning:
        return Opinion("wrong", "rules", f"not explained: {', '.join(dict.fromkeys(turning))}")
    in_gold = [word for word in content_words(gold) if word in shared]
    if len(shared) > 1 and sorted(shared) == sorted(in_gold) and shared != in_gold:
        active = [active_words(words_in(text), question, "en") for text in (gold, core)]
        if active[0] == active[1]:
            return Opinion("right", "recall", "both say the same, one of them in the passive voice")
        return Opinion("undecided", "rules", "the answers have the same words in another order")
    if other_content(gold, core):
        return Opinion("undecided", "rules", "the sentences differ in one word")
    if not core.isascii() and denials_in(core) != denials_in(gold):
        return Opinion("undecided", "rules", "only one of the answers has a negation")
    if len(words) > MOST_WORDS + len(gold_words):
        return Opinion("wrong", "rules", f"an answer of {len(words)} words is no single phrase")
    if len(_P["list"].findall(bare(core))) > len(_P["list"].findall(bare(gold))):
        return Opinion("wrong", "rules", "the answer names more things than the gold answer")
    if len(sentences_of(core)) > max(1, len(sentences_of(gold))):
        return Opinion("wrong", "rules", "the answer has several sentences, and the gold answer one")
    if any(
        word not in SIGNS and not word.isalnum() and "'" not in word and "." not in word
        for word in words
        if word not in gold
    ):
        return Opinion("undecided", "rules", "the answer has a symbol that the gold answer lacks")
    is_inflected = set(map(stem, gold_words)) == set(map(stem, left))
    if (gold_words and gold_words <= set(shared)) or (bare(gold).casefold() in core.casefold() and not is_inflected):
        return Opinion("wrong", "rules", f"not explained: {', '.join(dict.fromkeys(left)) or core}"[:200])
    return Opinion("open", "rules", "the rules have no opinion")
