"""Simulates the end users of connected accounts."""

from __future__ import annotations

from typing import Any, cast

from understudy_testing._transport import Transport, path_of
from understudy_testing.types import AuthorizedAccount

__tracebackhide__ = True


class ConnectedAccountControl:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def authorize(self, account_id: str, **wanted: Any) -> AuthorizedAccount:
        """Does what the end user would do on the third party's pages: grants access, or does what `wanted` says.

        `wanted` has `outcome`, `error`, `credentials` and `user_verify`, as in the control API.
        """
        path = f"/connected_accounts{path_of(account_id, 'authorize')}"
        return cast(AuthorizedAccount, self._transport.call("POST", path, body=wanted))
