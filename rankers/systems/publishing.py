"""A finished training as a folder for others: weights, words, and a card with its properties and its results on dev."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from answersim.metrics.checkpoints import search
from rankers.evaluation.evaluate import evaluate
from rankers.models import store
from rankers.models.neural_ranker import NeuralRanker
from rankers.modules.words import InputConfig
from rankers.systems import catalog, encoders, fit, members, outcome
from rankers.training.definitions import Trained
from rankers.types import Questions, Ranker

if TYPE_CHECKING:
    import torch

CARD = "README.md"
MEASURES = ("MAP", "MRR", "P@1")
TEXT = """# {name}

This model ranks candidate answers to a question. Its epoch was chosen on the dev questions, so its numbers on dev are
slightly optimistic. It was not measured on a test set for this card.

| | |
|---|---|
{table}

```python
import rankers

ranker = rankers.load("{name}")  # from $ANSWERSIM_MODELS; or give the path of this folder
rankers.score("Who wrote it?", ["It rained.", "Ann wrote it."], ranker)
```

    rankers rank --model {name} questions.jsonl -o ranking.jsonl

## Recipe

{recipe}
"""


class Published(NamedTuple):
    """A published folder."""

    folder: Path  # its path
    # the fingerprint of its weights and settings, as returned by ``answersim.metrics.checkpoints.search.find``
    fingerprint: str
    signature: str  # the signature of the ranker
    measured: Mapping[str, float]  # its results on dev, by measure

    def __str__(self) -> str:
        numbers = ", ".join(f"{name} {value:.4f}" for name, value in self.measured.items())
        return f"{self.folder}: {self.fingerprint}, dev {numbers}"


def publish(
    system: str, folder: Path, to: Path, *, dev: Questions | None = None, license: str = "", note: str = ""
) -> Published:
    """Write the ranker of a finished training to a separate folder, with a card.

    ``rankers.load`` reads the folder by its path, and by its name if it is in ``$ANSWERSIM_MODELS``. It contains
    config.json, safetensors, learned words and README.md; words of a checkpoint are found by the name of the
    checkpoint, and their fingerprint is checked. The folder is written completely or not at all.

    Args:
        system: A system of the catalog that is trained.
        folder: The folder in which ``rankers.fit``, ``rankers train`` or ``benchmarks.ranking`` stored its training.
        to: The folder to create.
        dev: The questions that determined its epoch, to measure MAP, MRR and P@1 on. By default, the measure that
            determined the epoch is quoted.
        license: The license of the weights. If it is empty, the card states that there is none.
        note: A line for the card.

    Raises:
        LookupError: If no system has this name.
        FileNotFoundError: If the training does not exist or is not finished, or the parent of ``to`` does not exist.
        FileExistsError: If ``to`` exists and is not empty.
        ValueError: If nothing of it is trained, ``dev`` is not the set that determined its epoch, or nothing would be
            measured.
    """
    definition = _trained(system)
    provenance, epochs = _history(system, folder)
    _check_place(to)
    if definition.ranks in members.COMMITTEES:
        raise ValueError(f"{system} is a committee, which has no folder of its own; publish {definition.training}")
    if dev is None and definition.ranks != members.MODEL:
        raise ValueError(f"{system} was not measured by its training; give the dev questions that chose its epochs")
    if dev is not None and dev.fingerprint != provenance["dev"]:
        raise ValueError(
            f"{dev.corpus} {dev.split} has the fingerprint {dev.fingerprint}, but the epoch of {system} was chosen on "
            f"questions with {provenance['dev']}; give those"
        )
    ranker = load_trained(system, folder)
    assert isinstance(ranker, NeuralRanker)  # of one network
    measured = _measured(ranker, dev) if dev is not None else _quoted(folder / definition.training, provenance, epochs)
    card = _card(to.name, system, folder, ranker, measured, license, note)
    return _put(ranker, to, card, measured)


def publish_encoder(kind: str, folder: Path, to: Path, *, license: str = "", note: str = "") -> None:
    """Write a trained cross-encoder or bi-encoder to a separate folder, with a model card.

    ``CrossEncoder(to)`` or ``SentenceTransformer(to)`` and ``rankers.rank(..., model=to)`` load it, with equal scores
    within 1e-5.

    Args:
        kind: "cross-encoder" or "bi-encoder".
        folder: The folder of its training.
        to: The folder to create.
        license: The license of the weights. If it is empty, the card states that there is none.
        note: A line for the card.

    Raises:
        FileNotFoundError: If the training is not finished, or the parent of ``to`` does not exist.
        FileExistsError: If ``to`` exists and is not empty.
    """
    _check_place(to)
    encoders.publish(kind, folder, to, license=license, note=note, dev=outcome.baselines_of(folder, kind))


def load_trained(system: str, folder: Path, device: torch.device | None = None) -> Ranker:
    """Return the part of a finished training that ranks as this system, on this device; on the CPU if None.

    Raises:
        LookupError: If no system has this name.
        FileNotFoundError: If the training does not exist or is not finished.
        ValueError: If nothing of the system is trained, or its weights are damaged.
    """
    definition = _trained(system)
    provenance, _ = _history(system, folder)
    calibration = catalog.config(definition.training, provenance["preset"]).calibration
    return members.ranker(folder / definition.training, definition.ranks, calibration, device)


def _trained(system: str) -> Trained:
    definition = catalog.system(system)
    if not isinstance(definition, Trained):
        raise ValueError(f"{system} has no trained weights: use it by its name, or train another system")
    return definition


def _history(system: str, folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the provenance and the epochs of the training."""
    definition = _trained(system)
    if not (folder / definition.training / members.HISTORY).is_file():
        raise FileNotFoundError(
            f"{folder / definition.training} contains no finished training of {system}; train it first: "
            f"rankers train {system} --data ... --folder {folder}"
        )
    history = fit.history(folder, definition.training)
    return history["provenance"], history["epochs"]


