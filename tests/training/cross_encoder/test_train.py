import csv
import json
import re
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

from answersim import training_checkpoints
from answersim.checkpoints import sha256
from answersim.training.cross_encoder import model as cross_encoder_model
from answersim.training.cross_encoder import recipe, trainer
from answersim.training.cross_encoder import train as cross_encoder
from answersim.training.cross_encoder.recipe import Recipe, command
from answersim.training.data import sts
from answersim.training.data.mixture import Places, Pool
from answersim.training.data.pairs import TrainingPair

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
peft = pytest.importorskip("peft")
safetensors_torch = pytest.importorskip("safetensors.torch")

WORDS = "a man dog cat runs sleeps red blue big".split()
TINY = Recipe(
    epochs=3,
    batch_size=4,
    rank=2,
    dropout=0.1,
    lora_dropout=0.1,
    settle=1,
    max_length=48,
    precision="fp32",
    snapshot_every=2,
)


@pytest.fixture(scope="session")
def tiny_base(tiny):
    return tiny("bert")


def write(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


@pytest.fixture
def data(tmp_path):
    """STS-B in small, in a folder ``stsb``: splits of 18, 8 and 8 sentence pairs, all different."""
    folder = tmp_path / "data" / "stsb"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, size=rng.integers(2, 6))) + f" {i}" for i in range(68)]
    rows = [(texts[i], texts[i + 34], round(float(rng.uniform(0, 5)), 3)) for i in range(34)]
    for split, part in (("train", rows[:18]), ("dev", rows[18:26]), ("test", rows[26:])):
        write(folder / f"en-{split}.csv", part)
    return folder


def places(folder):
    """Where a folder of STS-B's files lies."""
    return Places(folder.parent)


def weights(folder):
    return safetensors_torch.load_file(folder / "adapter_model.safetensors")


def assert_equal(one, other):
    torch.testing.assert_close(weights(one), weights(other), atol=0, rtol=0)


@pytest.fixture
def finished(tiny_base, data, tmp_path):
    return cross_encoder.train(TINY, places(data), tmp_path / "finished", base=str(tiny_base))


@pytest.mark.parametrize("killed_in", [1, 4, 7, 14])
def test_a_killed_run_that_is_resumed_ends_with_the_weights_of_an_uninterrupted_one(
    tiny_base, data, tmp_path, finished, monkeypatch, killed_in
):
    step = trainer.Run._take_step

    def take_step_or_die(self):
        if self.step == killed_in:
            raise KeyboardInterrupt
        step(self)

    taken = []
    with monkeypatch.context() as patch:
        patch.setattr(trainer.Run, "_take_step", take_step_or_die)
        with pytest.raises(KeyboardInterrupt):
            cross_encoder.train(TINY, places(data), tmp_path / "killed", base=str(tiny_base))
    monkeypatch.setattr(trainer.Run, "_take_step", lambda self: (taken.append(self.step), step(self)))
    torch.manual_seed(99)  # what the process was doing elsewhere does not matter
    resumed = cross_encoder.train(TINY, places(data), tmp_path / "killed", base=str(tiny_base))
    assert_equal(resumed, finished)
    assert taken[0] in (killed_in, killed_in - 1)
    assert taken[-1] == 14


