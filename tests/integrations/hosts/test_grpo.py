"""The example that trains a tiny model with GRPO: the reward rises."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="needs trl, see tests/integrations/hosts/table.py")
ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "examples" / "hosts" / "grpo.py"
LINE = re.compile(r"step +(\d+): reward ([\d.]+), right ([\d.]+)")


def test_the_reward_rises_while_the_model_is_trained(tmp_path: Path) -> None:
    here = os.environ | {"HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": ""}
    run = subprocess.run([sys.executable, SCRIPT, "36"], capture_output=True, text=True, cwd=tmp_path, env=here)
    assert run.returncode == 0, run.stderr
    rewards = [float(reward) for _, reward, _ in LINE.findall(run.stdout)]
    assert len(rewards) == 6
    assert rewards[0] < 0.3
    assert rewards[-1] > 0.6
    assert all(reward == right for _, reward, right in LINE.findall(run.stdout))
