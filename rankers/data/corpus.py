"""The definition of a corpus: its splits, files, options and source. Rows of a file become questions here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from answersim._base.errors import unknown
from rankers.data.pools import Group, shelve
from rankers.types import Question, Questions

DATA_VARIABLE = "ANSWERSIM_DATA"


class Option(NamedTuple):
    """An option of a corpus. ``choices`` is empty if any value of that type is allowed."""

    default: Any
    about: str
    choices: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Corpus:
    """A named corpus."""

    name: str  # the name for ``load``
    about: str  # a description in one line
    files: Mapping[str, tuple[str, ...]]  # the files of each split, as paths below the data folder
    source: str  # the source of the files
    license: str  # the license of the files
    read: Callable[[Request], Questions]  # the function that reads the questions of a split
    # by split, the numbers of questions, candidates and relevant candidates, as far as they are checked
    counts: Mapping[str, Sequence[int | None]] = field(default_factory=dict)
    options: Mapping[str, Option] = field(default_factory=dict)  # the options by name
    home: Path | None = None  # the folder of the files if they are shipped. None means the data folder.

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits of the corpus, in order."""
        return tuple(self.files)

    def settings(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return every option with its given value or its default."""
        for name, value in options.items():
            if name not in self.options:
                raise unknown(f"option of {self.name}", name, self.options)
            _check(self.name, name, value, self.options[name])
        return {name: option.default for name, option in self.options.items()} | dict(options)


def described(
    name: str,
    read: Callable[[Request], Questions],
    *,
    options: Mapping[str, Option] | None = None,
    home: Path | None = None,
) -> Corpus:
    """Return the corpus with the description, files and counts of ``corpora.json``."""
    row = _table()[name]
    files = {split: tuple(paths) for split, paths in row["files"].items()}
    texts = (row["source"], row["license"])
    return Corpus(name, row["about"], files, *texts, read, row.get("counts", {}), options or {}, home)


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(Path(__file__).with_name("corpora.json").read_text(encoding="utf-8"))
    return table


def _check(corpus: str, name: str, value: Any, option: Option) -> None:
    if option.choices:
        if value not in option.choices:
            raise unknown(f"{name} of {corpus}", value, map(str, option.choices))
        return
    kind = type(option.default)
    if type(value) is not kind:  # True is an int, but not a number of candidates
        raise TypeError(f"{name}={value!r}: {corpus} takes {kind.__name__} there ({option.about})")
    if kind is int and value < (least := min(1, option.default)):
        raise ValueError(f"{name}={value!r}: it must be at least {least} ({option.about})")


class Request(NamedTuple):
    """A request to a corpus: all settings that decide which questions are returned."""

    corpus: Corpus
    home: Path
    split: str
    seed: int
    check: bool
    options: Mapping[str, Any]

    def paths(self) -> list[Path]:
        """Return the files of the split. Errors are those of ``path``."""
        return [self.path(relative) for relative in self.corpus.files[self.split]]

    def path(self, relative: str) -> Path:
        """Return the file at this path below the data folder.

        Raise FileNotFoundError if it does not exist. The message names its source.
        """
        path = self.home / relative
        if not path.is_file():
            raise FileNotFoundError(
                f"{self.corpus.name} ({self.split}) needs the file {path}, which is not there; "
                f"it comes from {self.corpus.source}. The data folder is ${DATA_VARIABLE}, or home=..."
            )
        return path

    def expect(self, path: Path, what: str, count: int | None, expected: int | None) -> None:
        """Check that this file has the published count. Raise ValueError with both numbers if it does not."""
        if self.check and expected is not None and count != expected:
            raise ValueError(
                f"{path} contains {count:,} {what}, but {self.corpus.name} ({self.split}) has {expected:,}: "
                f"the file is damaged or of another version; read it as it is with check=False"
            )

    def questions(
        self,
        path: Path,
        groups: Iterable[Group],
        *,
        version: str = "",
        relevant: int = 1,
        gains: Mapping[int, int] | None = None,
        pool: str = "judged",
        judged: Mapping[str, Mapping[str, int]] | None = None,
        notes: Sequence[str] = (),
    ) -> Questions:
        """Return the questions of these groups with ids and shuffled candidates; check the sizes of the split.

        ``version``: of the split, if the sizes depend on it.

        Raises:
            ValueError: If ``path`` does not have the expected numbers of questions, candidates and relevant candidates.
        """
        items = shelve(groups, self.corpus.name, self.split, self.seed)
        expected = self.corpus.counts.get(f"{self.split} {version}".strip(), ())
        for what, count, size in zip(_SIZES, counts(items, relevant), expected, strict=False):
            self.expect(path, what, count, size)
        return Questions(
            corpus=self.corpus.name,
            split=self.split,
            items=items,
            relevant=relevant,
            gains={} if gains is None else gains,
            pool=pool,
            source=f"{self.corpus.source}; {self.corpus.license}",
            judged={} if judged is None else judged,
            notes=(*notes, *_remarks(items, relevant)),
        )


_SIZES = ("questions", "candidates", "relevant candidates")


def counts(items: Sequence[Question], relevant: int) -> tuple[int, int, int]:
    """Return the numbers of questions, candidates and relevant candidates."""
    grades = [candidate.grade for question in items for candidate in question.candidates]
    return len(items), len(grades), sum(grade >= relevant for grade in grades)


def _remarks(items: Sequence[Question], relevant: int) -> list[str]:
    """Return remarks for a reader of measures on these questions, each such as "12 questions without ..."."""
    good = [[candidate.grade >= relevant for candidate in question.candidates] for question in items]
    repeated = sum(len(q.candidates) - len({c.text for c in q.candidates}) for q in items)
    numbers = {
        "questions without a relevant candidate": sum(not any(pool) for pool in good),
        "questions with relevant candidates only": sum(all(pool) for pool in good if pool),
        "candidates that repeat the text of another of their question (kept)": repeated,
    }
    return [f"{number:,} {what}" for what, number in numbers.items() if number]
