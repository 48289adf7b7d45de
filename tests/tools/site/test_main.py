"""The command of the site. The build itself is `make docs`, which CI runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.site.__main__ import make_room


def test_the_site_of_an_earlier_run_is_removed(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site/.buildinfo").touch()
    (tmp_path / "site/old.html").touch()
    make_room(tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_a_folder_that_is_no_site_is_kept(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(FileExistsError, match="name another --output"):
        make_room(tmp_path)
    assert (tmp_path / "thesis.tex").exists()
