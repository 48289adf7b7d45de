"""STS-B: its files, and pairs that are held out."""

from __future__ import annotations

from pathlib import Path

from tools.weights.pairs.sts import ScoredPair, csv_path, read_csv, sides, without_overlap

PAIRS = [ScoredPair("A dog.", "A cat", 1.5), ScoredPair("red", "blue", 0.0), ScoredPair("one", "1", 5.0)]


def test_a_file_gives_its_pairs_in_order(tmp_path: Path) -> None:
    path = csv_path(tmp_path, "en", "dev")
    assert path.name == "en-dev.csv"
    path.write_text('"A dog.",A cat,1.5\nred,blue,0\none,1,5.0\n')
    assert read_csv(path) == PAIRS
    assert sides(PAIRS) == (["A dog.", "red", "one"], ["A cat", "blue", "1"])


def test_held_out_pairs_are_left_out_in_either_order_and_spelling() -> None:
    held_out = [ScoredPair("a cat!", "a dog", 3.0)], [ScoredPair("red", "green", 0.0)]
    assert without_overlap(PAIRS, *held_out) == PAIRS[1:]
