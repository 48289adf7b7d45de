"""The search for settings: its trials come from the space of the paper, and it is resumed with the same trials."""

from dataclasses import replace

import pytest

from answersim.training.bi_encoder import search
from answersim.training.bi_encoder import train as bi_encoder
from answersim.training.bi_encoder.recipe import BiEncoderRecipe
from answersim.training.data.pairs import TrainingPair

optuna = pytest.importorskip("optuna")
pytest.importorskip("sentence_transformers")

RECIPE = BiEncoderRecipe(
    lora_r=2, precision="fp32", measure="spearman", learning_rate=0.005, evaluate_every=0, checkpoint_every=1, seed=3
)
PAIRS = [
    TrainingPair(first, second, label, split)
    for split in ("train", "dev")
    for first, second, label in (
        ("eleven", "11", 1.0),
        ("the NFL", "National Football League", 0.9),
        ("cortex", "Müller", 0.0),
        ("eleven", "cortex", 0.2),
    )
]


@pytest.fixture
def trials(monkeypatch):
    """In the place of training: the recipes that were asked for; each is worth its warm-up, less its epochs."""
    asked = []

    def train(recipe, pairs, output, **options):
        asked.append((recipe, output, options))
        return bi_encoder.Trained(
            None, recipe.measure, [{"step": 1, "spearman": recipe.warmup_ratio - recipe.epochs}], {}, 1.0
        )

    monkeypatch.setattr(search.bi_encoder, "train", train)
    return asked


def settings(asked):
    return [(recipe.batch_size, recipe.epochs, recipe.warmup_ratio) for recipe, *_ in asked]


def run(output, count, base, recipe=RECIPE, **options):
    return search.search(recipe, PAIRS, output, count, base=str(base), log=lambda _: None, **options)


def test_trials_come_from_the_papers_space_and_its_best_settings_first(trials, base, tmp_path):
    run(tmp_path, 8, base)
    assert settings(trials)[0] == (64, 2, 0.45)
    for batch, epochs, warm in settings(trials):
        assert batch in (16, 32, 64, 128, 256)
        assert epochs in (1, 2, 3, 4)
        assert 0 <= warm <= 0.5
    assert len(set(settings(trials))) > 5
    assert {recipe.lora_r for recipe, *_ in trials} == {2}


def test_the_test_split_is_never_evaluated_and_only_checkpoints_are_written(trials, base, tmp_path):
    run(tmp_path, 2, base)
    assert [(options["test"], options["write"]) for *_, options in trials] == [(False, False)] * 2


def test_an_interrupted_search_is_resumed_with_the_same_trials(trials, base, tmp_path, monkeypatch):
    whole = run(tmp_path / "whole", 6, base)
    expected = settings(trials)
    del trials[:]
    train = search.bi_encoder.train

    def stop(*given, **options):
        if len(trials) == 3:
            raise KeyboardInterrupt
        return train(*given, **options)

    with monkeypatch.context() as patch:
        patch.setattr(search.bi_encoder, "train", stop)
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path / "stopped", 6, base)
    with (tmp_path / "stopped" / search.STUDY).open("ab") as file:
        file.write(b'{"op_code": 5, "wor')  # killed while it wrote
    resumed = run(tmp_path / "stopped", 6, base)
    assert settings(trials) == expected
    assert resumed[:2] == whole[:2]
    run(tmp_path / "stopped", 6, base)  # nothing is left to do
    assert len(trials) == 6
    run(tmp_path / "stopped", 7, base)  # one more
    assert len(trials) == 7


def test_a_study_of_another_recipe_or_other_pairs_is_refused(trials, base, tmp_path):
    run(tmp_path, 1, base)
    with pytest.raises(ValueError, match="another recipe: lora_r was 2 and is 3 now; start over with --no-resume"):
        run(tmp_path, 2, base, replace(RECIPE, lora_r=3))
    with pytest.raises(ValueError, match="another data"):
        search.search(RECIPE, PAIRS[1:], tmp_path, 2, base=str(base))
    run(tmp_path, 1, base, replace(RECIPE, lora_r=3), resume=False)
    assert trials[-1][0].lora_r == 3
    run(tmp_path, 2, base, replace(RECIPE, lora_r=3, epochs=4))  # what is searched is not given
    with pytest.raises(ValueError, match="trials is 0"):
        run(tmp_path, 0, base)


@pytest.mark.slow  # test_train.py has the quick test of a kill
def test_an_interrupted_trial_is_resumed_from_its_checkpoint(base, tmp_path, steps):
    with steps.interrupted_before(1):
        run(tmp_path, 1, base)
    assert not (tmp_path / "trials.csv").exists()
    lines = []
    search.search(RECIPE, PAIRS, tmp_path, 1, base=str(base), log=lines.append)
    assert "resumed after step 1 of 2" in lines
    assert (tmp_path / "trials.csv").read_text().count("\n") == 2
