"""English words without their endings, for texts that repeat a question or deny a sentence."""

from __future__ import annotations

import re

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
    "overthrow/overthrew/overthrown withdraw/withdrew/withdrawn forget/forgot/forgotten".split()
    for form in group.split("/")[1:]
}
_PLURAL, _ENDING = re.compile(r"(?<!s)s\Z"), re.compile(r"(?:ed|ing|e|y|ie)\Z")


def stem(word: str) -> str:
    """Return a word without a usual English ending.

    >>> stem("makes") == stem("make"), stem("invented") == stem("invent"), stem("his")
    (True, True, 'his')
    """
    word = _FORMS.get(word, word)
    return _ENDING.sub("", _PLURAL.sub("", word)) if len(word) > 3 else word
