"""The commands of trainings: options, errors in one line, resumption, and whole small runs."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import pytest

import answersim
from answersim.training.bi_encoder import options
from answersim.training.bi_encoder.recipe import PRESETS, BiEncoderRecipe
from answersim.training.run.artifact import BASE
from tests.cases import cases_of, every
from tests.training.made import invoke

TABLES = cases_of(__file__)

ROOT = Path(__file__).parent.parent.parent
FAST = "--preset smoke --option precision=fp32 --option batch_size=8 --option lora_r=2".split()


MISTAKES = TABLES["mistakes"]


@every("words, complaint", MISTAKES)
def test_a_mistake_is_one_line_and_status_2_before_any_work(torch_parts, names_file, tmp_path, words, complaint):
    (tmp_path / "file").write_bytes(b"\xff\x00\xfe")
    (tmp_path / "foreign").mkdir(exist_ok=True)
    (tmp_path / "foreign" / "report.md").write_text("mine")
    places = {"NAMES": names_file, "FILE": tmp_path / "file", "FOREIGN": tmp_path / "foreign"}
    words = [str(places.get(word, word)) for word in words.replace("FILE/", f"{tmp_path}/file/").split()]
    result = invoke(*words, *([] if "--output" in words else ["--output", tmp_path / "out"]))
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("answersim: ")
    assert complaint in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()
    assert (tmp_path / "file").read_bytes() == b"\xff\x00\xfe"


def test_the_teacher_labels_no_more_pairs_than_the_limit_leaves(torch_parts, aliases_file, base, tmp_path):
    words = ["--pairs", aliases_file, "--keep-split", *FAST, "--option", "limit=6", "--base", base, "--teacher", "f1"]
    result = invoke("names", *words, "--output", tmp_path)
    assert result.exit_code == 0, result.output
    assert "better" not in result.stdout + result.stderr  # the preset smoke compares nothing
    assert not (tmp_path / "report.md").exists()
    recipe = json.loads((tmp_path / "adapter" / "recipe.json").read_text())
    assert max(recipe["pairs"].values()) == 6
    assert recipe["teacher"]["labeled"] <= 3 * 6


def test_aliases_from_pairs_to_report(torch_parts, no_data, aliases_file, base, tmp_path):
    words = ["--pairs", aliases_file, "--keep-split", *FAST, "--base", base, "--teacher", "f1", "--regression-report"]
    result = invoke("names", *words, "--output", tmp_path)
    assert result.exit_code == 0, result.output
    recipe = json.loads((tmp_path / "adapter" / "recipe.json").read_text())
    assert recipe["command"].startswith("answersim train names --pairs aliases.csv --keep-split --output")
    assert recipe["teacher"]["signature"].startswith("f1|")
    assert recipe["files"].keys() == {"aliases.csv"}
    assert recipe["recipe"]["lora_r"] == 2
    report = json.loads((tmp_path / "report.json").read_text())
    assert {row["metric"] for row in report["findings"]} == {"bi-encoder", "bertscore"}
    assert recipe["sha256"].keys() == {"adapter_config.json", "adapter_model.safetensors"}
    assert "+adapter@" in report["signatures"]["bi-encoder"][1]
    assert "+adapter@" not in report["signatures"]["bi-encoder"][0]
    assert (tmp_path / "report.md").read_text() in result.stdout
    steps = [line for line in result.stdout.splitlines() if line.startswith("step")]
    assert len(steps) == len(recipe["dev_by_step"])
    assert "pairs per second" in result.stdout


@pytest.mark.slow
def test_the_training_of_the_paper_runs_on_a_small_model_of_its_architecture(
    torch_parts, no_data, names_file, tiny, tmp_path
):
    small = tiny("xlm-roberta", positions=256)
    with names_file.open("a") as file:  # held-out pairs need two labels
        file.writelines(f"john {i},john {i + 3},0.2,{('train', 'dev', 'test')[i % 3]}\n" for i in range(57))
    words = ["--pairs", names_file, "--base", small, "--option", "batch_size=16", "--option", "limit=64"]
    result = invoke("names", "--paper", *words, "--output", tmp_path)
    assert result.exit_code == 0, result.output
    recipe = json.loads((tmp_path / "model" / "recipe.json").read_text())
    assert recipe["command"].startswith("answersim train names --paper")
    assert (recipe["teacher"], recipe["split"]) == ("recorded", "as in the file")
    settings = {"method": "full", "loss": "cosine", "epochs": 2, "warmup_ratio": 0.45}
    assert recipe["recipe"] | settings == recipe["recipe"]
    assert recipe["base"]["name"] == small.name
    assert len(recipe["dev_by_step"]) == 2  # one evaluation per epoch
    trained = answersim.metric("bi-encoder", model=str(tmp_path / "model"))
    before = answersim.metric("bi-encoder", model=str(small))
    pair = [answersim.Pair("john 1", "1 john")]
    assert trained(pair) != before(pair)
    assert (tmp_path / "report.md").is_file()


def _heeds_ctrl_c() -> None:
    """A suite that runs in the background of a shell has Ctrl-C switched off, and so have its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.slow  # test_train.py ends and resumes a training quickly
