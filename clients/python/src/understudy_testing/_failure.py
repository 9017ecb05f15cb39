"""Turns a refusal of the control API into an error whose message shows what came instead."""

from __future__ import annotations

import json
from typing import Any, cast

import httpx

from understudy_testing.errors import (
    ControlError,
    NotReachableError,
    UnderstudyError,
    VerificationError,
    WaitError,
    violations_in,
)

REQUEST_TIMEOUT = 408
NOT_VERIFIED = 422


def failure_of(response: httpx.Response) -> UnderstudyError:
    status = response.status_code
    call = f"{response.request.method} {response.request.url}"
    body = _envelope_in(response)
    if body is None:
        return NotReachableError(f"no Understudy at {call}: {status} {response.text[:200]}")
    if status == REQUEST_TIMEOUT:
        return WaitError(_wait_message(body), call, status, body)
    if status == NOT_VERIFIED and isinstance(body.get("nearest"), list):
        return VerificationError(_verification_message(body), call, status, body)
    return ControlError(_message(body), call, status, body)


def _envelope_in(response: httpx.Response) -> dict[str, Any] | None:
    try:
        found: Any = response.json()
    except ValueError:  # A page of another server.
        return None
    if not isinstance(found, dict):
        return None
    body = cast(dict[str, Any], found)
    return body if isinstance(body.get("message"), str) else None


def _message(body: dict[str, Any]) -> str:
    """Adds a line for each violation that the message does not contain."""
    message: str = body["message"]
    return "\n".join(
        [
            message,
            *(
                f"  {violation['field']}: {violation['description']}"
                for violation in violations_in(body)
                if not _contains(message, violation)
            ),
        ]
    )


def _contains(message: str, violation: dict[str, Any]) -> bool:
    """A message may have the position of a mistake before the field, a violation in the description."""
    field = f"{violation['field']}: "
    return any(violation["description"] in line.replace(field, "") for line in message.splitlines())


def _wait_message(body: dict[str, Any]) -> str:
    calls = [f"  {_call(each)}" for each in body.get("requests", [])]
    others = [_other(each) for each in body.get("others", [])]
    return "\n".join([body["message"], *calls, *_nearest(body.get("nearest", [])), *others])


def _other(item: dict[str, Any]) -> str:
    if "event_type" in item:
        latest = f", {item['latest']}" if "latest" in item else ""
        return (
            f"  other delivery: {item['event_type']} to {item['endpoint_id']}, {item['status']}{latest} ({item['id']})"
        )
    if "url" in item:
        return f"  other call: {item['kind']} to {item['url']}, {item['status']} ({item['id']})"
    return f'  other mail: {item["kind"]} to {item["to"]}, "{item["subject"]}"'


def _verification_message(body: dict[str, Any]) -> str:
    """Shows the calls that match if there are too many, or else the nearest ones."""
    expected = body["expected"]
    most = min(expected.get("times", float("inf")), expected.get("at_most", float("inf")))
    if body["count"] > most:
        return f"{body['message']}\n  those that match: {', '.join(body['matching'])}"
    return "\n".join([body["message"], *_nearest(body["nearest"])])


def _nearest(nearest: list[dict[str, Any]]) -> list[str]:
    blocks = [line for each in nearest for line in [f"  {_call(each)}", *map(_side_by_side, each["differences"])]]
    return ["the nearest:", *blocks] if blocks else []


def _call(call: dict[str, Any]) -> str:
    return f"{call['method']} {call['path']} {call.get('status', '')} ({call['id']})"


def _side_by_side(difference: dict[str, Any]) -> str:
    field = difference["field"]
    actual = json.dumps(difference["actual"]) if "actual" in difference else "absent"
    return f"    {field}  expected {json.dumps(difference['expected'])}\n    {' ' * len(field)}  was      {actual}"
