"""The outcome of a training: the ranker, and its dev measure beside rankers without training and earlier trainings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from answersim._base.errors import CheckpointNotFoundError, MissingExtraError
from answersim._base.io.output_files import atomic_write
from answersim._base.text_tables import Result, TextTable, counted
from answersim.metrics.checkpoints import search
from rankers.evaluation import measures, runs
from rankers.evaluation.comparison import Comparison, compare
from rankers.evaluation.evaluate import Evaluation
from rankers.evaluation.qrels import qrels_of
from rankers.systems import catalog, encoders
from rankers.systems.encoders import EncoderRecipe
from rankers.systems.fit import Log, Trainings
from rankers.training.definitions import Trained, on_device
from rankers.training.sampling import check_dev
from rankers.training.trainer import Recipe
from rankers.types import FloatArray, Questions, Ranker, Run

UNTRAINED = "minilm-hybrid"  # the default ranker, which needs no training
# by name, what a baseline is called in logs and outcomes: "bm25" alone counts words of the candidates that it ranks
BASELINES = {UNTRAINED: UNTRAINED, "bm25": "bm25 (counts of the training candidates)"}
FOLDER = "dev"  # the folder beside the trainings with the dev values of each ranker
OUTCOMES = "outcomes"  # its folder with the dev measure of each training, beside those of the baselines


@dataclass(frozen=True, eq=False)
class Fitted(Result):
    """A trained ranker, which ranks as ``ranker`` does, and its dev measure beside others on the same questions."""

    system: str  # the name of the system
    ranker: Ranker  # the trained ranker
    folder: Path  # the folder of the training
    measure: str  # the dev measure, averaged over the orders of equal scores
    value: float  # its mean over the dev questions. The epoch may have been chosen on them, so it is optimistic.
    n_questions: int  # the number of dev questions that count
    # the trained ranker minus each baseline: ``first`` is the baseline, ``second`` the trained ranker
    comparisons: tuple[Comparison, ...]
    baselines: Mapping[str, float] = field(default_factory=dict)  # the mean of each baseline, by name

    @property
    def signature(self) -> str:
        """The signature of the trained ranker."""
        return self.ranker.signature

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]], /) -> list[FloatArray]:
        """Return one score per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        return self.ranker.score(questions, candidates)

    @property
    def is_below_untrained(self) -> bool:
        """Whether the trained ranker has a lower mean than the untrained default; False if that was not measured."""
        return self.value < self.baselines.get(UNTRAINED, -np.inf)

    def summary(self) -> list[str]:
        """Return the dev measure in a sentence, which says whether it is below the untrained default."""
        sentence = f"{self.system} has {self.measure} {self.value:.3f} over {counted(self.n_questions, 'dev question')}"
        if self.is_below_untrained:
            (gap,) = (row for row in self.comparisons if row.first == UNTRAINED)
            sentence += (
                f", below the untrained default: {UNTRAINED} has {self.baselines[UNTRAINED]:.3f} "
                f"({gap.difference:+.3f} [{gap.low:+.3f} .. {gap.high:+.3f}]); rank with {UNTRAINED}, or train another "
                "system"
            )
        return [sentence]

    def tables(self) -> Iterator[TextTable]:
        """Yield the table of the baselines with the differences of the trained ranker."""
        if not self.comparisons:
            return
        rows = tuple((row.first, f"{self.baselines[row.first]:.4f}", *row.cells()[:3]) for row in self.comparisons)
        dev = f"on {counted(self.n_questions, 'dev question')}"
        yield TextTable("", (dev, self.measure, f"{self.system} minus it", "95 % interval", "p"), rows)


def fit(name: str, plan: Trainings, recipe: EncoderRecipe | None = None, callbacks: Sequence[Any] = ()) -> Fitted:
    """Train a system, or an encoder by its recipe, and compare it with rankers without training."""
    of_dev: EncoderRecipe | Recipe | None = recipe
    home, system = plan.folder / name, None if recipe is not None else catalog.system(name)
    if isinstance(system, Trained):
        of_dev, home = plan.config(system.training).recipe, plan.folder / system.training
    measure, limit = (of_dev.dev_measure, of_dev.dev_limit) if of_dev is not None else ("MAP", 0)

    def measured(log: Log) -> None:
        if of_dev is not None:
            untrained(plan, measure, limit, log)

    plan = replace(plan, before=lambda: measured(plan.log))
    ranker = plan.ranker(name) if recipe is None else encoders.fit(recipe, plan, callbacks)
    measured(lambda line: None)  # of a training that was finished before
    fitted = outcome(name, ranker, plan, measure, limit, home if of_dev is not None else plan.folder)
    if of_dev is not None:
        stored = plan.folder / FOLDER / OUTCOMES / f"{name}.json"
        stored.parent.mkdir(exist_ok=True)
        with atomic_write(stored) as draft:
            compared = [asdict(comparison) for comparison in fitted.comparisons]
            content = {"value": fitted.value, "baselines": dict(fitted.baselines), "comparisons": compared}
            draft.write_text(json.dumps(content) + "\n", encoding="utf-8")
    return fitted


