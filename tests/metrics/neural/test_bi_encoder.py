"""The settings of a folder of sentence-transformers that a training of a bi-encoder can use."""

import json

import pytest

from answersim.metrics.checkpoints.search import find
from answersim.metrics.neural.bi_encoder import sentence_settings

pytest.importorskip("transformers")


@pytest.mark.parametrize("pooling", ["mean", "cls", "max"])
def test_a_plain_folder_gives_its_pooling_and_its_limit(pooling, sentence_folder):
    assert sentence_settings(find(sentence_folder(pooling, limit=9))) == (pooling, 9)


def test_without_a_limit_it_is_that_of_the_position_table(sentence_folder):
    folder = sentence_folder("mean")
    (folder / "sentence_bert_config.json").write_text("{}")
    config = json.loads((folder / "config.json").read_text())
    assert sentence_settings(find(folder)) == ("mean", config["max_position_embeddings"])


@pytest.mark.parametrize(
    ("file", "changes"),
    [
        ("config_sentence_transformers.json", {"prompts": {"q": "query: "}, "default_prompt_name": "q"}),
        ("config_sentence_transformers.json", {"truncate_dim": 11}),
        ("sentence_bert_config.json", {"max_seq_length": 9, "do_lower_case": True}),
    ],
)
def test_a_folder_that_prepares_texts_or_vectors_is_refused(file, changes, sentence_folder):
    folder = sentence_folder("mean")
    (folder / file).write_text(json.dumps(changes))
    with pytest.raises(ValueError, match="only the pooling and the length can be set here"):
        sentence_settings(find(folder))
