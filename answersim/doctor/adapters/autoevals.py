"""Scorers of autoevals that need no language model: ``autoevals:Levenshtein``, ``autoevals:ExactMatch``."""

from __future__ import annotations

from typing import Any

from answersim.doctor.adapters.adapted import Adapted, each, imported, one_of

DISTRIBUTION, INSTALL = "autoevals", "autoevals"
SCORERS = ("Levenshtein", "ExactMatch", "JSONDiff")


def adapt(what: str, **settings: Any) -> Adapted:
    """Return a scorer, pair by pair."""
    name = one_of("autoevals", what, SCORERS)
    scorer = getattr(imported("autoevals", INSTALL), name)(**settings)
    return Adapted(each(lambda gold, pred: scorer.eval(output=pred, expected=gold).score))
