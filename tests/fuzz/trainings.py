"""Trainings and scoring runs that are killed at any time."""

import csv
import hashlib
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.fuzz import odd
from tests.fuzz.area import Checked, Round, area

ROOT = Path(__file__).parent.parent.parent
PAIRS = "pairs.csv"
STUDENT = "--preset smoke --option precision=fp32 --option limit=8 --no-regression-report --teacher f1".split()


def _write_pairs(path: Path) -> None:
    rng = random.Random(0)
    words = "old john feather merchant growth cortex eleven paris".split()
    labeled = [
        (f"{first} {second} {i} {i}", f"{second} {i} {rng.choice(words)} {i}", str(rng.random()), split)
        for split in ("train", "dev", "test")
        for i, (first, second) in enumerate(itertools.islice(itertools.product(words, words), 12))
    ]
    _write(path, [("first", "second", "label", "split"), *labeled])


def _write(path: Path, rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


@area("kills", "a training or a scoring run that is killed at any time and started again ends with the same bytes")
def kills() -> Iterator[Round]:
    with odd.sandbox() as folder:
        base = odd.tiny(folder / "base")
        _write_pairs(folder / PAIRS)
        rng = random.Random(1)
        _write(
            folder / "table.csv",
            [("gold", "pred"), *((f"a {i} the b", odd.text(rng).replace("\x00", "")) for i in range(6_000))],
        )
        training = ["train", "names", "--pairs", folder / PAIRS, "--keep-split", "--base", base, *STUDENT]
        training += [*("--option", "epochs=12", "--option", "batch_size=4", "--option", "checkpoint_every=2")]
        training += ["--no-test", "--output"]
        works: dict[str, list[object]] = {
            "training": training,
            "scoring": ["score", "table.csv", "-m", "f1,meteor", "-o"],
        }
        expected, seconds = {}, {}
        for name, words in works.items():
            started = time.monotonic()
            _finish([*words, folder / f"{name}-whole{'.csv' if name == 'scoring' else ''}"])
            seconds[name] = time.monotonic() - started
            expected[name] = _digest(folder, f"{name}-whole")

        def make_round(rng: random.Random) -> Checked:
            name = rng.choice(list(works))
            output = folder / f"{name}-killed{'.csv' if name == 'scoring' else ''}"
            shutil.rmtree(output, ignore_errors=True)
            output.unlink(missing_ok=True)
            for _ in range(rng.randint(1, 3)):
                _kill([*works[name], output], rng.uniform(0, seconds[name]))
            _finish([*works[name], output])
            same = _digest(folder, f"{name}-killed") == expected[name]
            return 1, [] if same else [f"{name}: other bytes after the kills"]

        yield make_round


def _command(words: Sequence[object]) -> list[str]:
    return [sys.executable, "-m", "answersim", *map(str, words)]


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}


def _finish(words: Sequence[object]) -> None:
    run = subprocess.run(_command(words), env=_environment(), capture_output=True, text=True, check=False, timeout=110)
    if run.returncode:
        raise ValueError(f"status {run.returncode}: {run.stderr[-300:]}")


def _kill(words: Sequence[object], after: float) -> None:
    with subprocess.Popen(
        _command(words), env=_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)


def _digest(folder: Path, name: str) -> str:
    """Return the SHA-256 of the weights of a training, or of the table of a scoring."""
    paths = [*(folder / name).glob("*/*.safetensors"), *folder.glob(f"{name}.csv")]
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()
