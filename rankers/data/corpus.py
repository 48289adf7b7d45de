"""What a corpus is: its splits, files, options and source, and how the rows of a file become questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from answersim.errors import unknown, warn_user
from rankers.data.pools import Group, shelve
from rankers.types import Question, Questions

DATA_VARIABLE = "ANSWERSIM_DATA"


class Option(NamedTuple):
    """A choice that a corpus leaves to its reader; ``choices`` is empty where any value of that type will do."""

    default: Any
    about: str
    choices: tuple[Any, ...] = ()


class Counts(NamedTuple):
    """How large a split is; None if nobody published the number."""

    questions: int
    candidates: int | None = None
    relevant: int | None = None


@dataclass(frozen=True)
class Corpus:
    """A corpus that has a name.

    Attributes:
        name: What ``load`` calls it.
        about: A description in one line.
        files: What is read for each split, as paths below the data folder.
        source: Where the files come from.
        license: What their owner allows.
        read: Makes the questions of a split.
        options: What can be requested besides the split.
        home: The folder of the files where they are shipped; None: the data folder.
        caution: Why no conclusion may be drawn from it; "" if there is no such reason. It is among the notes of all
            of its questions, and every command reports it.
        tried: Whether the reader was run on the published files here. If not, it was tested on small made files in
            their format only, and the notes of its questions say so.
    """

    name: str
    about: str
    files: Mapping[str, tuple[str, ...]]
    source: str
    license: str
    read: Callable[[Request], Questions]
    options: Mapping[str, Option] = field(default_factory=dict)
    home: Path | None = None
    caution: str = ""
    tried: bool = True

    @property
    def licence(self) -> str:
        """Deprecated: ``license``."""
        warn_user(FutureWarning("Corpus.licence is deprecated; use Corpus.license"))
        return self.license

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits that it has, in order."""
        return tuple(self.files)

    def settings(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return every option with its value: the given one, else the default.

        Raises:
            LookupError: If this corpus does not have an option or a choice.
            TypeError: If a value has another type than the default.
            ValueError: If a number is below 1, or below 0 if 0 is the default.
        """
        for name, value in options.items():
            if name not in self.options:
                raise unknown(f"option of {self.name}", name, self.options)
            _check(self.name, name, value, self.options[name])
        return {name: option.default for name, option in self.options.items()} | dict(options)


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
    """A request to a corpus: everything that decides which questions are returned."""

    corpus: Corpus
    home: Path
    split: str
    seed: int
    check: bool
    options: Mapping[str, Any]

    def path(self, relative: str) -> Path:
        """Return the file at this path below the data folder.

        Raises:
            FileNotFoundError: If it does not exist. The message names its source.
        """
        path = self.home / relative
        if not path.is_file():
            raise FileNotFoundError(
                f"{self.corpus.name} ({self.split}) needs the file {path}, which is not there; "
                f"it comes from {self.corpus.source}. The data folder is ${DATA_VARIABLE}, or home=..."
            )
        return path

    def expect(self, path: Path, what: str, count: int | None, expected: int | None) -> None:
        """Check that this file has the published count; the ValueError gives both numbers if it does not."""
        if self.check and expected is not None and count != expected:
            raise ValueError(
                f"{path} holds {count:,} {what}, but {self.corpus.name} ({self.split}) has {expected:,}: "
                f"the file is damaged or of another version; read it as it is with check=False"
            )

    def questions(
        self,
        path: Path,
        groups: Iterable[Group],
        expected: Counts | None = None,
        *,
        relevant: int = 1,
        gains: Mapping[int, int] | None = None,
        pool: str = "judged",
        judged: Mapping[str, Mapping[str, int]] | None = None,
        notes: Sequence[str] = (),
    ) -> Questions:
        """Return the questions of these groups with ids and shuffled candidates; check the sizes of the split.

        Raises:
            ValueError: If ``path`` has other numbers of questions, candidates or relevant ones than expected.
        """
        items = shelve(groups, self.corpus.name, self.split, self.seed)
        if expected is not None:
            for what, count, size in zip(_SIZES, counts(items, relevant), expected, strict=True):
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
            notes=(*self._cautions(), *notes, *_remarks(items, relevant)),
        )

    def _cautions(self) -> list[str]:
        untried = "" if self.corpus.tried else UNTRIED
        return [note for note in (self.corpus.caution, untried) if note]


UNTRIED = "this reader was never run on the published files, only on small made files in their format"
_SIZES = ("questions", "candidates", "relevant candidates")


def counts(items: Sequence[Question], relevant: int) -> Counts:
    """Return the numbers of questions, candidates and relevant candidates."""
    grades = [candidate.grade for question in items for candidate in question.candidates]
    return Counts(len(items), len(grades), sum(grade >= relevant for grade in grades))


def _remarks(items: Sequence[Question], relevant: int) -> list[str]:
    """Return what a reader of measures on these questions should know, each as "12 questions without ..."."""
    good = [[candidate.grade >= relevant for candidate in question.candidates] for question in items]
    repeated = sum(len(q.candidates) - len({c.text for c in q.candidates}) for q in items)
    numbers = {
        "questions without a relevant candidate": sum(not any(pool) for pool in good),
        "questions with relevant candidates only": sum(all(pool) for pool in good if pool),
        "candidates that repeat the text of another of their question (kept)": repeated,
    }
    return [f"{number:,} {what}" for what, number in numbers.items() if number]
