"""Calibrations as JSON files, and those of this package by name or by the signature of their metric."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import fields, replace
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from answersim._base import arguments
from answersim._base.arguments import is_unicode
from answersim._base.errors import unknown
from answersim._base.io import output_files
from answersim._base.io.records import check_names, distinct_members, from_json, shown, to_json
from answersim._base.signature import asks_question, language_of, without_extraction, without_language
from answersim.calibration.model.model import Calibration
from answersim.calibration.shipped_index import ANY_LANGUAGE, in_language, index
from answersim.stats.calibration.monotone import Isotonic, Logistic

CalibrationLike: TypeAlias = "Calibration | str | PathLike[str]"

FORMAT = "answersim calibration 4"
LARGEST = 100_000_000  # bytes of a file; a calibration of a million pairs has about half as many
SHIPPED = Path(__file__).parent / "shipped"
ANY = "shipped"  # the one in this package for the metric, by its signature
_KINDS: dict[str, type] = {"isotonic": Isotonic, "logistic": Logistic}
MAKE_ONE = "make one with answersim.calibrate, or 'answersim calibrate FILE'"


def write(calibration: Calibration, path: str | PathLike[str]) -> None:
    """Write this calibration to this file, completely or not at all. ``read`` returns an equal one.

    Raise FileNotFoundError if there is no such folder, TypeError if its ``metric`` or ``metadata`` contains a value
    that JSON does not support.
    """
    text = dumps(calibration)
    folder = Path(path).resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {folder}; create it first")
    with output_files.atomic_write(Path(path)) as draft:
        draft.write_text(text, encoding="utf-8")
    index.cache_clear()  # the file may be one of this package


def dumps(calibration: Calibration) -> str:
    """Return this calibration as JSON, with infinity as text and nan as null."""
    content = {"format": FORMAT} | {item.name: to_json(getattr(calibration, item.name)) for item in fields(calibration)}
    content["curve"] = {"method": calibration.method} | content["curve"]
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if not is_unicode(text):
        raise ValueError(
            "the signature, metric or metadata of this calibration contain half a surrogate pair, which is not a "
            "character; rename the column"
        )
    return text


def read(path: str | PathLike[str]) -> Calibration:
    """Read the calibration in this file.

    Raise FileNotFoundError if there is no such file. Raise ValueError if it is not JSON, or not a calibration.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(f"no calibration at {path}; make one with 'answersim calibrate FILE --output {path}'")
    try:
        if (size := Path(path).stat().st_size) > LARGEST:
            raise ValueError(f"it has {size:,} bytes, but a calibration has at most {LARGEST:,}")
        return loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} contains no calibration: {error}") from error


def loads(text: str) -> Calibration:
    """Return the calibration in this JSON text. Raise ValueError if the text is not JSON or not a calibration."""
    try:
        content = _DECODER.decode(text)
    except (RecursionError, MemoryError) as error:
        raise ValueError("its objects or lists are nested too deeply, or it is too large") from error
    stated = content.pop("format", None) if isinstance(content, dict) else None
    if stated != FORMAT:
        raise ValueError(
            f"format is {shown(stated)}, but it must be {FORMAT!r}; a later format needs a later version of answersim"
        )
    names = [item.name for item in fields(Calibration)]
    check_names(content, names, "the file")
    curve = content["curve"]
    if not isinstance(curve, dict):
        raise ValueError(f"curve is {shown(curve)}, but it must be an object")
    method = curve.get("method")
    kind = _KINDS.get(method) if isinstance(method, str) else None
    if kind is None:
        raise ValueError(f"curve.method is {shown(method)}, but it must be {' or '.join(_KINDS)}")
    points = {key: value for key, value in curve.items() if key != "method"}
    try:
        shape = from_json(kind, points, "curve", complete=True, undefined=True)
        return from_json(Calibration, {**content, "curve": shape}, "", complete=True, undefined=True)
    except TypeError as error:
        raise ValueError(str(error)) from error


def shipped() -> tuple[str, ...]:
    """Return the names of the calibrations in this package, which begin with those of their metrics.

    >>> "f1" in shipped()
    True
    """
    return index(SHIPPED).names


def find(calibration: CalibrationLike, signature: str | None = None) -> Calibration:
    """Return a calibration, checked against a signature if one is given.

    A file is parsed again only if it was changed since the last call. Equal calls return one object, so do not modify
    its ``metric`` or ``metadata``. ``calibration``: a calibration, a path to its file (a name that ends in .json
    or contains a slash), the name of one in this package, or "shipped" for the one in this package with the signature.
    ``signature``: the signature of the scores that it is for. Rules that read final answers out do not count. Raise
    FileNotFoundError or ValueError as ``read``, or if it is for another signature. Raise LookupError if no calibration
    in this package has this name or signature, TypeError if ``calibration`` is of another type.
    """
    signature = None if signature is None else without_extraction(arguments.text("signature", signature))
    known = _resolved(calibration, signature)
    if signature is not None:
        if isinstance(calibration, str) and (sibling := _in_language(known, signature)) is not None:
            return sibling
        known.check(signature)
    return known


