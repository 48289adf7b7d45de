"""What every host must show: rows with values that can be checked by hand, and metrics that misbehave."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest

import answersim
from answersim._base.arrays import FloatArray
from answersim._base.errors import CheckpointNotFoundError, MissingExtraError
from answersim.types import Capabilities, Pair

ROOT = Path(__file__).parents[3]
F1 = "f1|text:en|rev:1"
THRESHOLD = 0.5


class HostRow(NamedTuple):
    """A row as a user has it, and its F1 with its verdict at ``THRESHOLD``."""

    question: str
    golds: str | list[str]
    prediction: str
    value: float
    verdict: str

    @property
    def listed(self) -> list[str]:
        """The gold answers as a list."""
        return [self.golds] if isinstance(self.golds, str) else self.golds


ROWS = (
    HostRow("Which city?", "Rome", "in Rome", 2 / 3, "equivalent"),  # precision 1/2, recall 1
    HostRow("Which city?", ["Rome", "Roma"], "Roma", 1.0, "equivalent"),  # the second gold answer
    HostRow("Which city?", ["Rome", "Roma"], "in Roma, 2", 1 / 2, "equivalent"),  # precision 1/3, recall 1
    HostRow("Which city?", "Rome", "", 0.0, "different"),
    HostRow("Which city?", ["Rome", "Roma"], "Milan", 0.0, "different"),
)
ONE_GOLD = tuple(row for row in ROWS if isinstance(row.golds, str))  # for hosts that have one gold answer per row
VALUES = [row.value for row in ROWS]
PASSED = [row.verdict == "equivalent" for row in ROWS]


@dataclass(frozen=True)
class Constant:
    """A metric that gives every pair the same number."""

    value: float

    @property
    def signature(self) -> str:
        return f"constant|value:{self.value}|rev:1"

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        return np.full(len(pairs), self.value)


@dataclass(frozen=True)
class Raising:
    """A metric that cannot score the prediction "broken", and gives .5 to any other."""

    signature: str = "raising|rev:1"
    rows: ClassVar = tuple(ROWS[0]._replace(prediction=text) for text in ("fine", "broken", "fine too"))

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        if any(pair.pred == "broken" for pair in pairs):
            raise RuntimeError("this prediction is broken")
        return np.full(len(pairs), 0.5)


@dataclass(frozen=True)
class Slow:
    """A metric that takes this many seconds for the prediction "slow", as a network may. It gives .5 to any."""

    seconds: float
    signature: str = "slow|rev:1"
    capabilities = Capabilities(cost="model")

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        if any(pair.pred == "slow" for pair in pairs):
            time.sleep(self.seconds)
        return np.full(len(pairs), 0.5)


def of_encoder(name: str, rows: Sequence[HostRow] = ROWS, questions: Sequence[str] | None = None) -> Any:
    """What ``answersim.score`` gives these rows by a metric with an encoder; the test is skipped without its weights.

    A host may batch the rows in another way, which changes a score by less than 1e-6.
    """
    try:
        golds, predictions = [row.golds for row in rows], [row.prediction for row in rows]
        expected = answersim.score(golds, predictions, name, question=questions)
    except (CheckpointNotFoundError, MissingExtraError) as error:
        pytest.skip(f"needs the weights of {name}: {error}")
    assert len(set(expected.values.tolist())) == len(rows)  # no constant, which would equal anything
    return pytest.approx(expected.values.tolist(), abs=1e-6)


def lines_of(host: str) -> str:
    """The lines to paste for a host, from its section of the page."""
    pages = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("integrations*.md")))
    (section,) = re.findall(rf"^## {re.escape(host)}\n(.*?)(?=^## |\Z)", pages, re.MULTILINE | re.DOTALL)
    return re.findall(r"^```\w+\n(.*?)^```", section, re.MULTILINE | re.DOTALL)[0]


def pasted(host: str, **names: Any) -> dict[str, Any]:
    """Run the lines for a host, and return all names after that."""
    exec(compile(lines_of(host), f"the lines for {host}", "exec"), names)  # what a user does with them
    return names
