"""SelQA: questions written by annotators over sentences of Wikipedia sections; dev and test."""

from __future__ import annotations

from rankers.data.corpus import Corpus, Counts, Request
from rankers.data.pools import blocks
from rankers.data.tables import pair, plain
from rankers.types import Questions

_COUNTS = {
    "dev": Counts(785, 9377, 893),
    "test": Counts(1590, 19435, 1798),
}


def _read(request: Request) -> Questions:
    path = request.path(request.corpus.files[request.split][0])
    # By block, not by text: two dev questions share one text.
    return request.questions(path, blocks(map(pair, plain(path, 3))), _COUNTS[request.split])


SELQA = Corpus(
    name="selqa",
    about="questions over sentences of Wikipedia sections; no train split is available",
    files={split: (f"ranking/selqa/{split}.tsv",) for split in ("dev", "test")},
    source="github xish9/SCAN @ 0abccf7 (from emorynlp/selqa)",
    license="Apache-2.0 (the corpus)",
    read=_read,
)
