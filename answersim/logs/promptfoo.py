"""Outputs of promptfoo, ``.json`` and ``.jsonl``: the variables, the expected values and the output of each test.

promptfoo has no field for gold answers. They are the values of the assertions that compare with an answer (``equals``,
``contains``, ``similar``, ``factuality`` ...), or else of a variable with a usual name (``reference``, ``answer`` ...).
Templates in values (``{{answer}}``) are read as promptfoo rendered them.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from answersim.errors import warn_user
from answersim.logs.rows import field, parsed, row

COMPARING = (
    *("equals", "contains", "icontains", "contains-any", "icontains-any", "starts-with", "similar", "factuality"),
    *("levenshtein", "rouge-n", "bleu", "gleu", "meteor"),
)
GOLDS = (
    *("reference_answer", "reference", "expected_answer", "expected", "expected_output", "gold_answer", "gold"),
    *("ground_truth", "answer", "target"),
)
QUESTIONS = ("question", "query", "input", "user_input", "prompt")
_NOT_A_TEXT = ("file://", "javascript:", "python:")  # a value that promptfoo would run
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def matches(path: Path, head: bytes) -> bool:
    """Return whether this is an output of promptfoo, by the first bytes of the file."""
    if head.lstrip()[:1] != b"{":
        return False
    whole = b'"results"' in head and (b'"evalId"' in head or b'"prompts"' in head)
    return whole or all(key in head for key in (b'"promptIdx"', b'"vars"'))


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the row of each result: of each test with each prompt and provider.

    A result whose provider failed has no answer. A warning is issued if promptfoo made several tests of one because its
    variable with the gold answers is a list. Raise ValueError if the file is not an output of promptfoo, or a test has
    neither an assertion nor a variable with a gold answer.
    """
    for where, result in _results(path):
        yield _row(result, path, where)


def _results(path: Path) -> Iterator[tuple[str, Any]]:
    text = path.read_text(encoding="utf-8-sig")
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and all(line.lstrip().startswith("{") and line.rstrip().endswith("}") for line in lines):
        for i, line in enumerate(lines, start=1):  # JSON lines
            yield f"line {i}", parsed(line, path, f"line {i}")
        return
    whole = parsed(text, path, "the file")
    if isinstance(whole, dict) and "results" not in whole:
        yield "line 1", whole
        return
    _warn_of_expansion(whole, path)
    results = field(whole, "results", path, "the file")
    inner = results if isinstance(results, list) else field(results, "results", path, "results")
    for i, result in enumerate(inner, start=1):
        yield f"result {i}", result


def _warn_of_expansion(whole: Any, path: Path) -> None:
    """Warn if tests had a list of gold answers, of which promptfoo made a test with one gold answer each."""
    config = whole.get("config") if isinstance(whole, dict) else None
    config = config if isinstance(config, dict) else {}
    by_default, tests = config.get("defaultTest"), config.get("tests")
    expanded: list[str] = []
    for test in tests if isinstance(tests, list) else ():
        if isinstance(test, dict) and not (_expansion_is_off(test) or _expansion_is_off(by_default)):
            variables = test.get("vars")
            golds = variables.items() if isinstance(variables, dict) else ()
            expanded += [name for name, value in golds if name in GOLDS and isinstance(value, list) and len(value) > 1]
    if expanded:
        warn_user(
            UserWarning(
                f"{path}: the variable {expanded[0]!r} is a list in {len(expanded)} test{'s' * (len(expanded) > 1)}, "
                "and promptfoo made a test of each gold answer in it; if the best one shall count, set "
                "disableVarExpansion: true under defaultTest.options, and evaluate again"
            ),
            once=True,
        )


def _expansion_is_off(test: Any) -> bool:
    options = test.get("options") if isinstance(test, dict) else None
    return isinstance(options, dict) and bool(options.get("disableVarExpansion"))


def _row(result: Any, path: Path, where: str) -> dict[str, Any]:
    test = result.get("testCase") or {}
    variables = {**(test.get("vars") or {}), **(result.get("vars") or {})}
    golds = _asserted(result, test, variables) or [variables[name] for name in GOLDS if name in variables][:1]
    golds = [gold for item in golds for gold in (item if isinstance(item, list) else [item])]
    if not golds:
        raise ValueError(
            f"{path}, {where}: no gold answer is recorded; give the test an assertion ({', '.join(COMPARING[:3])} ...) "
            f"or a variable called {', '.join(GOLDS[:3])} ..."
        )
    # A provider that raises leaves an error and no response.
    response = (result.get("response") if "error" in result else field(result, "response", path, where)) or {}
    provider = result.get("provider")
    prompt = result.get("prompt")
    asked = next((variables[name] for name in QUESTIONS if isinstance(variables.get(name), str)), None)
    return row(
        result.get("testIdx", result.get("id", where)),
        asked if asked is not None else prompt.get("raw") if isinstance(prompt, dict) else prompt,
        golds,
        response.get("output"),
        prompt=result.get("promptIdx"),
        provider=(provider.get("label") or provider.get("id")) if isinstance(provider, dict) else provider,
    )


def _asserted(result: Any, test: Any, variables: Mapping[str, Any]) -> list[Any]:
    """Return the values of the assertions that compare with an answer, without those that are code."""
    parts = (result.get("gradingResult") or {}).get("componentResults") or ()
    assertions = [*_flat(test.get("assert") or ()), *(part.get("assertion") or {} for part in parts)]
    rendered = {
        part["assertion"]["value"]: part["metadata"]["renderedAssertionValue"]
        for part in parts
        if part.get("assertion") and "renderedAssertionValue" in (part.get("metadata") or {})
    }
    values: list[Any] = []
    for assertion in assertions:
        kind, value = assertion.get("type"), assertion.get("value")
        if kind not in COMPARING or (isinstance(value, str) and value.startswith(_NOT_A_TEXT)):
            continue
        if isinstance(value, str) and "{{" in value:
            variable = _VARIABLE.fullmatch(value.strip())
            value = variables.get(variable[1]) if variable else rendered.get(value)
        if kind.endswith("-any") and isinstance(value, str):
            value = [text.strip() for text in next(csv.reader([value], skipinitialspace=True)) if text.strip()]
        if value not in (None, "", []) and value not in values:
            values.append(value)
    return values


def _flat(assertions: Iterable[Any]) -> Iterator[Any]:
    """Yield the assertions, also those in sets."""
    for assertion in assertions:
        yield assertion
        yield from _flat(assertion.get("assert") or ())
