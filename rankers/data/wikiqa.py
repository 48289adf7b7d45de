"""WikiQA: the "clean" files in common use, and the original corpus with its three ways to count questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rankers.data.corpus import Corpus, Counts, Option, Request
from rankers.data.pools import Answer, CandidateRow, Group, blocks
from rankers.data.tables import grade, pair, plain
from rankers.types import Questions

_HEADER = ["QuestionID", "Question", "DocumentID", "DocumentTitle", "SentenceID", "Sentence", "Label"]

_CLEAN = {
    "train": Counts(873, 8672, 1040),
    "dev": Counts(122, 1126, 136),
    "test": Counts(237, 2341, 283),
}
_VERSIONS = {
    ("train", "raw"): Counts(2118, 20360, 1040),
    ("dev", "raw"): Counts(296, 2733, 140),
    ("test", "raw"): Counts(633, 6165, 293),
    ("train", "no-all-"): Counts(873, 8672, 1040),
    ("dev", "no-all-"): Counts(126, 1130, 140),
    ("test", "no-all-"): Counts(243, 2351, 293),
    ("train", "clean"): Counts(857, 8651, 1019),
    ("dev", "clean"): Counts(122, 1126, 136),
    ("test", "clean"): Counts(237, 2341, 283),
}


def _read_clean(request: Request) -> Questions:
    path = request.path(WIKIQA.files[request.split][0])
    groups = blocks(map(pair, plain(path, 3)))
    return request.questions(path, groups, _CLEAN[request.split])


def _read_raw(request: Request) -> Questions:
    path = request.path(RAW.files[request.split][0])
    version = request.options["version"]
    rows = []
    for line in plain(path, 7):  # quotes are characters of the sentences
        if line.cells == _HEADER:
            continue
        key, question, *_, sentence, label = line.cells
        rows.append(CandidateRow(key, question, Answer(sentence, grade(label, line.where)), question_id=key))
    return request.questions(path, kept(blocks(rows), version), _VERSIONS[request.split, version])


def kept(groups: Iterable[Group], version: str) -> Iterator[Group]:
    """Yield the groups that this version keeps.

    "raw" keeps all, "no-all-" those with a relevant candidate, "clean" those with relevant and irrelevant ones.
    """
    for group in groups:
        relevant = [answer.grade > 0 for answer in group.answers]
        if version == "raw" or (any(relevant) and (version == "no-all-" or not all(relevant))):
            yield group


WIKIQA = Corpus(
    name="wikiqa",
    about='factoid questions, sentences of one article each; the "clean" dev and test (train keeps 16 all-positive)',
    files={split: (f"ranking/wikiqa/{split}.tsv",) for split in ("train", "dev", "test")},
    source="github xish9/SCAN @ 0abccf7",
    license="Microsoft Research WikiQA license",
    read=_read_clean,
)

RAW = Corpus(
    name="wikiqa-raw",
    about="the original WikiQA, in which two thirds of the questions have no right answer",
    files={split: (f"ranking/wikiqa-raw/WikiQA-{split}.tsv.gz",) for split in ("train", "dev", "test")},
    source="Microsoft Research (WikiQACorpus), gzipped",
    license="Microsoft Research WikiQA license",
    read=_read_raw,
    options={
        "version": Option(
            "raw",
            "raw: all; no-all-: questions with a positive; clean: questions with positives and negatives",
            ("raw", "no-all-", "clean"),
        )
    },
)
