"""Which texts weights cannot read: letters of other scripts than Latin for English ones, and symbols for all."""

from __future__ import annotations

import re

# Letters of the scripts that English weights were trained on: Latin. A Greek letter alone is a sign of a formula.
_LATIN = (
    "A-Za-z\u00aa\u00ba\u00c0-\u02af\u1d00-\u1dbf\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff"
    "\ufb00-\ufb06\uff21-\uff3a\uff41-\uff5a"
)
_FOREIGN = re.compile(rf"(?![{_LATIN}])[^\W\d_]")
_GREEK_ALONE = re.compile(r"(?<![^\W\d_])[\u0370-\u03ff](?![^\W\d_])")
# Symbols that no tokenizer of English weights knows apart: emoji, dingbats, flags.
_SYMBOL = re.compile("[\u2190-\u21ff\u2300-\u27bf\u2900-\u2bff\U0001f000-\U0001faff]")


def is_unread(gold: str, pred: str, *, latin: bool = True) -> bool:
    """Return whether weights cannot read a pair: a letter that is not Latin, or symbols that differ.

    ``latin``: whether the weights know only letters of the Latin script.

    >>> is_unread("서울", "부산"), is_unread("✅", "❌"), is_unread("Müller", "Muller"), is_unread("Paris", "Paris ✅")
    (True, True, False, False)
    """
    text = f"{gold}\n{pred}"
    if text.isascii():
        return False
    if latin and _FOREIGN.search(_GREEK_ALONE.sub("", text)):
        return True
    symbols = _SYMBOL.findall(gold), _SYMBOL.findall(pred)
    if symbols[0] == symbols[1]:
        return False
    return bool(symbols[0]) or not any(map(str.isalnum, gold))
