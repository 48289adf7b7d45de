"""The doctor on our metrics and on those of other libraries, each library in its own environment.

    python -m benchmarks.doctor_matrix
    python -m benchmarks.doctor_matrix --only torchmetrics,autoevals
    python -m benchmarks.doctor_matrix --only ""        # write the page again from the recorded numbers

An environment is made below ``--environments`` if it is not there yet. It sees the packages of this environment (torch,
transformers), and pip installs the library and what is missing. The numbers are recorded in
``benchmarks/results/doctor.json``, and the tables of ``benchmarks/results/doctor.md`` are written from them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import typer

from answersim import names
from answersim.doctor.checks import NAMES
from answersim.doctor.results import estimate
from answersim.doctor.study import MISS, RIGHT
from answersim.runtime.cli_errors import user_errors
from answersim.stats.resampling import Estimate
from answersim.text_tables import TextTable, markdown_table
from benchmarks.options import chosen, program
from benchmarks.tables import rounded, save

ROOT = Path(__file__).parent.parent
RECORDS, PAGE = ROOT / "benchmarks/results/doctor.json", ROOT / "benchmarks/results/doctor.md"
START, END = "<!-- the matrix: python -m benchmarks.doctor_matrix -->", "<!-- end of the matrix -->"
OURS = "answersim"
MINILM = "all-MiniLM-L6-v2"
BY_KIND = (  # the metrics of the tables by kind and by attack; all others are in the records
    *("em", "f1", "recall", "rouge-l", "bertscore-trained", "bi-encoder", "sas", "sas-answers", "answersim"),
    *("typed+sas", "sentence_transformers:SentenceTransformer", "torchmetrics:BERTScore"),
)

app = program()


class Peer(NamedTuple):
    """Another library."""

    packages: tuple[str, ...]  # what pip installs
    distribution: str  # the name of its distribution, for its version
    metrics: tuple[str, ...]  # the metrics, as the doctor takes them
    needs: str = ""  # the reason why a metric of this library may be impossible to run without a download


PEERS: dict[str, Peer] = {
    "bert_score": Peer(("bert-score",), "bert-score", (f"bert_score:f1,model_type={MINILM},num_layers=6",)),
    "sentence_transformers": Peer(
        ("sentence-transformers",),
        "sentence-transformers",
        (f"sentence_transformers:SentenceTransformer,model={MINILM}",),
    ),
    "torchmetrics": Peer(
        ("torchmetrics==1.9.0",),
        "torchmetrics",
        (
            f"torchmetrics:BERTScore,model_name_or_path={MINILM},num_layers=6",
            *("torchmetrics:SQuAD,key=f1", "torchmetrics:ROUGEScore,rouge_keys=rougeL,key=rougeL_fmeasure"),
            *("torchmetrics:CHRFScore", "torchmetrics:BLEUScore,n_gram=1", "torchmetrics:EditDistance"),
        ),
    ),
    "evaluate": Peer(
        ("evaluate==0.4.6",),
        "evaluate",
        ("evaluate:exact_match",),
        "its metrics are scripts that it downloads; the adapter is tested with a local script",
    ),
    "haystack": Peer(
        ("haystack-ai==3.4.0",),
        "haystack-ai",
        ("haystack:AnswerExactMatchEvaluator", f"haystack:SASEvaluator,model={MINILM}"),
    ),
    "ragas": Peer(
        ("ragas==0.4.3", "langchain-community==0.4.1", "rapidfuzz"),
        "ragas",
        (
            *("ragas:ExactMatch", "ragas:StringPresence", "ragas:NonLLMStringSimilarity", "ragas:BleuScore"),
            *("ragas:RougeScore", "ragas:ChrfScore", f"ragas:SemanticSimilarity,model={MINILM}"),
        ),
        "a language model or a service",
    ),
    "deepeval": Peer(
        ("deepeval==4.3.1",),
        "deepeval",
        ("deepeval:ExactMatchMetric", "deepeval:quasi_exact_match_score", "deepeval:rouge_score,score_type=rougeL"),
    ),
    "autoevals": Peer(
        ("autoevals==0.4.1",), "autoevals", ("autoevals:Levenshtein", "autoevals:ExactMatch", "autoevals:JSONDiff")
    ),
    "qa_metrics": Peer(
        ("qa-metrics==0.2.42",),
        "qa-metrics",
        ("qa_metrics:em_match", "qa_metrics:f1_score", "qa_metrics:PEDANT"),
        "data of NLTK, or weights, that it downloads",
    ),
}
NOT_TRIED = {
    "haystack:SASEvaluator with a cross-encoder, sentence_transformers:CrossEncoder": "no weights of a published "
    "cross-encoder are here",
    "qa_metrics:TransformerMatcher": "its weights are downloaded",
    "ragas, deepeval, autoevals: metrics with a language model": "they call a service",
}


@app.command()
def main(
    only: str = typer.Option(f"{OURS},{','.join(PEERS)}", help="Libraries, separated by commas; empty for none."),
    environments: Path = typer.Option(Path("runs/doctor"), help="The folder of the environments."),
    part: str = typer.Option("dev", help="The part of the minimal pairs."),
    records: Path = typer.Option(RECORDS, help="The file of the recorded numbers."),
    page: Path = typer.Option(PAGE, help="The page with the tables."),
) -> None:
    """Examine metrics of several libraries, record the numbers, and write the tables of the page."""
    with user_errors():
        libraries = chosen("library", only, (OURS, *PEERS)) if only else []
        recorded: dict[str, Any] = json.loads(records.read_text(encoding="utf-8")) if records.is_file() else {}
        for library in libraries:
            typer.echo(f"{library} ...", err=True)
            if library == OURS:
                found = examined(Path(sys.executable), [*names(), "typed+recall", "typed+sas"], part)
                if found is None:
                    raise RuntimeError("the metrics of answersim cannot be examined; run answersim doctor to see why")
                recorded[OURS] = {"version": version("answersim"), "not_run": {}, **found}
            else:
                recorded[library] = of_peer(PEERS[library], made(environments / library, PEERS[library].packages), part)
            save(dumped(recorded), records)
        text = page.read_text(encoding="utf-8")
        save(with_tables(text, recorded), page)


def made(folder: Path, packages: Sequence[str]) -> Path:
    """Create an environment with these packages if there is none, and return its interpreter."""
    folder = folder.resolve()
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not (folder / "complete").is_file():
        venv.create(folder, with_pip=False, clear=True)
        (site,) = folder.glob("lib/python*/site-packages") if os.name != "nt" else [folder / "Lib/site-packages"]
        (site / "shared.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
        if packages:
            subprocess.run(command, check=True)
        (folder / "complete").touch()
    return python


def of_peer(peer: Peer, python: Path, part: str) -> dict[str, Any]:
    """Examine the metrics of a library, one by one if not all can run. One that cannot is recorded with the reason."""
    code = f"from importlib.metadata import version; print(version({peer.distribution!r}))"
    shown = subprocess.run([str(python), "-c", code], check=True, capture_output=True, text=True)
    result: dict[str, Any] = {"version": shown.stdout.strip(), "not_run": {}, "settings": {}, "metrics": []}
    together = examined(python, peer.metrics, part)
    if together is not None:
        return {**result, **together}
    for metric in peer.metrics if len(peer.metrics) > 1 else ():
        found = examined(python, [metric], part)
        if found is None:
            result["not_run"][metric] = peer.needs or "it fails"
        else:
            result["settings"] = found["settings"]
            result["metrics"] += found["metrics"]
    if not result["metrics"]:
        result["not_run"] = dict.fromkeys(peer.metrics, peer.needs or "it fails")
    return result


def examined(python: Path, metrics: Sequence[str], part: str) -> dict[str, Any] | None:
    """Return the result of ``answersim doctor`` by this interpreter, without examples; None if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "doctor.json"
        command = [str(python), "-m", "answersim", "doctor", *metrics, "--part", part, "--no-progress", "--no-cache"]
        environment = os.environ | {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
        run = subprocess.run(
            [*command, "--format", "json", "-o", str(output)],
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        if run.returncode:
            sys.stderr.write(run.stderr.decode(errors="replace")[-2000:])
            return None
        content: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
    for metric in content["metrics"]:
        for name in ("worst", "seconds"):
            del metric[name]
    numbers: dict[str, Any] = rounded(content)
    return numbers


def dumped(recorded: Mapping[str, Any]) -> str:
    """Return the records as JSON with one metric per line."""
    libraries = []
    for library in [name for name in (OURS, *PEERS) if name in recorded]:
        content = dict(recorded[library])
        metrics = ",\n".join(f"  {json.dumps(metric, ensure_ascii=False)}" for metric in content.pop("metrics"))
        head = json.dumps(content, ensure_ascii=False)[:-1]
        libraries.append(f'"{library}": {head}, "metrics": [\n{metrics}\n]}}')
    return "{" + ",\n".join(libraries) + "}\n"


def with_tables(page: str, recorded: Mapping[str, Any]) -> str:
    """Return the page with the tables of these records between its two comments."""
    before, start, rest = page.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise ValueError(f"the page lacks the comments {START!r} and {END!r}, between which the tables are written")
    metrics = {metric["name"]: metric for library in recorded.values() for metric in library["metrics"]}
    tables = [summary(metrics), properties(metrics), by_kind(metrics), by_attack(metrics)]
    lines = [line for table in tables for line in markdown_table(table)]
    settings = next(library["settings"] for library in recorded.values() if library["settings"])
    versions = ", ".join(f"{library} {content['version']}" for library, content in recorded.items())
    lines += [
        f"Minimal pairs: {settings['families']:,} families, language {settings['language']}, part {settings['part']}; "
        f"{settings['attacked']} questions were attacked. Versions: {versions}.",
        "",
        "Not run:",
        "",
        *(f"- {name}: {why}" for library in recorded.values() for name, why in library["not_run"].items()),
        *(f"- {name}: {why}" for name, why in NOT_TRIED.items()),
    ]
    return "\n".join([before + START, "", *lines, "", END]) + after


def summary(metrics: Mapping[str, Any]) -> TextTable:
    """Return one row per metric: order, ties, accepted answers, the attack that is accepted most, broken properties."""
    rows = []
    for name, metric in metrics.items():
        attacks = {row["pattern"]: row["accepted"]["value"] for row in metric["attacks"]}
        right, miss = attacks.pop(RIGHT), attacks.pop(MISS)
        worst = max(attacks, key=lambda pattern: attacks[pattern])
        broken = [finding["property"] for finding in metric["findings"] if finding["holds"] is False]
        kinds = metric["kinds"][0]
        shares = (right, miss, sum(attacks.values()) / len(attacks))
        rows.append(
            (
                *(name, estimate(_estimate(kinds["ordered"])), f"{kinds['tied']:.2f}"),
                *(f"{share:.2f}" for share in shares),
                f"{worst} {attacks[worst]:.2f}" if attacks[worst] else "-",
                ", ".join(broken) or "-",
            )
        )
    header = (
        "metric",
        "right order",
        "tied",
        "accepts rewrites",
        "close misses",
        "attacks",
        "most",
        "broken properties",
    )
    notes = (
        "attacks: the mean over the patterns of the share that is accepted; most: the pattern with the highest share",
    )
    return TextTable("Summary", header, tuple(rows), notes)


def properties(metrics: Mapping[str, Any]) -> TextTable:
    """Return one row per metric with a column per property."""
    found = {name: {row["property"]: row["holds"] for row in metric["findings"]} for name, metric in metrics.items()}
    columns = [column for column in ("scores", *NAMES) if any(column in holds for holds in found.values())]
    words = {True: "yes", False: "no", None: "-"}
    rows = tuple((name, *(words[holds.get(column)] for column in columns)) for name, holds in found.items())
    return TextTable("Properties", ("metric", *columns), rows)


def by_kind(metrics: Mapping[str, Any]) -> TextTable:
    """Return the share of minimal pairs in the right order: one row per kind, one column per metric of ``BY_KIND``."""
    columns = [name for name in BY_KIND if name in metrics]
    found = [{row["kind"]: row for row in metrics[name]["kinds"]} for name in columns]
    kinds = list(dict.fromkeys(kind for rows in found for kind in rows))
    rows = tuple(
        (kind, f"{found[0][kind]['n']}", *(f"{row[kind]['ordered']['value']:.2f}" for row in found)) for kind in kinds
    )
    return TextTable("Minimal pairs in the right order, by kind", ("kind", "pairs", *columns), rows)


def by_attack(metrics: Mapping[str, Any]) -> TextTable:
    """Return the share of accepted answers: one row per pattern, one column per metric of ``BY_KIND``.

    A metric that was recorded before there was a pattern has "-".
    """
    columns = [name for name in BY_KIND if name in metrics]
    found = [{row["pattern"]: row["accepted"]["value"] for row in metrics[name]["attacks"]} for name in columns]
    patterns = list(dict.fromkeys(pattern for rows in found for pattern in rows))
    rows = tuple(
        (pattern, *(f"{row[pattern]:.2f}" if pattern in row else "-" for row in found)) for pattern in patterns
    )
    return TextTable("Wrong answers that are accepted, by pattern", ("answer", *columns), rows)


def _estimate(value: Mapping[str, Any]) -> Estimate:
    low, high = (float("nan") if value[end] is None else value[end] for end in ("low", "high"))
    return Estimate(value["value"], low, high)


if __name__ == "__main__":
    app(prog_name="python -m benchmarks.doctor_matrix")
