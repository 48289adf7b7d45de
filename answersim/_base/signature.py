"""The line that identifies what determines a score: the metric, all settings that can change it, and its revision.

A metric has a revision, a whole number from 1, which is raised when its numbers change (see "Changed numbers" in
``CHANGELOG.md``). A release of the package that leaves a metric as it is does not change its signature, so that cached
scores and calibrations stay usable.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

VERSION = "0.3.0"
RELEASED = "2026-12-02"  # as in CITATION.cff

_QUESTION = "question:yes"
_LAST = ("rev:", "v:")  # the parts that can end a signature: of this package, and of many plug-ins

if TYPE_CHECKING:
    from functools import cached_property

    computed_once = cached_property
else:

    class computed_once:  # used like ``property``, hence the lower case
        """A property that is computed at the first access and then stored in the object.

        Unlike ``functools.cached_property`` of Python 3.11 it has no lock, which a fork could copy while it is held.
        """

        def __init__(self, compute: Callable[[Any], Any]) -> None:
            self._compute, self.__doc__ = compute, compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self._name] = self._compute(instance)
            return value


class Stored:
    """A dataclass that is pickled by its fields. What is computed once, such as its signature, is computed again."""

    def __getstate__(self) -> dict[str, Any]:
        return {item.name: getattr(self, item.name) for item in fields(self)}  # type: ignore[arg-type] # a dataclass


def column_signature(name: str) -> str:
    """Return the signature of scores from a column of a file."""
    return f"column|name:{name}"


def signature(name: str, settings: Any = None, *, revision: int = 1, **details: object) -> str:
    """Return a line such as ``f1|text:en|rev:1``. Equal settings give equal lines, different settings different lines.

    ``settings``: a frozen dataclass. Its compared fields are signed in order of definition. A field declared with
    ``field(compare=False)`` cannot change a number and is left out. A value with a ``fingerprint`` (an encoder) is
    signed by it, a value with a ``name`` (a tokenizer) by that. ``revision``: the revision of the metric, to be raised
    when its numbers change. ``details``: further settings, signed in the order given.

    >>> signature("rouge-l", text="en")
    'rouge-l|text:en|rev:1'
    """
    parts: dict[str, object] = {}
    if settings is not None:
        parts = {field.name: getattr(settings, field.name) for field in fields(settings) if field.compare}
    signed = "".join(f"|{key}:{_word(value)}" for key, value in (parts | details).items())
    return f"{name}{signed}|rev:{revision}"


def escaped(text: str) -> str:
    """Return a text as one word of a signature: each sign other than a letter or a digit is its code.

    >>> escaped("(a|b)"), unescaped(escaped("(a|b)"))
    ('%28;a%7c;b%29;', '(a|b)')
    """
    return "".join(character if character.isalnum() else f"%{ord(character):x};" for character in text)


def unescaped(word: str) -> str:
    """Return the text that ``escaped`` made this word of."""
    return re.sub("%([0-9a-f]+);", lambda code: chr(int(code[1], 16)), word)


def with_question(signature: str) -> str:
    """Return the signature with the part ``question:yes`` before the revision, which it may already have."""
    return signature if asks_question(signature) else with_part(signature, _QUESTION)


def with_part(signature: str, field: str) -> str:
    """Return the signature with a further part such as ``rules:en.1``, which goes before the revision.

    >>> with_part("f1|text:en|rev:1", "rules:en.1")
    'f1|text:en|rules:en.1|rev:1'
    """
    head, mark, last = signature.rpartition("|")
    return f"{head}|{field}{mark}{last}" if mark and last.startswith(_LAST) else f"{signature}|{field}"


def without_extraction(signature: str) -> str:
    """Return the signature of the scores of the same metric on answers that no rule read out of longer texts.

    >>> without_extraction("f1|text:en|extract:auto.5|rev:1")
    'f1|text:en|rev:1'
    """
    if "|extract" not in signature:
        return signature
    return "|".join(field for field in signature.split("|") if not field.startswith(("extract:", "extract_gold:")))


def language_of(signature: str) -> str | None:
    """Return the language of the answers in a signature; None if it has none.

    >>> language_of("f1|text:de|rev:1"), language_of("sas|order:mean|rev:1")
    ('de', None)
    """
    parts = dict(field.partition(":")[::2] for field in signature.split("|")[1:])
    return parts.get("lang") or parts.get("text")


def without_language(signature: str) -> str:
    """Return the signature with ``*`` in place of the language of the answers.

    >>> without_language("answersim|lang:de|rules:de.5|rev:4")
    'answersim|lang:*|rules:*.5|rev:4'
    """
    return re.sub(r"\|(lang|text|rules):[a-z]+(?=[.|]|$)", r"|\1:*", signature)


def asks_question(signature: str) -> bool:
    """Return whether the scores with this signature were made with at least one non-empty question."""
    return _QUESTION in signature.split("|")[1:]


def _word(value: object) -> str:
    for attribute in ("fingerprint", "name"):
        word = getattr(value, attribute, None)
        if isinstance(word, str):
            return word
    if value is None or isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
