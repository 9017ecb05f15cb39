"""A running service."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Callable, cast
from urllib.parse import urlsplit

from typing_extensions import Self

from understudy_testing._transport import Transport
from understudy_testing.durations import Time, time_text
from understudy_testing.environment import Controls, Environment
from understudy_testing.errors import NotReachableError
from understudy_testing.trust import Trust
from understudy_testing.types import Environment as Made
from understudy_testing.types import Health

__tracebackhide__ = True

USUAL_URL = "http://localhost:8080"
PAUSE = 0.1
ENVIRONMENTS_IN_A_PAGE = 1000


class Understudy(Controls):
    """A running service. Its own calls use the environment `default`."""

    def __init__(self, service: Transport, http_url: str, stop: Callable[[], None]) -> None:
        super().__init__(service, http_url, service.call("GET", "/environments/default", service=True))
        self._stop: Callable[[], None] | None = stop
        self._trust = Trust(service.call("GET", "/ca.pem", service=True))

    def environment(
        self,
        *,
        name: str | None = None,
        fixture: str | None = None,
        seed: int | None = None,
        scenarios: Sequence[str | Mapping[str, Any]] | None = None,
        clock: Time | Mapping[str, Any] | None = None,
        persist: bool | None = None,
        strict: bool | None = None,
    ) -> Environment:
        """Creates an isolated environment. This takes a few milliseconds: create one for each test.

        `clock` is the time at which the clock stands still, or a setting such as `{"mode": "offset", …}`.
        Use the environment in a `with` block to drop it at the end.
        """
        wanted = {
            "name": name,
            "fixture": fixture,
            "seed": seed,
            "scenarios": None if scenarios is None else list(scenarios),
            "clock": {"mode": "frozen", "at": time_text(clock)} if isinstance(clock, (str, datetime)) else clock,
            "persist": persist,
            "strict": strict,
        }
        body = {key: value for key, value in wanted.items() if value is not None}
        made = self._service.call("POST", "/environments", body=body, service=True)
        return Environment(self._service, self.http_url, made)

    def environments(self) -> list[Made]:
        """The names, addresses and credentials of all environments. Those at rest come last and stay at rest."""
        found: list[Made] = []
        since = None
        while True:
            query = {"limit": ENVIRONMENTS_IN_A_PAGE, "since": since}
            page = self._service.call("GET", "/environments", query=query, service=True)
            found += cast(list[Made], page["environments"])
            since = page.get("next")
            if since is None:
                return found

    def health(self) -> Health:
        return cast(Health, self._service.call("GET", "/health", service=True))

    def stop(self) -> None:
        """Stops a service that was started here. A service that was joined keeps running."""
        if self._stop is not None:
            stop, self._stop = self._stop, None
            self._trust.end()
            self._service.close()
            stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def connect(
    url: str = USUAL_URL,
    *,
    token: str | None = None,
    timeout: float = 30,
    stop: Callable[[], None] = lambda: None,
) -> Understudy:
    """Joins a service that runs. Waits up to `timeout` seconds until it is ready.

    `token` is the token of the control API; without it, the variable UNDERSTUDY_CONTROL_TOKEN. `stop` is called
    when the service is no longer needed.
    """
    given = token or os.environ.get("UNDERSTUDY_CONTROL_TOKEN")
    end = time.monotonic() + timeout
    while True:
        for each in _ways_to(url):
            service = Transport.to(each, given)
            try:
                service.call("GET", "/health", service=True)
                return Understudy(service, each, stop)
            except NotReachableError as error:
                service.close()
                if time.monotonic() > end:
                    message = (
                        f"nothing answers at {url}: start Understudy there, or correct the address, "
                        f"which may come from UNDERSTUDY_URL ({error})"
                    )
                    raise NotReachableError(message) from None
        time.sleep(PAUSE)


def _ways_to(url: str) -> list[str]:
    """The port speaks TLS and plain HTTP, and nothing here trusts its certificate yet."""
    url = url.rstrip("/")
    parts = urlsplit(url)
    if parts.scheme != "https":
        return [url]
    return [f"http://{parts.hostname}:{parts.port or 443}{parts.path}", url]
