"""A finished training as a folder for others: weights, words, and a card with its properties and its results on dev."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from answersim.metrics.checkpoints import search
from rankers.data.catalog import corpora
from rankers.models import store
from rankers.models.neural_ranker import NeuralRanker
from rankers.modules.words import InputConfig
from rankers.systems import catalog, fit, members, outcome
from rankers.types import Ranker

if TYPE_CHECKING:
    import torch

CARD = "README.md"
TEXT = """{front}# {name}

This model ranks candidate answers to a question. It was not measured on a test set for this card.

| | |
|---|---|
{table}

```python
{code}
```

## Recipe

{recipe}
"""


def publish(system: str, folder: Path, to: Path, *, license: str = "", note: str = "") -> Ranker:
    """Write the ranker of a finished training, of one network, to a separate folder, with a card; return the ranker.

    ``rankers.load`` reads the folder by its path, and by its name if it is in ``$ANSWERSIM_MODELS``. It contains
    config.json, safetensors, learned words and README.md; words of a checkpoint are found by the name of the
    checkpoint, and their fingerprint is checked. The folder is written completely or not at all. The card has the dev
    measure of the training and of its baselines. If the license is empty, the card states that
    there is none.
    """
    definition, _ = catalog.trained(system, folder)
    history = fit.history(folder, definition.training)
    provenance = history["provenance"]
    _check_place(to)
    if definition.ranks in members.COMMITTEES:
        raise ValueError(f"{system} is a committee, which has no folder of its own; publish {definition.training}")
    ranker = load_trained(system, folder)
    assert isinstance(ranker, NeuralRanker)  # of one network
    corpus = corpora().get(ranker.provenance.get("corpus", ""))
    of_corpus = f" ({corpus.source}; license of the data: {corpus.license})" if corpus else ""
    card = _card(
        to.name,
        {
            "system": f"`{system}`: {definition.summary}",
            "published in": definition.paper,
            "trained on": f"{ranker.provenance.get('corpus', '')}, training questions {provenance['train']}{of_corpus}",
            "first trained on": provenance.get("source") or "",
            "damage to the training questions": ", ".join(f"{k} {v}" for k, v in (provenance["damage"] or {}).items()),
            **_dev(provenance, outcome.stored_outcome(folder, system)),
            "preset and seed": f"{provenance['preset']}, {provenance['recipe']['seed']}",
            "parameters": f"{history['parameters']:,}",
            "training": f"{fit.seconds(folder, definition.training):.0f} s, with the trainings that it started from",
            "versions": ", ".join(f"{k} {v}" for k, v in ranker.provenance.get("versions", {}).items()),
            "words": _words(provenance["inputs"]),
            "license of the weights": license or "not stated; ask the author of this folder",
            "note": note,
            "signature": f"`{ranker.signature}`",
        },
        provenance["recipe"],
        f'import rankers\n\nranker = rankers.load("{to.name}")  # from $ANSWERSIM_MODELS; or give its path'
        '\nrankers.score("Who wrote it?", ["It rained.", "Ann wrote it."], ranker)',
    )
    _write(to, card, lambda draft: store.save(ranker, draft))
    return ranker


def publish_encoder(kind: str, folder: Path, to: Path, *, license: str = "", note: str = "") -> None:
    """Write a trained cross-encoder or bi-encoder to a separate folder, with a model card that hubs read.

    ``CrossEncoder(to)`` or ``SentenceTransformer(to)`` and ``rankers.rank(..., model=to)`` load it, with equal scores
    within 1e-5. If the license is empty, the card states that there is none.
    """
    _check_place(to)
    home = folder / kind
    if not (home / catalog.HISTORY).is_file():
        raise FileNotFoundError(f"{home} contains no finished training of {kind}; train it first")
    history = search.read_json(home / catalog.HISTORY)
    stated = history["provenance"]
    cls = "CrossEncoder" if kind == "cross-encoder" else "SentenceTransformer"
    front = ["library_name: sentence-transformers", "pipeline_tag: text-ranking", f"tags: [{kind}, answer-selection]"]
    front += [f"license: {license.lower()}"] if license else []
    card = _card(
        to.name,
        {
            "kind": f"{kind}, one number per question and candidate",
            "base": f"{stated['encoder']['name']} ({stated['encoder']['fingerprint']})",
            "trained on": f"{stated['corpus']}, training questions {stated['train']}",
            **_dev(stated, outcome.stored_outcome(folder, kind)),
            "parameters": f"{history['parameters']:,}",
            "training": f"{history['seconds']:.0f} s",
            "versions": ", ".join(f"{package} {number}" for package, number in history["versions"].items()),
            "license": license or "not stated; ask the author of this folder",
            "note": note,
        },
        stated["recipe"],
        f"from sentence_transformers import {cls}\nimport rankers\n\n"
        f'rankers.rank("Who wrote it?", ["It rained.", "Ann wrote it."], {cls}("{to.name}"))\n'
        f'rankers.rank("Who wrote it?", ["It rained.", "Ann wrote it."], "./{to.name}")',
        "\n".join(["---", *front, "---", "", ""]),
    )
    _write(to, card, lambda draft: shutil.copytree(home / catalog.MODEL, draft, dirs_exist_ok=True))


def load_trained(system: str, folder: Path, device: torch.device | None = None) -> Ranker:
    """Return the part of a finished training that ranks as this system, on this device; on the CPU if None.

    Errors are those of ``catalog.trained``; ValueError also if weights are damaged.
    """
    definition, home = catalog.trained(system, folder)
    preset = fit.history(folder, definition.training)["provenance"]["preset"]
    return members.ranker(home, definition.ranks, catalog.config(definition.training, preset).calibration, device)


def _check_place(to: Path) -> None:
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise FileExistsError(f"{to} exists already; give another folder, or remove it")
    if not to.resolve().parent.is_dir():
        raise FileNotFoundError(f"{to} cannot be created: there is no folder {to.resolve().parent}; create it first")
    if not os.access(to.resolve().parent, os.W_OK | os.X_OK):
        raise PermissionError(f"{to} cannot be created: there is no write permission for {to.resolve().parent}")


def _write(to: Path, card: str, fill: Callable[[Path], object]) -> None:
    """Build the folder beside its destination, then move it there."""
    draft = Path(tempfile.mkdtemp(dir=to.resolve().parent, prefix=".rankers-"))
    try:
        fill(draft)
        (draft / CARD).write_text(card, encoding="utf-8")
        umask = os.umask(0)
        os.umask(umask)
        for path in (draft, *draft.rglob("*")):  # created so that only their owner can read them
            path.chmod((0o777 if path.is_dir() else 0o666) & ~umask)
        draft.replace(to)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def _dev(provenance: Mapping[str, Any], measured: Mapping[str, Any]) -> dict[str, str]:
    """Return the rows of a card about the dev questions: how they were used, and what was measured on them."""
    selected = "selected on them, so its numbers are optimistic"
    kept = f"the best state was {selected}" if provenance["recipe"]["keep"] == "best" else "the last state was kept"
    rows, measure = {"dev questions": f"{provenance['dev']}; {kept}"}, f"dev {provenance['recipe']['dev_measure']}"
    if measured:
        is_below = measured["value"] < measured["baselines"].get(outcome.UNTRAINED, -inf)
        rows[measure] = f"{measured['value']:.4f}{', below the untrained default' if is_below else ''}"
        for row in measured["comparisons"]:
            name, ends = row["first"], f"[{row['low']:+.4f} .. {row['high']:+.4f}]"
            gap = f"{measured['baselines'][name]:.4f} (baseline); this model minus it: {row['difference']:+.4f} {ends}"
            rows[f"{measure} of {name}"] = gap
    return rows


def _card(name: str, rows: Mapping[str, str], recipe: Mapping[str, Any], code: str, front: str = "") -> str:
    table = "\n".join(f"| {key} | {value.replace('|', chr(92) + '|')} |" for key, value in rows.items() if value)
    listed = "\n".join(f"- {key}: {value}" for key, value in recipe.items())
    return TEXT.format(name=name, table=table, recipe=listed, code=code, front=front)


def _words(stated: Mapping[str, Any]) -> str:
    config = InputConfig(**{key: value for key, value in stated.items() if key != "fingerprint"})
    if config.source == "checkpoint":
        return f"those of {config.checkpoint}, which is found by its name and is not in this folder"
    return f"of this folder ({config.source})"
