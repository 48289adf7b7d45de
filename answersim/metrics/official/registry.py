"""The profiles of ``profiles.tsv``: the owner of each rule, its source and license, and the functions of the rule."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from answersim._base.errors import unknown
from answersim._base.text_tables import TextTable

Input = Literal["texts", "one text", "structured", "reply"]


@dataclass(frozen=True)
class Profile:
    """A benchmark's own rule.

    Attributes:
        name: The name of the profile.
        benchmark: The benchmark, or the program that scores it.
        source: The repository and the file of the owner's code.
        commit: The commit of that code.
        license: The license of that code. The rules here were written anew.
        rule: The rule in a sentence.
        parts: The numbers of a result that a metric can return. The first is the one of the benchmark's table.
        input: "texts": a prediction and alternative gold answers, of which the best counts. "one text": a prediction
            and one gold text. "structured": gold answers with a structure, given as JSON text to a metric. "reply": the
            reply of a judge in place of the prediction.
        of_question: The module and name of ``score``.
        of_table: The module and name of ``table``; "" for plain means.
        extra: The extra of this package that the rule needs; "" for none.
        revision: Raise it when a number changes; it is signed.
        graded: The parts that are no verdicts: between 0 and 1, x 100, or below 0.
        traits: "marked": it finds the final answer by a mark. "joint": it gets all gold answers at once, because its
            number is not the best of theirs. "aliases": a gold answer is a list of answers with aliases. "lists": a
            prediction may be a list. "none": it scores a missing prediction. "questions": its table needs the
            questions. "nested": its table reads stories or dialogues.
    """

    name: str
    benchmark: str
    source: str
    commit: str
    license: str
    rule: str
    parts: tuple[str, ...]
    input: Input
    of_question: str
    of_table: str = ""
    extra: str = ""
    revision: int = 1
    graded: tuple[str, ...] = ()
    traits: tuple[str, ...] = ()

    @cached_property
    def score(self) -> Callable[..., dict[str, Any]]:
        """Computes the result of one question from gold answers, prediction and further fields."""
        return _function(self.of_question)

    @cached_property
    def table(self) -> Callable[..., dict[str, Any]] | None:
        """Computes the owner's table row from questions and results; None for plain means."""
        return _function(self.of_table) if self.of_table else None

    def is_verdict(self, number_name: str) -> bool:
        """Return whether this number is a verdict: always 0 or 1."""
        return number_name not in self.graded

    @property
    def cited(self) -> str:
        """The name with the commit, as it is signed: ``official:drop@b1f3722``."""
        return f"official:{self.name}@{self.commit}"


def _function(place: str) -> Callable[..., dict[str, Any]]:
    """Return a function of this package, whose module is imported when its rule is used."""
    module, _, name = place.partition(":")
    function: Callable[..., dict[str, Any]] = getattr(import_module(f"{__package__}.{module}"), name)
    return function


def _read() -> Iterator[Profile]:
    with Path(__file__).with_name("profiles.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            values: dict[str, Any] = {**row, "revision": int(row["revision"])}
            yield Profile(**values | {name: tuple(row[name].split()) for name in ("parts", "graded", "traits")})


PROFILES: Mapping[str, Profile] = {profile.name: profile for profile in _read()}


def profile(name: str) -> Profile:
    """Return the profile of this name; "-" stands for "_". Raise LookupError if there is none.

    >>> profile("nq-open").cited
    'official:nq_open@865fae6'
    """
    rule = PROFILES.get(name.replace("-", "_"))
    if rule is None:
        raise unknown("official profile", name, PROFILES)
    return rule


def overview() -> TextTable:
    """Return the table of all profiles."""
    header = ("profile", "benchmark", "owner", "commit", "license", "input", "numbers", "extra")
    rows = [
        (name, row.benchmark, row.source, row.commit, row.license, row.input, ", ".join(row.parts), row.extra)
        for name, row in PROFILES.items()
    ]
    return TextTable("", header, tuple(rows))
