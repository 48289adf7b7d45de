"""How to cite a judge: its prompt with the hash, its signature, and what a record contains."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

from answersim.arguments import expanded
from answersim.judge.metric import Judge
from answersim.judge.prompts import REGISTRY, Prompt
from answersim.judge.record import Record


def description(prompt: Prompt) -> list[tuple[str, str]]:
    """Return what identifies a judge with this prompt: a name and a text per line."""
    signed = Judge(prompt, "MODEL").signature
    offered = ", ".join(f"{verdict} ({score:g})" for verdict, score in prompt.verdicts)
    known = ", ".join(known.fingerprint for known in REGISTRY.values())
    return [
        ("prompts", known),
        ("prompt", prompt.fingerprint),
        ("verdicts", f"{offered}{'; the score is the mean over the facts' if prompt.form == 'nuggets' else ''}"),
        ("signature", signed),
        (
            "cite",
            "the signature with your model, the model as the server returned it, and the record; "
            "'answersim show judge --record FILE' prints them",
        ),
    ]


def messages(prompt: Prompt) -> list[str]:
    """Return the messages of a prompt as lines, with its placeholders in their fences."""
    lines = []
    for message in prompt.messages("{question}", "{gold}", "{pred}"):
        lines += [f"--- {message['role']}", *message["content"].splitlines()]
    return lines


def citation(path: Path) -> list[tuple[str, str]]:
    """Return the content of a record, worded for a paper: a name and a text per line.

    Raise FileNotFoundError if there is no such file, ChecksumError if a line is damaged, ValueError if it has no
    replies.
    """
    path = expanded(path)
    record = Record(path)
    record.read()
    entries = list(record.entries())
    if not entries:
        raise ValueError(f"the record {path} has no replies")
    times = sorted(_times(path))
    prompts = sorted({entry.asked.prompt for entry in entries})
    asked = sorted({f"{entry.asked.model}, parameters {entry.asked.parameters}" for entry in entries})
    returned = sorted({entry.reply.model or "(unnamed)" for entry in entries})
    lines = [
        ("record", f"{path}, {len(entries):,} replies, SHA-256 {sha256(path.read_bytes()).hexdigest()}"),
        *(("prompt", prompt) for prompt in prompts),
        *(("model", model) for model in asked),
        *(("returned", model) for model in returned),
    ]
    if times:
        lines.append(("asked", f"from {times[0]} to {times[-1]}"))
    tokens = [sum(getattr(entry.reply, name) or 0 for entry in entries) for name in ("input_tokens", "output_tokens")]
    return [*lines, ("tokens", f"{tokens[0]:,} in, {tokens[1]:,} out")]


def _times(path: Path) -> list[str]:
    """Return when the replies were received, by the lines of the record."""
    found = []
    for line in path.read_bytes().splitlines():
        try:
            time = json.loads(line).get("time")
        except ValueError:
            continue  # an incomplete last line, which is reported when the record is read
        if isinstance(time, str):
            found.append(time)
    return found
