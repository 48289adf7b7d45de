"""Appendix C of the paper: the pairs of numbers, and the training of the paper on them."""

import subprocess
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from answersim.training.data.pairs import read_pairs
from benchmarks import appendix_c


def test_the_pairs_are_written_and_trained_on_as_in_the_paper(tmp_path, monkeypatch):
    pytest.importorskip("num2words")
    calls = []
    monkeypatch.setattr(subprocess, "run", lambda words, check: calls.append(words) or SimpleNamespace(returncode=3))
    words = ["--output", str(tmp_path / "runs"), "--seed", "1", "--base", "small", "--option", "limit=8"]
    result = CliRunner().invoke(appendix_c.app, words)
    assert result.exit_code == 3  # that of the training
    (line,) = calls
    pairs = tmp_path / "runs" / "pairs.csv"
    assert line[1:] == [
        *("-m", "answersim", "train", "names", "--paper", "--pairs", str(pairs), "--seed", "1"),
        *("--output", str(tmp_path / "runs"), "--base", "small", "--option", "limit=8"),
    ]
    assert {pair.label for pair in read_pairs(pairs)} == {0.0, 1.0}
