"""YahooQA: a small sample of its questions and right answers, with negatives that are drawn anew.

As it is distributed, the small sample leaks: 958 of the 960 negatives of test are negatives of train. So only its
questions and right answers are read here, and negatives are drawn anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rankers.data.corpus import Corpus, Counts, Request
from rankers.data.disjoint import negatives, normalize
from rankers.data.pools import Answer, Group, share
from rankers.data.tables import grade, lines
from rankers.types import Questions

_SAMPLE = "ranking/yahoocqa-small"
_GROUP = 5  # candidates per question, one of them right
_DEV_SHARE = 0.15
_DISJOINT_COUNTS = {
    "train": Counts(1_272, 6_360, 1_272),
    "dev": Counts(235, 1_175, 235),
    "test": Counts(239, 1_195, 239),
}


def _read_disjoint(request: Request) -> Questions:
    """Read a split with the questions and right answers of the sample, and newly drawn negatives."""
    paths = [request.path(f"{_SAMPLE}/{name}.txt") for name in ("test", "train")]
    groups, n_repeated = _first_of_each([list(_fives(path)) for path in paths], paths)
    if request.split == "test":
        chosen, path = groups[0], paths[0]
    else:  # dev is cut from train by the hash of the normalized text
        chosen, path = [g for g in groups[1] if _in_dev(g.text) == (request.split == "dev")], paths[1]
    right = [group.answers[0].text for group in chosen]
    drawn = negatives([group.text for group in chosen], right, _GROUP - 1)
    built = [
        Group(group.text, (group.answers[0], *(Answer(right[place], 0) for place in places)))
        for group, places in zip(chosen, drawn.tolist(), strict=True)
    ]
    notes = [
        "negatives: right answers of other questions of this split, drawn from the fifth that shares most words with "
        f"the question, each answer {_GROUP - 1} times",
        f"{n_repeated} questions of the sample that repeat a question or a right answer are left out",
    ]
    return request.questions(path, built, _DISJOINT_COUNTS[request.split], pool="balanced overlap@5", notes=notes)


def _in_dev(question: str) -> bool:
    return share("dev", normalize(question)) < _DEV_SHARE


def _first_of_each(files: Sequence[Sequence[Group]], paths: Sequence[Path]) -> tuple[list[list[Group]], int]:
    """Return the groups of each file with only their right answer, and the number of groups left out.

    A group is left out if its question or its right answer has the normalized text of an earlier one, in any file.
    """
    seen: tuple[set[str], set[str]] = (set(), set())
    kept: list[list[Group]] = []
    for groups, path in zip(files, paths, strict=True):
        kept.append([])
        for group in groups:
            right = [answer for answer in group.answers if answer.grade]
            if len(right) != 1:
                raise ValueError(f"{path}: {group.text!r:.60} has {len(right)} right answers, but each must have one")
            keys = normalize(group.text), normalize(right[0].text)
            if not any(key in known for key, known in zip(keys, seen, strict=True)):
                kept[-1].append(Group(group.text, (right[0],)))
            for key, known in zip(keys, seen, strict=True):
                known.add(key)
    return kept, sum(map(len, files)) - sum(map(len, kept))


def _fives(path: Path) -> Iterator[Group]:
    """Yield every five lines "question#answer#label" as a question. A text that occurs again is another question."""
    block: list[tuple[str, Answer]] = []
    for where, line in lines(path):
        cells = line.split("#")
        if len(cells) != 3:
            raise ValueError(f"{where}: {len(cells)} cells, but each line must be question#answer#label")
        block.append((cells[0], Answer(cells[1], grade(cells[2], where))))
        if len({question for question, _ in block}) > 1:
            raise ValueError(f"{where}: another question, but each must have {_GROUP} lines")
        if len(block) == _GROUP:
            yield Group(cells[0], tuple(answer for _, answer in block))
            block = []
    if block:
        raise ValueError(
            f"{path} ends within a question: each must have {_GROUP} lines, but the last one has {len(block)}"
        )


DISJOINT = Corpus(
    name="yahoocqa-disjoint",
    about="questions and right answers of a 3 % sample, negatives drawn anew: no text is in two splits",
    files={
        "train": (f"{_SAMPLE}/train.txt", f"{_SAMPLE}/test.txt"),
        "dev": (f"{_SAMPLE}/train.txt", f"{_SAMPLE}/test.txt"),
        "test": (f"{_SAMPLE}/test.txt", f"{_SAMPLE}/train.txt"),
    },
    source="github BUAAw-ML @ 33aedf5",
    license="Yahoo! Webscope L4, not to be redistributed",
    read=_read_disjoint,
)
