"""Places in the code that a mutant changes: an operator, a constant, or a statement that is dropped.

A place is drawn by a hash of the seed, the qualified name of its function and the text of its statement. So equal seeds
draw equal places on equal sources, and a module that moves keeps its places.
"""

from __future__ import annotations

import ast
import copy
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

KINDS = ("operator", "constant", "statement")
OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    **{ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div},
    **{ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd},
}
DROPPED = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Continue, ast.Break, ast.Delete, ast.If)


class Place(NamedTuple):
    """One change of one file."""

    path: str  # the file, relative to the root of the tree
    function: str  # the qualified name of the function or class, "" at the level of the module
    kind: str  # one of ``KINDS``
    line: int  # the line of the change, from 1 on
    before: str  # the source of the expression or statement
    after: str  # what replaces it
    start: int  # the first byte of ``before`` in the file
    rank: str  # a hash: the places with the lowest ranks are drawn

    def changed(self, source: bytes) -> bytes:
        """Return the source of the file with this change."""
        return source[: self.start] + self.after.encode() + source[self.start + len(self.before.encode()) :]

    def compiles(self, source: bytes) -> bool:
        """Return whether the changed file is valid Python that differs from the original."""
        try:
            return ast.dump(ast.parse(self.changed(source))) != ast.dump(ast.parse(source))
        except SyntaxError:
            return False


def draw(root: Path, packages: Sequence[str], seed: int, number: int) -> list[Place]:
    """Return this many places in the modules of these packages, one third of each kind, no two in one statement."""
    allowed = sorted(places(root, packages, seed), key=lambda place: place.rank)
    drawn: list[Place] = []
    for i, kind in enumerate(KINDS):
        quota = (number + len(KINDS) - 1 - i) // len(KINDS)
        taken = {(place.path, place.line) for place in drawn}
        ranked = (p for p in allowed if p.kind == kind and (p.path, p.line) not in taken)
        drawn += islice((place for place in ranked if place.compiles((root / place.path).read_bytes())), quota)
    if len(drawn) < number:
        raise ValueError(f"{', '.join(packages)} have only {len(drawn)} places, not {number}; draw fewer")
    return sorted(drawn, key=lambda place: place.rank)


def places(root: Path, packages: Sequence[str], seed: int) -> Iterator[Place]:
    """Yield all places in the modules of these packages."""
    files = sorted((path.name, path) for package in packages for path in (root / package).rglob("*.py"))
    repeated: Counter[tuple[str, ...]] = Counter()
    for name, path in files:
        if name != "__init__.py":
            yield from places_of(path.read_bytes(), path.relative_to(root).as_posix(), seed, repeated)


def places_of(source: bytes, path: str, seed: int, repeated: Counter[tuple[str, ...]]) -> Iterator[Place]:
    """Yield at most one place of each kind per statement of a module. Its path changes no rank.

    ``repeated``: how often a statement of this text was seen in a function of this name; updated.
    """
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def place(node: ast.expr | ast.stmt, after: str, kind: str, function: str, rank: str) -> Place:
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        return Place(path, function, kind, node.lineno, source[start:end].decode(), after, start, rank)

    for function, statement in _statements(ast.parse(source), ()):
        own = list(_own(statement))
        text = (function, type(statement).__name__, *map(ast.unparse, own))
        repeated[text] += 1
        rank = "|".join((str(seed), str(repeated[text]), *text))
        changes: dict[str, list[tuple[ast.expr | ast.stmt, str]]] = {kind: [] for kind in KINDS}
        for node in (node for expression in own for node in _expressions(expression)):
            for kind, mutated in _mutated(node):
                changes[kind].append((node, f"({ast.unparse(mutated)})"))
        if function and _is_droppable(statement):
            changes["statement"].append((statement, "pass"))
        for kind, choices in changes.items():
            hashed = (hashlib.sha256(f"{kind}|{i}|{rank}".encode()).hexdigest() for i in range(len(choices)))
            ranked = list(zip(hashed, choices, strict=True))
            for value, (changed, after) in sorted(ranked, key=lambda pair: pair[0])[:1]:
                yield place(changed, after, kind, function, value)


def _statements(node: ast.AST, above: tuple[str, ...]) -> Iterator[tuple[str, ast.stmt]]:
    """Yield each statement with the qualified name of what it is in, without imports and what only types need."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            alias = isinstance(child, ast.AnnAssign) and ast.unparse(child.annotation) == "TypeAlias"
            for_types = isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
            if alias or for_types or isinstance(child, (ast.Import, ast.ImportFrom, ast.Raise)):
                continue
            yield ".".join(above), child
        is_named = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        if not isinstance(child, ast.expr):
            yield from _statements(child, (*above, child.name) if is_named else above)  # type: ignore[attr-defined]


def _own(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions of a statement that are not annotations and not part of a statement inside it."""
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if name in ("annotation", "returns", "type_params") or isinstance(child, ast.stmt):
                continue
            if isinstance(child, ast.expr):
                yield child
            elif isinstance(child, ast.AST):
                yield from _own(child)  # the arguments of a function, the items of a with statement


def _expressions(node: ast.AST) -> Iterator[ast.expr]:
    """Yield an expression and those inside it, but for f-strings, which Python 3.11 misplaces, and sizes of caches."""
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.keyword) and node.arg == "maxsize"):
        return
    if isinstance(node, ast.expr):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from _expressions(child)


def _mutated(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Yield the mutants of this expression alone: its operators or its value."""
    changed = copy.deepcopy(node)
    if isinstance(node, ast.Compare) and isinstance(changed, ast.Compare):
        changed.ops[0] = OPERATORS[type(node.ops[0])]()  # type: ignore[call-overload]
        yield "operator", changed
    elif isinstance(node, (ast.BinOp, ast.BoolOp)) and type(node.op) in OPERATORS:
        changed.op = OPERATORS[type(node.op)]()  # type: ignore[attr-defined]
        yield "operator", changed
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "operator", node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
        yield "constant", ast.Constant(not node.value if isinstance(node.value, bool) else node.value + 1)


def _is_droppable(statement: ast.stmt) -> bool:
    """Return whether this may be dropped: no docstring, no statement with an else, nothing without an effect."""
    if isinstance(statement, ast.Expr):
        return not isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.If):
        return not statement.orelse
    if isinstance(statement, (ast.Return, ast.AnnAssign)):
        return statement.value is not None
    return isinstance(statement, DROPPED)
