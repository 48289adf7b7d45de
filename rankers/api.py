"""The public functions: rank and score candidates, train a system, compute a run and evaluate it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from answersim._base import arguments
from answersim._base.errors import CheckpointNotFoundError, MissingExtraError
from rankers import queries
from rankers.data.catalog import corpora
from rankers.data.labeled import Data, questions
from rankers.evaluation import evaluate as evaluation
from rankers.evaluation import runs
from rankers.evaluation.measures import USUAL
from rankers.evaluation.qrels import Qrels
from rankers.models import folders
from rankers.models.combinations import fused
from rankers.models.published import by_name, full_name, of_object
from rankers.modules import devices
from rankers.settings import DEFAULT
from rankers.systems import catalog
from rankers.training.definitions import Untrained, on_device
from rankers.types import FloatArray, Questions, RankedCandidate, Ranker, Run

if TYPE_CHECKING:
    from ir_measures import Measure

    from answersim import Metric
    from rankers.evaluation.evaluate import Evaluation
    from rankers.queries import Ranking
    from rankers.systems.outcome import Fitted

__all__ = ["DEFAULT", "evaluate", "fit", "load", "rank", "rank_table", "resolve", "run", "score"]

Model: TypeAlias = "str | os.PathLike[str] | Ranker | Any"


@overload
def rank(  # type: ignore[overload-overlap] # a text is a sequence of texts
    question: str, candidates: Sequence[str], model: Model | Sequence[Model] | None = None, *, device: str | None = None
) -> list[RankedCandidate]: ...


@overload
def rank(
    question: Iterable[str],
    candidates: Iterable[Iterable[str]],
    model: Model | Sequence[Model] | None = None,
    *,
    device: str | None = None,
) -> list[list[RankedCandidate]]: ...


def rank(
    question: str | Iterable[str],
    candidates: Iterable[Any],
    model: Model | Sequence[Model] | None = None,
    *,
    device: str | None = None,
) -> list[RankedCandidate] | list[list[RankedCandidate]]:
    """Rank candidates by how well they answer a question, best first; or those of many questions in one call.

    Args:
        question: Its text, or the texts of many questions (a list, a column of a DataFrame ...).
        candidates: Their texts, each once; for many questions, one list per question. No candidates give an empty list.
        model: The name of a system that needs no training, the folder or name of a trained ranker, the name of a
            published cross-encoder or bi-encoder on this machine (``rankers fetch`` downloads one), a loaded
            ``CrossEncoder`` or ``SentenceTransformer``, or any ``Ranker``. The default, ``minilm-hybrid``, needs no
            training and no internet. "bm25" counts words in the given candidates. A list of models is fused by
            reciprocal ranks.
        device: Where networks compute: "cpu", "cuda", "cuda:1" ...; None for a GPU if there is one. Rankers that are
            not neural always run on the CPU. A loaded object keeps its own device.

    Returns:
        One ``RankedCandidate`` (index, text, score) per candidate, for many questions one list per question. Equal
        scores keep the order of the candidates.

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
    if hasattr(question, "columns"):
        raise TypeError("question is a table; rank_table(table, model) ranks the candidates of all its questions")
    if isinstance(question, Iterable) and not isinstance(question, str | bytes | Mapping):
        return _ranked(list(question), candidates, model, device)
    listed = _texts(question, candidates)
    return _ranked([str(question)], [listed], model, device)[0]


def _ranked(
    questions: list[str], pools: Iterable[Any], model: Model | Sequence[Model] | None, device: str | None
) -> list[list[RankedCandidate]]:
    """Return the ranked candidates of each question, from one call of the ranker."""
    listed_pools = None if isinstance(pools, str) or not isinstance(pools, Iterable) else list(pools)
    if listed_pools is None or len(listed_pools) != len(questions):
        received = repr(pools)[:60] if listed_pools is None else f"{len(listed_pools)} lists"
        raise ValueError(f"{len(questions)} questions came with {received} of candidates; give one list per question")
    listed = [_texts(question, pool) for question, pool in zip(questions, listed_pools, strict=True)]
    for question, texts in zip(questions, listed, strict=True):
        _check_rankable(question, texts)
    chosen = fused_model(model, device=device)
    asked = [i for i, texts in enumerate(listed) if texts]
    scored = chosen.score([questions[i] for i in asked], [listed[i] for i in asked]) if asked else []
    ranked: list[list[RankedCandidate]] = [[] for _ in questions]
    for i, column in zip(asked, scored, strict=True):
        scores = runs.finite(column, chosen.signature, questions[i], listed[i])
        order = sorted(range(len(listed[i])), key=lambda k: -scores[k])  # stable
        ranked[i] = [RankedCandidate(k, listed[i][k], float(scores[k])) for k in order]
    return ranked


