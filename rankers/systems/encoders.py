"""Encoders of users, trained by sentence-transformers: cross-encoders and bi-encoders that other libraries load."""

from __future__ import annotations

import json
import os
import shutil
import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, fields, replace
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from answersim._base.errors import MissingExtraError, unknown
from answersim._base.io.output_files import atomic_write
from answersim._base.io.records import check_types
from answersim._base.runtime import training_checkpoints
from answersim._base.runtime.concurrency import wait_passively
from answersim.metrics.checkpoints import search, weights
from rankers.models.published import by_name
from rankers.modules import local_checkpoints
from rankers.modules.words import MINILM
from rankers.settings import check_above_zero, check_below_one, check_choices, check_least, differences
from rankers.systems.catalog import HISTORY, MODEL, PRESETS
from rankers.systems.fit import Log, Trainings
from rankers.training.overrides import ALIASES
from rankers.training.sampling import (
    TrainingSet,
    check_dev,
    check_pool,
    labeled_pairs,
    left_out,
    pools,
    training_set,
)
from rankers.training.trainer import KEPT
from rankers.types import Questions, Ranker

CHECKPOINTS, STATED = "checkpoints", "training.json"
PAIRS, LISTS, TUPLES = "pairs", "lists", "tuples"
# What each loss of sentence-transformers reads: labeled pairs, all candidates of a question, or a positive with
# negatives. The first one is the default.
LOSSES: Mapping[str, Mapping[str, str]] = {
    "cross-encoder": {
        **dict.fromkeys(("BinaryCrossEntropyLoss", "MSELoss"), PAIRS),
        **dict.fromkeys(
            ("ListNetLoss", "ListMLELoss", "PListMLELoss", "RankNetLoss", "LambdaLoss", "ADRMSELoss"), LISTS
        ),
        **dict.fromkeys(("MultipleNegativesRankingLoss", "CachedMultipleNegativesRankingLoss"), TUPLES),
    },
    "bi-encoder": {
        **dict.fromkeys(("MultipleNegativesRankingLoss", "CachedMultipleNegativesRankingLoss", "TripletLoss"), TUPLES),
        **dict.fromkeys(("CosineSimilarityLoss", "CoSENTLoss", "AnglELoss"), PAIRS),
        **dict.fromkeys(("ContrastiveLoss", "OnlineContrastiveLoss"), PAIRS),
    },
}
SOURCES = ("pool", "mined")
PRECISIONS = ("float32", "bfloat16", "float16")


@dataclass(frozen=True)
class EncoderRecipe:
    """The settings of a training of an encoder."""

    kind: str  # "cross-encoder" or "bi-encoder"
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
    lora_r: int = 0  # the rank of the matrices (LoRA) that are trained in place of the encoder, by peft; 0 trains all
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
        if self.loss_name not in LOSSES[self.kind]:
            raise unknown(f"loss of a {self.kind}", self.loss_name, LOSSES[self.kind])
        check_choices(self, source=SOURCES, precision=PRECISIONS, keep=KEPT)
        check_least(self, 1, "epochs", "batch_size", "accumulation", "negatives")
        check_least(self, 0, "eval_steps", "dev_limit", "limit", "seed", "weight_decay", "lora_r")
        check_least(self, 8, "max_length")
        check_above_zero(self, "learning_rate", "clip")
        check_below_one(self, "warmup_ratio")
        if self.source == "mined" and self.shape == LISTS:
            raise ValueError(f"loss {self.loss} reads all candidates of a question, so source=mined would be ignored")

    @property
    def loss_name(self) -> str:
        """The name of the loss."""
        return self.loss or next(iter(LOSSES[self.kind]))

    @property
    def shape(self) -> str:
        """What the loss reads: ``PAIRS``, ``LISTS`` or ``TUPLES``."""
        return LOSSES[self.kind][self.loss_name]

    @property
    def n_negatives(self) -> int:
        """The number of negatives per positive that the loss reads."""
        return 1 if self.loss_name == "TripletLoss" else self.negatives


