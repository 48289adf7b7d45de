"""The pictures of the documentation have no empty areas, which a picture before paint has."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="needs the extra `report`")

from matplotlib.image import imsave

from tools.site.screenshots import PICTURES, empty_rows
from tools.site.sources import ROOT


@pytest.mark.parametrize("name", PICTURES)
def test_no_picture_of_the_documentation_has_an_empty_area(name: str) -> None:
    assert empty_rows(ROOT / "docs" / name) <= 100


def test_an_empty_area_is_found(tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).random((60, 20, 3))
    imsave(tmp_path / "whole.png", pixels)
    pixels[10:50] = 1.0
    imsave(tmp_path / "hole.png", pixels)
    assert empty_rows(tmp_path / "whole.png") == 1
    assert empty_rows(tmp_path / "hole.png") == 40
