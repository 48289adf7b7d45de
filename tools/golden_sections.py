"""What is recorded of public names, help texts, scores, results, files and pages: one function per section.

Only public names are used, so that modules can move: ``__all__`` of both packages, the apps of their ``__main__``,
``answersim.types``, and commands. No recorded text contains the path of a module, apart from the section ``wheel``.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
import typer

Entries: TypeAlias = Iterator[tuple[str, Any]]

ROOT = Path(__file__).parent.parent
PACKAGES = ("answersim", "rankers")
HEAVY = ("torch", "scipy", "pandas", "transformers")
WIDTH = 200  # columns of a help text
LEXICAL_PROFILES = ("paper", "squad", "unicode")
NEURAL_PROFILES = ("paper", "strong", "multilingual", "modern")
N_SAMPLED = 60  # pairs per metric that runs a network or an owner's code; others score the whole probe
STUDIED = ("f1", "typed", "recall", "answersim")

# Pages that are made from archived runs or shipped files in seconds: the module of benchmarks and its arguments.
_RANKING = "ranking --archive benchmarks/results/runs --seeds 3 --format markdown"
PAGES = {
    "wikiqa-equation-5": f"{_RANKING} --dataset wikiqa --systems tanda,scan-rate-1,scan-equation-5 --metrics=",
    "wikiqa-sweeps": f"{_RANKING} --dataset wikiqa --systems bm25,addax,addax-alpha-1,addax-delta-0 --metrics=",
    "yahoocqa-disjoint-paper": f"{_RANKING} --preset paper --dataset yahoocqa-disjoint --systems ggsa --metrics=f1",
    "typed-verdicts": "typed_verdicts --sets squad --kinds",
    "sas-paper": "correlations --metrics f1,rouge-l --paper --format markdown",
}

# Texts that are alike in pairs.
ANSWERS = (
    *("Marie Curie", "Madame Curie", "National Football League", "NFL", "1,250 kg", "1.25 t"),
    *("12 May 1999", "1999-05-12", "New York City", "New York", "eleven", "11", "about 40 %", "0.4", "yes", "no"),
)
# Pairs in the forms that rules of benchmarks require of gold answers.
IN_FORM = (
    ("She sells 9 eggs for 18 dollars.\n#### 18", "9 * 2 = 18. The answer is 18.\n#### 18"),
    ("He has 1,000 left.\n#### 1,000", "He has 1000 left.\n#### 900"),
    ("Therefore $x = \\boxed{\\frac{1}{2}}$.", "Then $x = \\boxed{0.5}$."),
    ("So the sum is $\\boxed{4}$.", "The sum is $\\boxed{4}$."),
)


def public_names() -> Entries:
    """Yield the names in ``__all__`` of both packages and of their public modules, and their signatures."""
    queue = list(PACKAGES)
    for path in queue:
        module = importlib.import_module(path)
        names = sorted(getattr(module, "__all__", ()))
        yield path, names
        for name in names:
            value = getattr(module, name)
            if isinstance(value, ModuleType):
                queue.append(f"{path}.{name}")
            else:
                yield f"{path}.{name}", _described(value)


def _described(value: Any) -> Any:
    """Return the signature of a function, those of the public methods of a class, or the type of another value."""
    if inspect.isclass(value):
        methods = {name: getattr(value, name) for name in dir(value) if not name.startswith("_")}
        own = {name: method for name, method in methods.items() if not hasattr(tuple, name)}
        return {"": _signature(value), **{name: _signature(method) for name, method in sorted(own.items())}}
    return _signature(value)


def _signature(value: Any) -> str:
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return type(value).__name__
    return re.sub(r"answersim(\.\w+)*\.|rankers(\.\w+)*\.| at 0x[0-9a-f]+", "", text)


def help_texts() -> Entries:
    """Yield the help of each command and subcommand, on a wide terminal without colors."""
    from typer.testing import CliRunner

    runner = CliRunner(env={"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": str(WIDTH)})
    for package in PACKAGES:
        app = importlib.import_module(f"{package}.__main__").app
        for words in _commands(typer.main.get_command(app), ()):
            shown = runner.invoke(app, [*words, "--help"], prog_name=package, terminal_width=WIDTH)
            if shown.exit_code != 0:
                raise RuntimeError(f"the help of {package} {' '.join(words)} has exit status {shown.exit_code}")
            yield " ".join([package, *words]), shown.output


def _commands(command: Any, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield above
    if hasattr(command, "list_commands"):
        for name in command.list_commands(None):
            yield from _commands(command.get_command(None, name), (*above, name))


def metrics() -> Entries:
    """Yield the signature and the scores of each metric that can be built here, by profile and language."""
    import answersim
    from answersim.types import reads_questions

    probes = {lang: answersim.evaluation.data.load(name) for lang, name in (("en", "probe"), ("de", "probe-de"))}
    official = [f"official:{name}" for name in answersim.metrics.official.profiles()]
    left_out: Counter[str] = Counter()
    for name in (*answersim.names(), "typed+f1", "typed+recall", "typed+sas", *official, "judge"):
        for lang, profile in _variants(name):
            try:
                metric = answersim.metric(name, lang=lang, profile=profile)
            except (LookupError, TypeError, ValueError, ImportError, OSError) as error:
                left_out[type(error).__name__] += 1
                continue
            probe = probes[lang]
            is_sampled = name.startswith("official:") or _runs_network(metric)
            step = max(1, len(probe.pairs) // N_SAMPLED) if is_sampled else 1
            pairs = probe.pairs[::step]
            questions = probe.questions[::step] if probe.questions and reads_questions(metric) else None
            if name.startswith("official:"):
                scores = [_score_or_error(metric, pair) for pair in (*pairs, *IN_FORM)]
            else:
                (column,) = answersim.score_pairs(pairs, [metric], question=questions, progress=False).values()
                scores = [plain(float(score)) for score in column]
            yield f"{name} {lang} {profile or 'default'}", {"signature": metric.signature, "scores": scores}
    reasons = ", ".join(f"{count} {name}" for name, count in left_out.items()) or "none"
    typer.echo(f"metrics that cannot be built here: {reasons}", err=True)


def _score_or_error(metric: Any, pair: Any) -> Any:
    """Return the score of this pair, or the type of the error if the owner's code refuses it."""
    try:
        return plain(float(metric([pair])[0]))
    except ValueError as error:
        return type(error).__name__


