"""The stored rows of an environment."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Dict, List, cast

from typing_extensions import TypeAlias

from understudy_testing._transport import Transport, path_of
from understudy_testing.types import Collection

__tracebackhide__ = True

Row: TypeAlias = Dict[str, Any]


class StateControl:
    """Rows by collection and id. Times may be written as `now-1d`.

    With `at`, reads have the rows as they were: after a request such as `req_17`, at a time, or after a number of
    commits.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def all(self, *, at: str | None = None) -> Dict[str, List[Row]]:
        """Every row, by collection."""
        return cast(Dict[str, List[Row]], self._transport.call("GET", "/state", query={"at": at}))

    def difference(self, before: str, after: str | None = None) -> Dict[str, Any]:
        """What changed between two moments, or since one: each member with the call that changed it."""
        query = {"from": before, "to": after}
        return cast(Dict[str, Any], self._transport.call("GET", "/difference", query=query))

    def replace(self, fixture: Mapping[str, Any]) -> None:
        """Replaces all rows with a fixture."""
        self._transport.call("PUT", "/state", body=fixture)

    def hash(self) -> str:
        """A hash of all rows. After a reset it is the same as at the start."""
        return cast(str, self._transport.call("GET", "/state/hash")["hash"])

    def counts(self, *, at: str | None = None) -> Dict[str, int]:
        """The number of rows of every collection."""
        return cast(Dict[str, int], self._transport.call("GET", "/state/counts", query={"at": at})["counts"])

    def list(
        self,
        collection: Collection,
        *,
        contains: str | None = None,
        where: Mapping[str, Any] | None = None,
        sort: str | None = None,
        reverse: bool | None = None,
        limit: int | None = None,
        offset: int | None = None,
        at: str | None = None,
    ) -> List[Row]:
        """All rows of a collection, oldest first, or some of them.

        `contains`: only rows whose JSON has each of these words. `where`: only rows whose members have these values,
        such as `{"organization_id": "org_1"}`. `sort`: the member that orders the rows, such as
        `display_name`. `reverse=True` turns the order around. `limit` is at most 1000, and `offset` is the number of
        rows to leave out first.
        """
        query = {
            "contains": contains,
            "where": None if where is None else json.dumps(where),
            "sort": sort,
            "reverse": reverse,
            "limit": limit,
            "offset": offset,
            "at": at,
        }
        return cast(List[Row], self._transport.call("GET", f"/state{path_of(collection)}", query=query)["rows"])

    def get(self, collection: Collection, row_id: str, *, at: str | None = None) -> Row:
        return cast(Row, self._transport.call("GET", f"/state{path_of(collection, row_id)}", query={"at": at}))

    def put(
        self,
        collection: Collection,
        row_id: str,
        row: Mapping[str, Any],
        *,
        events: bool | None = None,
    ) -> Row:
        """Creates a row, or replaces the one with this id. `events=True` also sends events and webhooks."""
        path = f"/state{path_of(collection, row_id)}"
        return cast(Row, self._transport.call("PUT", path, query={"events": events}, body=row))

    def patch(
        self,
        collection: Collection,
        row_id: str,
        members: Mapping[str, Any],
        *,
        events: bool | None = None,
    ) -> Row:
        """Changes fields of a row; None removes a field. `events=True` also sends events and webhooks."""
        path = f"/state{path_of(collection, row_id)}"
        return cast(Row, self._transport.call("PATCH", path, query={"events": events}, body=members))

    def delete(self, collection: Collection, row_id: str, *, events: bool | None = None) -> None:
        """Deletes a row and the rows that cannot exist without it."""
        self._transport.call("DELETE", f"/state{path_of(collection, row_id)}", query={"events": events})