def test_one_seed_gives_one_adapter_and_another_seed_another(tiny_base, data, tmp_path, finished):
    again = cross_encoder.train(TINY, places(data), tmp_path / "again", base=str(tiny_base))
    assert_equal(again, finished)
    assert sha256(again / "adapter_model.safetensors") == sha256(finished / "adapter_model.safetensors")
    other = cross_encoder.train(
        Recipe(**vars(TINY) | {"seed": 1}), places(data), tmp_path / "other", base=str(tiny_base)
    )
    with pytest.raises(AssertionError):
        assert_equal(other, finished)


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")  # peft's own, for its next release
def test_every_pair_is_read_once_an_epoch_and_in_both_orders_over_time(tiny_base, data, monkeypatch):
    pairs = cross_encoder.load_data(places(data), TINY).pools["sts"].pairs
    training = trainer.Run(Recipe(**vars(TINY) | {"epochs": 8}), tiny_base, [Pool(pairs, 0)], {"sts": pairs})
    forward, backward = ([tuple(ids) for ids, _ in tokens] for tokens in training._tokens)
    read = []
    padded = trainer.pair_model.padded
    monkeypatch.setattr(trainer.pair_model, "padded", lambda tokens: read.extend(tokens) or padded(tokens))
    orders = []
    for _ in range(8):
        read.clear()
        for _ in range(training._epoch_steps):
            training._take_step()
        seen = [tuple(ids) for ids, _ in read]
        at = [forward.index(ids) if ids in forward else backward.index(ids) for ids in seen]
        assert sorted(at) == list(range(len(pairs)))
        orders.append({place: ids in forward for place, ids in zip(at, seen, strict=True)})
    for place in range(len(pairs)):
        assert {order[place] for order in orders} == {True, False}


def test_training_leaves_the_callers_random_state_alone(tiny_base, data, tmp_path):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    cross_encoder.train(TINY, places(data), tmp_path / "run", base=str(tiny_base))
    torch.testing.assert_close(torch.rand(3), expected, atol=0, rtol=0)


def test_the_recipe_tells_how_the_adapter_was_made_and_pins_it(tiny_base, data, finished):
    recipe = json.loads((finished / "recipe.json").read_text())
    assert recipe["base"] == {"name": tiny_base.name, "sha256": sha256(tiny_base / "model.safetensors")}
    assert recipe["data"] == {f"stsb/en-{split}.csv": sha256(data / f"en-{split}.csv") for split in sts.SPLITS}
    names = ("adapter_config.json", "adapter_model.safetensors")
    assert recipe["sha256"] == {name: sha256(finished / name) for name in names}
    assert recipe["pairs"] == {"sts": 18, "removed": 0}
    assert recipe["results"]["dev"]["sts"]["n"] == recipe["results"]["test"]["sts"]["n"] == 8
    assert recipe["reads_question"] is False
    assert [each["step"] for each in recipe["dev_by_step"]] == [5, 10, 15]
    assert str(finished.parent) not in (finished / "adapter_config.json").read_text()


def test_the_held_out_results_are_those_of_the_files_as_written(tiny_base, data, finished):
    recipe = json.loads((finished / "recipe.json").read_text())
    pairs = sts.read_csv(data / "en-test.csv")
    warnings.filterwarnings("ignore", "`is_gradient_checkpointing`", FutureWarning)  # pytest undoes it
    model = peft.PeftModel.from_pretrained(
        transformers.AutoModelForSequenceClassification.from_pretrained(tiny_base, num_labels=1), finished
    ).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny_base)
    with torch.no_grad():
        scores = [
            model(**tokenizer(pair.first, pair.second, return_tensors="pt")).logits.sigmoid().item() for pair in pairs
        ]
    pearson = np.corrcoef(scores, [pair.score for pair in pairs])[0, 1]
    assert recipe["results"]["test"]["sts"]["pearson"] == pytest.approx(pearson, abs=2e-4)
    low, high = recipe["results"]["test"]["sts"]["pearson_95"]
    assert low <= pearson <= high


def test_without_test_no_result_tells_of_the_test_split(tiny_base, data, tmp_path, finished):
    unseen = cross_encoder.train(TINY, places(data), tmp_path / "unseen", base=str(tiny_base), test=False)
    assert set(json.loads((unseen / "recipe.json").read_text())["results"]) == {"dev"}
    assert_equal(unseen, finished)


def test_what_can_be_learned_is_learned(tiny_base, tmp_path):
    folder = tmp_path / "data" / "stsb"
    folder.mkdir(parents=True)
    rows = [(f"eleven {i}", second, score) for i in range(40) for second, score in (("the NFL", 5), ("cortex", 0))]
    for split, part in (("train", rows[:60]), ("dev", rows[60:70]), ("test", rows[70:])):
        write(folder / f"en-{split}.csv", part)
    recipe = Recipe(**vars(TINY) | {"epochs": 5, "learning_rate": 0.004, "head_rate": 0.004})
    adapter = cross_encoder.train(recipe, places(folder), tmp_path / "run", base=str(tiny_base))
    assert json.loads((adapter / "recipe.json").read_text())["results"]["test"]["sts"]["pearson"] > 0.9


