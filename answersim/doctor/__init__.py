"""What a metric cannot see: minimal pairs, properties and attacks, for any metric."""

from answersim.doctor.attacks import PATTERNS
from answersim.doctor.results import AttackRow, DoctorReport, KindRow, MetricReport, Misordered
from answersim.doctor.rewards import REWARD_PATTERNS, SPELLINGS, RewardExamination, examine_reward
from answersim.doctor.study import examine
from answersim.doctor.subject import Subject, as_subject
from answersim.testing.properties import Finding

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
