"""How close is a predicted answer to the gold answer in meaning, and how was that number made?

PYTEST_DONT_REWRITE: this marker makes pytest leave the assertions in this module unchanged. The pytest plug-in of this
    package has none.
"""

from answersim._base.arrays import Interval
from answersim._base.device import Device
from answersim._base.signature import VERSION as __version__
from answersim.answers import typed
from answersim.answers.tables.reader import read_answers
from answersim.answers.tables.table import Answers
from answersim.calibration.model import Calibration
from answersim.calibration.scores import Score, Scores
from answersim.calibration.verdicts import Verdicts
from answersim.evaluation import data, doctor
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
from answersim.metrics import official
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
    "calibrate",
    "compare",
    "correlate",
    "data",
    "doctor",
    "estimate_mean",
    "evaluate",
    "gate",
    "groups",
    "label",
    "metric",
    "names",
    "official",
    "plan",
    "read_answers",
    "score",
    "score_file",
    "score_pairs",
    "typed",
    "write_report",
]
