"""Save rankers of any kind as folders, and load them."""

from __future__ import annotations

import json
import os
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from answersim._base.io.output_files import atomic_write
from answersim.metrics.checkpoints import search
from answersim.metrics.checkpoints.search import read_json

if TYPE_CHECKING:
    import torch

    from rankers.types import Ranker

CONFIG, COMMITTEE, BM25 = "config.json", "committee.json", "bm25.json"
DEEPEST = 8  # committees of committees


def save(ranker: Ranker, folder: Path) -> None:
    """Save a trained ranker in this folder, with everything it needs except the checkpoint of its words.

    The members of a committee are saved in separate folders, and BM25 as its word counts. Raise TypeError if the ranker
    is not trained and so has nothing to save.
    """
    from rankers.models import neural, neural_ranker
    from rankers.models.bm25 import Bm25
    from rankers.training.committee import Committee

    if isinstance(ranker, neural_ranker.NeuralRanker):
        neural.save(ranker, folder)
    elif isinstance(ranker, Committee):
        folder.mkdir(parents=True, exist_ok=True)
        names = [f"member-{i:02d}" for i in range(len(ranker.members))]
        for name, member in zip(names, ranker.members, strict=True):
            save(member, folder / name)
        stated = {"members": names, "weights": list(ranker.weights), "calibration": ranker.calibration}
        with atomic_write(folder / COMMITTEE) as draft:
            draft.write_text(json.dumps(stated, indent=2) + "\n", encoding="utf-8")
    elif isinstance(ranker, Bm25):
        folder.mkdir(parents=True, exist_ok=True)
        ranker.save(folder / BM25)
    else:
        raise TypeError(f"{type(ranker).__name__} is not trained, so there is nothing to save; use its name instead")


def load(folder: str | os.PathLike[str], device: torch.device | None = None) -> Ranker:
    """Return the ranker in this folder, as ``save`` or ``rankers.systems.publishing.publish`` wrote it.

    A name that is not a folder is that of a published ranker: ``$ANSWERSIM_MODELS/<name>``, or what an installed
    package offers under it (entry points of the group ``answersim.metrics.checkpoints``). The network is not used.
    Networks are put on ``device``; on the CPU if it is None.

    Raises:
        FileNotFoundError: If the folder contains no ranker, or the name is not found. The message lists the places.
        TypeError: If the folder is neither text nor a path.
        ValueError: If weights or words differ from those that were saved, or a committee contains itself.
    """
    if not isinstance(folder, str | os.PathLike) or not isinstance(os.fspath(folder), str):
        raise TypeError(f"folder is {folder!r:.60}, but it must be the path of a folder or a published name")
    if not os.fspath(folder) or "\0" in os.fspath(folder):
        raise ValueError(f"folder is {os.fspath(folder)!r}, which is not a path; give a folder or a published name")
    return _load(_published(os.fspath(folder)) or Path(folder), _Loaded(set(), 0, device))


class _Loaded(NamedTuple):
    """The folders that were read for one ranker, the current depth of committees, and the device of networks."""

    folders: set[str]
    depth: int
    device: torch.device | None


def _load(place: Path, loaded: _Loaded) -> Ranker:
    """Return the ranker in this folder.

    Raise ValueError if a committee contains a folder twice, contains itself, or is nested too deeply.
    """
    real = os.path.realpath(place)
    if real in loaded.folders:
        raise ValueError(
            f"{place} is a member of its committee twice, or a committee that contains itself: every member must have "
            f"a separate folder; copy it again"
        )
    if loaded.depth > DEEPEST:
        raise ValueError(f"{place} is nested in more than {DEEPEST} committees; use fewer levels")
    loaded.folders.add(real)
    if (place / COMMITTEE).is_file():
        return _committee(place, loaded)
    if (place / CONFIG).is_file():
        from rankers.models import neural

        return neural.load(place, loaded.device)
    if (place / BM25).is_file():
        from rankers.models.bm25 import Bm25

        return Bm25.load(place / BM25)
    if place.is_dir():
        raise FileNotFoundError(f"{place} contains no ranker: none of {CONFIG}, {COMMITTEE} and {BM25} is there")
    raise FileNotFoundError(
        f"there is no folder {place}, and no published ranker of this name in ${search.MODELS_VARIABLE} "
        f"({os.environ.get(search.MODELS_VARIABLE) or 'not set'}) or an installed package: check the path, or "
        f"publish one with 'rankers publish'"
    )


def is_ranker(name: str) -> bool:
    """Return whether this folder or published name contains a ranker, and not only the weights of an encoder."""
    place = _published(name) or Path(name)
    if any((place / file).is_file() for file in (COMMITTEE, BM25)):
        return True
    config = place / CONFIG
    return config.is_file() and {"kind", "words"} <= read_json(config).keys()


def _published(name: str) -> Path | None:
    """Return the local folder that is published under this name, or None if there is none or the name is a path.

    The network is not used.
    """
    if Path(name).is_dir() or Path(name).is_absolute() or name.startswith((".", "~")):
        return None
    home = os.environ.get(search.MODELS_VARIABLE)
    is_here = bool(home) and search.has_weights(Path(str(home)) / name)
    if is_here or name in {entry_point.name for entry_point in entry_points(group=search.ENTRY_POINTS)}:
        return search.find(name, network=False).folder
    return None


def _is_name(text: object) -> bool:
    """Return whether this is a plain folder name, without path traversal."""
    return isinstance(text, str) and text not in ("", ".", "..") and not set(text) & {"/", "\\", "\0"}


def _committee(folder: Path, loaded: _Loaded) -> Ranker:
    """Return the committee in this folder. If it was published, its members must be those at publication."""
    from rankers.training.committee import Committee

    path = folder / COMMITTEE
    stated = read_json(path)
    names, weights, calibration = (stated.get(key) for key in ("members", "weights", "calibration"))
    if not isinstance(names, list) or not names or not all(map(_is_name, names)):
        raise ValueError(
            f"{path}: members are {names!r:.60}, but they must be names of folders beside the file; copy it again"
        )
    if not isinstance(weights, list) or not all(type(weight) in (int, float) for weight in weights):
        raise ValueError(
            f"{path}: weights are {weights!r:.60}, but they must be numbers, one per member; copy it again"
        )
    if not isinstance(calibration, str):
        raise ValueError(f"{path}: calibration is {calibration!r:.60}, but it must be text; copy it again")
    members = tuple(_load(folder / name, loaded._replace(depth=loaded.depth + 1)) for name in names)
    committee = Committee(members, tuple(weights), calibration)
    kept = read_json(folder / CONFIG).get("signature") if (folder / CONFIG).is_file() else None
    if kept not in (None, committee.signature):
        raise ValueError(
            f"{folder} was published as {kept!r}, but the folder contains {committee.signature!r}: its members were "
            f"changed; copy it again"
        )
    return committee
