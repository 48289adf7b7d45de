"""The systems of the SCAN paper: plain fine-tuning, TANDA, SCAN, its ablations, and its robustness."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankers.papers import rows
from rankers.papers.rows import Row
from rankers.training.definitions import System, Training, TrainingConfig

if TYPE_CHECKING:
    from rankers.training.recipe import Recipe

PAPER = "SCAN: Spurious Correlation reduction for Answer Selection"
TRANSFER = "ce-transfer"
# The corpus of the first training, by the corpus that is adapted to: WikiQA for those that are not here. It replaces
# ASNQ, which is not available. The questions of a user are trained on alone, unless a source is named.
SOURCES = {"wikiqa": "selqa", "wikiqa-raw": "selqa"}
OTHERWISE = "wikiqa"
# SCAN with a learning rate of 1, at which the weights of the [CLS] states of MiniLM change. At 10, a step of a training
# gave all weight to one sample, because those states grow during training.
MOVING = "scan-rate-1"


def trainings() -> dict[str, Training]:
    """Return every training by its name."""
    by_name = rows.trainings("scan", _config, _of_corpus)
    return by_name | {TRANSFER: replace(by_name[TRANSFER], transfers=True)}


def systems() -> dict[str, System]:
    """Return every system by its name. SCAN without both parts is TANDA, and ranks by the training of TANDA.

    ``scan-equation-5`` has Fourier features by equation 5, and one share of bias per feature (equation 12), as printed.
    The others follow the code of the authors.
    """
    return rows.systems("scan", PAPER)


def _config(row: Row, preset: str) -> TrainingConfig:
    """Return the settings of a system. Those that differ by corpus are the ones for WikiQA."""
    from rankers.models.scan import Config
    from rankers.models.scan_objective import ScanConfig
    from rankers.modules.words import InputConfig
    from rankers.papers.perturbation import Damage

    settings = replace(Config.paper() if preset == "paper" else Config.cpu(), debias=True)
    if preset == "smoke":
        settings = replace(settings, max_length=48, frozen=5)
    is_plain = row.training.startswith(("ce-", "tanda"))
    damages = {"perturbed": Damage(letters=0.3), "noisy": Damage(labels=0.2)}
    config = TrainingConfig(
        settings,
        InputConfig(checkpoint=settings.checkpoint),
        _recipe(preset),
        objective=ScanConfig() if is_plain else ScanConfig.published("wikiqa"),
        source="" if preset == "smoke" else OTHERWISE,  # the smoke test reads no corpus but the one at hand
        damage=damages.get(row.training.rpartition("-")[2]),
    )
    return row.applied(config)


def _recipe(preset: str) -> Recipe:
    """Return the published settings, and for the others those of the script of the authors."""
    from rankers.training.recipe import Recipe

    paper = Recipe(
        epochs=15,
        batch_size=140,
        loss="pointwise",
        reads="rows",
        optimizer="adamw",
        learning_rate=2e-5,
        schedule="linear",
        clip=1.0,
        question_length=64,
        answer_length=124,
        dev_measure="MAP",
    )
    if preset == "paper":
        return paper
    cpu = replace(
        paper,
        epochs=2,
        learning_rate=1e-4,
        warmup_ratio=0.1,
        question_length=24,
        answer_length=64,
        precision="bfloat16",
    )
    if preset == "cpu":
        return cpu
    return replace(cpu, batch_size=16, learning_rate=3e-4, limit=24, dev_limit=24, precision="float32")


def _of_corpus(row: Row, config: TrainingConfig, corpus: str) -> TrainingConfig:
    """Return the configuration with the source, and the published temperature, rate and table, for this corpus."""
    from rankers.data.catalog import corpora
    from rankers.models.scan_objective import PUBLISHED, ScanConfig

    if row.training == "ce-plain":
        return replace(config, source="")
    if config.source:
        config = replace(config, source=SOURCES.get(corpus, OTHERWISE) if corpus in corpora() else "")
    aims = config.objective
    if not isinstance(aims, ScanConfig) or not (aims.fd or aims.ld) or corpus not in PUBLISHED:
        return config
    usual, meant = ScanConfig.published(), ScanConfig.published(corpus)
    weighing = replace(aims.reweighting, presave=meant.reweighting.presave)
    if aims.reweighting.lrbl == usual.reweighting.lrbl:
        weighing = replace(weighing, lrbl=meant.reweighting.lrbl)
    return replace(config, objective=replace(aims, tau=meant.tau, reweighting=weighing))
