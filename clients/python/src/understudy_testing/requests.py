"""The journal of an environment: every call with its answer, without secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, List, cast

from understudy_testing._explanation import explanation_of
from understudy_testing._transport import Transport, path_of
from understudy_testing.durations import Duration
from understudy_testing.types import AppliedRemedy, JournalEntry, Remedy, Trace

__tracebackhide__ = True


class RequestControl:
    """Filters: `operation` is a name or a glob such as `UserService_*`, `path` a glob or a template, `status` a
    status, a class such as `4xx` or `none`, `protocol` a protocol or a glob such as `http/*`, `caller` the id of a
    client, a user or a directory, `since` and `before` are ids of calls."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        operation: str | None = None,
        method: str | None = None,
        path: str | None = None,
        status: int | str | None = None,
        protocol: str | None = None,
        caller: str | None = None,
        contains: str | None = None,
        since: str | None = None,
        before: str | None = None,
        limit: int | None = None,
        why: bool | None = None,
    ) -> List[JournalEntry]:
        """
        The latest `limit` calls (100), oldest first. `contains`: words that the journal shows of a call. `why`: adds to
        each call why it got its answer.
        """
        query = {
            "operation": operation,
            "method": method,
            "path": path,
            "status": status,
            "protocol": protocol,
            "caller": caller,
            "contains": contains,
            "since": since,
            "before": before,
            "limit": limit,
            "why": "true" if why else None,
        }
        return cast(List[JournalEntry], self._transport.call("GET", "/requests", query=query)["requests"])

    def find(
        self,
        *,
        operation: str | None = None,
        method: str | None = None,
        path: str | None = None,
        status: int | str | None = None,
        protocol: str | None = None,
        caller: str | None = None,
        contains: str | None = None,
        since: str | None = None,
    ) -> JournalEntry | None:
        """The latest call that matches, or None."""
        found = self.list(
            operation=operation,
            method=method,
            path=path,
            status=status,
            protocol=protocol,
            caller=caller,
            contains=contains,
            since=since,
            limit=1,
        )
        return found[0] if found else None

    def get(self, request_id: str) -> JournalEntry:
        """The call with the id of an answer's `understudy-request-id` header."""
        return cast(JournalEntry, self._transport.call("GET", f"/requests{path_of(request_id)}"))

    def wait(
        self,
        *,
        operation: str | None = None,
        method: str | None = None,
        path: str | None = None,
        status: int | str | None = None,
        protocol: str | None = None,
        caller: str | None = None,
        since: str | None = None,
        count: int | None = None,
        timeout: Duration | None = None,
    ) -> List[JournalEntry]:
        """Waits up to `timeout` (4s) until `count` (1) calls match, including earlier ones, and returns them.

        Raises a WaitError with the calls that came.
        """
        query = {
            "operation": operation,
            "method": method,
            "path": path,
            "status": status,
            "protocol": protocol,
            "caller": caller,
            "since": since,
            "count": count,
        }
        found = self._transport.wait("/requests/wait", query, timeout)
        return cast(List[JournalEntry], found["requests"])

    def verify(
        self,
        *,
        operation: str | List[str] | None = None,
        method: str | None = None,
        path: str | None = None,
        status: int | str | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        protocol: str | Mapping[str, Any] | None = None,
        times: int | None = None,
        at_least: int | None = None,
        at_most: int | None = None,
        since: str | None = None,
    ) -> int:
        """Counts the calls that match: exactly `times`, or `at_least` (1) and `at_most`.

        `query`, `headers` and `body` take the operators of a scenario's `when`. Raises a VerificationError with
        the nearest calls if the count is another one.
        """
        match = {
            "operation": operation,
            "method": method,
            "path": path,
            "status": status,
            "query": query,
            "headers": headers,
            "body": body,
            "protocol": protocol,
        }
        expected = {"times": times, "at_least": at_least, "at_most": at_most, "since": since}
        wanted = {"match": _given(match), **_given(expected)}
        return cast(int, self._transport.call("POST", "/requests/verify", body=wanted)["count"])

    def explain(self, request: str | JournalEntry) -> str:
        """Says in a few lines why a call was answered as it was: its id, or its entry in the journal."""
        return explanation_of(self.get(request) if isinstance(request, str) else request)

    def remedies(self, request_id: str) -> List[Remedy]:
        """What would help a call. Nothing is done."""
        return cast(List[Remedy], self._transport.call("GET", f"/requests{path_of(request_id)}/remedies")["remedies"])

    def fix(self, request_id: str, number: int) -> AppliedRemedy:
        """Applies the remedy with this number in the list, and returns the answer that it got."""
        path = f"/requests{path_of(request_id)}/remedies/{number}"
        return cast(AppliedRemedy, self._transport.call("POST", path))

    def trace(self, request_id: str) -> Trace:
        """A call with all that it caused. The id of a delivery, a mail or another row leads to its call."""
        return cast(Trace, self._transport.call("GET", f"/requests{path_of(request_id)}/trace"))

    def clear(self) -> None:
        self._transport.call("DELETE", "/requests")


def _given(values: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
