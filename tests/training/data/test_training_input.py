"""The pairs of a training: from a file, split anew or not, with the labels of the file or of a teacher."""

import pytest

from answersim.training.data.pairs import TrainingPair, write_pairs
from answersim.training.data.training_input import TrainingInput, from_file, labeled

PAIRS = [TrainingPair(f"a {i}", f"b {i % 4}", (i % 3) / 2, ("train", "dev")[i % 2]) for i in range(12)]


def test_a_file_is_split_by_entity_or_keeps_its_split(tmp_path):
    path = tmp_path / "pairs.csv"
    write_pairs(PAIRS, path)
    kept = from_file(path, keep_split=True)
    assert kept.pairs == PAIRS
    assert (kept.metadata["split"], kept.metadata["shared_texts"]) == ("as in the file", 0)
    again = from_file(path, seed=1)
    assert len(again.pairs) + again.metadata["left_out"] == len(PAIRS)
    assert again.metadata["split"] == "by entity"
    assert again.metadata["files"] == kept.metadata["files"]
    assert from_file(path, seed=1) == again


def test_the_summary_counts_sources_and_what_was_left_out():
    pairs = [TrainingPair("a", "b", 1.0, source="alias"), TrainingPair("a", "c", 0.0)]
    summary = TrainingInput(pairs, {"left_out": 2}).summary()
    assert summary == "2 pairs: 1 alias, 1 given; left out: 2 whose texts are of two splits"


def test_a_teacher_labels_all_but_1_and_by_default_only_unlabeled_pairs(tmp_path):
    pairs = [TrainingPair("a b", "c b", 1.0), TrainingPair("a b", "x", 0.4), TrainingPair("john a", "john b", None)]
    lines = []

    def labels(teacher, some=pairs):
        given = TrainingInput(list(some), {})
        result = labeled(given, teacher, tmp_path / "cache", lines.append)
        return [round(pair.label, 3) for pair in result.pairs], result.metadata["teacher"]

    numbers, teacher = labels("f1")
    assert numbers == [1, 0, 0.667]
    assert teacher["labeled"] == 2
    assert teacher["signature"].startswith("f1|")
    assert "2 pairs labeled by f1" in lines[0]
    assert labels("recorded", pairs[:2]) == ([1, 0.4], "recorded")
    assert labels(None, pairs[:2]) == ([1, 0.4], "recorded")
    with pytest.raises(ValueError, match="1 of 3 pairs have no recorded label"):
        labels("recorded")
