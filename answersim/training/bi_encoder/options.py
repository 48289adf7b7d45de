"""The options of the commands that train bi-encoders: those of the command, of a ``Job``, and of a recipe."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from answersim.errors import CheckpointNotFoundError, unknown
from answersim.profiles import T_SYSTEMS
from answersim.runtime import progress
from answersim.runtime.cli_errors import user_errors
from answersim.runtime.option_groups import Later
from answersim.training.artifact import BASE
from answersim.training.bi_encoder.job import Job
from answersim.training.bi_encoder.job import run as run_job
from answersim.training.bi_encoder.recipe import HELP, PRESETS, BiEncoderRecipe
from answersim.training.data.training_input import RECORDED, TrainingInput
from answersim.training.options import command_line, listed, option, recipe_of, recipe_options

_JOB: dict[str, tuple[Any, str]] = {  # the kind of each option, and its help
    "base": (str | None, f"Base of the bi-encoder: a name or a folder. [{BASE}]"),
    "teacher": (
        str | None,
        "A metric that labels every pair whose label is not 1, or 'recorded' to keep all labels. Default: keep "
        "labels, and use sas for pairs without one.",
    ),
    "cache": (Path | None, Later("Folder of the scores of the teacher. Default: OUTPUT/teacher-labels.")),
    "resume": (bool, Later("Resume an interrupted training of the same recipe.")),
    "test": (bool, "Score the test split at the end. Do not use it while comparing recipes."),
    "regression_report": (bool, "Compare base and bi-encoder on human-labeled sets at the end."),
    "fail_on_regression": (bool, "Exit with status 3 if a subset got worse by more than chance."),
    "sets": (
        str,
        Later(
            "Sets of the regression report, separated by commas. Default: those of the paper if present, else the "
            "probes."
        ),
    ),
    "search": (int, "Search batch size, epochs and warm-up with this many trials, and do not train. Default: 0."),
    "threads": (int | None, Later("Threads of torch. Default: chosen by torch.")),
}
_PRESET = "cpu: the shipped model, in minutes. smoke: a test run of seconds. paper: all weights. [cpu]"
PAPER_HELP = f"The training of the paper: its pairs, labels and split, its base ({T_SYSTEMS}) and the preset paper."
_INPUTS = ("pairs", "table")  # options of commands that name inputs
_NOT_RECORDED = ("threads", "resume", "cache", "search")  # options that change no weights


def bi_encoder_command(output: str) -> Callable[[Callable[..., TrainingInput]], Callable[..., None]]:
    """Return a decorator that turns a function that prepares the pairs of a training into a command.

    The options of the command are those of the function, then ``--output``, ``--preset``, those of a ``Job`` and of a
    recipe. The function is called with its own options, ``seed`` and ``base``.
    """

    def decorate(prepare: Callable[..., TrainingInput]) -> Callable[..., None]:
        accepted = inspect.signature(prepare, eval_str=True).parameters.values()
        specific = [parameter for parameter in accepted if parameter.name not in ("seed", "base")]
        parameters = [*specific, *_shared_options(output)]

        def command(**given: Any) -> None:
            with user_errors(), progress.progress(True):
                settings = _resolved(given)
                recipe = _recipe(settings)
                job = _job(settings)
                if settings["paper"]:
                    _check_paper_base(job.base)
                chosen = {parameter.name: given[parameter.name] for parameter in specific}
                words = ("answersim", "train", prepare.__name__)
                status = run_job(
                    job,
                    recipe,
                    lambda: prepare(**chosen, seed=recipe.seed, base=job.base),
                    command_line(words, given, parameters, without=_NOT_RECORDED),
                    command_line(words, given, parameters, without=("search",), full_paths=True),
                )
            if status:
                sys.exit(status)

        command.__doc__, command.__name__ = prepare.__doc__, prepare.__name__
        signature = inspect.Signature(parameters)
        command.__signature__ = signature  # type: ignore[attr-defined] # what typer reads
        command.__annotations__ = {name: parameter.annotation for name, parameter in signature.parameters.items()}
        return command

    return decorate


def _resolved(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options with the base, preset and teacher that hold if they are not given.

    Raise ValueError if the training of the paper is requested with another preset.
    """
    paper = given.get("paper", False)
    if paper and given["preset"] not in (None, "paper"):
        raise ValueError(
            f"--paper has a preset of its own, but --preset is {given['preset']}; leave one of them out, and change "
            "single settings by their options"
        )
    usual = {
        "preset": "paper" if paper else "cpu",
        "base": T_SYSTEMS if paper else BASE,
        "teacher": RECORDED if paper else None,
    }
    return {**given, "paper": paper, **{name: given[name] or value for name, value in usual.items()}}


def _check_paper_base(base: str) -> None:
    """Raise a CheckpointNotFoundError with the remedies if the weights of the paper are not on this machine."""
    from answersim.checkpoints import search

    try:
        search.find(base)
    except CheckpointNotFoundError as error:
        raise CheckpointNotFoundError(
            f"--paper trains {base}, which is not on this machine: download this model (config.json, its weights and "
            "tokenizer, modules.json and 1_Pooling/config.json; about 1.1 GB), or train another base in the same way "
            f"with --base, such as --base {BASE}. {error}"
        ) from None


def _recipe(given: Mapping[str, Any]) -> BiEncoderRecipe:
    if given["preset"] not in PRESETS:
        raise unknown("preset", given["preset"], PRESETS)
    return recipe_of(PRESETS[given["preset"]], given)


def _job(given: Mapping[str, Any]) -> Job:
    settings = {name: given[name] for name in _JOB}
    inputs = {name: given[name] for name in _INPUTS if name in given}
    return Job(**settings | {"output": given["output"], "sets": listed(given["sets"]), "inputs": inputs})


def _shared_options(output: str) -> list[inspect.Parameter]:
    defaults = {setting.name: setting.default for setting in fields(Job)} | {"sets": "", "base": None}
    return [
        option("output", Path, Path(output), "Folder for the training checkpoint, the bi-encoder and the report."),
        option("preset", str | None, None, _PRESET),
        *(option(name, kind, defaults[name], text) for name, (kind, text) in _JOB.items()),
        *recipe_options(HELP),
    ]
