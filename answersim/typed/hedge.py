"""Words that make a value approximate or a bound: "about 300", "just over 300", "at least 300", "300 or so"."""

from __future__ import annotations

from typing import NamedTuple


class Hedge(NamedTuple):
    """The statement of the words around a value."""

    about: bool = False  # whether the value is near the number
    bound: int = 0  # 1 if the value is not below the number, -1 if it is not above it, 0 if it may be on both sides


NEAR, JUST_ABOVE, JUST_BELOW = Hedge(True), Hedge(True, 1), Hedge(True, -1)
ABOVE, BELOW = Hedge(False, 1), Hedge(False, -1)
_LONGEST = 4
_BEFORE = {
    NEAR: """about; around; approximately; approx; approx .; roughly; circa; zirka; ca; ca .; c; c .; some; ~; ≈; etwa;
        in etwa; rund; ungefähr; ungefaehr; estimated; an estimated; estimated at; close to; near; in the region of; on
        the order of; in the neighborhood of; more or less; geschätzt; geschätzte; schätzungsweise; an die; um die;
        annähernd; gegen; mehr oder weniger; say; probably; perhaps; maybe; possibly; vielleicht; wohl; vermutlich""",
    JUST_ABOVE: """just over; just above; just more than; a little over; a little more than; a little above; slightly
        over; slightly more than; slightly above; a bit over; a bit more than; barely over; barely more than; gut;
        etwas mehr als; etwas über; knapp über; ein wenig mehr als; ein bisschen mehr als; kaum mehr als""",
    JUST_BELOW: """nearly; almost; just under; just below; just less than; just short of; a little under; a little less
        than; slightly under; slightly less than; slightly below; a bit less than; not quite; practically; virtually;
        knapp; fast; beinahe; nahezu; knapp unter; etwas weniger als; etwas unter; nicht ganz""",
    ABOVE: """more than; over; above; at least; minimum; min; min .; a minimum of; no less than; no fewer than; not less
        than; not fewer than; upward of; upwards of; in excess of; exceeding; well over; well above; far more than; much
        more than; greater than; larger than; higher than; longer than; older than; as few as; as little as; > =; >; ≥;
        mehr als; über; ueber; mindestens; wenigstens; zumindest; oberhalb von; nicht weniger als; deutlich mehr als;
        weit mehr als; deutlich über; weit über; länger als; größer als; höher als; älter als""",
    BELOW: """less than; fewer than; under; below; at most; maximum; max; max .; a maximum of; no more than; not more
        than; up to; as many as; as much as; well under; well below; far less than; smaller than; lower than; shorter
        than; younger than; < =; <; ≤; weniger als; unter; höchstens; maximal; bis zu; nicht mehr als; unterhalb von;
        deutlich weniger als; deutlich unter; weit unter; kürzer als; kleiner als; niedriger als; jünger als""",
}
_AFTER = {
    NEAR: """or so; or thereabouts; or around; approximately; approx; circa; give or take; more or less; ish; some;
        oder so; ungefähr; etwa; geschätzt; at a guess""",
    JUST_ABOVE: "odd; and change; und ein paar; und ein paar zerquetschte",
    ABOVE: """+; plus; or more; or over; or above; or higher; or older; or greater; and more; and over; and up; and
        above; at least; minimum; at minimum; at the least; oder mehr; und mehr; oder darüber; mindestens; minimal""",
    BELOW: """or less; or fewer; or under; or below; or lower; or younger; and under; and below; at most; maximum; max;
        tops; at the most; oder weniger; und weniger; oder darunter; höchstens; maximal""",
}
# Of a date, a year or a time of day only.
_WHEN = {
    ABOVE: "after; following; later than; no earlier than; not before; nach; nicht vor; frühestens",
    BELOW: """before; prior to; until; till; up until; by; no later than; not later than; earlier than; vor; bis;
        spätestens; bis spätestens""",
}


def _table(phrases: dict[Hedge, str]) -> dict[tuple[str, ...], Hedge]:
    return {tuple(phrase.split()): hedge for hedge, listed in phrases.items() for phrase in listed.split(";")}


BEFORE, AFTER, WHEN = _table(_BEFORE), _table(_AFTER), _table(_WHEN)
_LENGTHS_BY_FIRST = {
    first: sorted({len(phrase) for phrase in (*BEFORE, *WHEN) if phrase[0] == first}, reverse=True)
    for first in {phrase[0] for phrase in (*BEFORE, *WHEN)}
}
HEDGE_WORDS = frozenset(phrase[0] for phrase in (*BEFORE, *AFTER) if len(phrase) == 1) - {"c", "min", "max", "gut"}


def leading(low: tuple[str, ...], i: int) -> tuple[Hedge, bool, int] | None:
    """Return the longest hedge that begins at token i, whether it applies to dates only, and its end.

    >>> leading(("just", "over", "300"), 0)
    (Hedge(about=True, bound=1), False, 2)
    """
    for length in _LENGTHS_BY_FIRST.get(low[i], ()):
        phrase = low[i : i + length]
        for table in (BEFORE, WHEN):
            if phrase in table:
                return table[phrase], table is WHEN, i + length
    return None


def ahead(low: tuple[str, ...], i: int) -> tuple[Hedge, bool] | None:
    """Return what the longest phrase that ends before i states, and whether of dates only."""
    for length in range(min(_LONGEST, i), 0, -1):
        phrase = low[i - length : i]
        for table in (BEFORE, WHEN):
            if phrase in table:
                return table[phrase], table is WHEN
    return None


def trailing(low: tuple[str, ...], i: int) -> tuple[Hedge, int] | None:
    """Return what the longest phrase that begins at i states of the value before it, and the position after it.

    >>> trailing(("300", "or", "so"), 1)
    (Hedge(about=True, bound=0), 3)
    """
    for length in range(min(_LONGEST, len(low) - i), 0, -1):
        if (hedge := AFTER.get(low[i : i + length])) is not None:
            return hedge, i + length
    return None


def both(one: Hedge, other: Hedge) -> Hedge:
    """Return what two hedges of one value state together ("about 300 or more").

    >>> both(NEAR, ABOVE), both(BELOW, Hedge())
    (Hedge(about=True, bound=0), Hedge(about=False, bound=-1))
    """
    if Hedge() in (one, other):
        return other if one == Hedge() else one
    return one if one == other else NEAR
