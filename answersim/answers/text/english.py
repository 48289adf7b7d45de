"""English words without their endings, and in one spelling of two."""

from __future__ import annotations

import csv
import re
from functools import cache, lru_cache
from pathlib import Path

# Irregular forms of English verbs, by the first form of each group.
_FORMS = {
    form: group.split("/")[0]
    for group in "have/has/had do/does/did/done write/wrote/written sing/sang/sung draw/drew/drawn choose/chose/chosen "
    "take/took/taken give/gave/given throw/threw/thrown speak/spoke/spoken steal/stole/stolen wear/wore/worn "
    "begin/began/begun break/broke/broken drive/drove/driven fly/flew/flown eat/ate/eaten know/knew/known see/saw/seen "
    "ride/rode/ridden show/shown hide/hid/hidden freeze/froze/frozen win/won build/built find/found lose/lost "
    "make/made lead/led leave/left meet/met sell/sold buy/bought bring/brought teach/taught catch/caught think/thought "
    "fight/fought go/went/gone come/came become/became run/ran rise/rose/risen fall/fell/fallen sink/sank/sunk "
    "swim/swam stand/stood say/said tell/told pay/paid keep/kept sleep/slept feel/felt hold/held send/sent spend/spent "
    "grow/grew/grown blow/blew/blown shoot/shot get/got/gotten wake/woke drink/drank/drunk spring/sprang beat/beaten "
    "overthrow/overthrew/overthrown withdraw/withdrew/withdrawn forget/forgot/forgotten die/died/dies/dying "
    "use/used/using strike/struck hang/hung bear/bore/born bite/bit/bitten shine/shone weave/wove/woven seek/sought "
    "hear/heard learn/learnt lend/lent bend/bent deal/dealt mean/meant dream/dreamt burn/burnt shake/shook/shaken "
    "swear/swore/sworn".split()
    for form in group.split("/")[1:]
}
_PLURAL, _ENDING = re.compile(r"(?<!s)s\Z"), re.compile(r"(?:ed|ing|e|y|ie)\Z")


@cache
def _spellings() -> dict[str, str]:
    """Return one spelling of each word that has another one. Source: WordNet 3.0, by ``tools.wordnet``."""
    with Path(__file__).with_name("spellings.csv").open(encoding="utf-8", newline="") as file:
        return dict(list(csv.reader(file))[1:])


@lru_cache(maxsize=1 << 12)
def spelled(word: str) -> str:
    """Return a word in lower case in one spelling, British or American, also if it has an ending.

    >>> spelled("colours") == spelled("colors"), spelled("organising") == spelled("organizing"), spelled("four")
    (True, True, 'four')
    """
    table = _spellings()
    if word in table:
        return table[word]
    for ending in ("s", "d", "r", "rs", "ed", "er", "ers", "ing", "ly"):
        root = word.removesuffix(ending)
        if root != word and root in table:
            return table[root] + ending
        if root != word and f"{root}e" in table:
            return table[f"{root}e"].removesuffix("e") + ending
    return word


def may_be_name(one: str, other: str) -> bool:
    """Return whether two spellings of a word may be two names, as "Gray" and "Grey", "Marshall" and "Marshal" are."""
    return _of_names(one) == _of_names(other)


def _of_names(word: str) -> str:
    for longer, shorter in (("ll", "l"), ("ey", "ay"), ("oul", "ol"), ("ae", "e"), ("oe", "e")):
        word = word.replace(longer, shorter)
    return word


@lru_cache(maxsize=1 << 12)
def stem(word: str) -> str:
    """Return a word without a usual English ending, also that of a possessive.

    >>> stem("makes") == stem("make"), stem("invented") == stem("invent"), stem("his"), stem("kenya's")
    (True, True, 'his', 'kenya')
    """
    word = spelled(word.removesuffix("'s"))
    word = _FORMS.get(word, word)
    if len(word) <= 3:
        return word
    root = _ENDING.sub("", _PLURAL.sub("", word))
    is_doubled = len(root) > 3 and root[-1] == root[-2] and root[-1] in "bdgmnprt" and word.endswith(("ed", "ing"))
    return root[:-1] if is_doubled else root
