"""The areas of the fuzz: their definition, their registry, and the loop that runs one."""

import random
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

MOST_EXAMPLES = 3
LONGEST = 120  # seconds per round; a longer one counts as a failure, because it may never end


class FuzzResult(NamedTuple):
    """The result of an area.

    Attributes:
        area: The name of the area.
        cases: The number of checks.
        failures: The number of failed checks.
        examples: The first few failures, one line each. A line begins with the number of its round.
        seconds: The duration.
    """

    area: str
    cases: int
    failures: int
    examples: list[str]
    seconds: float


Checked = tuple[int, list[str]]  # the number of checks of a round, and one line per failed check
Round = Callable[[random.Random], Checked]
Area = Callable[[random.Random, float], FuzzResult]


class Entry(NamedTuple):
    """An area, and the promise that it checks."""

    run: Area
    promise: str


AREAS: dict[str, Entry] = {}


def area(name: str, promise: str) -> Callable[[Callable[[], Iterator[Round]]], Area]:
    """Register an area.

    The decorated function is a generator: it sets up, yields one function that runs a round, and cleans up. Rounds run
    until the time is over, and at least once. Each has its own random state, which depends on the seed and the number
    of the round only, so that a round can be repeated on a machine of any speed.
    """

    def register(prepare: Callable[[], Iterator[Round]]) -> Area:
        manager = contextmanager(prepare)

        def run(rng: random.Random, seconds: float) -> FuzzResult:
            started = time.monotonic()
            cases, number, failed = 0, 0, list[str]()
            with manager() as make_round:
                while number == 0 or time.monotonic() - started < seconds:
                    checks, messages = _guarded(make_round, random.Random(rng.getrandbits(64)))
                    cases += checks
                    failed += [f"round {number}: {' '.join(message.split())[:300]}" for message in messages]
                    number += 1
            return FuzzResult(name, cases, len(failed), failed[:MOST_EXAMPLES], time.monotonic() - started)

        AREAS[name] = Entry(run, promise)
        return run

    return register


def _guarded(make_round: Round, rng: random.Random) -> Checked:
    """Run a round. An exception or a timeout counts as one failure."""
    try:
        with at_most(LONGEST):
            return make_round(rng)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return 1, [f"{type(error).__name__} at {where.filename.rsplit('/', 1)[-1]}:{where.lineno}: {error}"]


class TooLongError(BaseException):
    """A timeout; not an Exception, so that the code under test does not catch it."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise TimeoutError if the code in the context takes longer. It works in the main thread of a POSIX system."""

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
