"""Rankers as folders: kept, and found again whatever they are."""

from __future__ import annotations

import json
import os
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from answersim import checkpoints
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


def load(folder: str | os.PathLike[str]) -> Ranker:
    """The ranker in this folder, as ``save`` or ``rankers.publishing.publish`` put it there.

    A name without a folder of its own is that of a published ranker: ``$ANSWERSIM_MODELS/<name>``, or what an installed
    package offers under it (entry points of the group ``answersim.checkpoints``). Nothing is looked for on a network.

    Raises:
        FileNotFoundError: The folder holds no ranker, or no place has the name; names what was looked for.
        ValueError: Weights or words are others than those that were kept.
    """
    place = _published(os.fspath(folder)) or Path(folder)
    if (place / COMMITTEE).is_file():
        return _committee(place)
    if (place / CONFIG).is_file():
        from rankers import neural

        return neural.load(place)
    if (place / BM25).is_file():
        from rankers.models.bm25 import Bm25

        return Bm25.load(place / BM25)
    if place.is_dir():
        raise FileNotFoundError(f"{place} holds no ranker: none of {CONFIG}, {COMMITTEE} and {BM25} is there")
    raise FileNotFoundError(
        f"there is no folder {place}, and no published ranker of this name in ${checkpoints.MODELS_VARIABLE} "
        f"({os.environ.get(checkpoints.MODELS_VARIABLE) or 'not set'}) or an installed package: check the path, or "
        "publish one by 'rankers publish'"
    )


def is_published(name: str) -> bool:
    """Whether ``load`` finds a ranker of this name without being told its folder."""
    return _published(name) is not None


def _published(name: str) -> Path | None:
    """The folder of what is published under this name here; None where nothing is, or where it is a folder's path.

    ``checkpoints.find`` would ask the hub last; it is called only where a nearer place has the name.
    """
    if Path(name).is_dir() or Path(name).is_absolute() or name.startswith((".", "~")):
        return None
    home = os.environ.get(checkpoints.MODELS_VARIABLE)
    is_here = bool(home) and checkpoints.has_weights(Path(str(home)) / name)
    if is_here or name in {each.name for each in entry_points(group=checkpoints.ENTRY_POINTS)}:
        return checkpoints.find(name).folder
    return None


def _committee(folder: Path) -> Ranker:
    """The committee in this folder; where it was published, only with the members it was published with."""
    from rankers.committee import Committee

    stated = read_json(folder / COMMITTEE)
    members = tuple(load(folder / name) for name in stated["members"])
    made = Committee(members, tuple(stated["weights"]), stated["calibration"])
    kept = read_json(folder / CONFIG).get("signature") if (folder / CONFIG).is_file() else None
    if kept not in (None, made.signature):
        raise ValueError(
            f"{folder} was published as {kept!r}, but what was found makes {made.signature!r}: its members were "
            "changed; copy it again"
        )
    return made
