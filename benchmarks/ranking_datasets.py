"""The settings of each corpus in the ranking benchmark: its test splits, its measures and its notes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Dataset(NamedTuple):
    """The settings of a corpus."""

    title: str  # its name as a heading
    tests: tuple[str, ...]  # its test splits
    measures: tuple[str, ...]  # the measures that papers report for it, the first for the significance tests
    dev_measure: str  # the measure that selects the best epoch and weights the members of a committee
    overrides: Mapping[str, Any] = {}  # changed settings of every recipe, mostly the maximum lengths of texts
    options: Mapping[str, Any] = {}  # arguments of ``rankers.data.load``
    note: str = ""  # a note below the tables
    # whether systems are trained on its train and dev splits. If not, only systems that need no training, or trainings
    # of another dataset (``--trained-on``), rank it.
    trains: bool = True


DATASETS: dict[str, Dataset] = {
    "toy": Dataset("Toy", ("test",), ("MAP", "MRR", "P@1", "nDCG@5"), "MRR", {"answer_length": 40}),
    "wikiqa": Dataset(
        "WikiQA, clean",
        ("test",),
        ("MAP", "MRR", "P@1", "nDCG@5"),
        "MRR",
        note="237 test questions; the committee paper's own test set of 5.8k pairs is not known",
    ),
    "wikiqa-raw": Dataset(
        "WikiQA, 243 questions",
        ("test",),
        ("MAP", "MRR", "P@1", "nDCG@5"),
        "MRR",
        options={"version": "no-all-"},
        note=(
            "243 test questions, as the ADDAX paper keeps: the 237 of the clean files and 6 with right answers only, "
            "which every order gets right. A mean of MAP or MRR here is (237 times that of the clean files + 6) / 243"
        ),
    ),
    "insuranceqa-mini": Dataset(
        "InsuranceQA, reduced",
        ("test1", "test2"),
        ("P@1", "MRR"),
        "P@1",
        {"answer_length": 80, "limit": 1000},
        note="a third of the answers, and 43 candidates instead of 500: not to be compared with published numbers",
    ),
    "yahoocqa-disjoint": Dataset(
        "YahooCQA, a 3 % sample with disjoint splits",
        ("test",),
        ("P@1", "MRR"),
        "MRR",
        note=(
            "1,272 training questions, not the split of the papers; negatives share words with the question, which "
            "word-overlap and bm25 count; MiniLM was trained on 2.5 million pairs of Yahoo Answers (its model card)"
        ),
    ),
    "fiqa-disjoint": Dataset(
        "FiQA, what is at hand, with disjoint splits",
        ("test",),
        ("nDCG@5", "MRR"),
        "MRR",
        {"answer_length": 100},
        note=(
            "92 test questions over the 234 answers of these questions: a retrieval test, not the published task; "
            "MiniLM was trained on StackExchange, a source of FiQA (its model card)"
        ),
    ),
    "selqa": Dataset(
        "SelQA",
        ("test",),
        ("MAP", "MRR", "P@1"),
        "MRR",
        note="learned from seven of eight questions of its dev split, as its train split is not available",
    ),
    "antique": Dataset(
        "ANTIQUE, judged pools",
        ("test",),
        ("MAP", "MRR", "P@1", "nDCG@3", "nDCG@10"),
        "nDCG@10",
        note="MiniLM was trained on 2.5 million pairs of Yahoo Answers, the source of this collection (its model card)",
    ),
    "trecdl19": Dataset(
        "TREC DL 2019, reranking",
        ("test",),
        ("nDCG@10", "MAP", "MRR@10"),
        "nDCG@10",
        note=(
            "the retrieved order, BM25 with the counts of the whole collection, has nDCG@10 .509 with the judgments at "
            "hand; MiniLM was trained on 9.1 million triplets of MS MARCO, this collection (its model card)"
        ),
    ),
    # The published files of these are in no package: the first command that needs one names it and its source.
    "selqa-full": Dataset("SelQA, all splits", ("test",), ("MAP", "MRR", "P@1"), "MRR"),
    "antique-full": Dataset("ANTIQUE, all of it", ("test",), ("MAP", "MRR", "P@1", "nDCG@3", "nDCG@10"), "nDCG@10"),
    "insuranceqa": Dataset("InsuranceQA", ("test1", "test2"), ("P@1", "MRR"), "P@1", {"answer_length": 200}),
    "yahooqa": Dataset("YahooQA", ("test",), ("P@1", "MRR"), "MRR"),
    "fiqa": Dataset("FiQA", ("test",), ("nDCG@5", "MRR"), "MRR", {"answer_length": 100}),
    "asnq": Dataset(
        "ASNQ", ("test",), ("MAP", "MRR", "P@1"), "MAP", note="its published dev.tsv is the test split here"
    ),
    "msmarco": Dataset(
        "MS MARCO, dev small, reranking",
        ("dev",),
        ("MRR@10", "nDCG@10"),
        "MRR@10",
        note="its train triples are not read: systems that are trained need --trained-on",
        trains=False,
    ),
}