def _check_place(to: Path) -> None:
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise FileExistsError(f"{to} exists already; give another folder, or remove it")
    if not to.resolve().parent.is_dir():
        raise FileNotFoundError(f"{to} cannot be created: there is no folder {to.resolve().parent}; create it first")
    if not os.access(to.resolve().parent, os.W_OK | os.X_OK):
        raise PermissionError(f"{to} cannot be created: there is no write permission for {to.resolve().parent}")


def _measured(ranker: Ranker, dev: Questions) -> dict[str, float]:
    from rankers.evaluation import runs

    evaluation = evaluate(runs.run(ranker, dev), dev, MEASURES)
    return {name: evaluation.mean(name) for name in MEASURES}


def _quoted(home: Path, provenance: Mapping[str, Any], epochs: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the results that the training measured in its best epoch."""
    chosen = store.load(home / members.MODEL).provenance["chosen_epoch"]
    (dev,) = (epoch["dev"] for epoch in epochs if epoch["epoch"] == chosen)
    return {str(provenance["recipe"]["dev_measure"]): float(dev)}


def _put(ranker: NeuralRanker, to: Path, card: str, measured: Mapping[str, float]) -> Published:
    """Build the folder beside its destination, load it once, then move it there."""
    draft = Path(tempfile.mkdtemp(dir=to.resolve().parent, prefix=".rankers-"))
    try:
        store.save(ranker, draft)
        (draft / CARD).write_text(card, encoding="utf-8")
        if store.load(draft).signature != ranker.signature:
            raise ValueError(f"the files in {to} would differ from the trained ranker; please report this")
        umask = os.umask(0)
        os.umask(umask)
        draft.chmod(0o777 & ~umask)  # mkdtemp creates a folder that only its owner can read
        draft.replace(to)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return Published(to, search.fingerprint(to), ranker.signature, measured)


def _card(
    name: str, system: str, folder: Path, ranker: NeuralRanker, measured: Mapping[str, float], license: str, note: str
) -> str:
    definition = _trained(system)
    history = fit.history(folder, definition.training)
    provenance, stated = history["provenance"], store.load(folder / definition.training / members.MODEL).provenance
    corpus = stated.get("corpus", "")
    numbers = ", ".join(f"{measure} {value:.4f}" for measure, value in measured.items())
    rows = {
        "system": f"`{system}`: {definition.summary}",
        "published in": definition.paper,
        "trained on": f"{corpus}, training questions {provenance['train']}{_of_corpus(corpus)}",
        "first trained on": provenance.get("source") or "",
        "damage to the training questions": _said(provenance.get("damage")),
        "chosen on": f"dev questions {provenance['dev']}: {numbers}",
        "preset and seed": f"{provenance['preset']}, {provenance['recipe']['seed']}",
        "parameters": f"{history['parameters']:,}",
        "training": f"{fit.seconds(folder, definition.training):.0f} s, with the trainings that it started from",
        "versions": ", ".join(f"{package} {of}" for package, of in stated.get("versions", {}).items()),
        "words": _words(provenance["inputs"]),
        "license of the weights": license or "not stated; ask the author of this folder",
        "note": note,
        "signature": f"`{ranker.signature}`" if len(ranker.signature) < 400 else f"`{ranker.signature[:399]}...`",
    }
    table = "\n".join(f"| {key} | {value.replace('|', chr(92) + '|')} |" for key, value in rows.items() if value)
    recipe = "\n".join(f"- {key}: {value}" for key, value in provenance["recipe"].items())
    return TEXT.format(name=name, table=table, recipe=recipe)


def _said(settings: Mapping[str, Any] | None) -> str:
    return ", ".join(f"{key} {value}" for key, value in (settings or {}).items())


def _of_corpus(name: str) -> str:
    """Return the source and the license of a known corpus."""
    from rankers.data import corpora

    corpus = corpora().get(name)
    return f" ({corpus.source}; license of the data: {corpus.license})" if corpus else ""


def _words(stated: Mapping[str, Any]) -> str:
    config = InputConfig(**{key: value for key, value in stated.items() if key != "fingerprint"})
    if config.source == "checkpoint":
        return f"those of {config.checkpoint}, which is found by its name and is not in this folder"
    return f"of this folder ({config.source})"
