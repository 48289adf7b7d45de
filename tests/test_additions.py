"""A new metric, typed kind, adapter or log format is in every file that ARCHITECTURE.md lists for it.

`python -m tests.test_additions` writes the table of these files into ARCHITECTURE.md, and the tested versions of hosts
into constraints.txt.
"""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from typer.main import get_command

import answersim
from answersim.__main__ import app
from answersim.answers.logs.formats import FORMATS
from answersim.answers.typed import reading, span
from answersim.answers.typed.answer_words import NoAnswer
from answersim.answers.typed.items import Items
from answersim.metrics.catalog import lookup, papers
from tests.answers.typed.kinds import EXAMPLES
from tests.cases import every
from tests.integrations import test_hosts, test_rewards
from tests.integrations.hosts.table import HOSTS, extras_of_hosts

ROOT = Path(__file__).parents[1]
SECTION = "Where does a new thing go?"
BEGIN, END = "<!-- written by python -m tests.test_additions -->", "<!-- end -->"
METRIC, KIND, ADAPTER, REWARD, FORMAT = "metric", "kind of value", "host adapter", "reward adapter", "log format"
TYPED = "answersim/answers/typed"
# The files that are the addition itself, its entry, and its tests. NAME is its name.
WRITTEN: dict[str, tuple[str, ...]] = {
    METRIC: (),
    KIND: (f"{TYPED}/NAME.py", "answersim/calibration/model/rule_revisions.json"),
    ADAPTER: ("answersim/integrations/FOLDER/NAME.py",),
    REWARD: ("answersim/integrations/rewards/NAME.py",),
    FORMAT: ("answersim/answers/logs/NAME.py", "answersim/answers/logs/formats.py"),
}
# Most training libraries need a GPU. Their files import nothing of the library, so that contract tests run here.
TRAINING = [name for name, folder in test_hosts.FOLDERS.items() if folder == "rewards"]


class Part(NamedTuple):
    """What one file has for each addition of one sort.

    Attributes:
        sort: The sort of the addition, as in ARCHITECTURE.md.
        path: The file.
        has: Whether the file has the addition of this name.
        remedy: What to do.
        only: The additions for which the file is touched; "" for all.
    """

    sort: str
    path: str
    has: Callable[[str], bool]
    remedy: str
    only: str = ""


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def is_defined(name: str) -> bool:
    """Whether the catalog has the metric, and its definition is complete."""
    if name not in lookup.ENTRIES:
        return False
    entry = lookup.entry(name)
    return all((entry.summary, entry.source, entry.formula)) and len(entry.examples) == 3


def has_test(name: str) -> bool:
    """Whether a test of metrics has the name of the metric."""
    return any(f'"{name}"' in path.read_text(encoding="utf-8") for path in (ROOT / "tests/metrics").rglob("test_*.py"))


def has_papers(name: str) -> bool:
    """Whether the bibliography has the papers that the source of the metric names."""
    return name in lookup.ENTRIES and papers.ENTRIES.keys() >= set(papers.keys(lookup.entry(name).source))


def has_values_tested(name: str) -> bool:
    """Whether the file of the class of a kind has a file of tests."""
    defined = getattr(reading, name, None) or getattr(span, name, None)
    *folders, file = defined.__module__.split(".")[3:] if defined else ("",)
    return ROOT.joinpath("tests/answers/typed", *folders, f"test_{file}.py").is_file()


def has_comparison(name: str) -> bool:
    """Whether two values of this class are compared."""
    known = (*reading._COMPARE, *span.KINDS, Items, NoAnswer)
    return name in {kind.__name__ for kind in known}


def has_example(name: str) -> bool:
    """Whether the first example of a kind on the page of values is read as a value of this class."""
    return name in {type(reading.readings(example, "en")[0]).__name__ for example in EXAMPLES.values()}


def imported(adapter: str) -> str:
    """The pattern of the lines that import an adapter."""
    return rf"answersim\.integrations\.\w+(\.| import ){adapter}\b"


def has_contract_test(adapter: str) -> bool:
    """Whether a function of the tests of rewards calls the adapter as its library does."""
    return f"of_{adapter}" in {getattr(library, "func", library).__name__ for library in test_rewards.LIBRARIES}


