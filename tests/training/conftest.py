"""Files of names and people, and what takes the place of a training."""

import csv
import gc
from contextlib import contextmanager

import numpy as np
import pytest

from answersim.training.bi_encoder import options
from tests.training.made import people_table
from tools.pairs import of_aliases


@pytest.fixture(autouse=True)
def _little_to_collect():
    """A training collects garbage before its first step: half a second, if it walks through all libraries."""
    gc.freeze()


@pytest.fixture
def torch_parts():
    for name in ("torch", "sentence_transformers", "peft", "accelerate", "datasets"):
        pytest.importorskip(name)


@pytest.fixture(scope="session")
def base(tiny):
    return tiny("bert")


@pytest.fixture
def runs(monkeypatch):
    """Record the settings, recipes, prepared pairs and command lines instead of training."""
    calls = []

    def run(settings, recipe, prepare, line, typed):
        calls.append((settings, recipe, prepare(), line))
        return 0

    monkeypatch.setattr(options, "run", run)
    return calls


@pytest.fixture
def aliases_file(tmp_path):
    """Aliases with the label 1 and sampled pairs without a label, split by entity, as a builder writes them."""
    table, path = people_table(tmp_path / "people.csv"), tmp_path / "aliases.csv"
    of_aliases.main(table, path)
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
        from answersim.training.run import checkpointing

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
