"""Sends calls to the control API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from understudy_testing._failure import failure_of
from understudy_testing.durations import Duration, duration_text, seconds_of
from understudy_testing.errors import NotReachableError

# pytest leaves out the frames of this file, so that a failure shows the line of the test.
__tracebackhide__ = True

LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Transport:
    """Calls the control API for one environment, or for `default`."""

    def __init__(self, http: httpx.Client, prefix: str = "") -> None:
        self._http = http
        self._prefix = prefix

    @classmethod
    def to(cls, url: str, token: str | None = None) -> Transport:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        # No proxy and no certificates of the shell for a service on this machine.
        http = httpx.Client(
            base_url=f"{url.rstrip('/')}/_control/v1",
            headers=headers,
            timeout=time_limit(),
            trust_env=not is_local(url),
        )
        return cls(http)

    def of(self, environment: str) -> Transport:
        return Transport(self._http, f"/environments/{quote(environment, safe='')}")

    def close(self) -> None:
        self._http.close()

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | str | None = None,
        wait: float = 0,
        service: bool = False,
    ) -> Any:
        """Returns the JSON, the text or the bytes of the answer. `service`: the call is about no environment."""
        url = path if service else f"{self._prefix}{path}"
        request = self._http.build_request(
            method,
            url,
            params=_given(query or {}),
            timeout=time_limit(wait),
            **_content(body),
        )
        response = self._send(request)
        if not response.is_success:
            raise failure_of(response)
        if not response.content:
            return None
        media_type = response.headers.get("content-type", "")
        if "octet-stream" in media_type:
            return response.content
        return response.json() if "json" in media_type else response.text

    def wait(self, path: str, query: Mapping[str, Any], timeout: Duration | None) -> Any:
        """Calls an operation that waits up to `timeout` (4s)."""
        text = None if timeout is None else duration_text(timeout)
        return self.call("GET", path, query={**query, "timeout": text}, wait=seconds_of(timeout))

    def _send(self, request: httpx.Request) -> httpx.Response:
        try:
            return self._http.send(request)
        except httpx.TransportError as error:
            reason = str(error) or type(error).__name__
            raise NotReachableError(f"{request.method} {request.url}: {reason}") from error


def time_limit(wait: float = 0) -> httpx.Timeout:
    """For a call that the service may hold for `wait` seconds. On a busy machine, its first answer may take long."""
    return httpx.Timeout(60.0 + wait, connect=10.0)


def is_local(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in LOOPBACK or host.endswith(".localhost")


def check_text(signature: str, name: str, value: object) -> None:
    """Refuses an argument that is not text, with the signature of the call."""
    if not isinstance(value, str):
        raise TypeError(f"{signature} takes {name} as text, not {value!r}")


def path_of(*segments: str) -> str:
    """A path of these segments, each escaped."""
    return "".join(f"/{quote(segment, safe='')}" for segment in segments)


def _content(body: Mapping[str, Any] | str | None) -> dict[str, Any]:
    if isinstance(body, str):
        return {"content": body, "headers": {"content-type": "application/yaml"}}
    return {} if body is None else {"json": body}


def _given(values: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in values.items()
        if value is not None
    }