def hosts_of(adapter: str) -> list[str]:
    """The environments whose tests use an adapter."""
    use = re.compile(rf'{imported(adapter)}|integration\("\w+\.{adapter}"\)')
    own = adapter.removeprefix("hf_").removesuffix("_ai").replace("_", "-")
    is_called = use.search(text("tests/integrations/hosts/calls.py")) is not None
    files = {host.name: [text(f"tests/integrations/{path}") for path in host.tests] for host in HOSTS}
    return [name for name, tests in files.items() if (name == own and is_called) or any(map(use.search, tests))]


def reader(log_format: str) -> str:
    """The module that reads a format of logs."""
    return FORMATS[log_format].rows.__module__.rpartition(".")[2] if log_format in FORMATS else log_format


def help_of_from() -> str:
    group: Any = get_command(app)
    options = group.get_command(None, "score").params
    return next(option.help for option in options if "--from" in option.opts)


OF_DEV = ("sentence_transformers", "transformers", "promptfoo")  # in this environment; promptfoo is a program of Node
HOST_PAGES = text("docs/integrations.md") + text("docs/scale.md")
PARTS = (
    Part(
        METRIC,
        "answersim/metrics/lexical",
        is_defined,
        "state its source, its formula and three examples in its Definition",
    ),
    Part(
        METRIC,
        "answersim/metrics/definitions.json",
        lambda name: name in lookup.ENTRIES,
        "add it to ENTRIES: its definition as text, or the place of its Definition",
    ),
    Part(METRIC, "tests/metrics/lexical", has_test, "add a table of cases with their source"),
    Part(
        METRIC,
        "answersim/metrics/catalog/papers.bib",
        has_papers,
        "add the BibTeX of each paper that its source names, under the first author and the year",
        "a new paper",
    ),
    Part(METRIC, "CHANGELOG.md", lambda name: f"`{name}`" in text("CHANGELOG.md"), "add a line"),
    Part(
        KIND,
        "tests/answers/typed/test_NAME.py",
        has_values_tested,
        "add a table of texts with their values, and of pairs with their relations",
    ),
    Part(KIND, f"{TYPED}/reading.py", has_comparison, "add its class to _COMPARE, its grammar, and raise REVISION"),
    Part(KIND, "docs/values.md", has_example, "add the kind and an example to the table of kinds"),
    Part(
        ADAPTER,
        "tests/integrations/hosts/calls.py",
        lambda name: bool(hosts_of(name)),
        "add a Way and Lines; a library without rows has a Host in hosts/table.py and a test of its own instead",
    ),
    Part(
        ADAPTER,
        "pyproject.toml",
        lambda name: any(f"\n{host} = [" in text("pyproject.toml") for host in hosts_of(name)) or name in OF_DEV,
        "add an extra of the name of the host, and its package to the modules that mypy skips, and run python -m "
        "tests.test_additions",
    ),
    Part(
        ADAPTER,
        "docs/integrations.md",
        lambda name: bool(re.search(imported(name), HOST_PAGES)),
        "add a row to a table of libraries, and a section with lines to paste",
    ),
    Part(
        REWARD,
        "tests/integrations/test_rewards.py",
        has_contract_test,
        "add a function of_NAME that calls it as its library does, and the function to LIBRARIES",
    ),
    Part(
        REWARD,
        "docs/reward.md",
        lambda name: f"`answersim.integrations.rewards.{name}`" in text("docs/reward.md"),
        "add a row to the table of training libraries",
    ),
    Part(
        FORMAT,
        "tests/answers/logs/data",
        lambda name: bool(list((ROOT / "tests/answers/logs/data").glob(f"{name}-*"))),
        "add a log that the tool wrote, NAME-VERSION.SUFFIX",
    ),
    Part(
        FORMAT,
        "tests/answers/logs/test_logs.py",
        lambda name: re.search(rf"\b{reader(name)}\b", text("tests/answers/logs/test_logs.py")) is not None,
        "add a test of its reader",
    ),
    Part(
        FORMAT,
        "docs/files.md",
        lambda name: f"\n| `{name}` | `" in text("docs/files.md"),
        "add a row to the table of formats",
    ),
    Part(FORMAT, "answersim/commands/score.py", lambda name: name in help_of_from(), "name it in the help of --from"),
)
ADDITIONS = {
    METRIC: answersim.names(),
    KIND: [name for name in f"{span.Single} | {reading.Value}".split(" | ") if name != "Single"],
    ADAPTER: [name for name in test_hosts.FOLDERS if name not in TRAINING],
    REWARD: TRAINING,
    FORMAT: list(FORMATS),
}


