"""A data folder that a test fills itself, in the real formats."""

from __future__ import annotations

import gzip

import pytest


@pytest.fixture
def put(tmp_path):
    """``put("wikiqa/dev.tsv", text)`` writes that file below ranking/ of a data folder, and gives back the folder."""

    def write(relative, text):
        path = tmp_path / "ranking" / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        content = text.encode()
        path.write_bytes(gzip.compress(content) if relative.endswith(".gz") else content)
        return tmp_path

    return write
