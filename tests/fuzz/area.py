"""What an area of the fuzz is, the registry of areas, and the loop that runs one."""

from __future__ import annotations

import random
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

MOST_EXAMPLES = 3
LONGEST = 120  # seconds of one case; a longer one counts as a failure: it may never end


class FuzzResult(NamedTuple):
    """What an area found.

    Attributes:
        area: Its name.
        cases: How many checks were made.
        failures: How many of them failed.
        examples: The first few failures, one line each; a line begins with the number of its round.
        seconds: What it took.
    """

    area: str
    cases: int
    failures: int
    examples: list[str]
    seconds: float


Checked = tuple[int, list[str]]  # how many checks a round made, and a line for each that failed
Round = Callable[[random.Random], Checked]
Area = Callable[[random.Random, float], FuzzResult]


class Entry(NamedTuple):
    """An area, and the promise that it checks."""

    run: Area
    promise: str


AREAS: dict[str, Entry] = {}


def area(name: str, promise: str) -> Callable[[Callable[[], Iterator[Round]]], Area]:
    """Register an area.

    The decorated function is a generator: it sets up, yields one function that makes a round, and cleans up. Rounds
    are made until the seconds are over, one at least. Each has a random state of its own, which follows from the seed
    and the number of the round, so that a round can be made again whatever the machine's speed.
    """

    def register(prepare: Callable[[], Iterator[Round]]) -> Area:
        manager = contextmanager(prepare)

        def run(rng: random.Random, seconds: float) -> FuzzResult:
            started = time.monotonic()
            cases, number, failed = 0, 0, list[str]()
            with manager() as make_round:
                while number == 0 or time.monotonic() - started < seconds:
                    checks, user_errors = _guarded(make_round, random.Random(rng.getrandbits(64)))
                    cases += checks
                    failed += [f"round {number}: {' '.join(message.split())[:300]}" for message in user_errors]
                    number += 1
            return FuzzResult(name, cases, len(failed), failed[:MOST_EXAMPLES], time.monotonic() - started)

        AREAS[name] = Entry(run, promise)
        return run

    return register


def _guarded(make_round: Round, rng: random.Random) -> Checked:
    """The round; an exception that it lets through, or a hang, is one failure."""
    try:
        with at_most(LONGEST):
            return make_round(rng)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return 1, [f"{type(error).__name__} at {where.filename.rsplit('/', 1)[-1]}:{where.lineno}: {error}"]


class TooLongError(BaseException):
    """A case took too long; no Exception, so that the code under test does not catch it."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Within it, code that takes longer ends with a TimeoutError. Works in the main thread of a POSIX system."""

    def stop(*_: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except TooLongError:
        raise TimeoutError(f"it took more than {seconds:g} s") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
