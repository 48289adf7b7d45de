"""The command that trains a bi-encoder on pairs of names: labels, training or search, comparison."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from answersim._base.errors import CheckpointNotFoundError, MissingExtraError, unknown
from answersim._base.runtime import progress, training_checkpoints
from answersim._base.runtime.cli_errors import user_errors
from answersim.metrics.catalog import lookup
from answersim.metrics.checkpoints import search
from answersim.metrics.checkpoints.profiles import T_SYSTEMS
from answersim.metrics.neural.transformer import layers
from answersim.training import regression
from answersim.training.bi_encoder import model as bi_encoder_model
from answersim.training.bi_encoder import train as bi_encoder
from answersim.training.bi_encoder.recipe import PRESETS, BiEncoderRecipe
from answersim.training.bi_encoder.search import search as search_settings
from answersim.training.run import artifact, output, training_input
from answersim.training.run.artifact import BASE
from answersim.training.run.options import LABELS, RESUME, command_line, option, recipe_of, recipe_options, take
from answersim.training.run.training_input import RECORDED, TrainingInput


def run(
    settings: Mapping[str, Any], recipe: BiEncoderRecipe, prepare: Callable[[], TrainingInput], line: str, typed: str
) -> None:
    """Prepare, label, train or search, and compare. ``typed``: the command line as the user gave it, to be shown."""
    _check(settings, recipe)
    folder = settings["output"]
    with artifact.interruptible(), training_checkpoints.alone(folder):
        pairs, metadata = training_input.labeled(prepare(), settings)
        place: dict[str, Any] = {"base": settings["base"], "resume": settings["resume"]}
        if settings["search"]:
            tuned, value, table = search_settings(recipe, pairs, folder / "search", settings["search"], **place)
            artifact.log(f"trials: {table}\nbest on dev, {recipe.measure} {value:.4f}:")
            best = (f"--option {name}={getattr(tuned, name)!r}" for name in ("batch_size", "epochs", "warmup_ratio"))
            artifact.log(f"{typed} {' '.join(best)}")
            return
        trained = bi_encoder.train(
            recipe, pairs, folder, metadata={"command": line, **metadata}, test=settings["test"], **place
        )
        assert trained.folder is not None  # it was written
        artifact.log(f"written: {trained.folder} ({trained.pairs_per_second:.0f} pairs per second)")
        reports = settings["regression_report"]
        if reports or (reports is None and settings["preset"] != "smoke"):  # smoke shows that a training runs
            _compare(settings, recipe, trained.folder)


def _check(settings: Mapping[str, Any], recipe: BiEncoderRecipe) -> None:
    """Raise the errors before the training that would otherwise come after it."""
    for module in bi_encoder.MODULES:  # located and not loaded, which takes seconds
        if find_spec(module) is None:
            raise MissingExtraError("training a bi-encoder", "train", module)
    if settings["search"] < 0:
        raise ValueError(f"--search is {settings['search']}, but it must be a number of trials, or 0 to train")
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise ValueError("a training runs in one process, but torchrun started several; run the command without it")
    if settings["teacher"] not in (None, RECORDED):
        lookup.options_of(settings["teacher"])
    output.check_folder(settings["cache"] or settings["output"])
    base = Path(settings["base"]) if Path(settings["base"]).is_dir() else None
    inputs = {"base": base, "cache": settings["cache"], "pairs": settings["pairs"]}
    output.check(settings["output"], bi_encoder_model.FOLDERS[recipe.method], inputs)
    search.find(settings["base"])


def _compare(settings: Mapping[str, Any], recipe: BiEncoderRecipe, folder: Path) -> None:
    """Compare base and bi-encoder on human-labeled sets, and write report.md and report.json."""
    log = artifact.log
    log(f"comparing base and bi-encoder on {', '.join(regression.default_sets())}")
    report = regression.examine(_trials(settings["base"], recipe.method, folder))
    for name, text in (("report.md", report.to_markdown()), ("report.json", report.to_json())):
        (settings["output"] / name).write_text(text, encoding="utf-8")
    log(report.to_markdown())
    n_better, n_worse = len(report.of_verdict("better")), len(report.of_verdict("worse"))
    log(f"better: {n_better}, worse: {n_worse}; report: {settings['output'] / 'report.md'}")


def _trials(base: str, method: str, folder: Path) -> list[regression.Trial]:
    """Return the bi-encoder and BERTScore on the last layer, on the base and on the trained bi-encoder."""
    layer: dict[str, Any] = {"layer": layers(search.find(base).folder)}
    after: dict[str, Any] = {"model": base, "adapter": folder} if method == "lora" else {"model": folder}
    metrics = (("bi-encoder", "bi-encoder", dict[str, Any]()), ("bertscore", "bertscore-trained", layer))
    return [
        regression.Trial(
            name, lookup.metric(metric, model=base, **settings), lookup.metric(metric, **after, **settings)
        )
        for name, metric, settings in metrics
    ]


_PRESET = "cpu: the shipped model, in minutes. smoke: a test run of seconds. paper: all weights. [cpu]"
PAPER_HELP = f"The training of the paper: its pairs, labels and split, its base ({T_SYSTEMS}) and the preset paper."
_NOT_RECORDED = ("resume", "cache", "search")  # options that change no weights


def main(**arguments: Any) -> None:
    """Train a bi-encoder on pairs of names.

    They are those that the paper recorded, or in a file.
    """
    with user_errors(), progress.progress(True):
        settings = _resolved(arguments)
        if settings["preset"] not in PRESETS:
            raise unknown("preset", settings["preset"], PRESETS)
        recipe = recipe_of(PRESETS[settings["preset"]], settings)
        if settings["paper"]:
            _check_paper_base(settings["base"])
        words = ("answersim", "train", "names")
        run(
            settings,
            recipe,
            lambda: training_input.from_file(
                arguments["pairs"] or training_input.default_file(),
                recipe,
                keep_split=arguments["keep_split"] or settings["paper"],
            ),
            command_line(words, arguments, _OPTIONS, without=_NOT_RECORDED),
            command_line(words, arguments, _OPTIONS, without=("search",), full_paths=True),
        )


def _resolved(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options with the base, preset and teacher that hold if they are not given."""
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
    try:
        search.find(base)
    except CheckpointNotFoundError as error:
        raise CheckpointNotFoundError(
            f"--paper trains {base}, which is not on this machine: download this model (config.json, its weights and "
            "tokenizer, modules.json and 1_Pooling/config.json; about 1.1 GB), or train another base in the same way "
            f"with --base, such as --base {BASE}. {error}"
        ) from None


_OPTIONS = [
    option("paper", bool, False, PAPER_HELP),
    option("pairs", Path | None, None, "A file of pairs. Default: $ANSWERSIM_DATA/names/name_pairs_score_split.csv."),
    option("keep_split", bool, False, "Keep the split of the file, in which names may occur in two splits."),
    option("output", Path, Path("runs/names"), "Folder for the training checkpoint, the bi-encoder and the report."),
    option("preset", str | None, None, _PRESET),
    option("base", str | None, None, f"Base of the bi-encoder: a name or a folder. [{BASE}]"),
    *LABELS,
    RESUME,
    option("test", bool, True, "Score the test split at the end. Do not use it while comparing recipes."),
    option(
        "regression_report",
        bool | None,
        None,
        "Compare base and bi-encoder on human-labeled sets at the end. Default: yes, but not for the preset smoke.",
    ),
    option(
        "search", int, 0, "Search batch size, epochs and warm-up with this many trials, and do not train. Default: 0."
    ),
    *recipe_options(BiEncoderRecipe),
]
take(main, _OPTIONS)
