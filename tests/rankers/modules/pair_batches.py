"""Batches of a few pairs of texts for an encoder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from rankers.modules.scoring import Batch, Texts, pad_ids

PAIRS = [("the NFL", "National Football League"), ("a", "in regions of new growth ?!"), ("eleven", "11")]


def tokenizer(folder: Path) -> Any:
    import transformers

    return transformers.AutoTokenizer.from_pretrained(folder)


def batch_of(folder: Path, pairs: Sequence[tuple[str, str]] = PAIRS, extra: int = 0) -> Batch:
    """The pairs, each text on its own, without special tokens; ``extra`` columns of padding with ids of words."""
    read = tokenizer(folder)
    sides = []
    for side in range(2):
        built = pad_ids([read(pair[side], add_special_tokens=False)["input_ids"] for pair in pairs])
        more = torch.full((len(pairs), extra), 7)
        sides.append(Texts(torch.cat([built.ids, more], 1), torch.cat([built.mask, torch.zeros_like(more).bool()], 1)))
    places = torch.arange(len(pairs))
    return Batch(*sides, places, places)
