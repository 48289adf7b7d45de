"""The command that trains a cross-encoder: its options, and every setting of a recipe."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from answersim.errors import unknown
from answersim.runtime import progress
from answersim.runtime.cli_errors import user_errors
from answersim.training import artifact
from answersim.training.cross_encoder.recipe import HELP, PRESETS, CrossEncoderRecipe
from answersim.training.cross_encoder.train import BASE, MODULES, PURPOSE, train
from answersim.training.data import mixture
from answersim.training.options import deprecated_options, option, recipe_options, translate
from answersim.training.recipe import OLD_NAMES

OUTPUT = Path("runs/cross-encoder")
INTERRUPTED = 130  # exit status
_MIXTURE = "Sources and pairs per epoch, such as sts=0,dates=800. 0: all."

_OPTIONS = [
    option("data", Path | None, None, "Folder of stsb/, judged/ and the other sets. Default: $ANSWERSIM_DATA."),
    option("dictionary", Path, mixture.DICTIONARY, "Folder of the dictionary files of WordNet."),
    option("output", Path, OUTPUT, "Folder for the training checkpoint and the finished adapter."),
    option(
        "preset",
        str,
        "cpu",
        "cpu, judged, student: the shipped models. sts: their start. smoke: a test run of seconds.",
    ),
    option("start", Path | None, None, "Folder of an adapter to start from."),
    option("base", str, BASE, "The base: a name or a folder."),
    option("resume", bool, True, "Resume an interrupted training of the same recipe."),
    option("test", bool, True, "Score test at the end. Do not use it while comparing recipes."),
    option("threads", int | None, None, "Threads of torch. Default: chosen by torch."),
    option("mixture", str | None, None, _MIXTURE),
    *recipe_options(CrossEncoderRecipe, HELP),
]


def main(**given: Any) -> None:
    """Train the adapter of a cross-encoder for answers. Options that are not given are those of the preset."""
    with user_errors(), progress.progress(True):
        translate(given)
        settings = {name: given[name] for name in HELP if given[name] is not None}
        if given["mixture"] is not None:
            settings["mixture"] = mixture.read_mixture(given["mixture"])
        if given["preset"] not in PRESETS:
            raise unknown("preset", given["preset"], PRESETS)
        recipe = replace(PRESETS[given["preset"]], **settings)
        artifact.check_threads(given["threads"])
        artifact.need_libraries(PURPOSE, MODULES)
        if given["threads"] is not None:
            import torch

            torch.set_num_threads(given["threads"])
        places = mixture.Places(given["data"] or mixture.default_data(), given["dictionary"])
        how = {name: given[name] for name in ("base", "start", "resume", "test")}
        try:
            folder = train(recipe, places, given["output"], **how)
        except KeyboardInterrupt:
            artifact.log("interrupted; the same command resumes the training")
            raise typer.Exit(INTERRUPTED) from None
    typer.echo(f"written: {folder}")


_SIGNATURE = inspect.Signature([*_OPTIONS, *deprecated_options(_OPTIONS, OLD_NAMES)])
main.__signature__ = _SIGNATURE  # type: ignore[attr-defined] # what typer reads
main.__annotations__ = {name: parameter.annotation for name, parameter in _SIGNATURE.parameters.items()}


if __name__ == "__main__":
    typer.run(main)
