"""Measure how far the cosines of the page's 8-bit encoder are from those of the package: on pairs of labeled sets.

python -m tools.site.browser.differences     # reads $ANSWERSIM_DATA, writes tools/site/browser/differences.json
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from answersim import data
from answersim.catalog.lookup import metric
from answersim.data.minimal_pairs import minimal_pairs
from answersim.data.system_answers import load_evouna
from answersim.neural.bi_encoder import BiEncoder
from answersim.text_tables import number
from answersim.types import Pair
from tools.site.browser import minilm
from tools.site.browser.quantized import MAX_LENGTH, QuantizedEncoder
from tools.site.browser.wordpieces import WordPieces

RECORD = Path(__file__).with_name("differences.json")
BOUND = 0.01  # what the page promises; tests hold every recorded difference and those of their own tables to it
_BATCH = 64


class Difference(NamedTuple):
    """How far cosines are apart: the number of pairs, and absolute differences."""

    pairs: int
    largest: float
    mean: float
    percentile_99: float


def difference(content: bytes, tables: Mapping[str, Any], pairs: Sequence[Pair]) -> Difference:
    """Compare the cosines by an ONNX file, run by onnxruntime, with those of the metric ``bi-encoder``."""
    import onnxruntime

    encoder = QuantizedEncoder("measured", WordPieces(tables))
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    by_length: dict[int, list[tuple[int, ...]]] = {}
    for ids in sorted({encoder.ids(text) for pair in pairs for text in pair}):
        by_length.setdefault(len(ids), []).append(ids)
    for group in by_length.values():
        for start in range(0, len(group), _BATCH):
            batch = group[start : start + _BATCH]
            (vectors,) = session.run(None, {"ids": np.array(batch, dtype=np.int32)})
            encoder.vectors.update(zip(batch, vectors.astype(np.float64), strict=True))
    found = np.abs(BiEncoder(encoder, "mean", MAX_LENGTH)(pairs) - metric("bi-encoder")(pairs))
    return Difference(len(found), float(found.max()), float(found.mean()), float(np.quantile(found, 0.99)))


def shipped_pairs() -> list[Pair]:
    """Return the pairs of the minimal pairs that ship, in English and German."""
    families = [
        *(minimal_pairs("en", "dev") + minimal_pairs("en", "test")),
        *(minimal_pairs("de", "dev") + minimal_pairs("de", "test")),
    ]
    return [Pair(family.gold, text) for family in families for text in (family.same, family.different)]


def sets() -> dict[str, list[Pair]]:
    """Return the pairs by set: the minimal pairs that ship, the sets of the SAS paper, and the answers of EVOUNA."""
    return {
        "minimal pairs": shipped_pairs(),
        **{name: list(data.load(name).pairs) for name in ("squad", "nq-open", "germanquad")},
        "evouna": [Pair(answer.golds[0], answer.answer) for answer in load_evouna()],
    }


def sentence_parts(record: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return how pages state a record: the largest and the mean difference, and the number of pairs.

    >>> sentence_parts({"sets": {"a": {"pairs": 1500, "largest": 0.0123, "mean": 0.0012}}})
    ('0.013', '1,500 pairs', '0.0012')
    """
    rows = record["sets"].values()
    pairs = sum(row["pairs"] for row in rows)
    largest = math.ceil(1000 * max(row["largest"] for row in rows)) / 1000
    mean = sum(row["mean"] * row["pairs"] for row in rows) / pairs
    return number(largest), f"{pairs:,} pairs", f"{mean:.4f}"


def main() -> None:
    """Measure and record."""
    content, tokens = minilm.export(minilm.folder_of_weights())
    tables = json.loads(tokens)
    rows = {name: difference(content, tables, pairs)._asdict() for name, pairs in sets().items()}
    record = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content), "sets": rows}
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    for name, row in rows.items():
        sys.stdout.write(f"{name}: {row}\n")


if __name__ == "__main__":
    main()