SMOKE: Mapping[str, Any] = {"epochs": 1, "batch_size": 4, "limit": 24, "dev_limit": 24, "max_length": 48}


def recipe_of(
    kind: str, overrides: Mapping[str, Any] | None, *, preset: str = "cpu", seed: int = 0, encoder: str | None = None
) -> EncoderRecipe:
    """Return the settings of a training with these overrides."""
    known = [setting.name for setting in fields(EncoderRecipe) if setting.name not in ("kind", "seed")]
    changed = dict(overrides or {})
    for name in changed:
        if name in known:
            continue
        usual = ALIASES.get(name.lower().replace("-", "_"), name)
        usual = {"answer_length": "max_length", "micro_batch": "accumulation"}.get(usual, usual)
        if usual in known:
            raise LookupError(f"no setting that may be changed is called {name!r}; did you mean {usual!r}?")
        raise unknown("setting that may be changed", name, known)
    if preset not in PRESETS:
        raise unknown("preset", preset, PRESETS)
    changed = {name: tuple(value) if isinstance(value, list) else value for name, value in changed.items()}
    start = {} if encoder is None else {"encoder": encoder}
    return replace(EncoderRecipe(kind), **{**(SMOKE if preset == "smoke" else {}), **start, **changed}, seed=seed)


def fit(recipe: EncoderRecipe, plan: Trainings, callbacks: Sequence[Any] = ()) -> Ranker:
    """Return the trained encoder as a ranker. An interrupted training resumes from its last complete checkpoint.

    Its folder is named after its kind. The subfolder ``model`` is what ``CrossEncoder(folder)`` or
    ``SentenceTransformer(folder)`` loads. ``callbacks`` are ``TrainerCallback`` objects of transformers. Several GPUs
    are used under ``accelerate launch``.
    """
    home = plan.folder / recipe.kind
    base = local_checkpoints.checkpoint(recipe.encoder)
    stated = _stated(recipe, plan, base.fingerprint)
    if (home / STATED).is_file() and (changes := "; ".join(differences(search.read_json(home / STATED), stated))):
        raise ValueError(
            f"{home} contains a training with other settings ({changes}): give another folder, or remove it"
        )
    if not (home / HISTORY).is_file():
        dev = check_dev(plan.dev, recipe.dev_measure, recipe.dev_limit)
        data = training_set(plan.train, recipe.limit)
        if recipe.shape == TUPLES:
            check_pool(data, recipe.n_negatives)
        _host()
        if is_first_process():
            for notice in left_out(plan.train, plan.dev, recipe.limit, recipe.dev_limit):
                plan.log(f"{recipe.kind}: {notice}")
            plan.before()
        else:  # the first one logs, measures and writes
            plan = replace(plan, log=lambda line: None)
        alone = training_checkpoints.alone(home) if is_first_process() else nullcontext()
        with alone, weights.quiet("training an encoder", "train"):
            _train(recipe, plan, data, dev, base.folder, stated, callbacks)
    return by_name(str(home / MODEL), plan.device or "auto")


def is_first_process() -> bool:
    """Return whether this is the first of the processes that ``accelerate launch`` or ``torchrun`` started."""
    return os.environ.get("RANK", "0") == "0"


def _stated(recipe: EncoderRecipe, plan: Trainings, base: str) -> dict[str, Any]:
    """Return everything that identifies a training, as read back from JSON."""
    settings = {name: value for name, value in asdict(recipe).items() if name not in ("kind", "encoder", "loggers")}
    settings["loss"] = recipe.loss_name
    stated = {
        "training": recipe.kind,
        "encoder": {"name": Path(recipe.encoder).name, "fingerprint": base},
        "recipe": settings,
        "train": plan.train.fingerprint,
        "dev": plan.dev.fingerprint,
        "corpus": plan.train.corpus,
    }
    return json.loads(json.dumps(stated))


