"""TRL: the reward in its trainers, and the example that trains with GRPO."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from answersim import Reward
from answersim.integrations.rewards.trl import AnswerReward
from answersim.scoring.reward.reward import UnreadableGoldError

trl: Any = pytest.importorskip("trl", reason="needs trl, see tests/integrations/hosts/table.py")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of torch, transformers and TRL are their own
WORDS = ["<pad>", "<eos>", "<unk>", *"0123456789", "+", "?", "=", "Rome", "Oslo"]


def model_and_tokenizer() -> tuple[Any, Any]:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    vocabulary = {word: i for i, word in enumerate(WORDS)}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", padding_side="left"
    )
    config = LlamaConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        eos_token_id=1,
        pad_token_id=0,
        bos_token_id=1,
    )
    return LlamaForCausalLM(config), tokenizer


def trained(reward: Any, folder: Path, golds: list[Any], steps: int = 2) -> list[dict[str, float]]:
    from datasets import Dataset
    from transformers import set_seed
    from trl import GRPOConfig, GRPOTrainer

    set_seed(0)
    model, tokenizer = model_and_tokenizer()
    settings = GRPOConfig(
        output_dir=str(folder),
        per_device_train_batch_size=8,
        num_generations=4,
        max_completion_length=4,
        max_steps=steps,
        logging_steps=1,
        use_cpu=True,
        bf16=False,
        report_to=[],
        save_strategy="no",
        disable_tqdm=True,
    )
    rows = Dataset.from_list([{"prompt": f"{i} + 1 =", "solution": gold} for i, gold in enumerate(golds)])
    trainer = GRPOTrainer(model, reward, args=settings, train_dataset=rows, processing_class=tokenizer)
    trainer.train()
    return [log for log in trainer.state.log_history if "reward" in log]


@pytest.mark.parametrize("awaited", [False, True])
def test_some_steps_of_grpo_log_the_reward_and_its_counters(awaited: bool, tmp_path: Path) -> None:
    reward = AnswerReward(metric="rules")
    logs = trained(reward.answersim_async if awaited else reward, tmp_path, [str(i + 1) for i in range(8)])
    assert len(logs) == 2
    for log in logs:
        name = next(name for name in log if name.startswith("rewards/answersim") and name.endswith("/mean"))
        assert 0 <= log[name] <= 1
        assert math.isfinite(log["loss"])
        assert {"answersim/verdict/right", "answersim/not_extracted"} <= {entry.removeprefix("train/") for entry in log}


def test_rows_without_a_reward_are_left_out_and_the_loss_is_finite(tmp_path: Path) -> None:
    logs = trained(
        AnswerReward(metric="rules", most_unreadable=1.0), tmp_path, ["1", None, "3", None, "5", "6", "7", "8"]
    )
    assert all(math.isfinite(log["loss"]) and math.isfinite(log["reward"]) for log in logs)
    shares = [log["answersim/verdict/unreadable"] for log in logs]
    assert max(shares) > 0


def test_a_column_of_unreadable_gold_answers_ends_the_training(tmp_path: Path) -> None:
    with pytest.raises(UnreadableGoldError):
        trained(AnswerReward(Reward("rules")), tmp_path, [""] * 8, steps=3)


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
