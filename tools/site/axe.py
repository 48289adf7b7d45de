"""The rules of axe-core (from npm, pinned) on a page in the headless Chromium: contrast, keyboard, names and others."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from tools.site.browser import assemble
from tools.site.browser.chromium import Page
from tools.site.sources import ROOT

DOWNLOADS = ROOT / "build" / "downloads"
PIN = {
    "version": "4.10.3",
    "file": "axe-core-4.10.3.tgz",
    "integrity": "sha512-Xm7bpRXnDSX2YE2YFfBk2FnF0ep6tmG7xPh8iHee8MIcrgq762Nkce856dYtJYLkuIoYZvGfTs/PbZhideTcEg==",
    "folder": "package/",
    "files": {"axe.min.js": "880970c081707360e64f34cea25ff91892f5bc95675b0776925b9709dd8a68bb"},
}
_SERIOUS = """axe.run({resultTypes: ["violations"]}).then(found => found.violations
  .filter(rule => ["serious", "critical"].includes(rule.impact))
  .map(rule => `${rule.id} (${rule.nodes.length}): ${rule.nodes[0].html.slice(0, 120)}`))"""


def source() -> str:
    """Return the script of axe-core. npm downloads it at the first call."""
    DOWNLOADS.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        assemble.from_npm("axe-core", PIN, Path(folder), DOWNLOADS)
        return (Path(folder) / "axe.min.js").read_text(encoding="utf-8")


def serious(page: Page, script: str) -> list[str]:
    """Return one line per rule with a serious or critical violation on the page that is open."""
    page.run(f"{script}; null")
    found: list[str] = page.run(_SERIOUS)
    return found