def lacking(part: Part, names: Iterable[str]) -> list[str]:
    """Return a message per addition that the file lacks."""
    where = f"ARCHITECTURE.md, {SECTION!r}, lists all files"
    return [f"{part.path} has no {part.sort} {name!r}: {part.remedy}. {where}" for name in names if not part.has(name)]


@every("part", PARTS)
def test_each_addition_is_in_each_file(part):
    assert len(ADDITIONS[part.sort]) > 1
    assert "\n".join(lacking(part, ADDITIONS[part.sort])) == ""


@every("part", PARTS)
def test_what_a_file_lacks_is_reported_with_the_file_and_the_remedy(part):
    (message,) = lacking(part, ["zz_new"])
    assert message.startswith(f"{part.path} has no {part.sort} 'zz_new': {part.remedy}")


def table() -> str:
    """Return the table of the files that each sort of addition touches, in Markdown."""
    files = {sort: [f"`{path}`" for path in paths] for sort, paths in WRITTEN.items()}
    for part in PARTS:
        files[part.sort].append(f"`{part.path}`{part.only and f' ({part.only})'}")
    rows = [f"| {sort} | {', '.join(paths)} |" for sort, paths in files.items()]
    return "\n".join(["| new | files |", "|---|---|", *rows])


def with_table(page: str) -> str:
    """Return the page with the table as it is now."""
    before, _, rest = page.partition(f"{BEGIN}\n")
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}"


def with_tested_versions(page: str) -> str:
    """Return the constraints with the tested versions of the hosts."""
    head, torch, rest = page.partition("\ntorch==")
    torch_version, *lines = rest.splitlines()
    hosts = [requirement for required in extras_of_hosts().values() for requirement in required if "==" in requirement]
    names = {requirement.partition("==")[0] for requirement in hosts}
    others = [line for line in lines if line.partition("==")[0] not in names]
    listed = sorted([*others, *(f'{requirement} ; python_version >= "3.11"' for requirement in hosts)])
    return "\n".join([f"{head}{torch}{torch_version}", *listed, ""])


def test_the_constraints_have_the_tested_versions_of_hosts():
    page = text("constraints.txt")
    assert with_tested_versions(page) == page, "run python -m tests.test_additions"
    assert with_tested_versions(page.replace("\ndspy==3.", "\ndspy==2.")) == page
    assert with_tested_versions(re.sub(r"\nhaystack-ai==.*", "", page)) == page


def test_architecture_has_the_table_of_these_files():
    page = text("ARCHITECTURE.md")
    assert BEGIN in page.partition(f"## {SECTION}\n")[2]
    assert with_table(page) == page, "run python -m tests.test_additions"


@every("path", sorted({path for paths in WRITTEN.values() for path in paths if "NAME" not in path}))
def test_a_file_that_an_addition_touches_exists(path):
    assert (ROOT / path).exists()


def test_the_revision_of_the_rules_is_in_the_table_of_calibrations():
    path = "answersim/calibration/model/rule_revisions.json"
    remedy = (
        "run python -m tools.weights.calibrations --check-rules, and make the calibrations again whose scores changed"
    )
    assert f"rules:en.{reading.REVISION}" in text(path), (
        f"{path} lacks the revision {reading.REVISION} of the rules: {remedy}"
    )


def test_the_file_of_a_reward_imports_nothing_of_its_library() -> None:
    assert set(TRAINING) <= set(test_hosts.NOTHING_NEEDED), "import the library inside a function"


if __name__ == "__main__":
    (ROOT / "ARCHITECTURE.md").write_text(with_table(text("ARCHITECTURE.md")), encoding="utf-8")
    (ROOT / "constraints.txt").write_text(with_tested_versions(text("constraints.txt")), encoding="utf-8")
