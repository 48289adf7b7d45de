"""What is checked and counted before a training: overrides, settings, questions, and texts that are too long."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rankers.modules import scoring
from rankers.modules.scoring import Encoded, Lengths
from rankers.modules.words import Inputs
from rankers.systems import catalog
from rankers.training.definitions import Trained, Training, TrainingConfig
from rankers.training.overrides import apply
from rankers.training.overrides import with_encoder as encoder_overrides
from rankers.training.sampling import TrainingSet, check_dev, check_pool, training_set, with_positives
from rankers.types import Questions


def with_encoder(
    name: str, encoder: str | os.PathLike[str] | None, overrides: Mapping[str, Any] | None, *, preset: str
) -> Mapping[str, Any] | None:
    """Return the overrides, with this encoder in every place of one in the training of a system.

    Raise LookupError if no system has this name. Raise ValueError if the system has no place for an encoder.
    """
    if encoder is None:
        return overrides
    system = catalog.system(name)
    if not isinstance(system, Trained):
        raise ValueError(f"{name} is not trained, so the encoder {os.fspath(encoder)} would be ignored; leave it out")
    places = encoder_overrides(catalog.config(system.training, preset), os.fspath(encoder))
    return {**places, **(overrides if isinstance(overrides, Mapping) else {})}


def check_overrides(name: str, overrides: Mapping[str, Any] | None, *, preset: str = "cpu", corpus: str = "") -> None:
    """Check that each of these overrides affects the training of a system. ``fit`` itself ignores those that do not.

    Args:
        name: A system of the catalog.
        overrides: As for ``fit``.
        preset: The preset of the settings.
        corpus: The training corpus.
    """
    if overrides is not None and (
        not isinstance(overrides, Mapping) or not all(isinstance(name, str) for name in overrides)
    ):
        raise TypeError(f"overrides are {overrides!r:.60}, but they must be settings by name, such as {{'epochs': 3}}")
    system, overrides = catalog.system(name), overrides or {}
    if not overrides:
        return
    if not isinstance(system, Trained):
        raise ValueError(f"{name} is not trained, so the override of {min(overrides)} would be ignored; leave it out")
    names = [system.training]
    while (start := catalog.TRAININGS[names[-1]].start) and start not in names:
        names.append(start)
    trainings = [catalog.TRAININGS[name] for name in names]
    configs = [apply(catalog.config(name, preset, corpus), overrides) for name in names]
    reads = {
        "adversary.": (any(config.adversary is not None for config in configs), "adversary"),
        "training.source": (any(training.transfers for training in trainings), "transfer"),
        "training.pool": (
            any(training.negatives == "hardest" for training in trainings),
            "negatives that are the hardest of a pool",
        ),
        "training.calibration": (system.ranks in ("committee", "uniform"), "committee"),
    }
    for setting in overrides:
        for start, (is_read, what) in reads.items():
            if setting.startswith(start) and not is_read:
                raise ValueError(f"{name} has no {what}, so the override of {setting} would be ignored; leave it out")


def check(training: Training, config: TrainingConfig, train: Questions, dev: Questions) -> None:
    """Check that this training is possible with these questions. The error gives the reason if it is not."""
    recipe = config.recipe
    check_dev(dev, recipe.dev_measure, recipe.dev_limit)
    data = data_of(config, train)
    if recipe.teacher and not data.teacher:
        raise ValueError(
            f"teacher is {recipe.teacher}, but no candidate of {train.corpus} {train.split} has a score of a teacher; "
            "give a table with a column 'teacher'"
        )
    if recipe.reads == "rows":
        return
    if training.negatives == "adversarial" and config.adversary is not None:
        check_pool(data, replace(config.adversary, k=recipe.negatives).pool)  # rejects a k above its pool
    else:
        check_pool(data, max(recipe.negatives, config.pool if training.negatives == "hardest" else 0))


def data_of(config: TrainingConfig, train: Questions) -> TrainingSet:
    """Return the data of a training, including questions that flipped labels leave without a positive."""
    without_positives = config.damage is not None and config.recipe.reads == "rows"
    return training_set(train, config.recipe.limit, without_positives=without_positives)


def left_out(config: TrainingConfig, train: Questions, dev: Questions) -> list[str]:
    """Return one notice for each reason for which questions take no part in a training."""
    recipe, has_positive, notices = config.recipe, with_positives(train), []
    is_damaged = config.damage is not None and recipe.reads == "rows"
    if (without := len(train) - len(has_positive)) and not is_damaged:
        notices.append(f"{without:,} of {len(train):,} training questions have no relevant candidate and are left out")
    for name, limit, n, of in (
        ("limit", recipe.limit, len(train) if is_damaged else len(has_positive), "training questions"),
        ("dev_limit", recipe.dev_limit, sum(bool(question.candidates) for question in dev), "dev questions"),
    ):
        if 0 < limit < n:
            notices.append(f"only the first {limit:,} of {n:,} {of} are used ({name}; 0 uses all)")
    return notices


def encoded(inputs: Inputs, data: TrainingSet, lengths: Lengths) -> tuple[Encoded, str]:
    """Return the ids of the texts of a training, and a notice of how many texts are truncated; "" for none."""
    longer = scoring.encode(inputs.vocabulary, data.questions, data.answers, Lengths(*(n + 1 for n in lengths)))
    parts = []
    for what, ids, most in zip(Lengths._fields, longer, lengths, strict=True):
        if n := sum(len(text) > most for text in ids):
            parts.append(f"{n} of {len(ids)} {what}s are truncated to {most} words or word pieces ({what}_length)")
    return Encoded(*([text[:most] for text in ids] for ids, most in zip(longer, lengths, strict=True))), ", ".join(
        parts
    )
