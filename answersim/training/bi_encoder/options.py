"""The options of the commands that train students: of each command, of a ``Job``, and of every setting of a recipe."""

from __future__ import annotations

import inspect
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from answersim import progress
from answersim.cli_errors import user_errors
from answersim.errors import unknown
from answersim.training.bi_encoder.job import Job
from answersim.training.bi_encoder.job import run as run_job
from answersim.training.bi_encoder.recipe import PRESETS, StudentRecipe
from answersim.training.bi_encoder.training_pairs import Prepared

_JOB: dict[str, tuple[Any, str]] = {  # the kind of each option, and its help
    "base": (str, "What the student starts from: a name or a folder."),
    "teacher": (
        str | None,
        "A metric that labels every pair whose label is not 1; 'recorded': labels as they are. [as they are; sas where "
        "there is none]",
    ),
    "cache": (Path | None, "Folder of the teacher's scores. [OUTPUT/silver]"),
    "resume": (bool, "Go on with an interrupted run of the same recipe."),
    "test": (bool, "Score the test split at the end; not while comparing recipes."),
    "guard": (bool, "Compare base and student on human-labeled sets at the end."),
    "gate": (bool, "Exit with status 3 where a subset got worse by more than chance."),
    "sets": (str, "The guard's sets, with commas. [the paper's where they are, else the probes]"),
    "search": (int, "Search batch size, epochs and warm-up with so many trials, and do not train. [0]"),
    "threads": (int | None, "Threads of torch. [its own choice]"),
}
_RECIPE = {
    "loss": "cosine (the paper's), cosent or angle.",
    "method": "lora (an adapter of a few megabytes) or full (all weights).",
    "seed": "All that is random follows from it.",
    "epochs": "Passes over the training pairs.",
    "batch_size": "Pairs a step, of each process.",
    "warm_up": "Share of the steps in which the rate rises.",
    "learning_rate": "Peak rate; 0 for the method's own.",
    "decay": "AdamW's weight decay.",
    "rank": "Rank of LoRA's matrices.",
    "alpha": "Their product is multiplied by alpha / rank.",
    "dropout": "Share of the base's states that is dropped.",
    "lora_dropout": "Share of LoRA's inputs that is dropped.",
    "max_length": "Tokens a text in training.",
    "precision": "bf16 or fp32, of training.",
    "symmetric": "Train on every pair in both orders.",
    "measure": "What dev chooses by: pearson or spearman.",
    "evaluate_every": "Steps between passes over dev; 0: an epoch.",
    "snapshot_every": "Steps between training_checkpoints: the most that a kill loses.",
    "patience": "Stop after so many passes over dev without a better one; 0: never.",
    "limit": "Only so many pairs of each split, evenly spread; 0: all.",
}
_PRESET = "cpu: what ships, minutes. smoke: seconds, of no use. paper: all weights."
_INPUTS = ("pairs", "table")  # options of commands that name what is read
_NOT_TOLD = ("threads", "resume", "cache", "search")  # what changes no weights, or belongs to one sitting


def student(output: str) -> Callable[[Callable[..., Prepared]], Callable[..., None]]:
    """A command that trains a student, on the pairs that the decorated function prepares.

    Its options are the function's own, then ``--output``, ``--preset``, those of a ``Job`` and of a recipe. The
    function is called with its own options, ``seed`` and ``base``.

    Args:
        output: The default of ``--output``.
    """

    def decorate(prepare: Callable[..., Prepared]) -> Callable[..., None]:
        given_to_it = inspect.signature(prepare, eval_str=True).parameters.values()
        own = [each for each in given_to_it if each.name not in ("seed", "base")]
        parameters = [*own, *_shared_options(output)]

        def command(**given: Any) -> None:
            with user_errors(), progress.progress(True):
                recipe = _recipe(given)
                job = _job(given)
                chosen = {each.name: given[each.name] for each in own}
                status = run_job(
                    job,
                    recipe,
                    lambda: prepare(**chosen, seed=recipe.seed, base=job.base),
                    command_line(prepare.__name__, given, parameters),
                    command_line(prepare.__name__, given, parameters, whole=True),
                )
            if status:
                sys.exit(status)

        command.__doc__, command.__name__ = prepare.__doc__, prepare.__name__
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # what typer reads
        command.__annotations__ = {each.name: each.annotation for each in parameters}
        return command

    return decorate


def command_line(
    name: str, given: Mapping[str, Any], parameters: Sequence[inspect.Parameter], *, whole: bool = False
) -> str:
    """The command that was given, as others can give it: of an absolute path, its last part alone, unless ``whole``."""
    words = ["answersim", "train", name]
    for each in parameters:
        value, option = given[each.name], each.name.replace("_", "-")
        if value == each.default or each.name in (("search",) if whole else _NOT_TOLD):
            continue
        if isinstance(value, bool):
            words.append(f"--{option}" if value else f"--no-{option}")
        else:
            short = Path(str(value)).is_absolute() and not whole
            words += [f"--{option}", Path(value).name if short else str(value)]
    return shlex.join(words)


def listed(text: str | None) -> tuple[str, ...]:
    """The values between commas.

    >>> listed("initials, inverted"), listed(None)
    (('initials', 'inverted'), ())
    """
    return tuple(each.strip() for each in (text or "").split(",") if each.strip())


def _recipe(given: Mapping[str, Any]) -> StudentRecipe:
    if given["preset"] not in PRESETS:
        raise unknown("preset", given["preset"], PRESETS)
    return replace(PRESETS[given["preset"]], **{name: given[name] for name in _RECIPE if given[name] is not None})


def _job(given: Mapping[str, Any]) -> Job:
    told = {name: given[name] for name in _JOB}
    inputs = {name: given[name] for name in _INPUTS if name in given}
    return Job(**told | {"output": given["output"], "sets": listed(given["sets"]), "inputs": inputs})


def _shared_options(output: str) -> list[inspect.Parameter]:
    defaults = {each.name: each.default for each in fields(Job)} | {"sets": ""}
    kinds = {each.name: type(each.default) for each in fields(StudentRecipe)}
    return [
        _option("output", Path, Path(output), "Folder for the snapshot, the student and the report."),
        _option("preset", str, "cpu", _PRESET),
        *(_option(name, kind, defaults[name], text) for name, (kind, text) in _JOB.items()),
        *(_option(name, kinds[name] | None, None, text) for name, text in _RECIPE.items()),
    ]


def _option(name: str, kind: Any, default: Any, text: str) -> inspect.Parameter:
    annotation = Annotated[kind, typer.Option(help=text, show_default=bool(default))]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
