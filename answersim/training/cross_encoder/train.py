"""Train the adapter behind the embedded ``sas`` metric: a cross-encoder made of MiniLM, for answers.

    answersim train cross-encoder --preset sts --output runs/sts
    answersim train cross-encoder --preset cpu --start runs/sts/adapter

The model is a BertForSequenceClassification over all-MiniLM-L6-v2 with one logit, whose sigmoid is the score. What is
trained: LoRA on all linear layers, and whole the classifier, the pooler and the token-type embeddings, which this base
never used. The first run learns likeness of sentences (STS-B), the second goes on from its adapter with a mixture of
answers, names, numbers and words (``mixture``). Of the passes over the dev sets the one with the best mean of Pearson's
is kept. Test sets are scored at the end, in fp32 and from the files as written; while recipes are compared,
``--no-test`` keeps them unseen.

The loop (in ``run``) is written by hand, above peft. transformers' Trainer resumes from pickled optimizer and random
states and fixes neither the order of the pairs nor the dropout of a step; here a run that was killed and resumed ends
with the very weights of one that was not, and its snapshot is one safetensors file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from answersim import checkpoints, progress, training_checkpoints
from answersim.cli_errors import user_errors
from answersim.errors import unknown
from answersim.neural import adapter
from answersim.training import artifact
from answersim.training.cross_encoder import model as cross_encoder_model
from answersim.training.cross_encoder.recipe import PRESETS, Recipe, command
from answersim.training.cross_encoder.recipe import mixture as read_mixture
from answersim.training.cross_encoder.trainer import Run
from answersim.training.data import mixture, sts
from answersim.training.data.mixture import Pool
from answersim.training.data.pairs import TrainingPair
from answersim.training.output import SNAPSHOT, replacing
from answersim.training.output import check as check_output
from answersim.types import FloatArray

BASE = "sentence-transformers/all-MiniLM-L6-v2"
OUTPUT = Path("runs/cross-encoder")
ADAPTER = "adapter"
INTERRUPTED = 130  # exit status
WHAT, NEEDED = "training a cross-encoder", ("torch", "transformers", "safetensors", "peft")
LIBRARIES = ("torch", "transformers", "peft", "safetensors", "tokenizers", "numpy")


# Sources whose pairs are all alike or all unlike are one held-out set together.
TOGETHER = {"verdicts": "answers", "aliases": "answers", "strangers": "answers"}
WITHOUT_TEST = frozenset({"task7", "wordnet", "dates"})  # these have no test split here
MOST = 1500  # pairs of a held-out set


class Data(NamedTuple):
    """What a run reads.

    Attributes:
        pools: By source, the training pairs and how many of them an epoch takes.
        dev: The sets that choose the best pass, by name.
        test: The sets that are only reported, by name.
        removed: Training pairs left out because they are in a held-out set, in either order; of STS-B the source
            leaves them out itself.
        sha256: Of each file, by its path.
    """

    pools: dict[str, Pool]
    dev: dict[str, list[TrainingPair]]
    test: dict[str, list[TrainingPair]]
    removed: int
    sha256: dict[str, str]


def load_data(places: mixture.Places, recipe: Recipe) -> Data:
    """The pairs of the recipe's sources; no training pair is in a held-out set, in either order.

    A single text may be on both sides: two questions can have one gold answer, and two synsets one word.

    Raises:
        FileNotFoundError: The folder or one of the files is missing.
        ValueError: A file is empty, one of its rows is wrong, or no training pair is left of a source.
    """
    if not places.data.is_dir():
        raise FileNotFoundError(
            f"no data folder at {places.data}; name the folder that holds {mixture.STSB}/ and the others with --data, "
            "or set $ANSWERSIM_DATA"
        )
    dev = _held_out(places, recipe, "dev")
    test = _held_out(places, recipe, "test")
    pools, removed = {}, 0
    for name, take in recipe.mixture:
        pairs = mixture.load(name, places, "train", recipe.seed)
        kept = _without(pairs, [*dev.values(), *test.values()])
        if not kept:
            raise ValueError(f"every training pair of {name!r} is in dev or test too, so that none is left to train on")
        removed += len(pairs) - len(kept)
        kept = _spread(kept, recipe.limit or len(kept))
        pools[name] = Pool(kept, min(take, recipe.limit) if recipe.limit else take)
    return Data(pools, dev, test, removed, mixture.hashes(recipe.sources, places))


def _held_out(places: mixture.Places, recipe: Recipe, split: str) -> dict[str, list[TrainingPair]]:
    found: dict[str, list[TrainingPair]] = {}
    for name in recipe.sources:
        if split != "test" or name not in WITHOUT_TEST:
            pairs = mixture.load(name, places, split, recipe.seed)
            found.setdefault(TOGETHER.get(name, name), []).extend(_spread(pairs, recipe.limit or MOST))
    return found


def _spread(pairs: list[TrainingPair], most: int) -> list[TrainingPair]:
    """At most so many of the pairs, in order, from the first to the last at even distances."""
    if len(pairs) <= most:
        return pairs
    return [pairs[i] for i in np.linspace(0, len(pairs) - 1, most).astype(int)]


def _without(pairs: Sequence[TrainingPair], held: Sequence[Sequence[TrainingPair]]) -> list[TrainingPair]:
    """The pairs that are in none of these sets, in either order, letters and digits alone compared."""
    known = {_key(pair) for one in held for pair in one}
    return [pair for pair in pairs if _key(pair) not in known]


def _key(pair: TrainingPair) -> frozenset[str]:
    return frozenset(sts.plain(text) for text in (pair.first, pair.second))


def train(
    recipe: Recipe,
    places: mixture.Places,
    output: Path,
    *,
    base: str = BASE,
    start: Path | None = None,
    resume: bool = True,
    test: bool = True,
) -> Path:
    """The folder of the finished adapter, ``<output>/adapter``, in peft's format with its recipe.json.

    A run that was interrupted goes on from ``<output>/snapshot.safetensors``; one that was finished only writes its
    adapter anew. It begins with the adapter in the folder ``start``, where that is given. Without ``test`` the test
    sets are not scored, only kept out of training. Equal recipe, data, base, start, machine and number of threads give
    equal weights, resumed or not.

    Raises:
        FileNotFoundError: A file of the data, or the base's model.safetensors, is missing.
        ValueError: A file of the data is not what it should be, or the snapshot is of another run; or the output
            folder contains files that no training wrote; or the training diverged.
        BlockingIOError: If another training is at work in the folder.
        CheckpointNotFoundError, ChecksumError: The base is not there, or not the pinned one.
        MissingExtraError: A library of the extra ``train`` is not installed.
    """
    artifact.need_libraries(WHAT, NEEDED)
    if start is not None:
        adapter.read_settings(start)
        adapter.verify(start)
    bases = Path(base) if Path(base).is_dir() else None
    check_output(output, ADAPTER, {"base": bases, "start": start, "data": places.data, "dictionary": places.dictionary})
    with training_checkpoints.alone(output):
        return _train(recipe, places, output, base, start, resume, test)


def _train(
    recipe: Recipe, places: mixture.Places, output: Path, base: str, start: Path | None, resume: bool, test: bool
) -> Path:
    from answersim.neural.tokens import max_length

    found = checkpoints.find(base)
    if recipe.max_length > (most := max_length(found)):
        raise ValueError(f"max_length is {recipe.max_length}, but the base {base!r} reads {most} tokens at most")
    data = load_data(places, recipe)
    weights = found.folder / "model.safetensors"
    if not weights.is_file():
        raise FileNotFoundError(f"the base {base!r} has no model.safetensors in {found.folder}")
    identity = {
        "recipe": json.loads(json.dumps(asdict(recipe))),  # as it comes back from a snapshot
        "data": data.sha256,
        # The name of a folder, not its path: the recipe travels to other machines.
        "base": {"name": base if base == BASE else found.folder.name, "sha256": checkpoints.sha256(weights)},
        "start": {} if start is None else {"name": start.name, "fingerprint": adapter.fingerprint(start)},
    }
    path = output / SNAPSHOT
    snapshot = training_checkpoints.load(path) if resume else None
    if snapshot:
        artifact.check_same_run(snapshot.facts, identity, path)
    import torch

    with artifact.quiet_libraries(), torch.random.fork_rng(devices=[]):
        sizes = ", ".join(
            f"{name} {pool.take or len(pool.pairs)} of {len(pool.pairs)}" for name, pool in data.pools.items()
        )
        artifact.say(f"pairs an epoch: {sizes}; {data.removed} more are in dev or test")
        run = Run(recipe, found.folder, list(data.pools.values()), data.dev, start)
        if snapshot:
            run.restore(snapshot)
            artifact.say(f"resumed after step {run.step} of {run.steps}")

        def save() -> None:
            tensors, facts = run.snapshot()
            training_checkpoints.save(path, tensors, identity | facts)

        run.finish(save, artifact.say)
        held_out = {"dev": data.dev} | ({"test": data.test} if test else {})
        return _write(run, data, held_out, identity, found.folder, output / ADAPTER)


def predict(base: Path, folder: Path, pairs: Sequence[TrainingPair], max_length: int) -> FloatArray:
    """Scores from 0 to 1, shape (n,), by the base in one folder and the adapter in another, in fp32."""
    model = adapter.merge(cross_encoder_model.build(base), folder)
    return cross_encoder_model.predict(
        model, cross_encoder_model.tokenize(base, *cross_encoder_model.sides(pairs), max_length)
    )


def _write(
    run: Run,
    data: Data,
    held_out: Mapping[str, Mapping[str, Sequence[TrainingPair]]],
    identity: dict[str, Any],
    base: Path,
    folder: Path,
) -> Path:
    """Put the adapter down, score what was put down, and pin its files in recipe.json, which comes last."""
    with replacing(folder) as new:
        _put_adapter(run.model, identity["base"]["name"], new)
        results = _scored(base, new, held_out, run.recipe.max_length)
        story = {
            "command": command(run.recipe),
            "reads_question": run.recipe.questions > 0,
            **identity,
            "pairs": {name: len(pool.pairs) for name, pool in data.pools.items()} | {"removed": data.removed},
            "dev_by_step": [{key: round(value, 4) for key, value in each.items()} for each in run.evaluations],
            "results": results,
            "seconds": round(run.seconds),
        }
        artifact.write_recipe(story, new, (adapter.CONFIG, adapter.WEIGHTS), LIBRARIES)
    return folder


def results(
    folder: Path, recipe: Recipe, places: mixture.Places, *, base: str = BASE, test: bool
) -> dict[str, dict[str, Any]]:
    """How well the adapter in this folder does on the recipe's dev sets, and on its test sets where asked for.

    By split and set: how many pairs, Pearson's and Spearman's coefficient, and their 95 % bootstrap intervals.

    Raises:
        FileNotFoundError, ValueError, CheckpointNotFoundError, ChecksumError: As ``train``.
    """
    artifact.need_libraries(WHAT, NEEDED)
    held_out = {split: _held_out(places, recipe, split) for split in ("dev", *(["test"] if test else []))}
    with artifact.quiet_libraries():
        return _scored(checkpoints.find(base).folder, folder, held_out, recipe.max_length)


def _scored(
    base: Path, folder: Path, held_out: Mapping[str, Mapping[str, Sequence[TrainingPair]]], max_length: int
) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for split, sets in held_out.items():
        found[split] = {}
        for name, pairs in sets.items():
            scores = predict(base, folder, pairs, max_length)
            one = artifact.held_out(scores, np.array([pair.label for pair in pairs]))
            found[split][name] = {"n": len(pairs)} | one
            low, high = one["pearson_95"]
            artifact.say(
                f"{name}, {split}, as written, fp32: Pearson {one['pearson']:.4f} [{low:.4f}, {high:.4f}], "
                f"Spearman {one['spearman']:.4f}"
            )
    return found


def _put_adapter(model: Any, base_name: str, folder: Path) -> None:
    from peft import get_peft_model_state_dict

    artifact.write_adapter(model.peft_config["default"], get_peft_model_state_dict(model), base_name, folder)


def main(
    data: Annotated[
        Path | None, typer.Option(help="Folder of stsb/, judged/ and the others. [$ANSWERSIM_DATA]")
    ] = None,
    dictionary: Annotated[Path, typer.Option(help="Folder of WordNet's dictionary files.")] = mixture.DICTIONARY,
    output: Annotated[Path, typer.Option(help="Folder for the snapshot and the finished adapter.")] = OUTPUT,
    preset: Annotated[str, typer.Option(help="cpu: what ships. sts: what it starts from. smoke: seconds.")] = "cpu",
    start: Annotated[Path | None, typer.Option(help="Folder of an adapter to go on from.")] = None,
    base: Annotated[str, typer.Option(help="The base: a name or a folder.")] = BASE,
    resume: Annotated[bool, typer.Option(help="Go on with an interrupted run of the same recipe.")] = True,
    test: Annotated[bool, typer.Option(help="Score test at the end; not while comparing recipes.")] = True,
    threads: Annotated[int | None, typer.Option(help="Threads of torch. [its own choice]")] = None,
    sources: Annotated[
        str | None, typer.Option("--mixture", help="Sources and pairs an epoch, such as sts=0,dates=800; 0: all.")
    ] = None,
    questions: Annotated[float | None, typer.Option(help="Share of pairs read with their question.")] = None,
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
    snapshot_every: Annotated[int | None, typer.Option(help="Steps between training_checkpoints.")] = None,
    limit: Annotated[int | None, typer.Option(help="Only so many pairs of each source; 0: all.")] = None,
) -> None:
    """Train a cross-encoder's adapter for answers; the defaults of what is not given are the preset's."""
    given = {key: value for key, value in locals().items() if key in Recipe.__dataclass_fields__ and value is not None}
    with user_errors(), progress.progress(True):
        if sources is not None:
            given["mixture"] = read_mixture(sources)
        if preset not in PRESETS:
            raise unknown("preset", preset, PRESETS)
        recipe = replace(PRESETS[preset], **given)
        artifact.check_threads(threads)
        artifact.need_libraries(WHAT, NEEDED)
        if threads is not None:
            import torch

            torch.set_num_threads(threads)
        places = mixture.Places(data or mixture.default_data(), dictionary)
        try:
            folder = train(recipe, places, output, base=base, start=start, resume=resume, test=test)
        except KeyboardInterrupt:
            artifact.say("interrupted; the same command goes on from where it was")
            raise typer.Exit(INTERRUPTED) from None
    typer.echo(f"written: {folder}")


if __name__ == "__main__":
    typer.run(main)
