"""Trainings: odd options, and kills at any time."""

import csv
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.fuzz import lines, odd
from tests.fuzz.area import Checked, Round, area

ROOT = Path(__file__).parent.parent.parent
NUMBERS = ["", "x", *"0 1 2 -1 0.1 1e30 1e-30 nan inf -inf 99999999999999999999 8 64".split()]
WORDS = ("cosine", "cosent", "angle", "lora", "full", "fp32", "bf16", "fp16", "pearson", "spearman", "none", "")
NUMERIC = (
    "epochs batch_size warmup_ratio learning_rate weight_decay lora_r lora_alpha dropout lora_dropout max_length seed "
    "limit patience"
).split()
PAIRS = "pairs.csv"
STUDENT = "--preset smoke --option precision=fp32 --option limit=8 --no-regression-report --teacher f1".split()


@area(
    "training options",
    "every train command trains, or ends with a one-line error and status 2; an adapter has finite weights",
)
def options() -> Iterator[Round]:
    with odd.sandbox() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        base, tables = odd.tiny(folder / "base"), _tables(folder)

        def make_round(rng: random.Random) -> Checked:
            output = folder / "out"
            shutil.rmtree(output, ignore_errors=True)
            words = _line(rng, folder, base, tables)
            ended = lines.run("answersim", [*words, "--output", output], {0, 2})
            failed = [ended.complaint] if ended.complaint else []
            if ended.status == 0 and not _is_finite(output):
                failed.append(f"{' '.join(map(str, words))}: status 0, but no finite weights in {output.name}")
            return 1, failed

        yield make_round


def _line(rng: random.Random, folder: Path, base: Path, tables: Sequence[Path]) -> list[object]:
    command = rng.choice(("names", "cross-encoder"))
    words: list[object] = ["train", command, "--base", base, "--pairs", rng.choice((folder / PAIRS, *tables))]
    if command == "names":
        words += STUDENT
    else:
        words += ["--preset", "smoke", "--no-test", *("--option", "precision=fp32", "--option", "max_length=64")]
    words += ["--keep-split"] * rng.choice((0, 1, 1))
    for _ in range(rng.choice((0, 1, 1, 2))):
        words += ["--option", f"{rng.choice(NUMERIC)}={rng.choice(NUMBERS)}"]
    if rng.random() < 0.2:
        words += [
            "--option",
            f"{rng.choice(('loss', 'method', 'precision', 'measure', 'symmetric'))}={rng.choice(WORDS)}",
        ]
    return words


def _is_finite(output: Path) -> bool:
    from safetensors.torch import load_file

    paths = [*output.glob("adapter/*.safetensors"), *output.glob("model/*.safetensors")]
    return bool(paths) and all(tensor.isfinite().all() for path in paths for tensor in load_file(path).values())


def _tables(folder: Path) -> list[Path]:
    """Write files of pairs: without labels, with odd cells, without rows, and labeled ones."""
    rng = random.Random(0)
    words = "old john feather merchant growth cortex eleven paris".split()
    people = [(f"{a} {b} {i}", f"{b} {i}", "") for i, (a, b) in enumerate((a, b) for a in words for b in words)]
    tables = {
        "people.csv": people,
        "odd.csv": [(odd.text(rng, 3), odd.text(rng, 3), "1") for _ in range(40)],
        "none.csv": [],
    }
    for name, rows in tables.items():
        _write(folder / name, [("first", "second", "label"), *rows])
    labeled = [
        (f"{a} {i}", f"{b} {rng.choice(words)} {i}", str(rng.random()), split)
        for split in ("train", "dev", "test")
        for i, (a, b, _) in enumerate(people[:12])
    ]
    _write(folder / PAIRS, [("first", "second", "label", "split"), *labeled])
    return [folder / name for name in tables]


def _write(path: Path, rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


@area("kills", "a training or a scoring run that is killed at any time and started again ends with the same bytes")
def kills() -> Iterator[Round]:
    with odd.sandbox() as folder:
        base = odd.tiny(folder / "base")
        _tables(folder)
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
