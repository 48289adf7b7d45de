"""STS-B: its files, and pairs that are held out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.weights.pairs.sts import ScoredPair, csv_path, read_csv, sides, without_overlap

PAIRS = [ScoredPair("A dog.", "A cat", 1.5), ScoredPair("red", "blue", 0.0), ScoredPair("one", "1", 5.0)]


def test_a_file_gives_its_pairs_in_order(tmp_path: Path) -> None:
    path = csv_path(tmp_path, "en", "dev")
    assert path.name == "en-dev.csv"
    path.write_text('"A dog.",A cat,1.5\nred,blue,0\none,1,5.0\n')
    assert read_csv(path) == PAIRS
    assert sides(PAIRS) == (["A dog.", "red", "one"], ["A cat", "blue", "1"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty, but it must contain sentence pairs"),
        ("a,b\n", "2 columns, but there must be 3: sentence1, sentence2, score"),
        ("a,b,1\na, ,1\n", "2: one of the two sentences is empty"),
        ("a,b,5.1\n", "the score is '5.1', but it must be a number from 0 to 5"),
        ("a,b,high\n", "the score is 'high'"),
        ("a,b,nan\n", "the score is 'nan'"),
    ],
)
def test_a_wrong_line_is_an_error_that_names_it(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "en-dev.csv").write_text(content)
    with pytest.raises(ValueError, match=message):
        read_csv(tmp_path / "en-dev.csv")


def test_a_missing_file_is_an_error_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no STS-B file at .*name it with --data"):
        read_csv(tmp_path / "en-dev.csv")


def test_held_out_pairs_are_left_out_in_either_order_and_spelling() -> None:
    held_out = [ScoredPair("a cat!", "a dog", 3.0)], [ScoredPair("red", "green", 0.0)]
    assert without_overlap(PAIRS, *held_out) == PAIRS[1:]
