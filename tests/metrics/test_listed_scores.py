"""The score of a signature never changes: scores of all metrics without a network, and of the rules of benchmarks."""

from __future__ import annotations

from pathlib import Path

import pytest

from answersim.metrics import official
from answersim.metrics.catalog import lookup
from answersim.types import Pair
from tests.cases import as_listed
from tests.language_texts import ROWS

HERE = Path(__file__).parent
_, *LINES = (HERE.parent / "answers/typed/test_classes.tsv").read_text(encoding="utf-8").splitlines()
ASKED = [line.split("\t") for line in (HERE / "listed_pairs.tsv").read_text(encoding="utf-8").splitlines()]
PAIRS = [*(Pair(*texts) for texts in ASKED), *(Pair(*line.split("\t")[2:]) for line in LINES[::12])]
PAIRS += [Pair(*texts[1:3]) for _, texts in ROWS]
NAMES = [*(name for name in lookup.names() if lookup.entry(name).kind == "lexical"), "typed+recall", "typed+f1"]


def result(name: str, gold: object, pred: str) -> str:
    try:
        return str(official.score(name, gold, pred))
    except TypeError as error:  # a gold answer that needs a structure
        return type(error).__name__


def test_the_scores_of_all_signatures_are_those_that_are_listed() -> None:
    pytest.importorskip("antlr4", reason="needs the extra math")
    built = [lookup.metric(name, lang=lang) for name in NAMES for lang in ("en", "de", "ja")]
    lines = [f"{metric.signature}: {' '.join(f'{score:.7g}' for score in metric(PAIRS[::2]))}" for metric in built]
    lines += [
        f"{name} {pred!r} for {given!r}: {result(name, given, pred)}"
        for name in official.profiles()
        for i, (gold, pred) in enumerate(ASKED)
        for given in ([gold, "Rome"][:: 1 + i % 2], pred)  # some rules read a solution as the gold answer
        if gold and pred
    ]
    as_listed(HERE / "listed_scores.txt", lines)
