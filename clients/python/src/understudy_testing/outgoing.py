"""Calls that the service makes by itself, such as back-channel logouts."""

from __future__ import annotations

from typing import List, cast

from understudy_testing._transport import Transport, path_of
from understudy_testing.durations import Duration
from understudy_testing.types import OutgoingCallRow

__tracebackhide__ = True


class OutgoingControl:
    """Filters: `url` is an address, or a glob such as `https://app.example/*`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self, *, kind: str | None = None, status: str | None = None, url: str | None = None
    ) -> List[OutgoingCallRow]:
        """Oldest first."""
        query = {"kind": kind, "status": status, "url": url}
        return cast(List[OutgoingCallRow], self._transport.call("GET", "/outgoing", query=query)["calls"])

    def get(self, call_id: str) -> OutgoingCallRow:
        return cast(OutgoingCallRow, self._transport.call("GET", f"/outgoing{path_of(call_id)}"))

    def wait(
        self,
        *,
        kind: str | None = None,
        status: str | None = None,
        url: str | None = None,
        since: str | None = None,
        timeout: Duration | None = None,
    ) -> OutgoingCallRow:
        """Returns the latest call that matches, or waits up to `timeout` (4s) for one. Then raises a WaitError."""
        query = {
            "kind": kind,
            "status": status,
            "url": url,
            "since": since,
        }
        found = self._transport.wait("/outgoing/wait", query, timeout)
        return cast(OutgoingCallRow, found)
