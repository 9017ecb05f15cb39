"""The mails that the service would have sent."""

from __future__ import annotations

from typing import List, cast

from understudy_testing._transport import Transport, path_of
from understudy_testing.durations import Duration
from understudy_testing.types import Mail, MailKind

__tracebackhide__ = True


class MailControl:
    """Filters: `to` is an address, or a glob such as `*@example.com`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, to: str | None = None, kind: MailKind | None = None) -> List[Mail]:
        """Oldest first."""
        query = {"to": to, "kind": kind, "format": "json"}
        return cast(List[Mail], self._transport.call("GET", "/mail", query=query)["mails"])

    def get(self, mail_id: str) -> Mail:
        """The mail with its `html`, which `list` and `wait` leave out."""
        return cast(
            Mail, self._transport.call("GET", f"/mail{path_of(mail_id)}", query={"format": "json", "html": "true"})
        )

    def wait(
        self,
        *,
        to: str | None = None,
        kind: MailKind | None = None,
        since: str | None = None,
        timeout: Duration | None = None,
    ) -> Mail:
        """Returns the latest mail that matches, with its `link` and `code`, or waits up to `timeout` (4s) for one.

        Raises a WaitError that lists the other mails. `since`: only mails after the one with this id.
        """
        query = {
            "to": to,
            "kind": kind,
            "since": since,
        }
        return cast(Mail, self._transport.wait("/mail/wait", query, timeout))

    def clear(self) -> None:
        self._transport.call("DELETE", "/mail")
