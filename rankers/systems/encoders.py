"""Encoders of users, trained by sentence-transformers: cross-encoders and bi-encoders that other libraries load."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from answersim._base.errors import MissingExtraError, unknown
from answersim._base.io.output_files import atomic_write
from answersim._base.io.records import check_types
from answersim._base.runtime import training_checkpoints
from answersim.metrics.checkpoints import search
from rankers.models.published import by_name
from rankers.modules import local_checkpoints
from rankers.modules.words import MINILM
from rankers.settings import check_above_zero, check_below_one, check_least, differences
from rankers.training.overrides import ALIASES
from rankers.training.sampling import (
    TrainingSet,
    check_dev,
    check_pool,
    labeled_pairs,
    pools,
    training_set,
    with_positives,
)
from rankers.types import Questions, Ranker

MODEL, HISTORY, CHECKPOINTS, STATED = "model", "history.json", "checkpoints", "training.json"
PAIRS, LISTS, TUPLES = "pairs", "lists", "tuples"
# What each loss of sentence-transformers reads: labeled pairs, all candidates of a question, or a positive with
# negatives. The first one is the default.
LOSSES: Mapping[str, Mapping[str, str]] = {
    "cross-encoder": {
        "BinaryCrossEntropyLoss": PAIRS,
        "MSELoss": PAIRS,
        "ListNetLoss": LISTS,
        "ListMLELoss": LISTS,
        "PListMLELoss": LISTS,
        "RankNetLoss": LISTS,
        "LambdaLoss": LISTS,
        "ADRMSELoss": LISTS,
        "MultipleNegativesRankingLoss": TUPLES,
        "CachedMultipleNegativesRankingLoss": TUPLES,
    },
    "bi-encoder": {
        "MultipleNegativesRankingLoss": TUPLES,
        "CachedMultipleNegativesRankingLoss": TUPLES,
        "TripletLoss": TUPLES,
        "CosineSimilarityLoss": PAIRS,
        "CoSENTLoss": PAIRS,
        "AnglELoss": PAIRS,
        "ContrastiveLoss": PAIRS,
        "OnlineContrastiveLoss": PAIRS,
    },
}
SOURCES = ("pool", "mined")
PRECISIONS = ("float32", "bfloat16", "float16")
Log = Callable[[str], None]


@dataclass(frozen=True)
class EncoderRecipe:
    """The settings of a training of an encoder."""

    encoder: str = MINILM  # the name or the folder of the encoder to start from
    loss: str = ""  # the name of a loss of sentence-transformers; "" for the first one of its kind in ``LOSSES``
    epochs: int = 3  # the number of passes over the training data
    batch_size: int = 16  # the number of samples per device and pass
    accumulation: int = 1  # the number of passes whose gradients are added up for a step
    learning_rate: float = 2e-5  # the peak of the learning rate
    warmup_ratio: float = 0.1  # the share of the steps in which the rate rises from 0; then it falls linearly to 0
    weight_decay: float = 0.01  # weight decay (L2)
    clip: float = 1.0  # the maximum norm of the gradient of a step
    max_length: int = 256  # the maximum number of tokens of a text, or of a pair for a cross-encoder
    negatives: int = 4  # the number of negatives per positive, for losses that read a positive with negatives
    # the source of the negatives: "pool" (wrong candidates of the question first, then answers of other questions) or
    # "mined" (the answers of all questions that the untrained encoder finds most similar)
    source: str = "pool"
    precision: str = "float32"  # "bfloat16" or "float16" trains in mixed precision
    eval_steps: int = 0  # the interval in steps at which dev is measured and the training is saved; 0 for each epoch
    dev_measure: str = "MRR"  # the measure on dev that selects the best state
    dev_limit: int = 0  # the number of dev questions that are measured; 0 for all
    limit: int = 0  # the number of training questions; 0 for all
    keep: str = "best"  # "best" keeps the state with the best dev measure, "last" the last one
    loggers: tuple[str, ...] = ()  # where the host logs to: "tensorboard", "wandb", "mlflow" ...
    seed: int = 0  # the random seed

    def __post_init__(self) -> None:
        """Check the settings. Raise LookupError, TypeError or ValueError with the name, the value and the rule."""
        check_types(EncoderRecipe, vars(self))
        for kind, name, allowed in (
            ("source of negatives", self.source, SOURCES),
            ("precision", self.precision, PRECISIONS),
            ("choice of weights", self.keep, ("best", "last")),
        ):
            if name not in allowed:
                raise unknown(kind, name, allowed)
        check_least(self, 1, "epochs", "batch_size", "accumulation", "negatives")
        check_least(self, 0, "eval_steps", "dev_limit", "limit", "seed", "weight_decay")
        check_least(self, 8, "max_length")
        check_above_zero(self, "learning_rate", "clip")
        check_below_one(self, "warmup_ratio")

    def shape(self, kind: str) -> str:
        """Return what the loss of this training reads. Raise LookupError if this kind has no such loss."""
        name = self.loss or next(iter(LOSSES[kind]))
        if name not in LOSSES[kind]:
            raise unknown(f"loss of a {kind}", name, LOSSES[kind])
        return LOSSES[kind][name]


SMOKE: Mapping[str, Any] = {"epochs": 1, "batch_size": 4, "limit": 24, "dev_limit": 24, "max_length": 48}


def recipe_of(
    kind: str, overrides: Mapping[str, Any], *, preset: str = "cpu", seed: int = 0, encoder: str | None = None
) -> EncoderRecipe:
    """Return the settings of a training with these overrides."""
    known = [setting.name for setting in fields(EncoderRecipe) if setting.name != "seed"]
    for name in overrides:
        if name in known:
            continue
        usual = ALIASES.get(name.lower().replace("-", "_"))
        if usual in known:
            raise LookupError(f"no setting that may be changed is called {name!r}; did you mean {usual!r}?")
        raise unknown("setting that may be changed", name, known)
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in overrides.items()}
    start = {} if encoder is None else {"encoder": encoder}
    recipe = replace(EncoderRecipe(), **{**(SMOKE if preset == "smoke" else {}), **start, **given}, seed=seed)
    recipe.shape(kind)
    return recipe


def fit(
    kind: str,
    train: Questions,
    dev: Questions,
    recipe: EncoderRecipe,
    *,
    folder: Path,
    log: Log,
    device: str | None = None,
    callbacks: Sequence[Any] = (),
    before: Callable[[], None] = lambda: None,
) -> Ranker:
    """Return the trained encoder as a ranker. An interrupted training resumes from its last complete checkpoint.

    Args:
        kind: "cross-encoder" or "bi-encoder".
        train: The training questions.
        dev: The questions that select the best state.
        recipe: The settings.
        folder: The folder of trainings. This one is in the subfolder ``kind``; its subfolder ``model`` is what
            ``CrossEncoder(folder)`` or ``SentenceTransformer(folder)`` loads.
        log: Called with one line after each evaluation.
        device: "cpu", "cuda" ...; None for a GPU if there is one. Several GPUs are used under ``accelerate launch``.
        callbacks: ``TrainerCallback`` objects of transformers.
        before: Called once before the first step.
    """
    home = folder / kind
    base = local_checkpoints.checkpoint(recipe.encoder)
    stated = _stated(kind, recipe, train, dev, base.fingerprint)
    _check_same(home, stated)
    if (home / HISTORY).is_file():
        return by_name(str(home / MODEL), device or "auto")
    kept = check_dev(dev, recipe.dev_measure, recipe.dev_limit)
    data = training_set(train, recipe.limit)
    if recipe.shape(kind) == TUPLES:
        check_pool(data, 1 if recipe.loss == "TripletLoss" else recipe.negatives)
    for notice in _left_out(recipe, train, dev):
        log(f"{kind}: {notice}")
    before()
    with training_checkpoints.alone(home):
        with atomic_write(home / STATED) as draft:
            draft.write_text(json.dumps(stated, indent=1) + "\n", encoding="utf-8")
        _train(kind, data, kept, recipe, base.folder, home, stated, log, device, callbacks)
    return by_name(str(home / MODEL), device or "auto")


def _stated(kind: str, recipe: EncoderRecipe, train: Questions, dev: Questions, base: str) -> dict[str, Any]:
    """Return everything that identifies a training, as read back from JSON."""
    settings = {name: value for name, value in asdict(recipe).items() if name not in ("encoder", "loggers")}
    stated = {
        "training": kind,
        "encoder": {"name": Path(recipe.encoder).name, "fingerprint": base},
        "recipe": settings,
        "train": train.fingerprint,
        "dev": dev.fingerprint,
        "corpus": train.corpus,
    }
    return json.loads(json.dumps(stated))


def _check_same(home: Path, stated: Mapping[str, Any]) -> None:
    if not (home / STATED).is_file():
        return
    other = "; ".join(differences(search.read_json(home / STATED), stated))
    if other:
        raise ValueError(f"{home} contains a training with other settings ({other}): give another folder, or remove it")


def _left_out(recipe: EncoderRecipe, train: Questions, dev: Questions) -> list[str]:
    """Return one notice for each reason for which questions take no part."""
    notices, n = [], len(with_positives(train))
    if n < len(train):
        notices.append(
            f"{len(train) - n:,} of {len(train):,} training questions have no relevant candidate and are left out"
        )
    for name, limit, size, of in (
        ("limit", recipe.limit, n, "training questions"),
        ("dev_limit", recipe.dev_limit, len(dev), "dev questions"),
    ):
        if 0 < limit < size:
            notices.append(f"only the first {limit:,} of {size:,} {of} are used ({name}; 0 uses all)")
    return notices


def _train(
    kind: str,
    data: TrainingSet,
    dev: Questions,
    recipe: EncoderRecipe,
    base: Path,
    home: Path,
    stated: Mapping[str, Any],
    log: Log,
    device: str | None,
    callbacks: Sequence[Any],
) -> None:
    """Train, save the model, and finally write the history, which marks the training as finished."""
    host = _host()
    from rankers.systems.evaluator import AnswerSelectionEvaluator

    model = _model(kind, host, base, recipe, device)
    evaluator = AnswerSelectionEvaluator(
        dev, measures=[recipe.dev_measure], batch_size=recipe.batch_size, name="dev", write_csv=False
    )
    started = time.perf_counter()
    epochs: list[dict[str, Any]] = []
    last = _last_checkpoint(home / CHECKPOINTS)
    if last is None:
        epochs.append({"epoch": 0.0, "loss": None, "dev": evaluator(model)[f"dev_{recipe.dev_measure}"]})
        log(f"{kind}: epoch 0 of {recipe.epochs}: dev {recipe.dev_measure} {epochs[0]['dev']:.4f} (untrained)")
    else:
        epochs += search.read_json(last / HISTORY)["epochs"] if (last / HISTORY).is_file() else []
        log(f"{kind}: resumed from {last.name}")
    samples = _dataset(kind, data, recipe, host, base, log)
    trainer = _trainer(kind, host)(
        model=model,
        args=_arguments(kind, host, recipe, home / CHECKPOINTS, device),
        train_dataset=samples,
        evaluator=evaluator,
        loss=getattr(_losses(kind, host), recipe.loss or next(iter(LOSSES[kind])))(model),
        callbacks=[_reporter(kind, recipe, epochs, log), *callbacks],
    )
    from transformers import PrinterCallback

    trainer.remove_callback(PrinterCallback)
    trainer.train(resume_from_checkpoint=None if last is None else str(last))
    model.to("cpu")
    model.save_pretrained(str(home / MODEL))
    history = {
        "provenance": stated,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "epochs": epochs,
        "seconds": round(time.perf_counter() - started, 1),
        "versions": {name: version(name) for name in ("answersim", "sentence-transformers", "transformers", "torch")},
    }
    with atomic_write(home / HISTORY) as draft:
        draft.write_text(json.dumps(history, indent=1) + "\n", encoding="utf-8")


def _host() -> Any:
    try:
        import accelerate  # noqa: F401 # the trainers need it
        import datasets  # noqa: F401
        import sentence_transformers
    except ImportError as error:
        raise MissingExtraError("training an encoder", "train", error.name or "sentence-transformers") from error
    return sentence_transformers


def _model(kind: str, host: Any, base: Path, recipe: EncoderRecipe, device: str | None) -> Any:
    """Return the encoder before its first step. A cross-encoder has one output, whose head is new if it had none."""
    import torch

    torch.manual_seed(recipe.seed)  # a new head
    if kind == "cross-encoder":
        return host.CrossEncoder(str(base), num_labels=1, max_length=recipe.max_length, device=device)
    model = host.SentenceTransformer(str(base), device=device)
    model.max_seq_length = min(recipe.max_length, model.max_seq_length or recipe.max_length)
    return model


def _losses(kind: str, host: Any) -> Any:
    from importlib import import_module

    name = "cross_encoder.losses" if kind == "cross-encoder" else "sentence_transformer.losses"
    return import_module(f"{host.__name__}.{name}")


def _trainer(kind: str, host: Any) -> Any:
    return host.CrossEncoderTrainer if kind == "cross-encoder" else host.SentenceTransformerTrainer


def _arguments(kind: str, host: Any, recipe: EncoderRecipe, folder: Path, device: str | None) -> Any:
    arguments = (
        host.CrossEncoderTrainingArguments if kind == "cross-encoder" else host.SentenceTransformerTrainingArguments
    )
    when = {"eval_strategy": "steps", "save_strategy": "steps", "eval_steps": recipe.eval_steps} | {
        "save_steps": recipe.eval_steps
    }
    if not recipe.eval_steps:
        when = {"eval_strategy": "epoch", "save_strategy": "epoch"}
    # transformers 5 reads a share of the steps in warmup_steps, and has no warmup_ratio
    known = {setting.name for setting in fields(arguments)}
    warmup = {"warmup_ratio" if "warmup_ratio" in known else "warmup_steps": recipe.warmup_ratio}
    return arguments(
        output_dir=str(folder),
        num_train_epochs=recipe.epochs,
        per_device_train_batch_size=recipe.batch_size,
        gradient_accumulation_steps=recipe.accumulation,
        learning_rate=recipe.learning_rate,
        weight_decay=recipe.weight_decay,
        max_grad_norm=recipe.clip,
        bf16=recipe.precision == "bfloat16",
        fp16=recipe.precision == "float16",
        seed=recipe.seed,
        data_seed=recipe.seed,
        use_cpu=device == "cpu",
        save_total_limit=2,
        load_best_model_at_end=recipe.keep == "best",
        metric_for_best_model=f"eval_dev_{recipe.dev_measure}",
        greater_is_better=True,
        logging_strategy="epoch",
        report_to=list(recipe.loggers) or "none",
        disable_tqdm=True,
        **when,
        **warmup,
    )


def _reporter(kind: str, recipe: EncoderRecipe, epochs: list[dict[str, Any]], log: Log) -> Any:
    """Return the callback that logs each evaluation, and keeps the history beside each checkpoint."""
    from transformers import TrainerCallback

    class Reporter(TrainerCallback):  # type: ignore[misc] # the library has no types
        loss: float | None = None

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            self.loss = (logs or {}).get("loss", self.loss)

        def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Any = None, **_: Any) -> None:
            value = float((metrics or {})[f"eval_dev_{recipe.dev_measure}"])
            star = " *" if value > max((row["dev"] for row in epochs), default=-np.inf) else ""
            epochs.append({"epoch": round(float(state.epoch), 3), "loss": self.loss, "dev": value})
            loss = "" if self.loss is None else f"loss {self.loss:.4f}, "
            log(f"{kind}: epoch {state.epoch:.3g} of {recipe.epochs}: {loss}dev {recipe.dev_measure} {value:.4f}{star}")

        def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            place = Path(args.output_dir) / f"checkpoint-{state.global_step}" / HISTORY
            place.write_text(json.dumps({"epochs": epochs}), encoding="utf-8")

    return Reporter()


def _last_checkpoint(folder: Path) -> Path | None:
    """Return the last checkpoint that was written completely, None without one. Its state is written last."""
    found = [path for path in folder.glob("checkpoint-*") if (path / "trainer_state.json").is_file()]
    return max(found, key=lambda path: int(path.name.rpartition("-")[2]), default=None)


def _dataset(kind: str, data: TrainingSet, recipe: EncoderRecipe, host: Any, base: Path, log: Log) -> Any:
    """Return the samples in the shape that the loss reads."""
    from datasets import Dataset

    shape = recipe.shape(kind)
    if recipe.source == "mined" and shape == LISTS:
        raise ValueError(f"loss {recipe.loss} reads all candidates of a question, so source=mined would be ignored")
    if recipe.source == "mined":
        return _mined(kind, data, recipe, host, base, log)
    if shape == PAIRS:
        pairs, labels = labeled_pairs(data)
        return Dataset.from_dict(
            {
                "question": [data.questions[i] for i in pairs[:, 0]],
                "candidate": [data.answers[i] for i in pairs[:, 1]],
                "label": labels.astype(float).tolist(),
            }
        )
    if shape == LISTS:
        rows = [[*good.tolist(), *wrong.tolist()] for good, wrong in zip(data.positives, data.negatives, strict=True)]
        graded = [
            [1.0] * len(good) + [0.0] * len(wrong) for good, wrong in zip(data.positives, data.negatives, strict=True)
        ]
        kept = [i for i, row in enumerate(rows) if len(row) > 1]
        if len(kept) < len(rows):
            log(
                f"{kind}: {len(rows) - len(kept):,} questions have a single candidate and are left out by {recipe.loss}"
            )
        return Dataset.from_dict(
            {
                "question": [data.questions[i] for i in kept],
                "candidates": [[data.answers[row] for row in rows[i]] for i in kept],
                "label": [graded[i] for i in kept],
            }
        )
    n = 1 if recipe.loss == "TripletLoss" else recipe.negatives
    wrong = pools(data, data.pairs, n, np.random.default_rng([recipe.seed, 0, 1]))  # (positives, n)
    columns = {
        "question": [data.questions[i] for i in data.pairs[:, 0]],
        "positive": [data.answers[i] for i in data.pairs[:, 1]],
    }
    columns |= {f"negative_{k + 1}": [data.answers[i] for i in wrong[:, k]] for k in range(n)}
    return Dataset.from_dict(columns)


def _mined(kind: str, data: TrainingSet, recipe: EncoderRecipe, host: Any, base: Path, log: Log) -> Any:
    """Return samples whose negatives are the answers of all questions that an untrained encoder finds most similar."""
    from datasets import Dataset
    from sentence_transformers.util import mine_hard_negatives

    miner = base if kind == "bi-encoder" else local_checkpoints.checkpoint(MINILM).folder
    positives = Dataset.from_dict(
        {
            "question": [data.questions[i] for i in data.pairs[:, 0]],
            "positive": [data.answers[i] for i in data.pairs[:, 1]],
        }
    )
    n = 1 if recipe.loss == "TripletLoss" else recipe.negatives
    form = "labeled-pair" if recipe.shape(kind) == PAIRS else "n-tuple"
    mined = mine_hard_negatives(
        positives,
        host.SentenceTransformer(str(miner)),
        corpus=data.answers,
        num_negatives=n,
        output_format=form,
        verbose=False,
    )
    log(f"{kind}: {len(mined):,} samples with negatives mined by {Path(miner).name} from {len(data.answers):,} answers")
    return mined
