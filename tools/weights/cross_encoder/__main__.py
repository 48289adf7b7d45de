"""Train a cross-encoder that ships, by one of the presets: see ``train``.

python -m tools.weights.cross_encoder --preset sts --output runs/sts
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from answersim._base.errors import unknown
from answersim._base.runtime import progress
from answersim._base.runtime.cli_errors import user_errors
from answersim.training.cross_encoder.options import SHARED, run
from answersim.training.run.options import option, recipe_of, recipe_options
from tools.weights.cross_encoder.recipe import HELP, PRESETS
from tools.weights.cross_encoder.train import train
from tools.weights.pairs import mixture

_OPTIONS = [
    option("data", Path | None, None, "Folder of stsb/, judged/ and the other sets. Default: $ANSWERSIM_DATA."),
    option("dictionary", Path, mixture.DICTIONARY, "Folder of the dictionary files of WordNet."),
    option(
        "preset",
        str,
        "cpu",
        "cpu, judged, student, committed: the shipped models. sts: their start. smoke: a test run of seconds.",
    ),
    option("mixture", str | None, None, "Sources and pairs per epoch, such as sts=0,dates=800. 0: all."),
    *SHARED,
    *recipe_options(HELP),
]


def main(**given: Any) -> None:
    """Train the adapter of a cross-encoder for answers. Options that are not given are those of the preset."""
    with user_errors(), progress.progress(True):
        if given["preset"] not in PRESETS:
            raise unknown("preset", given["preset"], PRESETS)
        recipe = recipe_of(PRESETS[given["preset"]], given)
        if given["mixture"] is not None:
            recipe = replace(recipe, mixture=mixture.read_mixture(given["mixture"]))
        places = mixture.Places(given["data"] or mixture.default_data(), given["dictionary"])
        how = {name: given[name] for name in ("base", "start", "resume", "test")}
        run(given["threads"], lambda: train(recipe, places, given["output"], **how))


_SIGNATURE = inspect.Signature(_OPTIONS)
main.__signature__ = _SIGNATURE  # type: ignore[attr-defined] # what typer reads
main.__annotations__ = {name: parameter.annotation for name, parameter in _SIGNATURE.parameters.items()}


if __name__ == "__main__":
    typer.run(main)
