"""Pairs of texts for ADDAX, its variants, and one side of its cell by the equations."""

from __future__ import annotations

from typing import Any

import torch

from rankers.modules.scoring import Batch, pad_ids

QUESTIONS = [[30, 31, 32], [9], [22, 40]]
ANSWERS = [[41, 30, 22, 9], [31, 32], [9, 9, 45, 47, 30, 31], [50]]
VARIANTS: dict[str, dict[str, Any]] = {
    "addax": {},
    "addax-wo-mags": {"use_mag": False},
    "addax-wo-hw": {"use_highway": False},
    "addax-wo-hd": {"use_hashing": False},
    "addax-att-mags": {"attention_only": True, "use_hashing": False},
    "addax-att-mags-hd": {"attention_only": True},
    "addax-binary": {"codes": "sign"},
}
PAIRS = [(0, 2), (0, 0), (1, 1), (1, 3), (2, 2), (2, 0)]


def batch(pairs: list[tuple[int, int]] = PAIRS) -> Batch:
    results = [pad_ids(rows) for rows in (QUESTIONS, ANSWERS)]
    return Batch(*results, *(torch.tensor(places) for places in zip(*pairs, strict=True)))


def side(cell: Any, own: torch.Tensor, other: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    """One side of the siamese cell for texts without padding (the cell's own test has it word by word)."""
    shared = s.softmax(1) @ other
    width = s.shape[1]
    e = torch.sigmoid(s @ cell.feature.weight[:, :width].T + cell.feature.bias)
    p = torch.sigmoid(s @ cell.share.weight[:, :width].T + cell.share.bias)
    both = p * shared * e, (1 - p) * (own - shared) * (1 - e)
    return sum(both) if cell.highway is None else cell.highway(torch.cat(both, dim=-1))
