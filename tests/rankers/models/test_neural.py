"""A trained network as a ranker: its scores, its signature, and the folder it comes back from unchanged."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from rankers.models import store
from rankers.models.store import CONFIG, WEIGHTS
from rankers.modules.scoring import Lengths
from rankers.modules.words import InputConfig
from tests.rankers.models.small_ranker import RANDOM, TEXTS, ranker

QUESTIONS = [TEXTS[0], "where is a boat?", ""]
POOLS = [TEXTS[1:], [TEXTS[3], "", TEXTS[1]], ["boat " * 40]]
INPUTS = {
    "random": RANDOM,
    "random, trained": InputConfig("random", size=6, at_least=1, trainable=True),
    "corpus, projected": InputConfig("corpus", size=6, at_least=1, project=4, normalise=False),
}


def test_as_many_pools_as_questions_are_needed():
    with pytest.raises(ValueError, match="2 questions came with 1 lists of candidates; give one each"):
        ranker().score(["a", "b"], [["x"]])


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


@pytest.fixture
def kept(tmp_path):
    store.save(ranker(), tmp_path / "kept")
    return tmp_path / "kept"


def test_changed_weights_are_refused(kept):
    tensors = load_file(kept / WEIGHTS)
    tensors["score.bias"] += 1e-3
    save_file(tensors, kept / WEIGHTS)
    with pytest.raises(ValueError, match=r"was saved as .* its weights or words were changed; train it again"):
        store.load(kept)


def test_changed_words_are_refused(kept):
    learned = json.loads((kept / "words.json").read_text())
    (kept / "words.json").write_text(json.dumps(learned[::-1]))
    with pytest.raises(ValueError, match="its weights or words were changed"):
        store.load(kept)


def test_weights_of_other_settings_are_refused(kept):
    config = json.loads((kept / CONFIG).read_text())
    config["settings"]["channels"] = [5]
    (kept / CONFIG).write_text(json.dumps(config))
    with pytest.raises(ValueError, match=rf"{WEIGHTS} does not fit .*{CONFIG}"):
        store.load(kept)


@pytest.mark.parametrize("file", [CONFIG, WEIGHTS])
def test_a_file_that_is_missing_or_damaged_is_named(file, kept):
    content = (kept / file).read_bytes()
    (kept / file).write_bytes(content[:-9])
    with pytest.raises(ValueError, match=file):
        store.load(kept)
    (kept / file).unlink()
    with pytest.raises(FileNotFoundError, match=file):
        store.load(kept)
