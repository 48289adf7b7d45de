"""Calibrations as JSON files, keyed by the signature of their metric; those that ship, by name or by signature."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from answersim import arguments, files
from answersim.calibration.model import Calibration
from answersim.errors import unknown
from answersim.signature import asks_question
from answersim.stats.monotone import Isotonic, Logistic

CalibrationLike: TypeAlias = "Calibration | str | PathLike[str]"

FORMAT = "answersim calibration 1"
SHIPPED = Path(__file__).parent / "shipped"
ANY = "shipped"  # the one that ships for the metric, whatever its name
_KINDS: dict[str, type] = {"isotonic": Isotonic, "logistic": Logistic}
_WORDS = {"inf": math.inf, "-inf": -math.inf}  # JSON has no infinity


def write(calibration: Calibration, path: str | PathLike[str]) -> None:
    """This calibration in this file, whole or not at all; ``read`` gives an equal one.

    Raises:
        FileNotFoundError: No such folder.
        TypeError: Its ``metric`` or ``story`` holds what JSON has no word for.
    """
    text = dumps(calibration)
    folder = Path(path).resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {folder}; make it first")
    with files.replacing(Path(path)) as draft:
        draft.write_text(text, encoding="utf-8")


def dumps(calibration: Calibration) -> str:
    """This calibration as JSON; one without infinity or nan, which stand as texts and null."""
    story = {"format": FORMAT} | {each.name: _plain(getattr(calibration, each.name)) for each in fields(calibration)}
    story["curve"] = {"method": calibration.method} | story["curve"]
    return json.dumps(story, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def read(path: str | PathLike[str]) -> Calibration:
    """The calibration in this file.

    Raises:
        FileNotFoundError: No such file.
        ValueError: Not JSON, or not a calibration; names what is missing or wrong.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(f"no calibration at {path}; make one with 'answersim calibrate FILE --output {path}'")
    try:
        return loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} holds no calibration: {error}") from error


def loads(text: str) -> Calibration:
    """The calibration in this JSON text; ValueError that names what is wrong."""
    story = json.loads(text)
    if not isinstance(story, dict) or story.pop("format", None) != FORMAT:
        raise ValueError(f"it does not say that its format is {FORMAT!r}")
    curve = story.get("curve")
    kind = _KINDS.get(str(curve.get("method"))) if isinstance(curve, dict) else None
    if kind is None or not isinstance(curve, dict):
        raise ValueError(f"curve is {str(curve)[:60]}, but must be of the method {' or '.join(_KINDS)}")
    shape = _made(kind, {key: value for key, value in curve.items() if key != "method"}, "curve")
    hints = get_type_hints(Calibration)
    _check_keys(story, list(hints), "the file")
    parts = {key: _made(hints[key], value, key) for key, value in story.items() if key != "curve"}
    return Calibration(curve=shape, **parts)


def shipped() -> tuple[str, ...]:
    """The names of the calibrations that ship: those of their metrics.

    >>> "f1" in shipped()
    True
    """
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.json")))


def find(asked: CalibrationLike, signature: str | None = None) -> Calibration:
    """The calibration that is meant, checked against a signature where one is given.

    Args:
        asked: A calibration; a path to its file (a name that ends in .json, or holds a slash, is one); the name of one
            that ships; or "shipped", for the one that ships for the signature.
        signature: Of the scores that it is for.

    Raises:
        FileNotFoundError, ValueError: As ``read``; or it is for another signature.
        LookupError: None that ships has this name, or none is for this signature.
        TypeError: None of these.
    """
    signature = None if signature is None else arguments.text("signature", signature)
    found = _found(asked, signature)
    if signature is not None:
        found.check(signature)
    return found


def _found(asked: CalibrationLike, signature: str | None) -> Calibration:
    if isinstance(asked, Calibration):
        return asked
    if not isinstance(asked, (str, PathLike)):
        raise TypeError(
            f"calibration is {arguments.shown(asked)}, but it must be a Calibration, the path of its file, "
            f"or a name: {', '.join((ANY, *shipped()))}"
        )
    is_path = isinstance(asked, PathLike)
    asked = arguments.path("calibration", asked)
    if is_path or asked.endswith(".json") or "/" in asked or "\\" in asked:
        return read(asked)
    if asked == ANY and signature is not None:
        return _by_signature(signature)
    if asked not in shipped():
        raise unknown("calibration", asked, (*shipped(), ANY) if signature is not None else shipped())
    return read(SHIPPED / f"{asked}.json")


def _by_signature(signature: str) -> Calibration:
    for name in shipped():
        found = read(SHIPPED / f"{name}.json")
        if found.signature == signature:
            return found
    remedy = "Make one with answersim.calibrate, or 'answersim calibrate FILE'"
    if asks_question(signature):
        remedy = (
            "None that ships was made with questions for this metric: leave the question out, or make one with "
            "answersim.calibrate, or 'answersim calibrate FILE --question COLUMN'"
        )
    raise LookupError(
        f"no calibration that ships is for {signature!r}; those that ship are for {', '.join(shipped())} as they come, "
        f"in the profile 'embedded' and in English. {remedy}"
    )


def _plain(value: Any) -> Any:
    """What JSON can hold: tuples with names as objects, infinity as a text, nan as null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if isinstance(value, (Isotonic, Logistic)):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {key: _plain(each) for key, each in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def _made(kind: Any, value: Any, where: str) -> Any:
    """This value of JSON as what the annotation says; ValueError that names the place for any other."""
    if kind is float and not isinstance(value, bool):
        if value is None:
            return math.nan
        if isinstance(value, (int, float)):
            return float(value)
        if value in _WORDS:
            return _WORDS[value]
    elif get_origin(kind) is Literal and value in get_args(kind):
        return value
    elif get_origin(kind) is tuple and isinstance(value, list):
        return tuple(_made(get_args(kind)[0], each, f"{where}[{i}]") for i, each in enumerate(value))
    elif get_origin(kind) in (Mapping, dict) or getattr(get_origin(kind), "__name__", "") == "Mapping":
        if isinstance(value, dict):
            return value
    elif isinstance(kind, type) and isinstance(value, dict):
        hints = get_type_hints(kind)
        _check_keys(value, list(hints), where)
        return kind(**{key: _made(hints[key], each, f"{where}.{key}") for key, each in value.items()})
    elif isinstance(kind, type) and kind in (int, str) and isinstance(value, kind) and not isinstance(value, bool):
        return value
    raise ValueError(f"{where} is {str(value)[:60]!r}, but must be {getattr(kind, '__name__', kind)}")


def _check_keys(value: Mapping[str, Any], names: list[str], where: str) -> None:
    if missing := [name for name in names if name not in value]:
        raise ValueError(f"{where} has no {missing[0]!r}")
    if more := [name for name in value if name not in names]:
        raise ValueError(f"{where} has {more[0]!r}, which means nothing there")
