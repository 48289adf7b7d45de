"""The settings of a sentence-transformers folder for reading texts: interpreted as in that library, or refused.

An unknown setting might change every vector, so a folder with one is refused, and the message names the setting.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from answersim.metrics.checkpoints import packed
from answersim.metrics.checkpoints.search import Checkpoint, read_settings
from answersim.metrics.checkpoints.token_ids import positions

POOLINGS = ("mean", "cls", "max")

_TYPES = "sentence_transformers."  # modules of the library itself; any other type is code of the author of the folder
# "readers": the files that state how texts are read; "flags": flags of older versions, in the order in which they
# concatenate the vectors; "no matter": settings that decide no number, the last three of them for search only.
_DATA: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
_PLAIN_TEXT = {"text": {"method": "forward", "method_output_name": "last_hidden_state"}}


class SentenceFolder(NamedTuple):
    """How texts become vectors."""

    pooling: str = "mean"  # how token states become one vector: "mean", "cls" or "max"
    # the maximum number of tokens that are read, special ones included; None if the folder gives no limit
    max_length: int | None = None
    prompt: str = ""  # the text that is put before every text
    lower_case: bool = False  # whether texts are lower-cased before the tokenizer gets them
    dimensions: int | None = None  # how many numbers of a vector are used, from the first; None for all
    query: str = ""  # the text that sentence-transformers puts before a text that is encoded as a question
    document: str = ""  # the text that it puts before a text that is encoded as a document
    similarity: str = "cosine"  # how two vectors are compared; the cosine also for "dot" after a normalization
    pools_prompt: bool = True  # whether the tokens of a prompt count in the pooling

    @property
    def is_plain(self) -> bool:
        """Whether texts and vectors are unchanged, unless the side of a text is named: no prompt, no lower case ..."""
        return not self.prompt and not self.lower_case and self.dimensions is None


def read(checkpoint: Checkpoint) -> SentenceFolder:
    """Read the settings of this folder; mean pooling if sentence-transformers did not write it.

    Raise ValueError if the folder has a setting that is not supported.

    Source: sentence-transformers 5.4 to 6.2, ``SentenceTransformer(folder).encode(texts)``.
    """
    folder = checkpoint.folder
    if packed.is_packed(folder):
        return SentenceFolder(prompt=packed.PROMPT)
    path = folder / "modules.json"
    if not path.is_file():
        return SentenceFolder()
    modules = _modules(path)
    reader, pooling, *normalizing = modules
    if reader["path"]:
        raise ValueError(
            f"{path} has its encoder in {reader['path']!r}, but it must be in the folder itself; "
            "save the model again with a newer sentence-transformers"
        )
    for module in normalizing:
        _refuse_others(
            folder / module["path"] / "config.json",
            {"module_input_name": "sentence_embedding", "module_output_name": "sentence_embedding"},
        )
    config = read_settings(folder / "config_sentence_transformers.json")
    kind = config.get("model_type", "SentenceTransformer")
    if kind != "SentenceTransformer":
        raise ValueError(
            f"{folder / 'config_sentence_transformers.json'} describes a {kind}, but bi-encoder needs sentence "
            f"vectors; choose a model saved by SentenceTransformer"
        )
    prompt = _prompt(folder / "config_sentence_transformers.json", config)
    limit, lower_case = _reading(checkpoint)
    prompts, named = config.get("prompts") or {}, config.get("similarity_fn_name") or "cosine"
    return SentenceFolder(
        _pooling(folder / pooling["path"] / "config.json", prompt),
        limit,
        prompt,
        lower_case,
        _positive(folder / "config_sentence_transformers.json", "truncate_dim", config.get("truncate_dim")),
        prompts.get("query") or "",
        prompts.get("document") or "",
        "cosine" if normalizing and named == "dot" else str(named),
        read_settings(folder / pooling["path"] / "config.json").get("include_prompt", True) is True,
    )


def _modules(path: Path) -> list[dict[str, str]]:
    """Return the modules in order: a transformer, a pooling, and any number of normalizations."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        modules = [{"type": str(entry["type"]), "path": str(entry["path"])} for entry in entries]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is not a list of modules ({error!r}); copy the model again") from error
    kinds = [module["type"].rpartition(".")[2] for module in modules]
    foreign = [module["type"] for module in modules if not module["type"].startswith(_TYPES)]
    if extra := sorted({*foreign, *kinds} - {"Transformer", "Pooling", "Normalize"}):
        raise ValueError(f"{path.parent} has the modules {extra}, which bi-encoder cannot run; choose another")
    if kinds[:2] != ["Transformer", "Pooling"] or set(kinds[2:]) - {"Normalize"}:
        raise ValueError(
            f"{path.parent} has the modules {kinds} in this order, which bi-encoder cannot run; it can run a "
            "Transformer, a Pooling, and then Normalize"
        )
    return modules


