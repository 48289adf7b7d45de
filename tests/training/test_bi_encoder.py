"""A training of the bi-encoder: its files, its search of settings, and how it is resumed."""

import json
import shutil
import signal
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from answersim._base.runtime import training_checkpoints
from answersim.metrics.checkpoints.search import find, sha256
from answersim.training.bi_encoder import model as bi_encoder_model
from answersim.training.bi_encoder import search
from answersim.training.bi_encoder import train as bi_encoder
from answersim.training.bi_encoder.recipe import PRESETS, BiEncoderRecipe
from answersim.training.data.pairs import TrainingPair, write_pairs
from answersim.training.run import training_input
from tests.cases import cases_of
from tests.training.made import invoke

torch = pytest.importorskip("torch")
sentence_transformers = pytest.importorskip("sentence_transformers")
safetensors_torch = pytest.importorskip("safetensors.torch")
optuna = pytest.importorskip("optuna")
for module in ("peft", "accelerate", "datasets"):
    pytest.importorskip(module)

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def finished(base, tmp_path_factory):
    return train(base, tmp_path_factory.mktemp("finished"), metadata=METADATA)


WORDS = "old john feather merchant growth cortex eleven paris".split()
TINY = BiEncoderRecipe(
    epochs=2,
    batch_size=8,
    learning_rate=0.01,
    lora_r=2,
    lora_alpha=4.0,
    dropout=0.1,
    lora_dropout=0.1,
    precision="fp32",
    measure="spearman",
    evaluate_every=3,
    checkpoint_every=2,
)


def made(count=40, seed=0):
    """Pairs of two or three words, labeled by the share of the first text's words that the second has too."""
    rng = np.random.default_rng(seed)
    pairs = []
    for i in range(count):
        first, second = (" ".join(rng.choice(WORDS, size=rng.integers(2, 4))) for _ in range(2))
        share = len(set(first.split()) & set(second.split())) / len(set(first.split()))
        split = "dev" if i % 5 == 0 else "test" if i % 5 == 1 else "train"
        pairs.append(TrainingPair(f"{first} {i}", second, round(share, 4), split, "made"))
    return pairs


PAIRS = made()
METADATA = {"command": "answersim train names", "teacher": "sas|v:1"}


def train(base, output, recipe=TINY, pairs=PAIRS, **options):
    return bi_encoder.train(recipe, pairs, output, base=str(base), **options)


def weights(folder):
    return safetensors_torch.load_file(next(folder.rglob("*model.safetensors")))


def assert_equal(first, second):
    torch.testing.assert_close(weights(first), weights(second), atol=0, rtol=0)


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
@pytest.mark.parametrize("setting", cases_of(__file__)["a_setting_that_can_change_the_weights_does"])
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


def test_every_epoch_takes_every_pair_once_in_new_batches():
    from answersim.training.bi_encoder.trainer import LengthSampler

    lengths = np.random.default_rng(0).integers(3, 30, size=100).tolist()
    sampler = LengthSampler(lengths, 8, seed=5)
    epochs = []
    for epoch in (0, 1, 0):
        sampler.set_epoch(epoch)
        epochs.append(list(sampler))
        assert sorted(place for batch in epochs[-1] for place in batch) == list(range(100))
        assert len(epochs[-1]) == len(sampler) == 13
    assert epochs[0] == epochs[2] != epochs[1]
    padding = sum(max(lengths[i] for i in batch) * len(batch) for batch in epochs[0]) / sum(lengths) - 1
    assert padding < 0.15


