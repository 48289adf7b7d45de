"""The public functions: score candidates, train a system, make a run and evaluate it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from answersim.errors import warn_user
from answersim.types import is_unicode
from rankers.systems import catalog
from rankers.systems.definitions import Untrained
from rankers.types import FloatArray, Questions, Ranker, Run

if TYPE_CHECKING:
    from answersim import Metric
    from rankers.evaluation.evaluation import Evaluation

DEFAULT = "minilm-maxsim"


def score(question: str, candidates: Sequence[str], ranker: str | os.PathLike[str] | Ranker = DEFAULT) -> FloatArray:
    """Return one score per candidate, in order, float64, (candidates,); higher is a better answer.

    Args:
        question: Its text.
        candidates: Their texts.
        ranker: The name of a system that needs no training, the folder or the published name of a trained one, or a
            ranker.

    Raises:
        LookupError: If no ranker has this name.
        TypeError: If an argument is not text; the message names it and gives its value.
        ValueError: If the ranker has to be trained first, a text holds half a surrogate pair, or the ranker gives a
            candidate a score that is not finite; names the candidate.

    >>> score("Who wrote it?", ["It rained.", "Ann wrote it."], "word-overlap").round(2).tolist()[1] > 0
    True
    """
    from rankers.evaluation import runs

    if isinstance(candidates, str):
        raise TypeError("candidates is one text, but a sequence of texts is needed: give [text]")
    if not isinstance(candidates, Iterable) or isinstance(candidates, bytes | Mapping):
        raise TypeError(f"candidates is {candidates!r:.60}, but a sequence of texts is needed: give [text]")
    listed = list(candidates)
    for what, text in [
        ("question", question),
        *((f"candidates[{i}]", candidate) for i, candidate in enumerate(listed)),
    ]:
        _check_text(what, text)
    chosen = _ranker(ranker)
    return runs.finite(chosen.score([question], [listed])[0], chosen.signature, question, listed)


def fit(
    system: str,
    train: Questions,
    dev: Questions,
    *,
    folder: str | os.PathLike[str],
    preset: str = "cpu",
    seed: int = 0,
    overrides: Mapping[str, Any] | None = None,
    log: Callable[[str], None] | None = None,
    changes: Mapping[str, Any] | None = None,
    say: Callable[[str], None] | None = None,
) -> Ranker:
    """Train a system, or load it if it was trained in ``folder``; a training that was stopped resumes.

    Args:
        system: A name of ``names()``.
        train: What it learns from.
        dev: What decides which epoch is the best, and how much a member of a committee counts.
        folder: Where the trainings are kept, one folder each; a training that was stopped resumes.
        preset: "smoke" (seconds), "cpu" (minutes) or "paper" (the published settings).
        seed: The seed of everything that is random.
        overrides: Settings to change, by name, such as ``{"epochs": 3, "adversary.reward": "literal"}``.
        log: Called with one line after each epoch.
        changes: The former name of ``overrides``.
        say: The former name of ``log``.

    Raises:
        LookupError: If no system or preset has this name, or no setting one of ``overrides``.
        TypeError: If an argument has another type than stated.
        ValueError: Questions that cannot be trained on, a folder that has other trainings, a change that nothing would
            read, or a training whose numbers are not finite any more.
    """
    from rankers.fitting import fitting

    overrides = _present("changes", changes, "overrides", overrides)
    log = _present("say", say, "log", log)
    _check_questions("train", train)
    _check_questions("dev", dev)
    if not isinstance(folder, str | os.PathLike):
        raise TypeError(f"folder is {folder!r:.60}, but the path of a folder is needed")
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"seed is {seed!r:.60}, but a whole number is needed")
    if log is not None and not callable(log):
        raise TypeError(f"log is {log!r:.60}, but a function that takes one line is needed")
    fitting.check_read(system, overrides, preset=preset, corpus=train.corpus)
    return fitting.fit(
        system,
        train,
        dev,
        folder=Path(folder),
        preset=preset,
        seed=seed,
        overrides=overrides,
        log=log or (lambda line: None),
    )


def load(folder: str | os.PathLike[str]) -> Ranker:
    """Return the trained ranker in this folder, or of this published name.

    Args:
        folder: What ``rankers.artifacts.store.save`` or ``rankers publish`` wrote; or a name that
            ``$ANSWERSIM_MODELS`` or an installed package has. The network is not used.

    Raises:
        FileNotFoundError: If there is none.
        ValueError: If its weights or words differ from those that were saved.
    """
    from rankers.artifacts import store

    return store.load(folder)


def run(ranker: str | os.PathLike[str] | Ranker, questions: Questions, name: str = "") -> Run:
    """Return the scores of a ranker for every candidate of these questions; ``ranker`` as for ``score``."""
    from rankers.evaluation import runs

    return runs.run(_ranker(ranker), questions, name or (ranker if isinstance(ranker, str) else ""))


def evaluate(
    run: Run,
    questions: Questions | Mapping[str, Mapping[str, int]],
    measures: Sequence[str] = ("MAP", "MRR", "P@1", "nDCG@5"),
    metrics: Sequence[str | Metric] | Mapping[str, Metric] = (),
    **settings: Any,
) -> Evaluation:
    """Evaluate a run by ranking measures and answer-similarity metrics; see also ``rankers.evaluation.evaluation``.

    Args:
        run: Of ``run``, or read from a TREC file by ``rankers.evaluation.runs.read_trec``.
        questions: The split; or grades by question and document, which is enough for measures.
        measures: Ranking measures, as ir_measures names them.
        metrics: Metrics of answersim, for the top candidate of each question against its gold answers.
        settings: As for ``rankers.evaluation.evaluation.evaluate``.
    """
    from rankers.evaluation import evaluation

    return evaluation.evaluate(run, questions, measures, metrics, **settings)


def _present(old: str, given: Any, name: str, value: Any) -> Any:
    """Return the value of an argument that was renamed; the former name still works, with a warning."""
    if given is None:
        return value
    if value is not None:
        raise TypeError(f"{old} is the former name of {name}, and both were given; give {name} alone")
    warn_user(FutureWarning(f"the argument {old} of rankers.fit is now called {name}"))
    return given


def _check_questions(what: str, questions: object) -> None:
    if not isinstance(questions, Questions):
        raise TypeError(f"{what} is {questions!r:.60}, but a split of a corpus is needed: rankers.data.load(...)")


def _check_text(what: str, text: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{what} is {text!r:.60} ({type(text).__name__}), but a text is needed")
    if not is_unicode(text):
        raise ValueError(
            f"{what} holds half a surrogate pair, which is no character; repair the text where it was decoded"
        )


def _ranker(ranker: str | os.PathLike[str] | Ranker) -> Ranker:
    if not isinstance(ranker, str | os.PathLike):
        if isinstance(ranker, type) or not isinstance(ranker, Ranker):
            raise TypeError(
                f"ranker is {ranker!r:.60} ({type(ranker).__name__}), but a name, a folder or a ranker is needed"
            )
        return ranker
    if isinstance(ranker, os.PathLike) or os.sep in ranker:
        return load(ranker)
    if ranker not in catalog.SYSTEMS:
        from rankers.artifacts import store

        if store.is_published(ranker):
            return load(ranker)
    system = catalog.system(ranker)
    if isinstance(system, Untrained) and not system.reads:
        return system.make(None, 0)
    raise ValueError(
        f"{ranker!r} has to be trained first: rankers.fit({ranker!r}, train, dev, folder=...) gives a ranker"
    )
