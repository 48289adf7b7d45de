"""How many of N mutants of the code do the tests catch?

    python -m tools.mutants mutants.json --number 60 --seed 0
    python -m tools.mutants mutants.json --no-quick         # the mirrored tests only

Each mutant changes one place (``tools.mutant_places``) in a temporary copy of the tree. The test file that mirrors the
module runs first, then the folder of this file, and then what ``make quick`` runs. A mutant is caught by the first of
these that fails. Every failure is compared with a run of the same tests without a mutant: if those fail too, this is an
error. A run that exceeds the limit counts as a failure. The JSON file has each outcome, and a second call resumes.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from tools.mutant_places import Place, draw

ROOT = Path(__file__).parent.parent
STAGES = {"file": "file", "folder": "folder", "quick": "quick suite"}  # how they are named in the last line
SURVIVED = "none"
PYTEST = ("-x", "-q", "-m", "not slow", "-p", "no:cacheprovider", "--hypothesis-seed=0")
PASSED = (0, 5)  # exit statuses of pytest: all tests passed, or there are none


class Tree(NamedTuple):
    """A copy of the tree, where one file at a time is changed.

    Attributes:
        root: The folder.
        limit: The most seconds that one run of tests may take.
    """

    root: Path
    limit: float

    def passes(self, tests: Sequence[str]) -> bool:
        """Return whether these tests pass here within the limit."""
        command = [sys.executable, "-m", "pytest", *PYTEST, *tests]
        environment = {**os.environ, "PYTHONPATH": str(self.root), "OMP_NUM_THREADS": "1"}
        shutil.rmtree(self.root / ".hypothesis", ignore_errors=True)  # no mutant profits from examples of another one
        null = subprocess.DEVNULL
        with subprocess.Popen(
            command, cwd=self.root, env=environment, stdout=null, stderr=null, start_new_session=True
        ) as process:
            try:
                return process.wait(self.limit) in PASSED
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return False

    def write(self, path: str, source: bytes, time: int) -> None:
        """Replace a file. Each write needs a time of its own, so that no stored bytecode is reused."""
        (self.root / path).write_bytes(source)
        os.utime(self.root / path, (time, time))


def copied(root: Path, folder: Path) -> None:
    """Copy all files that git does not ignore."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, check=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, folder / name)


def mirrored_tests(root: Path, module: str) -> dict[str, list[str]]:
    """Return the tests of the stages "file" and "folder", by the tables of ``tests/test_mirror.py`` in this tree.

    A module without a file of its name has the file that the tables name. Neither the folder of all tests nor a missing
    file is a stage.
    """
    text = (root / "tests/test_mirror.py").read_text(encoding="utf-8")
    known: dict[str, Any] = {}
    for node in ast.parse(text).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if names and names[0] in ("FOLDERS", "ELSEWHERE", "TABLES"):
            known[names[0]] = ast.literal_eval(node.value)  # type: ignore[attr-defined]
    package, _, path = module.partition("/")
    folder, _, name = f"/{path}".rpartition("/")
    file = f"{known['FOLDERS'][package]}{folder}/test_{name.strip('_').replace('__.py', '.py')}"
    tables = [file for start, (file, _) in known.get("TABLES", {}).items() if module.startswith(start)]
    hosts = str(Path(file).parent / "hosts" / Path(file).name)
    elsewhere = [file for file, _ in [known.get("ELSEWHERE", {}).get(module, ("", ""))] if file]
    found = [path for path in (file, hosts, *elsewhere, *tables) if (root / path).is_file()][:1]
    above = Path(found[0] if found else file).parent
    is_whole = above.as_posix() in known["FOLDERS"].values() or not (root / above).is_dir()
    return {"file": found, "folder": [] if is_whole else [above.as_posix()]}


def quick_tests(root: Path) -> list[str]:
    """Return the tests that ``make quick`` runs, without its options for several processes."""
    command = ["make", "--no-print-directory", "--dry-run", "quick"]
    shown = subprocess.run(command, cwd=root, capture_output=True, check=True, text=True).stdout
    lines = [line for line in shown.splitlines() if " -m pytest " in line]
    if len(lines) != 1:
        raise ValueError(f"`make quick` has {len(lines)} lines with pytest, but one is needed; see the Makefile")
    words = re.sub(r" (-n|--dist|-m) (\"[^\"]*\"|\S+)", "", lines[0].partition(" -m pytest ")[2].join("  "))
    return shlex.split(words)