def test_the_file_of_the_paper_is_the_default_and_is_split_by_entity(runs, names_file, tmp_path, monkeypatch):
    home = tmp_path / "data"
    (home / "names").mkdir(parents=True)
    names_file.rename(home / training_input.NAMES)
    monkeypatch.setenv("ANSWERSIM_DATA", str(home))
    result = invoke("names")
    assert result.exit_code == 0, result.output
    job, recipe, prepared, line = runs[0]
    assert recipe == PRESETS["cpu"]
    assert (recipe.batch_size, recipe.epochs, recipe.warmup_ratio) == (64, 2, 0.45)
    assert line == "answersim train names"
    assert job["output"] == Path("runs/names")
    splits: dict[str, set[str]] = {}
    for pair in prepared.pairs:
        for text in pair[:2]:
            splits.setdefault(text, set()).add(pair.split)
    assert {len(split) for split in splits.values()} == {1}
    assert prepared.metadata["split"] == "by entity"
    assert prepared.metadata["left_out"] == 600 - len(prepared.pairs)
    assert set(prepared.metadata["files"]) == {training_input.NAMES.name}


def test_without_the_papers_file_a_line_says_what_to_do(no_data, tmp_path):
    result = invoke("names")
    assert result.exit_code == 2
    assert "no name pairs: $ANSWERSIM_DATA is not set; put the file" in result.stderr
    assert "--pairs" in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.fixture
def again(finished, tmp_path):
    """A copy of the folder of the finished training."""
    return shutil.copytree(finished.folder.parent, tmp_path / "again")


KILLED = """
import os, signal, sys
from pathlib import Path
from answersim.training.bi_encoder import train as bi_encoder
from answersim.training.run import checkpointing
from answersim.training.data.pairs import read_pairs
from answersim.training.bi_encoder.recipe import BiEncoderRecipe
import json

begin = checkpointing._Steering.on_step_begin

def begin_or_die(self, args, state, control, **others):
    if state.global_step == int(sys.argv[5]):
        os.kill(os.getpid(), signal.SIGKILL)
    begin(self, args, state, control, **others)

checkpointing._Steering.on_step_begin = begin_or_die
recipe = BiEncoderRecipe(**json.loads(sys.argv[1]))
bi_encoder.train(recipe, read_pairs(Path(sys.argv[2])), Path(sys.argv[4]), base=sys.argv[3])
"""


