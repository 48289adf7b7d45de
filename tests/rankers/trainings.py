"""The trainings that the contract tests run, in groups."""

from __future__ import annotations

from typing import Any, Protocol

from rankers.systems import catalog

TRANSFERS = [name for name, training in catalog.TRAININGS.items() if training.transfers]
STARTS = {name: training.start for name, training in catalog.TRAININGS.items() if name not in TRANSFERS}
PLAIN = [name for name, start in STARTS.items() if start in ("", *TRANSFERS)]  # under "smoke" there is no transfer
FURTHER = [name for name in STARTS if name not in PLAIN]
# One per kind of network; `make test-slow` tests every combination of their parts.
QUICK = """match-pyramid dmn man qa-lstm-multihop-mlp ctrn-pointwise iggsa-multihop scan addax late-interaction
    hybrid""".split()
# Words and their vectors, an encoder below a network, and an encoder of pairs with an objective of its own.
QUICK_AGAIN = "match-pyramid iggsa-multihop scan hybrid".split()  # trained twice
QUICK_LEARNING = "match-pyramid dmn late-interaction".split()  # trained until ten questions are learned
# Every source of negatives, with one K or two.
FURTHER_QUICK = "match-pyramid-adv match-pyramid-dns match-pyramid-adv-k5 match-pyramid-ckpt".split()
ALIKE = [name for name in PLAIN if name not in QUICK]


class SmallEncoder(Protocol):
    """The overrides that give a training a small encoder in the place of all-MiniLM-L6-v2."""

    def __call__(self, name: str, *, layers: int = 3) -> dict[str, Any]:
        """Return the overrides for the training of this name."""
        ...
