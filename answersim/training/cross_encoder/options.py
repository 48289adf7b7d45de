"""The command that trains a cross-encoder on a file of pairs: its options, and every setting of a recipe."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from answersim._base.errors import unknown
from answersim._base.runtime import progress
from answersim._base.runtime.cli_errors import user_errors
from answersim.metrics.catalog import lookup
from answersim.training.cross_encoder.inputs import Inputs, from_pairs
from answersim.training.cross_encoder.recipe import PRESETS, CrossEncoderRecipe
from answersim.training.cross_encoder.train import PURPOSE, train
from answersim.training.run import artifact, training_input
from answersim.training.run.artifact import BASE, MODULES
from answersim.training.run.options import LABELS, RESUME, command_line, option, recipe_of, recipe_options, take
from answersim.training.run.output import check_folder
from answersim.training.run.training_input import RECORDED

OUTPUT = Path("runs/cross-encoder")
_PRESET = (
    "cpu: from a base. further: from an adapter, by smaller steps. smoke: a test run of seconds. Default: further with "
    "--start, else cpu."
)
_NOT_RECORDED = ("resume", "cache")  # options that change no weights
_OPTIONS = [
    option(
        "pairs",
        Path,
        inspect.Parameter.empty,
        "A CSV or TSV file with the columns first, second, label (0 to 1) and optionally split, source, question.",
    ),
    option("keep_split", bool, False, "Keep the split of the file. Default: a new split, by entity."),
    option("preset", str | None, None, _PRESET),
    *LABELS,
    option("output", Path, OUTPUT, "Folder for the training checkpoint and the finished adapter."),
    option("start", Path | None, None, "Folder of an adapter to start from."),
    option("base", str, BASE, "The base: a name or a folder."),
    RESUME,
    option("test", bool, True, "Score test at the end. Do not use it while comparing recipes."),
    *recipe_options(CrossEncoderRecipe),
]


def main(**arguments: Any) -> None:
    """Train a cross-encoder on a file of pairs. It reads both texts at once, and their question if there is one."""
    with user_errors(), progress.progress(True):
        preset = arguments["preset"] or ("cpu" if arguments["start"] is None else "further")
        if preset not in PRESETS:
            raise unknown("preset", preset, PRESETS)
        recipe = recipe_of(PRESETS[preset], arguments)
        if arguments["teacher"] not in (None, RECORDED):
            lookup.options_of(arguments["teacher"])
        check_folder(arguments["cache"] or arguments["output"])
        line = command_line(("answersim", "train", "cross-encoder"), arguments, _OPTIONS, without=_NOT_RECORDED)
        run(
            lambda: train(
                recipe,
                lambda: _inputs(recipe, arguments, line),
                arguments["output"],
                reads={"pairs": arguments["pairs"], "cache": arguments["cache"]},
                **{name: arguments[name] for name in ("base", "start", "resume", "test")},
            )
        )


def run(training: Callable[[], Path]) -> None:
    """Run a training, and print the folder of the result."""
    artifact.need_libraries(PURPOSE, MODULES)
    with artifact.interruptible():
        folder = training()
    typer.echo(f"written: {folder}")


def _inputs(recipe: CrossEncoderRecipe, arguments: dict[str, Any], line: str) -> Inputs:
    read = training_input.from_file(arguments["pairs"], recipe, keep_split=arguments["keep_split"])
    given_share = any(text.startswith("questions=") for text in arguments["option"] or ()) and recipe.questions
    if given_share and not any(pair.question for pair in read.pairs):
        raise ValueError(
            f"questions is {recipe.questions}, but no pair of {arguments['pairs']} has a question; leave it out, or "
            "add a column 'question'"
        )
    labeled = training_input.labeled(read, arguments)
    return from_pairs(labeled.pairs, {"command": line, **labeled.metadata})


take(main, _OPTIONS)
