"""What the tokenizer of a BERT does to each character, as tables: read from the tokenizer itself, one by one.

The tokenizer of the package is written in Rust, and there is no build of it for the browser. Its tables of Unicode are
of other versions than those of Python, so the page gets the tables and not only the rules.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from answersim.checkpoints import wordpiece

_HANGUL = range(0xAC00, 0xD7A4)  # syllables, decomposed by arithmetic (Unicode, section 3.12)


def characters(folder: Path) -> dict[str, Any]:
    """Return the vocabulary of a tokenizer and what it does to characters; see ``tools/site/browser/wordpieces.py``.

    Args:
        folder: A folder of weights with a plain tokenizer of BERT.

    Returns:
        The pieces by id ("vocabulary"), the special tokens found in texts ("special"), and by character: "removed" and
        "punctuation" (ranges), "spaces" (characters that become one), "spaced" (ranges that become words of their own),
        "changed" (into other characters), and "order" (the class of marks that are put in order).

    Raises:
        ValueError: If the tokenizer is another one, or works on characters in a way that these tables cannot express.
    """
    found = wordpiece.read(folder)
    if found is None or found.name_or_path == "" or "token_type_ids" not in found.model_input_names:
        raise ValueError(f"{folder} has no plain tokenizer of BERT; choose another folder")
    tokenizer = found.backend_tokenizer
    by_id = {i: piece for piece, i in found.get_vocab().items()}
    outputs = {c: tokenizer.normalizer.normalize_str(c) for c in map(chr, _scalars())}
    spaces = "".join(c for c, output in outputs.items() if output == " ")
    spaced = [c for c, output in outputs.items() if output == f" {c} "]
    plain = {" ": "", **dict.fromkeys(spaced, "")}
    changed = {
        c: output
        for c, output in outputs.items()
        if output not in ("", c, " ") and c not in plain and output != _jamo(c)
    }
    kept = {c for output in outputs.values() for c in output}
    order = _order(tokenizer, kept)
    stored = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    return {
        "vocabulary": [by_id[i] for i in range(len(by_id))],
        "special": sorted(token["content"] for token in stored["added_tokens"]),
        "longest": stored["model"]["max_input_chars_per_word"],
        "removed": _ranges(ord(c) for c, output in outputs.items() if output == ""),
        "spaces": spaces,
        "spaced": _ranges(map(ord, spaced)),
        "changed": changed,
        "punctuation": _ranges(map(ord, _punctuation(tokenizer, kept))),
        "order": order,
    }


def _scalars() -> Iterable[int]:
    """Return all code points but surrogates, which are not characters."""
    return (*range(0xD800), *range(0xE000, sys.maxunicode + 1))


def _jamo(character: str) -> str:
    """Return the jamo of a Hangul syllable, or the character itself."""
    return unicodedata.normalize("NFD", character) if ord(character) in _HANGUL else character


def _punctuation(tokenizer: Any, kept: Iterable[str]) -> list[str]:
    """Return the characters that are words of their own. No character but a space may only part words."""
    found = []
    for c in kept:
        parts = len(tokenizer.pre_tokenizer.pre_tokenize_str(f"a{c}a"))
        if parts == 3:
            found.append(c)
        elif parts == 2 and c != " ":
            raise ValueError(f"U+{ord(c):04X} separates words, but it is not a space after normalization")
    return found


def _order(tokenizer: Any, kept: Iterable[str]) -> dict[str, int]:
    """Return the classes of the marks that the tokenizer puts in order. Newer marks than its tables are not moved."""
    marks = [c for c in sorted(kept) if unicodedata.combining(c)]
    put = {(one, other): tokenizer.normalizer.normalize_str(one + other) for one in marks for other in marks}
    moved = {c for (one, other), output in put.items() if output != one + other for c in (one, other)}
    order = {c: unicodedata.combining(c) for c in marks if c in moved}
    for (one, other), output in put.items():
        if output != (other + one if order.get(one, 0) > order.get(other, 0) > 0 else one + other):
            raise ValueError(f"the order of U+{ord(one):04X} and U+{ord(other):04X} is not that of their classes")
    return order


def _ranges(points: Iterable[int]) -> list[list[int]]:
    """Return the ranges of code points, both ends included.

    >>> _ranges([5, 1, 2, 3])
    [[1, 3], [5, 5]]
    """
    found: list[list[int]] = []
    for point in sorted(points):
        if found and found[-1][1] == point - 1:
            found[-1][1] = point
        else:
            found.append([point, point])
    return found
