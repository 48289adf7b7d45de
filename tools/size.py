"""The size of the project as one table: lines, files, rooms, public names, commands, options, and words.

    python -m tools.size
    python -m tools.size --before before.json --output after.json

Only files that git tracks count. A room is a folder of a package, or a file beside these folders. An arrow is an import
from one room into another, also inside a function. A floor is a level of the longest chain of arrows. A circle is a
group of rooms that import each other.
"""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Annotated, TypeAlias

import typer

from benchmarks.options import run_program
from tools.site import commands as site_commands

Counts: TypeAlias = dict[str, int]

ROOT = Path(__file__).parent.parent
PACKAGES = ("answersim", "rankers", "benchmarks", "tools")
PUBLIC = ("answersim", "rankers")
VAGUE = frozenset("found part one given other asked shown what wanted kept how each made".split())
PAPER_PAGES = "papers"  # pages of papers have a limit of their own
RECORDS = {"NamedTuple", "Protocol", "TypedDict"}


def tracked(root: Path, *patterns: str) -> list[Path]:
    """Return the files that git tracks and that exist, by patterns of git."""
    command = ["git", "ls-files", "-z", "--", *patterns]
    listed = subprocess.run(command, cwd=root, capture_output=True, check=True, text=True).stdout
    return [path for name in listed.split("\0") if name and (path := root / name).is_file()]


def lines_and_files(root: Path) -> Iterator[tuple[str, int]]:
    """Yield the lines and files of Python of each package and of the tests."""
    for package in (*PACKAGES, "tests"):
        paths = tracked(root, f"{package}/*.py")
        yield f"lines of {package}", sum(_n_lines(path) for path in paths)
        yield f"files of {package}", len(paths)


def tests_by_kind(root: Path) -> Iterator[tuple[str, int]]:
    """Yield the lines of tests by folder, and how many test functions there are."""
    by_kind: Counter[str] = Counter()
    for path in tracked(root, "tests/*.py"):
        folder = path.relative_to(root / "tests").parts[0]
        by_kind[folder if not folder.endswith(".py") else "(root)"] += _n_lines(path)
    functions = (node for node in _nodes(root, "tests/*.py") if isinstance(node, ast.FunctionDef))
    yield "test functions", sum(node.name.startswith("test_") for node in functions)
    for folder, n_lines in sorted(by_kind.items()):
        yield f"lines of tests/{folder}", n_lines


def rooms(root: Path, package: str) -> Iterator[tuple[str, int]]:
    """Yield how many rooms, arrows, floors and circles a package has. For floors, a circle is one room."""
    import networkx

    arrows = arrows_of(root, package)
    graph = networkx.DiGraph(arrows)
    yield f"rooms of {package}", len(arrows)
    yield f"arrows of {package}", graph.number_of_edges()
    yield f"floors of {package}", 1 + networkx.dag_longest_path_length(networkx.condensation(graph))
    yield f"circles of {package}", sum(len(circle) > 1 for circle in networkx.strongly_connected_components(graph))


def arrows_of(root: Path, package: str) -> dict[str, set[str]]:
    """Return the rooms of a package, and the rooms that each one imports, without ``__init__`` and ``__main__``."""
    files = tracked(root, f"{package}/*.py")
    paths = [path for path in files if path.parent != root / package or "__" not in path.name]
    room_of = {_module(path, root): path.relative_to(root / package).parts[0].removesuffix(".py") for path in paths}
    arrows: dict[str, set[str]] = {room: set() for room in room_of.values()}
    for path in paths:
        room = room_of[_module(path, root)]
        for name in imported(_parsed(path)):
            target = room_of.get(name) or room_of.get(name.rpartition(".")[0])
            if target not in (None, room):
                arrows[room].add(str(target))
    return arrows


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield the full names that a module imports: of ``from a import b``, a and a.b.

    >>> sorted(imported(ast.parse("import a.b; from c import d")))
    ['a.b', 'c', 'c.d']
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def public_names() -> Iterator[tuple[str, int]]:
    """Yield how many names the packages and their public modules export."""
    for package in PUBLIC:
        queue, names = [package], 0
        for path in queue:
            module = importlib.import_module(path)
            for name in getattr(module, "__all__", ()):
                if isinstance(getattr(module, name), ModuleType):
                    queue.append(f"{path}.{name}")
                else:
                    names += 1
        yield f"public names of {package}", names


