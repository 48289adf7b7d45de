"""Damaged calibration files, from a seed, and what is wrong with what ``read`` says of one: for tests and the fuzz."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

from answersim.calibration.decision import VERDICTS
from answersim.calibration.model import Calibration
from answersim.calibration.storing import dumps, loads, read

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 1.5, -0.5, 1e308, -1e308, 5e-324, 10**30, 10**400, 95),
    *("", "inf", "-inf", "nan", "0.5", "accuracy", "\ud800", "\x00", "x" * 10_000),
    *([], {}, [0.5], {"value": 0.5}, [[]] * 1000, {"format": 1}),
)
RAW = ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 5000, "[" * 50_000, '{"a":' * 50_000, "'", "\\", "\x00")


def mutated(text: str, rng: np.random.Generator) -> bytes:
    """Return a calibration file with one to three flaws: in its values, in its structure, or in its bytes."""
    if rng.random() < 0.15:
        return _in_bytes(text, rng)
    story = json.loads(text)
    raw = None
    for _ in range(int(rng.integers(1, 4))):
        places = list(_places(story))
        holder, key = places[int(rng.integers(len(places)))]
        way = int(rng.integers(8))
        if way < 4:
            holder[key] = deepcopy(ODD[int(rng.integers(len(ODD)))])
        elif way == 4:
            del holder[key]
        elif way == 5:  # two values change places
            other, there = places[int(rng.integers(len(places)))]
            holder[key], other[there] = json.loads(json.dumps(other[there])), json.loads(json.dumps(holder[key]))
        elif way == 6:
            _reorder(holder, key, rng)
        else:
            raw = RAW[int(rng.integers(len(RAW)))]
            holder[key] = "RAW"
        if not story:
            break
    result = json.dumps(story)
    return (result if raw is None else result.replace('"RAW"', raw, 1)).encode("utf-8", "surrogatepass")


def flaw(path: Path) -> str | None:
    """Return what is wrong with the answer of ``read`` to this file, or None.

    Right is a ValueError of one line that names the file, or a calibration that keeps every promise of its type.
    """
    try:
        rows = read(path)
    except ValueError as error:
        message = str(error)
        if str(path) not in message or len(message) > len(str(path)) + 500:
            return f"the message is {message[:700]!r}"
        return None
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    try:
        return _nonsense(rows)
    except BaseException as error:
        return f"it is accepted, and asked for what it says: {type(error).__name__}: {str(error)[:200]}"


def _nonsense(result: Calibration) -> str | None:
    """The first promise of its type that a calibration breaks."""
    at = np.concatenate([np.linspace(-10, 10, 101), [-1e300, 1e300]])
    at.sort()
    probabilities, verdicts = result.probability(at), result.verdicts(at)
    order = [VERDICTS[::-1].index(entry) for entry in verdicts.tolist()]
    facts = result.provenance
    remaining = {
        "probabilities lie in 0 to 1": ((probabilities >= 0) & (probabilities <= 1)).all(),
        "probabilities never fall": (np.diff(probabilities) >= -1e-12).all(),
        "verdicts never fall": order == sorted(order),
        "shares are shares": 0 <= result.threshold("f1").accuracy.value <= 1,
        "counts are counts": 0 < facts.equivalent < facts.n and 0 < facts.groups <= facts.n,
        "it is written and read again": dumps(loads(dumps(result))) == dumps(result),
    }
    return next((rule for rule, held in remaining.items() if not held), None)


def _places(value: Any) -> Any:
    """Every place in objects and lists that holds a value: (holder, key)."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


def _reorder(holder: Any, key: Any, rng: np.random.Generator) -> None:
    """Turn a list round, double it or make it very long; make a number of another size or sign."""
    value = holder[key]
    if isinstance(value, list) and value:
        holder[key] = [value[::-1], value * 2, value[:1] * 20_000, value[:1]][int(rng.integers(4))]
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        holder[key] = [-value, value * 1e6, value + 1, str(value)][int(rng.integers(4))]
    else:
        holder[key] = [value]


def _in_bytes(text: str, rng: np.random.Generator) -> bytes:
    data = bytearray(text.encode())
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(len(data)))
        way = int(rng.integers(4))
        if way == 0:
            data[at] = int(rng.integers(256))
        elif way == 1:
            del data[at : at + int(rng.integers(1, 200))]
        elif way == 2:
            data[at:at] = data[max(0, at - 80) : at]
        else:
            data = data[: at + 1]
    return bytes(data)
