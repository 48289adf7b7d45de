"""What every engine for many rows must show: each row once, with the numbers of ``score`` to the last digit."""

import os
import signal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import answersim
from answersim._base.arrays import FloatArray
from answersim.types import Pair

METRICS = ("f1", "typed+recall")
ANSWERS = (
    (["National Football League", "NFL"], "the NFL"),
    (["eleven"], "11"),
    (["cortex"], "Old John Feather Merchant, born in 1945"),
    ([""], "北京"),
    (["12 May 1945", "1945"], "in May 1945"),
)


def rows(n: int = 60) -> list[dict[str, Any]]:
    """So many different rows: an id, gold answers, a prediction, and a column that nothing reads."""
    return [
        {"id": i, "golds": ANSWERS[i % 5][0], "pred": ANSWERS[i % 5][1] + " more" * (i % 7), "kept": f"row {i}"}
        for i in range(n)
    ]


def check(
    scored: Iterable[Mapping[str, Any]], given: Sequence[Mapping[str, Any]], metrics: Sequence[str] = METRICS
) -> None:
    """Check that these are the given rows, in any order, with the scores of each metric."""
    result = sorted((dict(row) for row in scored), key=lambda row: row["id"])
    assert [row["id"] for row in result] == [row["id"] for row in given]  # none lost, none doubled
    assert [row["kept"] for row in result] == [row["kept"] for row in given]
    for name in metrics:
        expected = answersim.score([row["golds"] for row in given], [row["pred"] for row in given], name)
        assert len(set(expected.values.tolist())) > 1
        assert [row[name] for row in result] == expected.values.tolist()


class Asking:
    """A metric that gives the length of the question."""

    signature = "asking|v:1"
    reads_questions = True

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        return np.array([float(len(text)) for text in questions or [""] * len(pairs)])


@dataclass(frozen=True)
class Killed:
    """A metric that ends its process once, in the middle of a task, and then gives the length of each prediction."""

    folder: str

    @property
    def signature(self) -> str:
        return "killed|rev:1"

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        with (Path(self.folder) / str(os.getpid())).open("a") as file:
            file.write(f"{len(pairs)}\n")
        if pairs and any(pair.pred == "kill 3" for pair in pairs):
            try:
                (Path(self.folder) / "was-killed").touch(exist_ok=False)
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return np.array([len(pair.pred) for pair in pairs], dtype=np.float64)
