"""The grown probe: families of one gold answer, a rewrite that keeps its meaning, and a close miss."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import as_file, files
from typing import Literal, NamedTuple, TypeAlias, get_args

from answersim._base.arguments import text
from answersim._base.errors import unknown
from answersim.evaluation.data.labeled import read_csv

Language: TypeAlias = Literal["en", "de", "zh", "ja"]
Part: TypeAlias = Literal["dev", "test"]

COLUMNS = ("language", "kind", "family", "part", "question", "gold", "candidate", "label")
FILE = "minimal_pairs.csv"  # in the folder of the probe, beside the datasheet minimal_pairs.md


class MinimalPair(NamedTuple):
    """One family: a metric should score ``same`` above ``different``."""

    language: str  # the language of the question and of most answers: "en", "de", "zh" or "ja"
    kind: str  # what varies, for example "date" or "acronym"
    family: str  # an identifier such as "en-date-007", or "en-acronym-012a" for one of two twins
    part: str  # "dev" or "test"
    question: str  # "" if the answers need none
    gold: str  # the gold answer
    same: str  # a rewrite that keeps the meaning
    different: str  # a close miss

    @property
    def couple(self) -> str:
        """The identifier that twins share: intervals and folds treat the families of one couple as one cluster.

        >>> MinimalPair("en", "acronym", "en-acronym-012a", "dev", "", "EU", "European Union", "African Union").couple
        'en-acronym-012'
        """
        return self.family.rstrip("ab")


def minimal_pairs(language: Language | None = None, part: Part | None = None) -> list[MinimalPair]:
    """Return the families of minimal pairs, in the order of the file.

    Choose thresholds, weights and metrics on "dev" only. "test" is for one final figure. Neither is training data.
    ``language``: "en", "de", "zh" or "ja"; None for all. ``part``: "dev" or "test"; None for both. Twins are in the
    same part. Raise LookupError if there is no such language or part.

    >>> {pair.part for pair in minimal_pairs("de", "test")}
    {'test'}
    """
    if language is not None and text("language", language, "en") not in get_args(Language):
        raise unknown("language of the probe", language, get_args(Language))
    if part is not None and text("part", part, "dev") not in get_args(Part):
        raise unknown("part of the probe", part, get_args(Part))
    return [pair for pair in _table() if language in (None, pair.language) and part in (None, pair.part)]


@lru_cache(maxsize=1)
def _table() -> tuple[MinimalPair, ...]:
    """Return the families of the file, whose two rows follow each other, label 1 first."""
    with as_file(files("answersim.evaluation.data") / "probe" / FILE) as path:
        rows = read_csv(path, COLUMNS)
    return tuple(
        MinimalPair._make([*(same[name] for name in COLUMNS[:7]), different["candidate"]])
        for same, different in zip(rows[::2], rows[1::2], strict=True)
    )
