"""Scores of a Ray dataset of any size: a pool of actors that load each encoder once, the numbers of one process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from answersim import arguments
from answersim.catalog import lookup
from answersim.errors import MissingExtraError, unknown
from answersim.scoring import score as scoring
from answersim.types import Metric, capabilities, reads_questions

if TYPE_CHECKING:
    import pyarrow

try:
    import ray
    from ray.data import ActorPoolStrategy, Dataset
except ImportError as error:
    raise MissingExtraError("answersim.integrations.ray", "ray", error.name or "ray") from error

BATCH_ROWS = 4096
_DEVICES = ("auto", "cpu", "cuda", "mps")
_SHOWN = 60  # characters of a value in an error message


class Scored(NamedTuple):
    """A dataset with its new columns, and the signatures of their metrics.

    Attributes:
        dataset: The given rows, with one float64 column per metric. It is lazy, as all of Ray Data: nothing is
            scored before it is written, iterated or materialized.
        signatures: The signature of each new column, which lists all settings that decide its numbers.
    """

    dataset: Dataset
    signatures: dict[str, str]


def score_dataset(
    dataset: Dataset,
    metric: str | Sequence[str] | Mapping[str, str | Metric] = lookup.DEFAULT_METRIC,
    *,
    gold: str = "gold",
    pred: str = "pred",
    question: str | None = None,
    lang: str | None = None,
    profile: str | None = None,
    prefix: str = "",
    device: str | None = None,
    precision: str | None = None,
    batch_tokens: int | None = None,
    concurrency: int | tuple[int, int] | None = None,
    num_cpus: float | None = None,
    num_gpus: float | None = None,
    batch_size: int = BATCH_ROWS,
) -> Scored:
    """Return the dataset with one column per metric, and the signatures, as ``answersim.score_pairs`` computes them.

    Rows are scored in batches by a pool of actors. Each builds the metrics once, so that it loads each encoder once,
    and fails if its weights or its version are not those of the caller. An actor that dies is started again, and
    its batches are done again: the result is whole. Rows stay as they are; their order is Ray's
    (``DataContext.execution_options.preserve_order``).

    Args:
        dataset: Has a column of gold answers (strings, or lists of references of which the best counts) and a column
            of predictions.
        metric: Names, which are also those of the new columns; or a mapping from new columns to names or to metrics
            that were already built.
        gold: The column of gold answers.
        pred: The column of predictions.
        question: The column of questions, for metrics that read them, or None. The signatures of such metrics then
            contain ``question:yes``, also if all questions turn out to be empty: nothing is read before the rows are
            scored.
        lang: The language of the answers, an ISO 639-1 code; "en" if None. It and the profile are for metrics requested
            by name: if one is already built, neither can be given.
        profile: The words or weights behind the names; see ``answersim.metric``.
        prefix: Goes before the names of the new columns.
        device: Where the networks of an actor run: "auto" (a GPU if the actor has one), "cpu", "cuda".
        precision: The number type of the networks, "fp32" (the default), "bf16" or "fp16"; it is signed.
        batch_tokens: How many tokens go through a network at a time; it changes no number.
        concurrency: Actors: so many, or from so many to so many. When not given, one for each GPU, or from one to as
            many as the cluster has CPUs for.
        num_cpus: Processors of each actor; when not given, 1. Torch uses as many threads.
        num_gpus: GPUs of each actor; when not given, 1 where the cluster has GPUs, a metric runs a network and device
            does not forbid it. A share, such as .5, lets actors share one.
        batch_size: Rows that an actor scores in one call.

    Raises:
        TypeError, ValueError, LookupError: Before any work, what ``answersim.score_pairs`` refuses of metrics; a column
            that the dataset lacks or has already; a pool that cannot be.
        ray.exceptions.RayTaskError: While rows are scored: an answer is not a string; the cause names the row.
        ray.exceptions.ActorDiedError: While rows are scored: an actor cannot build the metrics of the caller.
    """
    if device is not None and device.partition(":")[0] not in _DEVICES:
        raise unknown("device", device, _DEVICES)
    by_column, options = _metrics_by_column(metric, device, precision, batch_tokens)
    here = _metrics_here(by_column, options, lang, profile)
    _check_question(question, here)
    built = {f"{prefix}{column}": metric.signature for column, metric in here.items()}
    signatures = {f"{prefix}{column}": scoring.signed(metric, question is not None) for column, metric in here.items()}
    _check_columns(dataset, [gold, pred, *([] if question is None else [question])], list(signatures))
    pool, gpus = _pool(concurrency, num_cpus or 1, _gpus(num_gpus, device, here.values()))
    scored = dataset.map_batches(
        _Scorer,
        fn_constructor_kwargs={
            "metrics": dict(zip(signatures, by_column.values(), strict=True)),
            "options": {f"{prefix}{column}": settings for column, settings in options.items()},
            "signatures": built,
            "columns": (gold, pred, question),
            "texts": (lang, profile),
        },
        batch_size=_positive(batch_size, "batch_size"),
        batch_format="pyarrow",
        compute=pool,
        num_cpus=num_cpus or 1,
        num_gpus=gpus or None,
    )
    return Scored(scored, signatures)


def _metrics_here(
    by_column: Mapping[str, str | Metric], options: Mapping[str, dict[str, Any]], lang: str | None, profile: str | None
) -> dict[str, Metric]:
    """Return the metrics, built on the CPU of the caller to sign them: it may lack the devices of the actors."""
    signing = {
        column: settings | ({"device": "cpu"} if "device" in settings else {}) for column, settings in options.items()
    }
    return {
        column: scoring.build(metric, lang, profile, signing.get(column, {})) for column, metric in by_column.items()
    }


def _check_question(question: str | None, metrics: Mapping[str, Metric]) -> None:
    """Raise ValueError if there is a column of questions and no metric reads it."""
    if question is not None and not any(map(reads_questions, metrics.values())):
        raise ValueError(f"question is {question!r}, but {', '.join(metrics)} reads no question; leave it out")


class _Scorer:
    """What an actor is: the metrics, built once, and a table of rows in, the same with their columns out."""

    def __init__(
        self,
        metrics: Mapping[str, str | Metric],
        options: Mapping[str, dict[str, Any]],
        signatures: Mapping[str, str],
        columns: tuple[str, str, str | None],
        texts: tuple[str | None, str | None],
    ) -> None:
        """Build the metrics; ValueError where they are not those of the caller."""
        self.columns = columns
        self.metrics = {
            column: scoring.build(metric, *texts, options.get(column, {})) for column, metric in metrics.items()
        }
        for column, metric in self.metrics.items():
            if metric.signature != signatures[column]:
                raise ValueError(
                    f"{column}: the caller's metric is {signatures[column]}, but here it is {metric.signature}; "
                    "install the same version and the same weights on every machine"
                )

    def __call__(self, rows: pyarrow.Table) -> pyarrow.Table:
        """Return the rows with one column per metric."""
        import pyarrow

        gold, pred, question = self.columns
        golds, preds = rows.column(gold).to_pylist(), rows.column(pred).to_pylist()
        questions = None if question is None else rows.column(question).to_pylist()
        try:
            scored = scoring.score_pairs(
                list(zip(golds, preds, strict=True)),
                list(self.metrics.values()),
                question=questions,
                progress=False,
            )
        except (TypeError, ValueError) as error:
            raise _naming_the_row(error, rows, golds, preds, questions) from None
        for column, metric in self.metrics.items():
            rows = rows.append_column(column, pyarrow.array(scored[metric.signature].values))
        return rows


def _metrics_by_column(
    metrics: str | Sequence[str] | Mapping[str, str | Metric],
    device: str | None,
    precision: str | None,
    batch_tokens: int | None,
) -> tuple[dict[str, str | Metric], dict[str, dict[str, Any]]]:
    """Return the metric of each new column, and the options of those that were requested by name."""
    if not isinstance(metrics, Mapping):
        metrics = arguments.one_or_several("metric", metrics, "names")
    if not isinstance(metrics, Mapping) and (built := [metric for metric in metrics if not isinstance(metric, str)]):
        raise TypeError(
            f"metric contains {_short(built[0])}, which has no name for its column; give a mapping, such as "
            "{'my-column': metric}"
        )
    by_column: dict[str, str | Metric] = {}
    by_column |= metrics if isinstance(metrics, Mapping) else {name: name for name in metrics}
    if not by_column:
        raise ValueError("metric is empty; name at least one metric")
    if any(option is not None for option in (device, precision, batch_tokens)):
        for column, metric in by_column.items():
            if not isinstance(metric, str):
                raise TypeError(f"{', '.join(lookup.RUNNING)} are for names, but {column!r} is already built")
    named = {column: name for column, name in by_column.items() if isinstance(name, str)}
    by_name = lookup.network_options(named.values(), device, precision, batch_tokens)
    return by_column, {column: by_name[name] for column, name in named.items()}


def _check_columns(dataset: Dataset, needed: Sequence[str], new: Sequence[str]) -> None:
    """Raise a LookupError for a missing column, and a ValueError for a new column that already exists."""
    columns = dataset.columns()
    if columns is None:
        return  # no rows and no schema
    if missing := [column for column in needed if column not in columns]:
        raise LookupError(f"the dataset has no column {missing[0]!r}; its columns are {', '.join(columns)}")
    if taken := [column for column in new if column in columns]:
        raise ValueError(f"the dataset has a column {taken[0]!r} already; choose a prefix= for the new ones")


def _gpus(num_gpus: float | None, device: str | None, metrics: Any) -> float:
    """Return the number of GPUs of each actor."""
    if num_gpus is not None:
        if num_gpus < 0:
            raise ValueError(f"num_gpus is {num_gpus}, but it must be 0 or more")
        return num_gpus
    if device not in (None, "auto") and not str(device).startswith("cuda"):
        return 0
    runs = any(capabilities(part).cost == "model" for metric in metrics for part in _parts(metric))
    return 1 if runs and _resources().get("GPU", 0) >= 1 else 0


def _parts(metric: Any) -> Sequence[Any]:
    return (metric, *getattr(metric, "parts", ()))


def _pool(concurrency: int | tuple[int, int] | None, num_cpus: float, gpus: float) -> tuple[ActorPoolStrategy, float]:
    """Return the pool of actors, and how many GPUs each has."""
    if concurrency is None:
        have = _resources()
        most = have.get("GPU", 0) / gpus if gpus else have.get("CPU", 1) / num_cpus
        return ActorPoolStrategy(min_size=1, max_size=max(1, int(most))), gpus
    if isinstance(concurrency, tuple):
        least, most = (_positive(bound, "concurrency") for bound in concurrency)
        if least > most:
            raise ValueError(f"concurrency is {concurrency}, but the smaller number of actors must come first")
        return ActorPoolStrategy(min_size=least, max_size=most), gpus
    return ActorPoolStrategy(size=_positive(concurrency, "concurrency")), gpus


def _resources() -> dict[str, float]:
    """Return the resources of the cluster. If there is none, a local one is started, as in Ray Data."""
    if not ray.is_initialized():
        ray.init()
    return ray.cluster_resources()


def _positive(value: int, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{what} is {value!r}, but it must be a whole number of at least 1")
    return value


def _naming_the_row(
    error: Exception, rows: pyarrow.Table, golds: list[Any], preds: list[Any], questions: list[Any] | None
) -> Exception:
    """Return the error with the content of the first row that causes it, or the error itself if no single row does."""
    for i, (one, other) in enumerate(zip(golds, preds, strict=True)):
        try:
            scoring.check([one], [other], None if questions is None else [questions[i]])
        except (TypeError, ValueError) as problem:
            row = rows.slice(i, 1).to_pylist()[0]
            content = ", ".join(f"{key}: {_short(value)}" for key, value in row.items())
            return type(problem)(f"{str(problem).replace('[0]', '', 1)}; this is the row {{{content}}}")
    return error


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 3]}..."
