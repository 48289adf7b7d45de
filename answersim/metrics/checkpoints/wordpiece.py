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

from answersim.metrics.checkpoints.search import read_json

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
_SINGLE = [("SpecialToken", "[CLS]", 0), ("Sequence", "A", 0), ("SpecialToken", "[SEP]", 0)]
_POST_PROCESSOR = {"single": _SINGLE, "pair": [*_SINGLE, ("Sequence", "B", 1), ("SpecialToken", "[SEP]", 1)]}
_BERT = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]", "mask_token": "[MASK]"}
_MPNET = {"unk_token": "[UNK]", "sep_token": "</s>", "pad_token": "<pad>", "cls_token": "<s>", "mask_token": "<mask>"}
_MPNET |= {"bos_token": "<s>", "eos_token": "</s>"}


class _Family(NamedTuple):
    """What is plain for the tokenizers of one family."""

    special: Mapping[str, str]  # the special tokens, by their names in the settings
    inputs: Sequence[str]  # what the model reads, if the settings do not state it
    optional: tuple[str, ...] = ()  # further special tokens that ``tokenizer.json`` may have
    before: tuple[str, ...] = ()  # special tokens that include the space before them
    normalized: tuple[str, ...] = ()  # special tokens that are found in normalized text


_FAMILIES = {
    "bert": _Family(_BERT, _TYPES_AND_MASK),
    "mpnet": _Family(
        _MPNET, ["input_ids", "attention_mask"], optional=("<unk>",), before=("<mask>",), normalized=("<unk>",)
    ),
}
_CLASSES = {
    **dict.fromkeys(("BertTokenizer", "BertTokenizerFast"), "bert"),
    **dict.fromkeys(("MPNetTokenizer", "MPNetTokenizerFast"), "mpnet"),
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
    """Read the tokenizer in a folder, or return None if only transformers can read it.

    Raise ValueError if a file of settings is damaged.
    """
    path = folder / "tokenizer.json"
    if not path.is_file() or not (folder / "tokenizer_config.json").is_file():
        return None
    if (folder / "added_tokens.json").exists():
        return None
    settings = read_json(folder / "tokenizer_config.json")
    more = folder / "special_tokens_map.json"
    special = read_json(more) if more.is_file() else {}
    kind = _CLASSES.get(str(settings.get("tokenizer_class")))
    if kind is None or read_json(folder / "config.json").get("model_type") != kind:
        return None
    family = _FAMILIES[kind]
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
        all(key in _KNOWN or key in tokens or value in _PLAIN.get(key, ()) for key, value in settings.items())
        and isinstance(limit, int)
        and isinstance(names, list)
        and set(names) <= set(_TYPES_AND_MASK)
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
    plain: dict[str, Any] = {"type": "WordPiece", "unk_token": "[UNK]"}
    plain |= {"continuing_subword_prefix": "##", "max_input_chars_per_word": 100}
    rest = {key: value for key, value in model.items() if key != "vocab"}
    return rest == plain and all(type(model["vocab"].get(token)) is int for token in family.special.values())


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
    cls, sep = family.special["cls_token"], family.special["sep_token"]
    if family is not _FAMILIES["bert"]:
        around = {"sep": [sep, ids[sep]], "cls": [cls, ids[cls]], "trim_offsets": True, "add_prefix_space": False}
        return bool(processor == {"type": "RobertaProcessing", **around})
    if not isinstance(processor, dict) or processor.get("type") != "TemplateProcessing":
        return False
    stated = {
        name: [{kind: {"id": token, "type_id": number}} for kind, token, number in parts]
        for name, parts in _POST_PROCESSOR.items()
    }
    tokens = {token: {"id": token, "ids": [ids[token]], "tokens": [token]} for token in (cls, sep)}
    return bool(processor == {"type": "TemplateProcessing", **stated, "special_tokens": tokens})


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