def _pooling(path: Path, prompt: str) -> str:
    config = read_settings(path)
    stated = config.get("pooling_mode") or [mode for flag, mode in _DATA["flags"].items() if config.get(flag)] or "mean"
    modes = [stated] if isinstance(stated, str) else list(stated)
    if len(modes) != 1 or modes[0] not in POOLINGS:
        mode_or_modes = modes[0] if len(modes) == 1 else modes
        raise ValueError(
            f"{path.parent.parent} pools by {mode_or_modes!r}, which bi-encoder cannot do; it can: "
            f"{', '.join(POOLINGS)}"
        )
    if prompt and config.get("include_prompt", True) is not True:
        raise ValueError(
            f"{path}: include_prompt is {config['include_prompt']!r}, so that the default prompt {prompt!r} is read "
            "but not pooled, which bi-encoder cannot do; choose another model, or remove default_prompt_name"
        )
    return str(modes[0])


def _prompt(path: Path, config: Mapping[str, Any]) -> str:
    name = config.get("default_prompt_name")
    if name is None:
        return ""
    prompts = {"query": None, "document": None} | (config.get("prompts") or {})
    prompt = prompts.get(name, 0)
    if prompt is not None and not isinstance(prompt, str):
        raise ValueError(
            f"{path}: default_prompt_name is {name!r}, but its prompts are {sorted(prompts)}; name one of them"
        )
    return prompt or ""


def _reading(checkpoint: Checkpoint) -> tuple[int | None, bool]:
    """Return how many tokens of a text are read, and whether it is lower-cased first."""
    path = next((path for file in _DATA["readers"] if (path := checkpoint.folder / file).is_file()), None)
    config = {} if path is None else read_settings(path)
    path = path or checkpoint.folder / _DATA["readers"][0]
    limit = _positive(path, "max_seq_length", config.pop("max_seq_length", None))
    lower_case = config.pop("do_lower_case", False)
    plain: dict[str, Any] = {"transformer_task": "feature-extraction", "module_output_name": "token_embeddings"}
    plain |= {"modality_config": _PLAIN_TEXT}
    _refuse_others(path, plain, {key: value for key, value in config.items() if key not in _DATA["no matter"]})
    if "modality_config" not in config and _has_chat_template(checkpoint.folder):
        raise ValueError(
            f"{checkpoint.folder} has a chat template, so sentence-transformers reads texts as chat messages, which "
            f"bi-encoder cannot do; choose another model"
        )
    table = positions(checkpoint)
    return (limit if limit is None or table is None else min(limit, table)), bool(lower_case)


def _has_chat_template(folder: Path) -> bool:
    names = ("chat_template.jinja", "chat_template.json", "additional_chat_templates")
    if any((folder / name).exists() for name in names):
        return True
    return bool(read_settings(folder / "tokenizer_config.json").get("chat_template"))


def _refuse_others(path: Path, plain: Mapping[str, Any], config: Mapping[str, Any] | None = None) -> None:
    """Raise ValueError for the first setting that has another value than the plain one, unless it is empty."""
    for key, value in (read_settings(path) if config is None else config).items():
        if value not in (None, {}, [], "", False) and value != plain.get(key):
            raise ValueError(f"{path}: {key} is {value!r}, which bi-encoder cannot do; choose another model")


def _positive(path: Path, key: str, value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(
            f"{path}: {key} is {value!r}, but it must be a whole number of at least 1; copy the model again"
        )
    return value