def test_a_training_pair_known_from_dev_or_test_in_either_order_is_left_out(data):
    dev, test = (sts.read_csv(data / f"en-{split}.csv")[0] for split in ("dev", "test"))
    with (data / "en-train.csv").open("a", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [
                (dev.first, dev.second, 1),
                (f"  {test.second.upper()}. ", test.first, 2),
                (dev.first, test.second, 3),
            ]
        )
    loaded = cross_encoder.load_data(places(data), TINY)
    assert [tuple(pair[:3]) for pair in loaded.pools["sts"].pairs[18:]] == [(dev.first, test.second, 0.6)]


def test_a_training_pair_that_another_source_holds_out_is_left_out_and_counted(data, monkeypatch):
    known, other = TrainingPair("A dog.", "a cat", 1.0), TrainingPair("a dog", "a man", 0.0)

    def load(name, places, split, seed):
        if split == "train":
            return [known, other]
        return [TrainingPair("A CAT", "a dog!", 0.5), TrainingPair("red", "blue", 0.0)]

    monkeypatch.setattr(cross_encoder.mixture, "load", load)
    loaded = cross_encoder.load_data(places(data), Recipe(**vars(TINY) | {"mixture": (("sts", 0), ("dates", 0))}))
    assert loaded.pools["dates"].pairs == [other]
    assert loaded.removed == 2  # once of each source


def test_no_training_pair_left_is_an_error(data):
    (data / "en-train.csv").write_bytes((data / "en-dev.csv").read_bytes())
    with pytest.raises(ValueError, match="'sts' has no pairs of the split 'train'"):
        cross_encoder.load_data(places(data), TINY)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "en-train.csv is empty"),
        ("a dog,a cat,5.1\n", "line 1: the score is '5.1', but a number from 0 to 5"),
        ("a dog,a cat,1\na dog,a cat,-1\n", "line 2: the score is '-1'"),
        ("a dog,a cat,nan\n", "line 1: the score is 'nan'"),
        ("a dog,a cat,high\n", "line 1: the score is 'high'"),
        ("a dog,a cat\n", "line 1: 2 columns"),
        ("a dog, ,3\n", "line 1: one of the two sentences is empty"),
    ],
)
def test_a_wrong_file_is_an_error_that_names_the_line(data, content, complaint):
    (data / "en-train.csv").write_text(content)
    with pytest.raises(ValueError, match=r"en-train\.csv") as raised:
        cross_encoder.load_data(places(data), TINY)
    assert complaint in str(raised.value)


def test_a_missing_folder_or_file_is_an_error(data, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no data folder at .*nowhere"):
        cross_encoder.load_data(Places(tmp_path / "nowhere"), TINY)
    with pytest.raises(FileNotFoundError, match=r"no .*de-train\.csv, which the source .sts-de. reads"):
        cross_encoder.load_data(places(data), Recipe(mixture=(("sts-de", 0),)))


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ({"epochs": 0}, "epochs is 0, but a number from 1"),
        ({"learning_rate": -1.0}, "learning_rate is -1.0, but a number from 0"),
        ({"head_rate": float("nan")}, "head_rate is nan"),
        ({"dropout": 1.0}, "dropout is 1.0, but it is a share"),
        ({"precision": "fp8"}, "precision is 'fp8', but must be one of bf16, fp32"),
        ({"mixture": ()}, "mixture is ()"),
        ({"mixture": (("sts", 1), ("sts", 2))}, "each once"),
        ({"mixture": (("sts", -1),)}, "mixture takes -1 pairs of sts"),
        ({"questions": 1.5}, "questions is 1.5"),
    ],
)
def test_a_setting_out_of_its_range_is_an_error(setting, complaint):
    with pytest.raises(ValueError, match=re.escape(complaint)):
        Recipe(**setting)


