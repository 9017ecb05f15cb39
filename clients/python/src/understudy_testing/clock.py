"""The clock of an environment."""

from __future__ import annotations

from typing import Literal, cast

from understudy_testing._transport import Transport, check_text
from understudy_testing.durations import Duration, Time, duration_text, time_text
from understudy_testing.types import Clock

__tracebackhide__ = True


class ClockControl:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self) -> Clock:
        return cast(Clock, self._transport.call("GET", "/clock"))

    def advance(self, by: Duration) -> Clock:
        """Moves the clock by a duration such as `25h`. Returns when everything that is now due has happened."""
        body = {"by": duration_text(by)}
        return cast(Clock, self._transport.call("POST", "/clock/advance", body=body))

    def freeze(self, at: Time | None = None) -> Clock:
        """Stops the clock at a time, or at the current time."""
        return self.set("frozen", at=at)

    def set(
        self,
        mode: Literal["real", "frozen", "offset"],
        *,
        at: Time | None = None,
        offset: Duration | None = None,
    ) -> Clock:
        """Takes a setting such as `set("offset", offset="-14d")`."""
        check_text("clock.set(mode, *, at, offset)", "mode", mode)
        body: dict[str, str] = {"mode": mode}
        if at is not None:
            body["at"] = time_text(at)
        if offset is not None:
            body["offset"] = duration_text(offset)
        return cast(Clock, self._transport.call("PUT", "/clock", body=body))