def _train(
    recipe: EncoderRecipe,
    plan: Trainings,
    data: TrainingSet,
    dev: Questions,
    base: Path,
    stated: dict[str, Any],
    callbacks: Sequence[Any],
) -> None:
    """Train, and let the first process keep the model."""
    from transformers import PrinterCallback

    from rankers.systems.evaluator import AnswerSelectionEvaluator

    host, kind, home = _host(), recipe.kind, plan.folder / recipe.kind
    model = _model(recipe, base, plan.device)
    if notice := _truncated(recipe, model, data):
        plan.log(f"{kind}: {notice}")
    if recipe.lora_r:
        model.add_adapter(_lora(recipe, model))
    evaluator = AnswerSelectionEvaluator(dev, measures=[recipe.dev_measure], batch_size=recipe.batch_size, name="dev")
    started = time.perf_counter()
    epochs: list[dict[str, Any]] = []
    last = _last_checkpoint(home / CHECKPOINTS)
    if last is None and is_first_process():
        with atomic_write(home / STATED) as draft:
            draft.write_text(json.dumps(stated, indent=1) + "\n", encoding="utf-8")
        dev_0 = evaluator(model)[f"dev_{recipe.dev_measure}"]
        epochs.append({"epoch": 0.0, "loss": None, "dev": dev_0, "seconds": time.perf_counter() - started})
        plan.log(f"{kind}: epoch 0 of {recipe.epochs}: dev {recipe.dev_measure} {epochs[0]['dev']:.4f} (untrained)")
    elif last is not None:
        epochs += search.read_json(last / HISTORY)["epochs"] if (last / HISTORY).is_file() else []
        started -= epochs[-1]["seconds"] if epochs else 0.0
        plan.log(f"{kind}: resumed from {last.name}")
    is_pair = kind == "cross-encoder"
    trainer = (host.CrossEncoderTrainer if is_pair else host.SentenceTransformerTrainer)(
        model=model,
        args=_arguments(recipe, home / CHECKPOINTS, plan.device),
        train_dataset=_dataset(recipe, data, base, plan.log),
        evaluator=evaluator,
        loss=getattr(_losses(kind), recipe.loss_name)(model),
        callbacks=[_reporter(recipe, epochs, started, plan.log), *callbacks],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train(resume_from_checkpoint=None if last is None else str(last))
    if is_first_process():
        _keep(recipe, model, base, home, {"provenance": stated, "epochs": epochs}, started)
    trainer.accelerator.wait_for_everyone()


def _keep(recipe: EncoderRecipe, model: Any, base: Path, home: Path, history: dict[str, Any], started: float) -> None:
    """Save the model, and finally write the history, which marks the training as finished."""
    model.to("cpu")
    n_parameters = sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
    (_merged(model, recipe, base, home) if recipe.lora_r else model).save_pretrained(str(home / MODEL))
    history |= {
        "parameters": n_parameters,
        "seconds": round(time.perf_counter() - started, 1),
        "versions": {name: version(name) for name in ("answersim", "sentence-transformers", "transformers", "torch")},
    }
    with atomic_write(home / HISTORY) as draft:
        draft.write_text(json.dumps(history, indent=1) + "\n", encoding="utf-8")
    for state in (home / CHECKPOINTS).glob("checkpoint-*"):  # a finished training is not resumed
        shutil.rmtree(state, ignore_errors=True)


def _host() -> Any:
    wait_passively()  # before torch is imported
    try:
        import accelerate  # noqa: F401 # the trainers need it
        import datasets  # noqa: F401
        import sentence_transformers
    except ImportError as error:
        raise MissingExtraError("training an encoder", "train", error.name or "sentence-transformers") from error
    return sentence_transformers


def _model(recipe: EncoderRecipe, base: Path, device: str | None) -> Any:
    """Return the encoder before its first step. A cross-encoder has one output, whose head is new if it had none."""
    import torch

    torch.manual_seed(recipe.seed)  # a new head
    if recipe.kind == "cross-encoder":
        return _host().CrossEncoder(str(base), num_labels=1, max_length=recipe.max_length, device=device)
    model = _host().SentenceTransformer(str(base), device=device)
    model.max_seq_length = min(recipe.max_length, model.max_seq_length or recipe.max_length)
    return model


def _truncated(recipe: EncoderRecipe, model: Any, data: TrainingSet) -> str:
    """Return how many texts, or pairs of a cross-encoder, have more tokens than the encoder reads; "" for none."""
    plain = {"add_special_tokens": False, "verbose": False}
    sides = (model.tokenizer(list(texts), **plain)["input_ids"] for texts in (data.questions, data.answers))
    question, answer = (np.array([len(ids) for ids in side]) for side in sides)
    lengths, what, most = np.concatenate([question, answer]), "texts", model.max_seq_length
    if recipe.kind == "cross-encoder":
        (rows, columns), what, most = labeled_pairs(data)[0].T, "pairs", recipe.max_length
        lengths = question[rows] + answer[columns]
    n = int((lengths + model.tokenizer.num_special_tokens_to_add(pair=what == "pairs") > most).sum())
    return f"{n:,} of {len(lengths):,} {what} are truncated to {most} tokens (max_length)" if n else ""


def _lora(recipe: EncoderRecipe, model: Any) -> Any:
    """Return the settings of low-rank matrices in every linear layer of the encoder; the head is trained as a whole."""
    from peft import LoraConfig, TaskType

    task = TaskType.SEQ_CLS if recipe.kind == "cross-encoder" else TaskType.FEATURE_EXTRACTION
    heads = [name for name in ("classifier", "score") if hasattr(model[0].auto_model, name)]
    return LoraConfig(
        task_type=task,
        r=recipe.lora_r,
        lora_alpha=recipe.lora_r,
        target_modules="all-linear",
        modules_to_save=heads or None,
    )


def _merged(model: Any, recipe: EncoderRecipe, base: Path, home: Path) -> Any:
    """Return the encoder with the trained low-rank matrices added to its weights, which any library loads."""
    from peft import PeftModel

    with TemporaryDirectory(dir=home) as adapter, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`is_gradient_checkpointing`", FutureWarning)  # peft's own
        model.save_pretrained(adapter)
        whole = _model(recipe, base, "cpu")
        whole[0].auto_model = PeftModel.from_pretrained(whole[0].auto_model, adapter).merge_and_unload()
    return whole


def _losses(kind: str) -> Any:
    from importlib import import_module

    name = "cross_encoder" if kind == "cross-encoder" else "sentence_transformer"
    return import_module(f"{_host().__name__}.{name}.losses")


def _arguments(recipe: EncoderRecipe, folder: Path, device: str | None) -> Any:
    import torch
    from transformers import TrainingArguments

    host, is_pair = _host(), recipe.kind == "cross-encoder"
    arguments = host.CrossEncoderTrainingArguments if is_pair else host.SentenceTransformerTrainingArguments
    unit = "steps" if recipe.eval_steps else "epoch"
    when: dict[str, Any] = dict.fromkeys(("eval_strategy", "save_strategy", "logging_strategy"), unit)
    if recipe.eval_steps:
        when |= dict.fromkeys(("eval_steps", "save_steps", "logging_steps"), recipe.eval_steps)
    known = {setting.name for setting in fields(TrainingArguments)}  # transformers 5 reads a share in warmup_steps
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
        dataloader_pin_memory=torch.cuda.is_available(),
        ddp_find_unused_parameters=not is_pair,  # the head of a pair reads all; a bi-encoder may leave out a pooler
        report_to=list(recipe.loggers) or "none",
        disable_tqdm=True,
        **when,
        **warmup,
    )


