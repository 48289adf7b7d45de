"""Pairs of answers with what people said of them and what metrics say: the ground of every study of a metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from answersim.types import FloatArray, Pair, Scores


@dataclass(frozen=True, eq=False)
class Judgements:
    """Pairs of answers, each with a label and with the scores of some metrics.

    Attributes:
        name: What the set is called: a data set's name, or that of a file.
        lang: The ISO 639-1 code of its language.
        pairs: Gold and predicted answer, in the order of the file.
        labels: float64, shape (n,): what people said, higher is more alike; of several raters the mean. Never nan.
        scores: By the name of the metric, or of the column of a file: one number a pair, with their signature ("" for
            numbers of unknown origin).
        raters: Where several people gave labels: by the name of the column, float64 of shape (n,), nan for no label.
        questions: One a pair, "" where it is not known; None where the set has none.
        columns: The other columns of a file by name, one value a pair, to make subsets by.
    """

    name: str
    lang: str
    pairs: tuple[Pair, ...]
    labels: FloatArray
    scores: Mapping[str, Scores] = field(default_factory=dict)
    raters: Mapping[str, FloatArray] = field(default_factory=dict)
    questions: tuple[str, ...] | None = None
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", tuple(Pair(*pair) for pair in self.pairs))
        object.__setattr__(self, "labels", np.array(self.labels, dtype=np.float64))
        for name in ("scores", "raters", "columns"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        held: dict[str, Sized] = {"labels": self.labels, **self.scores, **self.raters, **self.columns}
        if self.questions is not None:
            held["questions"] = self.questions
        for name, values in held.items():
            if len(values) != len(self.pairs):
                raise ValueError(f"{self.name} has {len(self.pairs)} pairs but {len(values)} {name}; each pair has one")
        if not np.isfinite(self.labels).all():
            at = int(np.flatnonzero(~np.isfinite(self.labels))[0])
            raise ValueError(
                f"{self.name}: the label of pair {at + 1} is {self.labels[at]}; leave out pairs that nobody judged"
            )

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        return f"Judgements({self.name!r}, lang={self.lang!r}, n={len(self)}, scores={list(self.scores)})"

    def where(self, mask: Any) -> Judgements:
        """The pairs at which this mask, booleans of shape (n,), is true, in the same order, with all that is theirs."""
        mask = np.asarray(mask)
        if mask.dtype != np.bool_ or mask.shape != (len(self),):
            raise ValueError(f"a mask for {len(self)} pairs is {len(self)} booleans, not {mask.dtype} of {mask.shape}")
        places = np.flatnonzero(mask)
        at = places.tolist()
        return Judgements(
            self.name,
            self.lang,
            tuple(self.pairs[i] for i in at),
            self.labels[places],
            {
                name: Scores(each.values[places], each.signature, each.references[places])
                for name, each in self.scores.items()
            },
            {name: each[places] for name, each in self.raters.items()},
            None if self.questions is None else tuple(self.questions[i] for i in at),
            {name: [each[i] for i in at] for name, each in self.columns.items()},
        )
