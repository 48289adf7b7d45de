"""GRPO with answersim on the CPU: a model with 44,416 random parameters learns to count, rewarded by meaning.

    pip install answersim trl
    python grpo.py

The gold answers are digits. The reward accepts number words, too, so the model may learn either.
"""

import sys
import tempfile

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM, set_seed
from trl import GRPOConfig, GRPOTrainer

from answersim.integrations.rewards.trl import AnswerReward

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
NUMBERS = "zero one two three four five six seven eight nine".split()
WORDS = ["<pad>", "<eos>", "after", "comes", *map(str, range(10)), *NUMBERS]

set_seed(0)
words = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="<pad>"))
words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<eos>", padding_side="left")
config = Qwen2Config(
    vocab_size=len(WORDS),
    hidden_size=64,
    intermediate_size=128,
    num_hidden_layers=1,
    num_attention_heads=4,
    num_key_value_heads=4,
    pad_token_id=0,
    eos_token_id=1,
)
rows = [{"prompt": f"after {i} comes", "solution": str(i + 1)} for i in range(9)]
with tempfile.TemporaryDirectory() as folder:
    trainer = GRPOTrainer(
        model=Qwen2ForCausalLM(config),
        processing_class=tokenizer,
        reward_funcs=[AnswerReward(metric="rules")],
        train_dataset=Dataset.from_list(rows * 16),
        args=GRPOConfig(
            output_dir=folder,
            max_steps=STEPS,
            per_device_train_batch_size=144,
            num_generations=16,
            max_completion_length=1,
            learning_rate=1e-2,
            logging_steps=max(1, STEPS // 6),
            report_to="none",
            use_cpu=True,
            save_strategy="no",
        ),
    )
    trainer.train()
for line in trainer.state.log_history:
    if "reward" in line:
        print(f"step {line['step']:>3}: reward {line['reward']:.2f}, right {line['answersim/verdict/right']:.2f}")
