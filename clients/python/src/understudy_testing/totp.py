"""Authenticator apps without a telephone."""

from __future__ import annotations

from typing import cast

from understudy_testing._transport import Transport
from understudy_testing.types import TotpAuthenticator

__tracebackhide__ = True


class TotpControl:
    """The authenticator app of one user."""

    def __init__(self, transport: Transport, user: str) -> None:
        self._transport = transport
        self._user = user

    def enrol(self) -> TotpAuthenticator:
        """Registers and enables an app for the user, who needs its code at the next sign-in."""
        return cast(TotpAuthenticator, self._transport.call("POST", "/totp", body={"user": self._user}))

    def get(self, *, drift: int | None = None) -> TotpAuthenticator:
        """The app: its secret, its code, and the unused backup codes.

        `drift` is how many seconds the clock of the app is ahead, negative if it is behind.
        """
        query = {"user": self._user, "drift": drift}
        return cast(TotpAuthenticator, self._transport.call("GET", "/totp", query=query))

    def code(self, *, drift: int | None = None) -> str:
        """What the app shows by the clock of the environment; the next code if that is used up."""
        return self.get(drift=drift)["code"]
