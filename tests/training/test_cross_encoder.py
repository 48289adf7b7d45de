"""A training of the cross-encoder: its options, its model, its steps and its output."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.metrics.checkpoints import adapter as adapters
from answersim.metrics.checkpoints.search import find, sha256
from answersim.training.bi_encoder import model as bi_encoder_model
from answersim.training.bi_encoder.recipe import BiEncoderRecipe
from answersim.training.cross_encoder import model as cross_encoder_model
from answersim.training.cross_encoder import options
from answersim.training.cross_encoder import trainer as trainers
from answersim.training.cross_encoder.inputs import SOURCE, Pool, from_pairs
from answersim.training.cross_encoder.recipe import PRESETS, CrossEncoderRecipe
from answersim.training.cross_encoder.train import train
from answersim.training.data.pairs import TrainingPair, in_split, read_pairs, write_pairs
from answersim.training.run import checkpointing
from tests.cases import cases_of, every
from tests.training.made import begun, invoke

torch = pytest.importorskip("torch")
safetensors_torch = pytest.importorskip("safetensors.torch")
transformers = pytest.importorskip("transformers")
peft = pytest.importorskip("peft")
for module in ("sentence_transformers", "accelerate", "datasets"):
    pytest.importorskip(module)

TINY = CrossEncoderRecipe(
    epochs=2, batch_size=4, lora_r=2, dropout=0.1, lora_dropout=0.1, settle=1, max_length=48, precision="fp32",
    checkpoint_every=2,
)  # fmt: skip

WORDS = "a man dog cat runs sleeps red blue big".split()


@pytest.fixture(scope="session")
def pairs():
    """Splits of 18, 8 and 8 pairs, all different."""
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, size=rng.integers(2, 6))) + f" {i}" for i in range(68)]
    splits = ["train"] * 18 + ["dev"] * 8 + ["test"] * 8
    return [
        TrainingPair(texts[i], texts[i + 34], round(float(rng.uniform()), 3), split) for i, split in enumerate(splits)
    ]


def trained(
    pairs: Sequence[TrainingPair], output: Path, base: Path, recipe: CrossEncoderRecipe = TINY, **settings: Any
) -> Path:
    """Return the folder of the adapter."""
    return train(recipe, lambda: from_pairs(pairs, {}), output, reads={}, base=str(base), **settings)


@pytest.fixture(scope="session")
def finished(base, pairs, tmp_path_factory):
    """The adapter of a finished training; a test that writes into its folder copies it."""
    return trained(pairs, tmp_path_factory.mktemp("finished"), base)


@pytest.fixture
def pairs_file(pairs, tmp_path):
    path = tmp_path / "pairs.csv"
    write_pairs(pairs, path)
    return path


PAIRS = [TrainingPair("a " * (i + 1), "e", float(i % 2), question="11" if i % 3 else "") for i in range(12)]


@pytest.fixture
def prepared(base, tmp_path):
    """A trainer before its first step, and the batches that it reads, as texts with questions."""

    def prepare(recipe, pools, dev=PAIRS):
        with begun(recipe.seed, recipe.precision):
            trainer = trainers.ResumableCrossEncoderTrainer(
                recipe, find(str(base)), pools, {"sts": dev}, tmp_path, save=lambda *_: None
            )
        return trainer

    return prepare


def test_training_reads_a_pair_with_its_question_as_scoring_does(prepared, base):
    from answersim.metrics.neural.tokens import tokenize

    trainer = prepared(TINY, [Pool(PAIRS, 0)])
    read = trainer.model[0].preprocess([(pair.first, pair.second, pair.question) for pair in PAIRS])
    questions = [pair.question for pair in PAIRS]
    scored = tokenize(find(str(base)), [pair[:2] for pair in PAIRS], TINY.max_length, questions)
    lengths = read["attention_mask"].sum(1).tolist()
    assert [ids[:n] for ids, n in zip(read["input_ids"].tolist(), lengths, strict=True)] == scored.ids


def test_the_loss_is_that_of_the_library(prepared):
    from sentence_transformers.cross_encoder.losses import BinaryCrossEntropyLoss

    trainer = prepared(TINY, [Pool(PAIRS, 0)])
    trainer.model.eval()
    columns = [[pair[side] for pair in PAIRS] for side in (0, 1)]
    labels = torch.tensor([pair.label for pair in PAIRS])
    ours = trainers.PairLoss(trainer.model)([*columns, [""] * len(PAIRS)], labels)
    features = trainer.model.preprocess([(*texts, "") for texts in zip(*columns, strict=True)])
    theirs = BinaryCrossEntropyLoss(trainer.model).bce_with_logits_loss(trainer.model(features)["scores"], labels)
    torch.testing.assert_close(ours, theirs, atol=0, rtol=0)


def test_the_learning_rates_rise_and_fall_with_a_peak_of_their_own_for_the_head(prepared, monkeypatch):
    recipe = replace(TINY, epochs=3, warmup_ratio=0.4, learning_rate=0.01, head_learning_rate=0.002)
    trainer = prepared(recipe, [Pool(PAIRS, 0)])
    rates = []
    begin = checkpointing._Steering.on_step_begin

    def watched(self, args, state, control, **others):
        rates.append([group["lr"] for group in trainer.optimizer.param_groups])
        begin(self, args, state, control, **others)

    monkeypatch.setattr(checkpointing._Steering, "on_step_begin", watched)
    with begun(0, "fp32"):
        trainer.finish()
    assert [trainers.linear_schedule(step, 4, 0.5) for step in range(4)] == [0.5, 1.0, 1.0, 0.5]
    shares = [trainers.linear_schedule(step, 9, 0.4) for step in range(9)]
    assert sorted(peaks[0] for peaks in [sorted(row) for row in rates]) == pytest.approx(
        sorted(0.002 * share for share in shares)
    )
    assert [max(row) for row in rates] == pytest.approx([0.01 * share for share in shares])


def weights(folder):
    return (folder / "adapter_model.safetensors").read_bytes()


@pytest.mark.parametrize("stopped_at", [4, *(pytest.param(at, marks=pytest.mark.slow) for at in (1, 7, 9))])
def test_a_resumed_training_ends_as_an_uninterrupted_one(base, pairs, tmp_path, finished, steps, stopped_at):
    with steps.interrupted_before(stopped_at):
        trained(pairs, tmp_path / "stopped", base)
    taken = steps.taken()
    torch.manual_seed(99)  # the random state of the process does not matter
    resumed = trained(pairs, tmp_path / "stopped", base)
    assert weights(resumed) == weights(finished)
    evaluations = [json.loads((folder / "recipe.json").read_text())["dev_by_step"] for folder in (resumed, finished)]
    assert evaluations[0] == evaluations[1]
    assert taken[0] in (stopped_at, stopped_at - 1)
    assert taken[-1] == 9


def test_the_best_weights_by_dev_are_kept(prepared, monkeypatch):
    trainer = prepared(replace(TINY, epochs=3), [Pool(PAIRS, 0)])
    values = iter([0.5, 0.9, 0.1])
    states = []
    monkeypatch.setattr(
        trainer, "evaluator", lambda *_, **__: {"pearson": next(values), "spearman": 0.0, "set:sts": 0.0}
    )
    evaluate = checkpointing._Steering.on_evaluate

    def watched(self, *others, **named):
        evaluate(self, *others, **named)
        states.append({name: parameter.detach().clone() for name, parameter in trainer.trained.items()})

    monkeypatch.setattr(checkpointing._Steering, "on_evaluate", watched)
    with begun(0, "fp32"):
        history = trainer.finish()
    assert [evaluation["pearson"] for evaluation in history.evaluations] == [0.5, 0.9, 0.1]
    for name, parameter in trainer.trained.items():
        torch.testing.assert_close(parameter.detach(), states[1][name], atol=0, rtol=0)
    assert any(not torch.equal(states[1][name], states[2][name]) for name in states[1])


def test_a_base_may_lack_what_is_trained_whole_and_nothing_else(tiny, lacking):
    cross_encoder_model.build(tiny())
    cross_encoder_model.build(lacking(tiny(), "pooler."))
    with pytest.raises(ValueError, match=r"lack bert\.encoder\.layer\.1\."):
        cross_encoder_model.build(lacking(tiny(), ".layer.1."))


def test_a_student_of_an_incomplete_base_is_refused(tiny, lacking):
    recipe = BiEncoderRecipe(method="full")
    bi_encoder_model.build(find(tiny()), recipe)
    with pytest.raises(ValueError, match=r"lack encoder\.layer\.1\."):
        bi_encoder_model.build(find(lacking(tiny(), ".layer.1.")), recipe)


def test_an_adapter_that_holds_what_is_no_number_is_not_started_from(tiny: Callable[..., Path], tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peft asks transformers 5 for a property by its former name
        model = cross_encoder_model.adapt(cross_encoder_model.build(tiny()), 2, 4.0, 0.0)
        model.save_pretrained(str(tmp_path))
    cross_encoder_model.start_from(model, tmp_path)
    tensors = safetensors_torch.load_file(tmp_path / adapters.WEIGHTS)
    first = sorted(tensors)[0]
    changed = {name: tensor.clone() for name, tensor in tensors.items()}
    changed[first].view(-1)[0] = float("nan")
    safetensors_torch.save_file(changed, tmp_path / adapters.WEIGHTS)
    with pytest.raises(ValueError, match="contains values that are not finite; restore the file, or train the adapter"):
        cross_encoder_model.start_from(model, tmp_path)


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_lora_is_in_every_linear_layer_of_a_block(tiny: Callable[..., Path], kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peft asks transformers 5 for a property by its former name
        model = cross_encoder_model.adapt(cross_encoder_model.build(tiny(kind)), 2, 4.0, 0.0)
    adapted = {name.partition(".lora_A")[0] for name, _ in model.named_parameters() if ".lora_A" in name}
    blocks = "base_model.model." + {"bert": "bert.encoder.layer.", "mpnet": "mpnet.encoder.layer."}[kind]
    linear = {
        name.removesuffix(".base_layer")
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.Linear) and name.startswith(blocks) and "lora_" not in name
    }
    assert adapted == linear
    assert len(adapted) == model.config.num_hidden_layers * 6
    whole = {name for name, parameter in model.named_parameters() if parameter.requires_grad and "lora_" not in name}
    assert whole
    assert all("modules_to_save" in name for name in whole)


def test_a_base_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="the base 'x' is of the kind 'roberta', but it must be one of bert, mpnet"):
        cross_encoder_model.check_supported({"model_type": "roberta"}, "x")


def test_a_seed_decides_the_adapter_with_or_without_test_pairs(base, pairs, tmp_path, finished):
    unseen = trained(pairs, tmp_path / "unseen", base, test=False)
    assert set(json.loads((unseen / "recipe.json").read_text())["results"]) == {"dev"}
    assert sha256(unseen / "adapter_model.safetensors") == sha256(finished / "adapter_model.safetensors")
    other = trained(pairs, tmp_path / "other", base, replace(TINY, seed=1))
    assert weights(other) != weights(finished)


def test_the_recipe_file_states_how_the_adapter_was_made_and_pins_it(base, pairs, finished):
    recipe = json.loads((finished / "recipe.json").read_text())
    assert recipe["base"] == {"name": base.name, "sha256": sha256(base / "model.safetensors")}
    assert recipe["data"].keys() == {SOURCE}
    names = ("adapter_config.json", "adapter_model.safetensors")
    assert recipe["sha256"] == {name: sha256(finished / name) for name in names}
    assert recipe["pairs"] == {SOURCE: 18, "removed": 0}
    assert recipe["results"]["dev"][SOURCE]["n"] == recipe["results"]["test"][SOURCE]["n"] == 8
    assert recipe["reads_question"] is False
    assert [entry["step"] for entry in recipe["dev_by_step"]] == [5, 10]
    assert str(finished.parent) not in (finished / "adapter_config.json").read_text()


def test_the_held_out_results_are_those_of_the_files_as_written(base, pairs, finished):
    recipe = json.loads((finished / "recipe.json").read_text())
    pairs = in_split(pairs, "test")
    warnings.filterwarnings("ignore", "`is_gradient_checkpointing`", FutureWarning)  # pytest undoes it
    model = peft.PeftModel.from_pretrained(
        transformers.AutoModelForSequenceClassification.from_pretrained(base, num_labels=1), finished
    ).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(base)
    with torch.no_grad():
        scores = [
            model(**tokenizer(pair.first, pair.second, return_tensors="pt")).logits.sigmoid().item() for pair in pairs
        ]
    pearson = np.corrcoef(scores, [pair.label for pair in pairs])[0, 1]
    assert recipe["results"]["test"][SOURCE]["pearson"] == pytest.approx(pearson, abs=2e-4)
    low, high = recipe["results"]["test"][SOURCE]["pearson_95"]
    assert low <= pearson <= high


def test_a_checkpoint_of_another_training_is_never_resumed(base, pairs, tmp_path, finished):
    again = shutil.copytree(finished.parent, tmp_path / "again")
    other = replace(TINY, lora_r=3)
    with pytest.raises(ValueError, match="another recipe: lora_r was 2 and is 3 now; start over with --no-resume"):
        trained(pairs, again, base, other)
    with pytest.raises(ValueError, match="another data: pairs was"):
        trained([*pairs, TrainingPair("a dog", "a dog", 1.0, "dev")], again, base)
    anew = trained(pairs, again, base, other, resume=False)
    assert json.loads((anew / "adapter_config.json").read_text())["r"] == 3


FAST = "--preset smoke --option precision=fp32 --option lora_r=2 --option max_length=48".split()


def recipe_of(folder):
    return json.loads((folder / "adapter" / "recipe.json").read_text())


@pytest.fixture
def asked(monkeypatch):
    """In the place of training: the recipes, inputs and settings that the command gives."""
    calls = []

    def train(recipe, prepare, output, **settings):
        calls.append((recipe, prepare(), settings))
        return output

    monkeypatch.setattr(options, "train", train)
    return calls


def test_a_file_of_pairs_trains_an_adapter_that_scores(base, pairs_file, tmp_path):
    words = ["cross-encoder", "--pairs", pairs_file, "--keep-split", *FAST, "--base", base]
    result = invoke(*words, "--output", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "34 pairs: 34 given" in result.stdout
    assert f"written: {tmp_path / 'out' / 'adapter'}" in result.stdout
    recipe = recipe_of(tmp_path / "out")
    assert recipe["command"].startswith("answersim train cross-encoder --pairs pairs.csv --keep-split --preset smoke")
    assert recipe["files"].keys() == {"pairs.csv"}
    assert (recipe["split"], recipe["teacher"]) == ("as in the file", "recorded")
    assert recipe["pairs"] == {"pairs": 18, "removed": 0}
    assert recipe["results"]["dev"]["pairs"]["n"] == recipe["results"]["test"]["pairs"]["n"] == 8
    assert recipe["reads_question"] is False
    metric = answersim.metric("sas", model=str(base), adapter=str(tmp_path / "out" / "adapter"))
    assert 0 <= metric([answersim.Pair("a dog", "a cat")])[0] <= 1
    again = invoke(*words, "--output", tmp_path / "out")  # finished: it only writes the adapter again
    assert again.exit_code == 0, again.output
    assert recipe_of(tmp_path / "out")["sha256"] == recipe["sha256"]


def test_without_keep_split_the_pairs_are_split_by_entity(asked, names_file):
    assert invoke("cross-encoder", "--pairs", names_file).exit_code == 0
    ((recipe, inputs, _),) = asked
    assert recipe == PRESETS["cpu"]
    assert inputs.metadata["split"] == "by entity"
    sets = [inputs.pools["pairs"].pairs, inputs.dev["pairs"], inputs.test["pairs"]]
    texts = [{text for pair in members for text in pair[:2]} for members in sets]
    assert len(set.union(*texts)) == sum(map(len, texts))  # no text is in two
    assert sum(map(len, sets)) + inputs.metadata["left_out"] == 600


def test_a_teacher_labels_the_pairs_whose_label_is_not_1(asked, pairs, tmp_path):
    path = tmp_path / "unlabeled.csv"
    write_pairs([pair._replace(label=1.0 if i == 0 else None) for i, pair in enumerate(pairs)], path)
    words = ["cross-encoder", "--pairs", path, "--keep-split", "--teacher", "f1", "--cache", tmp_path / "cache"]
    assert invoke(*words).exit_code == 0
    ((_, inputs, _),) = asked
    assert inputs.metadata["teacher"]["labeled"] == 33
    assert inputs.pools["pairs"].pairs[0].label == 1.0
    assert all(pair.label is not None for pair in inputs.pools["pairs"].pairs)
    recorded = invoke("cross-encoder", "--pairs", path, "--keep-split", "--teacher", "recorded")
    assert recorded.exit_code == 2
    assert "33 of 34 pairs have no recorded label" in recorded.stderr


@pytest.mark.parametrize(("words", "complaint"), cases_of(__file__)["an_error_of_the_user_is_one_line_and_status_2"])
def test_an_error_of_the_user_is_one_line_and_status_2(base, pairs_file, tmp_path, words, complaint):
    stated = ["--pairs", pairs_file, "--keep-split", "--base", base, "--option", "max_length=48"]
    words = [pairs_file if word == "PAIRS" else word for word in words]
    result = invoke("cross-encoder", *stated, *words, "--output", tmp_path / "out")
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("answersim: ")
    assert complaint.replace("PAIRS", str(pairs_file)) in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "out" / "adapter").exists()


def test_the_file_of_pairs_is_not_overwritten(base, pairs_file, tmp_path):
    (tmp_path / "out" / "adapter").mkdir(parents=True)
    inside = tmp_path / "out" / "adapter" / "pairs.csv"
    write_pairs(read_pairs(pairs_file), inside)
    result = invoke("cross-encoder", "--pairs", inside, "--base", base, *FAST, "--output", tmp_path / "out")
    assert result.exit_code == 2
    assert "would be overwritten" in result.stderr


DEV = [TrainingPair("A dog.", "a cat", 1.0, "dev"), TrainingPair("red", "blue", 0.0, "dev")]


@every(
    ("pairs", "message"),
    [
        ([TrainingPair("a cat", "A dog", 1.0), *DEV], "all 1 training pairs are in dev or test too"),
        ([TrainingPair("a", "b", None), *DEV], "1 of 3 pairs have no label yet"),
        (DEV, "there are no pairs of the split 'train' among these 2"),
        ([TrainingPair("a", "b", 1.0), DEV[0]], "all 1 dev pairs have the label 1.0"),
    ],
)
def test_pairs_that_cannot_be_trained_on_are_an_error(pairs, message):
    with pytest.raises(ValueError, match=message):
        from_pairs(pairs, {})


def test_questions_of_the_file_are_read(base, pairs, tmp_path):
    path = tmp_path / "asked.tsv"
    write_pairs([pair._replace(question="Which dog runs?") for pair in pairs], path)
    words = ["--pairs", path, "--keep-split", *FAST, "--base", base, "--output", tmp_path / "out"]
    result = invoke("cross-encoder", *words)
    assert result.exit_code == 0, result.output
    assert "pairs with question" in result.stdout  # dev is evaluated without and with the questions
    assert recipe_of(tmp_path / "out")["reads_question"] is True
