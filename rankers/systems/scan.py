"""The systems of the SCAN paper: plain fine-tuning, TANDA, SCAN, its ablations, and its robustness."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from rankers.systems.definitions import System, Trained, Training, TrainingConfig

if TYPE_CHECKING:
    from rankers.models.scan_objective import ScanConfig
    from rankers.training.perturbation import Damage
    from rankers.training.recipe import Recipe

PAPER = "SCAN: Spurious Correlation reduction for Answer Selection"
TRANSFER = "ce-transfer"
# The corpus of the first training, by the corpus that is adapted to: WikiQA for those that are not here. It replaces
# ASNQ, which is not available. The questions of a user are trained on alone, unless a source is named.
SOURCES = {"wikiqa": "selqa", "wikiqa-raw": "selqa"}
OTHERWISE = "wikiqa"
# The learning rate at which the weights of the [CLS] states of MiniLM change. At 10, a step of a training gave all
# weight to one sample, because those states grow during training.
EFFECTIVE = 1.0
MOVING = "scan-rate-1"

# As printed: Fourier features by equation 5, and one share of bias per feature (equation 12). The others follow the
# code of the authors.
PRINTED = "scan-equation-5"
# By name: whether samples are weighted, whether there is the branch, and the learning rate of the weights.
SCANS: dict[str, tuple[bool, bool, str]] = {
    "scan": (True, True, "published"),
    MOVING: (True, True, "effective"),
    PRINTED: (True, True, "published"),
    "scan-wo-fd": (False, True, "effective"),  # it weights no sample, so the rate has no effect
    f"{MOVING}-wo-ld": (True, False, "effective"),
}
DAMAGES = ("perturbed", "noisy")


def trainings() -> dict[str, Training]:
    """Return every training by its name."""
    by_name = {
        TRANSFER: Training("scan", partial(_config, "tanda"), of_corpus=_of_corpus, transfers=True),
        "ce-plain": Training("scan", partial(_config, "tanda"), of_corpus=_without_source),
    }
    names = ["tanda", *SCANS, *(f"{name}-{damage}" for name in ("tanda", MOVING) for damage in DAMAGES)]
    for name in names:
        by_name[name] = Training("scan", partial(_config, name), TRANSFER, of_corpus=_of_corpus)
    return by_name


def systems() -> dict[str, System]:
    """Return every system by its name. SCAN without both parts is TANDA, and ranks by the training of TANDA."""
    summaries = {
        "ce-plain": "an encoder of pairs, fine-tuned on the training questions alone",
        "tanda": "ce-plain after a first training on another corpus",
        "scan": "TANDA with weighted samples and a branch for language bias, with the published settings",
        MOVING: "SCAN with a learning rate of the sample weights at which they change",
        PRINTED: "SCAN at the published learning rate, with equation 5 and a vector of biases as printed",
        "scan-wo-fd": "SCAN without feature decorrelation: no sample is weighted",
        f"{MOVING}-wo-ld": "SCAN at this rate without language debiasing: no branch",
        "tanda-perturbed": "TANDA adapted to texts with wrong letters in 30 %",
        "tanda-noisy": "TANDA adapted to labels of which 20 % are flipped",
        f"{MOVING}-perturbed": "SCAN at this rate, adapted to texts with wrong letters in 30 %",
        f"{MOVING}-noisy": "SCAN at this rate, adapted to labels of which 20 % are flipped",
    }
    by_name: dict[str, System] = {name: Trained(name, "model", summary, PAPER) for name, summary in summaries.items()}
    return by_name | {"scan-wo-both": Trained("tanda", "model", "SCAN without both parts, which is TANDA", PAPER)}


def _config(name: str, preset: str) -> TrainingConfig:
    """Return the settings of a system. Those that differ by corpus are the ones for WikiQA."""
    from rankers.inputs.words import InputConfig
    from rankers.models.scan import Config

    settings = Config.paper() if preset == "paper" else Config.cpu()
    if preset == "smoke":
        settings = replace(settings, max_length=48, frozen=5)
    config = TrainingConfig(
        replace(settings, debias=_aims(name, "").ld, detector_dim=0 if name == PRINTED else settings.detector_dim),
        InputConfig(checkpoint=settings.checkpoint),
        _recipe(preset),
        objective=_aims(name, ""),
        source="" if preset == "smoke" else OTHERWISE,  # the smoke test reads no corpus but the one at hand
        damage=_damage(name),
    )
    return config


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


def _aims(name: str, corpus: str) -> ScanConfig:
    """Return the settings of the objective, for a corpus."""
    from rankers.models.scan_objective import PUBLISHED, ScanConfig

    source = corpus if corpus in PUBLISHED else "wikiqa"
    name = name.removesuffix("-perturbed").removesuffix("-noisy")
    if name not in SCANS:
        return ScanConfig(fd=False, ld=False)
    fd, ld, rate = SCANS[name]
    config = ScanConfig.published(source) if rate == "published" else ScanConfig.effective(source, EFFECTIVE)
    if name == PRINTED:
        config = replace(config, reweighting=replace(config.reweighting, rff="paper"))
    return replace(config, fd=fd, ld=ld)


def _damage(name: str) -> Damage | None:
    from rankers.training.perturbation import Damage

    ends = {"-perturbed": Damage(letters=0.3), "-noisy": Damage(labels=0.2)}
    return next((damage for end, damage in ends.items() if name.endswith(end)), None)


def _of_corpus(config: TrainingConfig, corpus: str) -> TrainingConfig:
    """Return the configuration with the source, and the published temperature, rate and table, for this corpus."""
    from rankers.data.catalog import corpora
    from rankers.models.scan_objective import PUBLISHED, ScanConfig

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


def _without_source(config: TrainingConfig, corpus: str) -> TrainingConfig:
    return replace(config, source="")
