"""Load the weights of a checkpoint: read once, checked against the fingerprint, complete, and never memory-mapped."""

from __future__ import annotations

import hashlib
import logging
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from answersim._base.errors import CheckpointNotFoundError, ChecksumError, MissingExtraError, first_ones, shortened
from answersim._base.runtime.concurrency import alone, importing
from answersim.metrics.checkpoints import packed, search

if TYPE_CHECKING:
    import torch

# No code from a repository is ever run, and nothing is fetched.
SAFE = {"trust_remote_code": False, "local_files_only": True}

_SHOWN = 3  # names of tensors in a message
# A model may have more parameters than its files have bytes: a decoder or a pooler that is not stored. A config.json
# that describes a far larger model than that would fill the memory before anything is compared.
_PARAMETERS_PER_BYTE = 4
_ALWAYS_ALLOWED = 16_000_000


class Loaded(NamedTuple):
    """A model in memory."""

    model: Any  # the model, in eval mode, on the CPU. No file is mapped into it.
    # the names of parameters that the files lack and the caller allowed to be missing. They are random.
    missing: frozenset[str]
    fingerprint: (
        str  # the fingerprint of the bytes that were read (see ``answersim.metrics.checkpoints.search.fingerprint``)
    )


class Tensors(NamedTuple):
    """The tensors of all weight files by name, and the SHA-256 of each file by its path in the folder."""

    by_name: dict[str, Any]
    sha256: dict[str, str]


def load(
    folder: Path,
    auto: str = "AutoModel",
    *,
    dtype: torch.dtype,
    optional: Callable[[str], bool] | None = None,
    **overrides: Any,
) -> Loaded:
    """Load the model in a folder, without code from the folder and without the network.

    Args:
        folder: A folder of weights, with ``config.json``.
        auto: The class of transformers that chooses the architecture.
        dtype: The type of the parameters.
        optional: Whether the parameter of this name may be missing from the files. By default, the pooler may be
            missing, and the decoder of a model with an encoder and a decoder: no metric reads them.
        overrides: Settings that replace those of ``config.json``, such as ``num_hidden_layers``.

    Raises:
        ValueError: If a file is damaged, a setting of ``config.json`` has an impossible value, or the weights do not
            fit the configuration. A message about weights names the tensors.
        CheckpointNotFoundError: If the folder contains no weights.
    """
    config, empty = _skeleton(folder, auto, overrides)
    check_size(sum(parameter.numel() for parameter in empty.parameters()), folder)
    tensors = read(folder)
    with unfit(folder):
        model, report = type(empty).from_pretrained(
            None,
            config=config if type(empty.config) is type(config) else empty.config,
            state_dict={name: as_torch(tensor) for name, tensor in tensors.by_name.items()},
            dtype=dtype,
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # they are refused below, by name
            local_files_only=True,
        )
    model.name_or_path = model.config._name_or_path = str(folder)  # peft uses it when it saves an adapter
    if optional is None:
        optional = _unread(bool(getattr(config, "is_encoder_decoder", False)))
    missing = frozenset(report["missing_keys"])
    check_fit(folder, {name for name in missing if not optional(name)}, report["mismatched_keys"])
    return Loaded(model.eval(), missing, search.fingerprint(folder, tensors.sha256))


def skeleton(folder: Path, auto: str = "AutoModel", **overrides: Any) -> torch.nn.Module:
    """Build the model in a folder without any values: the names and shapes of its parameters, in milliseconds.

    ``overrides``: settings that replace those of ``config.json``. Raise ValueError if no model can be built from the
    configuration.
    """
    return _skeleton(folder, auto, overrides)[1]


def _skeleton(folder: Path, auto: str, overrides: Mapping[str, Any]) -> tuple[Any, Any]:
    import torch
    import transformers

    settings = search.read_config(folder)
    # The class is imported before: modules of transformers 4 make tensors on import, which fails on the meta device.
    model_class = getattr(transformers, auto)
    with unfit(folder), torch.device("meta"):
        if packed.is_packed(folder):
            config = transformers.AutoConfig.for_model(**{**settings, **overrides})
        else:
            config = transformers.AutoConfig.from_pretrained(folder, **overrides, **SAFE)
        return config, model_class.from_config(config, trust_remote_code=False)


def load_checkpoint(checkpoint: search.Checkpoint, **settings: Any) -> Loaded:
    """Load the model of a checkpoint, as ``load`` does, and check that its files are unchanged.

    Raise ChecksumError if a file has changed since the checkpoint was found, ValueError or CheckpointNotFoundError as
    ``load``.
    """
    loaded = load(checkpoint.folder, **settings)
    search.check_same(checkpoint.folder, checkpoint.fingerprint, loaded.fingerprint)
    return loaded


def read(
    folder: Path,
    content_of: Callable[[Path], Any] = Path.read_bytes,
    parse: Callable[[Path, Any], Mapping[str, Any]] | None = None,
) -> Tensors:
    """Read all weight files of a folder.

    ``content_of``: from a file to its bytes. By default they are copied, so that a later change of the file cannot
    change the tensors. ``parse``: from a file and its bytes to its tensors, by default those of torch. The tensors of a
    packed file stay ``packed.PackedTensor``. Raise ValueError if a file is damaged, or is not a safetensors file, a
    packed file or plain pickle of tensors. Raise CheckpointNotFoundError if the folder contains no weights.
    """
    by_name: dict[str, Any] = {}
    sums: dict[str, str] = {}
    for path in search.weight_files(folder):
        content = content_of(path)
        sums[path.relative_to(folder).as_posix()] = hashlib.sha256(content).hexdigest()
        if path.suffix != ".json":
            with _unreadable(path):
                by_name |= (
                    packed.tensors(path, content) if path.name == packed.FILE else (parse or _tensors)(path, content)
                )
    return Tensors(by_name, sums)


