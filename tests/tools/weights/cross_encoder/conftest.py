"""STS-B in small, and a tiny base."""

import csv

import numpy as np
import pytest

WORDS = "a man dog cat runs sleeps red blue big".split()


@pytest.fixture(scope="session")
def tiny_base(tiny):
    return tiny("bert")


def write(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


@pytest.fixture
def data(tmp_path):
    """STS-B in small, in a folder ``stsb``; see ``small_sts``."""
    return small_sts(tmp_path / "data")


def small_sts(place):
    """Write STS-B in small and return its folder: splits of 18, 8 and 8 sentence pairs, all different."""
    folder = place / "stsb"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, size=rng.integers(2, 6))) + f" {i}" for i in range(68)]
    rows = [(texts[i], texts[i + 34], round(float(rng.uniform(0, 5)), 3)) for i in range(34)]
    for split, part in (("train", rows[:18]), ("dev", rows[18:26]), ("test", rows[26:])):
        write(folder / f"en-{split}.csv", part)
    return folder
