"""Trained networks as folders: saved, found by a path or a name, and every kind of damaged folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import copy
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

import rankers
from answersim._base.errors import CheckpointNotFoundError
from answersim.metrics.checkpoints import search
from rankers.models import store
from rankers.models.neural_ranker import fingerprint, put_weights, weights
from rankers.models.store import CONFIG, WEIGHTS
from rankers.modules.local_checkpoints import checkpoint, no_network
from rankers.modules.scoring import Lengths
from rankers.modules.words import InputConfig
from tests.cases import every
from tests.rankers.models.small_ranker import RANDOM, TEXTS, ranker

Harm = Callable[[Path], object]


def test_a_folder_without_a_ranker_names_what_was_looked_for(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"contains no ranker: it has no config\.json"):
        store.load(tmp_path)
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        rankers.load(tmp_path / "a")


@pytest.fixture
def kept(tmp_path):
    """A folder with a small ranker."""
    store.save(ranker(), tmp_path / "kept")
    return tmp_path / "kept"


def rewritten(**changes: Any) -> Harm:
    """Change fields of the settings."""

    def harm(folder: Path) -> None:
        path = folder / CONFIG
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))

    return harm


def replaced(name: str, content: Callable[[bytes], bytes] | str | bytes) -> Harm:
    """Replace the content of a file, or change it."""

    def harm(folder: Path) -> None:
        old = (folder / name).read_bytes()
        new = content.encode() if isinstance(content, str) else content
        (folder / name).write_bytes(new if isinstance(new, bytes) else new(old))

    return harm


def reweighted(change: Callable[[dict[str, Any]], object]) -> Harm:
    """Change the weights."""

    def harm(folder: Path) -> None:
        tensors = {name: value.clone() for name, value in load_file(folder / WEIGHTS).items()}
        change(tensors)
        save_file(tensors, folder / WEIGHTS)

    return harm


LEARNED, DEEP = "words.json", "[" * 100_000

# What is done to the folder, and what the message says besides the folder's name
HOSTILE: list[tuple[Harm, str]] = [
    *((replaced(CONFIG, text), "") for text in ("[]", DEEP, '{"a":' * 100_000, "{}", b'{"kind": "\xff"}')),
    *((rewritten(kind=kind), "") for kind in (None, "no-such", "os", ["match-pyramid"])),
    (rewritten(settings=[1]), ""),
    (rewritten(settings={"channels": "4"}), ""),
    (rewritten(settings={"channels": [["4"]]}), ""),
    (rewritten(settings={"eval": "1"}), ""),
    (rewritten(settings={"channels": [10**7], "grid": [10**4, 10**4]}), ""),
    (rewritten(settings={"channels": [10**30]}), ""),
    (rewritten(settings={"channels": [5], "grid": [2, 3]}), rf"{WEIGHTS} does not fit .*{CONFIG}"),
    (rewritten(words=None), ""),
    (rewritten(words={"source": 3}), ""),
    (rewritten(words={"source": "random", "code": "x"}), ""),
    (rewritten(words={"source": "random", "project": 10**9}), ""),
    (rewritten(lengths={"question": "6", "answer": 8}), ""),
    (rewritten(lengths={"question": 0, "answer": 8}), ""),
    (rewritten(lengths={"question": 6}), ""),
    (rewritten(provenance=[]), ""),
    (rewritten(signature=3), ""),
    (replaced(CONFIG, lambda content: content[:-9]), CONFIG),
    (replaced(WEIGHTS, lambda content: content[:-9]), WEIGHTS),
    *((replaced(WEIGHTS, content), "") for content in (b"", b"\x80\x04cos\nsystem\n.")),
    (reweighted(lambda t: t["score.bias"].add_(1e-3)), "was saved as .* its weights or words were changed"),
    (reweighted(lambda t: t.pop("score.bias")), ""),
    (reweighted(lambda t: t.update(more=t["score.bias"].clone())), ""),
    (reweighted(lambda t: t.update({"score.bias": t["score.bias"].repeat(2)})), ""),
    (reweighted(lambda t: t["score.bias"].fill_(float("nan"))), "'score.bias' contain numbers that are not finite"),
    (reweighted(lambda t: t["score.bias"].fill_(float("inf"))), "'score.bias' contain numbers that are not finite"),
    *((replaced(LEARNED, text), "") for text in (DEEP, "[1]", '["apple"]')),
    (
        replaced(LEARNED, lambda content: json.dumps(json.loads(content)[::-1]).encode()),
        "weights or words were changed",
    ),
    (lambda folder: copy(folder / WEIGHTS, folder / "words.safetensors"), ""),
]


@pytest.mark.parametrize(("harm", "message"), HOSTILE)
def test_a_hostile_folder_is_one_clear_error_that_names_it(harm, message, kept):
    harm(kept)
    with pytest.raises(ValueError, match=message or "kept") as error:
        rankers.load(kept)
    assert type(error.value) is ValueError
    assert "kept" in str(error.value)


@pytest.mark.parametrize("file", [CONFIG, WEIGHTS])
def test_a_file_that_is_missing_is_named(file, kept):
    (kept / file).unlink()
    with pytest.raises(FileNotFoundError, match=file):
        store.load(kept)


def test_a_checkpoint_named_in_a_folder_is_never_downloaded(kept, monkeypatch):
    import huggingface_hub

    asked = []

    def download(*names, **options):
        asked.append(options)
        raise OSError("no such snapshot")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    rewritten(words={"source": "checkpoint", "checkpoint": "stranger/model"})(kept)
    with pytest.raises(LookupError, match=r"stranger/model.*rankers are loaded without the network"):
        rankers.load(kept)
    assert all(entry["local_files_only"] for entry in asked)
    monkeypatch.setenv("ANSWERSIM_MODELS", str(kept.parent / "none"))
    with pytest.raises(FileNotFoundError):
        rankers.load("stranger/model")
    assert all(entry["local_files_only"] for entry in asked)


@every("folder", [None, 3, b"folder", ["folder"]])
def test_anything_but_a_path_is_refused(folder):
    with pytest.raises(TypeError, match="folder is"):
        rankers.load(folder)
    for empty in ("", "a\0b"):
        with pytest.raises(ValueError, match="a path has at least one character"):
            rankers.load(empty)


QUESTIONS = [TEXTS[0], "where is a boat?", ""]

POOLS = [TEXTS[1:], [TEXTS[3], "", TEXTS[1]], ["boat " * 40]]

INPUTS = {
    "random": RANDOM,
    "random, trained": InputConfig("random", size=6, at_least=1, trainable=True),
    "corpus, projected": InputConfig("corpus", size=6, at_least=1, project=4, normalise=False),
}


@pytest.mark.parametrize("inputs", INPUTS.values(), ids=INPUTS)
def test_a_saved_ranker_is_loaded_unchanged(inputs, tmp_path):
    built = ranker(inputs, seed=3)
    store.save(built, tmp_path / "kept")
    again = store.load(tmp_path / "kept")
    assert again == built
    assert again.signature == built.signature
    assert (again.provenance, again.lengths, again.settings) == (built.provenance, built.lengths, built.settings)
    for first, second in zip(again.score(QUESTIONS, POOLS), built.score(QUESTIONS, POOLS), strict=True):
        assert np.array_equal(first, second)
    with pytest.raises(ValueError, match="2 questions came with 1 lists of candidates; give one each"):
        built.score(["a", "b"], [["x"]])


def test_a_ranker_on_the_words_of_a_checkpoint_saves_none_of_them(tiny, tmp_path):
    built = ranker(InputConfig(checkpoint=str(tiny("bert")), project=4))
    store.save(built, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {CONFIG, WEIGHTS}
    assert not any(name.endswith("table") for name in load_file(tmp_path / WEIGHTS))
    assert np.array_equal(store.load(tmp_path).score(QUESTIONS, POOLS)[0], built.score(QUESTIONS, POOLS)[0])


def test_everything_that_changes_a_score_changes_the_signature():
    results = [
        ranker(),
        ranker(seed=1),
        ranker(normalise=False),  # of the network: no other weights
        ranker(replace(RANDOM, normalise=False)),  # of the words: no other table
        ranker(replace(RANDOM, size=5)),
        ranker(INPUTS["random, trained"]),
        replace(ranker(), lengths=Lengths(6, 7)),
        replace(ranker(), lengths=Lengths(5, 8)),
    ]
    assert len({metric.signature for metric in results}) == len(results)
    assert ranker() == results[0]
    assert replace(ranker(), provenance={}).signature == results[0].signature


def test_the_weights_of_a_network_are_hashed_and_put_back_without_the_table_of_words(bench):
    torch.manual_seed(1)
    before = torch.get_rng_state()
    first, second = bench.network(seed=0), bench.network(seed=1)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    assert fingerprint(first) == fingerprint(bench.network(seed=0)) != fingerprint(second)
    assert len(fingerprint(first)) == 12
    assert not [name for name in weights(first) if name.endswith("table")]
    put_weights(second, weights(first), Path(WEIGHTS), Path(CONFIG))
    assert fingerprint(second) == fingerprint(first)


@every("name", ["", None, 3, "a\0b"])
def test_what_is_no_name_is_an_error(name):
    with pytest.raises(TypeError, match="but it must be the name of a checkpoint or a folder"):
        checkpoint(name)


def test_the_network_is_used_outside_the_block_only(monkeypatch):
    uses = []

    def find(name, *, network):
        uses.append(network)
        raise CheckpointNotFoundError(f"no checkpoint {name}")

    monkeypatch.setattr(search, "find", find)
    with pytest.raises(CheckpointNotFoundError, match=r"^no checkpoint x$"):
        checkpoint("x")
    with no_network(), pytest.raises(CheckpointNotFoundError, match="rankers are loaded without the network"):
        checkpoint("x")
    with pytest.raises(CheckpointNotFoundError, match=r"^no checkpoint x$"):
        checkpoint(Path("x"))
    assert uses == [True, False, True]
