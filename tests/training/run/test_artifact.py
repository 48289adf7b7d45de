"""What a training leaves behind: which checkpoint is of the same training, and checks before any work."""

from __future__ import annotations

from pathlib import Path

import pytest

from answersim._base.errors import MissingExtraError
from answersim.training.run.artifact import check_same_training, check_threads, need_libraries
from tests.cases import every

IDENTITY = {"recipe": {"lora_r": 2, "seed": 0}, "data": {"pairs": "abc"}}


def test_the_same_training_is_continued() -> None:
    check_same_training(IDENTITY, IDENTITY, Path("x"))
    check_same_training({**IDENTITY, "step": 4}, IDENTITY, Path("x"))


@every(
    ("metadata", "message"),
    [
        ({**IDENTITY, "recipe": {"lora_r": 3, "seed": 0}}, "another recipe: lora_r was 3 and is 2 now"),
        ({**IDENTITY, "recipe": {"lora_r": 2}}, "another recipe: seed was None and is 0 now"),
        ({**IDENTITY, "data": {"pairs": "abc", "more": 1}}, "another data: more was 1 and is None now"),
        ({"recipe": IDENTITY["recipe"]}, "another data: pairs was None and is 'abc' now"),
    ],
)
def test_another_training_is_an_error_with_the_first_difference(metadata, message: str) -> None:
    with pytest.raises(ValueError, match=f"^x is of a training with {message}; start over with --no-resume"):
        check_same_training(metadata, IDENTITY, Path("x"))


@every("threads", [0, -1, 10**6])
def test_a_number_of_threads_out_of_range_is_an_error(threads: int) -> None:
    with pytest.raises(ValueError, match=f"--threads is {threads}, but it must be from 1"):
        check_threads(threads)
    check_threads(None)
    check_threads(1)


def test_a_missing_library_is_named_with_the_extra() -> None:
    need_libraries("training", ["json"])
    with pytest.raises(MissingExtraError, match="train"):
        need_libraries("training", ["json", "no_such_library_of_answersim"])
