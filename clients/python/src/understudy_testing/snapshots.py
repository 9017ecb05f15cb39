"""Named snapshots of an environment: rows, ids, clock and scenarios. They survive a reset."""

from __future__ import annotations

from typing import List, cast

from understudy_testing._transport import Transport, path_of
from understudy_testing.types import Snapshot

__tracebackhide__ = True


class SnapshotControl:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def take(self, name: str) -> Snapshot:
        return cast(Snapshot, self._transport.call("POST", "/snapshots", body={"name": name}))

    def list(self) -> List[Snapshot]:
        """Oldest first."""
        return cast(List[Snapshot], self._transport.call("GET", "/snapshots")["snapshots"])

    def restore(self, name: str) -> None:
        """Restores a snapshot. This can be repeated."""
        self._transport.call("POST", f"/snapshots{path_of(name, 'restore')}")

    def delete(self, name: str) -> None:
        """Deletes the snapshot. The environment stays as it is."""
        self._transport.call("DELETE", f"/snapshots{path_of(name)}")
