"""How close is a predicted answer to the gold answer in meaning, and how was that number made?

PYTEST_DONT_REWRITE: this marker makes pytest leave the assertions in this module unchanged. The pytest plug-in of this
    package has none.
"""

from answersim import data, doctor, official, typed
from answersim.agreement.results import Agreement
from answersim.agreement.study import correlate
from answersim.answers.reader import read_answers
from answersim.answers.table import Answers
from answersim.calibration.model import Calibration
from answersim.calibration.verdicts import Verdicts
from answersim.catalog.lookup import metric, names
from answersim.device import Device
from answersim.evaluation.calibrating import calibrate
from answersim.evaluation.compare import compare
from answersim.evaluation.comparison import Comparison, Comparisons
from answersim.evaluation.correction import MeanEstimate, estimate_mean
from answersim.evaluation.gating import Decision, gate
from answersim.evaluation.human_labels import HumanLabels
from answersim.evaluation.labeling import label
from answersim.evaluation.results import Evaluation
from answersim.evaluation.sample_size import QuestionPlan, SamplePlan, plan
from answersim.evaluation.sheets import Sheet
from answersim.evaluation.systems import evaluate
from answersim.grouping.results import SampleGroups
from answersim.grouping.samples import groups
from answersim.report.page import write_report
from answersim.reward.reward import Reward
from answersim.scores import Score, Scores
from answersim.scoring.score import score, score_pairs
from answersim.scoring.score_file import score_file
from answersim.signature import VERSION as __version__
from answersim.stats.resampling import Bootstrap
from answersim.types import Interval, Metric, Pair

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
