"""Files of names and people, and what takes the place of a training."""

import csv
from contextlib import contextmanager

import numpy as np
import pytest

from answersim.training.bi_encoder import options

WORDS = "old john feather merchant growth cortex eleven paris football league".split()


@pytest.fixture
def torch_parts():
    for name in ("torch", "sentence_transformers", "peft", "accelerate", "datasets"):
        pytest.importorskip(name)


@pytest.fixture(scope="session")
def base(tiny):
    return str(tiny("bert"))


@pytest.fixture
def runs(monkeypatch):
    """Record the jobs, recipes, prepared pairs and command lines instead of training."""
    calls = []

    def run(job, recipe, prepare, line, typed):
        calls.append((job, recipe, prepare(), line))
        return 0

    monkeypatch.setattr(options, "run_job", run)
    return calls


@pytest.fixture
def people(tmp_path):
    """Forty people, every second of them with an alias; half are of the group US."""
    rows = [("entity", "alias", "group")]
    for i in range(40):
        first, last = WORDS[i % 10].title(), f"{WORDS[(i + i // 10) % 10].title()}son"
        rows.append((f"{first} Ann {last}", f"{first} {last}" if i % 2 else "", "US" if i < 20 else "DE"))
    path = tmp_path / "people.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


@pytest.fixture
def names_file(tmp_path):
    """Name pairs in the format of the paper's file, whose split puts one name into two splits."""
    rng = np.random.default_rng(0)
    path = tmp_path / "name_pairs.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("name1", "name2", "score", "split"))
        for i in range(60):
            rows.writerow((f"john {i}", f"{i} john", 1, ("train", "dev", "test")[i % 3]))
            for other in rng.choice([j for j in range(60) if j != i], size=9, replace=False):
                rows.writerow((f"john {i}", f"john {other}", round(rng.uniform(0, 0.9), 3), "train"))
    return path


class Steps:
    """The steps of a training: it can be interrupted before one of them, and the steps that are taken are listed."""

    def __init__(self, monkeypatch):
        from answersim.training import checkpointing

        self.patch, self.steering = monkeypatch, checkpointing._Steering
        self.begin = self.steering.on_step_begin

    @contextmanager
    def interrupted_before(self, step):
        def stop(steering, args, state, control, **others):
            if state.global_step == step:
                raise KeyboardInterrupt
            self.begin(steering, args, state, control, **others)

        with self.patch.context() as patch:
            patch.setattr(self.steering, "on_step_begin", stop)
            with pytest.raises(KeyboardInterrupt):
                yield

    def taken(self):
        """Return a list to which each step that begins from now on is added."""
        taken = []

        def watch(steering, args, state, control, **others):
            taken.append(state.global_step)
            self.begin(steering, args, state, control, **others)

        self.patch.setattr(self.steering, "on_step_begin", watch)
        return taken


@pytest.fixture
def steps(monkeypatch):
    return Steps(monkeypatch)
