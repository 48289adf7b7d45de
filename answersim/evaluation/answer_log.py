"""The answers with the requested verdicts: their texts in a temporary file, their order in memory."""

from __future__ import annotations

import json
import tempfile
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from answersim.calibration.verdicts import ANSWER_VERDICTS, AnswerVerdict
from answersim.evaluation.tables import AnswerRow
from answersim.io import chunks, files, output_files

ORDER: tuple[AnswerVerdict, ...] = ("wrong", "unsure", "not attempted", "right")
_IN_MEMORY = 8_000_000  # bytes of texts up to which there is no file


def columns_of(extracts: bool) -> tuple[str, ...]:
    """Return the columns of a table of answers, with those of an extraction or without them."""
    return AnswerRow._fields[:-1] if extracts else AnswerRow._fields[:-3]


class AnswerLog:
    """The listed answers: by system, in the order of ``ORDER``, and by rising probability (or score) in each verdict.

    A context manager, because the texts may be in a temporary file. 25 bytes per listed answer are in memory.
    """

    def __init__(self, systems: Sequence[str], keep: Sequence[AnswerVerdict], *, extracts: bool = False) -> None:
        self.systems = list(systems)
        self._columns = columns_of(extracts)
        self.verdicts = [ANSWER_VERDICTS.index(verdict) for verdict in ORDER if verdict in keep]
        # Not in the folder of the output: after a kill, the system removes it.
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 # closed by __exit__
        self._end = 0
        self._places, self._keys = array("q"), array("d")
        self._system, self._verdict = array("l"), array("b")

    def __enter__(self) -> AnswerLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def __len__(self) -> int:
        return len(self._places)

    def add(self, answer: AnswerRow) -> None:
        """Add an answer, after those of earlier rows."""
        line = json.dumps([answer.row, *answer[3:]]).encode() + b"\n"
        self._places.append(self._end)
        self._keys.append(answer.score if answer.probability is None else answer.probability)
        self._system.append(self.systems.index(answer.system))
        self._verdict.append(ORDER.index(answer.verdict))
        self._file.write(line)
        self._end += len(line)

    def answers(self, most: Mapping[AnswerVerdict, int] | None = None) -> Iterator[AnswerRow]:
        """Yield the answers in their order, all or so many of each system and verdict."""
        seen: Counter[tuple[int, int]] = Counter()
        for i in self._order():
            kind = (self._system[i], self._verdict[i])
            seen[kind] += 1
            if most is not None and seen[kind] > most.get(ORDER[kind[1]], 0):
                continue
            self._file.seek(self._places[i])
            row, *rest = json.loads(self._file.readline())
            answer = AnswerRow(row, self.systems[self._system[i]], ORDER[self._verdict[i]], *rest)
            yield answer if answer.place is None else answer._replace(place=(*answer.place,))
        self._file.seek(self._end)

    def write(self, output: Path) -> None:
        """Write all answers to this table, completely or not at all. Errors are those of ``files.write``."""
        suffix = output_files.format_of(output)
        schema = None
        if suffix == ".parquet":
            types = chunks.Types()
            for table in self._tables():
                types.add(table)
            schema = types.schema(self._columns)
        with (
            output_files.atomic_write(output) as place,
            chunks.appending(place, suffix, self._columns, (), schema) as append,
        ):
            for table in self._tables():
                append(table, [[] for _ in table.rows])

    def _tables(self) -> Iterator[files.Table]:
        answers = self.answers()
        while rows := [dict(zip(self._columns, answer, strict=False)) for answer in islice(answers, chunks.ROWS)]:
            yield files.Table(self._columns, rows)

    def _order(self) -> Iterator[int]:
        keys = [np.array(column) for column in (self._keys, self._verdict, self._system)]
        order: NDArray[np.intp] = np.lexsort(keys)  # stable: equal answers stay in the order of their rows
        return iter(order.tolist())
