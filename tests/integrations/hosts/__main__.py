"""Test the integrations in environments of their own, one after another, because hosts are large and disagree.

    python -m tests.integrations.hosts                # all: `make test-hosts`
    python -m tests.integrations.hosts pytest --keep  # one, and keep its environment

Prints a table in Markdown: version, tests, seconds. The exit status is 1 if a test failed, or none ran.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from tests.integrations.hosts.table import HOSTS, Host

ROOT = Path(__file__).parents[3]
TESTS = Path("tests/integrations")
TOOLS = ("pytest>=8", "hypothesis>=6.100")


class HostResult(NamedTuple):
    """What the tests of a host did: its version, how many tests passed, failed and were skipped, and the seconds."""

    name: str
    version: str
    passed: int
    failed: int
    skipped: int
    install: float
    seconds: float

    @property
    def good(self) -> bool:
        """Whether tests passed and none failed."""
        return self.passed > 0 and not self.failed


def main() -> int:
    """Test the hosts that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tests.integrations.hosts", description=__doc__.splitlines()[0])
    parser.add_argument("hosts", nargs="*", metavar="HOST", help=f"of: {', '.join(host.name for host in HOSTS)}")
    parser.add_argument("--folder", type=Path, default=ROOT / "runs" / "hosts", help="Of the environments.")
    parser.add_argument("--keep", action="store_true", help="Keep environments; the next run uses them again.")
    stated = parser.parse_args()
    known = {host.name: host for host in HOSTS}
    if wrong := [name for name in stated.hosts if name not in known]:
        parser.error(f"no host is called {wrong[0]!r}; known: {', '.join(known)}")
    results = []
    for host in [known[name] for name in stated.hosts] or HOSTS:
        results.append(test(host, stated.folder / host.name, keep=stated.keep))
        sys.stderr.write(f"{results[-1]}\n")
    sys.stdout.write(table(results) + "\n")
    return int(not all(result.good for result in results))


def test(host, folder, *, keep):
    """Build the environment of a host in this folder, and run its tests there."""
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    start = time.monotonic()
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
        subprocess.run([*pip, "-e", str(ROOT), *TOOLS, *host.requirements], check=True)
        if host.npm:
            npm = [str(python.with_name("npm")), "install", "--prefix", str(folder / "npm"), "--omit=optional"]
            path = os.pathsep.join([str(python.parent), os.environ["PATH"]])
            options = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
            subprocess.run([*npm, *options, *host.npm], check=True, env=os.environ | {"PATH": path})
        installed = time.monotonic()
        version = _version(python, host)
        report = folder / "report.xml"
        report.unlink(missing_ok=True)
        # Warnings of hosts are not ours: they are no errors here.
        command = [str(python), "-m", "pytest", "-q", "-m", "not slow", "-o", "filterwarnings=", f"--junitxml={report}"]
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        subprocess.run([*command, *(str(TESTS / path) for path in host.tests)], cwd=ROOT, env=environment, check=False)
        passed, failed, skipped = counts(report)
        return HostResult(host.name, version, passed, failed, skipped, installed - start, time.monotonic() - installed)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def counts(report: Path) -> tuple[int, int, int]:
    """Return how many tests passed, failed and were skipped by a JUnit file of pytest; (0, 1, 0) if there is none."""
    if not report.is_file():
        return 0, 1, 0
    suites = list(ElementTree.parse(report).getroot().iter("testsuite"))
    tests, failures, errors, skipped = (
        sum(int(suite.get(name, 0)) for suite in suites) for name in ("tests", "failures", "errors", "skipped")
    )
    return tests - failures - errors - skipped, failures + errors, skipped


def table(results: list[HostResult]) -> str:
    """Return the results as a table in Markdown."""
    head = [
        "| host | version | passed | failed | skipped | install, s | tests, s |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    rows = [
        f"| {result.name} | {result.version} | {result.passed} | {result.failed} | {result.skipped} "
        f"| {result.install:.0f} | {result.seconds:.0f} |"
        for result in results
    ]
    return "\n".join([*head, *rows])


def _version(python: Path, host: Host) -> str:
    if host.npm:
        return host.npm[0].rpartition("@")[2]
    package = host.requirements[0].partition("==")[0].partition("[")[0]
    code = f"from importlib.metadata import version as v; print(v({package!r}))"
    return subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    raise SystemExit(main())
