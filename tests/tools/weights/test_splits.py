"""The published list of questions by part."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from answersim.evaluation.data.system_answers import EVOUNA, EVOUNA_NQ, SystemAnswer
from tools.weights import splits


def test_a_question_is_listed_once_by_its_digest() -> None:
    answers = [SystemAnswer("Why?", ("a",), system, "a", True, "dev") for system in "ab"]
    assert splits.parts(answers) == {"train": [], "dev": [sha256(b"Why?").hexdigest()[:12]], "test": []}


def test_no_question_of_the_list_is_in_two_parts_of_a_file() -> None:
    for listed in json.loads(splits.LIST.read_text(encoding="utf-8")).values():
        digests = [digest for part in listed.values() for digest in part]
        assert len(digests) == len(set(digests))


@pytest.mark.data
def test_the_list_is_that_of_the_files(data_home: Path, tmp_path: Path) -> None:
    if not all((data_home / path).is_file() for path in (EVOUNA, EVOUNA_NQ)):
        pytest.skip("needs the judged answers below $ANSWERSIM_DATA")
    splits.main(tmp_path / "list.json")
    assert (tmp_path / "list.json").read_text(encoding="utf-8") == splits.LIST.read_text(encoding="utf-8")
