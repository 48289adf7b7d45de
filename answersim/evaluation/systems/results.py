"""The result of an evaluation, and its forms: text, data frame, JSON, Markdown, LaTeX and HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from answersim._base.arrays import DataFrame
from answersim._base.errors import unknown
from answersim._base.io import files
from answersim._base.runtime.terminal import text_table
from answersim._base.text_tables import (
    Page,
    Result,
    TextTable,
    escaped,
    flat,
    frame,
    json_object,
    json_text,
    latex_page,
    markdown_page,
    printable,
)
from answersim.answers.tables.table import Answers
from answersim.calibration.verdicts import AnswerVerdict, VerdictRule
from answersim.evaluation.labels.labeled_shares import ALL, LabeledShare, labeled_tables
from answersim.evaluation.systems.listed_answers import columns_of
from answersim.evaluation.systems.tables import (
    NOT_ATTEMPTED,
    AnswerRow,
    SystemRow,
    answer_table,
    attempts_table,
    figures,
    listing,
    sentence,
    system_table,
)

if TYPE_CHECKING:
    from answersim.evaluation.systems.second_pass import SecondPass

_UNKNOWN = VerdictRule("none", "the score", why="it is not known what decides")
SHOWN = 10  # rows of answers that are printed


@dataclass(frozen=True)
class Evaluation(Result):
    """The quality of systems by system and subset, and the answers that are called wrong or unsure.

    Attributes:
        name: The name of the data.
        metric: The name of the metric.
        signature: The signature of its scores.
        rows: Subset by subset, in each the systems in the order they were given. The first subset is "all".
        answers: The answers with the requested verdicts, by default wrong and unsure: by system, the wrong ones first,
            the most certain first.
        settings: The settings: level, the clusters of the intervals, the rule for verdicts, ...
        notes: Remarks for the reader: rows that were left out, the basis of the verdicts, ...
        labeled: By subset and system, the share of right answers corrected by human labels, and the errors of the
            verdicts, if there are any labels.
        n_listed: How many answers have the requested verdicts; more than ``answers`` if that contains only the first.
            None means the number of ``answers``.
        rule: The rule that decides which answers are right.
        second: By system, what a second metric decided of the unsure answers; empty without one.
        data: All answers that were read, with the columns of their table; None if the evaluation was made otherwise.
    """

    name: str
    metric: str
    signature: str
    rows: tuple[SystemRow, ...]
    answers: tuple[AnswerRow, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    labeled: tuple[LabeledShare, ...] = ()
    n_listed: int | None = None
    rule: VerdictRule = _UNKNOWN
    second: tuple[SecondPass, ...] = ()
    data: Answers | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))

    @property
    def _printed(self) -> str:
        """The name of the metric, with the number of an official rule that was selected."""
        part = re.search(r"\|part:(\w+)", self.signature)
        return f"{self.metric} {part[1]}" if part else self.metric

    def __repr__(self) -> str:
        return f"Evaluation({'; '.join(self.summary())!r}, metric={self.metric!r})"

    def __str__(self) -> str:
        return self.to_text()

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems, in order."""
        return tuple(dict.fromkeys(row.system for row in self.rows))

    @property
    def subsets(self) -> tuple[str, ...]:
        """The names of the subsets, in order; the first is "all"."""
        return tuple(dict.fromkeys([ALL, *(row.subset for row in self.rows)]))

    def row(self, system: str | None = None, subset: str = ALL) -> SystemRow:
        """Return the row of this system and subset. The system may be left out if there is only one.

        Raises:
            LookupError: If there is no such row, or there are several systems and none is named.
        """
        if system is None:
            if len(self.systems) > 1:
                raise LookupError(f"there are {len(self.systems)} systems; name one of: {', '.join(self.systems)}")
            (system,) = self.systems
        for row in self.rows:
            if (row.system, row.subset) == (system, subset):
                return row
        if system not in self.systems:
            raise unknown("system of the evaluation", system, self.systems)
        raise unknown("subset of the evaluation", subset, self.subsets)

    def only(self, *verdicts: AnswerVerdict) -> tuple[AnswerRow, ...]:
        """Return the listed answers with one of these verdicts, such as ``only("wrong")``."""
        return tuple(answer for answer in self.answers if answer.verdict in verdicts)

    def summary(self, where: str = "") -> list[str]:
        """Return the result of each system in a sentence.

        Args:
            where: The file with the wrong and unsure answers, which the sentences then name.
        """
        named = len(self.systems) > 1
        lines = [
            sentence(row, metric=self._printed, named=named, where=where) for row in self.rows if row.subset == ALL
        ]
        return [*lines, *self._of_systems(str)]

    def _of_systems(self, named: Callable[[str], str]) -> list[str]:
        """Return what a second metric decided, and the shares by human labels; each with its system if named."""
        lines = [(share.system, str(share)) for share in self.second]
        lines += [(share.system, line) for share in self.labeled if share.subset == ALL for line in share.summary()]
        return [f"{named(system)}: {line}" if len(self.systems) > 1 else line for system, line in lines]

    def tables(self, shown: int = SHOWN) -> Iterator[TextTable]:
        """Yield the table of systems, one table of subsets per system, and the first answers that are listed."""
        yield from self._of_subsets(is_short=False)
        if (attempts := attempts_table(self.rows)) is not None:
            yield attempts
        if self.labeled:
            yield from labeled_tables(self.labeled)
        if shown and self.answers:
            yield answer_table(self.answers, shown, len(self.systems) > 1, self.n_listed, self._head)

    def _of_subsets(self, *, is_short: bool) -> Iterator[TextTable]:
        """Yield the table of systems, and one table of subsets per system."""
        settings: dict[str, Any] = {"metric": self._printed, "is_short": is_short}
        yield system_table([row for row in self.rows if row.subset == ALL], **settings)
        for system in self.systems if len(self.subsets) > 1 else ():
            title = f"{system} by subset" if len(self.systems) > 1 else "By subset"
            yield system_table(
                [row for row in self.rows if row.system == system], title=title, first="subset", **settings
            )

    def brief(self, shown: int = SHOWN, where: str = "") -> list[str | TextTable]:
        """Return what to read first: a sentence per system, how answers are counted, the shares, the wrong answers.

        Mean scores, attempts, corrections, signatures and calibrations are left out; ``to_text`` contains them.

        Args:
            shown: The largest number of listed answers.
            where: The file with the wrong and unsure answers, if they are written to one.
        """
        parts: list[str | TextTable] = [*self.summary(where), *self._basis(), *self._of_subsets(is_short=True)]
        if shown and self.answers:
            parts.append(answer_table(self.answers, shown, len(self.systems) > 1, self.n_listed))
        details = ("counted:", "unsure answers, by", NOT_ATTEMPTED) if self.rule.counts else (NOT_ATTEMPTED,)
        cautions = self.rule.caution[-2:]  # of the data of the calibration; one on the language of the answers stays
        return parts + [note for note in self.notes if note not in cautions and not note.startswith(details)]

    def _basis(self) -> list[str]:
        """Return by what answers are counted, and how to check it on these answers."""
        if not self.rule.counts:
            return []
        if self.rule.calibration is None:
            return [f"counted: {self.rule.sentence}"]
        by = f"counted by {self.metric}, as people judged other answers"
        return [by if self.labeled else f"{by}; to check it on these, label some: answersim label FILE"]

    def page(self) -> Page:
        """Return the shares of right answers, the tables, and the listed answers."""
        systems = ", ".join(self.systems) if len(self.systems) < 5 else f"{len(self.systems)} systems"
        question = "how many answers are right?" if self.rows[0].right is not None else f"mean {self._printed}"
        title = f"{self.name if len(self.systems) == 1 else systems}: {question}"
        return Page(title, self.summary(), figures(self.rows, self.labeled, self._printed), list(self.tables(0)),
                    listing(self.answers), self.footer())  # fmt: skip

    def footer(self) -> list[str]:
        """Return the lines below the tables: the metric, its signature, intervals and notes."""
        settings = self.settings
        lines = [f"{self.metric}: {self.signature}"]
        if settings:
            lines.append(f"{settings['level']:.0%} intervals over {settings['clusters']}")
        return [*lines, *self.notes]

    def to_text(self, shown: int = SHOWN, where: str = "") -> str:
        """Return sentences, tables and notes as plain text.

        Args:
            shown: The largest number of listed answers.
            where: The file with the wrong and unsure answers, if they are written to one.
        """
        lines = [*map(printable, self.summary(where)), ""]
        for table in self.tables(shown):
            lines += [*text_table(table), ""]
        return "\n".join([*lines, *map(printable, self.footer())]) + "\n"

    def to_markdown(self, shown: int = SHOWN, where: str = "") -> str:
        """Return the same in Markdown."""
        named, name, file = len(self.systems) > 1, escaped(self._printed), escaped(where)
        rows = [row._replace(system=escaped(row.system)) for row in self.rows if row.subset == ALL]
        lines = [f"{sentence(row, metric=name, named=named, where=file)}  " for row in rows]
        lines += [f"{line}  " for line in self._of_systems(escaped)]
        return markdown_page([*lines, ""], self.tables(shown), self.footer())

    def to_latex(self, where: str = "") -> str:
        """Return the tables in LaTeX, for the package booktabs, without listed answers; sentences are comments."""
        return latex_page(self.summary(where), self.tables(0), self.footer())

    def to_dict(self, where: str = "") -> dict[str, Any]:
        """Return the content as dictionaries, lists, numbers and strings for JSON, with None for nan."""
        names = ["name", "systems", "metric", "signature", "settings", "rows", "answers", "labeled", "notes"]
        names += ["second"] if self.second else []
        values = {name: getattr(self, name) for name in names} | {"rows": [row.fields() for row in self.rows]}
        return json_object({"summary": self.summary(where), **values})

    def to_json(self, where: str = "") -> str:
        """Return the content as JSON."""
        return json_text(self.to_dict(where))

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record per system and subset, for a CSV file or a data frame."""
        return [flat(row.fields()) for row in self.rows]

    def answers_to_pandas(self) -> DataFrame:
        """Return the listed answers, by default those that are called wrong or unsure."""
        return frame([answer._asdict() for answer in self.answers], "Evaluation.answers_to_pandas()")

    def answers_table(self) -> files.Table:
        """Return the listed answers as a table that can be written to a file, with the other columns of the input.

        With a table per system, these are the columns of the table of the system, and of the references. A column of
        the input that has the name of a column here, and other values, is called "input NAME".
        """
        names = (self._head, *columns_of("extract:" in self.signature)[1:])
        rows = [dict(zip(names, answer, strict=False)) for answer in self.answers]
        others: dict[str, str] = {}
        if self.data is not None:
            places = {key: i for i, key in enumerate(self.data.ids)}
            held = [self.data.row(answer.system, places[answer.row]) for answer in self.answers]
            for name in self.data.held_columns:
                if name not in names:
                    others[name] = name
                elif any(name in own and str(own[name]) != str(row[name]) for own, row in zip(held, rows, strict=True)):
                    others[name] = f"input {name}"
            for own, row in zip(held, rows, strict=True):
                row |= {new: own.get(name) for name, new in others.items()}
        return files.Table((*names, *others.values()), rows)

    @property
    def _head(self) -> str:
        """The heading of what identifies a row: the column of the ids, or "row" for numbers."""
        return (None if self.data is None else self.data.id_column) or "row"
