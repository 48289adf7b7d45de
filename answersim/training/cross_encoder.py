"""Train the adapter behind the embedded ``sas`` metric: a cross-encoder made of MiniLM, on STS-B.

    python -m answersim.training.cross_encoder

The model is a BertForSequenceClassification over all-MiniLM-L6-v2 with one logit, whose sigmoid is the score / 5. What
is trained: LoRA on all linear layers, and whole the classifier, the pooler and the token-type embeddings, which this
base never used. Of the passes over dev the best one by Pearson is kept. Test is scored at the end, in fp32 and from
the files as written; while recipes are compared, ``--no-test`` keeps it unseen.

The loop (in ``run``) is written by hand, above peft. transformers' Trainer resumes from pickled optimizer and random
states and fixes neither the order of the pairs nor the dropout of a step; here a run that was killed and resumed ends
with the very weights of one that was not, and its snapshot is one safetensors file.
"""

from __future__ import annotations

import json
import os
import platform
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from answersim import checkpoints, progress
from answersim.errors import MissingExtraError, unknown
from answersim.neural import adapter
from answersim.training import pair_model, snapshots, sts
from answersim.training.recipe import PRESETS, Recipe, command
from answersim.training.run import Run, agreement
from answersim.types import FloatArray

BASE = "sentence-transformers/all-MiniLM-L6-v2"
OUTPUT = Path("runs/sas-minilm")
SNAPSHOT, ADAPTER = "snapshot.safetensors", "adapter"
LIBRARIES = ("torch", "transformers", "peft", "safetensors", "tokenizers", "numpy")


class Data(NamedTuple):
    """The three splits, how many training pairs were left out as known from dev or test, and each file's SHA-256."""

    train: list[sts.ScoredPair]
    dev: list[sts.ScoredPair]
    test: list[sts.ScoredPair]
    removed: int
    sha256: dict[str, str]


def load_data(folder: Path, recipe: Recipe) -> Data:
    """The splits of the recipe's languages, without training pairs that occur in any dev or test file read.

    Raises:
        FileNotFoundError: The folder or one of its files is missing.
        ValueError: A file is empty, one of its rows is wrong, or no training pair is left.
    """
    if not folder.is_dir():
        raise FileNotFoundError(
            f"no data folder at {folder}; name the folder of STS-B's CSV files with --data, or set $ANSWERSIM_DATA"
        )
    paths = {split: [sts.csv_path(folder, each, split) for each in recipe.languages] for split in sts.SPLITS}
    read = {split: [sts.read_csv(path) for path in files] for split, files in paths.items()}
    train, dev, test = (
        [pair for pairs in read[split] for pair in pairs[: recipe.limit or None]] for split in sts.SPLITS
    )
    kept = sts.without_overlap(train, *read["dev"], *read["test"])
    if not kept:
        raise ValueError(f"{folder}: every training pair is in dev or test too, so that none is left to train on")
    sums = {path.name: checkpoints.sha256(path) for files in paths.values() for path in files}
    return Data(kept, dev, test, len(train) - len(kept), sums)


def train(
    recipe: Recipe, data_folder: Path, output: Path, *, base: str = BASE, resume: bool = True, test: bool = True
) -> Path:
    """The folder of the finished adapter, ``<output>/adapter``, in peft's format with its recipe.json.

    A run that was interrupted goes on from ``<output>/snapshot.safetensors``; one that was finished only writes its
    adapter anew. Without ``test`` the test split is not scored, only kept out of training. Equal recipe, data, base,
    machine and number of threads give equal weights, resumed or not.

    Raises:
        FileNotFoundError: A file of the data, or the base's model.safetensors, is missing.
        ValueError: A file of the data is not what it should be, or the snapshot is of another run.
        CheckpointNotFoundError, ChecksumError: The base is not there, or not the pinned one.
        MissingExtraError: A library of the extra ``train`` is not installed.
    """
    _need_libraries()
    data = load_data(data_folder, recipe)
    found = checkpoints.find(base)
    weights = found.folder / "model.safetensors"
    if not weights.is_file():
        raise FileNotFoundError(f"the base {base!r} has no model.safetensors in {found.folder}")
    identity = {
        "recipe": json.loads(json.dumps(asdict(recipe))),  # as it comes back from a snapshot
        "data": data.sha256,
        # The name of a folder, not its path: the recipe travels to other machines.
        "base": {"name": base if base == BASE else found.folder.name, "sha256": checkpoints.sha256(weights)},
    }
    path = output / SNAPSHOT
    snapshot = snapshots.load(path) if resume else None
    if snapshot:
        _check_same_run(snapshot.facts, identity, path)
    import torch

    with _quiet_libraries(), torch.random.fork_rng(devices=[]):
        _say(f"{len(data.train)} training pairs ({data.removed} more are in dev or test), {len(data.dev)} dev pairs")
        run = Run(recipe, found.folder, data.train, data.dev)
        if snapshot:
            run.restore(snapshot)
            _say(f"resumed after step {run.step} of {run.steps}")

        def save() -> None:
            tensors, facts = run.snapshot()
            snapshots.save(path, tensors, identity | facts)

        run.finish(save, _say)
        held_out = {"dev": data.dev} | ({"test": data.test} if test else {})
        return _write(run, data, held_out, identity, found.folder, output / ADAPTER)


