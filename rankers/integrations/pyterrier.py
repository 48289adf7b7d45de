"""A ranker as a transformer of PyTerrier: it scores the documents of a result frame anew."""

from __future__ import annotations

from typing import Any

import numpy as np

from answersim._base.errors import MissingExtraError
from rankers import api
from rankers.evaluation import runs
from rankers.types import Ranker

try:
    import pandas as pd
    import pyterrier as pt
except ImportError as error:
    raise MissingExtraError("rankers.integrations.pyterrier", "pyterrier", error.name or "pyterrier") from error


class Reranker(pt.Transformer):  # type: ignore[misc] # the library has no types
    """A reranker: from ``qid``, ``query``, ``docno`` and a text column to the same with ``score`` and ``rank``.

    ``retriever >> pt.text.get_text(index) >> Reranker()`` is a pipeline. All other columns are kept. Rows of one
    ``qid`` are one question. Java is not needed for this transformer itself.
    """

    def __init__(self, model: Any = None, *, text_attr: str = "text", device: str | None = None) -> None:
        """Find the ranker.

        Args:
            model: As for ``rankers.rank``; a list is not accepted, since pipelines of PyTerrier combine rankers.
            text_attr: The column of texts.
            device: As for ``rankers.rank``.
        """
        super().__init__()
        self.ranker: Ranker = api.resolve(model, device=device)
        self.text_attr = text_attr

    def transform(self, inp: Any) -> Any:
        """Return the frame with new scores and ranks; the order of the rows stays."""
        pt.validate.result_frame(inp, extra_columns=["query", self.text_attr])
        frame = inp.drop(columns=["score", "rank"], errors="ignore").reset_index(drop=True)
        frame["score"] = self._scores(frame) if len(frame) else pd.Series(dtype="float64")
        return pt.model.add_ranks(frame)

    def _scores(self, frame: Any) -> Any:
        for column in ("query", self.text_attr):
            for qid, docno, text in zip(frame["qid"], frame["docno"], frame[column], strict=True):
                if not isinstance(text, str):
                    raise ValueError(
                        f"the {column} of document {docno!r} of question {qid!r} is {text!r:.60}, but it must be a "
                        "text; put pt.text.get_text before the reranker"
                    )
        if (twice := frame.duplicated(["qid", "docno"])).any():
            qid, docno = frame.loc[twice, ["qid", "docno"]].iloc[0]
            raise ValueError(f"the document {docno!r} is twice under question {qid!r}; keep one of the rows")
        groups = list(frame.groupby("qid", sort=False))
        for qid, group in groups:
            if group["query"].nunique() > 1:
                raise ValueError(f"the question {qid!r} has several queries; give each a different qid")
        pools = [group[self.text_attr].tolist() for _, group in groups]
        given = self.ranker.score([group["query"].iloc[0] for _, group in groups], pools)
        scores = np.empty(len(frame), dtype=np.float64)
        for (qid, group), of_question in zip(groups, given, strict=True):
            scores[group.index] = runs.finite(of_question, self.ranker.signature, str(qid), group["docno"].tolist())
        return scores

    def __repr__(self) -> str:
        """Return the signature, which names the weights, for the tables of experiments."""
        return f"Reranker({self.ranker.signature})"
