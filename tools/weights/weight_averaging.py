r"""Average adapters that were trained from the same start: the weighted mean of their tensors (a model soup).

    python -m tools.weights.weight_averaging \
      runs/sts/adapter=0.3 runs/answers/adapter=0.7 --output runs/average

Training further on answers makes a cross-encoder worse on sentences. A weighted mean of both adapters keeps most of
both. The weights are chosen on the dev sets, which are scored for every requested mean.

Source: Wortsman et al. 2022, "Model soups" (ICML) and "Robust fine-tuning of zero-shot models" (CVPR).
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from answersim._base.runtime.cli_errors import user_errors
from answersim.metrics.checkpoints.search import read_json
from answersim.metrics.neural import adapter
from answersim.training.run import artifact
from answersim.training.run.divergence import check_finite
from answersim.training.run.output import check_folder, check_replaceable, replacing

LIBRARIES = ("torch", "safetensors")


def average(shares: Mapping[Path, float], output: Path, metadata: Mapping[str, Any] | None = None) -> Path:
    """Write the weighted mean of these adapters to ``output``, in the format of peft, with its recipe.json.

    The recipe is that of the last adapter, with the shares and fingerprints of all under ``soup``, and with
    ``metadata``. The tensors are averaged in fp32 and written in fp16. Raise FileNotFoundError or ChecksumError if one
    of the folders is not an adapter, or has changed. Raise ValueError if there are fewer than two adapters, shares are
    negative or do not add up to 1, shapes differ, or the output folder contains files that no training wrote, or is one
    of the adapters.
    """
    import torch
    from safetensors.torch import save

    if len(shares) < 2 or not min(shares.values()) >= 0 or not math.isclose(sum(shares.values()), 1, abs_tol=1e-6):
        raise ValueError(
            f"shares are {list(shares.values())}, but there must be two or more of at least 0 that add up to 1"
        )
    folders = list(shares)
    check_folder(output)
    check_replaceable(output)
    for folder in folders:
        adapter.verify(folder)
        if folder.resolve().is_relative_to(output.resolve()):
            raise ValueError(f"{folder} would be overwritten by the mean; choose another --output")
        if _shape(folder) != _shape(folders[-1]):
            raise ValueError(
                f"{folder} is an adapter of another shape than {folders[-1]}; only adapters of equal shape can be "
                f"averaged"
            )
    mean: dict[str, torch.Tensor] = {}
    for folder, share in shares.items():
        for name, tensor in adapter.read_tensors(folder).items():
            if mean and folder != folders[0] and (name not in mean or mean[name].shape != tensor.shape):
                raise ValueError(f"{folder} has a tensor {name} of {tuple(tensor.shape)} that {folders[0]} lacks")
            mean[name] = mean.get(name, torch.zeros(tensor.shape)) + share * tensor
    half = {name: tensor.to(torch.float16).contiguous() for name, tensor in sorted(mean.items())}
    check_finite(half, "the mean in fp16")
    recipe = read_json(folders[-1] / adapter.RECIPE) if (folders[-1] / adapter.RECIPE).is_file() else {}
    soup = [
        {"name": folder.name, "fingerprint": adapter.fingerprint(folder), "share": share}
        for folder, share in shares.items()
    ]
    whole = {**recipe, "soup": soup, **(metadata or {})}
    with replacing(output) as new:
        shutil.copyfile(folders[0] / adapter.CONFIG, new / adapter.CONFIG)
        (new / adapter.WEIGHTS).write_bytes(save(half, metadata={"format": "pt"}))
        artifact.write_recipe(whole, new, (adapter.CONFIG, adapter.WEIGHTS), LIBRARIES)
    return output


def _shape(folder: Path) -> tuple[Any, ...]:
    """Return what must be equal for a mean of tensors to be meaningful, in any order of names."""
    settings = adapter.read_settings(folder)
    targets = settings.targets if isinstance(settings.targets, str) else sorted(set(settings.targets))
    return settings.rank, settings.scale, targets, sorted(set(settings.saved))


def read_shares(texts: list[str]) -> dict[Path, float]:
    """Parse folders and shares from texts such as ``runs/sts/adapter=0.3``.

    Raise ValueError if a text has another form.
    """
    shares: dict[Path, float] = {}
    for text in texts:
        folder, _, share = text.rpartition("=")
        try:
            shares[Path(folder)] = float(share)
        except ValueError:
            folder = ""
        if not folder:
            raise ValueError(f"{text!r} is not of the form FOLDER=SHARE, for example runs/sts/adapter=0.3")
    return shares


def main(
    adapters: Annotated[list[str], typer.Argument(help="FOLDER=SHARE, at least twice. The shares must add up to 1.")],
    output: Annotated[Path, typer.Option(help="The folder of the mean.")] = Path("runs/soup"),
    data: Annotated[
        Path | None, typer.Option(help="Folder of the data, to score the dev sets. Default: $ANSWERSIM_DATA.")
    ] = None,
    test: Annotated[bool, typer.Option(help="Score the test sets too. Do not use it while comparing.")] = False,
) -> None:
    r"""Average adapters that were trained from the same start, and score the mean on the dev sets of the last one."""
    from tools.weights.cross_encoder import train as cross_encoder
    from tools.weights.cross_encoder.recipe import MixtureRecipe
    from tools.weights.pairs.mixture import Places, default_data

    with user_errors():
        folder = average(read_shares(adapters), output)
        stated = read_json(folder / adapter.RECIPE).get("recipe")
        if not isinstance(stated, dict) or "mixture" not in stated:
            typer.echo(f"written: {folder}; its recipe names no dev sets, so none were scored")
            return
        places = Places(data or default_data())
        results = cross_encoder.results(folder, MixtureRecipe.from_json(stated), places, test=test)
        average(read_shares(adapters), output, {"results": results})
        typer.echo(json.dumps({split: _means(sets) for split, sets in results.items()}, indent=2))
        typer.echo(f"written: {folder}")


def _means(sets: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Return Pearson's coefficient by set, and their mean."""
    pearson = {name: correlations["pearson"] for name, correlations in sets.items()}
    return pearson | {"mean": round(sum(pearson.values()) / len(pearson), 4)}


if __name__ == "__main__":
    typer.run(main)
