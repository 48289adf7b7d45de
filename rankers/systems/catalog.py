"""All named systems, from all tables of this package, and the settings of each training under a preset.

Each paper is a module with settings and a table: ``rankers.papers``.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from itertools import chain
from pathlib import Path

from answersim._base.errors import PluginError, unknown
from rankers import papers
from rankers.systems import baselines
from rankers.training.definitions import System, Trained, Training, TrainingConfig
from rankers.types import Ranker

HISTORY = "history.json"  # the file that a finished training has
MODEL = "model"  # its folder with the trained network
PRESETS = ("smoke", "cpu", "paper")
TRAININGS: dict[str, Training] = {
    **{name: training for paper in papers.TITLES for name, training in papers.trainings(paper).items()},
    **baselines.TRAININGS,
}
SYSTEMS: dict[str, System] = {
    **baselines.SYSTEMS,
    **{name: entry for paper in papers.TITLES for name, entry in papers.systems(paper).items()},
    **baselines.TRAINED,
}
# Encoders of users, which sentence-transformers trains: ``rankers.systems.encoders``
ENCODERS: Mapping[str, str] = {
    "cross-encoder": "an encoder that reads question and candidate together, trained by sentence-transformers",
    "bi-encoder": "an encoder of each text alone, compared by the cosine, trained by sentence-transformers",
}

# The systems for users, with one line each. Every number is an MRR of benchmarks/results.
MAIN: Mapping[str, Mapping[str, str]] = {
    "Rank without training": {
        "minilm-hybrid": "cosine plus MaxSim of all-MiniLM-L6-v2; the default",
        "minilm-reranker": "the same with an adapter that ships; +0.005 [-0.006, 0.016] on 7 collections",
        "bm25": "counts words; mean 0.666 on 8 collections, the default 0.850",
    },
    "Train on your questions": {
        "hybrid": "the default with adapted last layers; start here (WikiQA: MRR 0.836, the default 0.745)",
        "cross-encoder": "your encoder, by sentence-transformers; reads both texts, so it is slower; not measured",
        "bi-encoder": "your encoder, by sentence-transformers; one vector per text; not measured",
    },
}

# The systems of four papers, without their ablations, controls and sweeps. None is shown to be better than the default.
OF_PAPERS: Mapping[str, tuple[str, ...]] = {
    "SCAN": ("ce-plain", "tanda", "scan", "scan-rate-1"),
    "ADDAX": ("late-interaction", "addax"),
    "Committees": (
        *("match-pyramid", "match-pyramid-adv", "match-pyramid-advcom"),
        *("dmn", "dmn-adv", "dmn-advcom", "man", "man-adv", "man-advcom"),
    ),
    "GGSA": ("qa-lstm", "global", "local", "group", "ggsa", "iggsa"),
}
BASELINES = ("random", "answer-only", "word-overlap", "minilm-biencoder", "minilm-maxsim")


def names() -> list[str]:
    """Return the names of all systems, baselines first, encoders of users last."""
    return [*SYSTEMS, *ENCODERS]


def main_names() -> list[str]:
    """Return the names of the systems for users."""
    return [name for systems in MAIN.values() for name in systems]


def shown_names() -> list[str]:
    """Return the names that ``rankers list --all`` shows: without ablations, controls and sweeps of the papers."""
    return list(dict.fromkeys([*main_names(), *chain(*OF_PAPERS.values()), *BASELINES]))


def summary(name: str) -> str:
    """Return the description of a system in one line. Raise LookupError if no system has this name."""
    return ENCODERS[name] if name in ENCODERS else system(name).summary


def system(name: str) -> System:
    """Return the system with this name.

    Raise LookupError if no system has this name; the message suggests the nearest one.
    """
    if not isinstance(name, str) or name not in SYSTEMS:
        if name in ENCODERS:
            raise LookupError(f"{name!r} has no published settings; train it: rankers train {name} --encoder NAME ...")
        others = "'rankers list --all' prints those of the papers"
        raise unknown("ranker", name, (*SYSTEMS, *ENCODERS, *plugin_names()), listed=main_names(), others=others)
    return SYSTEMS[name]


def trained(name: str, folder: Path) -> tuple[Trained, Path]:
    """Return a trained system, and the folder of its finished training.

    Raise LookupError if no system has this name. Raise ValueError if nothing of it is trained. Raise FileNotFoundError
    if the training does not exist or is not finished.
    """
    definition = system(name)
    if not isinstance(definition, Trained):
        raise ValueError(f"{name} has no trained weights: use it by its name, or train another system")
    home = folder / definition.training
    if not (home / HISTORY).is_file():
        raise FileNotFoundError(
            f"{home} contains no finished training of {name}; train it first: rankers train {name} --data ... "
            f"--folder {folder}"
        )
    return definition, home


def config(training: str, preset: str, corpus: str = "") -> TrainingConfig:
    """Return the settings of a training under a preset, for a corpus if the published settings differ by corpus.

    Raise LookupError if no training or preset has this name.
    """
    if preset not in PRESETS:
        raise unknown("preset", preset, PRESETS)
    if training not in TRAININGS:
        raise unknown("training", training, TRAININGS)
    return TRAININGS[training].config(preset, corpus)


GROUP = "answersim.rankers"


def plugin_names() -> list[str]:
    """Return the names of the rankers that installed packages offer, sorted."""
    return sorted({point.name for point in entry_points(group=GROUP)})


def plugin(name: str) -> Ranker:
    """Return the ranker that an installed package offers under this name.

    The entry point is a function without required arguments, or a class, whose result is a ``Ranker``.
    """
    points = [point for point in entry_points(group=GROUP) if point.name == name]
    if not points:
        raise PluginError(f"no installed package offers a ranker called {name!r} ({GROUP})")
    if len({point.value for point in points}) > 1:
        raise PluginError(
            f"{len(points)} packages offer a ranker called {name!r}: {', '.join(map(_origin, points))}; uninstall all "
            "but one"
        )
    try:
        ranker = points[0].load()()
    except Exception as error:  # a package may raise anything
        raise PluginError(
            f"the ranker {name!r} of {_origin(points[0])} cannot be loaded: {type(error).__name__}: {error}; update or "
            "uninstall the package"
        ) from error
    if not isinstance(ranker, Ranker):
        raise PluginError(
            f"{_origin(points[0])} returns {ranker!r:.60} for the ranker {name!r}, but a ranker has 'signature' and "
            "'score'; see the page 'Your own ranker'"
        )
    return ranker


def _origin(point: EntryPoint) -> str:
    """Return the package of an entry point, and its value."""
    distribution = getattr(point, "dist", None)
    package = f"{distribution.name} {distribution.version}" if distribution is not None else "an installed package"
    return f"{package} ({point.value})"
