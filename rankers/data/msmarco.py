"""MS MARCO passages and TREC Deep Learning 2019: the first k of a given run, re-ranked with the complete judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from rankers.data.corpus import Corpus, Option, Request
from rankers.data.pools import Answer, Group, shuffle
from rankers.data.tables import grade, lines, plain, wanted_texts
from rankers.types import Questions


class Task(NamedTuple):
    """The way to read the judgments of a corpus, and their number."""

    relevant: int
    questions: int
    judgments: int


_TASKS = {  # of the four grades of TREC, 2 is officially the lowest relevant one
    "msmarco": Task(1, 6_980, 7_437),
    "trecdl19": Task(2, 43, 3_983),
    "trecdl19-complete": Task(2, 43, 9_260),
}


def _read(request: Request) -> Questions:
    queries, passages, run, qrels = map(request.path, request.corpus.files[request.split])
    task, depth = _TASKS[request.corpus.name], request.options["depth"]
    grades = _judgements(qrels)
    request.expect(qrels, "judged questions", len(grades), task.questions)
    request.expect(qrels, "judgments", sum(map(len, grades.values())), task.judgments)
    grades = _some(grades, request.options["limit"])
    pools = {name: names[:depth] for name, names in _ranked(run).items() if name in grades}
    golds = {
        name: [passage for passage, value in passage_grades.items() if value >= task.relevant]
        for name, passage_grades in grades.items()
    }
    question_texts = wanted_texts(queries, grades)
    texts = wanted_texts(passages, {passage for names in (*pools.values(), *golds.values()) for passage in names})
    groups = []
    for name in grades:
        question = _text(question_texts, name, queries, qrels)
        answers = [Answer(_text(texts, x, passages, run), grades[name].get(x, 0), x) for x in pools.get(name, ())]
        groups.append(Group(question, tuple(answers), name, tuple(texts[x] for x in golds[name] if x in texts)))
    return request.questions(
        run,
        groups,
        relevant=task.relevant,
        pool=f"bm25@{depth}",
        judged=_beyond(grades, pools),
        notes=[_recall(golds, pools, depth)],
    )


def _judgements(path: Path) -> dict[str, dict[str, int]]:
    """Return the grades of a qrels file with the columns question, anything, passage and grade."""
    grades: dict[str, dict[str, int]] = {}
    for where, (question, _, passage, value) in plain(path, 4, None):
        grades.setdefault(question, {})[passage] = grade(value, where)
    return grades


def _some(grades: Mapping[str, dict[str, int]], limit: int) -> dict[str, dict[str, int]]:
    """Return ``limit`` of the questions, always the same ones, or all if ``limit`` is 0."""
    chosen = set(shuffle(grades, list(grades), "limit")[: limit or None])
    return {name: passage_grades for name, passage_grades in grades.items() if name in chosen}


def _ranked(path: Path) -> dict[str, list[str]]:
    """Return the passages of each question, best first, of a TREC run (six columns) or an MS MARCO run (three)."""
    rankings: dict[str, list[tuple[int, str]]] = {}
    for where, line in lines(path):
        cells = line.split()
        if len(cells) not in (3, 6):
            raise ValueError(
                f"{where}: {len(cells)} cells, but a run has six (question, Q0, passage, rank, score, name) "
                f"or three (question, passage, rank)"
            )
        question, passage, rank = (cells[0], cells[2], cells[3]) if len(cells) == 6 else cells
        rankings.setdefault(question, []).append((grade(rank, where), passage))
    return {question: [passage for _, passage in sorted(ranked)] for question, ranked in rankings.items()}


def _text(texts: Mapping[str, str], name: str, path: Path, asking: Path) -> str:
    if name not in texts:
        raise ValueError(f"{asking} names {name!r}, but {path} has no text of that id; are they of one version?")
    return texts[name]


def _beyond(grades: Mapping[str, Mapping[str, int]], pools: Mapping[str, Sequence[str]]) -> dict[str, dict[str, int]]:
    """Return the grades of passages that are not in the pool of their question."""
    within = {name: set(pools.get(name, ())) for name in grades}
    return {
        name: {x: value for x, value in passage_grades.items() if x not in within[name]}
        for name, passage_grades in grades.items()
    }


def _recall(golds: Mapping[str, Sequence[str]], pools: Mapping[str, Sequence[str]], depth: int) -> str:
    right = sum(map(len, golds.values()))
    held = sum(len(set(names) & set(pools.get(name, ()))) for name, names in golds.items())
    share = held / right if right else 0.0
    return f"the pools hold {held:,} of {right:,} relevant passages (recall@{depth} {share:.3f})"


_OPTIONS = {
    "depth": Option(100, "how many passages of the run are candidates"),
    "limit": Option(0, "how many questions, chosen by the hash of their id; 0: all"),
}
_LICENSE = "MS MARCO terms: research only"

MSMARCO = Corpus(
    name="msmarco",
    about="passages for web questions, about one judged right each; a run re-ranked (RR@10: rules of ir_measures)",
    files={
        "dev": tuple(
            f"ranking/msmarco/{name}"
            for name in ("queries.dev.small.tsv", "collection.tsv", "run.dev.small.tsv", "qrels.dev.small.tsv")
        )
    },
    source="MS MARCO passage ranking (Bajaj et al. 2016), and any run on it",
    license=_LICENSE,
    read=_read,
    options=_OPTIONS,
    tried=False,
)

_TREC_FILES = tuple(f"ranking/trecdl19/{name}" for name in ("queries.tsv", "passages.tsv", "run.bm25.txt"))

TRECDL19 = Corpus(
    name="trecdl19",
    # BM25's nDCG@10 is .5093 with these judgments, and .5058, as published, with all 9,260.
    about="43 web questions, the first 100 of BM25 re-ranked; grades 0-3 (2 and 3 relevant) of passages that have text",
    files={"test": (*_TREC_FILES, "ranking/trecdl19/qrels.with_text.txt")},
    source="github castorini/rank_llm, anserini-tools (Craswell et al. 2020)",
    license=_LICENSE,
    read=_read,
    options=_OPTIONS,
)

TRECDL19_COMPLETE = replace(
    TRECDL19,
    name="trecdl19-complete",
    tried=False,
    about="the same 43 questions with all 9,260 judgments: the file of NIST has to be put beside the others",
    files={"test": (*_TREC_FILES, "ranking/trecdl19/qrels.dl19-passage.txt")},
)
