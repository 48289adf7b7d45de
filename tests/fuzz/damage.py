"""Damaged files: tables, calibrations and model folders; tests of the store and of locks damage the others."""

import csv
import io
import json
import pickle
import random
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import answersim
from tests.fuzz import lines, odd
from tests.fuzz.area import Checked, Round, area

CLEAR = (ValueError, LookupError, TypeError, OSError, ImportError)  # the commands report these in one line


@area("damaged tables", "a damaged CSV, TSV, JSONL or Parquet file is scored or rejected; a rejection leaves no output")
def tables() -> Iterator[Round]:
    with odd.sandbox() as folder:

        def make_round(rng: random.Random) -> Checked:
            suffix = rng.choice((".csv", ".tsv", ".jsonl", ".parquet"))
            path, output = folder / f"table{suffix}", folder / f"out{rng.choice(('.csv', '.jsonl'))}"
            output.unlink(missing_ok=True)
            content = _table(rng, suffix)
            path.write_bytes(odd.damaged(rng, content) if rng.random() < 0.95 else content)
            ended = lines.run("answersim", ["score", path.name, "-m", "f1", "-o", output.name], {0, 2})
            failed = [ended.complaint] if ended.complaint else []
            if ended.status == 2 and output.exists():
                failed.append(f"{path.name}: status 2, but {output.name} was written: {path.read_bytes()[:80]!r}")
            if ended.status == 0 and (not output.is_file() or not output.stat().st_size):
                failed.append(f"{path.name}: status 0, but nothing was written: {path.read_bytes()[:80]!r}")
            return 1, failed

        yield make_round


def _table(rng: random.Random, suffix: str) -> bytes:
    rows = [{"id": i, "gold": gold, "pred": pred} for i, (gold, pred) in enumerate(odd.pairs(rng, rng.randrange(12)))]
    if suffix == ".jsonl":
        return "".join(json.dumps(row, ensure_ascii=rng.random() < 0.5) + "\n" for row in rows).encode()
    if suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        out = io.BytesIO()
        pq.write_table(
            pa.Table.from_pylist(rows, pa.schema({"id": pa.int64(), "gold": pa.string(), "pred": pa.string()})), out
        )
        return out.getvalue()
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, ["id", "gold", "pred"], delimiter="\t" if suffix == ".tsv" else ",")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


@area("damaged calibrations", "a damaged calibration is rejected with a clear error, or can be used")
def calibrations() -> Iterator[Round]:
    from answersim.calibration.storing import read, write

    with odd.sandbox() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        generator = np.random.default_rng(0)
        labels = generator.integers(2, size=200).astype(float)
        scores = labels + generator.normal(size=200)
        paths = []
        for method in ("isotonic", "logistic"):
            path = folder / f"{method}.json"
            write(
                answersim.calibrate(
                    scores, labels, signature="fuzz|v:1", method=method, bootstrap=answersim.Bootstrap(resamples=20)
                ),
                path,
            )
            paths.append(path)
        sound = [path.read_text(encoding="utf-8") for path in paths]
        path = folder / "damaged.json"

        def make_round(rng: random.Random) -> Checked:
            text = rng.choice(sound)
            if rng.random() < 0.5:
                path.write_bytes(odd.damaged(rng, text.encode()))
            else:
                content = json.loads(text)
                _change(rng, content)
                path.write_text(json.dumps(content), encoding="utf-8")
            try:
                calibration = read(path)
            except CLEAR:
                return 1, []
            chances = calibration.probability(np.linspace(-1, 2, 7))
            calibration.verdicts(np.linspace(-1, 2, 7))
            if not ((chances >= 0) & (chances <= 1)).all():
                return 1, [f"the probabilities are {chances}: {path.read_text()[:200]}"]
            return 1, []

        yield make_round


def _change(rng: random.Random, value: Any) -> None:
    """Change one value somewhere in this JSON, in place."""
    while isinstance(value, (dict, list)) and value:
        key = rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
        inner = value[key]
        if not isinstance(inner, (dict, list)) or not inner or rng.random() < 0.25:
            if rng.random() < 0.2:
                del value[key]
            else:
                value[key] = rng.choice((None, True, -1, 0, 1e308, -1e308, "", "x", [], {}, [[1]], 10**30, [None, 2.0]))
            return
        value = inner


class _Payload:
    """An object that creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


@area("hostile model folders", "a damaged or hostile model folder runs no code; it is rejected, or gives finite scores")
def folders() -> Iterator[Round]:
    with odd.sandbox() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sound = odd.tiny(folder / "sound")
        pairs = [("Rome", "in Rome"), ("eleven", "11"), ("", "x")]

        def make_round(rng: random.Random) -> Checked:
            home, trap = Path(tempfile.mkdtemp(dir=folder)), folder / "the-code-ran"
            shutil.copytree(sound, home, dirs_exist_ok=True)
            trap.unlink(missing_ok=True)
            for _ in range(rng.randint(1, 2)):
                _attack(rng, home, trap)
            golds, preds = zip(*pairs, strict=True)
            failed = []
            try:
                scores = np.asarray(
                    answersim.score(golds, preds, metric="bi-encoder", model=str(home), cache=None, progress=False)
                )
                if not np.isfinite(scores).all():
                    failed.append(f"the scores are {scores}")
            except CLEAR:
                pass
            if trap.exists():
                failed.append(f"code of the folder was run: {sorted(path.name for path in home.iterdir())}")
            shutil.rmtree(home, ignore_errors=True)
            return 1, failed

        yield make_round


def _attack(rng: random.Random, home: Path, trap: Path) -> None:
    files = sorted(path for path in home.rglob("*") if path.is_file() and not path.is_symlink())
    path = rng.choice(files)
    kind = rng.randrange(6)
    if kind == 0:
        path.write_bytes(odd.damaged(rng, path.read_bytes()))
    elif kind == 1:
        path.unlink()
    elif kind == 2 and path.suffix == ".json":
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            return
        _change(rng, content)
        path.write_text(json.dumps(content), encoding="utf-8")
    elif kind == 3:
        (home / "model.safetensors").unlink(missing_ok=True)
        (home / "pytorch_model.bin").write_bytes(pickle.dumps(_Payload(trap)))
    elif kind == 4:
        (home / "evil.py").write_text(f"import pathlib\npathlib.Path({str(trap)!r}).touch()\nclass Evil: pass\n")
        config = home / "config.json"
        try:
            content = json.loads(config.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return
        if isinstance(content, dict):
            content |= {
                "auto_map": {"AutoModel": "evil.Evil", "AutoConfig": "evil.Evil"},
                "model_type": rng.choice(("bert", "evil")),
            }
            config.write_text(json.dumps(content), encoding="utf-8")
    else:
        path.unlink()
        path.symlink_to(rng.choice((path.name, "/dev/null", "..", "nowhere")))
