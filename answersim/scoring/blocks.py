"""The scores of answers block by block: reused from an interrupted run, or computed and stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from answersim.answers.blocks import AnswerBlock
from answersim.errors import (
    DetectedLanguageWarning,
    ExtractionWarning,
    TruncationWarning,
    deferred_warnings,
    renumbered,
    warn_user,
)
from answersim.io.partial_results import Frame, PartialResults
from answersim.scoring.cache import CacheLike
from answersim.scoring.english import warn_of_language
from answersim.scoring.score import score_pairs
from answersim.types import FloatArray, Metric, reads_questions


class BlockScorer:
    """Computes the scores of one block after the other, and counts what was truncated.

    ``draft``: where the scores are stored and looked up. ``counts_extractions``: whether the caller reports the final
    answers that were not found, so that no warning does.
    """

    def __init__(
        self,
        metrics: Sequence[Metric],
        draft: PartialResults,
        *,
        cache: CacheLike | None = None,
        progress: bool = True,
        counts_extractions: bool = False,
    ) -> None:
        self.metrics, self.draft, self.cache, self.progress = list(metrics), draft, cache, progress
        self.reads = any(map(reads_questions, metrics))
        self.has_questions = False  # whether any question so far is not empty
        self._silent = (DetectedLanguageWarning, *((ExtractionWarning,) if counts_extractions else ()))
        self._cut: dict[str, int] = {}
        self._first = True

    def scores(self, block: AnswerBlock) -> dict[str, FloatArray]:
        """Return the scores of each system, shape (n, metrics). The first block may warn of its language."""
        if self._first:
            pairs = zip(block.golds * len(block.predictions), chain(*block.predictions.values()), strict=True)
            warn_of_language(self.metrics, pairs, block.questions)
            self._first = False
        self.has_questions = self.has_questions or any(block.questions or ())
        digest = block.digest(self.reads)
        frame = self.draft.recall(digest)
        if frame is None:
            frame = self._computed(block, digest)
            self.draft.append(frame)
        _add(self._cut, frame.cut)
        m = len(self.metrics)
        return {system: frame.columns[:, i * m : (i + 1) * m] for i, system in enumerate(block.predictions)}

    def _computed(self, block: AnswerBlock, digest: bytes) -> Frame:
        """Return the scores of all systems. Truncated texts are counted, for one warning at the end."""
        n, systems = len(block.ids), len(block.predictions)
        questions = block.questions * systems if self.reads and block.questions is not None else None
        with renumbered([number - 1 for number in block.numbers] * systems), deferred_warnings() as collected:
            scored = score_pairs(
                block.pairs, self.metrics, question=questions, progress=self.progress, cache=self.cache
            )
        cut: dict[str, int] = {}
        for warning in collected:
            if isinstance(warning, TruncationWarning):
                _add(cut, {f"{warning.what} {warning.signature}": warning.count})
            elif not isinstance(warning, self._silent):
                warn_user(warning)
        columns = [scored[metric.signature].values.reshape(systems, n) for metric in self.metrics]
        return Frame(digest, np.stack(columns, axis=2).transpose(1, 0, 2).reshape(n, -1), cut)

    def warn(self) -> None:
        """Warn of all truncated texts at once."""
        for what, count in self._cut.items():
            kind, _, metric = what.partition(" ")
            warn_user(TruncationWarning(count, kind, metric))


def _add(counts: dict[str, int], more: Mapping[str, int]) -> None:
    for what, count in more.items():
        counts[what] = counts.get(what, 0) + count
