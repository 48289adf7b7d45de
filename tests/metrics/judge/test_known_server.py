"""The judge against a server of another project: ``transformers serve``, with a small random model.

It needs the extra 'serving' of transformers (fastapi, uvicorn, openai), which is no extra of this package. A random
model states no verdict, so that every reply is unparsed: what is tested is the protocol, the record and the replay.
"""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import answersim
from answersim.metrics.judge.metric import UnparsedError
from answersim.metrics.judge.record import Record
from answersim.types import Pair

NEEDED = ("torch", "transformers", "tokenizers", "fastapi", "uvicorn", "openai")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(map(find_spec, NEEDED)) or not any(map(find_spec, ("httpx", "httpx2"))),
        reason="needs httpx and a server: pip install '.[judge]' 'transformers[serving]'",
    ),
]
TEMPLATE = "{% for message in messages %}{{ message['role'] }} {{ message['content'] }} {% endfor %}assistant"
START = "import sys; from transformers.cli.transformers import main; sys.exit(main())"


def random_model(folder: Path) -> Path:
    """Write a causal language model with two small random layers and a tokenizer of bytes."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed

    set_seed(0)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens = Tokenizer(models.BPE({"<s>": 0, "</s>": 1} | {c: i + 2 for i, c in enumerate(alphabet)}, []))
    tokens.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokens.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokens, bos_token="<s>", eos_token="</s>", pad_token="</s>")
    fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=len(alphabet) + 2, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=8192, bos_token_id=0, eos_token_id=1, pad_token_id=1,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The base URL of a server with the model, and the folder of the model."""
    folder = random_model(tmp_path_factory.mktemp("model"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("log") / "server.txt"
    line = [sys.executable, "-c", START, "serve", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    quiet = os.environ | {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}
    with log.open("w") as output:
        process = subprocess.Popen([*line, "--device", "cpu"], stdout=output, stderr=output, env=quiet)
        try:
            until = time.monotonic() + 300
            while time.monotonic() < until and process.poll() is None:
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
                    break
                except (urllib.error.URLError, OSError):
                    time.sleep(0.5)
            else:
                pytest.fail(f"the server did not start: {log.read_text()[-2000:]}")
            yield f"http://127.0.0.1:{port}/v1", folder
        finally:
            process.kill()
            process.wait()


def test_replies_of_another_server_are_recorded_and_replayed(served, tmp_path):
    url, folder = served
    record = tmp_path / "r.jsonl"
    options = {"model": str(folder), "record": record, "parameters": {"max_tokens": 8, "temperature": 0, "seed": 1}}
    pairs = [Pair("Rome", "Rome"), Pair("Rome", "Oslo")]
    metric = answersim.metric("judge", base_url=url, transport={"concurrency": 2, "timeout": 300}, **options)
    with pytest.raises(UnparsedError, match="2 of 2 pairs have no verdict"):
        metric(pairs)
    result = Record(record)
    result.read()
    replies = [entry.reply for entry in result.entries()]
    assert len(replies) == 2
    assert all(reply.text and reply.input_tokens and reply.output_tokens for reply in replies)
    assert all(folder.name in reply.model for reply in replies)
    again = answersim.metric("judge", replay=True, unparsed="unsure", **options)
    assert again(pairs).tolist() == [0.5, 0.5]