def _variants(name: str) -> list[tuple[str, str | None]]:
    profiles = [None, *dict.fromkeys((*LEXICAL_PROFILES, *NEURAL_PROFILES))]
    return [("en", None)] if ":" in name else [*(("en", profile) for profile in profiles), ("de", None)]


def _runs_network(metric: Any) -> bool:
    """Return whether the signature names weights: those of an encoder, or parts that have one."""
    return "@" in metric.signature


def studies() -> Entries:
    """Yield the results of the analyses of three small tables, as JSON."""
    import answersim

    for title, (table, reading) in tables().items():
        for name in STUDIED:
            answers = answersim.read_answers(table, pred=["a", "b"], question="question", id="id", **reading)
            evaluation = answersim.evaluate(answers, name, by=["kind"], progress=False)
            compared = answersim.compare(answers, name, progress=False)
            yield f"evaluate {title} {name}", plain(evaluation)
            yield f"compare {title} {name}", plain(compared)
            yield f"gate {title} {name}", plain(answersim.gate(compared, 0.05))
            full = [i for i, answer in enumerate(table["a"]) if answer is not None]
            golds = [_references(table["gold"][i], reading) for i in full]
            scores = answersim.score(golds, [table["a"][i] for i in full], name, progress=False)
            labels = [table["label"][i] if i % 3 else None for i in full]
            yield f"corrected {title} {name}", plain(answersim.estimate_mean(list(scores), labels))
        columns = {column: table[column] for column in ("gold", "a", "label", "question")}
        if not reading:
            study = answersim.correlate(
                columns,
                STUDIED,
                pred="a",
                label="label",
                question="question",
                bootstrap=answersim.Bootstrap(resamples=200),
            )
            yield f"correlate {title}", plain(study)


def _references(gold: Any, reading: Mapping[str, Any]) -> Any:
    return gold.split(reading["split_gold"]) if "split_gold" in reading else gold


