"""What the tests of this package share."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from understudy_testing import Environment

pytest_plugins = ("pytester",)

ROOT = Path(__file__).resolve().parents[3]
COMMAND = f"node {ROOT / 'dist' / 'understudy.js'}"

ACME = "org_10000000000000001"
NO_ORGANIZATION = "org_99999999999999999"


class Caller:
    """Code that calls the service."""

    def __init__(self, environment: Environment) -> None:
        self._base = environment.http_url
        self._headers = {"authorization": f"Bearer {environment.access_token()}"}

    def get(self, path: str) -> httpx.Response:
        return httpx.get(f"{self._base}{path}", headers=self._headers, timeout=60)

    def post(self, path: str, body: object) -> httpx.Response:
        return httpx.post(f"{self._base}{path}", headers=self._headers, json=body, timeout=60)


@pytest.fixture
def caller(understudy_env: Environment) -> Caller:
    return Caller(understudy_env)
