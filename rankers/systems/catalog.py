"""All named systems, from all tables of this package, and the settings of each training under a preset.

Each table of networks is a module with ``systems()`` and ``trainings()`` (by name). Some have ``sweeps()`` (by setting,
the system of each value).
"""

from __future__ import annotations

from collections.abc import Mapping

from answersim._base.errors import unknown
from rankers.systems import addax, baselines, committee, ggsa, hybrid, scan
from rankers.systems.definitions import System, Training, TrainingConfig

PRESETS = ("smoke", "cpu", "paper")
_TABLES = (committee, ggsa, scan, addax, hybrid)  # those with trainings
TRAININGS: dict[str, Training] = {name: training for table in _TABLES for name, training in table.trainings().items()}
SYSTEMS: dict[str, System] = {
    **baselines.SYSTEMS,
    **{name: entry for table in _TABLES for name, entry in table.systems().items()},
}
NO_TRAINING = {
    "minilm-hybrid": "cosine plus MaxSim of all-MiniLM-L6-v2; the default",
    "minilm-reranker": "the same with an adapter that was trained for ranking and ships",
    "minilm-maxsim": "MaxSim of the token states alone",
    "minilm-biencoder": "cosine of the vectors alone; one vector per text",
    "bm25": "BM25; counts words in the candidates, or in the training answers after rankers train bm25",
    "word-overlap": "the share of the words of the question; needs no torch",
}
SMALL = {
    "match-pyramid": "a picture of word similarities; the fastest to train",
    "dmn": "Deep Matching Network: the same with a GRU",
    "man": "Multihop Attention Network; the best of the three small networks on the toy set",
    "man-advcom": "a committee of its states from a training against a generator",
    "qa-lstm": "an LSTM for each text, and the cosine of both",
    "ggsa": "gated group self-attention in place of the LSTM",
    "iggsa": "the same, with the answer read together with the question",
}
ENCODERS = {
    "late-interaction": "MaxSim over the token states of an encoder, trained",
    "hybrid": "the same plus the cosine of the vectors; adapts the last layers",
    "addax": "late interaction by almost binary codes; reads both texts together",
    "ce-plain": "a cross-encoder, fine-tuned on your questions alone",
    "tanda": "the same after a training on another corpus",
    "scan": "TANDA with weighted samples and a branch against language bias",
}

# The systems for users, by use, with one line each. Variants and controls are left out.
USES: Mapping[str, Mapping[str, str]] = {
    "Rank without training (rankers rank FILE --model NAME)": NO_TRAINING,
    "Train a small network, from minutes on a CPU (rankers train NAME --data TABLE --dev TABLE --folder F)": SMALL,
    "Train on top of a pre-trained encoder; --device cuda uses a GPU (the same command)": ENCODERS,
}


def names() -> list[str]:
    """Return the names of all systems, baselines first."""
    return list(SYSTEMS)


def system(name: str) -> System:
    """Return the system with this name.

    Raise LookupError if no system has this name; the message suggests the nearest one.
    """
    if not isinstance(name, str) or name not in SYSTEMS:
        by_use = [listed for systems in USES.values() for listed in systems]
        others = f"'rankers list --all' prints all {len(SYSTEMS)}"
        raise unknown("ranker", name, SYSTEMS, listed=by_use, others=others)
    return SYSTEMS[name]


def sweeps() -> dict[str, dict[float, str]]:
    """Return the system of each value by family and setting, including the published value."""
    return {
        f"{family}, {setting}": systems
        for family, table in (("GGSA", ggsa), ("ADDAX", addax))
        for setting, systems in table.sweeps().items()
    }


def config(training: str, preset: str, corpus: str = "") -> TrainingConfig:
    """Return the settings of a training under a preset, for a corpus if the published settings differ by corpus.

    Raise LookupError if no training or preset has this name.
    """
    if preset not in PRESETS:
        raise unknown("preset", preset, PRESETS)
    if training not in TRAININGS:
        raise unknown("training", training, TRAININGS)
    entry = TRAININGS[training]
    base = entry.config(preset)
    return base if entry.of_corpus is None else entry.of_corpus(base, corpus)
