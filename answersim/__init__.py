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

    from answersim import answers as answers
    from answersim import calibration as calibration
    from answersim import evaluation as evaluation
    from answersim import integrations as integrations
    from answersim import metrics as metrics
    from answersim import scoring as scoring
    from answersim import stats as stats
    from answersim import training as training
    from answersim._base.arrays import Interval as Interval
    from answersim._base.device import Device as Device
    from answersim.answers.tables.reader import read_answers as read_answers
    from answersim.answers.tables.table import Answers as Answers
    from answersim.calibration.model.model import Calibration as Calibration
    from answersim.calibration.scores import Score as Score
    from answersim.calibration.scores import Scores as Scores
    from answersim.calibration.verdicts import Verdicts as Verdicts
    from answersim.evaluation.agreement.results import Agreement as Agreement
    from answersim.evaluation.agreement.study import correlate as correlate
    from answersim.evaluation.comparison.compare import compare as compare
    from answersim.evaluation.comparison.comparison import Comparison as Comparison
    from answersim.evaluation.comparison.comparison import Comparisons as Comparisons
    from answersim.evaluation.comparison.gating import Decision as Decision
    from answersim.evaluation.comparison.gating import gate as gate
    from answersim.evaluation.comparison.sample_size import QuestionPlan as QuestionPlan
    from answersim.evaluation.comparison.sample_size import SamplePlan as SamplePlan
    from answersim.evaluation.comparison.sample_size import plan as plan
    from answersim.evaluation.labels.calibrating import calibrate as calibrate
    from answersim.evaluation.labels.correction import MeanEstimate as MeanEstimate
    from answersim.evaluation.labels.correction import estimate_mean as estimate_mean
    from answersim.evaluation.labels.human_labels import HumanLabels as HumanLabels
    from answersim.evaluation.labels.labeling import label as label
    from answersim.evaluation.labels.sheets import Sheet as Sheet
    from answersim.evaluation.report.page import write_report as write_report
    from answersim.evaluation.samples.results import SampleGroups as SampleGroups
    from answersim.evaluation.samples.samples import groups as groups
    from answersim.evaluation.systems.results import Evaluation as Evaluation
    from answersim.evaluation.systems.systems import evaluate as evaluate
    from answersim.metrics.catalog.lookup import metric as metric
    from answersim.metrics.catalog.lookup import names as names
    from answersim.scoring.reward.reward import Reward as Reward
    from answersim.scoring.score import score as score
    from answersim.scoring.score import score_pairs as score_pairs
    from answersim.scoring.tables.score_file import score_file as score_file
    from answersim.stats.intervals.resampling import Bootstrap as Bootstrap
    from answersim.types import Metric as Metric
    from answersim.types import Pair as Pair

    __version__: str

_NAMES = {  # of each module
    "_base.arrays": ["Interval"],
    "_base.device": ["Device"],
    "_base.signature": ["__version__"],
    "answers.tables.reader": ["read_answers"],
    "answers.tables.table": ["Answers"],
    "calibration.model.model": ["Calibration"],
    "calibration.scores": ["Score", "Scores"],
    "calibration.verdicts": ["Verdicts"],
    "evaluation.agreement.results": ["Agreement"],
    "evaluation.agreement.study": ["correlate"],
    "evaluation.comparison.compare": ["compare"],
    "evaluation.comparison.comparison": ["Comparison", "Comparisons"],
    "evaluation.comparison.gating": ["Decision", "gate"],
    "evaluation.comparison.sample_size": ["QuestionPlan", "SamplePlan", "plan"],
    "evaluation.labels.calibrating": ["calibrate"],
    "evaluation.labels.correction": ["MeanEstimate", "estimate_mean"],
    "evaluation.labels.human_labels": ["HumanLabels"],
    "evaluation.labels.labeling": ["label"],
    "evaluation.labels.sheets": ["Sheet"],
    "evaluation.report.page": ["write_report"],
    "evaluation.samples.results": ["SampleGroups"],
    "evaluation.samples.samples": ["groups"],
    "evaluation.systems.results": ["Evaluation"],
    "evaluation.systems.systems": ["evaluate"],
    "metrics.catalog.lookup": ["metric", "names"],
    "scoring.reward.reward": ["Reward"],
    "scoring.score": ["score", "score_pairs"],
    "scoring.tables.score_file": ["score_file"],
    "stats.intervals.resampling": ["Bootstrap"],
    "types": ["Metric", "Pair"],
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}
_ROOMS = ("answers", "calibration", "evaluation", "integrations", "metrics", "scoring", "stats", "training")
__all__ = sorted((*_HOMES, *_ROOMS))

if not TYPE_CHECKING:  # a type checker would accept any name

    def __getattr__(name: str) -> Any:
        """Import a name of this package, or a room of it, and keep it."""
        if name in _HOMES:
            module: ModuleType = import_module(f"{__name__}.{_HOMES[name]}")
            value = module.VERSION if name == "__version__" else getattr(module, name)
        elif name in _ROOMS:
            value = import_module(f"{__name__}.{name}")
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
