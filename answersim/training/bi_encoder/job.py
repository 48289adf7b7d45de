"""One student from beginning to end: its pairs and their labels, training or a search, and what became better."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from answersim import training_checkpoints
from answersim.errors import MissingExtraError
from answersim.training import artifact, output
from answersim.training.bi_encoder import model as bi_encoder_model
from answersim.training.bi_encoder import train as bi_encoder
from answersim.training.bi_encoder import training_pairs
from answersim.training.bi_encoder.recipe import StudentRecipe
from answersim.training.bi_encoder.training_pairs import Prepared
from answersim.training.data.pairs import TrainingPair, limited

if TYPE_CHECKING:
    from answersim.training import regression

DONE, WORSE, INTERRUPTED = 0, 3, 130  # exit statuses; what a user can mend has 2


@dataclass(frozen=True)
class Job:
    """What surrounds a training: where it starts from, where it writes, and what is done besides.

    Attributes:
        output: The folder for the snapshot, the student and the report.
        base: What the student starts from.
        teacher: A metric's name, "recorded" or None: see ``training_pairs.labeled``.
        cache: The folder of the teacher's scores; None for ``silver`` within output.
        resume: Whether an interrupted run is gone on with.
        test: Whether the test split is scored at the end.
        guard: Whether base and student are compared on human-labeled sets at the end.
        gate: Whether the exit status tells that a subset got worse by more than chance.
        sets: The names of the guard's sets; () for the paper's where they are, and else the probes.
        search: How many trials a search has; 0 to train instead.
        threads: Torch's; None for its own choice.
        inputs: The files and folders that ``prepare`` reads, by the name of their option; None for one not given.
    """

    output: Path
    base: str = bi_encoder.BASE
    teacher: str | None = None
    cache: Path | None = None
    resume: bool = True
    test: bool = True
    guard: bool = True
    gate: bool = False
    sets: tuple[str, ...] = ()
    search: int = 0
    threads: int | None = None
    inputs: Mapping[str, Path | None] = field(default_factory=dict)


def run(job: Job, recipe: StudentRecipe, prepare: Callable[[], Prepared], line: str, typed: str = "") -> int:
    """Prepare, label, train or search, compare; the exit status.

    Args:
        job: What surrounds the training.
        recipe: What decides the weights.
        prepare: Gives the pairs; under torchrun it is called by every process, by the first one alone at first.
        line: The command line, for recipe.json.
        typed: The same with the paths as they were given, for the one who gave them; ``line`` where there is none.

    Raises:
        ValueError, LookupError, OSError, ImportError: As ``student_data``, ``bi_encoder.train``, ``search.search`` and
            ``regression.examine``; what can be known before any work is said before it.
    """
    _check(job, recipe)
    if job.threads is not None:
        import torch

        torch.set_num_threads(job.threads)
    say = artifact.say if is_first() else bi_encoder.silent
    try:
        # Under torchrun the first process alone writes, so it alone holds the lock.
        with training_checkpoints.alone(job.output) if is_first() else nullcontext():
            return _run(job, recipe, prepare, line, typed, say)
    except KeyboardInterrupt:
        say("interrupted; the same command goes on from where it was")
        return INTERRUPTED
    finally:
        _leave()


def _run(
    job: Job, recipe: StudentRecipe, prepare: Callable[[], Prepared], line: str, typed: str, say: Callable[[str], None]
) -> int:
    with training_pairs.first_alone():
        made = prepare()
        made = made._replace(pairs=limited(made.pairs, recipe.limit))
        bi_encoder.check_enough(made.pairs)
        say(_from_where(made))
        prepared = training_pairs.labeled(made, job.teacher, job.cache or job.output / "silver", say)
    if job.search:
        _search(job, recipe, prepared.pairs, typed or line, say)
        return DONE
    story = {"command": line, **prepared.story}
    trained = bi_encoder.train(
        recipe, prepared.pairs, job.output, base=job.base, story=story, resume=job.resume, test=job.test, say=say
    )
    if trained.folder is None:
        return DONE
    say(f"written: {trained.folder} ({trained.pairs_per_second:.0f} pairs a second)")
    return _compare(job, recipe, trained.folder, say) if job.guard else DONE


def is_first() -> bool:
    """Whether this process writes and prints: the only one, or the first one under torchrun."""
    return int(os.environ.get("RANK", "0")) == 0


def _check(job: Job, recipe: StudentRecipe) -> None:
    """What would be an error after the training is one before it."""
    from answersim import catalog, checkpoints, data

    for module in bi_encoder.MODULES:  # looked for and not loaded, which takes seconds
        if find_spec(module) is None:
            raise MissingExtraError("training a bi-encoder", "train", module)
    for name in job.sets:
        data.about(name)
        if job.guard and not job.search and not data.present(name):
            raise LookupError(f"the set {name!r} of --sets is not here; 'answersim data fetch' brings it")
    if job.search < 0:
        raise ValueError(f"--search is {job.search}, but it is a number of trials, or 0 to train")
    artifact.check_threads(job.threads)
    if job.gate and job.search:
        raise ValueError("--gate closes on what a training did, but --search trains nothing to keep; give one of them")
    if job.teacher not in (None, training_pairs.RECORDED):
        catalog.options_of(job.teacher)
    output.check_folder(job.cache or job.output)
    base = Path(job.base) if Path(job.base).is_dir() else None
    inputs = {"base": base, "cache": job.cache, **job.inputs}
    output.check(job.output, bi_encoder_model.FOLDERS[recipe.method], inputs)
    checkpoints.find(job.base)
    if job.search and int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise ValueError("--search runs in one process; leave torchrun away, or train without --search")
    if job.gate and not job.guard:
        raise ValueError("--gate closes on what the guard finds, but --no-guard leaves it out; give one of them")


def _from_where(prepared: Prepared) -> str:
    """One line on the pairs: how many of which source, and what was left out."""
    sources = Counter(each.source or "given" for each in prepared.pairs)
    told = f"{len(prepared.pairs):,} pairs: {', '.join(f'{count:,} {name}' for name, count in sources.items())}"
    if prepared.story.get("left_out"):
        told += f"; left out: {prepared.story['left_out']:,} whose texts are of two splits"
    if dropped := prepared.story.get("counts", {}).get("dropped"):
        told += f"; left out: {dropped:,} entities with too many spellings (--most-spellings)"
    return told


def _leave() -> None:
    """Under torchrun, leave the group of processes; else torch warns that it was left open."""
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        import torch.distributed as processes

        if processes.is_initialized():
            processes.destroy_process_group()


def _search(
    job: Job, recipe: StudentRecipe, pairs: Sequence[TrainingPair], line: str, say: Callable[[str], None]
) -> None:
    """Search, and say the command that trains with what was found."""
    from answersim.training.bi_encoder.search import search

    best = search(recipe, pairs, job.output / "search", job.search, base=job.base, resume=job.resume, say=say)
    found = best.recipe
    say(f"trials: {best.table}")
    say(f"best on dev, {recipe.measure} {best.value:.4f}:")
    say(f"{line} --batch-size {found.batch_size} --epochs {found.epochs} --warm-up {found.warm_up!r}")


def _compare(job: Job, recipe: StudentRecipe, folder: Path, say: Callable[[str], None]) -> int:
    """Base against student on human-labeled sets, put into report.md and report.json; the exit status."""
    from answersim.training import regression

    say(f"comparing base and student on {', '.join(job.sets or regression.default_sets())}")
    report = regression.examine(_trials(job.base, recipe.method, folder), job.sets or None)
    for name, text in (("report.md", report.to_markdown()), ("report.json", report.to_json())):
        (job.output / name).write_text(text, encoding="utf-8")
    say(report.to_markdown())
    say(f"better: {len(report.better)}, worse: {len(report.worse)}; report: {job.output / 'report.md'}")
    failed = regression.gate(report, 0.0, clear=True)
    if job.gate and failed:
        say(f"the gate is shut: {len(failed)} of {len(report.findings)} findings are worse by more than chance")
        return WORSE
    return DONE


def _trials(base: str, method: str, folder: Path) -> list[regression.Trial]:
    """The bi-encoder, and BERTScore on the last layer, on the base and on the student."""
    from answersim import catalog
    from answersim.checkpoints import find
    from answersim.neural.transformer import layers
    from answersim.training import regression

    layer: dict[str, Any] = {"layer": layers(find(base))}
    after: dict[str, Any] = {"model": base, "adapter": folder} if method == "lora" else {"model": folder}
    return [
        regression.Trial(
            name,
            catalog.metric(metric, model=base, **options),
            catalog.metric(metric, **after, **options),
        )
        for name, metric, options in (
            ("bi-encoder", "bi-encoder", dict[str, Any]()),
            ("bertscore", "bertscore-trained", layer),
        )
    ]
