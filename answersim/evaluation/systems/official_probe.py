"""The definitions of benchmarks on the minimal pairs: how much of each side does a definition accept?"""

from __future__ import annotations

from collections.abc import Sequence

from answersim._base import arguments
from answersim._base.errors import unknown
from answersim.evaluation.data.minimal_pairs import Language, minimal_pairs
from answersim.evaluation.systems.official_tables import OfficialTable, official_table
from answersim.stats.resampling import Bootstrap

SIDES = ("right (rewrites)", "wrong (close misses)")
PARTS = ("dev", "test", "all")


def official_probe(
    *,
    lang: Language = "en",
    part: str = "dev",
    profiles: Sequence[str] | None = None,
    bootstrap: Bootstrap = Bootstrap(),
) -> OfficialTable:
    """Compute the official definitions of exact match, F1 and containment on the minimal pairs.

    A column is a side of the pairs: rewrites, which keep the meaning of the gold answer, and close misses, which do
    not. A definition that sees the meaning has 100 and 0. ``bootstrap``: the coverage of the intervals, which are
    over families. Nothing is resampled. Raise LookupError if there is no such language, part or profile.

    >>> table = official_probe(profiles=["squad", "popqa"])
    >>> table.systems
    ('right (rewrites)', 'wrong (close misses)')
    """
    if arguments.text("part", part, "dev") not in PARTS:
        raise unknown("part of the minimal pairs", part, PARTS)
    families = minimal_pairs(lang, None if part == "all" else part)  # type: ignore[arg-type] # checked above
    right, wrong = SIDES
    columns = {
        "gold": [pair.gold for pair in families],
        right: [pair.same for pair in families],
        wrong: [pair.different for pair in families],
        "couple": [pair.couple for pair in families],
    }
    return official_table(columns, pred=SIDES, question="couple", profiles=profiles, bootstrap=bootstrap)
