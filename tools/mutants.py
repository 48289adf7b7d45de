"""How many of N mutants of the code do the tests catch, and which test catches each one first?

    python -m pytest -m "not slow" -n auto --cov=answersim --cov=rankers --cov-context=test --cov-report=
    python -m tools.mutants mutants.json --number 200 --seed 53 --coverage .coverage

Each mutant changes one place (``tools.mutant_places``) in a temporary copy of the tree. The tests that execute this
place, by the coverage of the first command, run until one fails (``Coverage.tests``). A test that fails with a mutant
is repeated without it: if it fails then too, it counts as broken and the next one decides. A run that exceeds the limit
counts as a failure. The JSON file has each mutant and the test that catches it. A second call resumes.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from benchmarks.options import run_program
from tools.mutant_places import Place, draw

ROOT = Path(__file__).parent.parent
PYTEST = ("-x", "-q", "-rfE", "--tb=no", "-m", "not slow", "-p", "no:cacheprovider", "--hypothesis-seed=0")
PASSED = (0, 5)  # exit statuses of pytest: all tests passed, or there are none
MOST_TESTS = 100  # of the tests that meet one mutant, those with the fewest lines
BROADEST = 20  # and those with the most lines
READERS = ("tests/test_defaults.py",)  # they compare what an import computed, and execute no line of the file
TIMEOUT = "a run over the limit"
_FAILED = re.compile(r"^(?:FAILED|ERROR) (?P<test>.+?)(?: - .*)?$", re.MULTILINE)


class Coverage(NamedTuple):
    """Which tests execute which lines."""

    by_line: Mapping[str, Mapping[int, Sequence[str]]]  # by file and line, the tests that execute it; "" is an import
    n_lines: Mapping[str, int]  # by test, how many lines it executes
    root: Path  # the folder of the files

    def tests(self, place: Place) -> list[str]:
        """Return the tests that execute this place, at most ``MOST_TESTS`` with few lines first, then the ``BROADEST``.

        If only an import executes it, return ``READERS``, the tests of the lines that use its value, and those of any
        line of the file.
        """
        lines = self.by_line.get(place.path, {})

        def of(numbers: Iterable[int]) -> list[str]:
            names = {test for line in numbers for test in lines.get(line, ()) if test}
            return sorted(names, key=lambda test: (self.n_lines[test], test))

        names = of(range(place.line, place.line + place.before.count("\n") + 1))
        uses = lines_that_use((self.root / place.path).read_text(encoding="utf-8"), place.line)
        if uses is None:
            names = names or of(lines)
            return names[:MOST_TESTS] + names[MOST_TESTS:][-BROADEST:]
        readers = [file for file in READERS if (self.root / file).is_file()]
        return list(dict.fromkeys([*readers, *of(uses), *of(lines)]))[: MOST_TESTS + BROADEST]


def lines_that_use(source: str, line: int) -> set[int] | None:
    r"""Return the lines that use what an import computes here: the body of the function, or those with the name.

    None stands for a line of a function, which no import executes.

    >>> lines_that_use("a = 1\ndef f(b=2):\n    return a + b", 1)
    {1, 3}
    >>> lines_that_use("a = 1\ndef f(b=2):\n    return a + b", 2)
    {3}
    """
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            body = range(node.body[0].lineno, (node.end_lineno or 0) + 1)
            if first <= line <= body[-1]:
                return None if line in body else {*body}
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.lineno <= line <= (node.end_lineno or 0):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    used = re.compile(rf"\b(?:{'|'.join(names)})\b") if names else None
    return {i for i, text in enumerate(source.splitlines(), start=1) if used and used.search(text)}


def read_coverage(file: Path, root: Path) -> Coverage:
    """Read a data file of coverage.py that has the names of tests as contexts."""
    from coverage import CoverageData

    data = CoverageData(str(file))
    data.read()
    by_line: dict[str, dict[int, list[str]]] = {}
    n_lines: Counter[str] = Counter()
    for path in data.measured_files():
        lines: dict[int, list[str]] = {}
        for line, contexts in data.contexts_by_lineno(path).items():
            lines[line] = sorted({context.rpartition("|")[0] for context in contexts})
            n_lines.update(lines[line])
        by_line[Path(os.path.relpath(path, root)).as_posix()] = lines
    if not set(n_lines) - {""}:
        raise ValueError(f"{file} names no test; run pytest with --cov-context=test")
    return Coverage(by_line, n_lines, root)


class Tree(NamedTuple):
    """A copy of the tree, where one file at a time is changed."""

    root: Path  # the folder
    limit: float = 600  # the most seconds that one run of tests may take

    def first_failure(self, tests: Sequence[str]) -> str:
        """Run these tests in order and return the first one that fails, ``TIMEOUT``, or "" if all pass."""
        listed = self.root / "tests-of-mutant.txt"
        listed.write_text("\n".join(tests), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", *PYTEST, f"@{listed}"]
        environment = {**os.environ, "PYTHONPATH": str(self.root), "OMP_NUM_THREADS": "1"}
        shutil.rmtree(self.root / ".hypothesis", ignore_errors=True)  # no mutant profits from examples of another one
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        with subprocess.Popen(command, cwd=self.root, env=environment, start_new_session=True, **pipes) as process:
            try:
                shown, _ = process.communicate(timeout=self.limit)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return TIMEOUT
        if process.returncode in PASSED:
            return ""
        failed = _FAILED.search(shown)
        return failed["test"] if failed else tests[0]  # what cannot even be collected names no test

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


def catching_test(tree: Tree, place: Place, coverage: Coverage, times: Iterator[int], broken: set[str]) -> str:
    """Return the first test that fails with this mutant and passes without it; "" if there is none.

    ``times``: a time per write of a file. ``broken``: tests that fail without a mutant; updated.
    """
    tests = [test for test in coverage.tests(place) if test not in broken]
    source = (tree.root / place.path).read_bytes()
    while tests:
        tree.write(place.path, place.changed(source), next(times))
        failed = tree.first_failure(tests)
        tree.write(place.path, source, next(times))
        if failed in ("", TIMEOUT) or not tree.first_failure([failed]):
            return failed
        broken.add(failed)
        tests = [test for test in tests if test != failed]
    return ""


def table(caught: Sequence[tuple[Place, str]]) -> str:
    """Return the mutants as a Markdown table, and the share of those that were caught."""
    lines = ["| place | function | change | caught by |", "| --- | --- | --- | --- |"]
    for place, test in caught:
        change = f"`{_short(place.before)}` -> `{_short(place.after)}`".replace("|", "\\|")
        lines.append(f"| {place.path}:{place.line} | {place.function} | {change} | {_short(test) or 'none'} |")
    n_caught = sum(bool(test) for _, test in caught)
    return "\n".join([*lines, "", f"{n_caught} of {len(caught)} mutants were caught."])


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 60 else f"{words[:57]}..."


def write(file: Path, seed: int, mutants: Mapping[Place, str | None]) -> None:
    """Write all mutants, and the test of each one that has run ("" if none catches it)."""
    listed = [place._asdict() | ({} if test is None else {"test": test}) for place, test in mutants.items()]
    text = json.dumps({"seed": seed, "mutants": listed}, indent=1, ensure_ascii=False)
    file.write_text(text + "\n", encoding="utf-8")


def read(file: Path) -> tuple[int, dict[Place, str | None]]:
    """Return the seed, and the test of each mutant, None if it has not run."""
    stored = json.loads(file.read_text(encoding="utf-8"))
    tests = {Place(*(mutant[name] for name in Place._fields)): mutant.get("test") for mutant in stored["mutants"]}
    return stored["seed"], tests


def main(
    file: Annotated[Path, typer.Argument(help="A JSON file for the outcomes. If it exists, the work resumes.")],
    coverage: Annotated[Path, typer.Option(help="Data of coverage, with tests as contexts.")] = Path(".coverage"),
    number: Annotated[int, typer.Option(help="How many mutants.", min=1)] = 60,
    seed: Annotated[int, typer.Option(help="The seed of the places.")] = 0,
    package: Annotated[list[str] | None, typer.Option(help="A package. Default: answersim and rankers.")] = None,
    root: Annotated[Path, typer.Option(help="The tree whose code and tests are used.")] = ROOT,
) -> None:
    """Break the code in places drawn by seed, and count how often the tests fail."""
    if file.is_file():
        seed, mutants = read(file)
    else:
        mutants = dict.fromkeys(draw(root, package or ["answersim", "rankers"], seed, number))
    measured = read_coverage(coverage, root)
    times, broken = iter(range(10**9, 2 * 10**9, 2)), set[str]()
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(Path(folder).resolve())
        copied(root, tree.root)
        for i, (place, test) in enumerate(mutants.items(), start=1):
            if test is None:
                mutants[place] = catching_test(tree, place, measured, times, broken)
                write(file, seed, mutants)
            typer.echo(f"{i}/{len(mutants)} {place.path}:{place.line}: {mutants[place] or 'none'}", err=True)
    typer.echo(table([(place, test or "") for place, test in mutants.items()]))


if __name__ == "__main__":
    run_program(main)