def test_a_snapshot_of_another_run_is_never_gone_on_with(tiny_base, data, tmp_path, finished):
    other = Recipe(**vars(TINY) | {"rank": 3})
    with pytest.raises(ValueError, match="another recipe: rank was 2 and is 3 now; start anew with --no-resume"):
        cross_encoder.train(other, places(data), finished.parent, base=str(tiny_base))
    with (data / "en-dev.csv").open("a") as file:
        file.write("a dog,a dog,5\n")
    with pytest.raises(ValueError, match=r"another data: stsb/en-dev\.csv was"):
        cross_encoder.train(TINY, places(data), finished.parent, base=str(tiny_base))
    anew = cross_encoder.train(other, places(data), finished.parent, base=str(tiny_base), resume=False)
    assert json.loads((anew / "adapter_config.json").read_text())["r"] == 3


def test_a_snapshot_is_there_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "run" / "snapshot.safetensors"
    assert training_checkpoints.load(path) is None
    training_checkpoints.save(path, {"x": torch.ones(2)}, {"step": 1})

    def killed_while_writing(tensors, name, metadata):
        name.write_bytes(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(safetensors_torch, "save_file", killed_while_writing)
        with pytest.raises(KeyboardInterrupt):
            training_checkpoints.save(path, {"x": torch.zeros(2)}, {"step": 2})
    kept = training_checkpoints.load(path)
    assert kept is not None
    assert kept.facts == {"step": 1}
    assert kept.tensors["x"].tolist() == [1, 1]
    path.write_bytes(b"half")
    with pytest.raises(ValueError, match="is not a snapshot of a training run"):
        training_checkpoints.load(path)


def test_every_pair_is_in_one_batch_of_pairs_of_like_length():
    lengths = np.random.default_rng(0).integers(1, 50, size=1000)
    found = trainer.batches(lengths.tolist(), 8, np.random.default_rng(1))
    assert sorted(np.concatenate(found).tolist()) == list(range(1000))
    padding = sum(lengths[batch].max() * len(batch) for batch in found) / lengths.sum() - 1
    assert padding < 0.05


def test_agreement_is_pearson_and_spearman():
    scores, labels = np.array([0.1, 0.2, 0.4, 0.3]), np.array([0.0, 1.0, 5.0, 5.0])
    stats = pytest.importorskip("scipy.stats")
    expected = (stats.pearsonr(scores, labels)[0], stats.spearmanr(scores, labels)[0])
    assert trainer.agreement(scores, labels) == pytest.approx(expected)
    assert trainer.agreement(np.ones(4), labels) == (-1, -1)


def test_the_command_line_trains_and_says_what_it_did(tiny_base, data, tmp_path):
    app = cross_encoder.typer.Typer()
    app.command()(cross_encoder.main)
    options = "--preset smoke --epochs 2 --precision fp32 --rank 2 --max-length 64".split()
    where = ["--data", str(data.parent), "--output", str(tmp_path / "out"), "--base", str(tiny_base)]
    result = CliRunner().invoke(app, [*options, *where])
    assert result.exit_code == 0, result.output
    recipe = json.loads((tmp_path / "out" / "adapter" / "recipe.json").read_text())
    assert (recipe["recipe"]["epochs"], recipe["recipe"]["rank"], recipe["recipe"]["limit"]) == (2, 2, 64)
    result = CliRunner().invoke(app, ["--preset", "smok", *where])
    assert result.exit_code == 2
    assert result.stderr == "answersim: no preset is called 'smok'; did you mean 'smoke'? Known: cpu, smoke, sts\n"


def test_the_command_in_the_recipe_gives_the_recipe():
    given = Recipe(seed=4, mixture=(("sts", 0), ("dates", 20)), learning_rate=0.001)
    expected = "--preset sts --mixture sts=0,dates=20 --seed 4 --learning-rate 0.001"
    assert command(given) == f"answersim train cross-encoder {expected}"
    assert command(recipe.PRESETS["cpu"]) == "answersim train cross-encoder --preset cpu"
    assert recipe.mixture("sts=0,dates=20") == given.mixture
    with pytest.raises(ValueError, match="'sts=many' is not of the form"):
        recipe.mixture("sts=many")
    with pytest.raises(LookupError, match="no source of training pairs is called 'date'; did you mean 'dates'"):
        Recipe(mixture=(("date", 0),))


PAIRS = [TrainingPair("a " * (i + 1), "e", float(i % 2), question="11" if i % 3 else "") for i in range(12)]


def tokens_read(training, monkeypatch):
    """The token ids that an epoch reads, one list an epoch step."""
    read = []
    padded = trainer.pair_model.padded
    with monkeypatch.context() as patch:
        patch.setattr(trainer.pair_model, "padded", lambda tokens: read.extend(tokens) or padded(tokens))
        for _ in range(training._epoch_steps):
            training._take_step()
    return [ids for ids, _ in read]


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
def test_an_epoch_takes_of_each_pool_what_the_recipe_says_and_other_pairs_in_the_next(tiny_base, monkeypatch):
    pools = [Pool(PAIRS[:2], 5), Pool(PAIRS[2:], 4)]
    training = trainer.Run(TINY, tiny_base, pools, {"sts": PAIRS})
    assert training._epoch_steps == 3  # 9 pairs in batches of 4
    at = {tuple(ids): i for order in training._tokens for i, (ids, _) in enumerate(order)}
    taken = [sorted(at[tuple(ids)] for ids in tokens_read(training, monkeypatch)) for _ in range(2)]
    for epoch in taken:
        assert sum(place < 2 for place in epoch) == 5
        assert {epoch.count(0), epoch.count(1)} == {2, 3}  # as evenly as can be
        assert len({place for place in epoch if place >= 2}) == 4
    assert taken[0] != taken[1]
    whole = trainer.Run(TINY, tiny_base, [Pool(PAIRS[:2], 1), Pool(PAIRS[2:], 0)], {"sts": PAIRS})
    places_of_second = sorted(at[tuple(ids)] for ids in tokens_read(whole, monkeypatch) if at[tuple(ids)] >= 2)
    assert places_of_second == list(range(2, 12))  # 0: all of the pool, each once


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_so_large_a_share_of_the_pairs_is_read_with_its_question(tiny_base, monkeypatch, share):
    training = trainer.Run(
        Recipe(**vars(TINY) | {"questions": share}), tiny_base, [Pool(PAIRS * 10, 0)], {"sts": PAIRS}
    )
    separator = transformers.AutoTokenizer.from_pretrained(tiny_base).sep_token_id
    asked = [ids.count(separator) == 3 for ids in tokens_read(training, monkeypatch)]
    with_question = sum(bool(pair.question) for pair in PAIRS) * 10
    assert abs(sum(asked) / with_question - share) < 0.15
    assert (share == 0) == (not any(asked))


def test_a_run_that_starts_from_an_adapter_goes_on_from_its_weights(tiny_base, data, tmp_path, finished):
    still = Recipe(**vars(TINY) | {"epochs": 1, "learning_rate": 1e-12, "head_rate": 0.0, "decay": 0.0})
    again = cross_encoder.train(still, places(data), tmp_path / "on", base=str(tiny_base), start=finished)
    assert_equal(again, finished)
    start = json.loads((again / "recipe.json").read_text())["start"]
    assert start == {"name": "adapter", "fingerprint": cross_encoder.adapter.fingerprint(finished)}
    other = Recipe(**vars(TINY) | {"rank": 3})
    with pytest.raises(ValueError, match="has rank 2 and scale"):
        cross_encoder.train(other, places(data), tmp_path / "no", base=str(tiny_base), start=finished)


def test_training_reads_a_pair_as_scoring_does(tiny_base):
    from answersim.checkpoints import find
    from answersim.neural.tokens import tokenize

    firsts, seconds = cross_encoder_model.sides(PAIRS)
    questions = [pair.question for pair in PAIRS]
    trained = cross_encoder_model.tokenize(tiny_base, firsts, seconds, 40, questions)
    scored = tokenize(find(tiny_base), list(zip(firsts, seconds, strict=True)), 40, questions)
    assert [ids for ids, _ in trained] == scored.ids
