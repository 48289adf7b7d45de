"""A training of the bi-encoder: its steps, its pairs and its output."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from answersim.metrics.checkpoints.search import find, sha256
from answersim.training.bi_encoder import model as bi_encoder_model
from answersim.training.bi_encoder import train as bi_encoder
from answersim.training.bi_encoder import training_pairs
from answersim.training.bi_encoder.recipe import PRESETS
from answersim.training.data.pairs import TrainingPair
from tests.training.bi_encoder.conftest import METADATA, PAIRS, TINY, assert_equal, train, weights
from tests.training.made import invoke

torch = pytest.importorskip("torch")
sentence_transformers = pytest.importorskip("sentence_transformers")
for module in ("safetensors.torch", "peft", "accelerate", "datasets"):
    pytest.importorskip(module)


def recipe_of(folder):
    return json.loads((folder / "recipe.json").read_text())


def test_a_seed_decides_the_student_with_or_without_test_pairs(base, tmp_path, finished):
    unseen = train(base, tmp_path / "unseen", test=False)
    assert set(unseen.results) == {"dev"}
    assert sha256(unseen.folder / "adapter_model.safetensors") == sha256(finished.folder / "adapter_model.safetensors")
    other = train(base, tmp_path / "other", replace(TINY, seed=1))
    with pytest.raises(AssertionError):
        assert_equal(other.folder, finished.folder)


@pytest.mark.slow
@pytest.mark.parametrize(
    "setting",
    [
        {"loss": "angle"},
        {"loss": "cosent"},
        {"epochs": 3},
        {"batch_size": 6},
        {"warmup_ratio": 0.1},
        {"learning_rate": 0.02},
        {"weight_decay": 0.5},
        {"lora_r": 3},
        {"lora_alpha": 8.0},
        {"dropout": 0.2},
        {"lora_dropout": 0.2},
        {"max_length": 8},
        {"precision": "bf16"},
        {"symmetric": True},
        {"limit": 16},
    ],
    ids=lambda setting: next(iter(setting)),
)
def test_a_setting_that_can_change_the_weights_does(base, tmp_path, finished, setting):
    recipe = replace(TINY, **setting)
    other = train(base, tmp_path, recipe, write=True, test=False)
    assert sha256(other.folder / "adapter_model.safetensors") != sha256(finished.folder / "adapter_model.safetensors")


def test_an_adapter_is_small_in_fp16_and_is_read_by_the_metrics(base, finished):
    from answersim.metrics.neural.bi_encoder import BiEncoder, sentence_settings
    from answersim.metrics.neural.transformer import Transformer

    assert sorted(path.name for path in finished.folder.iterdir()) == [
        "adapter_config.json",
        "adapter_model.safetensors",
        "recipe.json",
    ]
    assert {tensor.dtype for tensor in weights(finished.folder).values()} == {torch.float16}
    checkpoint = find(str(base))
    encoder = Transformer(checkpoint=checkpoint, adapter=finished.folder)
    test = [pair for pair in PAIRS if pair.split == "test"]
    scores = BiEncoder(encoder, *sentence_settings(checkpoint))([(pair.first, pair.second) for pair in test])
    pearson = np.corrcoef(scores, [pair.label for pair in test])[0, 1]
    assert finished.results["test"]["pearson"] == pytest.approx(pearson, abs=1e-4)


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")  # peft's own, for its next release
def test_peft_itself_reads_the_adapter_and_gets_the_same_numbers(base, finished):
    peft = pytest.importorskip("peft")
    transformers = pytest.importorskip("transformers")
    model = peft.PeftModel.from_pretrained(transformers.AutoModel.from_pretrained(base), finished.folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(base)

    def vector(text):
        with torch.no_grad():
            return model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(0)

    test = [pair for pair in PAIRS if pair.split == "test"]
    expected = [torch.cosine_similarity(vector(pair.first), vector(pair.second), dim=0).item() for pair in test]
    predictions = bi_encoder_model.predict(find(str(base)), "lora", finished.folder, test)
    assert predictions == pytest.approx(expected, abs=1e-5)


def test_full_weights_are_a_folder_of_sentence_transformers(sentence_folder, tmp_path):
    base = sentence_folder(limit=16)
    trained = train(base, tmp_path, replace(TINY, method="full", max_length=8, learning_rate=0.001, dropout=0.3))
    assert trained.folder == tmp_path / "model"
    test = [pair for pair in PAIRS if pair.split == "test"]
    model = sentence_transformers.SentenceTransformer(str(trained.folder), device="cpu")
    assert model.max_seq_length == 16
    assert model.transformers_model.config.hidden_dropout_prob == 0.1
    sides = [model.encode([pair[side] for pair in test]) for side in (0, 1)]
    expected = [float(np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b)) for a, b in zip(*sides, strict=True)]
    predictions = bi_encoder_model.predict(find(str(base)), "full", trained.folder, test)
    assert predictions == pytest.approx(expected, abs=1e-5)
    untrained = bi_encoder_model.predict(find(str(base)), "full", base, test)
    assert np.abs(predictions - untrained).max() > 1e-3
    message = recipe_of(trained.folder)
    assert set(message["sha256"]) >= {"model.safetensors", "config.json", "modules.json", "tokenizer.json"}
    assert all(sha256(trained.folder / name) == digest for name, digest in message["sha256"].items())


def test_the_recipe_file_states_how_the_student_was_made_and_pins_it(base, finished):
    message = recipe_of(finished.folder)
    assert {name: message[name] for name in METADATA} == METADATA
    assert message["recipe"] == asdict(TINY)
    assert message["base"]["name"] == base.name
    assert message["base"]["sha256"] == sha256(base / "model.safetensors")
    assert message["pairs"] == {"train": 24, "dev": 8, "test": 8}
    assert [entry["step"] for entry in message["dev_by_step"]] == [3, 6]
    assert set(message["results"]) == {"dev", "test"}
    assert set(message["versions"]) == {"python", *bi_encoder.LIBRARIES}
    names = ("adapter_config.json", "adapter_model.safetensors")
    assert message["sha256"] == {name: sha256(finished.folder / name) for name in names}
    assert str(base) not in (finished.folder / "adapter_config.json").read_text()


@pytest.mark.parametrize(
    ("pairs", "complaint"),
    [
        ([*PAIRS, TrainingPair("a", "b", None)], r"1 of 41 pairs have no label yet; .* \(--teacher\)"),
        ([pair for pair in PAIRS if pair.split != "dev"], "no pairs of the split 'dev'"),
        ([pair for pair in PAIRS if pair.split != "train"], "no pairs of the split 'train'"),
        ([*PAIRS, TrainingPair("a", " ", 1.0)], "pair 41: one of the two texts is empty"),
        ([*PAIRS, TrainingPair("a", "b", 1.5)], "pair 41: the label is 1.5"),
        ([pair._replace(label=1.0) for pair in PAIRS], "all 8 dev pairs have the label 1.0"),
    ],
)
def test_pairs_that_cannot_be_trained_on_are_an_error_before_any_work(base, tmp_path, pairs, complaint):
    with pytest.raises(ValueError, match=complaint):
        train(base, tmp_path / "out", pairs=pairs)
    assert not (tmp_path / "out").exists()


def test_a_base_that_the_metric_could_not_run_is_an_error(sentence_folder, tmp_path):
    with pytest.raises(ValueError, match="has the modules"):
        train(sentence_folder(extra="Dense"), tmp_path)


for module in ("torch", "safetensors.torch", "sentence_transformers", "peft", "accelerate", "datasets"):
    pytest.importorskip(module)


def test_every_epoch_takes_every_pair_once_in_new_batches():
    from answersim.training.bi_encoder.trainer import _LengthSampler

    lengths = np.random.default_rng(0).integers(3, 30, size=100).tolist()
    sampler = _LengthSampler(lengths, 8, drop_last=False, seed=5)
    epochs = []
    for epoch in (0, 1, 0):
        sampler.set_epoch(epoch)
        epochs.append(list(sampler))
        assert sorted(place for batch in epochs[-1] for place in batch) == list(range(100))
        assert len(epochs[-1]) == len(sampler) == 13
    assert epochs[0] == epochs[2] != epochs[1]
    padding = sum(max(lengths[i] for i in batch) * len(batch) for batch in epochs[0]) / sum(lengths) - 1
    assert padding < 0.15
    full = _LengthSampler(lengths, 8, drop_last=True, seed=5)
    assert [len(batch) for batch in full] == [8] * len(full) == [8] * 12


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


def test_without_the_papers_file_a_line_says_what_to_do(no_data, tmp_path):
    result = invoke("names")
    assert result.exit_code == 2
    assert "no name pairs: $ANSWERSIM_DATA is not set; put the file" in result.stderr
    assert "--pairs" in result.stderr
    assert len(result.stderr.splitlines()) == 1
