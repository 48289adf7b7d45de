"""A block that runs as a training does: seeded, in a precision, with quiet libraries."""

from collections.abc import Iterator
from contextlib import contextmanager

from answersim.training.run import artifact


@contextmanager
def begun(seed: int, precision: str) -> Iterator[None]:
    with artifact.quiet_libraries():
        artifact.begin(seed, precision)
        yield
