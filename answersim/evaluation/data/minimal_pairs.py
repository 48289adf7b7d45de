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


class ProbeRow(NamedTuple):
    """One row of the file: a gold answer and one candidate."""

    language: str  # the language of the question and of most answers: "en", "de", "zh" or "ja"
    kind: str  # what varies, for example "date" or "acronym". See ``kinds``.
    family: str  # an identifier such as "en-date-007", or "en-acronym-012a" for one of two twins
    part: str  # "dev" or "test"
    question: str  # "" if the answers need none
    gold: str  # the gold answer
    candidate: str  # the answer to score
    label: int  # 1 if the candidate keeps the meaning of the gold answer as an answer to the question, else 0


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


def rows(language: Language | None = None, part: Part | None = None) -> list[ProbeRow]:
    """Return the rows of the file, in its order: the two rows of a family follow each other, label 1 first.

    ``language``: "en", "de", "zh" or "ja"; None for all. ``part``: "dev" or "test"; None for both. Raise LookupError if
    there is no such language or part.

    >>> [row.label for row in rows("en", "dev")][:4]
    [1, 0, 1, 0]
    """
    if language is not None and text("language", language, "en") not in get_args(Language):
        raise unknown("language of the probe", language, get_args(Language))
    if part is not None and text("part", part, "dev") not in get_args(Part):
        raise unknown("part of the probe", part, get_args(Part))
    return [row for row in _table() if language in (None, row.language) and part in (None, row.part)]


def minimal_pairs(language: Language | None = None, part: Part | None = None) -> list[MinimalPair]:
    """Return the families of minimal pairs, in the order of the file.

    Choose thresholds, weights and metrics on "dev" only. "test" is for one final figure. Neither is training data.
    ``language``: "en", "de", "zh" or "ja"; None for all. ``part``: "dev" or "test"; None for both. Twins are in the
    same part. Raise LookupError if there is no such language or part.

    >>> {pair.part for pair in minimal_pairs("de", "test")}
    {'test'}
    """
    chosen = rows(language, part)
    return [
        MinimalPair(*same[:6], same=same.candidate, different=different.candidate)
        for same, different in zip(chosen[::2], chosen[1::2], strict=True)
    ]


def kinds(language: Language | None = None) -> tuple[str, ...]:
    """Return the kinds of a language, in alphabetical order; those of all languages for None.

    Raise LookupError if there is no such language.

    >>> "alias-person" in kinds("en")
    True
    """
    return tuple(sorted({row.kind for row in rows(language)}))


@lru_cache(maxsize=1)
def _table() -> tuple[ProbeRow, ...]:
    with as_file(files("answersim.evaluation.data") / "probe" / FILE) as path:
        table = read_csv(path, COLUMNS)
    return tuple(ProbeRow._make([*(row[name] for name in COLUMNS[:-1]), int(row["label"])]) for row in table)
