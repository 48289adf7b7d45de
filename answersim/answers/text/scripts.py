"""Which texts weights cannot read: letters of other scripts than Latin for English ones, and symbols for all."""

from __future__ import annotations

from answersim.answers.text.patterns import Patterns

_P = Patterns("scripts")


def is_unread(gold: str, pred: str, *, latin: bool = True) -> bool:
    """Return whether weights cannot read a pair: a letter that is not Latin, or symbols that differ.

    A Greek letter alone is a sign of a formula. The symbols, which no tokenizer of English weights knows apart, are
    emoji, dingbats and flags.

    ``latin``: whether the weights know only letters of the Latin script.

    >>> is_unread("서울", "부산"), is_unread("✅", "❌"), is_unread("Müller", "Muller"), is_unread("Paris", "Paris ✅")
    (True, True, False, False)
    """
    text = f"{gold}\n{pred}"
    if text.isascii():
        return False
    if latin and _P.foreign.search(_P.greek_alone.sub("", text)):
        return True
    symbols = _P.symbol.findall(gold), _P.symbol.findall(pred)
    if symbols[0] == symbols[1]:
        return False
    return bool(symbols[0]) or not any(map(str.isalnum, gold))