def rank_table(
    data: Data,
    model: Model | Sequence[Model] | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    top: int | None = None,
    device: str | None = None,
) -> Ranking:
    """Rank the candidates of every question of a table.

    Args:
        data: A file, a DataFrame, a Dataset, a list of mappings, or a mapping of lists. It has one row per candidate
            (question, candidate), or one per question (question, candidates, a list). Other columns are kept.
        model: As for ``rank``.
        columns: The names of columns by role: question, candidate, question_id, candidate_id.
        top: The number of candidates of each question that are kept; None for all.
        device: As for ``rank``.

    Returns:
        The ranking. ``to_pandas()`` returns a row per candidate, and ``write(path)`` writes a table or a TREC file.

    Raises:
        CheckpointNotFoundError, LookupError, TypeError, ValueError: As for ``rank`` and ``rankers.queries.read``.
    """
    table = queries.read(data, columns)
    name = model if isinstance(model, str) else DEFAULT if model is None else ""
    found = runs.run(fused_model(model, device=device), table.questions, "-".join(Path(name).name.split()))
    return queries.Ranking(found if top is None else queries.best(found, top), table)


def fused_model(model: Model | Sequence[Model] | None, *, device: str | None = None) -> Ranker:
    """Return the ranker of ``model`` of ``rank``; those of a list are fused. Raises as ``rank``."""
    models = list(model) if isinstance(model, list | tuple) else [model]
    if not models:
        raise ValueError("model is an empty list; name a model, or leave it out for the default one")
    return fused([resolve(one, device=device) for one in models])


def resolve(model: Model | None = None, *, device: str | None = None) -> Ranker:
    """Return the ranker of one ``model`` of ``rank``, on a device; the default one for None. Raises as ``rank``."""
    if device is not None:
        devices.resolve(device)
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
    listed = _texts(question, candidates)
    ranker = resolve(model, device=device)
    return runs.finite(ranker.score([question], [listed])[0], ranker.signature, question, listed)


def fit(
    system: str,
    data: Data,
    dev: Data | None = None,
    *,
    folder: str | os.PathLike[str],
    encoder: str | os.PathLike[str] | None = None,
    columns: Mapping[str, str] | None = None,
    relevant: int | None = None,
    preset: str = "cpu",
    seed: int = 0,
    overrides: Mapping[str, Any] | None = None,
    log: Callable[[str], None] | None = None,
    device: str | None = None,
    callbacks: Sequence[Any] = (),
) -> Fitted:
    """Train a system, or load it if it was trained in ``folder``. An interrupted training resumes.

    Args:
        system: A name of ``names()``.
        data: The training questions, as for ``rankers.data.questions``: a file, a DataFrame, a Dataset, lists ...
        dev: The questions that are measured after each epoch, likewise. Most systems keep the best one (``hybrid`` the
            last), and they set the weights in a committee. The default is the dev split of the corpus.
        folder: The folder of the trainings, with one subfolder each. An interrupted training resumes.
        encoder: The encoder, a name or a folder, in every place of one. The default is that of the preset.
        columns: The names of columns by role, of both tables: question, candidate, label ...
        relevant: The lowest grade that counts as relevant. The default is that of the corpus, or 1.
        preset: "smoke" (seconds), "cpu" (minutes) or "paper" (the published settings).
        seed: The random seed.
        overrides: Settings to change, by name, such as ``{"epochs": 3, "adversary.baseline": "mean"}``.
        log: Called with one line after each epoch, and with what is left out, truncated, or measured before it.
        device: Where the network is trained and ranks: "cpu", "cuda" ...; None for a GPU if there is one. A training
            may resume on another device. The last digits of its numbers then differ.
        callbacks: ``TrainerCallback`` objects of transformers, for "cross-encoder" and "bi-encoder".

    Returns:
        The trained ranker, with its dev measure beside the untrained default, BM25 and the best earlier training in
        this folder. It says so if it is below the untrained default.

    Raises:
        LookupError: If no system or preset has this name, an override names no setting, or a column is missing.
        TypeError: If an argument has another type than stated.
        ValueError: If questions cannot be trained on, the folder contains other trainings, an override would have no
            effect, the device does not exist, or the training diverges.
    """
    from rankers.systems import encoders, fit, outcome

    say = log or (lambda line: None)
    arguments.path("folder", folder)
    arguments.whole("seed", seed)
    if log is not None and not callable(log):
        raise TypeError(f"log is {log!r:.60}, but it must be a function that takes one line")
    if device is not None:
        devices.resolve(device)
    if dev is None and not _is_corpus(data):
        raise TypeError(
            "dev is None, but only a corpus has its own dev split; give questions to measure after each epoch"
        )
    recipe, changed = None, None
    if system in catalog.ENCODERS:
        name = None if encoder is None else os.fspath(encoder)
        recipe = encoders.recipe_of(system, overrides, preset=preset, seed=seed, encoder=name)
    elif callbacks:
        raise ValueError(f"callbacks are given, but {system} has its own trainer; they work with a cross-encoder")
    else:
        changed = fit.checked_overrides(system, overrides, encoder=encoder, preset=preset)
    train, asked = _training_questions(data, data if dev is None else dev, columns, relevant, say)
    plan = fit.Trainings(train, asked, Path(folder), preset, seed, changed, say, device)
    return outcome.fit(system, plan, recipe, callbacks)


