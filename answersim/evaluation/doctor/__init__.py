"""What a metric cannot see: minimal pairs, properties and attacks, for any metric."""

from answersim.evaluation.doctor.attacks import PATTERNS
from answersim.evaluation.doctor.results import AttackRow, DoctorReport, KindRow, MetricReport, Misordered
from answersim.evaluation.doctor.rewards import REWARD_PATTERNS, SPELLINGS, RewardExamination, examine_reward
from answersim.evaluation.doctor.study import examine
from answersim.evaluation.doctor.subject import Subject, as_subject
from answersim.metrics.testing.properties import Finding

__all__ = [
    "PATTERNS",
    "REWARD_PATTERNS",
    "SPELLINGS",
    "AttackRow",
    "DoctorReport",
    "Finding",
    "KindRow",
    "MetricReport",
    "Misordered",
    "RewardExamination",
    "Subject",
    "as_subject",
    "examine",
    "examine_reward",
]