def _reporter(recipe: EncoderRecipe, epochs: list[dict[str, Any]], started: float, log: Log) -> Any:
    """Return the callback that logs each evaluation, and keeps the history beside each checkpoint."""
    from transformers import TrainerCallback

    class Reporter(TrainerCallback):  # type: ignore[misc] # the library has no types
        loss: float | None = None

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            self.loss = (logs or {}).get("loss", self.loss)

        def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Any = None, **_: Any) -> None:
            value = float((metrics or {})[f"eval_dev_{recipe.dev_measure}"])
            star = " *" if value > max((row["dev"] for row in epochs), default=-np.inf) else ""
            spent = time.perf_counter() - started
            epochs.append({"epoch": round(float(state.epoch), 3), "loss": self.loss, "dev": value, "seconds": spent})
            loss = "" if self.loss is None else f"loss {self.loss:.4f}, "
            measured = f"{loss}dev {recipe.dev_measure} {value:.4f}{star}"
            log(f"{recipe.kind}: epoch {state.epoch:.3g} of {recipe.epochs}: {measured}")

        def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if is_first_process():
                place = Path(args.output_dir) / f"checkpoint-{state.global_step}" / HISTORY
                place.write_text(json.dumps({"epochs": epochs}), encoding="utf-8")

    return Reporter()


