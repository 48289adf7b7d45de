"""TREC-QA: sentences judged for the questions of TREC 8 to 13, from the annotated XML or from CSV tables."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from rankers.data.corpus import Corpus, Counts, Option, Request
from rankers.data.pools import Answer, CandidateRow, Group, blocks
from rankers.data.tables import grade, read_quoted, text
from rankers.data.wikiqa import kept
from rankers.types import Questions

_RAW = {"train": Counts(93, 4718, 348), "dev": Counts(81, 1148, 222), "test": Counts(95, 1517, 284)}
_CLEAN_COUNTS = {"train": Counts(78, 4619), "dev": Counts(65, 1117), "test": Counts(68, 1442)}
_ASKED = {"train": 94, "dev": 82, "test": 100}  # including those for which no sentence was judged
_HEADER = ["qtext", "label", "atext"]

_PAIRS = re.compile(r"<QApairs id='([^']*)'>\n(.*?)</QApairs>", re.DOTALL)
_SENTENCE = re.compile(r"<(question|positive|negative)>\n(.*?)\n</\1>", re.DOTALL)
_ANSWER_LINE = 5  # of a sentence: words, tags, relations, heads, entities, then the answer and its places


def _read_xml(request: Request) -> Questions:
    path = request.path(TRECQA.files[request.split][0])
    groups = [_group(path, name, body) for name, body in _PAIRS.findall(text(path))]
    request.expect(path, "questions", len(groups), _ASKED[request.split])
    judged = [group for group in groups if group.answers]
    notes = [f"{len(groups) - len(judged)} questions left out for which no sentence was judged"]
    return _finished(request, path, judged, notes)


def _read_csv(request: Request) -> Questions:
    path = request.path(CSV.files[request.split][0])
    rows = []
    for line in read_quoted(path, 3, ","):
        if line.cells != _HEADER:
            question, label, sentence = line.cells
            rows.append(CandidateRow(question, question, Answer(sentence, grade(label, line.where))))
    return _finished(request, path, blocks(rows))


def _finished(request: Request, path: Path, groups: Iterable[Group], notes: Iterable[str] = ()) -> Questions:
    version = request.options["version"]
    expected = _RAW if version == "raw" else _CLEAN_COUNTS
    return request.questions(path, kept(groups, version), expected[request.split], notes=tuple(notes))


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


_VERSION = {"version": Option("clean", "raw: all; clean: questions with positives and negatives", ("raw", "clean"))}
_LICENSE = "TREC data, research use"

TRECQA = Corpus(
    name="trecqa",
    about="factoid questions over news sentences, with the short answers; train is the hand-judged TRAIN",
    files={split: (f"ranking/trecqa/xml/{split.upper()}.xml",) for split in _RAW},
    source="github castorini/data @ 056cbbc (Wang et al. 2007)",
    license=_LICENSE,
    read=_read_xml,
    options=_VERSION,
)

CSV = Corpus(
    name="trecqa-csv",
    about="the same sentences as tables, without question ids; numbers are replaced by <num>",
    files={split: (f"ranking/trecqa/brmson/{split}.csv",) for split in _RAW},
    source="github brmson/dataset-sts @ e1d3375",
    license=_LICENSE,
    read=_read_csv,
    options=_VERSION,
)
