"""How a prediction relates to a gold answer: equal, near, different, or none if no rule applies."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache

from answersim.answers.extraction.abstention import CLASSES, surely_refuses
from answersim.answers.extraction.announced import wavers
from answersim.answers.reading import GOVERNED, Reading, read
from answersim.answers.relation import wording
from answersim.answers.relation.explained import restated
from answersim.answers.relation.substitution import is_replaced, opposes
from answersim.answers.relation.wording import same_wording, words_of
from answersim.answers.text.markup import without_citations
from answersim.answers.text.patterns import Patterns, table
from answersim.answers.text.tokens import language
from answersim.answers.typed.api import compare_checked, parse
from answersim.answers.typed.comparison import Relation, Relations, different, equal, near, no_opinion
from answersim.answers.typed.math.formula import Options
from answersim.answers.typed.tokens import with_indices

__all__ = ["Relation", "Relations", "relate"]

_P = Patterns("relation")
_PARTS = {"§": "section", "p": "page", "pp": "page", "v": "version"}  # signs that begin several names
_LONGEST_SCORE = 9  # digits of a number in a score or a proportion
_LONGEST_REFUSAL = 120  # characters; a longer text may answer in spite of its first sentence
_FEWEST = 3  # words; the order of more words may decide what a text denies
_FEWEST_ASSIGNED = 2  # keys with a value
_STATEMENT = 40  # bytes of an answer that is a statement; only a refusal beyond doubt leaves it unanswered
_AMOUNTS = frozenset(("number", "percentage", "money", "duration", "quantity"))
_LONGEST_EQUATION = 100  # characters of two values with a sign of equality between them


def relate(
    gold: str | Reading,
    pred: str | Reading,
    question: str = "",
    *,
    lang: str = "en",
    choices: Sequence[str] = (),
    options: Options | None = None,
) -> Relation:
    """Return how a prediction relates to a gold answer. It depends on the arguments alone, and no model is used.

    Args:
        gold: The gold answer, or its reading.
        pred: The prediction, or its reading: the final answer in it counts.
        question: The question, "" for none. It may state an order, a scale, a unit, or what is counted.
        lang: An ISO 639-1 code.
        choices: The texts of the options A, B, ... of a multiple-choice question.
        options: The tolerance and the units of numbers and formulas; None for the usual rules.

    Returns:
        The relation. "none" means that no rule applies, and never that the answers differ.

    Raises:
        LookupError: If there is no such language.

    >>> relate("12 liters", "12 gallons").relation
    'different'
    >>> relate("1/2", "It is 0.5.").relation
    'equal'
    >>> relate("Paris", "the mayor of Paris").relation
    'none'
    """
    gold_text, pred_text = gold if isinstance(gold, str) else gold.raw, pred if isinstance(pred, str) else pred.raw
    if gold_text.strip() == pred_text.strip():
        return equal("the answer is the same text", "text")
    wanted = _reading(gold, lang=lang) if isinstance(gold, str) else gold
    given = _reading(pred, lang=lang) if isinstance(pred, str) else pred
    result = _of_answers(wanted.answer, given.answer, question, lang, choices, options)
    is_value = given.rule == GOVERNED and result.relation in ("equal", "near") and result.kind not in ("yes/no", "text")
    if is_value or (result.kind == "no answer" and GOVERNED in (wanted.rule, given.rule)):
        return no_opinion("other words govern what would announce an answer", result.kind, rule="alternatives")
    is_open = result.relation != "different" and result.kind not in ("yes/no", "choice") and not choices
    is_open = is_open and given.answer not in wanted.answer
    if is_open and question and lang[:2] == "en" and opposes(given.answer, question, wanted.answer):
        return no_opinion("the prediction says the opposite of a word of the question", "text", rule="substitution")
    if result.relation == "none" and given.rule and given.answer != given.text and not given.several:
        whole = _of_answers(wanted.answer, given.text, question, lang, choices, options)
        result = whole if whole.relation == "equal" and whole.kind == "text" else result
    if (refused := _of_refusals(result, wanted, given, question)) is not None:
        return refused
    is_single = result.kind not in ("list", "math", "choice") and not wanted.alternatives and not wanted.several
    if given.several and is_single and result.relation in ("none", "equal", "near"):
        return result._replace(relation="none", rule="several")
    if result.relation == "none" and given.rule:
        name = wanted.answer.strip(" .").casefold()
        if name in given.text.casefold() and name not in given.answer.casefold():  # "Rome. Sorry, I meant Oslo."
            return result._replace(rule="alternatives")
    if result.relation == "none" and given.alternatives and not wanted.alternatives:
        agreeing = _agreeing(wanted.answer, given.alternatives, language(lang))
        return result._replace(rule="alternatives") if 0 < agreeing < len(given.alternatives) else result
    return result


def _has_most_words(text: str, answer: str, question: str) -> bool:
    """Return whether a text has most of the content words of an answer of several words, beyond those of a question."""
    wanted = set(words_of(answer)) - set(words_of(question))
    wanted = {word for word in wanted if CLASSES.get(word) not in ("grammar", "self", "you")}
    return len(wanted) > 1 and len(wanted.intersection(words_of(text))) > len(wanted) / 2


def _of_refusals(result: Relation, gold: Reading, pred: Reading, question: str) -> Relation | None:
    """Return the relation of answers of which one or both give no answer, or take it back; None for others."""
    wants_none = not gold.attempted and surely_refuses(gold.text)  # a gold answer is rarely a refusal
    if result.relation in ("none", "different") and wants_none != (not pred.attempted):
        silence, answer = (gold, pred) if wants_none else (pred, gold)
        is_statement = len(answer.answer.encode()) > _STATEMENT
        may_refuse = not is_statement and not _has_most_words(silence.text, answer.answer, question)
        if surely_refuses(silence.text, few=0) or may_refuse:
            reason = f"the {'gold answer' if wants_none else 'prediction'} is no answer"
            mentions = answer.answer.strip(" .").casefold() in silence.text.casefold()
            is_short = len(silence.text) <= _LONGEST_REFUSAL
            kind = "choice" if result.kind == "choice" or _P.letter.fullmatch(gold.text) else "no answer"
            if is_short and not mentions and surely_refuses(silence.text):
                return different(reason, "no answer")
            return no_opinion(reason, kind, rule="no answer")
    is_reply = result.relation == "equal" and result.kind == "yes/no" and len(pred.answer) > len(gold.answer)
    if is_reply and wavers(", " + pred.answer.partition(" ")[2]):
        return no_opinion(f"{pred.answer} takes back its first word", "yes/no", rule="revised")
    are_silent = result.relation == "equal" and result.kind == "no answer"
    if result.relation == "none" and wants_none and surely_refuses(pred.text):
        # "?" and "!" are two texts, and not two refusals.
        are_silent = all(not side.text.strip() or any(map(str.isalnum, side.text)) for side in (gold, pred))
    if are_silent:
        first, second = words_of(gold.text), words_of(pred.text)
        if first != second and len(first) > _FEWEST and sorted(first) == sorted(second):
            return no_opinion("both have the same words in another order", "text", rule="order")
        return equal("both give no answer", "no answer")
    return None


def _agreeing(gold: str, guesses: Sequence[str], rules: str) -> int:
    """Return how many guesses are the gold answer, maybe with the words of a sentence on the outer side."""
    wanted, listed = words_of(gold), [words_of(guess) for guess in guesses]
    n, last, count = len(wanted), len(guesses) - 1, 0
    for i, (guess, words) in enumerate(zip(guesses, listed, strict=True)):
        inner = words[-n:] == wanted if not i else words[:n] == wanted
        shared = i < last and words + listed[last][1:] == wanted  # of "John or Jane Smith"
        relation = compare_checked(gold, guess, rules).relation
        count += relation in ("equal", "near") or (relation == "none" and (inner or shared))
    return count


_reading = lru_cache(maxsize=1 << 12)(read)


def _of_answers(
    gold: str, pred: str, question: str, lang: str, choices: Sequence[str], options: Options | None
) -> Relation:
    """Compare two final answers: their symbols, their values, and at last their words."""
    gold, pred = _plain(gold, pred), _plain(pred, gold)
    if "," in gold and "\n" in pred and "\n" not in gold and not _P.long_line.search(pred):
        pred = ", ".join(line.strip() for line in pred.split("\n") if line.strip())  # a list of items
    if gold == pred:
        return equal("both answers are the same", "text")
    if _P.code_sign.findall(gold) != _P.code_sign.findall(pred) and _has_same_words(gold, pred):
        return no_opinion("the same words have other signs", "symbol", rule="symbol")
    signs = wording.symbols(gold), wording.symbols(pred)
    if any(signs):
        words = wording.without_symbols(gold), wording.without_symbols(pred)
        alike = not any(words) or same_wording(*words, lang)
        if signs[0] != signs[1] and all(signs):
            reason = f"{' '.join(signs[1])} is not {' '.join(signs[0])}"
            return different(reason, "symbol") if alike else no_opinion(reason, "symbol", rule="symbol")
        if signs[0] != signs[1] and (not all(words) or wording.has_meaning(signs[0] + signs[1])):
            return no_opinion("one of them has a symbol that the other lacks", "symbol", rule="symbol")
        if not any(words):
            return equal("both are the same symbols", "symbol")
        gold, pred = words
    if _contradicts(pred, lang) and not _contradicts(gold, lang):
        return no_opinion(f"{pred} gives two values as equal", "value", rule="alternatives")
    rules = language(lang)
    if (assigned := _of_assignments(gold, pred, lang)) is not None:
        return assigned
    if (numbered := _of_numbered(gold, pred)) is not None:
        return numbered
    if all(map(_P.scores.fullmatch, (gold, pred))) and _P.number.findall(gold) == _P.number.findall(pred):
        return equal(f"{pred} has the numbers of {gold}", "order")
    result = compare_checked(gold, pred, rules, question, choices, options)
    if result.relation != "different" and not choices and _has_other_order(gold, pred):
        return no_opinion("the items in brackets have another order", "list", rule="order")
    if result.relation != "different" and _has_other_case(gold, pred):
        return no_opinion("the case of a symbol tells them apart", "symbol", rule="symbol")
    accounted = _P.accounted.match(pred) or _P.accounted.match(gold)
    if accounted is not None and result.relation in ("none", "different"):
        signed = [f"-{side[1]}" if (side := _P.accounted.match(text)) else text for text in (gold, pred)]
        negative = compare_checked(signed[0], signed[1], rules)
        if negative.relation in ("equal", "near"):
            return near(f"{accounted[0].strip()} may be -{accounted[1]}", result.kind, 0.0, "sign")
    if result.relation != "none" or result.kind == "choice" or (result.kind == "date" and result.rule):
        return result
    if same_wording(gold, pred, lang):
        return equal("both are written alike", "text")
    if result.kind == "list" and _is_item(gold, pred, lang):
        return no_opinion(f"{pred} is one of {gold}", "list", rule="incomplete")
    for rule in (_of_objects, _of_denial, _without_frame, _of_initials, _of_codes, _of_order, _of_signs):
        if (found := rule(gold, pred, rules, question)) is not None:
            return found
    if is_replaced(gold, pred, rules):
        return no_opinion("one word is replaced by another one", "text", rule="substitution")
    return result


def _of_denial(gold: str, pred: str, rules: str, question: str) -> Relation | None:
    """Tell an answer from its denial: "7" and "not 7". A repeated question is yes, and a denied one no."""
    said = restated(pred, gold, question) if question and rules == "en" else None
    if said is not None:
        is_said = gold.strip(" .").casefold() == said
        return (equal if is_said else different)(f"{pred} says {said}", "yes/no")._replace(rule="restated")
    for one, other in ((gold, pred), (pred, gold)):
        denial = _P.denies.match(other)
        if denial is not None and same_wording(one, other[denial.end() :]):
            return different(f"{other} denies {one}", "denial")
    may_deny = _P.may_deny.search(gold) is not None or _P.may_deny.search(pred) is not None
    return different(f"{pred} denies {gold}", "denial") if may_deny and wording.negated(gold, pred, rules) else None


def _has_same_words(gold: str, pred: str) -> bool:
    """Return whether two answers have the same words, maybe with other signs: "a || b", "--force", "A'"."""
    return _P.words.findall(gold.casefold()) == _P.words.findall(pred.casefold())


def _has_other_case(gold: str, pred: str) -> bool:
    """Return whether two answers end with units or formulas that only their case tells apart: "mW", "MW"."""
    if gold.casefold() != pred.casefold():
        return False
    ends = [text.rstrip(" .").rpartition(" ")[2].lstrip("0123456789.,") for text in (gold, pred)]
    return ends[0] != ends[1] and any(all(map(form.fullmatch, ends)) for form in (_P.unit_symbol, _P.chemical))


def _has_other_order(gold: str, pred: str) -> bool:
    """Return whether two answers in round, square or pointed brackets have the same items in another order."""
    if not (_P.tuple.fullmatch(gold) and _P.tuple.fullmatch(pred)):
        return False
    one, other = (text[1:-1].casefold().replace(";", ",").split(",") for text in (gold, pred))
    items = [[item.strip() for item in side] for side in (one, other)]
    return items[0] != items[1] and sorted(items[0]) == sorted(items[1])


def _assignments(text: str) -> dict[str, str]:
    """Return the values of the keys of "1) wash; 2) cut", "x: 3, y: 4" and "1-C, 2-A"; none for another text."""
    pairs = [_P.assigned.fullmatch(item.strip(" .")) for item in _P.between_items.split(text)]
    if len(pairs) < _FEWEST_ASSIGNED or not all(pairs):
        return {}
    table = dict(tuple(filter(None, pair.groups())) for pair in pairs if pair is not None)
    is_score = all(side.isdecimal() for sides in table.items() for side in sides)
    return {} if len(table) < len(pairs) or is_score else table


def _of_assignments(gold: str, pred: str, lang: str) -> Relation | None:
    """Compare what two answers assign to the same keys."""
    one = _assignments(gold)
    other = _assignments(pred) if one else {}
    if one.keys() != other.keys() or not one:
        return None
    if all(same_wording(one[key], other[key], lang) for key in one):
        return equal("both assign the same values", "list")
    if sorted(map(str.casefold, one.values())) == sorted(map(str.casefold, other.values())):
        return different("the same values have other keys", "list")
    return None


def _contradicts(text: str, lang: str) -> bool:
    """Return whether a text equates two values that differ: "4 km = 5 km", "£2.99 = ¥625". A computation is none."""
    if text.count("=") != 1 or len(text) > _LONGEST_EQUATION:
        return False
    sides = [side.strip() for side in text.split("=")]
    values = [parse(side, lang=lang) for side in sides]
    if any(value is None or value.kind not in _AMOUNTS for value in values):
        return False
    return compare_checked(sides[0], sides[1], language(lang)).relation not in ("equal", "near")


def _plain(text: str, other: str) -> str:
    """Return an answer without marks of citations that the other one lacks, an arrow, and brackets around it."""
    cited = text if "[" not in text or "[" in other or "\\" in text else without_citations(text)
    text = _P.arrow.sub("", cited).strip() or text
    enclosed = _P.enclosed.match(text)
    if enclosed is not None and not {",", ";"}.intersection(enclosed[2]) and not _P.accounted.match(text):
        return enclosed[2].strip()
    return text


def _without_frame(gold: str, pred: str, rules: str, question: str) -> Relation | None:
    """Compare what is left without the words that both begin and end with: "It sank in 1926", "It sank in 1927"."""
    left = wording.frame(gold, pred)
    if left is None or any(_P.roman.fullmatch(text.strip(" .,")) for text in left):
        return None
    for text, rest, other in ((gold, *left), (pred, *left[::-1])):
        frame = {word for word in words_of(text) if CLASSES.get(word) != "grammar"}.difference(words_of(rest))
        if not frame.isdisjoint(words_of(other)):
            return None  # the frame stands twice in a text: 22 May 1837, 26 May 1837
    result = _of_codes(*left, rules, question) or compare_checked(*left, rules, question)
    if result.kind == "no answer":  # a part of a sentence is no refusal: "He" and "didn't know the way"
        return None
    if result.relation == "near" and _P.code.search(gold) and _P.code.search(pred):
        return different(f"{pred} is not {gold}", "name with number", result.error)
    if result.relation == "none" or result.kind == "person name":
        return _of_order(*left, rules, question)
    if result.kind == "list" and not any(map(_P.listing.search, left)):  # "If he lied, she left"
        return no_opinion("two clauses may have another order", "text", rule="order")
    return result


def _of_initials(gold: str, pred: str, rules: str, question: str) -> Relation | None:
    """Accept what is listed as short for a name ("UK"), or the text explains: "NATO (North Atlantic ...)"."""
    for one, other in ((gold, pred), (pred, gold)):
        aside = _P.aside.match(other)
        sides = tuple(_P.leading.sub("", side) for side in aside.groups()) if aside is not None else ()
        explained = aside is not None and any(wording.initials(*order) for order in (sides, sides[::-1]))
        if explained and any(same_wording(one, side) for side in sides):
            return equal(f"{sides[1]} explains {sides[0]}", "name")
        short, name = _without_articles(one.strip()), _without_articles(other.strip())
        short, letters = short.replace(".", ""), name.replace(".", "")
        if short not in _names() or (not letters.isupper() and letters.upper() in _names()):
            continue  # "us" is no country
        if {letters.casefold(), " ".join(name.casefold().rstrip(".").split())} & _names()[short]:
            return equal(f"{one} is short for {other}", "name")
    return _of_abbreviations(gold, pred) if gold[-2:].isupper() and pred[-2:].isupper() else None


@lru_cache(maxsize=64)  # of the answers that are compared now, whose rules ask several times
def _without_articles(text: str) -> str:
    return _P.leading.sub("", text)


def _of_abbreviations(gold: str, pred: str) -> Relation | None:
    """Tell two abbreviations in capitals apart: "CIA" and "FBI". One that begins with the other may mean the same."""
    one, other = (_without_articles(text.strip(" .")).replace(".", "") for text in (gold, pred))
    if not (_P.capitals.fullmatch(one) and _P.capitals.fullmatch(other)) or one[:2] == other[:2]:
        return None
    if one not in _names() or other not in _names():
        return no_opinion(f"{one} and {other} are two abbreviations", "name", rule="substitution")
    if _names()[one] & _names()[other]:
        return equal(f"{one} and {other} are short for the same name", "name")
    return different(f"{other} is not {one}", "name")


def _is_item(gold: str, pred: str, lang: str) -> bool:
    """Return whether a prediction is one of the items that a gold answer lists: "neon" of "neon and argon"."""
    value = parse(gold, language(lang))
    items = getattr(value.value, "items", ()) if value is not None and value.kind == "list" else ()
    return any(same_wording(item, pred, lang) for item in items)


def _of_codes(gold: str, pred: str, rules: str, question: str) -> Relation | None:
    """Compare letters with an index, and numbers with two or more points that are no dates: addresses, versions."""
    for pattern in (_P.dotted, _P.indexed):
        code = pattern.fullmatch(with_indices(gold))
        codes = [code, pattern.fullmatch(with_indices(pred))] if code is not None else []
        if codes and all(codes) and parse(gold, rules) is None:
            one, other = ("".join(filter(None, code.groups())) for code in codes if code is not None)
            return (equal if one == other else different)(f"{pred} is {'' if one == other else 'not '}{gold}", "code")
    digits = [[*filter(str.isdigit, text)] for text in (gold, pred)]
    if all(map(_P.grouped_code.fullmatch, (gold, pred))) and digits[0] == digits[1]:
        return equal(f"{pred} has the digits of {gold}", "code")
    species = "" if gold.isalpha() or pred.isalpha() else _species(gold)
    return equal(f"{pred} is {gold}", "code") if species and species == _species(pred) else None


def _of_numbered(gold: str, pred: str) -> Relation | None:
    """Compare the numbers of parts of a document, of versions and of places, of which each point ends a part."""
    named = [_P.numbered.fullmatch(text.strip()) for text in (gold, pred)]
    kinds = [side[1].casefold().rstrip(".") for side in named if side is not None]
    kinds = [_PARTS.get(kind, kind) for kind in kinds]
    if not all(named) or not (kinds[0].startswith(kinds[1]) or kinds[1].startswith(kinds[0])):  # art. 5, article 5
        return None
    one, other = ([*map(int, side[2].split("."))] for side in named if side is not None)
    longest = max(len(one), len(other))
    one, other = ([*parts, *(longest - len(parts)) * [0]] for parts in (one, other))
    return (equal if one == other else different)(f"{pred} is {'' if one == other else 'not '}{gold}", "code")


@lru_cache(maxsize=64)
def _species(text: str) -> str:
    """Return a chemical formula with a mark before its charge, and none before indices; "" for another text."""
    raised = _P.raised_sign.sub(lambda match: f"^{unicodedata.normalize('NFKC', match[0])}", text)
    flat = _P.marks_of_species.sub("", unicodedata.normalize("NFKC", raised)).replace("\u2212", "-")
    flat = _P.charge.sub(r"\1^\2", flat.replace(" ", "^"))
    return flat if _P.species.fullmatch(flat) and not flat.isalpha() else ""


@cache
def _names() -> dict[str, frozenset[str]]:
    """Return the names of each abbreviation in capitals, in lower case, by ``tools.wordnet``."""
    return {short: frozenset(names.split("|")) for short, names in table("relation/initials.csv")}


def _of_order(gold: str, pred: str, rules: str, question: str) -> Relation | None:
    """Compare operands in their order, and leave words in another order open."""
    (one, signs), (other, others) = wording.operands(gold), wording.operands(pred)
    dashed = one if signs == ["-"] else other
    is_short = max(map(len, (*one, *other))) <= _LONGEST_SCORE
    is_mixed = is_short and (signs, others) in ((["-"], [":"]), ([":"], ["-"]))
    if is_mixed and all(map(str.isdecimal, dashed)) and int(dashed[0]) > int(dashed[1]):
        signs = others  # the score 2-1, and not from 1 to 2
    if signs and signs == others and one == other:
        return equal("both have the same operands", "order")
    scores = all(map(str.isdecimal, (*one, *other))) and len(one) == len(other)
    if scores and is_short and signs == others == [":"] and _P.asks_ratio.search(question):
        first, second = ([*map(int, side)] for side in (one, other))
        if first[0] * second[1] == first[1] * second[0] and all(first + second):
            return near(f"{pred} is the proportion {gold}", "order", 0.0, "scale")
    if signs and signs == others and (scores or sorted(one) == sorted(other)):
        return different(f"{pred} is not {gold}{'' if scores else ': the operands have another order'}", "order")
    if wording.reordered(gold, pred) or (rules == "en" and "by" in gold + pred and wording.turned(gold, pred)):
        return no_opinion("both have the same words in another order, or one is passive", "text", rule="order")
    return None


def _of_signs(gold: str, pred: str, rules: str, question: str) -> Relation | None:
    """Leave open what differs in signs alone, and terms and formulas, which neither words nor networks read."""
    if (_P.plain.fullmatch(gold) and _P.plain.fullmatch(pred)) or all(map(_P.grouped.fullmatch, (gold, pred))):
        return None
    plain = [_P.joint.sub(" ", text) for text in (gold, pred)]
    words = [_P.words.findall(text.casefold()) for text in plain]
    if words[0] == words[1] and not same_wording(plain[0], plain[1], rules):
        return no_opinion("the same words have other signs", "symbol", rule="symbol")
    if max(len(gold), len(pred)) > _LONGEST_EQUATION:
        return None
    is_spoken = any(len(_P.spoken.findall(text)) > 1 for text in (gold, pred))
    is_formula = any(map(_P.command.search, (gold, pred))) and not is_spoken
    is_formula = is_formula or all(map(_P.term.fullmatch, (gold, pred)))
    return no_opinion("no rule compares these formulas", "math", rule="symbol") if is_formula else None


def _of_objects(gold: str, pred: str, rules: str, question: str) -> Relation | None:
    """Compare two objects of JSON."""
    if not gold.startswith("{") or not pred.startswith("{"):
        return None
    try:
        one, other = json.loads(gold), json.loads(pred)
    except (ValueError, RecursionError):
        return None
    return equal("both are the same object", "object") if one == other else different("the objects differ", "object")
