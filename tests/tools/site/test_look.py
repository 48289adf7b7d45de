"""The built site in a headless Chromium: nothing is cut, no serious finding of axe, and the search finds the tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.site import chromium, look
from tools.site.sources import ROOT

SITE = ROOT / "build" / "site"


def test_a_folder_without_a_site_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="make docs"):
        next(look.findings(tmp_path, tmp_path))


@pytest.mark.slow
@pytest.mark.skipif(chromium.executable() is None, reason="no Chromium is installed: apt-get install chromium")
@pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="the site is not built: make docs")
def test_the_site_has_no_finding(tmp_path: Path) -> None:
    assert list(look.findings(SITE, tmp_path)) == []
