"""How close is a predicted answer to the gold answer in meaning, and how was that number made?

Each name is imported at its first use (PEP 562), so ``import answersim`` loads this module only.

PYTEST_DONT_REWRITE: this marker makes pytest leave the assertions in this module unchanged. The pytest plug-in of this
    package has none.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # type checkers take it as true; importing typing would take half of the time
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from answersim._base.arrays import Interval
    from answersim._base.device import Device
    from answersim._base.signature import VERSION as __version__
    from answersim.answers.tables.reader import read_answers
    from answersim.answers.tables.table import Answers
    from answersim.calibration.model import Calibration
    from answersim.calibration.scores import Score, Scores
    from answersim.calibration.verdicts import Verdicts
    from answersim.evaluation.agreement.results import Agreement
    from answersim.evaluation.agreement.study import correlate
    from answersim.evaluation.comparison.compare import compare
    from answersim.evaluation.comparison.comparison import Comparison, Comparisons
    from answersim.evaluation.comparison.gating import Decision, gate
    from answersim.evaluation.comparison.sample_size import QuestionPlan, SamplePlan, plan
    from answersim.evaluation.labels.calibrating import calibrate
    from answersim.evaluation.labels.correction import MeanEstimate, estimate_mean
    from answersim.evaluation.labels.human_labels import HumanLabels
    from answersim.evaluation.labels.labeling import label
    from answersim.evaluation.labels.sheets import Sheet
    from answersim.evaluation.report.page import write_report
    from answersim.evaluation.samples.results import SampleGroups
    from answersim.evaluation.samples.samples import groups
    from answersim.evaluation.systems.results import Evaluation
    from answersim.evaluation.systems.systems import evaluate
    from answersim.metrics.catalog.lookup import metric, names
    from answersim.scoring.reward.reward import Reward
    from answersim.scoring.score import score, score_pairs
    from answersim.scoring.score_file import score_file
    from answersim.stats.resampling import Bootstrap
    from answersim.types import Metric, Pair

__all__ = [
    "Agreement",
    "Answers",
    "Bootstrap",
    "Calibration",
    "Comparison",
    "Comparisons",
    "Decision",
    "Device",
    "Evaluation",
    "HumanLabels",
    "Interval",
    "MeanEstimate",
    "Metric",
    "Pair",
    "QuestionPlan",
    "Reward",
    "SampleGroups",
    "SamplePlan",
    "Score",
    "Scores",
    "Sheet",
    "Verdicts",
    "__version__",
    "answers",
    "calibrate",
    "calibration",
    "compare",
    "correlate",
    "estimate_mean",
    "evaluate",
    "evaluation",
    "gate",
    "groups",
    "integrations",
    "label",
    "metric",
    "metrics",
    "names",
    "plan",
    "read_answers",
    "score",
    "score_file",
    "score_pairs",
    "scoring",
    "stats",
    "training",
    "write_report",
]

_HOMES = {  # the module of each name
    "Agreement": "evaluation.agreement.results",
    "Answers": "answers.tables.table",
    "Bootstrap": "stats.resampling",
    "Calibration": "calibration.model",
    "Comparison": "evaluation.comparison.comparison",
    "Comparisons": "evaluation.comparison.comparison",
    "Decision": "evaluation.comparison.gating",
    "Device": "_base.device",
    "Evaluation": "evaluation.systems.results",
    "HumanLabels": "evaluation.labels.human_labels",
    "Interval": "_base.arrays",
    "MeanEstimate": "evaluation.labels.correction",
    "Metric": "types",
    "Pair": "types",
    "QuestionPlan": "evaluation.comparison.sample_size",
    "Reward": "scoring.reward.reward",
    "SampleGroups": "evaluation.samples.results",
    "SamplePlan": "evaluation.comparison.sample_size",
    "Score": "calibration.scores",
    "Scores": "calibration.scores",
    "Sheet": "evaluation.labels.sheets",
    "Verdicts": "calibration.verdicts",
    "__version__": "_base.signature",
    "calibrate": "evaluation.labels.calibrating",
    "compare": "evaluation.comparison.compare",
    "correlate": "evaluation.agreement.study",
    "estimate_mean": "evaluation.labels.correction",
    "evaluate": "evaluation.systems.systems",
    "gate": "evaluation.comparison.gating",
    "groups": "evaluation.samples.samples",
    "label": "evaluation.labels.labeling",
    "metric": "metrics.catalog.lookup",
    "names": "metrics.catalog.lookup",
    "plan": "evaluation.comparison.sample_size",
    "read_answers": "answers.tables.reader",
    "score": "scoring.score",
    "score_file": "scoring.score_file",
    "score_pairs": "scoring.score",
    "write_report": "evaluation.report.page",
}


def __getattr__(name: str) -> Any:
    """Import a name of this package, or a room of it, and keep it."""
    if name in _HOMES:
        module: ModuleType = import_module(f"{__name__}.{_HOMES[name]}")
        value = module.VERSION if name == "__version__" else getattr(module, name)
    elif name in __all__:
        value = import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
