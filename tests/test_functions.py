"""The size of functions: at most 80 lines with signature and docstring, at most 15 parameters."""

import ast
import statistics
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("answersim", "rankers", "benchmarks", "tools")
MOST_LINES, MOST_PARAMETERS, MEDIAN = 80, 15, 10


class Function(NamedTuple):
    """A function or method, where it is, and its size."""

    place: str
    is_public: bool
    lines: int
    parameters: int


@lru_cache
def functions(folder: str = "answersim") -> list[Function]:
    """Return all functions and methods of a package."""
    return [
        _function(path, node)
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]


def _function(path: Path, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Function:
    args = node.args
    parameters = len([*args.posonlyargs, *args.args, *args.kwonlyargs]) + sum(map(bool, (args.vararg, args.kwarg)))
    place = f"{path.relative_to(ROOT).as_posix()}: {node.name}"
    return Function(place, not node.name.startswith("_"), (node.end_lineno or 0) - node.lineno + 1, parameters)


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_function_has_more_than_80_lines(folder):
    assert not [function.place for function in functions(folder) if function.lines > MOST_LINES]


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_public_function_has_more_than_15_parameters(folder):
    public = [function for function in functions(folder) if function.is_public]
    assert not [function.place for function in public if function.parameters > MOST_PARAMETERS]


def test_half_of_the_functions_have_fewer_than_10_lines():
    sizes = sorted(function.lines for function in functions())
    assert len(sizes) > 3000
    assert statistics.median(sizes) < MEDIAN
