"""The check of calibrations in German: recorded for every shipped calibration of a language-neutral metric."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from answersim.calibration.storing import SHIPPED, read, shipped
from tools.weights.calibration_languages import NEUTRAL, main


def test_every_neutral_calibration_has_the_check() -> None:
    for name in NEUTRAL:
        if name in shipped() and not read(SHIPPED / f"{name}.json").metadata.get("any language"):
            check = read(SHIPPED / f"{name}.json").metadata["languages"]["de"]
            expected = 107 if read(SHIPPED / f"{name}.json").least_words else 421
            assert (check["n"], len(check["accuracy"])) == (expected, 3)


@pytest.mark.data
def test_the_program_writes_what_is_recorded(
    data_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in NEUTRAL:
        if name in shipped():
            shutil.copy(SHIPPED / f"{name}.json", tmp_path)
    main(tmp_path)
    for path in tmp_path.iterdir():
        assert read(path) == read(SHIPPED / path.name)
    printed = capsys.readouterr().out
    assert "f1: n 107, accuracy 0.813 [0.726, 0.882]" in printed
    assert "recall: n 421, accuracy 0.736 [0.691, 0.778]" in printed
