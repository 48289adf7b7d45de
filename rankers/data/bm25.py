"""Pools by BM25: the first k documents of a collection for each question, found with bm25s."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from answersim.errors import MissingExtraError

K1, B = 0.9, 0.4  # Anserini's defaults, with which the published pools of FiQA and MS MARCO were made


def pools(questions: Sequence[str], documents: Mapping[str, str], depth: int) -> list[list[str]]:
    """Return the ids of the best ``depth`` documents for each question, best first, or all if there are fewer.

    Args:
        questions: The texts to search for.
        documents: The collection: text by id.
        depth: The number of documents per question.

    Source: Robertson and Zaragoza 2009 in Lucene's form, k1 = 0.9, b = 0.4, English stop words, no stemming (bm25s).
    """
    try:
        import bm25s
    except ImportError as error:
        raise MissingExtraError("a BM25 pool", "rankers", "bm25s") from error
    names = list(documents)
    index = bm25s.BM25(k1=K1, b=B, method="lucene")
    index.index(_tokens(bm25s, list(documents.values())), show_progress=False)
    retrieved = index.retrieve(_tokens(bm25s, list(questions)), k=min(depth, len(names)), show_progress=False)
    return [[names[place] for place in places] for places in retrieved.documents]


def _tokens(bm25s: object, texts: list[str]) -> object:
    return bm25s.tokenize(texts, stopwords="en", show_progress=False)  # type: ignore[attr-defined]