def _last_checkpoint(folder: Path) -> Path | None:
    """Return the last checkpoint that was written completely, None without one. Its state is written last."""
    complete = [path for path in folder.glob("checkpoint-*") if (path / "trainer_state.json").is_file()]
    return max(complete, key=lambda path: int(path.name.rpartition("-")[2]), default=None)


def _dataset(recipe: EncoderRecipe, data: TrainingSet, base: Path, log: Log) -> Any:
    """Return the samples in the shape that the loss reads."""
    from datasets import Dataset

    if recipe.source == "mined":
        return _mined(recipe, data, base, log)
    if recipe.shape == PAIRS:
        pairs, labels = labeled_pairs(data)
        questions, candidates = [data.questions[i] for i in pairs[:, 0]], [data.answers[i] for i in pairs[:, 1]]
        return Dataset.from_dict({"question": questions, "candidate": candidates, "label": labels.astype(float)})
    if recipe.shape == LISTS:
        rows = list(zip(data.questions, data.positives, data.negatives, strict=True))
        lists = [(question, good, wrong) for question, good, wrong in rows if len(good) + len(wrong) > 1]
        if n := len(rows) - len(lists):
            log(f"{recipe.kind}: {n:,} questions have a single candidate and are left out by {recipe.loss}")
        return Dataset.from_dict(
            {
                "question": [question for question, _, _ in lists],
                "candidates": [[data.answers[row] for row in (*good, *wrong)] for _, good, wrong in lists],
                "label": [[1.0] * len(good) + [0.0] * len(wrong) for _, good, wrong in lists],
            }
        )
    wrong = pools(data, data.pairs, recipe.n_negatives, np.random.default_rng([recipe.seed, 0, 1]))  # (positives, n)
    columns = {f"negative_{k + 1}": [data.answers[i] for i in rows] for k, rows in enumerate(wrong.T)}
    return Dataset.from_dict(_positives(data) | columns)


def _positives(data: TrainingSet) -> dict[str, list[str]]:
    rows, right = data.pairs.T
    return {"question": [data.questions[i] for i in rows], "positive": [data.answers[i] for i in right]}


def _mined(recipe: EncoderRecipe, data: TrainingSet, base: Path, log: Log) -> Any:
    """Return samples whose negatives are the answers of all questions that an untrained encoder finds most similar."""
    from datasets import Dataset
    from sentence_transformers.util import mine_hard_negatives

    miner = base if recipe.kind == "bi-encoder" else local_checkpoints.checkpoint(MINILM).folder
    mined = mine_hard_negatives(
        Dataset.from_dict(_positives(data)),
        _host().SentenceTransformer(str(miner)),
        corpus=data.answers,
        num_negatives=recipe.n_negatives,
        output_format="labeled-pair" if recipe.shape == PAIRS else "n-tuple",
        verbose=False,
    )
    n, answers = f"{len(mined):,} samples with negatives mined", f"{len(data.answers):,} answers"
    log(f"{recipe.kind}: {n} by {Path(miner).name} from {answers}")
    return mined
