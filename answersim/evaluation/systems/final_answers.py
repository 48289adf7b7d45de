"""How many final answers were read out of predictions, and by which rule; or how many could be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from answersim._base.errors import (
    ExtractionWarning,
    GoldFormWarning,
    ShortAnswersWarning,
    deferred_warnings,
    warn_user,
)
from answersim._base.text_tables import percent
from answersim.answers.extraction import Extraction, Extractor
from answersim.answers.extraction.extractor import MAY_BE_OUTPUT, looks_like_output

_SHARE = 0.01  # of the predictions that contain a box or a tag, from which on a note names extraction


class FinalAnswers:
    """Counts over all predictions of an evaluation."""

    def __init__(self, extractor: Extractor | None, *, reads_marks: bool = False) -> None:
        """``reads_marks``: whether the metric reads the final answers itself, so that no note names extraction."""
        self.extractor = extractor
        self._reads_marks = reads_marks
        self._n = 0
        self._rules: Counter[str | None] = Counter()

    def read(self, preds: Sequence[str]) -> list[Extraction] | None:
        """Return the final answer in each prediction, and count them; None without a rule: it is the prediction."""
        self._n += len(preds)
        if self.extractor is None:
            self._rules["output"] += sum(map(looks_like_output, filter(MAY_BE_OUTPUT.search, preds)))
            return None
        extractions = [self.extractor(pred) for pred in preds]
        self._rules.update(extraction.rule for extraction in extractions)
        return extractions

    def notes(self) -> list[str]:
        """Return the counts as a sentence; none if there is nothing to report."""
        if self.extractor is None:
            n_read = self._rules["output"]
            if self._reads_marks or not n_read or n_read < _SHARE * self._n:
                return []
            return [
                f"{n_read:,} of {self._n:,} predictions contain a box, a mark or a reasoning tag: read their final "
                "answers with extract='auto' (--extract auto)"
            ]
        missing = self._rules[None]
        by_rule = ", ".join(f"{rule} {count:,}" for rule, count in self._rules.most_common() if rule is not None)
        left = "read as a whole" if self.extractor.missing == "whole" else "counted as empty"
        return [
            f"final answers by the rule {self.extractor.rule}: in {self._n - missing:,} of {self._n:,} predictions"
            f"{f' ({by_rule})' if by_rule else ''}; {missing:,} ({percent(missing / self._n)}) have none and are {left}"
        ]


@contextmanager
def noting() -> Iterator[list[str]]:
    """Collect what a result states in its notes, instead of warning of it. Other warnings are issued after the block.

    Yields:
        The notes, which are complete after the block. Final answers that were not found are counted by
        ``FinalAnswers``.
    """
    notes: list[str] = []
    with deferred_warnings() as collected:
        yield notes
    if short := [warning for warning in collected if isinstance(warning, ShortAnswersWarning)]:
        notes.append(
            str(replace(short[0], count=sum(warning.count for warning in short), n=sum(warning.n for warning in short)))
        )
    for warning in collected:
        if isinstance(warning, ShortAnswersWarning):
            continue
        if isinstance(warning, GoldFormWarning):
            notes.append(str(warning))
        elif not isinstance(warning, ExtractionWarning):
            warn_user(warning)
