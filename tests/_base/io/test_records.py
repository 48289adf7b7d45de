"""Records go into JSON and back at any depth, and what does not fit is refused with its place."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim._base.io.records import check_types, from_json, to_json
from tests.cases import every


class Ends(NamedTuple):
    low: float
    high: float = 1.0


@dataclass(frozen=True)
class Inner:
    sizes: tuple[int, ...] = (1, 2)
    rate: float = 0.5
    shape: tuple[int, str] = (1, "x")


@dataclass(frozen=True)
class Outer:
    name: str = "x"
    inner: Inner = field(default_factory=Inner)
    ends: tuple[Ends, ...] = ()
    kind: Literal["a", "b"] = "a"
    perhaps: Inner | None = None
    is_on: bool = False
    more: Mapping[str, Any] = field(default_factory=dict)


ENDS = st.builds(Ends, st.floats(allow_nan=False), st.floats(allow_nan=False))
INNER = st.builds(Inner, st.lists(st.integers(-(10**9), 10**9)).map(tuple), st.floats(-1e300, 1e300))
OUTER = st.builds(
    Outer, st.text(), INNER, st.lists(ENDS, max_size=3).map(tuple), st.sampled_from("ab"), st.none() | INNER
)


@given(OUTER)
def test_a_record_is_read_as_it_was_written(record):
    stated = json.loads(json.dumps(to_json(record), allow_nan=False))
    assert from_json(Outer, stated, complete=True, undefined=True) == record


def test_nan_is_null_and_only_where_numbers_may_be_undefined():
    assert to_json(Ends(math.nan, -math.inf)) == {"low": None, "high": "-inf"}
    low, high = from_json(Ends, {"low": None, "high": "-inf"}, undefined=True)
    assert math.isnan(low)
    assert high == -math.inf
    for value in (None, "inf"):
        with pytest.raises(TypeError, match=r"low is .*, but it must be a number"):
            from_json(Ends, {"low": value})


def test_a_field_that_is_not_stated_has_its_default_unless_all_must_be():
    assert from_json(Outer, {"inner": {"rate": 3.0}}) == Outer(inner=Inner(rate=3.0))
    with pytest.raises(ValueError, match="Ends lacks the field 'high'"):
        from_json(Ends, {"low": 0.5}, complete=True)


@every(
    ("stated", "error", "message"),
    [
        ({"nam": "x"}, ValueError, r"outer has no field 'nam'; it has ends, inner, is_on, kind, more, name"),
        ({"inner": {"size": 1}}, ValueError, r"outer\.inner has no field 'size'; it has rate, shape, sizes"),
        ({"inner": {"sizes": [1, 2.5]}}, TypeError, r"outer\.inner\.sizes\[1\] is 2\.5 \(float\), .* whole number"),
        ({"inner": {"shape": [1, "x", 2]}}, TypeError, r"outer\.inner\.shape is a list of 3, .* a list of 2"),
        ({"inner": {"rate": True}}, TypeError, r"outer\.inner\.rate is True \(bool\), but it must be a number"),
        ({"inner": {"rate": 10**400}}, ValueError, r"inner\.rate is an integer of more .* within the range of a float"),
        ({"inner": []}, TypeError, r"outer\.inner is a list of 0, but it must be an object"),
        ({"ends": [{"low": "x"}]}, TypeError, r"outer\.ends\[0\]\.low is 'x' \(str\), but it must be a number"),
        ({"kind": "c"}, TypeError, r"outer\.kind is 'c' \(str\), but it must be one of: a, b"),
        ({"is_on": 1}, TypeError, r"outer\.is_on is 1 \(int\), but it must be true or false"),
        ({"name": "\ud800"}, ValueError, r"outer\.name is .* half a surrogate pair"),
        ({"more": 3}, TypeError, r"outer\.more is 3 \(int\), but it must be an object"),
        ([], TypeError, r"outer is a list of 0, but it must be an object"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(stated, error, message):
    with pytest.raises(error, match=message):
        from_json(Outer, stated, "outer")


def test_some_fields_are_checked_as_python_writes_them():
    check_types(Outer, {"inner": Inner(), "name": "y", "unknown": 1})
    with pytest.raises(TypeError, match="name is 1"):
        check_types(Outer, {"name": 1})
