"""From the name of a model to a folder of weights and a fingerprint of what decides its numbers."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple

from answersim._base.arguments import expanded
from answersim._base.errors import (
    WITHOUT_TORCH,
    CheckpointNotFoundError,
    ChecksumError,
    MissingExtraError,
    NoHomeError,
    install_command,
)
from answersim._base.io.folders import cache_folder
from answersim._base.runtime.concurrency import imported
from answersim.metrics.checkpoints import packed

MODELS_VARIABLE = "ANSWERSIM_MODELS"
WEIGHTS = tuple(
    f"{name}{index}" for name in ("model.safetensors", "pytorch_model.bin") for index in ("", ".index.json")
)

# "tokenizers": files of tokenizers. "read": suffixes of the files that libraries read, each of which must be a regular
# file. "sizes": settings for the size of modules. "history": keys of a configuration that can change no number.
_DATA: dict[str, list[str]] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
_TOKENIZERS = _DATA["tokenizers"]
_LARGEST_JSON, _LARGEST_VOCABULARY = 64 * 2**20, 2**30  # bytes; the real ones are far smaller
# Settings for the number of modules.
_COUNTS = re.compile("(layers|groups|blocks|experts)$|^n_layer$|^inner_group_num$")
_MOST_MODULES, _LARGEST_SIZE = 1000, 2**31
_LAYERS = frozenset("num_hidden_layers n_layers num_layers n_layer".split())
# The smallest value of a setting if it is not 1. Some models have no token types, or no limit of positions.
_LEAST = {"type_vocab_size": 0, "max_position_embeddings": -1}
_PATIENCE = 10  # seconds until the hub counts as out of reach
_HUB_FILES = ("*.json", "*.txt", "*.model", "1_Pooling/*")


class Pin(NamedTuple):
    """A revision of a model and the SHA-256 of the files that decide its numbers."""

    revision: str  # the commit of its repository on the hub; "" if the hub does not have it
    # the digest of each file that must be in the folder: weights, and the tokenizer if it is pinned
    sha256: Mapping[str, str]
    package: str | None = None  # the installed package that contains the model, if there is one
    folder: str = ""  # the folder of the model in this package
    extra: str | None = None  # the extra of answersim that installs this package
    # the digest of each file of settings that is checked if the folder has it
    settings: Mapping[str, str] = MappingProxyType({})


PINNED = {
    name: Pin(**row)
    for name, row in json.loads(Path(__file__).with_name("pins.json").read_text(encoding="utf-8")).items()
}
ALIASES = {name.partition("/")[2]: name for name in PINNED}


class Checkpoint(NamedTuple):
    """A folder of weights that was found."""

    name: str  # the name that was requested
    folder: Path  # the folder of the weights, the tokenizer and the configuration
    # twelve hexadecimal digits over the weights, the tokenizer and the architecture. The name of the model precedes
    # them if they are the pinned bytes of a known model. The same bytes have the same fingerprint in any folder.
    fingerprint: str
    source: str  # the place where it was found, in words

    @property
    def config(self) -> dict[str, Any]:
        """The configuration. Raise ValueError if a number in it is impossible for a model."""
        return read_config(self.folder)


def find(name: str | os.PathLike[str], *, network: bool = True, revision: str | None = None) -> Checkpoint:
    """Find the weights of this name in the first place that has them.

    The order is: an existing folder; ``$ANSWERSIM_MODELS/<name>``; what ``answersim data fetch`` has downloaded; the
    package of the extra ``embedded`` or ``multilingual``; the Hugging Face cache and hub, which respects
    ``HF_HUB_OFFLINE``. ``name@revision`` requests that revision from the hub. ``network``: if false, the hub is not
    contacted. Its cache on this machine is still read. ``revision``: the revision that is requested from the hub if
    neither the name nor a pin has one. A folder of ``$ANSWERSIM_MODELS`` or of a package has no revision, and is used
    as it is. Raise CheckpointNotFoundError if no place has it, ChecksumError if a pinned model was found with other
    bytes than the pinned ones, MissingExtraError if only the hub is left and ``huggingface_hub`` is not installed.
    """
    requested = os.fspath(name)
    model, _, named = requested.partition("@")
    model = ALIASES.get(model, model)
    pin = PINNED.get(model)
    if pin and named not in ("", pin.revision):
        pin = None  # another revision has other bytes
    tried: list[str] = []
    path = _is_path(requested)
    places = (
        [("the folder itself", expanded(requested))]
        if path
        else _places(model, named, pin, tried, network, revision or "")
    )
    for source, folder in places:
        if has_weights(folder):
            if pin and not path:
                _check(folder, pin)
            return Checkpoint(requested, folder, fingerprint(folder), source)
        tried.append(f"{source} ({folder}: {_lack(folder)})")
    mend = f"put its files into ${MODELS_VARIABLE}/{model} or {'go online once' if network else 'download it first'}"
    if path:
        mend = "check the path, or give a model's name"
    elif pin and pin.extra:
        mend = install(pin)
    elif pin:
        mend = f"{mend}; the files must be those of the revision {pin.revision} on the hub"
    raise CheckpointNotFoundError(f"no weights for {requested!r}. Tried: {'; '.join(tried)}. To fix this: {mend}")


def install(pin: Pin) -> str:
    """Return how to install the files of a pinned model that an extra has."""
    by_extra = install_command(pin.extra or "")
    if pin.extra == "embedded":
        return f"{WITHOUT_TORCH}, or with torch {by_extra}"
    return f"run answersim data fetch {pin.extra}, or {by_extra}"


def is_here(name: str) -> bool:
    """Return whether the files of this model are on this machine. They are not checked."""
    model = ALIASES.get(name, name)
    places = _places(model, "", PINNED.get(model), [], network=False, usual="")
    return any(has_weights(folder) for _, folder in places)


def fingerprint(folder: Path, weights: Mapping[str, str] | None = None) -> str:
    """Return twelve hexadecimal digits over the bytes and settings in this folder that decide the numbers.

    They are all weight files, the tokenizer and its settings, ``config.json`` without the keys that only record its
    history, and for a sentence-transformers folder the default prompt and whether texts are lowercased. ``weights``:
    the SHA-256 of each weight file by name, if it is known. The tokenizer is then hashed again, also if its size and
    modification time are unchanged. Raise CheckpointNotFoundError if the folder contains no weights. Raise ValueError
    if a file that decides a number is not a regular file, or if the folder also contains an adapter, which some
    versions of the libraries would add and others would not.
    """
    _check_folder(folder)
    digest = sha256 if weights is None else _digest
    if weights is None:
        weights = {path.relative_to(folder).as_posix(): sha256(path) for path in weight_files(folder)}
    tokenizer = next(
        ({file: digest(folder / file)} for file in _TOKENIZERS[:1] if (folder / file).is_file()),
        {file: digest(folder / file) for file in _TOKENIZERS[1:] if (folder / file).is_file()},
    )
    settings = [_settings(folder / file) for file in ("config.json", "tokenizer_config.json")]
    more = [extra for extra in (_more_tokens(folder, settings[1]), _sentence_settings(folder)) if extra]
    decided = json.dumps([dict(weights), tokenizer, *settings, *more], sort_keys=True)
    signed = hashlib.sha256(decided.encode()).hexdigest()[:12]
    for model, pin in PINNED.items():
        if pin.sha256.items() <= (dict(weights) | tokenizer).items() and all(
            digest(folder / file) == pinned for file, pinned in pin.settings.items() if (folder / file).is_file()
        ):
            return f"{model.rpartition('/')[2]}@{signed}"
    return signed


def check_same(folder: Path, expected: str, actual: str) -> None:
    """Check that the fingerprint of the files that were read is the one that signs the scores.

    Raise ChecksumError if they differ. The stored sums of all files are then dropped.
    """
    if actual != expected:
        _sha256.cache_clear()
        raise ChecksumError(
            f"a file in {folder} was changed after this metric was made: the fingerprint was {expected} and is "
            f"{actual} now, so the scores would not match the signature; build the metric again"
        )


def check_unchanged(folder: Path, expected: str) -> None:
    """Check that the tokenizer and the settings in a folder still have this fingerprint, by reading them again.

    Raise ChecksumError if a file has changed.
    """
    weights = {path.relative_to(folder).as_posix(): sha256(path) for path in weight_files(folder)}
    check_same(folder, expected, fingerprint(folder, weights))


def _settings(path: Path) -> dict[str, Any]:
    """Return the settings in this file without its history; empty if there is no file."""
    return {key: value for key, value in read_settings(path).items() if key not in _DATA["history"]}


def _more_tokens(folder: Path, tokenizer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the special and added tokens in older files that differ from those in tokenizer_config.json."""
    special = _settings(folder / "special_tokens_map.json")
    decoder = tokenizer.get("added_tokens_decoder")
    listed = {
        token["content"]
        for token in (decoder.values() if isinstance(decoder, dict) else ())
        if isinstance(token, dict) and isinstance(token.get("content"), str)
    }
    added = _settings(folder / "added_tokens.json")
    return {
        **{key: value for key, value in special.items() if tokenizer.get(key) != value},
        **({"added_tokens": more} if (more := {key: added[key] for key in added if key not in listed}) else {}),
    }


