"""Details of lighteval, ``details_*.parquet``: the query, the gold choices and the generated text of each sample.

Read with lighteval 0.13.0. Its text after post-processing (without the reasoning) is the answer if it is recorded.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from answersim.io import chunks
from answersim.logs.rows import field, row


def matches(path: Path, head: bytes) -> bool:
    """Return whether this is a file of details, by its columns."""
    return head.startswith(b"PAR1") and {"doc", "model_response"} <= set(chunks.schema_of(path).names)


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the row of each generated answer; a sample with several generations has several rows.

    Raise ValueError if the file has other columns, or a sample has no generated text.
    """
    for piece in chunks.pieces(path, ["doc", "model_response"]):
        for i, record in enumerate(piece.table.rows, start=piece.first):
            yield from _rows(record, path, f"row {i}")


def _rows(record: Any, path: Path, where: str) -> Iterator[dict[str, Any]]:
    document, response = field(record, "doc", path, where), field(record, "model_response", path, where)
    texts = response.get("text_post_processed") or field(response, "text", path, where)
    if not texts:
        raise ValueError(
            f"{path}, {where}: there is no generated text, only log-likelihoods; only generative tasks record answers"
        )
    choices, gold = field(document, "choices", path, where) or [], field(document, "gold_index", path, where)
    positions = gold if isinstance(gold, list) else [gold]
    golds = [choices[at] for at in positions if at is not None and at < len(choices)]
    question = document.get("original_query") or field(document, "query", path, where)
    for generation, text in enumerate(texts):
        number = generation if len(texts) > 1 else None
        yield row(document.get("id") or where.removeprefix("row "), question, golds, text, generation=number)
