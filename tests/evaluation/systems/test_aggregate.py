"""The numbers of an evaluation: which rows each subset has, and what the intervals are over."""

from __future__ import annotations

import numpy as np
import pytest

from answersim.answers.tables.reader import read_answers
from answersim.calibration.verdicts import Decided
from answersim.evaluation.systems.aggregate import clusters_of, subsets_of, system_rows
from answersim.stats.clustered_means import ClusteredMeans

N = 50
DATA = {
    "gold": ["g"] * N,
    "a": ["one two three" if i % 4 else "one" for i in range(N)],
    "b": ["x"] * N,
    "asked": [f"Who {i // 3}?" if i % 2 else f"How many {i // 3}?" for i in range(N)],
    "part": [i % 3 for i in range(N)],
    "size": [i * 1.5 for i in range(N)],
}
ANSWERS = read_answers(DATA, pred=["a", "b"], question="asked", group="part")


@pytest.mark.parametrize(
    ("group", "over", "clusters"), [(None, "questions", DATA["asked"]), ("part", "the values of 'part'", [*"012"])]
)
def test_clusters_are_groups_or_questions(group: str | None, over: str, clusters: list[str]) -> None:
    words, found = clusters_of(read_answers(DATA, pred="a", question="asked", group=group))
    assert (words, set(found)) == (over, set(clusters))
    assert clusters_of(read_answers(DATA, pred="a")) == ("answers", range(N))


def test_each_row_has_the_numbers_of_its_subset() -> None:
    verdicts = (np.arange(N) % 3).astype(np.int8)
    numbers = {name: Decided(np.arange(N) / N + shift, None, verdicts) for name, shift in (("a", 0.0), ("b", 1.0))}
    subsets = list(subsets_of(ANSWERS, ["part", "size", "length", "question"], "en"))
    rows = {(row.subset, row.system): row for row in system_rows(subsets, numbers, ClusteredMeans(range(N), 0.95))}
    assert (rows["part=0", "a"].n, rows["part=1", "a"].n) == (17, 17)
    assert (rows["question=who", "b"].n, rows["question=how many", "b"].n) == (25, 25)
    assert (rows["length=3-5", "a"].n, rows["length=0-1", "a"].n, rows["length=0-1", "b"].n) == (37, 13, 50)
    assert ("length=3-5", "b") not in rows
    assert sum(row.n for (subset, system), row in rows.items() if subset.startswith("size=") and system == "a") == N
    assert rows["part=1", "b"].mean.value == pytest.approx(np.mean([i / N + 1 for i in range(N) if i % 3 == 1]))


def test_a_column_with_too_many_texts_is_no_subset() -> None:
    with pytest.raises(ValueError, match="'asked' has 34 different values"):
        list(subsets_of(ANSWERS, ["asked"], "en"))
    with pytest.raises(LookupError, match="has no column 'kind'"):
        list(subsets_of(ANSWERS, ["kind"], "en"))
