"""An authenticator of passkeys without a browser."""

from __future__ import annotations

from typing import Any, cast

from understudy_testing._transport import Transport
from understudy_testing.types import PasskeyAnswer, SoftwarePasskey

__tracebackhide__ = True


class PasskeyControl:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, user: str, **wanted: Any) -> SoftwarePasskey:
        """Makes a passkey and registers it for the user, by id or e-mail address.

        `wanted` has `algorithm`, `display_name` and `rp_id`, as in the control API.
        """
        return cast(SoftwarePasskey, self._transport.call("POST", "/passkeys", body={"user": user, **wanted}))

    def sign(self, challenge: str, **wanted: Any) -> PasskeyAnswer:
        """Answers a challenge. Send the `body` of the answer to the operation that finishes.

        `wanted` has `credential_id`, `origin`, `user_verified` and `sign_count`, as in the control API.
        """
        body = {"challenge": challenge, **wanted}
        return cast(PasskeyAnswer, self._transport.call("POST", "/passkeys/sign", body=body))

    def list(self) -> list[SoftwarePasskey]:
        """The passkeys of the authenticator, oldest first."""
        return cast("list[SoftwarePasskey]", self._transport.call("GET", "/passkeys")["passkeys"])
