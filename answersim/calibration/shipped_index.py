"""The index of the calibrations in a folder: their names, and the name for each signature."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from answersim._base.signature import without_language
from answersim.calibration.model.rule_revisions import FINGERPRINT, equal_signatures

ANY_LANGUAGE = "any language"  # the key of the metadata that is true if the calibration is for all languages


class Index(NamedTuple):
    """The calibrations of a folder."""

    names: tuple[str, ...]  # the names, in alphabetical order
    # the name for each signature of scores: of the metric, with each revision of the rules that was checked, and in
    # each language that was checked
    by_signature: Mapping[str, str]
    # the name for each signature without its language, of the calibrations for all languages: ``ANY_LANGUAGE``
    in_any_language: Mapping[str, str]


@lru_cache(maxsize=8)
def index(folder: Path) -> Index:
    """Return the index of a folder, which is read once, until ``index.cache_clear()`` after a file was changed."""
    names = []
    by_signature: dict[str, str] = {}
    in_any_language: dict[str, str] = {}
    for path in sorted(folder.glob("*.json"), key=lambda path: path.stem):
        content = json.loads(path.read_text(encoding="utf-8"))
        signature, metadata = content["signature"], content["metadata"]
        names.append(path.stem)
        for equal in equal_signatures(signature, metadata.get(FINGERPRINT)):
            by_signature.setdefault(equal, path.stem)
        if metadata.get(ANY_LANGUAGE):
            in_any_language.setdefault(without_language(signature), path.stem)
            continue
        for code in metadata.get("languages", ()):
            by_signature.setdefault(in_language(signature, code), path.stem)
    return Index(tuple(names), by_signature, in_any_language)


def in_language(signature: str, code: str) -> str:
    """Return the signature of an English metric in another language."""
    return signature.replace("|text:en|", f"|text:{code}|")