def test_ctrl_c_prints_how_to_resume_and_the_same_command_does(torch_parts, names_file, base, tmp_path):
    words = ["names", "--pairs", names_file, *FAST, "--base", base, "--option", "limit=16"]
    words += [
        *"--option epochs=120 --option evaluate_every=200 --option checkpoint_every=20 --output".split(),
        tmp_path,
    ]
    command = [sys.executable, "-m", "answersim", "train", *map(str, words)]
    snapshot = tmp_path / "training_checkpoint.safetensors"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, preexec_fn=_heeds_ctrl_c, **pipes) as process:
        deadline = time.monotonic() + 300
        while not snapshot.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert out.splitlines()[-1] == "interrupted; the same command resumes the training"
    assert "Traceback" not in err
    result = invoke(*words)
    assert result.exit_code == 0, result.output
    assert "resumed after step" in result.stdout


def test_a_training_runs_in_one_process(names_file, base, tmp_path, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    result = invoke("names", "--pairs", names_file, *FAST, "--base", base, "--output", tmp_path / "out")
    assert result.exit_code == 2
    assert "torchrun started several" in result.stderr


def test_the_help_of_the_command_line_loads_nothing_heavy():
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom answersim.__main__ import app\n"
        "assert CliRunner().invoke(app, ['train', 'names', '--help']).exit_code == 0\n"
        "print([name for name in ('torch', 'scipy', 'transformers', 'datasets', 'optuna') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, env={**os.environ})
    assert run.stdout == "[]\n", run.stderr


def test_a_training_that_diverges_ends_with_status_2_and_ships_nothing(torch_parts, names_file, base, tmp_path):
    words = ["--pairs", names_file, *FAST, "--base", base, "--no-regression-report", "--output", tmp_path / "out"]
    result = invoke(
        "names", *words, "--option", "lora_alpha=1e38", "--option", "learning_rate=1", "--option", "weight_decay=1e38"
    )
    assert result.exit_code == 2, result.output
    assert "the training diverged" in result.stderr
    assert not (tmp_path / "out" / "adapter").exists()


def test_every_setting_of_a_recipe_is_an_option(runs, names_file):
    recipe = BiEncoderRecipe(
        seed=4, epochs=3, batch_size=32, learning_rate=0.003, warmup_ratio=0.1, weight_decay=0.01, lora_r=8,
        lora_alpha=16.0, dropout=0.2, lora_dropout=0.05, max_length=32, precision="fp32", evaluate_every=7,
        checkpoint_every=9, limit=11, loss="cosent", method="full", measure="spearman",
    )  # fmt: skip
    stated = asdict(recipe)
    assert [name for name, value in asdict(PRESETS["cpu"]).items() if stated[name] == value] == []
    words = []
    for name, value in stated.items():
        words += (
            ["--seed", str(value)] if name == "seed" else ["--option", f"{name}={str(value).replace('True', 'true')}"]
        )
    result = invoke("names", "--pairs", names_file, *words)
    assert result.exit_code == 0, result.output
    assert runs[0][1] == recipe
    assert runs[0][3].endswith(" ".join(words))


def test_the_training_of_the_paper_has_its_base_settings_labels_and_split(runs, names_file, tiny, monkeypatch):
    folder = tiny("xlm-roberta")
    monkeypatch.setattr(options, "T_SYSTEMS", str(folder))
    assert invoke("names", "--paper", "--pairs", names_file).exit_code == 0
    settings, recipe, prepared, line = runs[0]
    assert (settings["base"], settings["teacher"]) == (str(folder), "recorded")
    assert recipe == PRESETS["paper"]
    assert recipe.method == "full"
    assert (recipe.batch_size, recipe.epochs, recipe.warmup_ratio) == (64, 2, 0.45)
    assert (recipe.peak_learning_rate, recipe.weight_decay, recipe.loss) == (2e-5, 0.01, "cosine")
    assert prepared.metadata["split"] == "as in the file"
    assert line == "answersim train names --paper --pairs name_pairs.csv"


def test_without_its_base_the_training_of_the_paper_names_what_to_download(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("ANSWERSIM_MODELS", str(tmp_path))
    result = invoke("names", "--paper", "--output", tmp_path / "out")
    assert result.exit_code == 2
    assert "--paper trains T-Systems-onsite/cross-en-de-roberta-sentence-transformer, which is not on" in result.stderr
    assert "download this model" in result.stderr
    assert f"--base {BASE}" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_preset_that_contradicts_the_training_of_the_paper_is_an_error(runs, tiny):
    result = invoke("names", "--preset", "cpu", "--paper", "--base", tiny("xlm-roberta"))
    assert result.exit_code == 2
    assert "--paper has a preset of its own, but --preset is cpu" in result.stderr
    assert runs == []
