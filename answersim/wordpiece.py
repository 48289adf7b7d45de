"""Tokenizers of BERT read by the tokenizers library alone, where transformers would build exactly the same one.

Importing the tokenizers of transformers takes seconds, and reading one file of BERT takes a tenth of a second. What
transformers builds depends on several files, so a folder is read here only if all of them state one plain tokenizer of
BERT: every setting is known and has the value that ``tokenizer.json`` has. Any other folder is left to transformers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from answersim.checkpoints import read_json

_CLASSES = ("BertTokenizer", "BertTokenizerFast")
_SPECIAL = {
    "unk_token": "[UNK]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}
_NO_LIMIT = int(1e30)  # what transformers gives for a tokenizer without a limit
# Settings with one value that leaves the tokenizer plain.
_PLAIN: dict[str, tuple[Any, ...]] = {
    "do_basic_tokenize": (True,),
    "never_split": (None, []),
    "additional_special_tokens": (None, []),
    "extra_special_tokens": (None, [], {}),
    "truncation_side": ("right",),
    "backend": ("tokenizers",),
}
# Settings that decide no token id, or that are compared below.
_KNOWN = frozenset(
    "tokenizer_class model_max_length model_input_names added_tokens_decoder do_lower_case strip_accents "
    "tokenize_chinese_chars name_or_path special_tokens_map_file clean_up_tokenization_spaces max_length stride "
    "truncation_strategy pad_to_multiple_of pad_token_type_id padding_side is_local local_files_only".split()
)
_TYPES_AND_MASK = ["input_ids", "token_type_ids", "attention_mask"]
_POST_PROCESSOR = {
    "single": [("SpecialToken", "[CLS]", 0), ("Sequence", "A", 0), ("SpecialToken", "[SEP]", 0)],
    "pair": [
        ("SpecialToken", "[CLS]", 0),
        ("Sequence", "A", 0),
        ("SpecialToken", "[SEP]", 0),
        ("Sequence", "B", 1),
        ("SpecialToken", "[SEP]", 1),
    ],
}


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
    """Read the tokenizer in a folder, or return None if transformers has to.

    Args:
        folder: A folder of weights.

    Raises:
        ValueError: If a file of settings is damaged.
    """
    path = folder / "tokenizer.json"
    if (
        not path.is_file()
        or (folder / "added_tokens.json").exists()
        or not (folder / "tokenizer_config.json").is_file()
    ):
        return None
    settings = read_json(folder / "tokenizer_config.json")
    more = folder / "special_tokens_map.json"
    special = read_json(more) if more.is_file() else {}
    if settings.get("tokenizer_class") not in _CLASSES or read_json(folder / "config.json").get("model_type") != "bert":
        return None
    content = path.read_bytes()
    try:
        stored = json.loads(content)
    except (ValueError, RecursionError):
        return None  # transformers reports the damage
    if not isinstance(stored, dict) or not _is_plain(stored, settings, special):
        return None
    from tokenizers import Tokenizer

    ids = stored["model"]["vocab"]
    return WordPiece(
        backend_tokenizer=Tokenizer.from_buffer(content),
        cls_token_id=ids["[CLS]"],
        sep_token_id=ids["[SEP]"],
        model_max_length=settings.get("model_max_length", _NO_LIMIT),
        model_input_names=settings.get("model_input_names", _TYPES_AND_MASK),
        name_or_path=str(folder),
    )


def _is_plain(stored: Mapping[str, Any], settings: Mapping[str, Any], special: Mapping[str, Any]) -> bool:
    """Return whether all files describe the tokenizer in ``tokenizer.json``, and it is a plain one of BERT."""
    limit = settings.get("model_max_length", _NO_LIMIT)
    names = settings.get("model_input_names", _TYPES_AND_MASK)
    return (
        all(key in _KNOWN or key in _SPECIAL or value in _PLAIN.get(key, ()) for key, value in settings.items())
        and isinstance(limit, int)
        and isinstance(names, list)
        and set(names) <= set(_TYPES_AND_MASK)
        and all(_content(settings.get(key, token)) == token for key, token in _SPECIAL.items())
        and all(_content(value) == _SPECIAL.get(key) for key, value in special.items())
        and _is_model(stored.get("model"))
        and _is_normalizer(stored.get("normalizer"), settings)
        and stored.get("pre_tokenizer") == {"type": "BertPreTokenizer"}
        and _is_post_processor(stored.get("post_processor"), stored["model"]["vocab"])
        and _are_added(stored.get("added_tokens"), settings.get("added_tokens_decoder"), stored["model"]["vocab"])
    )


def _content(token: Any) -> Any:
    """Return the text of a special token, which files state as a string or as an object without further effects."""
    if not isinstance(token, dict):
        return token
    flags = [token.get(flag, False) for flag in ("lstrip", "rstrip", "single_word", "normalized")]
    return None if any(flags) else token.get("content")


def _is_model(model: Any) -> bool:
    if not isinstance(model, dict) or not isinstance(model.get("vocab"), dict):
        return False
    plain = {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
    }
    rest = {key: value for key, value in model.items() if key != "vocab"}
    return rest == plain and all(type(model["vocab"].get(token)) is int for token in _SPECIAL.values())


def _is_normalizer(normalizer: Any, settings: Mapping[str, Any]) -> bool:
    return bool(
        normalizer
        == {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": settings.get("tokenize_chinese_chars", True),
            "strip_accents": settings.get("strip_accents"),
            "lowercase": settings.get("do_lower_case", True),
        }
    )


def _is_post_processor(processor: Any, ids: Mapping[str, int]) -> bool:
    if not isinstance(processor, dict) or processor.get("type") != "TemplateProcessing":
        return False
    stated = {
        name: [{kind: {"id": token, "type_id": number}} for kind, token, number in parts]
        for name, parts in _POST_PROCESSOR.items()
    }
    tokens = {token: {"id": token, "ids": [ids[token]], "tokens": [token]} for token in ("[CLS]", "[SEP]")}
    return bool(processor == {"type": "TemplateProcessing", **stated, "special_tokens": tokens})


def _are_added(added: Any, decoder: Any, ids: Mapping[str, int]) -> bool:
    """Return whether the added tokens are the five special ones, each as in the vocabulary."""
    if not isinstance(added, list) or not isinstance(decoder, (dict, type(None))):
        return False
    plain = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False) | {"special": True}
    expected = [{"id": ids[token], "content": token, **plain} for token in _SPECIAL.values()]
    decoded = {str(token["id"]): {key: value for key, value in token.items() if key != "id"} for token in expected}
    return len(added) == len(expected) and all(token in added for token in expected) and decoder in (None, decoded)
