"""What the tree promises: its state, its extras, its public names, and the size of its functions."""

import ast
import re
import statistics
import subprocess
import sys
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pytest

import answersim
from answersim._base.signature import RELEASED
from answersim.metrics.catalog.papers import ENTRIES, PACKAGE
from tests.cases import every
from tests.integrations.hosts.table import extras_of_hosts

HEAVY = (
    "torch",
    "transformers",
    "sentence_transformers",
    "bert_score",
    "scipy",
    "pandas",
    "nltk",
    "sacrebleu",
    "rouge_score",
    "rankers",
    "typer",
    "rich",
)
ROOT = Path(__file__).parent.parent


def loaded_by(statement: str) -> set[str]:
    """The heavy modules that a fresh interpreter holds after this statement."""
    code = f"import sys\n{statement}\nprint(*(name for name in {HEAVY!r} if name in sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(run.stdout.split())


def test_scoring_with_words_and_procedures_on_arrays_load_nothing_heavy():
    modules = "answersim, answersim.stats.coefficients.kendall"
    calls = "answersim.estimate_mean; answersim.score('NFL', 'the NFL', metric='f1')"
    assert loaded_by(f"import {modules}; {calls}") <= {"rich"}


def test_every_context_variable_has_its_reason_in_contributing():
    files = [path for package in ("answersim", "rankers") for path in sorted((ROOT / package).rglob("*.py"))]
    result = {path.relative_to(ROOT).as_posix() for path in files if "ContextVar(" in path.read_text(encoding="utf-8")}
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## State of a call")[2]
    listed = {line.split("`")[1] for line in text.partition("\n## ")[0].splitlines() if line.startswith("| `")}
    assert result == listed


def test_importing_rankers_and_reading_a_corpus_loads_nothing_heavy():
    names = "rankers.names(); rankers.data.corpora(); rankers.data.load('toy', 'test')"
    assert loaded_by(f"import rankers; {names}") == {"rankers"}


@pytest.mark.parametrize(
    "module", ["scipy", *(pytest.param(name, marks=pytest.mark.slow) for name in ("nltk", "rankers"))]
)
def test_a_heavy_import_would_be_seen(module):
    assert module in loaded_by(f"import answersim, {module}")


