"""Calibrations as JSON files, and those of this package by name or by the signature of their metric."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from answersim import arguments
from answersim.calibration.model import Calibration
from answersim.errors import unknown
from answersim.io import files
from answersim.signature import asks_question, current, without_extraction
from answersim.stats.monotone import Isotonic, Logistic
from answersim.types import is_unicode

CalibrationLike: TypeAlias = "Calibration | str | PathLike[str]"

OF_LENGTHS = ("-short", "-long")  # suffixes of calibrations for short or long predictions; only found by name
FORMAT = "answersim calibration 3"
FORMATS = ("answersim calibration 1", "answersim calibration 2", FORMAT)  # the formats that can be read
LARGEST = 100_000_000  # bytes of a file; a calibration of a million pairs has about half as many
SHIPPED = Path(__file__).parent / "shipped"
ANY = "shipped"  # the one in this package for the metric, by its signature
_KINDS: dict[str, type] = {"isotonic": Isotonic, "logistic": Logistic}
_NEW_NAMES = {"facts": "provenance", "story": "metadata", "floor": "by_chance", "said": "probability"}
_MAKE_ONE = "make one with answersim.calibrate, or 'answersim calibrate FILE'"
_WORDS = {"inf": math.inf, "-inf": -math.inf}  # JSON has no infinity


def write(calibration: Calibration, path: str | PathLike[str]) -> None:
    """Write this calibration to this file, completely or not at all. ``read`` returns an equal one.

    Raises:
        FileNotFoundError: If there is no such folder.
        TypeError: If its ``metric`` or ``metadata`` contains a value that JSON does not support.
    """
    text = dumps(calibration)
    folder = Path(path).resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {folder}; create it first")
    with files.replacing(Path(path)) as draft:
        draft.write_text(text, encoding="utf-8")


def dumps(calibration: Calibration) -> str:
    """Return this calibration as JSON, with infinity as text and nan as null."""
    content = {"format": FORMAT} | {item.name: _plain(getattr(calibration, item.name)) for item in fields(calibration)}
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

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If it is not JSON, or not a calibration. The message names the missing or invalid field.
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
    """Return the calibration in this JSON text.

    Files of the first format contain neither the kinds of the two verdicts nor what could be promised. Their verdicts
    are promised if their cut is finite, and else never given. Files of the first two formats have former names of
    fields, which are replaced. Messages contain the current names.

    Raises:
        ValueError: If the text is not JSON or not a calibration. The message names the field and the rule.
    """
    try:
        content = _DECODER.decode(text)
    except (RecursionError, MemoryError) as error:
        raise ValueError("its objects or lists are nested too deeply, or it is too large") from error
    stated = content.pop("format", None) if isinstance(content, dict) else None
    if stated not in FORMATS:
        raise ValueError(
            f"format is {_shown(stated)}, but it must be one of: {', '.join(map(repr, FORMATS))}; a later format "
            f"needs a "
            "later version of answersim"
        )
    if stated != FORMAT:
        content = _with_new_names(content)
    hints = get_type_hints(Calibration)
    _check_keys(content, hints, "the file")
    curve = content["curve"]
    if not isinstance(curve, dict):
        raise ValueError(f"curve is {_shown(curve)}, but it must be an object")
    method = curve.get("method")
    kind = _KINDS.get(method) if isinstance(method, str) else None
    if kind is None:
        raise ValueError(f"curve.method is {_shown(method)}, but it must be {' or '.join(_KINDS)}")
    shape = _converted(kind, {key: value for key, value in curve.items() if key != "method"}, "curve")
    old = stated == FORMATS[0]
    parts = {key: _converted(hints[key], value, key, old) for key, value in content.items() if key != "curve"}
    if old:
        for name in ("equivalent", "different"):
            if parts[name].cut == (math.inf if name == "equivalent" else -math.inf):
                parts[name] = parts[name]._replace(kind="never")
    return Calibration(curve=shape, **parts)


def _with_new_names(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a file of a former format with the current names."""
    renamed = _renamed(content)
    if isinstance(reliability := renamed.get("reliability"), dict):
        renamed["reliability"] = reliability = _renamed(reliability)
        if isinstance(bins := reliability.get("bins"), list):
            reliability["bins"] = [_renamed(row) if isinstance(row, dict) else row for row in bins]
    return renamed


