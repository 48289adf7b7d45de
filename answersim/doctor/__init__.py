"""What a metric cannot see: minimal pairs, properties and attacks, for any metric of any library."""

from answersim.doctor.attacks import PATTERNS
from answersim.doctor.examined import ADAPTERS, Examined, examined
from answersim.doctor.results import AttackRow, Diagnosis, Examination, KindRow, Misordered
from answersim.doctor.rewards import REWARD_PATTERNS, SPELLINGS, RewardExamination, examine_reward
from answersim.doctor.study import examine
from answersim.testing.properties import Finding

__all__ = [
    "ADAPTERS",
    "PATTERNS",
    "REWARD_PATTERNS",
    "SPELLINGS",
    "AttackRow",
    "Diagnosis",
    "Examination",
    "Examined",
    "Finding",
    "KindRow",
    "Misordered",
    "RewardExamination",
    "examine",
    "examine_reward",
    "examined",
]
