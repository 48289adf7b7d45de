"""What a caller may leave out: the defaults of all public calls, commands, options of metrics and published trainings.

``ANSWERSIM_GOLDEN=write pytest tests/test_defaults.py`` renews the list beside this file. Its git diff has each change.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from enum import Enum
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from answersim.metrics.catalog import lookup
from tests.cases import as_listed
from tools.site.commands import PROGRAMS, commands
from tools.site.reference import public_modules, public_names

ROOT = Path(__file__).parent.parent


def value(default: object) -> str:
    """A default as text: numbers and texts are as in Python, and anything else has the name of its type."""
    if isinstance(default, (tuple, list, frozenset)) and not hasattr(default, "_fields"):
        return f"[{', '.join(map(value, sorted(default) if isinstance(default, frozenset) else default))}]"
    if isinstance(default, Enum):
        return str(default.value)
    return repr(default) if isinstance(default, (int, float, str, tuple, type(None))) else type(default).__name__


def of_call(call: Callable[..., Any]) -> str:
    parameters = inspect.signature(getattr(call, "__func__", call)).parameters.values()
    return ", ".join(f"{p.name}={value(p.default)}" for p in parameters if p.default is not p.empty)


def public_calls() -> Iterator[tuple[str, str]]:
    """The defaults of each public function, class and method, once."""
    seen = set()
    for module in public_modules():
        for name in public_names(module):
            entry = getattr(import_module(module), name)
            if not callable(entry) or id(entry) in seen or (inspect.isclass(entry) and issubclass(entry, Exception)):
                continue
            seen.add(id(entry))
            methods = vars(entry).items() if inspect.isclass(entry) else ()
            public = {f".{key}": each for key, each in methods if key[0] != "_" and callable(getattr(entry, key))}
            for suffix, call in {"": entry, **public}.items():
                try:
                    yield f"{module}.{name}{suffix}", of_call(call)
                except (TypeError, ValueError):  # such as an alias of a type
                    continue


def options() -> Iterator[tuple[str, str]]:
    for command, entry in (pair for program in PROGRAMS for pair in commands(program)):
        for option in entry.params:
            place = f"{command} {option.opts[-1]}"
            limits = [
                f"{side} {limit}" for side in ("min", "max") if (limit := getattr(option, side, None)) is not None
            ]
            shown = "" if callable(option.default) or option.default is None else value(option.default)
            yield place, " ".join(filter(None, [shown, *limits, "hidden" * option.hidden]))


def metrics() -> Iterator[tuple[str, str]]:
    """The options of a metric, and what its definition promises."""
    for name in (*lookup.names(), *lookup.remote_names()):
        entry = lookup.entry(name)
        yield f"metric {name}", of_call(entry.build)
        promises = ("range", "symmetric", "one_on_itself", "reads_questions")
        examples = [example.score for example in entry.examples]
        yield f"definition {name}", ", ".join([*(f"{key}={getattr(entry, key)}" for key in promises), value(examples)])


def trainings() -> Iterator[tuple[str, str]]:
    """The settings of each published training that differ from those of the training before it."""
    pytest.importorskip("torch")
    from answersim.training.bi_encoder import recipe as bi_encoder
    from answersim.training.cross_encoder import recipe as cross_encoder
    from rankers.systems import catalog

    before: dict[str, str] = {}
    presets = [
        (f"{recipe.__name__} {name}", stated)
        for recipe in (bi_encoder, cross_encoder)
        for name, stated in recipe.PRESETS.items()
    ]
    presets += [
        (f"training {preset} {name}", catalog.config(name, preset))
        for preset, name in product(catalog.PRESETS, catalog.TRAININGS)
    ]
    for name, stated in presets:
        now = dict(flat(asdict(stated)))
        yield name, ", ".join(f"{key}={entry}" for key, entry in now.items() if before.get(key) != entry)
        before = now


def flat(settings: Mapping[str, Any], place: str = "") -> Iterator[tuple[str, str]]:
    for key, entry in settings.items():
        yield from flat(entry, f"{place}{key}.") if isinstance(entry, dict) else [(f"{place}{key}", value(entry))]


@pytest.mark.parametrize("part", [public_calls, options, metrics, trainings])
def test_the_defaults_are_those_that_are_listed(part: Callable[[], Iterator[tuple[str, str]]]) -> None:
    listed = Path(__file__).with_name("defaults") / f"{part.__name__}.txt"
    as_listed(listed, (f"{name}: {defaults}" for name, defaults in part() if defaults))


UNUSUAL = {
    # records that hold arrays or tables are equal only to themselves, or by a rule
    "(frozen=True, eq=False)": """Answers ArrowScorer Calibration ComparedRuns Evaluation FileScores Fitted Judgments
        LabeledPairs Measured PackedTensor Ranking RowScorer RowVerdicts Scorer SemanticScores _InTraining""",
    # groups of options
    "(frozen=True, repr=False, eq=False)": "Intervals Judge Labels Metric Network Reading Result Scoring Verdict",
    "": "Bar Trainings",  # they count while they run
    "(repr=False)": "AnswerSimilarity",  # a module of torch
}


def test_a_record_is_frozen_and_equal_by_its_fields_unless_it_has_a_reason() -> None:
    unusual: dict[str, list[str]] = {flags: [] for flags in UNUSUAL}
    for path in sorted(path for package in PROGRAMS for path in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ClassDef):
                continue
            stated = [ast.unparse(entry) for entry in node.decorator_list]
            for flags in (entry.removeprefix("dataclass") for entry in stated if entry.startswith("dataclass")):
                if node.name.endswith(("Error", "Warning")):  # an exception has the hash and the text of all exceptions
                    assert "eq=False" in flags, node.name
                    assert "repr=False" in flags, node.name
                elif flags.replace(", kw_only=True", "") != "(frozen=True)":
                    unusual.setdefault(flags, []).append(node.name)
    assert {flags: " ".join(sorted(names)) for flags, names in unusual.items()} == {
        flags: " ".join(names.split()) for flags, names in UNUSUAL.items()
    }