@every(("names", "packages"), [((), {"answersim"}), (("read_answers", "score", "Bootstrap"), {"answersim", "numpy"})])
def test_importing_answersim_and_its_names_loads_no_package_but_numpy(names, packages):
    code = (
        "import sys\nbefore = set(sys.modules)\nimport answersim\n"
        f"for name in {names}:\n    getattr(answersim, name)\n"
        "names = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(*sorted(names - set(sys.stdlib_module_names)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    # Old versions of numpy load modules of cython.
    assert {name for name in run.stdout.split() if "cython" not in name} == packages


def test_one_version():
    assert version("answersim") == answersim.__version__


def test_the_constraints_pin_every_requirement_but_those_that_hosts_restrict():
    tomllib = pytest.importorskip("tomllib")  # from Python 3.11 on
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [
        *project["dependencies"],
        *(entry for extra in project["optional-dependencies"].values() for entry in extra),
    ]
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {re.split("[=>]=", line)[0].lower().replace("_", "-") for line in lines if not line.startswith("#")}
    names = {entry.split(">")[0].split("=")[0].split("[")[0].strip().lower().replace("_", "-") for entry in wanted}
    free = {"antlr4-python3-runtime", "httpx", "jinja2", "nltk", "pyarrow", "tqdm", "typer", "xxhash"}
    assert names - pinned == free | {"answersim"}
    assert pinned - names == {"regex"}  # it decides tokens


def test_without_an_engine_a_neural_metric_names_the_extra():
    code = (
        "import sys\n"
        "class Hide:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('torch', 'tokenizers'): raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, Hide())\n"
        "import importlib.util as u\n"
        "find = u.find_spec\n"
        "hidden = ('torch', 'tokenizers')\n"
        "u.find_spec = lambda name, package=None: None if name in hidden else find(name, package)\n"
        "import answersim\n"
        "try: answersim.score('a', 'b', metric='bertscore-trained')\n"
        "except ImportError as error: print(type(error).__name__, error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert run.stdout.startswith("MissingExtraError")
    assert 'pip install -c constraints.txt ".[embedded]"' in run.stdout


def test_nothing_inside_a_package_imports_its_face():
    import ast

    inner = {path.stem for path in (ROOT / "answersim").iterdir() if path.suffix == ".py" or path.is_dir()}
    for path in sorted((ROOT / "answersim").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert all(name.name != "answersim" for name in node.names), path
            elif isinstance(node, ast.ImportFrom) and node.module == "answersim":
                assert {name.name for name in node.names} <= inner, path  # a room, not what the face re-exports


def test_annotations_can_be_evaluated_by_python_3_10():
    """It refuses a ClassVar without a type, and get_type_hints hides what a parameter with the default None states."""
    for path in (path for folder in ("answersim", "rankers") for path in sorted((ROOT / folder).rglob("*.py"))):
        assert not re.search(r": ClassVar( =|$)|get_type_hints\(function", path.read_text(encoding="utf-8"), re.M), path


def test_the_lowest_versions_that_are_tested_are_those_that_are_promised():

    tomllib = pytest.importorskip("tomllib")  # from Python 3.11 on
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    asked = [
        *project["dependencies"],
        *(extra for name in ("neural", "train", "rankers", "report") for extra in extras[name]),
    ]
    promised = dict(match.groups() for entry in asked if (match := re.fullmatch(r"([\w-]+)>=([\w.]+)", entry)))
    lines = (ROOT / "constraints-lowest.txt").read_text().splitlines()
    tested = dict(match.groups() for line in lines if (match := re.match(r"([\w-]+)[=>]=([\w.]+)", line)))
    assert len(promised) > 20
    assert {name: tested.get(name) for name in promised} == promised


def license_rows() -> dict[str, str]:
    """The SPDX identifier of each pattern of files in NOTICE."""

    lines = (ROOT / "NOTICE").read_text(encoding="utf-8").partition("license expression of the package")[2].splitlines()
    rows = (re.fullmatch(r"    ([\w.-]+) {2,}(\S.*)", line) for line in lines)
    return {row[2]: row[1] for row in rows if row}


def license_of(path: str) -> str:
    from fnmatch import fnmatchcase

    rows = license_rows()
    result = {name for pattern, name in rows.items() if fnmatchcase(path, pattern)}
    assert len(result) <= 1, path
    return result.pop() if result else rows["all other files"]


def test_the_license_expression_is_valid_and_names_the_licenses_of_notice():
    tomllib = pytest.importorskip("tomllib")  # from Python 3.11 on
    licenses = pytest.importorskip("packaging.licenses", reason="packaging 24.2 or newer is needed")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert licenses.canonicalize_license_expression(project["license"]) == project["license"]
    assert sorted(project["license"].split(" AND ")) == sorted(set(license_rows().values()))
    for page in ("NOTICE", "CONTRIBUTING.md"):
        assert project["license"] in (ROOT / page).read_text(encoding="utf-8"), page


def test_the_citation_names_the_licenses_and_the_version_of_the_package():
    """CITATION.cff has the license of the code, and one reference per part with another license."""
    yaml = pytest.importorskip("yaml")
    stated = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert isinstance(stated["license"], str)  # CFF 1.2.0 reads a list as OR, and the expression has AND
    rows = license_rows()
    by_name = {"all other files": stated["license"]}
    for part in (reference for reference in stated["references"] if "scope" in reference):
        (pattern,) = (pattern for pattern in rows if pattern.startswith(part["scope"] + "/"))
        assert "license" in part or rows[pattern] in part["notes"], part["title"]  # CFF has no LicenseRef
        by_name[pattern] = part.get("license", rows[pattern])
    assert by_name == rows
    assert (stated["version"], str(stated["date-released"])) == (answersim.__version__, RELEASED)
    entry = ENTRIES[PACKAGE]
    assert f"title = {{{stated['title']}}}" in entry
    assert f"version {answersim.__version__}, {RELEASED}" in entry


@every(
    ("folder", "pattern", "license", "text", "words"),
    [
        ("answersim/metrics/neural/adapters", "*/*", "CC-BY-SA-4.0", "LICENSE", "CC BY-SA 4.0"),
        (
            "answersim/metrics/lexical/wordnet",
            "*.txt",
            "LicenseRef-WordNet-3.0",
            "LICENSE.wordnet",
            "WordNet 3.0 Copyright 2006",
        ),
        (
            "answersim/answers/text",
            "spellings.csv",
            "LicenseRef-WordNet-3.0",
            "../../metrics/lexical/wordnet/LICENSE.wordnet",
            "WordNet 3.0 Copyright 2006",
        ),
        ("answersim/answers/typed", "cldr.csv", "Unicode-3.0", "LICENSE.unicode", "UNICODE LICENSE V3"),
        ("answersim/evaluation/data/probe", "*.csv", "CC0-1.0", "README.md", "CC0 1.0"),
    ],
)
def test_every_file_of_weights_and_data_has_the_license_beside_it(folder, pattern, license, text, words):
    paths = [path for path in sorted((ROOT / folder).glob(pattern)) if path.is_file()]
    assert paths
    for path in paths:
        name = path.relative_to(ROOT).as_posix()
        assert license_of(name) == license, name
        assert words in (path.parent / text).read_text(encoding="utf-8"), name
    for card in {path.parent / "README.md" for path in paths} & set((ROOT / folder).glob("*/README.md")):
        assert f"license: {license.lower()}" in card.read_text(encoding="utf-8"), card


def test_the_wheel_has_the_text_of_every_license():
    tomllib = pytest.importorskip("tomllib")
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["license-files"]
    named = {path for pattern in patterns for path in ROOT.glob(pattern)}
    texts = {path for package in ("answersim", "rankers") for path in (ROOT / package).rglob("LICENSE*")}
    assert texts | {ROOT / "LICENSE", ROOT / "NOTICE"} == named


def test_no_data_is_outside_the_folders_whose_licenses_are_stated():
    suffixes = {".safetensors", ".csv", ".txt", ".jsonl", ".json", ".npz", ".bin"}
    folders = {
        path.parent.relative_to(ROOT).as_posix()
        for package in ("answersim", "rankers")
        for path in (ROOT / package).rglob("*")
        if path.suffix in suffixes
    }
    stated = {"answersim/metrics/lexical/wordnet", "answersim/evaluation/data/probe"} | {
        path.parent.relative_to(ROOT).as_posix()
        for path in (ROOT / "answersim/metrics/neural/adapters").glob("*/LICENSE")
    }
    assert folders - stated == {
        "answersim/calibration/model",  # fingerprints of the calibrations that ship
        "answersim/calibration/shipped",
        "answersim/answers/relation",  # initialisms and names of WordNet
        "answersim/answers/text",  # spellings of WordNet
        "answersim/metrics",  # definitions of metrics
        *(f"answersim/metrics/{folder}" for folder in ("composite/weights", "neural", "official")),
        "answersim/answers/extraction",  # the classifier of abstentions
        "answersim/answers/typed",  # words of values and units
        "answersim/evaluation/data",  # judged answers of EVOUNA
        "answersim/evaluation/doctor",  # wordings of attacks
        "answersim/metrics/checkpoints",  # names of models and profiles
        "answersim/metrics/judge/texts",  # prompts
        "answersim/metrics/testing",  # texts for the properties
        "rankers/data",  # descriptions of corpora
        "rankers/data/toy",
        "rankers/models",  # names and revisions of published models
        "rankers/papers",  # settings of systems
    }


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


# The names before each list of requirements; tomllib is not in Python 3.10.
_SECTION = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("[project.optional-dependencies]\n")[2]
EXTRAS = re.findall(r"^([\w-]+) = \[", _SECTION.partition("\n[")[0], re.MULTILINE)


def resolved(*requirements: str) -> subprocess.CompletedProcess[str]:
    """Let pip choose the versions of these requirements as in an empty environment, without installing them."""
    pip = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--disable-pip-version-check"]
    words = [*pip, "-c", "constraints.txt", *requirements]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def _index() -> None:
    if resolved("--no-deps", "numpy").returncode:
        pytest.skip("no package index can be reached")


def test_all_extras_are_found():
    assert {"neural", "embedded", "math", "inspect", "lighteval", "docs", "all", "dev"} <= set(EXTRAS)


@pytest.mark.slow
@pytest.mark.usefixtures("_index")
@pytest.mark.parametrize("extra", [*EXTRAS, *(f"embedded,{host}" for host in extras_of_hosts())])
def test_an_extra_can_be_installed_with_the_constraints(extra):
    run = resolved(f".[{extra}]")
    assert run.returncode == 0, run.stderr[-2000:]
    would = re.search(r"^Would install (.*)", run.stdout, re.MULTILINE)
    assert would, run.stdout[-2000:]
    assert not re.search(r"\bnvidia-|\btriton-", would[1]), would[1]  # no gigabytes of CUDA
