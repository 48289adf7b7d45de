"""Each module has a test file of its name: answersim/stats/auc.py is tested in tests/stats/test_auc.py."""

from pathlib import Path

from tests.cases import every

ROOT = Path(__file__).parent.parent
FOLDERS = {"answersim": "tests", "rankers": "tests/rankers", "benchmarks": "tests/benchmarks", "tools": "tests/tools"}

# Modules without a test file of their name: the files that test them, and why these have another name.
ELSEWHERE: dict[str, tuple[str, str]] = {
    # a command or a program, tested with the others through one command line
    "answersim/calibration/tables.py": ("tests/commands/test_calibrate.py", "what calibrate prints"),
    # one contract for several modules
    "answersim/scoring/judge_batches.py": ("tests/judge/test_batches.py", "requests and replies are one round trip"),
    "answersim/calibration/checking.py": ("tests/calibration/test_storing.py", "each rule refuses a changed file"),
    "answersim/training/checkpointing.py": ("tests/training/bi_encoder/test_train.py", "shared by both trainers"),
    "answersim/integrations/evaluate_folder/answersim/answersim.py": (
        "tests/integrations/hosts/test_hf_evaluate.py",
        "evaluate loads a copy of it",
    ),
    "answersim/neural/factories.py": (
        "tests/catalog/test_lookup.py",
        "each factory is called by a name of the catalog",
    ),
    "answersim/checkpoints/weights.py": ("tests/neural/test_loading.py", "weights are read for a metric"),
    "rankers/fitting/checks.py": ("tests/rankers/fitting/test_fit.py", "fit checks before a training"),
    "rankers/systems/definitions.py": ("tests/rankers/systems/test_catalog.py", "types without code"),
    "answersim/training/bi_encoder/model.py": (
        "tests/training/bi_encoder/test_train.py",
        "an adapter is compared with peft after a training",
    ),
    "answersim/training/bi_encoder/job.py": ("tests/training/test_commands.py", "the work of each command"),
    # a headless browser
    "tools/site/browser/chromium.py": ("tests/tools/site/browser/test_page.py", "it opens the page"),
    "tools/site/axe.py": ("tests/report/test_chromium.py", "it reads pages of a report"),
    # results of other libraries
    "benchmarks/references.py": ("tests/oracles/test_lexical_libraries.py", "it is what metrics are compared with"),
}

# Folders, or modules whose paths begin alike, that one file tests together.
TABLES = {
    "benchmarks/judged_": ("tests/benchmarks/test_judged.py", "what benchmarks.judged writes"),
    "benchmarks/ranking_drawings": ("tests/benchmarks/test_figures_ranking.py", "what the commands draw"),
    "benchmarks/speed_": ("tests/benchmarks/test_speed.py", "a small run of each command of benchmarks.speed"),
    "answersim/official/": ("tests/official/test_quirks.py", "a case per quirk, and every recorded case of the owners"),
    "answersim/extraction/": ("tests/extraction/test_rules.py", "a table per rule"),
    "tools/weights/minimal_pairs/": (
        "tests/tools/weights/minimal_pairs/test_main.py",
        "the shipped file is what the rules make, byte by byte",
    ),
    "tools/weights/toy/": ("tests/tools/weights/toy/test_make.py", "the shipped file is made again, byte by byte"),
}


def modules() -> list[str]:
    """Return the paths of all modules with a function, without the files that only re-export."""
    paths = (path for package in FOLDERS for path in (ROOT / package).rglob("*.py") if path.name != "__init__.py")
    return sorted(path.relative_to(ROOT).as_posix() for path in paths if "def " in path.read_text("utf-8"))


def mirrored(module: str) -> str:
    """Return the path of the test file that has the name of this module.

    >>> mirrored("rankers/__main__.py"), mirrored("benchmarks/study.py")
    ('tests/rankers/test_main.py', 'tests/benchmarks/test_study.py')
    """
    package, _, path = module.partition("/")
    folder, _, name = f"/{path}".rpartition("/")
    return f"{FOLDERS[package]}{folder}/test_{name.strip('_').replace('__.py', '.py')}"


def is_tested(module: str) -> bool:
    """Return whether the mirrored file exists; of an integration that needs its host, the one in the folder hosts."""
    path = ROOT / mirrored(module)
    return path.is_file() or (path.parent.name == "integrations" and (path.parent / "hosts" / path.name).is_file())


def test_each_module_has_a_test_file_of_its_name():
    missing = {module: mirrored(module) for module in modules() if not is_tested(module)}
    assert len(modules()) > 250
    in_tables = [module for module in missing if module.startswith(tuple(TABLES))]
    assert {module: file for module, file in missing.items() if module not in (*ELSEWHERE, *in_tables)} == {}


@every("folder", TABLES)
def test_a_folder_with_a_table_of_cases_exists(folder):
    file, reason = TABLES[folder]
    assert list(ROOT.glob(f"{folder}*"))
    assert (ROOT / file).is_file()
    assert reason


@every("module", ELSEWHERE)
def test_an_exception_is_needed_and_names_a_file(module):
    assert (ROOT / module).is_file()
    assert not (ROOT / mirrored(module)).is_file(), "it has a test file of its name: remove the exception"
    file, reason = ELSEWHERE[module]
    assert (ROOT / file).is_file()
    assert reason


def test_exceptions_are_few():
    assert len(ELSEWHERE) < 15
