"""The folder of the page is made of pinned files only."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from pathlib import Path

import pytest

from tools.site.browser import assemble

PINS = json.loads((assemble.HERE / "pins.json").read_text(encoding="utf-8"))


def made_wheel(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as wheel:
        for name, content in files.items():
            wheel.writestr(name, content)
    return path


def test_every_download_has_a_version_and_a_digest() -> None:
    pyodide = PINS["pyodide"]
    for pin in (pyodide["from"], *pyodide["packages"].values(), *PINS["wheels"].values()):
        assert pin["version"]
        assert re.fullmatch("[0-9a-f]{64}", pin["sha256"])
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in pyodide["files"].values())


def test_a_file_with_another_digest_is_refused(tmp_path: Path) -> None:
    pin = PINS["wheels"]["tqdm"]
    (tmp_path / pin["file"]).write_bytes(b"something else")
    with pytest.raises(assemble.DigestError, match="is pinned; remove it"):
        assemble._pinned("tqdm", pin, tmp_path)


def test_a_repacked_wheel_has_the_kept_files_unchanged_and_equal_bytes(tmp_path: Path) -> None:
    record = "a/code.py,sha256=x,1\na/weights.bin,sha256=y,2\na-1.dist-info/RECORD,,\n"
    wheel = made_wheel(
        tmp_path / "a-1-cp313-linux.whl", {"a/code.py": "1", "a/weights.bin": "22", "a-1.dist-info/RECORD": record}
    )
    digests = set()
    for name in ("one.whl", "two.whl"):
        target = assemble.repacked(wheel, tmp_path / name, lambda path: not path.endswith(".bin"))
        digests.add(hashlib.sha256(target.read_bytes()).hexdigest())
    with zipfile.ZipFile(target) as inside:
        assert inside.namelist() == ["a/code.py", "a-1.dist-info/RECORD"]
        assert inside.read("a/code.py") == b"1"
        assert b"weights" not in inside.read("a-1.dist-info/RECORD")
    assert len(digests) == 1


def test_a_folder_of_something_else_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError, match="not a folder of this page"):
        assemble.assemble(tmp_path, tmp_path / "downloads")
    assert (tmp_path / "thesis.txt").read_text(encoding="utf-8") == "mine"


def test_the_page_names_no_other_host() -> None:
    for name in assemble.PAGE:
        text = (assemble.HERE / name).read_text(encoding="utf-8")
        assert not re.search(r"https?://|//[a-z]+\.", text), name


def test_the_policy_allows_this_host_only() -> None:
    html = (assemble.HERE / "index.html").read_text(encoding="utf-8")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', html)
    rules = dict(rule.split(maxsplit=1) for rule in policy.split("; "))
    assert rules["default-src"] == rules["form-action"] == rules["base-uri"] == "'none'"
    assert rules["connect-src"] == rules["style-src"] == "'self'"
    assert rules["script-src"] == "'self' 'wasm-unsafe-eval'"
    assert rules["worker-src"] == "blob:"  # a worker of another address would obey its own policy
    assert rules["img-src"] == "'self' data:"


def test_the_metrics_of_the_page_are_those_of_the_script() -> None:
    from tools.site.browser.answers import METRICS

    script = (assemble.HERE / "page.js").read_text(encoding="utf-8")
    (names,) = re.findall(r"const METRICS = (\[[^\]]*\])", script)
    assert tuple(json.loads(names)) == METRICS
