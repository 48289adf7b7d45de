"""Texts that give an answer or only name it, by split and language. No two splits have a template in common.

"{0}" is the answer that a text gives, or the only one that it names. "{1}" is another answer of the same type. The
texts are in ``sources/commitment.json``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from tools.weights.tables import table

Forms: TypeAlias = "Mapping[str, Mapping[str, Sequence[str]]]"  # by split and language

_TEXTS = table(__file__, "commitment")
# The text gives {0}.
ASSERTED: Forms = _TEXTS["asserted"]
# The text gives {0} and mentions {1}: it changes its mind, decides, compares or computes.
COMMITTED: Forms = _TEXTS["committed"]
# The text names {0} and {1} and decides for none.
OPEN: Forms = _TEXTS["open"]
# The text names {0} but does not give it: denials, conditions, beliefs of others.
DENIED: Forms = _TEXTS["denied"]
# The text refuses and names {0}.
REFUSED: Forms = _TEXTS["refused"]
# The text sounds unsure and gives {0}.
UNSURE: Forms = _TEXTS["unsure"]
# Another thing than {0}, to which it has a relation.
RELATED: Forms = _TEXTS["related"]
# Before and after many answers: the text gives none of them.
LISTS: Forms = _TEXTS["lists"]
JOINED: Forms = _TEXTS["joined"]
# Sentences that say nothing about the answer, so that texts have 3 to 60 words.
FILLERS: Forms = _TEXTS["fillers"]
# Before an answer that shows how it was found; "{0}" is the answer.
TAGGED: Forms = _TEXTS["tagged"]
# Cities with their country and another city of it; the questions ask for one of them.
PLACES: Mapping[str, Sequence[Sequence[str]]] = _TEXTS["places"]
CITY_QUESTIONS: Mapping[str, Sequence[str]] = _TEXTS["city_questions"]
COUNTRY_QUESTIONS: Mapping[str, Sequence[str]] = _TEXTS["country_questions"]
