"""The settings of a training of a bi-encoder."""

import pytest

from answersim.training.bi_encoder.recipe import PRESETS, BiEncoderRecipe

torch = pytest.importorskip("torch")
safetensors_torch = pytest.importorskip("safetensors.torch")
sentence_transformers = pytest.importorskip("sentence_transformers")
pytest.importorskip("peft")
pytest.importorskip("accelerate")
pytest.importorskip("datasets")


@pytest.mark.parametrize(
    ("setting", "error", "complaint"),
    [
        ({"epochs": 0}, ValueError, "epochs is 0, but it must be a number from 1"),
        ({"batch_size": 0}, ValueError, "batch_size is 0, but it must be a number from 1"),
        ({"learning_rate": -1.0}, ValueError, "learning_rate is -1.0, but it must be a number from 0"),
        ({"learning_rate": float("nan")}, ValueError, "learning_rate is nan"),
        ({"warmup_ratio": 1.0}, ValueError, "warmup_ratio is 1.0, but a share must be below 1"),
        ({"patience": -1}, ValueError, "patience is -1"),
        ({"loss": "cosin"}, LookupError, "no loss is called 'cosin'; did you mean 'cosine'"),
        ({"method": "lor"}, LookupError, "no method is called 'lor'; did you mean 'lora'"),
        ({"measure": "kendall"}, LookupError, "no measure is called 'kendall'"),
        ({"precision": "fp8"}, LookupError, "no precision is called 'fp8'"),
    ],
)
def test_a_setting_out_of_its_range_is_an_error(setting, error, complaint):
    with pytest.raises(error, match=complaint):
        BiEncoderRecipe(**setting)


def test_the_paper_preset_has_the_papers_best_settings():
    paper = PRESETS["paper"]
    assert (paper.batch_size, paper.epochs, paper.warmup_ratio, paper.loss) == (64, 2, 0.45, "cosine")
    assert (paper.method, paper.peak_learning_rate) == ("full", 2e-5)
