"""The trainings that the contract tests run, in groups."""

from __future__ import annotations

from typing import Any, Protocol

from rankers.systems import catalog

TRANSFERS = [name for name, training in catalog.TRAININGS.items() if training.transfers]
STARTS = {name: training.start for name, training in catalog.TRAININGS.items() if name not in TRANSFERS}
PLAIN = [name for name, start in STARTS.items() if start in ("", *TRANSFERS)]  # under "smoke" there is no transfer
FURTHER = [name for name in STARTS if name not in PLAIN]
# Every part of every network is in one of these; `make test-slow` tests all of their combinations.
QUICK = """match-pyramid dmn man qa-lstm-multihop-mlp ap-lstm ctrn-pointwise global local-gate group-offset
    ggsa-att-pointwise iggsa-multihop scan addax late-interaction hybrid""".split()
# Over three seconds until ten questions are learned, and parts that others of QUICK have.
LEARNS_SLOWLY = """scan addax hybrid iggsa-multihop ctrn-pointwise ggsa-att-pointwise qa-lstm-multihop-mlp ap-lstm
    local-gate group-offset""".split()
# Every network and every source of negatives, with one K or two.
FURTHER_QUICK = "match-pyramid-adv dmn-dns dmn-adv-k5 man-ckpt".split()
ALIKE = [name for name in PLAIN if name not in QUICK]


class SmallEncoder(Protocol):
    """The overrides that give a training a small encoder in the place of all-MiniLM-L6-v2."""

    def __call__(self, name: str, *, layers: int = 3) -> dict[str, Any]:
        """Return the overrides for the training of this name."""
        ...
