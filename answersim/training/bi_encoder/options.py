"""The command that trains a bi-encoder on pairs of names: its options, a ``Job``, and the settings of a recipe."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from answersim._base.errors import CheckpointNotFoundError, unknown
from answersim._base.runtime import progress
from answersim._base.runtime.cli_errors import user_errors
from answersim.metrics.checkpoints.profiles import T_SYSTEMS
from answersim.training.bi_encoder.job import Job
from answersim.training.bi_encoder.job import run as run_job
from answersim.training.bi_encoder.recipe import PRESETS, BiEncoderRecipe
from answersim.training.data import training_input
from answersim.training.data.training_input import RECORDED
from answersim.training.run.artifact import BASE
from answersim.training.run.options import LABELS, RESUME, command_line, option, recipe_of, recipe_options, take

_PRESET = "cpu: the shipped model, in minutes. smoke: a test run of seconds. paper: all weights. [cpu]"
PAPER_HELP = f"The training of the paper: its pairs, labels and split, its base ({T_SYSTEMS}) and the preset paper."
_NOT_RECORDED = ("resume", "cache", "search")  # options that change no weights


def main(**arguments: Any) -> None:
    """Train a bi-encoder on pairs of names.

    They are those that the paper recorded, or in a file.
    """
    with user_errors(), progress.progress(True):
        settings = _resolved(arguments)
        recipe, job = _recipe(settings), _job(settings)
        if settings["paper"]:
            _check_paper_base(job.base)
        words = ("answersim", "train", "names")
        status = run_job(
            job,
            recipe,
            lambda: training_input.from_file(
                arguments["pairs"] or training_input.default_file(),
                recipe.seed,
                keep_split=arguments["keep_split"] or settings["paper"],
            ),
            command_line(words, arguments, _OPTIONS, without=_NOT_RECORDED),
            command_line(words, arguments, _OPTIONS, without=("search",), full_paths=True),
        )
    if status:
        sys.exit(status)


def _resolved(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options with the base, preset and teacher that hold if they are not given.

    Raise ValueError if the training of the paper is requested with another preset.
    """
    paper = arguments.get("paper", False)
    if paper and arguments["preset"] not in (None, "paper"):
        raise ValueError(
            f"--paper has a preset of its own, but --preset is {arguments['preset']}; leave one of them out, and "
            "change single settings by their options"
        )
    usual = {
        "preset": "paper" if paper else "cpu",
        "base": T_SYSTEMS if paper else BASE,
        "teacher": RECORDED if paper else None,
    }
    return {**arguments, "paper": paper, **{name: arguments[name] or value for name, value in usual.items()}}


def _check_paper_base(base: str) -> None:
    """Raise a CheckpointNotFoundError with the remedies if the weights of the paper are not on this machine."""
    from answersim.metrics.checkpoints import search

    try:
        search.find(base)
    except CheckpointNotFoundError as error:
        raise CheckpointNotFoundError(
            f"--paper trains {base}, which is not on this machine: download this model (config.json, its weights and "
            "tokenizer, modules.json and 1_Pooling/config.json; about 1.1 GB), or train another base in the same way "
            f"with --base, such as --base {BASE}. {error}"
        ) from None


def _recipe(arguments: Mapping[str, Any]) -> BiEncoderRecipe:
    if arguments["preset"] not in PRESETS:
        raise unknown("preset", arguments["preset"], PRESETS)
    return recipe_of(PRESETS[arguments["preset"]], arguments)


def _job(arguments: Mapping[str, Any]) -> Job:
    settings = {parameter.name: arguments[parameter.name] for parameter in _OF_JOB}
    more = {"output": arguments["output"], "inputs": {"pairs": arguments["pairs"]}}
    return Job(**settings | more)


_OF_JOB = [
    option("base", str | None, None, f"Base of the bi-encoder: a name or a folder. [{BASE}]"),
    *LABELS,
    RESUME,
    option("test", bool, True, "Score the test split at the end. Do not use it while comparing recipes."),
    option("regression_report", bool, True, "Compare base and bi-encoder on human-labeled sets at the end."),
    option(
        "search", int, 0, "Search batch size, epochs and warm-up with this many trials, and do not train. Default: 0."
    ),
]
_OPTIONS = [
    option("paper", bool, False, PAPER_HELP),
    option("pairs", Path | None, None, "A file of pairs. Default: $ANSWERSIM_DATA/names/name_pairs_score_split.csv."),
    option("keep_split", bool, False, "Keep the split of the file, in which names may occur in two splits."),
    option("output", Path, Path("runs/names"), "Folder for the training checkpoint, the bi-encoder and the report."),
    option("preset", str | None, None, _PRESET),
    *_OF_JOB,
    *recipe_options(BiEncoderRecipe),
]
take(main, _OPTIONS)