def predict(base: Path, folder: Path, pairs: Sequence[sts.ScoredPair], max_length: int) -> FloatArray:
    """Scores from 0 to 1, shape (n,), by the base in one folder and the adapter in another, in fp32."""
    model = adapter.merge(pair_model.build(base), folder)
    return pair_model.predict(model, pair_model.tokenize(base, *sts.sides(pairs), max_length))


def _write(
    run: Run,
    data: Data,
    held_out: dict[str, list[sts.ScoredPair]],
    identity: dict[str, Any],
    base: Path,
    folder: Path,
) -> Path:
    """Put the adapter down, score what was put down, and pin its files in recipe.json, which comes last."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / adapter.RECIPE).unlink(missing_ok=True)  # it would pin the files of an earlier run
    _write_adapter(run.model, identity["base"]["name"], folder)
    results = {}
    for split, pairs in held_out.items():
        scores = predict(base, folder, pairs, run.recipe.max_length)
        results[split] = _result(scores, np.array([pair.score for pair in pairs]))
        low, high = results[split]["pearson_95"]
        _say(
            f"{split} as written, fp32: Pearson {results[split]['pearson']:.4f} [{low:.4f}, {high:.4f}], "
            f"Spearman {results[split]['spearman']:.4f}"
        )
    story = {
        "command": command(run.recipe),
        **identity,
        "pairs": {"train": len(data.train), "removed": data.removed, "dev": len(data.dev), "test": len(data.test)},
        "dev_by_step": [{key: round(value, 4) for key, value in each.items()} for each in run.evaluations],
        "results": results,
        "seconds": round(run.seconds),
        "machine": _machine(),
        "versions": {"python": platform.python_version()} | {name: version(name) for name in LIBRARIES},
        "sha256": {name: checkpoints.sha256(folder / name) for name in (adapter.CONFIG, adapter.WEIGHTS)},
    }
    fresh = folder / f"{adapter.RECIPE}.new"
    fresh.write_text(json.dumps(story, indent=2) + "\n", encoding="utf-8")
    os.replace(fresh, folder / adapter.RECIPE)
    return folder


def _write_adapter(model: Any, base_name: str, folder: Path) -> None:
    """Peft's own two files, with fp16 tensors; not its model card, and no path of this machine."""
    import torch
    from peft import get_peft_model_state_dict
    from safetensors.torch import save

    tensors = sorted(get_peft_model_state_dict(model).items())
    half = {name: tensor.detach().to(torch.float16).contiguous() for name, tensor in tensors}
    # Not save_file, whose files only their owner may read: a package made of this folder would keep that.
    (folder / adapter.WEIGHTS).write_bytes(save(half, metadata={"format": "pt"}))
    config = replace(model.peft_config["default"], inference_mode=True, base_model_name_or_path=base_name).to_dict()
    # peft keeps these names as sets, whose order changes from one process to the next.
    config |= {key: sorted(set(config[key])) for key in ("target_modules", "modules_to_save")}
    (folder / adapter.CONFIG).write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def _result(scores: FloatArray, labels: FloatArray, resamples: int = 2000) -> dict[str, Any]:
    """Both coefficients, with 95 % percentile bootstrap intervals over pairs."""
    draws = np.random.default_rng(0).integers(len(labels), size=(resamples, len(labels)))
    ends = np.quantile(agreement(scores[draws], labels[draws]), [0.025, 0.975], axis=1)  # (2 ends, 2 coefficients)
    values = {name: round(float(value), 4) for name, value in agreement(scores, labels)._asdict().items()}
    return values | {f"{name}_95": ends[:, i].round(4).tolist() for i, name in enumerate(values)}


def _machine() -> dict[str, Any]:
    import torch

    return {
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "architecture": platform.machine(),
        "vectors": torch.backends.cpu.get_cpu_capability(),
    }


def _check_same_run(facts: dict[str, Any], identity: dict[str, Any], path: Path) -> None:
    for part, wanted in identity.items():
        found = facts.get(part, {})
        for key in sorted(wanted.keys() | found.keys()):
            if found.get(key) != wanted.get(key):
                raise ValueError(
                    f"{path} is of a run with another {part}: {key} was {found.get(key)!r} and is {wanted.get(key)!r} "
                    "now; start anew with --no-resume, or choose another --output"
                )


