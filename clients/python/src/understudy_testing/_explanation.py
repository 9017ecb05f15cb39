"""The journal as text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

from understudy_testing.types import JournalEntry

FIRST_ERROR = 400
LONGEST_VALUE = 300


def line_of(entry: JournalEntry) -> str:
    status = entry.get("status", "no answer")
    operation = entry.get("operation", "no operation")
    return f"{entry['method']} {entry['path']} {status} {operation} ({entry['id']})"


def explanation_of(entry: JournalEntry) -> str:
    """The line of the call, and below it each reason for its answer."""
    return "\n".join([line_of(entry), *(f"  {reason}" for reason in _reasons(entry))])


def summary_of(entry: JournalEntry) -> str:
    """A line for a call that went well, and one sentence more for others."""
    is_plain = entry.get("status", FIRST_ERROR) < FIRST_ERROR and "name" not in entry["scenario"]
    if is_plain:
        return line_of(entry)
    return f"{line_of(entry)}\n  {entry['why']['summary']}" if "why" in entry else explanation_of(entry)


def _reasons(entry: JournalEntry) -> Iterator[str]:
    if "why" in entry:
        yield entry["why"]["summary"]
        for fact in entry["why"]["because"]:
            yield fact["text"]
        for remedy in entry["why"]["remedies"]:
            yield f"helps: {remedy['text']} {remedy['method']} {remedy['path']}"
    elif entry.get("status", 0) >= FIRST_ERROR:
        yield f"answer: {_message_in(entry['response'].get('body'))}"
    validation = entry["validation"]
    if validation["unknown"]:
        yield f"unknown fields: {', '.join(validation['unknown'])}"
    if "response" in validation:
        yield f"the answer breaks the contract: {validation['response']}"
    for name, value in entry.get("fault", {}).items():
        yield f"fault: {name} {_text(value)}"
    for step in entry["changes"]:
        yield f"change: {step['op']} {step['path']} {_text(step.get('value', ''))}".rstrip()
    if "error" in entry:
        yield f"cause: {entry['error']}"


def _message_in(body: Any) -> str:
    if isinstance(body, dict):
        answer = cast(dict[str, Any], body)
        for name in ("error_description", "message"):
            if isinstance(answer.get(name), str):
                return str(answer[name])
    return "no body" if body is None else _text(body)


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"
