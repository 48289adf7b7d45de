"""Tokenizers of BERT and MPNet read by the tokenizers library alone, if transformers would build exactly the same one.

Importing the tokenizers of transformers takes seconds, and reading one file of BERT takes a tenth of a second. What
transformers builds depends on several files, so a folder is read here only if all of them state one plain tokenizer of
its family: every setting is known and has the value that ``tokenizer.json`` has. Any other folder is left to
transformers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from answersim.metrics.checkpoints.search import read_json, read_settings

_NO_LIMIT = int(1e30)  # what transformers gives for a tokenizer without a limit
# "known": settings that decide no token id, or that are compared below; "plain": the values of a setting that leave the
# tokenizer plain; "inputs": what a model may read; "model": of ``tokenizer.json``, without its vocabulary.
_DATA: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


class _Family(NamedTuple):
    """What is plain for the tokenizers of one family."""

    classes: Sequence[str]  # the names of the tokenizers in transformers
    special: Mapping[str, str]  # the special tokens, by their names in the settings
    inputs: Sequence[str]  # what the model reads, if the settings do not state it
    post_processor: Mapping[str, Any]  # of ``tokenizer.json``, with "id of [SEP]" for the id of this token
    optional: Sequence[str] = ()  # further special tokens that ``tokenizer.json`` may have
    before: Sequence[str] = ()  # special tokens that include the space before them
    normalized: Sequence[str] = ()  # special tokens that are found in normalized text


_FAMILIES = {kind: _Family(**row) for kind, row in _DATA["families"].items()}


class WordPiece(NamedTuple):
    """The attributes of a tokenizer that ``TokenIds`` needs, under the names of transformers."""

    backend_tokenizer: Any
    cls_token_id: int
    sep_token_id: int
    model_max_length: int
    model_input_names: list[str]
    name_or_path: str
    truncation_side: str = "right"
    is_fast: bool = True

    def get_vocab(self) -> dict[str, int]:
        """Return the id of each token."""
        vocabulary: dict[str, int] = self.backend_tokenizer.get_vocab()
        return vocabulary


def read(folder: Path) -> WordPiece | None:
    """Read the tokenizer in a folder, or return None if only transformers can read it.

    Raise ValueError if a file of settings is damaged.
    """
    path = folder / "tokenizer.json"
    if not path.is_file() or not (folder / "tokenizer_config.json").is_file():
        return None
    if (folder / "added_tokens.json").exists():
        return None
    settings = read_json(folder / "tokenizer_config.json")
    special = read_settings(folder / "special_tokens_map.json")
    family = _FAMILIES.get(str(read_json(folder / "config.json").get("model_type")))
    if family is None or settings.get("tokenizer_class") not in family.classes:
        return None
    content = path.read_bytes()
    try:
        stored = json.loads(content)
    except (ValueError, RecursionError):
        return None  # transformers reports the damage
    if not isinstance(stored, dict) or not _is_plain(family, stored, settings, special):
        return None
    from tokenizers import Tokenizer

    ids = stored["model"]["vocab"]
    core = Tokenizer.from_buffer(content)
    stated = settings.get("truncation_side")  # before the side in ``tokenizer.json``
    return WordPiece(
        backend_tokenizer=core,
        cls_token_id=ids[family.special["cls_token"]],
        sep_token_id=ids[family.special["sep_token"]],
        model_max_length=settings.get("model_max_length", _NO_LIMIT),
        model_input_names=settings.get("model_input_names", list(family.inputs)),
        name_or_path=str(folder),
        truncation_side=stated or (core.truncation or {}).get("direction", "right"),
    )


def _is_plain(
    family: _Family, stored: Mapping[str, Any], settings: Mapping[str, Any], special: Mapping[str, Any]
) -> bool:
    """Return whether all files describe the tokenizer in ``tokenizer.json``, and it is a plain one of its family."""
    limit = settings.get("model_max_length", _NO_LIMIT)
    names = settings.get("model_input_names", family.inputs)
    tokens = family.special
    return (
        all(
            key in _DATA["known"] or key in tokens or value in _DATA["plain"].get(key, ())
            for key, value in settings.items()
        )
        and isinstance(limit, int)
        and isinstance(names, list)
        and set(names) <= set(_DATA["inputs"])
        and all(_content(family, settings.get(key, token)) == token for key, token in tokens.items())
        and all(_content(family, value) == tokens.get(key) for key, value in special.items())
        and _is_model(stored.get("model"), family)
        and _is_normalizer(stored.get("normalizer"), settings)
        and stored.get("pre_tokenizer") == {"type": "BertPreTokenizer"}
        and _is_post_processor(stored.get("post_processor"), family, stored["model"]["vocab"])
        and _are_added(stored, settings.get("added_tokens_decoder"), family)
    )


def _content(family: _Family, token: Any) -> Any:
    """Return the text of a special token; None for an object with other flags than those of the family."""
    if not isinstance(token, dict):
        return token
    content = token.get("content")
    flags = _flags(family, str(content))
    return content if all(token.get(flag, False) == flags[flag] for flag in flags if flag != "special") else None


def _flags(family: _Family, token: str) -> dict[str, bool]:
    flags = dict.fromkeys(("single_word", "rstrip"), False)
    return flags | {"lstrip": token in family.before, "normalized": token in family.normalized, "special": True}


def _is_model(model: Any, family: _Family) -> bool:
    if not isinstance(model, dict) or not isinstance(model.get("vocab"), dict):
        return False
    rest = {key: value for key, value in model.items() if key != "vocab"}
    return rest == _DATA["model"] and all(type(model["vocab"].get(token)) is int for token in family.special.values())


def _is_normalizer(normalizer: Any, settings: Mapping[str, Any]) -> bool:
    plain = {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": settings.get("tokenize_chinese_chars", True),
        "strip_accents": settings.get("strip_accents"),
        "lowercase": settings.get("do_lower_case", True),
    }
    return bool(normalizer == plain)


def _is_post_processor(processor: Any, family: _Family, ids: Mapping[str, int]) -> bool:
    expected = json.dumps(family.post_processor)
    for token in (family.special["cls_token"], family.special["sep_token"]):
        expected = expected.replace(json.dumps(f"id of {token}"), json.dumps(ids[token]))
    return bool(processor == json.loads(expected))


def _are_added(stored: Mapping[str, Any], decoder: Any, family: _Family) -> bool:
    """Return whether the added tokens are the special ones, each as in the vocabulary."""
    added, ids = stored.get("added_tokens"), stored["model"]["vocab"]
    if not isinstance(added, list) or not isinstance(decoder, (dict, type(None))):
        return False
    contents = [token.get("content") for token in added if isinstance(token, dict)]
    tokens = set(family.special.values()) | (set(family.optional) & {*ids} & {str(content) for content in contents})
    expected = [{"id": ids[token], "content": token, **_flags(family, token)} for token in tokens]
    decoded = {str(token["id"]): {key: value for key, value in token.items() if key != "id"} for token in expected}
    return len(added) == len(expected) and all(token in added for token in expected) and decoder in (None, decoded)
