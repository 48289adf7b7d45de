"""Files to score, and a metric that counts the pairs that it scores."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.io.partial_results import UnfinishedWarning
from answersim.scoring.streaming import FileScores, score_file
from answersim.types import FloatArray, Metric, Pair

WORDS = ["Rome", "in Rome", "the National Football League", "NFL", "eleven", "11", "a b c", "", "Zürich", "北京"]
N = 23


class Counting:
    """The length of both texts; it counts the pairs that it was asked, and breaks at the one that is named."""

    def __init__(self, breaks_at: int | None = None, name: str = "counting") -> None:
        self.asked, self.breaks_at, self.name = 0, breaks_at, name

    @property
    def signature(self) -> str:
        return f"{self.name}|v:1"

    def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
        self.asked += len(pairs)
        if self.breaks_at is not None and self.asked > self.breaks_at:
            raise RuntimeError("it broke")
        return np.array([(len(gold) + len(pred)) / 7 for gold, pred in pairs])


def lines(n: int = N) -> list[dict[str, str]]:
    return [{"id": str(i), "gold": WORDS[i % 10], "pred": WORDS[i * 3 % 7]} for i in range(n)]


def source(path: Path, rows: list[Any] | None = None) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in (lines() if rows is None else rows)), "utf-8")
    return path


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def run(path: Path, out: Path | None, metric: Metric | None = None, **more: Any) -> FileScores:
    metrics = {"em": answersim.metric("em"), "counting": metric or Counting()}
    prefix, log, pred_path = (more.pop(name, None) for name in ("prefix", "log", "pred_path"))
    data = path if pred_path is None else [path, pred_path]
    answers = answersim.read_answers(data, format=log if pred_path is None else "lines", **more)
    return score_file(answers, metrics, out, prefix=prefix or "")


class Asking(Counting):
    """Adds the length of the question."""

    reads_questions = True

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None, /) -> FloatArray:
        return super().__call__(pairs) + np.array([float(len(each)) for each in questions or [""] * len(pairs)])


def in_full(tmp_path: Path, suffix: str, rows: list[Any] | None = None) -> bytes:
    """The output of a run that nothing broke off."""
    (tmp_path / "full").mkdir(exist_ok=True)
    run(source(tmp_path / "full" / "t.jsonl", rows), tmp_path / "full" / f"out.{suffix}")
    return (tmp_path / "full" / f"out.{suffix}").read_bytes()


def broken(tmp_path: Path, suffix: str, at: int) -> None:
    """A run of which the metric breaks at this pair."""
    kept = rf"{at // 4 * 4} rows are scored and kept in .*\.answersim-\w+-\w+; the same command"
    with pytest.warns(UnfinishedWarning, match=kept), pytest.raises(RuntimeError, match="it broke"):
        run(source(tmp_path / "t.jsonl"), tmp_path / f"out.{suffix}", Counting(at))