def untrained(plan: Trainings, measure: str, limit: int, log: Log) -> None:
    """Measure the baselines on the first ``limit`` dev questions (0: all), store their values, and log each mean.

    A baseline whose weights are not on this machine is logged as missing.
    """
    dev = check_dev(plan.dev, measure, limit)
    for name, label in BASELINES.items():
        system = catalog.system(name)
        if isinstance(system, Trained):
            continue
        try:
            ranker = on_device(system.make(plan.train, 0), plan.device)
            value = measures.mean(_measured(ranker, dev, measure, plan.folder, name))
        except (CheckpointNotFoundError, MissingExtraError) as error:
            log(f"{label} is not compared: {error}")
            continue
        log(f"{label}, without training: dev {measure} {value:.4f}")


def outcome(system: str, ranker: Ranker, plan: Trainings, measure: str, limit: int, home: Path) -> Fitted:
    """Return a trained ranker, of this home, beside the baselines and the best earlier training in the folder.

    The folder has the dev run of each ranker. Only runs on the same questions count.
    """
    dev, folder = check_dev(plan.dev, measure, limit), plan.folder
    values = _measured(ranker, dev, measure, folder, system)
    stored = {path.stem: _stored(path, dev) for path in sorted((folder / FOLDER).glob("*.json"))}
    others = {name: _values(run, dev, measure) for name, run in stored.items() if run is not None and name != system}
    trained = {name: of for name, of in others.items() if name not in BASELINES}
    best = max(trained, key=lambda name: measures.mean(trained[name]), default=None)
    names = [*(name for name in BASELINES if name in others), *([best] if best is not None else [])]
    ours, label = _evaluation(system, values, dev, measure), {name: BASELINES.get(name, name) for name in names}
    return Fitted(
        system=system,
        ranker=ranker,
        folder=home,
        measure=measure,
        value=measures.mean(values),
        n_questions=int((~np.isnan(values)).sum()),
        comparisons=tuple(
            replace(compare(_evaluation(name, others[name], dev, measure), ours, measure), first=label[name])
            for name in names
        ),
        baselines={label[name]: measures.mean(others[name]) for name in names},
    )


def stored_outcome(folder: Path, name: str) -> dict[str, Any]:
    """Return ``value``, ``baselines`` and ``comparisons`` of ``Fitted`` of a finished training; {} if not stored."""
    path = folder / FOLDER / OUTCOMES / f"{name}.json"
    return search.read_json(path) if path.is_file() else {}


def _measured(ranker: Ranker, dev: Questions, measure: str, folder: Path, name: str) -> FloatArray:
    """Return the dev measure of each question, (questions,), of a run that the folder has or that is made."""
    path = folder / FOLDER / f"{name}.json"
    run = _stored(path, dev)
    if run is None or run.signature != ranker.signature:
        run = runs.run(ranker, dev, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as draft:
            draft.write_text(json.dumps({"questions": dev.fingerprint, **run._asdict()}) + "\n", encoding="utf-8")
    return _values(run, dev, measure)


def _stored(path: Path, dev: Questions) -> Run | None:
    """Return the run in this file, or None if it has none of these questions."""
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        same = content["questions"] == dev.fingerprint and content["scores"].keys() == {question.id for question in dev}
        return Run(path.stem, content["scores"], content["signature"]) if same else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # a file that was cut off is made again


def _values(run: Run, dev: Questions, measure: str) -> FloatArray:
    return measures.measure(run, qrels_of(dev), [measure]).tie_averaged[measure]


def _evaluation(name: str, values: FloatArray, dev: Questions, measure: str) -> Evaluation:
    """Return the values as an evaluation, to be compared."""
    ids = tuple(question.id for question in dev)
    counts = measures.measure(Run(name, {}), qrels_of(dev), [measure]).counts
    return Evaluation(dev.corpus, dev.split, dev.pool, name, None, ids, {measure: values}, {}, {}, counts)
