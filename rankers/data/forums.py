"""Corpora of answers by users and experts: ANTIQUE, InsuranceQA, YahooQA and FiQA."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankers.data.corpus import Option, Request, described
from rankers.data.leaks import negatives, normalize
from rankers.data.pools import Answer, CandidateRow, Group, blocks, digest, share
from rankers.data.tables import document, grade, lines, objects, plain, read_quoted
from rankers.types import Questions

_ANTIQUE_RELEVANT = 3
_ANTIQUE_GAINS = {1: 0, 2: 1, 3: 2, 4: 3}  # linear, from the second lowest grade on (the corpus' own readme)


def _read_antique(request: Request) -> Questions:
    path, *held_out = request.paths()
    groups = _antique_train(path, held_out) if request.split == "train" else _graded(path)
    return request.questions(path, groups, relevant=_ANTIQUE_RELEVANT, gains=_ANTIQUE_GAINS)


def _graded(path: Path) -> Iterator[Group]:
    """Yield the questions of a file with the columns question, answer, binary label and grade, quoted as in CSV."""
    return blocks(
        CandidateRow(question, question, Answer(answer, grade(label, where)))
        for where, (question, answer, _, label) in read_quoted(path, 4)
    )


def _antique_train(path: Path, others: Sequence[Path]) -> Iterator[Group]:
    """Yield the judged questions that are not in dev or test and share at most a stray answer with those."""
    held_out = [group for other in others for group in _graded(other)]
    questions = {_plain(group.text) for group in held_out}
    pools = [{_plain(answer.text) for answer in group.answers} for group in held_out]
    content = document(path)
    if not all(isinstance(value, list) for value in content.values()):
        raise ValueError(f"{path} must be an object from each question to the list of its labeled answers")
    for question, judged in content.items():
        answers = tuple(_judged_answer(path, question, entry) for entry in judged)
        own = {_plain(answer.text) for answer in answers}
        # Most of the answers of one of the pools: the same question in another spelling.
        is_known = any(2 * len(own & pool) > min(len(own), len(pool)) for pool in pools)
        if _plain(question) not in questions and not is_known:
            yield Group(question, answers)


def _plain(words: str) -> str:
    return " ".join(words.lower().split())


def _judged_answer(path: Path, question: str, judged: Any) -> Answer:
    where = f"{path}, an answer to {question!r}"
    if not isinstance(judged, dict) or not isinstance(judged.get("passage"), str):
        raise ValueError(f"{where}: {judged!r} has no text under 'passage'")
    return Answer(judged["passage"], grade(judged.get("label"), where))  # its id begins with its author's question


ANTIQUE = described("antique", _read_antique)


_N_MINI_ANSWERS = 8_690


def _read_mini(request: Request) -> Questions:
    path, texts_path = request.paths()
    texts = dict(cells for _, cells in plain(texts_path, 2))
    request.expect(texts_path, "answers", len(texts), _N_MINI_ANSWERS)
    rows = [(question, right.split(), wrong.split()) for _, (question, right, wrong) in plain(path, 3)]
    pool = "reduced"
    if request.split == "train":
        # These have no pool: their negatives are random right answers of other training questions. So no answer is
        # right or wrong more often than another, nothing can be learned from the answers alone, and no answer of a dev
        # or test question is seen.
        number, positives = request.options["negatives"], sorted({name for _, right, _ in rows for name in right})
        rows = [
            (question, right, _others(positives, right, number, ("insuranceqa", request.seed, str(place), question)))
            for place, (question, right, _) in enumerate(rows)
        ]
        pool = f"random@{number}"
    # The letter of an id reveals the source of its text, and only positives are from X: so ids are hashed.
    groups = [_group(path, question, right, [*right, *wrong], texts) for question, right, wrong in rows]
    return request.questions(path, groups, pool=pool)


def _others(positives: Sequence[str], right: Sequence[str], number: int, seed: tuple[object, ...]) -> list[str]:
    """Return ``number`` ids of answers that are not positives of this question, without repetition."""
    rng = np.random.default_rng(int(digest(*seed), 16))
    n_right = len(set(right))
    drawn = rng.choice(len(positives), size=min(number + n_right, len(positives)), replace=False)
    return [positives[i] for i in drawn if positives[i] not in right][:number]


def _group(path: Path, question: str, right: Sequence[str], pool: Sequence[str], texts: Mapping[str, str]) -> Group:
    """Return the question with its pool, each answer once. A positive that is not in the pool is not added."""
    if missing := [name for name in [*right, *pool] if name not in texts]:
        raise ValueError(f"{path}: {question!r} has the answer {missing[0]!r}, which is not in the file of answers")
    answers = tuple(Answer(texts[name], int(name in right)) for name in dict.fromkeys(pool))
    return Group(question, answers, golds=tuple(texts[name] for name in right))


MINI = described(
    "insuranceqa-mini",
    _read_mini,
    options={"negatives": Option(50, "random positives of other questions in the pool of each training question")},
)


_FIVE = 5  # candidates per question, one of them right
_DEV_SHARE = 0.15


def _read_yahoo(request: Request) -> Questions:
    """Read a split with the questions and right answers of the sample, and newly drawn negatives."""
    paths = request.paths()  # the test file first, whose texts are in no other split
    groups, n_repeated = _first_of_each([list(_fives(path)) for path in paths], paths)
    chosen, path = groups[0], paths[0]
    if request.split != "test":  # dev is cut from train by the hash of the normalized text
        is_dev, path = request.split == "dev", paths[1]
        chosen = [group for group in groups[1] if (share("dev", normalize(group.text)) < _DEV_SHARE) == is_dev]
    right = [group.answers[0].text for group in chosen]
    drawn = negatives([group.text for group in chosen], right, _FIVE - 1)
    built = [
        Group(group.text, (group.answers[0], *(Answer(right[place], 0) for place in places)))
        for group, places in zip(chosen, drawn.tolist(), strict=True)
    ]
    notes = [
        "negatives: right answers of other questions of this split, drawn from the fifth that shares most words with "
        f"the question, each answer {_FIVE - 1} times",
        f"{n_repeated} questions of the sample that repeat a question or a right answer are left out",
    ]
    return request.questions(path, built, pool="balanced overlap@5", notes=notes)


def _first_of_each(files: Sequence[Sequence[Group]], paths: Sequence[Path]) -> tuple[list[list[Group]], int]:
    """Return the groups of each file with only their right answer, and the number of groups left out.

    A group is left out if its question or its right answer has the normalized text of an earlier one, in any file.
    """
    seen: tuple[set[str], set[str]] = (set(), set())
    firsts: list[list[Group]] = []
    for groups, path in zip(files, paths, strict=True):
        firsts.append([])
        for group in groups:
            right = [answer for answer in group.answers if answer.grade]
            if len(right) != 1:
                raise ValueError(f"{path}: {group.text!r:.60} has {len(right)} right answers, but each must have one")
            keys = normalize(group.text), normalize(right[0].text)
            if not any(key in known for key, known in zip(keys, seen, strict=True)):
                firsts[-1].append(Group(group.text, (right[0],)))
            for key, known in zip(keys, seen, strict=True):
                known.add(key)
    return firsts, sum(map(len, files)) - sum(map(len, firsts))


def _fives(path: Path) -> Iterator[Group]:
    """Yield every five lines "question#answer#label" as a question. A text that occurs again is another question."""
    block: list[tuple[str, Answer]] = []
    for where, line in lines(path):
        cells = line.split("#")
        if len(cells) != 3:
            raise ValueError(f"{where}: {len(cells)} cells, but each line must be question#answer#label")
        block.append((cells[0], Answer(cells[1], grade(cells[2], where))))
        if len({question for question, _ in block}) > 1:
            raise ValueError(f"{where}: another question, but each must have {_FIVE} lines")
        if len(block) == _FIVE:
            yield Group(cells[0], tuple(answer for _, answer in block))
            block = []
    if block:
        raise ValueError(
            f"{path} ends within a question: each must have {_FIVE} lines, but the last one has {len(block)}"
        )


YAHOO = described("yahoocqa-disjoint", _read_yahoo)


_N_FIQA = (333, 865)
_DEV_FROM, _TEST_FROM = 0.60, 0.75


def _read_fiqa(request: Request) -> Questions:
    """Read a split whose candidates are the positives of its own questions, all of them for every question."""
    path, texts_path = request.paths()
    texts = dict(cells for _, cells in plain(texts_path, 2))
    queries: list[tuple[str, str, tuple[str, ...]]] = []  # id, text and ids of the positives
    for where, row in objects(path):
        if any(name not in row for name in ("qid", "question", "gold")):
            raise ValueError(f"{where}: each line must be an object with qid, question, gold")
        queries.append((str(row["qid"]), row["question"], tuple(map(str, row["gold"]))))
    for things, count, size in zip(("questions", "answers"), (len(queries), len(texts)), _N_FIQA, strict=True):
        request.expect(path, things, count, size)
    golds = [name for _, _, right in queries for name in right]
    if unknown := [name for name in golds if name not in texts]:
        raise ValueError(f"{path} names {unknown[0]!r}, but there is no text of that id; are the files of one version?")
    queries = [query for query in queries if _fiqa_split(query[0]) == request.split]
    pool = [name for _, _, right in queries for name in right]
    groups = [
        Group(
            text,
            tuple(Answer(texts[name], int(name in right), name) for name in pool),
            query_id,
            tuple(texts[name] for name in right),
        )
        for query_id, text, right in queries
    ]
    notes = [f"every question has all {len(pool)} positives of the split as candidates"]
    return request.questions(path, groups, pool="all of the split", notes=notes)


def _fiqa_split(question: str) -> str:
    """Return the split of a question of the partial corpus, by the hash of its id: about 60, 15 and 25 %."""
    place = share("fiqa-partial", question)
    return "train" if place < _DEV_FROM else "dev" if place < _TEST_FROM else "test"


FIQA = described("fiqa-disjoint", _read_fiqa)