def tables() -> dict[str, tuple[dict[str, list[Any]], dict[str, Any]]]:
    """Return three tables of two systems, and how each one is read: plain, with several golds, and with bad rows."""
    n = 48
    rows = range(n)
    gold: list[Any] = [ANSWERS[i % len(ANSWERS)] for i in rows]
    partner = [ANSWERS[i % len(ANSWERS) ^ 1] for i in rows]
    other = [ANSWERS[i * 7 % len(ANSWERS)] for i in rows]
    table: dict[str, list[Any]] = {
        "id": [f"row-{i}" for i in rows],
        "question": [f"What is answer {i // 2}?" for i in rows],
        "kind": ["name" if i % len(ANSWERS) < 4 else "value" for i in rows],
        "gold": gold,
        "a": [partner[i] if i % 3 else other[i] for i in rows],
        "b": [other[i] if i % 5 == 0 else f"It is {gold[i]}." for i in rows],
        "label": [1 if i % 3 else int(other[i] == gold[i]) for i in rows],
    }
    several = {
        **table,
        "gold": [f"{one} ; {two}" if i % 2 else one for i, one, two in zip(rows, gold, other, strict=True)],
    }
    bad = {**table, "a": [None if i in (3, 20) else answer for i, answer in enumerate(table["a"])]}
    return {"plain": (table, {}), "several": (several, {"split_gold": " ; "}), "bad": (bad, {"skip_bad": True})}


def wheel() -> Entries:
    """Yield the files of the packages that the wheel names, as hatchling selects them: all that git does not ignore.

    A file that is not code has the SHA-256 of its content.
    """
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (packages,) = re.findall(r"^\[tool\.hatch\.build\.targets\.wheel\]\npackages = (\[.*\])$", project, re.MULTILINE)
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *json.loads(packages)]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    for name in sorted(filter(None, listed.split("\0"))):
        path = ROOT / name
        if path.is_file():
            yield name, "" if path.suffix == ".py" else hashlib.sha256(path.read_bytes()).hexdigest()


def imports() -> Entries:
    """Yield the modules of heavy libraries that an import of each package loads. The time is printed only."""
    for package in PACKAGES:
        code = f"import sys, {package}; print(*(m for m in sorted(sys.modules) if m.split('.')[0] in {HEAVY}))"
        start = time.perf_counter()
        shown = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True, text=True)
        typer.echo(f"import {package}: {time.perf_counter() - start:.2f} s, with the start of Python", err=True)
        yield package, shown.stdout.split()


def pages() -> Entries:
    """Yield the tables of pages of ``benchmarks``, without the seconds of scoring."""
    for name, arguments in PAGES.items():
        module, *words = arguments.split()
        with tempfile.TemporaryDirectory() as folder:
            words += ["--folder", f"{folder}/none"] if module == "ranking" else []
            output = Path(folder) / "page.md"
            words += ["--output", str(output)] if "--format" in words else []
            command = [sys.executable, "-m", f"benchmarks.{module}", *words]
            shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            if shown.returncode != 0:
                raise RuntimeError(f"benchmarks.{module} has exit status {shown.returncode}: {shown.stderr[-500:]}")
            made = sorted(Path(folder).glob("*.md"))
            yield name, "\n".join(map(page_rows, (path.read_text(encoding="utf-8") for path in made))) or shown.stdout


def page_rows(page: str) -> str:
    """Return the rows of all tables of a page, and its list items, without the column of seconds."""
    rows, has_seconds = [], False
    for line in page.splitlines():
        has_seconds = line.startswith("|") and (has_seconds or line.strip("| ").endswith("scoring (s)"))
        if line.startswith(("|", "- ")) and "python -m" not in line:
            rows.append(line.rstrip("| ").rpartition(" |")[0] if has_seconds else line)
    return "\n".join(rows)


SECTIONS: dict[str, Callable[[], Entries]] = {
    "names": public_names,
    "help": help_texts,
    "metrics": metrics,
    "studies": studies,
    "wheel": wheel,
    "imports": imports,
    "pages": pages,
}


def plain(value: Any) -> Any:
    """Return a result as JSON values, with floats to the last bit.

    >>> plain({"share": (0.5, 1)})
    {'share': ['0x1.0000000000000p-1', 1]}
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value).hex()
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (Sequence, np.ndarray)):
        return [plain(item) for item in value]
    raise TypeError(f"{value!r} is a {type(value).__name__}, which has no form in JSON; give it a to_dict()")
