"""The training pairs of a bi-encoder: from which file or rule, how split, and who labels them."""

from pathlib import Path

from answersim.training.bi_encoder import training_pairs
from answersim.training.bi_encoder.recipe import PRESETS
from tests.training.command_line import invoke


def test_the_file_of_the_paper_is_the_default_and_is_split_by_entity(runs, names_file, tmp_path, monkeypatch):
    home = tmp_path / "data"
    (home / "names").mkdir(parents=True)
    names_file.rename(home / training_pairs.NAMES)
    monkeypatch.setenv("ANSWERSIM_DATA", str(home))
    result = invoke("names")
    assert result.exit_code == 0, result.output
    job, recipe, prepared, line = runs[0]
    assert recipe == PRESETS["cpu"]
    assert (recipe.batch_size, recipe.epochs, recipe.warmup_ratio) == (64, 2, 0.45)
    assert line == "answersim train names"
    assert job.output == Path("runs/names")
    splits: dict[str, set[str]] = {}
    for pair in prepared.pairs:
        for text in pair[:2]:
            splits.setdefault(text, set()).add(pair.split)
    assert {len(split) for split in splits.values()} == {1}
    assert prepared.metadata["split"] == "by entity"
    assert prepared.metadata["left_out"] == 600 - len(prepared.pairs)
    assert set(prepared.metadata["files"]) == {training_pairs.NAMES.name}


def test_keep_split_keeps_it_and_counts_names_in_two_splits(runs, names_file):
    assert invoke("names", "--pairs", names_file, "--keep-split").exit_code == 0
    *_, prepared, line = runs[0]
    assert len(prepared.pairs) == 600
    assert prepared.metadata["shared_texts"] > 0
    assert line == "answersim train names --pairs name_pairs.csv --keep-split"


def test_without_the_papers_file_a_line_says_what_to_do(no_data, tmp_path):
    result = invoke("names")
    assert result.exit_code == 2
    assert "no name pairs: $ANSWERSIM_DATA is not set; put the file" in result.stderr
    assert "--pairs" in result.stderr
    assert len(result.stderr.splitlines()) == 1
