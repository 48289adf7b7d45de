"""Which words of an answer are explained: by the gold answer, by the question in its order, or by grammar."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence, Set
from functools import cache, lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple

from answersim.answers.text.english import may_be_name, spelled, stem
from answersim.answers.text.patterns import Patterns, word_sets
from answersim.answers.text.patterns import words as words_of_role
from answersim.answers.text.tokens import language

# Han and kana are read one by one, because these scripts have no blanks.
TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+(?:[.'’][^\W_]+)*|[^\w\s]|_")
_P, _W = Patterns("explained"), word_sets("explained")
SMALL, TURNING, SIGNS, BEING = _W.small, _W.turning, _W.signs, _W.being
_LOUD = frozenset(word.upper() for word in SMALL if len(word) > 1)  # such as "WHO"
_UNASKED = SMALL | _W.auxiliaries | SIGNS
_CLAUSE = 4  # words of a clause; fewer are a phrase, and maybe a guess


def unexplained_words(
    words: Sequence[str], places: list[int], question: str, lang: str, framed: Set[int] = frozenset()
) -> list[str]:
    """Return the words that neither answer, question, grammar, nor frames (at places ``framed``) explain."""
    passed = explained_places(words, places, question, lang).union(framed, places)
    passed |= stating_places(words, places, question)
    grammar = linking_words(language(lang)) | SIGNS | _W.titles
    is_grammar = [word in grammar or _P.contracted.fullmatch(word) is not None for word in words]  # such as "you'd"
    left = [word for i, word in enumerate(words) if i not in passed and (_is_letter(words, i) or not is_grammar[i])]
    left += _misplaced(words, places, question, lang)
    return left + [denial for denial in denials_in("".join(words)) if denial not in question]


def _misplaced(words: Sequence[str], places: list[int], question: str, lang: str) -> list[str]:
    """Return a title of another thing than a person, and a preposition before the gold answer that nobody asked for."""
    of_question = lowered(question)
    is_person = not {"who", "whom", "whose"}.isdisjoint(of_question) or not of_question
    titles = [word for i, word in enumerate(words) if word in _W.titles and word not in of_question and i not in places]
    left = [title for title in titles if not is_person]
    backwards = range(min(places, default=0) - 1, -1, -1)
    before = next((words[i] for i in backwards if words[i] not in ("the", "a", "an")), "")
    asks_for_means = not {"why", "how"}.isdisjoint(of_question) or not of_question or language(lang) != "en"
    is_turned = before in _W.means or (before == "to" and not {"from", "who", "since"}.isdisjoint(of_question))
    return [*left, before] if is_turned and before not in of_question and not asks_for_means else left


def denials_in(text: str) -> list[str]:
    """Return the Chinese and Japanese negations in a text."""
    negations = words_of_role("negation") if not text.isascii() else {"zh": (), "ja": ()}
    return [denial for denial in (*negations["zh"], *negations["ja"]) if denial in text]


class _Question(NamedTuple):
    """What is read of a question once."""

    stems: list[str]  # those of its words and signs in lower case, in the order of an active sentence
    asked: frozenset[str]  # the stems of the nouns that it asks for
    is_subject: bool  # whether it asks who does something
    content: frozenset[str]  # the stems of its words, without small ones


@lru_cache(maxsize=64)
def _read(question: str) -> _Question:
    words = lowered(question)
    stems = [stem(words[i]) for i in _active_order(words)]
    asking = next((i for i, word in enumerate(words) if word in ("who", "what", "which")), None)
    is_subject = asking is not None and _W.auxiliaries.isdisjoint(words[asking + 1 : asking + 3])
    return _Question(stems, _asked(words), is_subject, frozenset(map(stem, set(words) - SMALL - SIGNS)))


def explained_places(words: Sequence[str], places: list[int], question: str, lang: str) -> set[int]:
    """Return the positions of words that the question explains: those of content in the order of the question.

    Passive sentences are read in the order of active ones, so that "It was written by her" has the order of "Who wrote
    it?". What the question asks for ("How many legs") may stand anywhere.
    """
    named, small = set(places), linking_words(language(lang))
    question_words, (stems, of_question, is_subject, _) = lowered(question), _read(question)
    explained = _placed(words, question_words)
    at = -1
    for i in _active_order(words):
        word = words[i]
        if i in named or i in explained or word in small or not any(map(str.isalnum, word)):
            continue
        root = stem(word)
        is_agent = is_subject and root not in stems and _is_agent(word, stems)
        is_linking = _is_naming(words, i) or (word in _W.value_verbs and "to" in words[i + 1 : i + 2])
        is_owner = word.endswith("'s") and root in stems  # "Kenya's capital" for "the capital of Kenya"
        if root in of_question or is_agent or is_linking or is_owner:
            explained.add(i)
            continue
        later = next((j for j in range(at + 1, len(stems)) if stems[j] == root), None)
        if later is None or (word in TURNING and word not in question_words):
            continue
        explained.add(i)
        at = later
    beside = {i + step for i in explained for step in (-1, 1)} if "who" not in question_words else set[int]()
    return explained | {i for i, word in enumerate(words) if word == "people" and i in beside}


def stating_places(words: Sequence[str], places: Sequence[int], question: str) -> set[int]:
    """Return the positions of verbs that only state an answer behind them, as "took place", or stand for another verb.

    ``places``: the positions of the answer. There are none if the question may deny them. Those that the question has
    are explained by its order alone.
    """
    of_question = lowered(question)
    if not TURNING.isdisjoint(of_question):
        return set()
    first, verbs = min(places, default=len(words)), _W.stating.difference(of_question)
    verbs = verbs if _W.be.isdisjoint(of_question) else verbs | BEING  # "Rome serves as the capital" for "is"
    pairs = [i for i, pair in enumerate(pairwise(words)) if "_".join(pair) in verbs]
    found = {step for i in pairs if i < first or "_".join(words[i : i + 2]) in BEING for step in (i, i + 1)}
    return found | {i for i, word in enumerate(words) if word in verbs and (i < first or word in _W.standing)}


def _placed(words: Sequence[str], question: Sequence[str]) -> set[int]:
    """Return the positions of the words behind "in" and the like that stand behind it in the question, too."""
    starts = [j + 1 for j, word in enumerate(question) if word in _W.placing]
    placed, stems = set[int](), [stem(word) for word in question if starts]
    for i, word in enumerate(words if starts else ()):
        for j in (j for j in starts if word == question[j - 1]):
            pairs = zip(words[i + 1 : i + len(stems)], stems[j:], strict=False)
            same = takewhile(lambda pair: pair[0] not in SIGNS and stem(pair[0]) == pair[1], pairs)
            placed.update(range(i + 1, i + 1 + len(list(same))))
    return {i for i in placed if words[i] not in TURNING}


def _is_agent(word: str, stems: Iterable[str]) -> bool:
    """Return whether a word names who does what the question says: "director" for "directed"."""
    if len(word) < 6 or not word.endswith(("er", "or", "ers", "ors")):
        return False
    root = re.sub(r"(?:er|or)s?\Z", "", word)
    return bool({root, root[:-1] if root[-1:] == root[-2:-1] else root, stem(root + "e")} & set(stems))


def _is_naming(words: Sequence[str], i: int) -> bool:
    """Return whether a word says what something is called, as "known" in "is commonly known as", or how certainly."""
    if words[i] not in _W.calling and " ".join(words[i : i + 2]) != "written as":
        return False
    before = next((j for j in range(i - 1, -1, -1) if words[j] not in _W.plain_adverbs), None)
    return before is not None and words[before] in _W.be


def active_words(words: Sequence[str], question: str, lang: str) -> list[str]:
    """Return the stems of the content words in the order of an active sentence, without those of the question."""
    explained, small = explained_places(words, [], question, lang), linking_words(language(lang))
    order = [i for i in _active_order(words) if i not in explained and words[i] not in small | SIGNS]
    added = [word for word in words if word in _W.means | {"to", "on", "at", "in"} or word.endswith("ly")]
    return [*(stem(words[i]) for i in order), *sorted(added)]


def _active_order(words: Sequence[str]) -> list[int]:
    """Return the positions of the words of a sentence in the order that an active one would have."""
    if " ".join(words[:2]) in ("by whom", "by who") and words[2:3] and words[2] in _W.be:  # "By whom was Ann seen?"
        verb = next((i for i in range(3, len(words)) if stem(words[i]) != words[i]), len(words) - 1)
        return [0, 1, 2, verb, *range(3, verb), *range(verb + 1, len(words))]
    said = [i for i, word in enumerate(words) if word not in SIGNS]
    if len(said) > 3 and words[said[-1]] == "by" and words[said[0]] in _W.asking and words[said[1]] in _W.be:
        verb = said[-2]  # "Who was Ann seen by?"
        return [said[0], said[1], verb, *(i for i in said[2:-2]), said[-1]]
    for i in [i for i in range(1, len(words) - 2) if words[i + 1] == "by"]:
        be = next((j for j in (i - 1, i - 2) if j > 0 and words[j] in _W.be), None)
        if be is not None or (words[i - 1] == "," and stem(words[i]) != words[i]):
            subject = i - 1 if be is None else be
            end = next((j for j in range(i + 3, len(words)) if words[j] in _W.behind_agent), len(words))
            return [*range(i + 2, end), *range(subject + 1, i), i, *range(subject), *range(end, len(words))]
    return list(range(len(words)))


@cache
def linking_words(lang: str) -> frozenset[str]:
    """Return the words that link others, also the forms of "to be" of a language, which mean others in English."""
    return SMALL if lang == "en" else SMALL | _W.small_elsewhere | frozenset(words_of_role("is").get(lang, ()))


def _asked(question: Sequence[str]) -> frozenset[str]:
    """Return the stems of the nouns that an English question asks for."""
    measure = next((word for how, word in pairwise(question) if how == "how"), "many")
    if measure not in _W.auxiliaries | SMALL | {"many", "much"}:
        return frozenset((stem(measure),))  # "How long"
    start = next((i for i, word in enumerate(question) if word in ("who", "which", "what", "many", "much")), None)
    if start is None:
        return frozenset()
    behind = question[start + 1 :]
    if question[start] == "what" and _W.auxiliaries.isdisjoint(behind) and "".join(behind[:1]).endswith(("s", "ed")):
        return frozenset()  # "What orbits the Sun?"
    end = next((i for i, word in enumerate(behind[:4]) if word in _W.auxiliaries), 1)
    nouns = _W.persons if question[start] == "who" else frozenset(behind[:end]) - TURNING
    return frozenset(map(stem, nouns))


def counts_other(gold: str, answer: str, question: str) -> str:
    """Return the plural behind the gold number in an answer if the question has it, and asks how many others."""
    words = lowered(question) if gold[-1:].isdigit() and "how m" in question.lower() else ()
    if not {"many", "much"} & {*words}:
        return ""
    read = _read(question)
    noun = "".join(answer.lower().partition(gold.lower())[2].split()[:1]).strip(".,;!*)")
    is_plural = noun.endswith("s") and noun not in _W.auxiliaries and stem(noun) in read.content - read.asked
    return noun if is_plural and any(word.endswith("s") and stem(word) in read.asked for word in words) else ""


def occurrences(gold: Sequence[str], words: Sequence[str]) -> list[int]:
    """Return the positions of the words of all mentions of the gold answer; [] if it is not mentioned word by word."""
    content, gold, places = _content(words), [*gold], list[int]()
    listed, n = [words[i] for i in content], len(gold)
    for i in range(len(listed) - n + 1 if n else 0):
        if listed[i : i + n] == gold and (not places or content[i] > places[-1]):
            places += range(content[i], content[i + n - 1] + 1)
    return places


@lru_cache(maxsize=64)  # of the texts that are compared now, whose rules ask several times
def content_words(text: str) -> tuple[str, ...]:
    """Return the words of a gold answer in lower case, without articles and punctuation."""
    words = words_in(text)
    return tuple([words[i] for i in _content(words)])


def _content(words: Sequence[str]) -> list[int]:
    """Return the positions of words that are neither signs nor articles."""
    said = (i for i, word in enumerate(words) if word not in SIGNS and word not in ("the", "an"))
    return [i for i in said if words[i] != "a" or _is_letter(words, i)]


def _is_letter(words: Sequence[str], i: int) -> bool:
    """Return whether a word is the letter "a", at the end or before a sign: "vitamin A", "(a, b)"."""
    return words[i] == "a" and (i + 1 == len(words) or (words[i + 1] in SIGNS and words[i + 1] not in _W.opening))


@lru_cache(maxsize=64)
def words_in(text: str) -> tuple[str, ...]:
    """Return words and signs in lower case, but "WHO", in one spelling of two unless they may be two names."""
    tokens = tokens_of(text)
    loud = _LOUD.intersection(tokens)
    if loud and sum(map(str.isalnum, tokens)) >= _CLAUSE and not any(map(str.islower, tokens)):
        loud = frozenset()
    return tuple([token if token in loud else _spelled(token.casefold()) for token in tokens])


@lru_cache(maxsize=1 << 12)
def _spelled(word: str) -> str:
    usual = spelled(word)
    return word if may_be_name(word, usual) else usual


@lru_cache(maxsize=64)
def tokens_of(text: str) -> tuple[str, ...]:
    """Return the words and signs of a text; Han and kana one by one."""
    return tuple(TOKEN.findall(text if text.isascii() else unicodedata.normalize("NFKC", text).replace("’", "'")))


@lru_cache(maxsize=64)
def lowered(text: str) -> tuple[str, ...]:
    """Return the words and signs of a text in lower case."""
    return tuple(map(str.casefold, tokens_of(text)))


def has_words(text: str, gold_text: str) -> bool:
    """Return whether a text has all words of the gold answer."""
    gold = set(content_words(gold_text))
    return (gold - SMALL or gold).issubset(words_in(text))


def has_any_word(text: str, gold: str) -> bool:
    """Return whether a text has a word of the gold answer."""
    return not set(content_words(gold)).isdisjoint(words_in(text))


def answers(clause: str, question: str) -> bool:
    """Return whether a clause may answer a question: it is a phrase, or repeats half of the words of the question."""
    words = [token.casefold() for token in tokens_of(clause) if token not in SIGNS]
    of_question = {stem(word) for word in lowered(question) if word not in _UNASKED} - _W.asking
    repeated = of_question & {stem(word) for word in words}
    return len(words) < _CLAUSE or (bool(of_question) and 2 * len(repeated) >= len(of_question))


def asked_words(clause: str, question: str) -> bool:
    """Return whether a clause has a word of content of a question, or names who does what it says: "the winner"."""
    stems = _read(question).content
    words = [word for word in lowered(clause) if word not in _UNASKED] if stems else ()
    return any(stem(word) in stems or _is_agent(word, stems) for word in words)


def is_option(item: str, question: str) -> bool:
    """Return whether an item of a list is a part of the question, such as one of two that it offers."""
    words, of_question = words_in(item), words_in(question)
    is_clause = not _W.auxiliaries.isdisjoint(words) or not words or words[0] in SMALL - {"a", "an", "the"}
    stems = {stem(word) for word in words if word not in SMALL | SIGNS}
    is_asked = bool(stems) and stems <= set(map(stem, of_question))
    return is_asked and not is_clause and stems.isdisjoint(_asked(of_question))


@lru_cache(maxsize=64)
def question_stems(question: str) -> frozenset[str]:
    """Return the words of a question without their English endings."""
    return frozenset(map(stem, lowered(question)))


def restated(text: str, gold: str, question: str) -> str | None:
    """Return "yes" or "no" if a text repeats a question that asks for one of them, or denies it; None for any other."""
    if gold.strip(" .").casefold() not in ("yes", "no") or "?" in text:
        return None
    question, mark, _ = question.partition("?")  # "Is it so? Answer yes or no."
    question += mark
    of_question, words = words_in(question), words_in(text)
    if not of_question or of_question[0] not in _W.auxiliaries or not words or words[0] in _W.auxiliaries:
        return None
    split = [part for word in words for part in _P.denied.sub(r"\1 not", word).split()]
    split = [{"ca": "can", "wo": "will"}.get(word, word) for word in split]
    n_denials = sum(word in ("not", "never") for word in split)
    plain = [word for word in split if word not in ("not", "never")]
    verb = next((word for word in plain if word in _W.auxiliaries), "")
    main_verbs = dict(pair.split("/") for pair in _W.main_verbs)
    is_same = main_verbs.get(verb, verb) == main_verbs.get(of_question[0], of_question[0])
    is_denied = not set(words_of_role("negation")["en"]).isdisjoint(of_question)
    if n_denials > 1 or not is_same or is_denied or not _W.speakers.isdisjoint({*plain} - {*of_question}):
        return None
    content, needed = ([stem(w) for w in side if w not in _UNASKED] for side in (plain, of_question))
    behind = next((word for word in of_question[1:] if word not in SMALL), "")
    subject = stem(behind) if not _W.pronouns.isdisjoint(plain) else ""  # for which a pronoun stands
    if not set(content) <= set(needed) or (content and not set(needed) <= {*content, subject}):
        return None
    is_repeated = not unexplained_words([word for word in plain if word not in _W.auxiliaries], [], question, "en")
    return ("no" if n_denials else "yes") if is_repeated else None


def lacks_head(words: Sequence[str], question: str) -> bool:
    """Return whether a sentence repeats what stands behind "of" in a question, without the noun before it."""
    of_question = lowered(question)
    at = next((i for i in range(1, len(of_question)) if of_question[i] == "of"), None)
    if at is None or of_question[at - 1] in _W.no_heads | _W.asking | SMALL:
        return False
    stems = {stem(word) for word in words}
    behind = {stem(word) for word in of_question[at + 1 :] if word not in _UNASKED}
    return stem(of_question[at - 1]) not in stems and not behind.isdisjoint(stems) and not _W.be.isdisjoint(words)


def lacks_denial(words: Sequence[str], question: str) -> bool:
    """Return whether a sentence repeats the verb that a question denies without the denial: "Ann did."."""
    of_question, denied = [_P.denied.sub(r"\1 not", word).split() for word in lowered(question)], set[str]()
    for one, other in pairwise([part for parts in of_question for part in parts]):
        denied |= {one} if other == "not" and one in _W.auxiliaries else set()
    return not denied.isdisjoint(words) and not any(word in ("not", "never") or word.endswith("n't") for word in words)
