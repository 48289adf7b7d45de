"""Search for the hyperparameters of a bi-encoder with Optuna, over the space of Table 5 of the paper, on disk."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from answersim._base.io import files
from answersim.training.bi_encoder import train as bi_encoder
from answersim.training.bi_encoder.recipe import BiEncoderRecipe
from answersim.training.data.pairs import TrainingPair
from answersim.training.run import artifact

if TYPE_CHECKING:
    import optuna

# Mustafazade & Ebbinghaus 2022, Table 5; the paper drew five trials and found 64, 2, .45.
BATCH_SIZES = (16, 32, 64, 128, 256)
EPOCHS = (1, 2, 3, 4)
WARMUP_RATIOS = (0.0, 0.5)

STUDY, TRIALS = "study.journal", "trials.csv"
_SEARCHED = ("batch_size", "epochs", "warmup_ratio")


def search(
    recipe: BiEncoderRecipe,
    pairs: Sequence[TrainingPair],
    output: Path,
    trials: int,
    *,
    base: str = bi_encoder.BASE,
    resume: bool = True,
) -> tuple[BiEncoderRecipe, float, Path]:
    """Return the recipe of the best of this many trials, its measure on dev, and the table of all trials.

    Trials on disk count, and one that was killed resumes from its training checkpoint. The settings of a trial follow
    from the seed and from the trials before it. ``resume``: without it, the content of the folder is discarded.
    """
    if trials < 1:
        raise ValueError(f"trials is {trials}, but a search needs at least 1")
    artifact.need_libraries("searching hyper-parameters", ["optuna"])
    from optuna.samplers import TPESampler
    from optuna.trial import TrialState

    study = _study(output, resume)
    _check_same_study(study, bi_encoder.identity(recipe, pairs, base), output / STUDY)
    for running in study.get_trials(states=(TrialState.RUNNING,)):  # when its process ended; its checkpoint is there
        study.tell(running.number, state=TrialState.FAIL)
        study.enqueue_trial(running.params)
    while (number := len(_finished(study))) < trials:
        # a sampler for this trial only, because Optuna stores no random state on disk
        seed = int(np.random.SeedSequence([recipe.seed, number]).generate_state(1)[0])
        study.sampler = TPESampler(seed=seed)
        trial = study.ask()
        chosen = replace(
            recipe,
            batch_size=trial.suggest_categorical("batch_size", BATCH_SIZES),
            epochs=trial.suggest_categorical("epochs", EPOCHS),
            warmup_ratio=trial.suggest_float("warmup_ratio", *WARMUP_RATIOS),
        )
        searched = (f"{name.replace('_', ' ')} {getattr(chosen, name):.4g}" for name in _SEARCHED)
        artifact.log(f"trial {number + 1} of {trials}: {', '.join(searched)}")
        # named by its settings, so that the same trial finds its checkpoint again
        folder = f"batch{chosen.batch_size}-epochs{chosen.epochs}-warm{chosen.warmup_ratio!r}"
        trained = bi_encoder.train(chosen, pairs, output / folder, base=base, resume=resume, test=False, write=False)
        study.tell(trial, trained.best)
        _write_table(study, recipe.measure, output / TRIALS)
        now, best = trained.best, study.best_value
        artifact.log(f"trial {number + 1} of {trials}: dev {recipe.measure} {now:.4f}; best so far {best:.4f}")
    return replace(recipe, **study.best_params), study.best_value, output / TRIALS


def _study(output: Path, resume: bool) -> optuna.Study:
    """Return the study in this folder. A new one starts with the best settings of the paper."""
    import optuna
    from optuna.storages.journal import JournalFileBackend

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    output.mkdir(parents=True, exist_ok=True)
    path = output / STUDY
    if not resume:
        path.unlink(missing_ok=True)
    _cut_half_a_line(path)
    # Not SQLite, which takes seconds to set up and would need another library.
    storage = optuna.storages.JournalStorage(JournalFileBackend(str(path)))
    study = optuna.create_study(storage=storage, study_name="student", direction="maximize", load_if_exists=True)
    if not study.trials:
        best = BiEncoderRecipe()
        study.enqueue_trial({name: getattr(best, name) for name in _SEARCHED})
    return study


def _cut_half_a_line(path: Path) -> None:
    """Remove an incomplete last line, which a process that is killed while it writes leaves and Optuna cannot read."""
    if path.is_file() and not (content := path.read_bytes()).endswith(b"\n"):
        os.truncate(path, content.rfind(b"\n") + 1)


def _check_same_study(study: optuna.Study, identity: Mapping[str, Any], path: Path) -> None:
    """Store the identity of the study, or refuse to continue another one. The searched settings may differ."""
    fixed = {key: value for key, value in identity["recipe"].items() if key not in _SEARCHED}
    expected = json.loads(json.dumps({**identity, "recipe": fixed}))
    if "identity" in study.user_attrs:
        artifact.check_same_training(study.user_attrs["identity"], expected, path)
    study.set_user_attr("identity", expected)


def _finished(study: optuna.Study) -> list[optuna.trial.FrozenTrial]:
    from optuna.trial import TrialState

    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def _write_table(study: optuna.Study, measure: str, path: Path) -> None:
    """Write one line per finished trial, in the order in which they were finished."""
    header = ("trial", *_SEARCHED, f"dev_{measure}", "seconds")
    rows = []
    for i, trial in enumerate(_finished(study), start=1):
        seconds = trial.duration.total_seconds() if trial.duration else 0.0
        settings = [trial.params[name] for name in _SEARCHED]
        rows.append(dict(zip(header, [i, *settings, trial.value, round(seconds, 1)], strict=True)))
    files.write(files.Table(header, rows), path)
