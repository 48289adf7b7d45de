"""The public functions: rank and score candidates, train a system, compute a run and evaluate it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from answersim._base.arguments import is_unicode
from rankers.evaluation.evaluate import evaluate
from rankers.systems import catalog
from rankers.systems.definitions import Untrained, on_device
from rankers.types import FloatArray, Questions, RankedCandidate, Ranker, Run

if TYPE_CHECKING:
    import torch

    from rankers.fitting.outcome import Fitted

__all__ = ["DEFAULT", "evaluate", "fit", "load", "rank", "resolve", "run", "score", "windowed"]

DEFAULT = "minilm-hybrid"  # chosen on dev splits: benchmarks/results/reranking.md

Model: TypeAlias = "str | os.PathLike[str] | Ranker | Any"


def rank(
    question: str,
    candidates: Sequence[str],
    model: Model | Sequence[Model] | None = None,
    *,
    device: str | None = None,
) -> list[RankedCandidate]:
    """Rank candidates by how well they answer a question, best first.

    Args:
        question: Its text.
        candidates: Their texts, each once. No candidates give an empty list.
        model: The name of a system that needs no training, the folder or name of a trained ranker, the name of a
            published cross-encoder or bi-encoder on this machine (``rankers fetch`` downloads one), a loaded
            ``CrossEncoder`` or ``SentenceTransformer``, or any ``Ranker``. The default, ``minilm-hybrid``, needs no
            training and no internet. "bm25" counts words in the given candidates. A list of models is fused by
            reciprocal ranks.
        device: Where networks compute: "cpu", "cuda", "cuda:1" ...; None for a GPU if there is one. Rankers that are
            not neural always run on the CPU. A loaded object keeps its own device.

    Returns:
        One ``RankedCandidate`` (index, text, score) per candidate. Equal scores keep the order of the candidates.

    Raises:
        CheckpointNotFoundError: If no model of this name is on this machine.
        LookupError: If a name looks like that of a system, but there is no such system.
        TypeError: If an argument is of another type, or a device is given for a loaded object.
        ValueError: If the model has to be trained first, a text is empty, a candidate is given twice, a score is not
            finite, or there is no such device. The message names it.

    >>> candidates = ["It rained all day.", "The report was written by Ann."]
    >>> best, *others = rank("Who wrote the report?", candidates, "bm25")
    >>> best.index, best.text
    (1, 'The report was written by Ann.')

    Source of the fusion: Cormack, Clarke & Buettcher 2009.
    """
    from rankers.evaluation import runs
    from rankers.models.fusion import fused

    listed = _texts(question, candidates)
    _check_rankable(question, listed)
    models = list(model) if isinstance(model, list | tuple) else [model]
    if not models:
        raise ValueError("model is an empty list; name a model, or leave it out for the default one")
    chosen = fused([resolve(one, device=device) for one in models])
    if not listed:
        return []
    total = runs.finite(chosen.score([question], [listed])[0], chosen.signature, question, listed)
    order = sorted(range(len(listed)), key=lambda i: -total[i])  # stable
    return [RankedCandidate(i, listed[i], float(total[i])) for i in order]


def resolve(model: Model | None = None, *, device: str | None = None) -> Ranker:
    """Return the ranker of one ``model`` of ``rank``, on a device; the default one for None. Raises as ``rank``."""
    from rankers.models.sentence_transformers_models import of_object

    _check_device(device)
    if isinstance(model, str | os.PathLike | None):
        return _named_model(DEFAULT if model is None else model, device)
    if isinstance(model, type):
        raise TypeError(f"model is the class {model.__name__}, but it must be an object: {model.__name__}(...)")
    ranker = of_object(model) or model
    if not isinstance(ranker, Ranker):
        raise TypeError(f"model is {model!r:.60} ({type(model).__name__}), but it must be a name, a folder or a ranker")
    if device is not None:
        raise TypeError(
            f"device is {device!r}, but {type(model).__name__} is loaded already and stays on its own device; give "
            "device to the call that loads it, or name the model"
        )
    return ranker


def score(
    question: str, candidates: Sequence[str], model: Model | None = None, *, device: str | None = None
) -> FloatArray:
    """Return one score per candidate, in order, float64, (candidates,); higher is a better answer.

    Args:
        question: Its text.
        candidates: Their texts. A text may be given twice.
        model: One model, as for ``rank``.
        device: As for ``rank``.

    Raises:
        CheckpointNotFoundError, LookupError: As for ``rank``.
        TypeError: If an argument is not text. The message names it and gives its value.
        ValueError: If the model has to be trained first, a text contains half a surrogate pair, or the model gives a
            candidate a score that is not finite. The message names the candidate.

    >>> candidates = ["It rained.", "Ann wrote it."]
    >>> first, second = score("Who wrote it?", candidates, "word-overlap")
    >>> bool(second > first)
    True
    """
    from rankers.evaluation import runs

    listed = _texts(question, candidates)
    ranker = resolve(model, device=device)
    return runs.finite(ranker.score([question], [listed])[0], ranker.signature, question, listed)


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
    device: str | None = None,
) -> Fitted:
    """Train a system, or load it if it was trained in ``folder``. An interrupted training resumes.

    Args:
        system: A name of ``names()``.
        train: The training questions.
        dev: The questions that determine the best epoch, and the weights of the members of a committee.
        folder: The folder of the trainings, with one subfolder each. An interrupted training resumes.
        preset: "smoke" (seconds), "cpu" (minutes) or "paper" (the published settings).
        seed: The random seed.
        overrides: Settings to change, by name, such as ``{"epochs": 3, "adversary.baseline": "mean"}``.
        log: Called with one line after each epoch, and with what is left out, truncated, or measured before it.
        device: Where the network is trained and ranks: "cpu", "cuda" ...; None for a GPU if there is one. A training
            may resume on another device. The last digits of its numbers then differ.

    Returns:
        The trained ranker, with its dev measure beside the untrained default, BM25 and the best earlier training in
        this folder. It says so if it is below the untrained default.

    Raises:
        LookupError: If no system or preset has this name, or an override names no setting.
        TypeError: If an argument has another type than stated.
        ValueError: If questions cannot be trained on, the folder contains other trainings, an override would have no
            effect, the device does not exist, or the training diverges.
    """
    from rankers.evaluation import runs
    from rankers.fitting import checks, outcome

    runs.check_questions(train, "train")
    runs.check_questions(dev, "dev")
    if not isinstance(folder, str | os.PathLike):
        raise TypeError(f"folder is {folder!r:.60}, but it must be the path of a folder")
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"seed is {seed!r:.60}, but it must be a whole number")
    _check_device(device)
    if log is not None and not callable(log):
        raise TypeError(f"log is {log!r:.60}, but it must be a function that takes one line")
    checks.check_overrides(system, overrides, preset=preset, corpus=train.corpus)
    return outcome.fit(
        system,
        train,
        dev,
        folder=Path(folder),
        preset=preset,
        seed=seed,
        overrides=overrides,
        log=log or (lambda line: None),
        device=device,
    )


def load(folder: str | os.PathLike[str], *, device: str | None = None) -> Ranker:
    """Return the trained ranker in this folder, or of this published name.

    Args:
        folder: A folder that ``rankers.artifacts.store.save`` or ``rankers publish`` wrote, or a name that
            ``$ANSWERSIM_MODELS`` or an installed package has. The network is not used.
        device: As for ``rank``.

    Raises:
        FileNotFoundError: If there is no such folder and no such published ranker.
        ValueError: If its weights or words differ from those that were saved.
    """
    from rankers.artifacts import store

    return store.load(folder, _device(device))


def run(model: Model | None, questions: Questions, name: str = "", *, device: str | None = None) -> Run:
    """Score every candidate of these questions.

    Args:
        model: One model, as for ``rank``.
        questions: A split of a corpus, such as ``rankers.data.load`` returns.
        name: The name of the run. The default is that of the model, or else the first word of its signature.
        device: As for ``rank``.

    Returns:
        The scores by the ids of question and candidate, for ``evaluate`` or a TREC file.

    Raises:
        CheckpointNotFoundError, LookupError: As for ``rank``.
        TypeError: If an argument is of another type.
        ValueError: If the model has to be trained first, a question or candidate has no text, two have one id, or a
            score is not finite.
    """
    from rankers.evaluation import runs

    return runs.run(resolve(model, device=device), questions, name or (model if isinstance(model, str) else ""))


def windowed(model: Model | None = None, *, device: str | None = None) -> Ranker:
    """Return a ranker that reads candidates longer than its encoder in windows, and takes their highest score.

    Args:
        model: One model, as for ``rank``: a cross-encoder, a bi-encoder or a trained ranker.
        device: As for ``rank``.

    Raises:
        CheckpointNotFoundError, LookupError, ValueError: As for ``rank``.
        TypeError: If the model is not an encoder, such as "bm25", which reads whole texts.
    """
    from rankers.models.windows import Windows

    return Windows(resolve(model, device=device))


def _texts(question: object, candidates: object) -> list[str]:
    """Return the candidates as a list. Raise TypeError or ValueError if they or the question are not texts."""
    if isinstance(candidates, str):
        raise TypeError("candidates is one text, but it must be a sequence of texts: give [text]")
    if not isinstance(candidates, Iterable) or isinstance(candidates, bytes | Mapping):
        raise TypeError(f"candidates is {candidates!r:.60}, but it must be a sequence of texts: give [text]")
    listed = list(candidates)
    for what, text in [
        ("question", question),
        *((f"candidates[{i}]", candidate) for i, candidate in enumerate(listed)),
    ]:
        _check_text(what, text)
    return listed


def _check_rankable(question: str, candidates: Sequence[str]) -> None:
    """Check that every text has content and that no candidate is given twice."""
    if not question.strip():
        raise ValueError(f"question is {question!r:.60}, but it must contain words")
    first: dict[str, int] = {}
    for i, text in enumerate(candidates):
        if not text.strip():
            raise ValueError(f"candidates[{i}] is {text!r:.60}, but an empty text cannot be ranked; leave it out")
        if text in first:
            raise ValueError(
                f"candidates[{first[text]}] and candidates[{i}] are the same text, {text!r:.60}; give each candidate "
                "once: list(dict.fromkeys(candidates))"
            )
        first[text] = i


def _check_text(what: str, text: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{what} is {text!r:.60} ({type(text).__name__}), but it must be a text")
    if not is_unicode(text):
        raise ValueError(
            f"{what} contains half a surrogate pair, which is not a character; repair the text where it was decoded"
        )


def _named_model(name: str | os.PathLike[str], device: str | None) -> Ranker:
    """Return the ranker of a name: a system, a trained ranker, or a published model."""
    from answersim._base.errors import CheckpointNotFoundError, MissingExtraError
    from rankers.artifacts import store
    from rankers.models.published import by_name, full_name

    text = os.fspath(name)
    if isinstance(name, str) and name in catalog.SYSTEMS:
        return _system(name, device)
    if store.is_ranker(text):
        return load(name, device=device)
    try:
        return by_name(text, device or "auto")
    except (CheckpointNotFoundError, MissingExtraError):
        if "/" not in full_name(text) and os.sep not in text:
            catalog.system(text)  # the LookupError suggests the nearest name
        raise


def _system(name: str, device: str | None) -> Ranker:
    """Return a system that is ready to rank."""
    system = catalog.system(name)
    if not isinstance(system, Untrained) or not system.is_ready:
        raise ValueError(
            f"{name!r} has to be trained first: rankers.fit({name!r}, train, dev, folder=...) gives a ranker, as does "
            f"'rankers train {name} --data ... --folder F'"
        )
    return on_device(system.make(None, 0), device)


def _check_device(device: str | None) -> None:
    if device is not None:
        _device(device)


def _device(device: str | None) -> torch.device:
    from rankers.inputs.devices import resolve as resolve_device

    return resolve_device(device)
