"""Corpora of sentences that answer factoid questions: WikiQA, SelQA and TrecQA."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from rankers.data.corpus import Corpus, Option, Request
from rankers.data.pools import Answer, CandidateRow, Group, blocks
from rankers.data.tables import grade, pairs, plain, text
from rankers.types import Questions

_HEADER = ["QuestionID", "Question", "DocumentID", "DocumentTitle", "SentenceID", "Sentence", "Label"]

_CLEAN = {
    "train": (873, 8672, 1040),
    "dev": (122, 1126, 136),
    "test": (237, 2341, 283),
}
_VERSIONS = {
    ("train", "raw"): (2118, 20360, 1040),
    ("dev", "raw"): (296, 2733, 140),
    ("test", "raw"): (633, 6165, 293),
    ("train", "no-all-"): (873, 8672, 1040),
    ("dev", "no-all-"): (126, 1130, 140),
    ("test", "no-all-"): (243, 2351, 293),
    ("train", "clean"): (857, 8651, 1019),
    ("dev", "clean"): (122, 1126, 136),
    ("test", "clean"): (237, 2341, 283),
}


def _read_clean(request: Request) -> Questions:
    path = request.path(WIKIQA.files[request.split][0])
    return request.questions(path, blocks(pairs(plain(path, 3))), _CLEAN[request.split])


def _read_raw(request: Request) -> Questions:
    path = request.path(RAW.files[request.split][0])
    version = request.options["version"]
    rows = []
    for where, cells in plain(path, 7):  # quotes are characters of the sentences
        if cells != _HEADER:
            key, question, *_, sentence, label = cells
            rows.append(CandidateRow(key, question, Answer(sentence, grade(label, where)), question_id=key))
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


_SELQA = {
    "dev": (785, 9377, 893),
    "test": (1590, 19435, 1798),
}


def _read_selqa(request: Request) -> Questions:
    path = request.path(request.corpus.files[request.split][0])
    # By block, not by text: two dev questions share one text.
    return request.questions(path, blocks(pairs(plain(path, 3))), _SELQA[request.split])


SELQA = Corpus(
    name="selqa",
    about="questions over sentences of Wikipedia sections; no train split is available",
    files={split: (f"ranking/selqa/{split}.tsv",) for split in ("dev", "test")},
    source="github xish9/SCAN @ 0abccf7 (from emorynlp/selqa)",
    license="Apache-2.0 (the corpus)",
    read=_read_selqa,
)


_TRECQA = {"train": (78, 4619), "dev": (65, 1117), "test": (68, 1442)}
_N_TRECQA = {"train": 94, "dev": 82, "test": 100}  # questions, including those for which no sentence was judged

_PAIRS = re.compile(r"<QApairs id='([^']*)'>\n(.*?)</QApairs>", re.DOTALL)
_SENTENCE = re.compile(r"<(question|positive|negative)>\n(.*?)\n</\1>", re.DOTALL)
_ANSWER_LINE = 5  # of a sentence: words, tags, relations, heads, entities, then the answer and its places


def _read_xml(request: Request) -> Questions:
    path = request.path(TRECQA.files[request.split][0])
    groups = [_group(path, name, body) for name, body in _PAIRS.findall(text(path))]
    request.expect(path, "questions", len(groups), _N_TRECQA[request.split])
    judged = [group for group in groups if group.answers]
    notes = [f"{len(groups) - len(judged)} questions left out for which no sentence was judged"]
    return request.questions(path, kept(judged, "clean"), _TRECQA[request.split], notes=notes)


def _group(path: Path, name: str, body: str) -> Group:
    """Return one question of the file, which is almost XML: tags on separate lines, cells between tabs, no escapes."""
    sentences = _SENTENCE.findall(body)
    questions = [_words(lines) for kind, lines in sentences if kind == "question"]
    if len(questions) != 1:
        raise ValueError(f"{path}: <QApairs id='{name}'> contains {len(questions)} questions, but it must contain one")
    answers = tuple(Answer(_words(lines), int(kind == "positive")) for kind, lines in sentences if kind != "question")
    golds = dict.fromkeys(_words(lines, _ANSWER_LINE) for kind, lines in sentences if kind == "positive")
    return Group(questions[0], answers, id=name, golds=tuple(gold for gold in golds if gold))


def _words(lines: str, at: int = 0) -> str:
    """Return the words of one line of a sentence, joined by spaces, or "" if it has no such line."""
    return " ".join(dict(enumerate(lines.split("\n"))).get(at, "").split())


TRECQA = Corpus(
    name="trecqa",
    about="factoid questions over news sentences, with the short answers; train is the hand-judged TRAIN",
    files={split: (f"ranking/trecqa/xml/{split.upper()}.xml",) for split in _TRECQA},
    source="github castorini/data @ 056cbbc (Wang et al. 2007)",
    license="TREC data, research use",
    read=_read_xml,
)
