"""Two meanings with several forms of each, from which pairs are drawn, and the texts that they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tools.tables import table

Forms = tuple[Sequence[str], Sequence[str]]  # of the first and of the second meaning
TEXTS: dict[str, Any] = table(__file__, "meanings.json")


class Meanings(NamedTuple):
    """The forms of two meanings. Forms of one meaning are equivalent answers, and the meanings exclude each other."""

    forms: Forms
    question: str = ""  # that both meanings answer; "" for none
    golds: Forms = ((), ())  # the forms of the gold answers, if they are others
    wrong: Sequence[str] = ()  # texts that have neither meaning

    def distinct(self) -> Meanings | None:
        """Return these meanings, or None if they have a form in common."""
        one, other = ({form.casefold() for form in forms} for forms in self.forms)
        return None if one & other else self


def filled(kind: str, **slots: object) -> list[str]:
    """Return the texts of a kind, with what their slots stand for."""
    return [form.format(**slots) for form in TEXTS[kind]]