def _need_libraries() -> None:
    for name in ("torch", "transformers", "safetensors", "peft"):
        try:
            __import__(name)
        except ImportError as error:
            raise MissingExtraError("training a cross-encoder", "train", name) from error


@contextmanager
def _quiet_libraries() -> Iterator[None]:
    """Without the report that the classifier is new, which is the point here, bars for loading, and one warning."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            # peft 0.21 asks transformers 5 for a property by its former name.
            warnings.filterwarnings("ignore", "`is_gradient_checkpointing`", FutureWarning)
            yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _say(line: str) -> None:
    from tqdm import tqdm

    tqdm.write(line)  # as print, but above a bar


def main(
    data: Annotated[Path | None, typer.Option(help="Folder of STS-B's CSV files. [$ANSWERSIM_DATA/stsb]")] = None,
    output: Annotated[Path, typer.Option(help="Folder for the snapshot and the finished adapter.")] = OUTPUT,
    preset: Annotated[str, typer.Option(help="cpu: what ships. smoke: seconds, of no use.")] = "cpu",
    base: Annotated[str, typer.Option(help="The base: a name or a folder.")] = BASE,
    resume: Annotated[bool, typer.Option(help="Go on with an interrupted run of the same recipe.")] = True,
    test: Annotated[bool, typer.Option(help="Score test at the end; not while comparing recipes.")] = True,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads of torch. [its own choice]")] = None,
    languages: Annotated[str | None, typer.Option(help="Which files are read, such as en or en,de.")] = None,
    seed: Annotated[int | None, typer.Option(help="All that is random follows from it.")] = None,
    epochs: Annotated[int | None, typer.Option(help="Passes over the training pairs.")] = None,
    batch_size: Annotated[int | None, typer.Option(help="Pairs a step.")] = None,
    learning_rate: Annotated[float | None, typer.Option(help="Peak rate of LoRA and token types.")] = None,
    head_rate: Annotated[float | None, typer.Option(help="Peak rate of pooler and classifier.")] = None,
    warm_up: Annotated[float | None, typer.Option(help="Share of the steps in which the rate rises.")] = None,
    decay: Annotated[float | None, typer.Option(help="AdamW's weight decay.")] = None,
    rank: Annotated[int | None, typer.Option(help="Rank of LoRA's matrices.")] = None,
    alpha: Annotated[float | None, typer.Option(help="Their product is multiplied by alpha / rank.")] = None,
    dropout: Annotated[float | None, typer.Option(help="Share of the base's states that is dropped.")] = None,
    lora_dropout: Annotated[float | None, typer.Option(help="Share of LoRA's inputs that is dropped.")] = None,
    settle: Annotated[int | None, typer.Option(help="Epochs at the start in which nothing is dropped.")] = None,
    max_length: Annotated[int | None, typer.Option(help="Tokens a pair.")] = None,
    precision: Annotated[str | None, typer.Option(help="bf16 or fp32, of training.")] = None,
    evaluate_every: Annotated[int | None, typer.Option(help="Steps between passes over dev; 0: an epoch.")] = None,
    snapshot_every: Annotated[int | None, typer.Option(help="Steps between snapshots.")] = None,
    limit: Annotated[int | None, typer.Option(help="Only so many pairs of each file; 0: all.")] = None,
) -> None:
    """Train a cross-encoder's adapter on STS-B; the defaults of what is not given are the preset's."""
    given = {key: value for key, value in locals().items() if key in Recipe.__dataclass_fields__ and value is not None}
    if languages is not None:
        given["languages"] = tuple(code.strip() for code in languages.split(","))
    try:
        if preset not in PRESETS:
            raise unknown("preset", preset, PRESETS)
        recipe = replace(PRESETS[preset], **given)
        _need_libraries()
        if threads is not None:
            import torch

            torch.set_num_threads(threads)
        with progress.progress(True):
            folder = train(recipe, data or _default_data(), output, base=base, resume=resume, test=test)
    except (ValueError, LookupError, FileNotFoundError, MissingExtraError) as error:
        typer.echo(f"error: {error.args[0] if error.args else error}", err=True)
        raise typer.Exit(1) from error
    typer.echo(f"written: {folder}")


def _default_data() -> Path:
    home = os.environ.get("ANSWERSIM_DATA")
    if not home:
        raise FileNotFoundError("no data folder: name that of STS-B's CSV files with --data, or set $ANSWERSIM_DATA")
    return Path(home) / "stsb"


if __name__ == "__main__":
    typer.run(main)