def outcomes(root: Path, places: Sequence[Place], file: Path, stages: Sequence[str], limit: float) -> Iterator[Any]:
    """Yield each place and, by stage, whether its tests pass. Store them in the file, and resume what it contains.

    Raises:
        RuntimeError: If tests that catch a mutant fail without it.
    """
    stored = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {"passes": {}, "mutants": []}
    done = {(mutant["rank"], mutant["after"]): mutant["stages"] for mutant in stored["mutants"]}
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(Path(folder).resolve(), limit)
        copied(root, tree.root)
        quick = quick_tests(root) if "quick" in stages else []
        mutants = []
        for i, place in enumerate(places):
            passed: dict[str, bool] = done.get((place.rank, place.after), {})
            tests = {**mirrored_tests(root, place.path), "quick": quick}
            source = (tree.root / place.path).read_bytes()
            for stage in (stage for stage in stages if tests[stage]):
                if stage not in passed and all(passed.values()):
                    tree.write(place.path, place.changed(source), 10**9 + 4 * i)
                    passed[stage] = tree.passes(tests[stage])
                    tree.write(place.path, source, 10**9 + 4 * i + 2)
                    if not passed[stage]:
                        _check_without_mutant(tree, tests[stage], stored["passes"])
            mutants.append({**place._asdict(), "stages": passed})
            later = [mutant for mutant in stored["mutants"] if mutant["rank"] not in {m["rank"] for m in mutants}]
            text = json.dumps({"passes": stored["passes"], "mutants": [*mutants, *later]}, indent=1, ensure_ascii=False)
            file.write_text(text + "\n", encoding="utf-8")
            yield place, passed


def _check_without_mutant(tree: Tree, tests: Sequence[str], passes: dict[str, bool]) -> None:
    key = " ".join(tests)
    if key not in passes:
        passes[key] = tree.passes(tests)
    if not passes[key]:
        del passes[key]
        raise RuntimeError(
            f"without a mutant, these tests fail or take over {tree.limit:.0f} s: {key}; mend them first"
        )


def caught_by(passed: dict[str, bool]) -> str:
    """Return the stage that caught a mutant.

    >>> caught_by({"file": True, "folder": False}), caught_by({"file": True})
    ('folder', 'none')
    """
    return next((stage for stage, passes in passed.items() if not passes), SURVIVED)


def table(mutants: Sequence[tuple[Place, dict[str, bool]]]) -> str:
    """Return the mutants as a Markdown table, and the share of those that were caught."""
    lines = ["| place | function | change | caught by |", "| --- | --- | --- | --- |"]
    for place, passed in mutants:
        change = f"`{_short(place.before)}` -> `{_short(place.after)}`".replace("|", "\\|")
        lines.append(f"| {place.path}:{place.line} | {place.function} | {change} | {caught_by(passed)} |")
    stages = [caught_by(passed) for _, passed in mutants]
    n_caught = sum(stage != SURVIVED for stage in stages)
    counts = ", ".join(f"{stages.count(stage)} by the {name}" for stage, name in STAGES.items())
    return "\n".join([*lines, "", f"{n_caught} of {len(mutants)} mutants were caught ({counts})."])


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 60 else f"{words[:57]}..."


def main(
    file: Annotated[Path, typer.Argument(help="A JSON file for the outcomes. If it exists, the work resumes.")],
    number: Annotated[int, typer.Option(help="How many mutants.", min=1)] = 60,
    seed: Annotated[int, typer.Option(help="The seed of the places.")] = 0,
    package: Annotated[list[str] | None, typer.Option(help="A package. Default: answersim and rankers.")] = None,
    root: Annotated[Path, typer.Option(help="The tree whose code and tests are used.")] = ROOT,
    quick: Annotated[bool, typer.Option(help="Whether survivors meet the tests of `make quick`.")] = True,
    limit: Annotated[float, typer.Option(help="The most seconds of one run of tests.")] = 900,
) -> None:
    """Break the code in places drawn by seed, and count how often the tests fail."""
    places = draw(root, package or ["answersim", "rankers"], seed, number)
    stages = list(STAGES)[: 3 if quick else 2]
    mutants = []
    for place, passed in outcomes(root, places, file, stages, limit):
        mutants.append((place, passed))
        typer.echo(f"{len(mutants)}/{len(places)} {place.path}:{place.line}: {caught_by(passed)}", err=True)
    typer.echo(table(mutants))


if __name__ == "__main__":
    typer.run(main)