def killed_at(step, base, output, pairs_file, recipe=TINY):
    """Run a training in a process of its own, which kill -9 ends before this step."""
    command = [sys.executable, "-c", KILLED, json.dumps(asdict(recipe)), pairs_file, base, output, step]
    run = subprocess.run([str(entry) for entry in command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == -signal.SIGKILL, run.stderr


@pytest.mark.slow
def test_a_run_ended_by_kill_9_and_resumed_has_the_weights_of_one_that_was_not(base, tmp_path, finished, capsys):
    write_pairs(PAIRS, tmp_path / "pairs.csv")
    killed_at(5, base, tmp_path / "killed", tmp_path / "pairs.csv")
    assert training_checkpoints.load(tmp_path / "killed" / training_checkpoints.FILE).metadata["step"] == 4
    resumed = train(base, tmp_path / "killed")
    assert "resumed after step 4 of 6" in capsys.readouterr().out
    assert_equal(resumed.folder, finished.folder)
    assert resumed.evaluations == finished.evaluations
    assert resumed.results == finished.results


@pytest.fixture(scope="module")
def uninterrupted(base, tmp_path_factory, finished):
    """By method, what a recipe and an uninterrupted training by it give."""
    full = replace(TINY, method="full", learning_rate=0.005)
    return {"lora": (TINY, finished), "full": (full, train(base, tmp_path_factory.mktemp("full"), full))}


@pytest.mark.parametrize("method", ["lora", "full"])
@pytest.mark.parametrize("stopped_at", [2, *(pytest.param(at, marks=pytest.mark.slow) for at in (1, 3, 5))])
def test_a_resumed_run_ends_as_an_uninterrupted_one(base, tmp_path, steps, uninterrupted, method, stopped_at):
    recipe, whole = uninterrupted[method]
    with steps.interrupted_before(stopped_at):
        train(base, tmp_path / "stopped", recipe)
    taken = steps.taken()
    torch.manual_seed(99)  # the random state of the process does not matter
    resumed = train(base, tmp_path / "stopped", recipe)
    assert_equal(resumed.folder, whole.folder)
    assert resumed.evaluations == whole.evaluations
    assert 0 <= stopped_at - taken[0] < recipe.checkpoint_every
    assert taken[-1] == 5


def test_a_finished_run_only_writes_its_files_again(base, finished, again, steps):
    next(again.rglob("adapter_model.safetensors")).unlink()
    taken = steps.taken()
    written = train(base, again).folder / "adapter_model.safetensors"
    assert taken == []
    assert written.read_bytes() == (finished.folder / "adapter_model.safetensors").read_bytes()


@pytest.fixture
def dev_values(monkeypatch):
    """Set the values of the evaluations on dev: a function of the step to the Pearson and Spearman correlation."""

    def replaced(by_step):
        from answersim.training.bi_encoder import trainer

        names = ("pearson_cosine", "spearman_cosine")
        monkeypatch.setattr(
            trainer.EmbeddingSimilarityEvaluator,
            "__call__",
            lambda *_, steps, **__: dict(zip(names, by_step(steps), strict=True)),
        )

    return replaced


def test_the_best_weights_by_dev_are_kept_and_not_the_last_ones(base, tmp_path, dev_values):
    dev_values({2: (0.0, 0.5), 4: (0.0, 0.9), 6: (0.0, 0.1)}.__getitem__)
    whole = train(base, tmp_path / "whole", replace(TINY, evaluate_every=2, epochs=2, warmup_ratio=0.0))
    snapshot = training_checkpoints.load(tmp_path / "whole" / training_checkpoints.FILE)
    assert [evaluation["spearman"] for evaluation in whole.evaluations] == [0.5, 0.9, 0.1]
    name = next(iter(weights(whole.folder)))
    inside = name.removeprefix("base_model.model.").removesuffix(".weight")
    (best,) = (tensor for key, tensor in snapshot.tensors.items() if key.startswith("best/") and inside in key)
    (now,) = (tensor for key, tensor in snapshot.tensors.items() if key.startswith("now/") and inside in key)
    assert torch.equal(weights(whole.folder)[name], best.half())
    assert not torch.equal(best, now)


def test_a_checkpoint_of_another_run_is_never_resumed(base, tiny, again):
    with pytest.raises(ValueError, match="another recipe: lora_r was 2 and is 3 now; start over with --no-resume"):
        train(base, again, replace(TINY, lora_r=3))
    with pytest.raises(ValueError, match="another data: pairs was"):
        train(base, again, pairs=made(seed=1))
    with pytest.raises(ValueError, match="another base: fingerprint was"):
        train(tiny("bert", seed=3), again)
    anew = train(base, again, replace(TINY, lora_r=3), resume=False)
    assert json.loads((anew.folder / "adapter_config.json").read_text())["r"] == 3


RECIPE = BiEncoderRecipe(
    lora_r=2, precision="fp32", measure="spearman", learning_rate=0.005, evaluate_every=0, checkpoint_every=1, seed=3
)
SEARCHED = [
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
    return search.search(recipe, SEARCHED, output, count, base=str(base), **options)


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
        search.search(RECIPE, SEARCHED[1:], tmp_path, 2, base=str(base))
    run(tmp_path, 1, base, replace(RECIPE, lora_r=3), resume=False)
    assert trials[-1][0].lora_r == 3
    run(tmp_path, 2, base, replace(RECIPE, lora_r=3, epochs=4))  # what is searched is not given
    with pytest.raises(ValueError, match="trials is 0"):
        run(tmp_path, 0, base)


@pytest.mark.slow  # test_train.py has the quick test of a kill
def test_an_interrupted_trial_is_resumed_from_its_checkpoint(base, tmp_path, steps, capsys):
    with steps.interrupted_before(1):
        run(tmp_path, 1, base)
    assert not (tmp_path / "trials.csv").exists()
    search.search(RECIPE, SEARCHED, tmp_path, 1, base=str(base))
    assert "resumed after step 1 of 2" in capsys.readouterr().out
    assert (tmp_path / "trials.csv").read_text().count("\n") == 2
