"""Samples of lm-evaluation-harness, ``samples_*.jsonl``: the document, the target and the filtered response.

Read with lm-eval 0.4.13. The harness writes every target as text. One that reads as a Python list of texts is a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from answersim._base.golds import texts_in
from answersim.answers.logs.rows import field, parsed, row

_PROMPT = ("gen_args_0", "arg_0")  # of the first request of a document


def matches(path: Path, head: bytes) -> bool:
    """Return whether this is a file of samples, by the first bytes of the file."""
    return head.lstrip()[:1] == b"{" and all(key in head for key in (b'"doc_id"', b'"resps"'))


def rows(path: Path, part: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the row of each sample.

    ``part``: the filter whose responses are read. A task may have several, such as "strict-match". Raise ValueError if
    a line is not a sample, the responses are log-likelihoods, or several filters are recorded and none is chosen. Raise
    LookupError if no sample has the chosen filter.
    """
    seen: dict[str, int] = {}
    with path.open(encoding="utf-8-sig") as file:
        for i, line in enumerate(file, start=1):
            if not line.strip():
                continue
            where = f"line {i}"
            sample = parsed(line, path, where)
            name = str(sample.get("filter", "none")) if isinstance(sample, dict) else "none"
            seen.setdefault(name, i)
            if part is None and len(seen) > 1:
                raise ValueError(
                    f"{path}, {where}: each document was filtered in several ways ({', '.join(seen)}, maybe more); "
                    f"choose one, such as --from lm-eval:{name}"
                )
            if part in (None, name):
                yield _row(sample, path, where)
    if part is not None and part not in seen:
        raise LookupError(f"{path} has no responses of the filter {part!r}; its filters are {', '.join(seen)}")


def _row(sample: Any, path: Path, where: str) -> dict[str, Any]:
    document = field(sample, "doc", path, where)
    responses = sample.get("filtered_resps") or field(sample, "resps", path, where)
    answer = responses[0] if responses else None
    while isinstance(answer, list) and answer and isinstance(answer[0], (str, list)):
        if len(answer) == 2 and str(answer[1]) in ("True", "False"):
            break  # a log-likelihood and "is greedy", which some versions write as texts
        answer = answer[0]
    if answer is not None and not isinstance(answer, str):
        raise ValueError(
            f"{path}, {where}: the response is {answer!r:.60}, a log-likelihood instead of an answer; only tasks with "
            "'output_type: generate_until' record answers"
        )
    question = document.get("question") if isinstance(document, dict) else None
    if not isinstance(question, str):
        question = _prompt(sample)
    target = field(sample, "target", path, where)
    golds = target if isinstance(target, list) else (isinstance(target, str) and texts_in(target)) or [target]
    return row(field(sample, "doc_id", path, where), question, golds, answer)


def _prompt(sample: Any) -> str | None:
    """Return the prompt of the first request."""
    first = sample.get("arguments")
    for key in _PROMPT:
        first = first.get(key) if isinstance(first, dict) else None
    return first if isinstance(first, str) else None
