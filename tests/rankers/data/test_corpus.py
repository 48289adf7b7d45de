"""The files of a corpus: found, counted, hashed and described."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from rankers.data import files, load, present


def test_a_missing_file_is_an_error_with_its_source(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"wikiqa \(dev\) needs the file .*dev\.tsv.*xish9/SCAN"):
        load("wikiqa", "dev", home=tmp_path)
    assert not present("wikiqa", "dev", home=tmp_path)


def test_the_data_folder_is_taken_from_the_environment(
    put: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANSWERSIM_DATA", str(put("wikiqa/dev.tsv", "q\ta\t1\n")))
    assert len(load("wikiqa", "dev", check=False)) == 1
    assert present("wikiqa", "dev")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("q\ta\t1\n", "contains 1 questions, but wikiqa (dev) has 122"),
        ("".join(f"q{i}\ta\t1\n" for i in range(122)), "contains 122 candidates, but wikiqa (dev) has 1,126"),
        (
            "".join(f"q{i % 122:03}\ta{i}\t0\n" for i in sorted(range(1126), key=lambda i: i % 122)),
            "contains 0 relevant candidates, but wikiqa (dev) has 136",
        ),
    ],
)
def test_a_file_that_differs_is_an_error_with_the_difference(
    put: Callable[[str, str], Path], text: str, complaint: str
) -> None:
    home = put("wikiqa/dev.tsv", text)
    with pytest.raises(ValueError, match="check=False") as caught:
        load("wikiqa", "dev", home=home)
    assert str(home / "ranking/wikiqa/dev.tsv") in str(caught.value)
    assert complaint in str(caught.value)
    assert len(load("wikiqa", "dev", home=home, check=False)) > 0


def test_files_are_listed_with_their_hashes(put: Callable[[str, str], Path]) -> None:
    home = put("wikiqa/dev.tsv", "q\ta\t1\n")
    assert files("wikiqa", "dev", home=home) == {"ranking/wikiqa/dev.tsv": hashlib.sha256(b"q\ta\t1\n").hexdigest()}
    assert list(files("toy", "test")) == ["toy.jsonl"]


def test_notes_state_what_measures_depend_on(put: Callable[[str, str], Path]) -> None:
    home = put("wikiqa/dev.tsv", "p\ta\t1\nq\tb\t0\nq\tb\t0\nr\tc\t1\nr\td\t0\n")
    assert load("wikiqa", "dev", home=home, check=False).notes == (
        "1 questions without a relevant candidate",
        "1 questions with relevant candidates only",
        "1 candidates that repeat the text of another of their question (kept)",
    )