def _renamed(members: Mapping[str, Any]) -> dict[str, Any]:
    new = {name: _NEW_NAMES.get(name, name) for name in members}
    return {name if new[name] != name and new[name] in members else new[name]: members[name] for name in members}


def shipped() -> tuple[str, ...]:
    """Return the names of the calibrations in this package, which begin with those of their metrics.

    >>> "f1" in shipped()
    True
    """
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.json")))


def find(asked: CalibrationLike, signature: str | None = None) -> Calibration:
    """Return a calibration, checked against a signature if one is given.

    Args:
        asked: A calibration, a path to its file (a name that ends in .json or contains a slash), the name of one in
            this package, or "shipped" for the one in this package with the signature.
        signature: The signature of the scores that it is for. Rules that read final answers out do not count.

    Raises:
        FileNotFoundError, ValueError: As ``read``, or if it is for another signature.
        LookupError: If no calibration in this package has this name or signature.
        TypeError: If ``asked`` is of another type.
    """
    signature = None if signature is None else without_extraction(arguments.text("signature", signature))
    calibration = _resolved(asked, signature)
    if signature is not None:
        if isinstance(asked, str) and (other := in_language(calibration, signature)) is not None:
            return other
        calibration.check(signature)
    return calibration


def in_language(calibration: Calibration, signature: str) -> Calibration | None:
    """Return this English calibration for the same metric in another language, if a check there supports it.

    A check supports it if the accuracy of the verdicts, with its interval, is above the share of the more frequent
    label. It is recorded in ``metadata["languages"]``. The result contains the check as ``metadata["language"]``, for
    the caution that is printed with every count.

    Args:
        calibration: A calibration in this package.
        signature: The signature of the scores.
    """
    code = _language_checked(calibration, signature)
    if code is None:
        return None
    check = calibration.metadata["languages"][code]
    if not check["accuracy"][1] > _majority(check):
        return None
    return replace(
        calibration, signature=signature, metadata={**calibration.metadata, "language": {"lang": code, **check}}
    )


def _language_checked(calibration: Calibration, signature: str) -> str | None:
    """Return the language of a signature that is this one's in another language, if it was checked there."""
    for code in calibration.metadata.get("languages", ()):
        if current(signature) == current(calibration.signature).replace("|text:en|", f"|text:{code}|"):
            return str(code)
    return None


def _majority(check: Mapping[str, Any]) -> float:
    return max(check["equivalent"], 1 - check["equivalent"])


def _resolved(wanted: CalibrationLike, signature: str | None) -> Calibration:
    if isinstance(wanted, Calibration):
        return wanted
    if not isinstance(wanted, (str, PathLike)):
        raise TypeError(
            f"calibration is {arguments.shown(wanted)}, but it must be a Calibration, the path of its file, "
            f"or a name: {', '.join((ANY, *shipped()))}"
        )
    is_path = isinstance(wanted, PathLike)
    wanted = arguments.path("calibration", wanted)
    if is_path or wanted.endswith(".json") or "/" in wanted or "\\" in wanted:
        return read(wanted)
    if wanted == ANY and signature is not None:
        return _by_signature(signature)
    if wanted not in shipped():
        raise unknown("calibration", wanted, (*shipped(), ANY) if signature is not None else shipped())
    return read(SHIPPED / f"{wanted}.json")


def _by_signature(signature: str) -> Calibration:
    for name in shipped():
        if name.endswith(OF_LENGTHS):
            continue
        calibration = read(SHIPPED / f"{name}.json")
        if current(calibration.signature) == current(signature):
            return calibration
        if (other := in_language(calibration, signature)) is not None:
            return other
        if (code := _language_checked(calibration, signature)) is not None:
            check = calibration.metadata["languages"][code]
            value, low, high = (100 * share for share in check["accuracy"])
            raise LookupError(
                f"the English calibration {name!r} is not used for {code!r}: on {check['n']} pairs ({check['data']}) "
                f"its verdicts are correct for {value:.1f} [{low:.1f}, {high:.1f}] %, which is not surely more than "
                f"{100 * _majority(check):.1f} % for one verdict always; {_MAKE_ONE}"
            )
    remedy = _MAKE_ONE
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


