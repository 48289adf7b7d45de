"""The line that says what decides a number: a metric's name, every setting that can change it, the version."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

VERSION = "0.2.0"

_QUESTION = "question:yes"
_VERSION = "|v:"


def signature(name: str, settings: object | None = None, **facts: object) -> str:
    """One line such as ``f1|text:en|v:0.2.0``; equal settings give equal lines, and different ones different lines.

    Args:
        name: What is computed, in the field's own term.
        settings: A frozen dataclass. Its compared fields are signed in order of definition; a field declared with
            ``field(compare=False)`` cannot change a number and is left out. A value with a ``fingerprint`` (an encoder)
            signs with it, a value with a ``name`` (a text profile) with that.
        facts: Further settings, signed in the order given.

    >>> signature("rouge-l", text="en").startswith("rouge-l|text:en|v:")
    True
    """
    parts: dict[str, object] = {}
    if settings is not None:
        if not is_dataclass(settings):
            raise TypeError(f"only a dataclass can be signed, not {type(settings).__name__}")
        parts = {each.name: getattr(settings, each.name) for each in fields(settings) if each.compare}
    signed = "".join(f"|{key}:{_word(value)}" for key, value in (parts | facts).items())
    return f"{name}{signed}|v:{VERSION}"


def with_question(signature: str) -> str:
    """Return the signature of scores that a metric with this signature made with questions.

    The part ``question:yes`` goes before the version. A signature that already contains it stays as it is.

    >>> with_question("sas|order:mean|v:0.2.0")
    'sas|order:mean|question:yes|v:0.2.0'
    """
    if asks_question(signature):
        return signature
    head, mark, version = signature.rpartition(_VERSION)
    return f"{head}|{_QUESTION}{mark}{version}" if mark else f"{signature}|{_QUESTION}"


def without_question(signature: str) -> str:
    """Return the signature of the same metric's scores without questions: the inverse of ``with_question``."""
    return signature.replace(f"|{_QUESTION}", "", 1) if asks_question(signature) else signature


def asks_question(signature: str) -> bool:
    """Whether the scores with this signature were made with at least one non-empty question.

    >>> asks_question("sas|order:mean|question:yes|v:0.2.0")
    True
    """
    return _QUESTION in signature.split("|")[1:]


def _word(value: object) -> str:
    for attribute in ("fingerprint", "name"):
        word = getattr(value, attribute, None)
        if isinstance(word, str):
            return word
    if value is None or isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