def as_torch(tensor: Any) -> torch.Tensor:
    """Return a tensor of a weight file as one of torch. The values of a packed one are computed."""
    import torch

    values: torch.Tensor = torch.from_numpy(tensor.fp32()) if isinstance(tensor, packed.PackedTensor) else tensor
    return values


@contextmanager
def quiet(feature: str = "a neural metric", extra: str = "neural") -> Iterator[Any]:
    """Yield transformers, which logs only errors and shows no bars within the block.

    Unused heads and long texts are counted by this package instead. Both settings belong to the process, so no other
    thread loads or runs a network meanwhile. Raise MissingExtraError if transformers is not installed.
    """
    with importing("transformers"):
        try:
            import transformers
        except ImportError as error:
            raise MissingExtraError(feature, extra, error.name or "transformers") from error
    logger = logging.getLogger("transformers")
    with alone():
        level, bars = logger.level, transformers.utils.logging.is_progress_bar_enabled()
        logger.setLevel(logging.ERROR)
        transformers.utils.logging.disable_progress_bar()
        try:
            yield transformers
        finally:
            logger.setLevel(level)
            if bars:
                transformers.utils.logging.enable_progress_bar()


@contextmanager
def unfit(folder: Path) -> Iterator[None]:
    """Turn whatever a library raises about the files of a folder into a ValueError that names the folder.

    A configuration or a tokenizer with wrong types or values makes the libraries raise almost any exception. Only the
    errors of this package and a lack of memory pass through.
    """
    try:
        yield
    except (MemoryError, MissingExtraError, CheckpointNotFoundError, ChecksumError):
        raise
    except Exception as error:
        raise ValueError(
            f"the model in {folder} cannot be built ({_line(error)}): its configuration or its tokenizer is damaged or "
            "of an architecture that is not supported; copy the model again or choose another"
        ) from error


def _tensors(path: Path, content: bytes) -> Mapping[str, torch.Tensor]:
    """Return the tensors in the content of one weight file."""
    import torch
    from safetensors.torch import load as from_safetensors

    if path.suffix == ".safetensors":
        return from_safetensors(content)
    tensors = torch.load(BytesIO(content), map_location="cpu", weights_only=True)
    if not isinstance(tensors, dict) or not all(isinstance(tensor, torch.Tensor) for tensor in tensors.values()):
        raise ValueError("it contains something other than tensors by name")
    return tensors


@contextmanager
def _unreadable(path: Path) -> Iterator[None]:
    """Turn whatever is raised about the content of a weight file into a ValueError that names it."""
    try:
        yield
    except (MemoryError, ImportError):
        raise
    except Exception as error:
        raise ValueError(
            f"the weights in {path.parent} cannot be read ({path.name}: {_line(error)}): "
            "the file is damaged or only a pointer to it; copy the model again"
        ) from error


def _unread(has_decoder: bool) -> Callable[[str], bool]:
    allowed = ("pooler.", "decoder.") if has_decoder else ("pooler.",)
    return lambda name: name.startswith(allowed)


def check_size(n_values: int, folder: Path) -> None:
    """Check that the files of a folder are large enough for a model with this number of values."""
    size = sum(path.stat().st_size for path in search.weight_files(folder))
    if n_values > _PARAMETERS_PER_BYTE * size + _ALWAYS_ALLOWED:
        raise ValueError(
            f"{folder / 'config.json'} describes a model of {n_values:,} parameters, but the weights beside it have "
            f"{size:,} bytes: they do not belong together; copy the model again"
        )


def check_fit(folder: Path, missing: set[str], mismatched: Any) -> None:
    """Refuse a model with random parameters.

    ``mismatched``: the names of those with another shape, each alone or with the stored and the needed shape.
    """
    if mismatched:
        first = sorted(mismatched, key=str)[0]
        # transformers 5 reports the name and both shapes, transformers 4 the name alone.
        name, *shapes = (first,) if isinstance(first, str) else first
        stated = " but the model needs ".join(str(tuple(shape)) for shape in shapes)
        raise ValueError(
            f"the weights in {folder} do not fit its config.json: {name} has "
            f"{f'the shape {stated}' if stated else 'another shape than in the model'}; copy the model again"
        )
    if missing:
        raise ValueError(
            f"the weights in {folder} lack {first_ones(sorted(missing), _SHOWN, 'more tensors')}, so that the scores "
            "would be random: the file is incomplete, or was saved from a wrapper that renames tensors; save the model "
            "again with save_pretrained"
        )


def _line(error: Exception) -> str:
    """Return an exception in one short line."""
    text = " ".join(str(error).split())
    return shortened(f"{type(error).__name__}: {text}" if text else type(error).__name__, 300)


class Layout(NamedTuple):
    """The parameters of a model, by the names of transformers."""

    model: str  # the name of the class in transformers
    shapes: Mapping[str, tuple[int, ...]]  # the shape of each parameter
    linear: frozenset[str]  # the names of the linear layers, to which LoRA weights can be added

    @property
    def size(self) -> int:
        """The number of values in all parameters."""
        return sum(map(math.prod, self.shapes.values()))
