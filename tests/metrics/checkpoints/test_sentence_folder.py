"""The settings of a folder of sentence-transformers. tests/oracles compares the vectors with the library."""

import json

import pytest

from answersim.metrics.checkpoints.search import find
from answersim.metrics.checkpoints.sentence_folder import SentenceFolder, read

pytest.importorskip("transformers")


def test_a_folder_is_plain_unless_it_changes_texts_or_vectors():
    assert SentenceFolder("cls", 9).is_plain
    for changed in (SentenceFolder(prompt="query: "), SentenceFolder(lower_case=True), SentenceFolder(dimensions=8)):
        assert not changed.is_plain


def test_settings_are_read_from_their_files(sentence_folder, tiny):
    folder = sentence_folder("max", limit=9)
    assert read(find(folder)) == SentenceFolder("max", 9)
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 7, "do_lower_case": true}')
    settings = {"prompts": {"q": "query: "}, "default_prompt_name": "q", "truncate_dim": 5}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(settings))
    assert read(find(folder)) == SentenceFolder("max", 7, "query: ", True, 5)
    assert read(find(tiny())) == SentenceFolder()  # not written by sentence-transformers