def _in_language(calibration: Calibration, signature: str) -> Calibration | None:
    """Return this calibration for the same metric in another language, if it may be used there; else None.

    An English one may if the accuracy of its verdicts there surely exceeds the share of the more frequent label.
    """
    checks = calibration.metadata.get("languages", {})
    if calibration.metadata.get(ANY_LANGUAGE):
        is_same = without_language(calibration.signature) == without_language(signature)
        code = language_of(signature) if is_same and calibration.signature != signature else None
    else:
        code = _language_checked(calibration, signature)
        if code is not None and not checks[code]["accuracy"][1] > _majority(checks[code]):
            return None
    if code is None:
        return None
    check = {"lang": code, **checks.get(code, {})}
    return replace(calibration, signature=signature, metadata={**calibration.metadata, "language": check})


def _language_checked(calibration: Calibration, signature: str) -> str | None:
    """Return the language of a signature that is this English one's in another language, if it was checked there."""
    codes = () if calibration.metadata.get(ANY_LANGUAGE) else calibration.metadata.get("languages", ())
    return next((code for code in codes if signature == in_language(calibration.signature, code)), None)


def _majority(check: Mapping[str, Any]) -> float:
    return max(check["equivalent"], 1 - check["equivalent"])


def _resolved(calibration_like: CalibrationLike, signature: str | None) -> Calibration:
    if isinstance(calibration_like, Calibration):
        return calibration_like
    if not isinstance(calibration_like, (str, PathLike)):
        raise TypeError(
            f"calibration is {arguments.shown(calibration_like)}, but it must be a Calibration, the path of its file, "
            f"or a name: {', '.join((ANY, *shipped()))}"
        )
    is_path = isinstance(calibration_like, PathLike)
    calibration_like = arguments.path("calibration", calibration_like)
    if is_path or calibration_like.endswith(".json") or "/" in calibration_like or "\\" in calibration_like:
        return _stored(calibration_like)
    if calibration_like == ANY and signature is not None:
        return _by_signature(signature)
    if calibration_like not in shipped():
        raise unknown("calibration", calibration_like, (*shipped(), ANY) if signature is not None else shipped())
    return _stored(SHIPPED / f"{calibration_like}.json")


def _stored(path: str | PathLike[str]) -> Calibration:
    """Return the calibration in this file, which is read again if the file is another one or was changed."""
    try:
        state = os.stat(path)
    except OSError:
        return read(path)  # which gives the reason
    return _parsed(os.fspath(path), (state.st_dev, state.st_ino, state.st_mtime_ns, state.st_size))


@lru_cache(maxsize=64)
def _parsed(path: str, state: tuple[int, ...]) -> Calibration:
    return read(path)


def _by_signature(signature: str) -> Calibration:
    """Return the shipped calibration for scores with this signature. Raise LookupError with the remedy if none is."""
    known = index(SHIPPED)
    name = known.by_signature.get(signature) or known.in_any_language.get(without_language(signature))
    calibration = None if name is None else _stored(SHIPPED / f"{name}.json")
    if calibration is not None:
        if (sibling := _in_language(calibration, signature)) is not None:
            return sibling
        code = _language_checked(calibration, signature)
        if code is None:
            return calibration
        check = calibration.metadata["languages"][code]
        value, low, high = (100 * share for share in check["accuracy"])
        raise LookupError(
            f"the English calibration {name!r} is not used for {code!r}: on {check['n']} pairs ({check['data']}) "
            f"its verdicts are correct for {value:.1f} [{low:.1f}, {high:.1f}] %, which is not surely more than "
            f"{100 * _majority(check):.1f} % for one verdict always; {MAKE_ONE}"
        )
    remedy = MAKE_ONE
    if asks_question(signature):
        remedy = (
            "No shipped calibration was made with questions for this metric: leave the question out, or make one with "
            "answersim.calibrate, or 'answersim calibrate FILE --question COLUMN'"
        )
    raise LookupError(
        f"no shipped calibration is for {signature!r}; the shipped ones are for {', '.join(shipped())} without "
        "options, in English, in the profile 'embedded', and those with 'strong' in their names in the profile "
        f"'strong'. {remedy[0].upper()}{remedy[1:]}"
    )


def _no_constant(name: str) -> Any:
    raise ValueError(f"it contains {name}, which is not JSON; write null for nan, and 'inf' or '-inf' as texts")


_DECODER = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=distinct_members)
