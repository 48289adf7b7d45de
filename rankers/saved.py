"""Rankers as folders: kept, and found again whatever they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from answersim.checkpoints import read_json
from answersim.files import replacing

if TYPE_CHECKING:
    from rankers.types import Ranker

CONFIG, COMMITTEE, BM25 = "config.json", "committee.json", "bm25.json"


def save(ranker: Ranker, folder: Path) -> None:
    """Keep a trained ranker in this folder, with all it needs beside the checkpoint of its words.

    A committee's members are kept in folders of their own; BM25 as its word counts.

    Raises:
        TypeError: A ranker that is not trained: its name is all there is to keep.
    """
    from rankers import neural
    from rankers.committee import Committee
    from rankers.models.bm25 import Bm25

    if isinstance(ranker, neural.NeuralRanker):
        neural.save(ranker, folder)
    elif isinstance(ranker, Committee):
        folder.mkdir(parents=True, exist_ok=True)
        names = [f"member-{i:02d}" for i in range(len(ranker.members))]
        for name, member in zip(names, ranker.members, strict=True):
            save(member, folder / name)
        stated = {"members": names, "weights": list(ranker.weights), "calibration": ranker.calibration}
        with replacing(folder / COMMITTEE) as draft:
            draft.write_text(json.dumps(stated, indent=2) + "\n", encoding="utf-8")
    elif isinstance(ranker, Bm25):
        folder.mkdir(parents=True, exist_ok=True)
        ranker.save(folder / BM25)
    else:
        raise TypeError(f"{type(ranker).__name__} is not trained, so there is nothing to keep; use its name instead")


def load(folder: Path) -> Ranker:
    """The ranker that ``save`` put into this folder.

    Raises:
        FileNotFoundError: The folder holds no ranker; names what was looked for.
        ValueError: Weights or words are others than those that were kept.
    """
    if (folder / CONFIG).is_file():
        from rankers import neural

        return neural.load(folder)
    if (folder / COMMITTEE).is_file():
        from rankers.committee import Committee

        stated = read_json(folder / COMMITTEE)
        members = tuple(load(folder / name) for name in stated["members"])
        return Committee(members, tuple(stated["weights"]), stated["calibration"])
    if (folder / BM25).is_file():
        from rankers.models.bm25 import Bm25

        return Bm25.load(folder / BM25)
    raise FileNotFoundError(f"{folder} holds no ranker: none of {CONFIG}, {COMMITTEE} and {BM25} is there")