def _plain(value: Any) -> Any:
    """Return a value of JSON: named tuples as objects, infinity as a text, nan as null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if isinstance(value, (Isotonic, Logistic)):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {key: _plain(item) for key, item in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _converted(kind: Any, value: Any, where: str, old: bool = False) -> Any:
    """Convert a value of JSON to the annotated type. Raise ValueError with the place if it does not fit.

    ``old`` is for a file of a former format, which lacks the fields with defaults.
    """
    if kind is float and not isinstance(value, bool):
        if value is None:
            return math.nan
        if isinstance(value, (int, float)):
            return _float(value, where)
        if isinstance(value, str) and value in _WORDS:
            return _WORDS[value]
    elif get_origin(kind) is Literal and isinstance(value, str) and value in get_args(kind):
        return value
    elif get_origin(kind) is tuple and isinstance(value, list):
        return tuple(_converted(get_args(kind)[0], item, f"{where}[{i}]", old) for i, item in enumerate(value))
    elif get_origin(kind) in (Mapping, dict) or getattr(get_origin(kind), "__name__", "") == "Mapping":
        if isinstance(value, dict):
            return value
    elif isinstance(kind, type) and isinstance(value, dict):
        hints = get_type_hints(kind)
        _check_keys(value, hints, where, getattr(kind, "_field_defaults", {}) if old else ())
        try:
            return kind(**{key: _converted(hints[key], item, f"{where}.{key}", old) for key, item in value.items()})
        except ValueError as error:
            if kind not in _KINDS.values() or str(error).startswith(where):
                raise
            raise ValueError(f"{where}: {error}") from error  # the messages of a curve do not contain its place
    elif isinstance(kind, type) and kind in (int, str) and isinstance(value, kind) and not isinstance(value, bool):
        if isinstance(value, int):
            _float(value, where)  # an integer beyond the range of a float is not a count either
        elif not is_unicode(value):
            raise ValueError(f"{where} is {_shown(value)}, but half a surrogate pair is not a character")
        return value
    raise ValueError(f"{where} is {_shown(value)}, but it must be {_named(kind)}")


def _float(value: Any, where: str) -> float:
    """Return this number as a float. ValueError beyond the largest float, because JSON has no infinity."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise ValueError(f"{where} is {_shown(value)}, but it must be a number within the range of a float")
    return number


def _named(kind: Any) -> str:
    """Return an annotation in words."""
    if get_origin(kind) is Literal:
        return f"one of: {', '.join(get_args(kind))}"
    if get_origin(kind) is tuple:
        return "a list"
    words = {float: "a number (null for one that is not defined)", int: "int", str: "str"}
    return words.get(kind, "an object")


def _shown(value: Any) -> str:
    """Return a value of JSON for a message: its beginning, in ASCII."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**30:
        return "an integer of more than 30 digits"  # Python may refuse to print its digits
    if isinstance(value, (dict, list)):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    return ascii(str(value)[:60]) if value is not None else "missing or null"


def _check_keys(value: Mapping[str, Any], names: Iterable[str], where: str, spared: Iterable[str] = ()) -> None:
    names = list(names)
    if missing := [name for name in names if name not in value and name not in spared]:
        raise ValueError(f"{where} has no {missing[0]!r}")
    if more := [name for name in value if name not in names]:
        raise ValueError(f"{where} has {more[0][:60]!a}, which is unknown there")


def _no_constant(name: str) -> Any:
    raise ValueError(f"it contains {name}, which is not JSON; write null for nan, and 'inf' or '-inf' as texts")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {twice[:60]!a} occurs twice in one object")
    return members


_DECODER = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_object)