def _sentence_settings(folder: Path) -> dict[str, Any]:
    """Return how a sentence-transformers folder changes a text before it is tokenized; empty if it does not."""
    if packed.is_packed(folder):
        return {"prompt": packed.PROMPT}
    stated = _settings(folder / "config_sentence_transformers.json")
    prompts, name = stated.get("prompts"), stated.get("default_prompt_name")
    prompt = prompts.get(name) if isinstance(prompts, dict) and isinstance(name, str) else None
    lowers = _settings(folder / "sentence_bert_config.json").get("do_lower_case")
    return {**({"prompt": prompt} if prompt else {}), **({"do_lower_case": lowers} if lowers else {})}


def has_weights(folder: Path) -> bool:
    """Return whether this folder contains a configuration and weights in a readable format."""
    if packed.is_packed(folder):
        return True
    return (folder / "config.json").is_file() and any((folder / file).is_file() for file in WEIGHTS)


def read_config(folder: Path) -> dict[str, Any]:
    """Return the content of ``config.json``, or the same settings of a packed file.

    Raise FileNotFoundError if the folder has neither. Raise ValueError if a file is damaged, or a number in it is
    impossible for a model.
    """
    if packed.is_packed(folder):
        return check_config(packed.read_config(folder / packed.FILE), folder)
    return check_config(read_json(folder / "config.json"), folder)


