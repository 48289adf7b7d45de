"""Corpora of sentences that answer factoid questions: WikiQA, SelQA and TrecQA."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from rankers.data.corpus import Option, Request, described
from rankers.data.pools import Answer, CandidateRow, Group, blocks
from rankers.data.tables import grade, pairs, plain, text
from rankers.types import Questions

_HEADER = ["QuestionID", "Question", "DocumentID", "DocumentTitle", "SentenceID", "Sentence", "Label"]


def _read_pairs(request: Request) -> Questions:
    (path,) = request.paths()
    # By block, not by text: two dev questions of SelQA share one text.
    return request.questions(path, blocks(pairs(plain(path, 3))))


def _read_raw(request: Request) -> Questions:
    (path,) = request.paths()
    version = request.options["version"]
    rows = []
    for where, cells in plain(path, 7):  # quotes are characters of the sentences
        if cells != _HEADER:
            key, question, *_, sentence, label = cells
            rows.append(CandidateRow(key, question, Answer(sentence, grade(label, where)), question_id=key))
    return request.questions(path, kept(blocks(rows), version), version=version)


def kept(groups: Iterable[Group], version: str) -> Iterator[Group]:
    """Yield the groups that this version keeps.

    "raw" keeps all, "no-all-" those with a relevant candidate, "clean" those with relevant and irrelevant ones.
    """
    for group in groups:
        relevant = [answer.grade > 0 for answer in group.answers]
        if version == "raw" or (any(relevant) and (version == "no-all-" or not all(relevant))):
            yield group


WIKIQA = described("wikiqa", _read_pairs)
SELQA = described("selqa", _read_pairs)
VERSIONS = "raw: all; no-all-: questions with a positive; clean: questions with positives and negatives"
RAW = described("wikiqa-raw", _read_raw, options={"version": Option("raw", VERSIONS, ("raw", "no-all-", "clean"))})


_N_TRECQA = {"train": 94, "dev": 82, "test": 100}  # questions, including those for which no sentence was judged

_PAIRS = re.compile(r"<QApairs id='([^']*)'>\n(.*?)</QApairs>", re.DOTALL)
_SENTENCE = re.compile(r"<(question|positive|negative)>\n(.*?)\n</\1>", re.DOTALL)
_ANSWER_LINE = 5  # of a sentence: words, tags, relations, heads, entities, then the answer and its places


def _read_xml(request: Request) -> Questions:
    (path,) = request.paths()
    groups = [_group(path, name, body) for name, body in _PAIRS.findall(text(path))]
    request.expect(path, "questions", len(groups), _N_TRECQA[request.split])
    judged = [group for group in groups if group.answers]
    notes = [f"{len(groups) - len(judged)} questions left out for which no sentence was judged"]
    return request.questions(path, kept(judged, "clean"), notes=notes)


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


TRECQA = described("trecqa", _read_xml)
