"""The rules of axe-core (from npm, pinned) on a page in the headless Chromium: contrast, keyboard, names and others."""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
import tarfile

from tools.site.chromium import Page
from tools.site.sources import ROOT

DOWNLOADS = ROOT / "build" / "downloads"
VERSION = "4.10.3"
ARCHIVE = f"axe-core-{VERSION}.tgz"
INTEGRITY = "sha512-Xm7bpRXnDSX2YE2YFfBk2FnF0ep6tmG7xPh8iHee8MIcrgq762Nkce856dYtJYLkuIoYZvGfTs/PbZhideTcEg=="
_SERIOUS = """axe.run({resultTypes: ["violations"]}).then(found => found.violations
  .filter(rule => ["serious", "critical"].includes(rule.impact))
  .map(rule => `${rule.id} (${rule.nodes.length}): ${rule.nodes[0].html.slice(0, 120)}`))"""


def source() -> str:
    """Return the script of axe-core. npm downloads the archive at the first call, and installs and runs nothing."""
    path = DOWNLOADS / ARCHIVE
    if not path.is_file():
        if shutil.which("npm") is None:
            raise FileNotFoundError(f"npm is not installed, and {path} is not there; install npm (Debian: nodejs npm)")
        DOWNLOADS.mkdir(parents=True, exist_ok=True)
        command = ["npm", "pack", "--silent", "--ignore-scripts", f"axe-core@{VERSION}"]
        subprocess.run(command, check=True, cwd=DOWNLOADS, stdout=subprocess.DEVNULL)
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
    if integrity != INTEGRITY:
        raise ValueError(f"{path} has the integrity {integrity}, but {INTEGRITY} is pinned; remove the file")
    with tarfile.open(path) as archive:
        script = archive.extractfile("package/axe.min.js")
        assert script is not None  # the integrity is that of an archive with this file
        return script.read().decode("utf-8")


def serious(page: Page, script: str) -> list[str]:
    """Return one line per rule with a serious or critical violation on the page that is open."""
    page.run(f"{script}; null")
    found: list[str] = page.run(_SERIOUS)
    return found