def read_json(path: Path) -> dict[str, Any]:
    """Read the object in this JSON file."""
    _check_regular(path)
    if (size := path.stat().st_size) > _LARGEST_JSON:
        raise ValueError(f"{path} has {size:,} bytes, but a file of settings has at most {_LARGEST_JSON:,}")
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise ValueError(f"{path} is not valid JSON: it is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"{path} is not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise ValueError(f"{path} contains a JSON {type(value).__name__}, but it must contain an object")
    return value


def read_settings(path: Path) -> dict[str, Any]:
    """Read the object in this JSON file; empty if there is no file."""
    return read_json(path) if path.is_file() else {}


def check_config(config: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Check the numbers of a ``config.json`` before a model is built from them."""
    kind = config.get("model_type")
    if not isinstance(kind, (str, type(None))):
        raise ValueError(
            f"{folder / 'config.json'}: model_type is {kind!r}, but it must be a text; copy the model again"
        )
    for key, value in config.items():
        counted = bool(_COUNTS.search(key)) and not isinstance(value, (bool, list, dict, type(None)))
        required = key in _LAYERS or (key in _DATA["sizes"] and value is not None)
        if not counted and not required:
            continue
        most, least = (_MOST_MODULES if counted else _LARGEST_SIZE), _LEAST.get(key, 1) if required else 0
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            printed = repr(value)
            raise ValueError(
                f"{folder / 'config.json'}: {key} is {printed if len(printed) <= 40 else f'{printed[:37]}...'}, but "
                f"it must be a whole number from {least} to {most:,}; copy the model again"
            )
    return config


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal. It is computed again only if its size or time has changed."""
    stat = path.stat()
    return _sha256(path.resolve(), stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=256)
def _sha256(path: Path, size: int, changed: int) -> str:
    return _digest(path)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _places(
    model: str, revision: str, pin: Pin | None, tried: list[str], network: bool, usual: str
) -> Iterator[tuple[str, Path]]:
    """Yield every place in order, with its folder for the model. Append the places that cannot be tried to ``tried``.

    ``usual``: the revision from the hub if neither the name nor a pin has one. No other place has revisions.
    """
    if not revision or pin:
        yield from _models_folder(model, tried)
    with suppress(NoHomeError):
        if (folder := fetched_folder(model)).is_dir():
            yield "the cache", folder
    if pin and pin.package:
        spec = find_spec(pin.package)
        if spec and spec.submodule_search_locations:
            yield f"the installed package {pin.package}", Path(spec.submodule_search_locations[0]) / pin.folder
        else:
            tried.append(f"the package {pin.package} (not installed)")
    if pin is None or pin.revision:
        yield from _hub(model, revision or (pin.revision if pin else usual), tried, network)


def fetched_folder(model: str) -> Path:
    """Return the folder in the cache for the files of a model that ``answersim data fetch`` downloads.

    Raise NoHomeError as ``cache_folder``.
    """
    return cache_folder() / "models" / model.rpartition("/")[2]


def _models_folder(model: str, tried: list[str]) -> Iterator[tuple[str, Path]]:
    """Yield the folders ``org/model`` and ``model`` below the folder of models that the user has set."""
    home = os.environ.get(MODELS_VARIABLE)
    if not home:
        tried.append(f"${MODELS_VARIABLE} (not set)")
        return
    folders = [Path(home) / folder_name for folder_name in dict.fromkeys((model, model.rpartition("/")[2]))]
    there = [folder for folder in folders if folder.is_dir()]
    if not there:
        tried.append(f"${MODELS_VARIABLE} ({home}: no folder {model})")
    yield from ((f"${MODELS_VARIABLE}", folder) for folder in there)


def _lack(folder: Path) -> str:
    if not folder.is_dir():
        return "no such folder"
    for file in ("config.json", *WEIGHTS):
        if not (folder / file).is_file() and os.path.lexists(folder / file):
            return f"{file} is not a regular file"
    return "no config.json" if not (folder / "config.json").is_file() else "no weights in it"


def _check_folder(folder: Path) -> None:
    """Refuse files that would block or mislead a library that reads them."""
    for path in sorted([*folder.iterdir(), *folder.glob("*/*.json")]):
        if path.suffix in _DATA["read"] and not path.is_dir():
            _check_regular(path)
            if path.name in _TOKENIZERS and (size := path.stat().st_size) > _LARGEST_VOCABULARY:
                raise ValueError(f"{path} has {size:,} bytes, but a vocabulary has at most {_LARGEST_VOCABULARY:,}")
    if (folder / "config.json").is_file() and (folder / "adapter_config.json").is_file():
        raise ValueError(
            f"{folder} contains a model and an adapter_config.json, which only some versions of the libraries would "
            "add to it: move the adapter into another folder and pass that folder with adapter="
        )


def _check_regular(path: Path) -> None:
    """Check that a path leads to a regular file, and so can be read to its end."""
    if path.is_file():
        return
    if not os.path.lexists(path):
        raise FileNotFoundError(f"there is no file {path}")
    kind = "a link that leads to no file" if path.is_symlink() and not path.exists() else "not a regular file"
    raise ValueError(f"{path} is {kind}; copy the model again")


def _hub(model: str, revision: str, tried: list[str], network: bool) -> Iterator[tuple[str, Path]]:
    """Yield the snapshot folder of this model in the Hugging Face cache, downloaded if the hub answers a request."""
    place = "the Hugging Face cache and hub" if network else "the Hugging Face cache"
    try:
        hub, errors = imported("huggingface_hub"), imported("huggingface_hub.errors")
    except ImportError as error:
        if model in PINNED:  # the remedy of the pin is the better one
            tried.append("the Hugging Face hub (huggingface_hub is not installed)")
            return
        raise MissingExtraError(
            f"finding the weights {model!r} on the Hugging Face hub", "neural", "huggingface_hub"
        ) from error
    refusal = ""
    for weights in ("*.safetensors", "*.bin"):
        try:
            if network and not refusal:
                refusal = _refusal(model, revision)
            folder = hub.snapshot_download(
                model,
                revision=revision or None,
                allow_patterns=[*_HUB_FILES, weights],
                ignore_patterns=["onnx/*", "openvino/*", "training_args.bin"],
                **({} if network and not refusal else {"local_files_only": True}),
            )
        except errors.HFValidationError:
            tried.append(f"the Hugging Face hub ({model!r} is not a name of a repository)")
            return
        # The client of the hub has a different exception for every cause. With any of them, the place is skipped.
        except Exception as error:
            tried.append(f"{place} ({refusal or _one_line(error)})")
            return
        if has_weights(Path(folder)):
            yield "the Hugging Face cache", Path(folder)
            return
    tried.append("the Hugging Face hub (the repository contains neither safetensors nor PyTorch weights)")


def _refusal(model: str, revision: str) -> str:
    """Return why the hub does not answer a short request for this model, on one line; "" if it does."""
    hub, errors = imported("huggingface_hub"), imported("huggingface_hub.errors")
    try:
        hub.HfApi().model_info(model, revision=revision or None, timeout=_PATIENCE)
    except errors.HFValidationError:
        raise
    except Exception as error:  # as of the download
        return _one_line(error)
    return ""


def _one_line(error: Exception) -> str:
    reason = str(error).strip().splitlines()
    return f"{type(error).__name__}: {reason[0] if reason else type(error).__name__}"


def is_pinned(name: str) -> bool:
    """Return whether this is the name of a model whose files are pinned.

    >>> is_pinned("all-MiniLM-L6-v2"), is_pinned("bert-base-uncased")
    (True, False)
    """
    return name in ALIASES or name in PINNED


def _is_path(requested: str) -> bool:
    """Return whether this is a folder. The name of a pinned model never is, also if such a folder exists."""
    if is_pinned(requested.partition("@")[0]):
        return False
    return requested.startswith((".", "/", "~", "\\")) or Path(requested).is_dir() or Path(requested).is_absolute()


def _check(folder: Path, pin: Pin) -> None:
    settings = {file: pinned for file, pinned in pin.settings.items() if (folder / file).exists()}
    for file, pinned in (dict(pin.sha256) | settings).items():
        check_sha256(folder / file, pinned)


def check_sha256(path: Path, expected: str) -> None:
    """Verify the SHA-256 of a file. Raise ChecksumError if the file is missing or its digest differs."""
    if not path.is_file():
        raise ChecksumError(f"{path} is missing, but its SHA-256 is pinned; install or copy the model again")
    digest = sha256(path)
    if digest != expected:
        raise ChecksumError(
            f"{path} has the SHA-256 {digest}, but {expected} is pinned: the file is damaged or another revision; "
            "install or copy the model again, or name its folder to use it as it is"
        )


def weight_files(folder: Path) -> list[Path]:
    """Return the weight files of this folder, and their index if there are several."""
    if packed.is_packed(folder):
        _check_regular(folder / packed.FILE)
        return [folder / packed.FILE]
    for file in WEIGHTS:
        path = folder / file
        if path.is_file():
            return [path, *_shards(path)] if file.endswith(".index.json") else [path]
    raise CheckpointNotFoundError(f"no weights in {folder}; expected one of: {', '.join(WEIGHTS)}")


def _shards(index: Path) -> list[Path]:
    """Return the files that an index of weights names. They must be regular files in its folder."""
    named = read_json(index).get("weight_map")
    if not isinstance(named, dict) or not named:
        raise ValueError(f"{index} names no weights: its 'weight_map' is {named!r}; copy the model again")
    shards = sorted(set(map(str, named.values())))
    for shard in shards:
        below = PurePosixPath(shard)
        inside = not below.is_absolute() and ".." not in below.parts and "\\" not in shard
        # A folder below must not be a link to elsewhere. A file may be one: the cache of the hub is made of them.
        inside = inside and not any((index.parent / folder).is_symlink() for folder in below.parents)
        if not inside or not shard.endswith((".safetensors", ".bin")):
            raise ValueError(
                f"{index} names {shard!r}, but its weights are .safetensors or .bin files in the same folder; "
                "copy the model again"
            )
        _check_regular(index.parent / shard)
    return [index.parent / shard for shard in shards]