def _training_questions(
    data: Data, dev: Data, columns: Mapping[str, str] | None, relevant: int | None, say: Callable[[str], None]
) -> tuple[Questions, Questions]:
    one_is_table = not (_is_corpus(data) and _is_corpus(dev))  # a corpus beside it has no columns
    train, asked = (
        questions(
            of,
            split=split,
            columns=None if one_is_table and _is_corpus(of) else columns,
            relevant=relevant,
            notice=say,
        )
        for of, split in ((data, "train"), (dev, "dev"))
    )
    runs.check_questions(train, "data")
    runs.check_questions(asked, "dev")
    return train, asked


def _is_corpus(data: object) -> bool:
    return isinstance(data, str) and data in corpora()


def load(folder: str | os.PathLike[str], *, device: str | None = None) -> Ranker:
    """Return the trained ranker in this folder, or of this published name.

    Args:
        folder: A folder that ``rankers.models.store.save`` or ``rankers publish`` wrote, or a name that
            ``$ANSWERSIM_MODELS`` has. The network is not used.
        device: As for ``rank``.

    Raises:
        FileNotFoundError: If there is no such folder and no such published ranker.
        ValueError: If its weights or words differ from those that were saved.
    """
    from rankers.models import store

    return store.load(folder, devices.resolve(device))


def run(
    model: Model | None,
    data: Data,
    name: str = "",
    *,
    columns: Mapping[str, str] | None = None,
    device: str | None = None,
) -> Run:
    """Score every candidate of labeled questions. ``rank_table`` ranks questions without labels.

    Args:
        model: One model, as for ``rank``.
        data: The questions, as for ``rankers.data.questions``. Of a corpus given by name, the test split is read.
        name: The name of the run. The default is that of the model, or else the first word of its signature.
        columns: The names of the columns of a table by role: question, candidate, label ...
        device: As for ``rank``.

    Returns:
        The scores by the ids of question and candidate, for ``evaluate`` or a TREC file.

    Raises:
        CheckpointNotFoundError, LookupError: As for ``rank``.
        TypeError: If an argument is of another type.
        ValueError: If the model has to be trained first, a question or candidate has no text, two have one id, or a
            score is not finite.
    """
    asked = questions(data, split="test", columns=columns)
    named = name or ("-".join(Path(model).name.split()) if isinstance(model, str) else "")
    return runs.run(resolve(model, device=device), asked, named)


def evaluate(
    run: Run | Model,
    data: Data | Qrels,
    measures: Sequence[str | Measure] = USUAL,
    metrics: Sequence[str | Metric] | Mapping[str, Metric] = (),
    *,
    columns: Mapping[str, str] | None = None,
    device: str | None = None,
    **settings: Any,
) -> Evaluation:
    """Return the ranking measures and answer-similarity metrics of a run, or of a model on these questions.

    Args:
        run: A run; or a model as for ``rank``, which ranks the questions first.
        data: Labeled questions, as for ``rankers.data.questions``; or grades (``Qrels``, or a mapping of questions to
            documents to grades) for a run.
        measures: Ranking measures, such as "MAP" and "nDCG@10".
        metrics: Metrics of answersim, for the top candidate of each question.
        columns: The names of the columns of a table by role: question, candidate, label ...
        device: Where a model computes, as for ``rank``.
        settings: The other arguments of ``rankers.evaluation.evaluate.evaluate``: qrels, gain, without_positives,
            strict, ties_seed, threshold, floor_candidates, dataset, seed, bootstrap and progress.

    Raises:
        CheckpointNotFoundError, LookupError, TypeError, ValueError: As for ``rank`` and
            ``rankers.evaluation.evaluate.evaluate``.
    """
    is_grades = isinstance(data, Qrels) or (
        isinstance(data, Mapping) and all(isinstance(value, Mapping) for value in data.values())
    )
    asked: Any = data if is_grades else questions(data, split="test", columns=columns)
    if not isinstance(run, Run):
        if not isinstance(asked, Questions):
            raise TypeError(f"{run!r:.60} is not a run, and grades contain no texts to rank; give a run, or questions")
        run = runs.run(resolve(run, device=device), asked, run if isinstance(run, str) else "")
    return evaluation.evaluate(run, asked, measures, metrics, **settings)


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
        runs.check_text(what, text)
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


def _named_model(name: str | os.PathLike[str], device: str | None) -> Ranker:
    """Return the ranker of a name: a system, a trained ranker, or a published model."""
    text = os.fspath(name)
    if isinstance(name, str) and name in catalog.ENCODERS:
        raise ValueError(f"{name!r} has to be trained first: rankers.fit({name!r}, data, dev, folder=..., encoder=...)")
    if isinstance(name, str) and name in catalog.SYSTEMS:
        return _system(name, device)
    if isinstance(name, str) and name in catalog.plugin_names():
        return catalog.plugin(name)
    if folders.is_ranker(text):
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