def commands() -> Iterator[tuple[str, int]]:
    """Yield the commands, those with the commands of groups, the names of options, and all parameters."""
    for package in PUBLIC:
        leaves = site_commands.commands(package)
        parameters = [parameter for _, leaf in leaves for parameter in leaf.params if parameter.name != "help"]
        names = {name for parameter in parameters for name in parameter.opts if name.startswith("--")}
        yield f"commands of {package}", len({name.split()[1] for name, _ in leaves})
        yield f"commands of {package} with those of groups", len(leaves)
        yield f"option names of {package}", len(names)
        yield f"parameters of {package}", len(parameters)


def words(root: Path) -> Iterator[tuple[str, int]]:
    """Yield the guides, their words with README, and the words of result pages."""
    guides, results = (tracked(root, f":(glob){folder}/*.md") for folder in ("docs", "benchmarks/results"))
    counted = [path for path in guides if not path.name.startswith(PAPER_PAGES)]
    yield "guides (pages of papers not counted)", len(counted)
    yield "words of guides and README", sum(map(_n_words, [*counted, root / "README.md"]))
    yield "pages of results", len(results)
    yield "words of results", sum(map(_n_words, results))
    for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        yield f"words of {name}", _n_words(root / name)


def records(root: Path) -> Iterator[tuple[str, int]]:
    """Yield how many record types there are: named tuples, dataclasses, protocols, aliases of types."""
    n_records = 0
    for node in _nodes(root, *(f"{package}/*.py" for package in PUBLIC)):
        if isinstance(node, ast.ClassDef):
            bases = {ast.unparse(base).partition("[")[0] for base in node.bases}
            decorators = {ast.unparse(decorator).partition("(")[0] for decorator in node.decorator_list}
            n_records += bool(bases & RECORDS or "dataclass" in decorators)
        elif isinstance(node, ast.AnnAssign):
            n_records += ast.unparse(node.annotation) == "TypeAlias"
    yield "record types and aliases", n_records


def vague_names(root: Path) -> Iterator[tuple[str, int]]:
    """Yield how often a local name or a parameter that says nothing is bound, in each package and in the tests."""
    for package in (*PACKAGES, "tests"):
        nodes = list(_nodes(root, f"{package}/*.py"))
        bound = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        bound += [node.arg for node in nodes if isinstance(node, ast.arg)]
        yield f"vague names of {package}", sum(name in VAGUE for name in bound)


def _nodes(root: Path, *patterns: str) -> Iterator[ast.AST]:
    """Yield all nodes of the modules with these patterns."""
    return (node for path in tracked(root, *patterns) for node in ast.walk(_parsed(path)))


def _module(path: Path, root: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _n_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def _n_words(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").split()) if path.is_file() else 0


def count(root: Path = ROOT) -> Counts:
    """Return all counts by name."""
    by_package = (pair for package in PUBLIC for pair in rooms(root, package))
    code = (*lines_and_files(root), *by_package, *public_names(), *records(root), *vague_names(root))
    return dict([*code, *commands(), *words(root), *tests_by_kind(root)])


def table(counts: Mapping[str, int], before: Mapping[str, int]) -> str:
    """Return the counts as a table in Markdown, beside those of before if there are any."""
    columns = ["", "before", "now"] if before else ["", "now"]
    rows = [columns, ["---", *["---:"] * (len(columns) - 1)]]
    for name in dict.fromkeys((*before, *counts)):
        cells = [before.get(name, 0), counts.get(name, 0)] if before else [counts[name]]
        rows.append([name, *(f"{cell:,}" for cell in cells)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main(
    before: Annotated[Path | None, typer.Option(help="The counts of an earlier state, which --output wrote.")] = None,
    output: Annotated[Path | None, typer.Option(help="A JSON file for the counts.")] = None,
) -> None:
    """Print how large the project is."""
    counts = count()
    if output is not None:
        output.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")
    typer.echo(table(counts, json.loads(before.read_text(encoding="utf-8")) if before else {}))


if __name__ == "__main__":
    run_program(main)
