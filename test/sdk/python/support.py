"""The base of each area: its own environment, an SDK client, and the control API."""

import contextlib
import os
import unittest

import requests
from scalekit import ScalekitClient
from scalekit.common.exceptions import (
    ScalekitBadRequestException,
    ScalekitConflictException,
    ScalekitNotFoundException,
    ScalekitServerException,
    ScalekitTooManyRequestsException,
)

import calls

calls.record()

ACME = "org_10000000000000001"
NORDWIND = "org_10000000000000002"
ADA = "usr_10000000000000101"
RAVI = "usr_10000000000000102"
NOBODY = "usr_99999999999999999"
NO_ORGANIZATION = "org_99999999999999999"

# SDK releases before 2.19 make each failing call three times, so a rule must apply three times to cause one
# error.
ATTEMPTS = 3


class Environment:
    """An environment of the simulator, and its credentials."""

    def __init__(self):
        self._control = os.environ["UNDERSTUDY_CONTROL"]
        made = self._ask("POST", f"{self._control}/environments", json={})
        self.client_id = made["client_id"]
        self.client_secret = made["client_secret"]
        self._name = made["name"]

    def control(self, method: str, path: str, **named):
        return self._ask(method, f"{self._control}/environments/{self._name}{path}", **named)

    def row(self, collection: str, key: str):
        return self.control("GET", f"/state/{collection}/{key}")

    def close(self):
        self._ask("DELETE", f"{self._control}/environments/{self._name}")

    def scalekit(self) -> ScalekitClient:
        return ScalekitClient(os.environ["UNDERSTUDY_TLS_URL"], self.client_id, self.client_secret)

    def scenario(self, name: str, **params):
        """Loads a shipped scenario until the end of the block."""
        return self._loaded({"name": name, "params": params})

    def rules(self, *rules: dict):
        """Loads a scenario with these rules until the end of the block."""
        return self._loaded({"name": "own", "rules": rules})

    @contextlib.contextmanager
    def _loaded(self, scenario: dict):
        loaded = self.control("POST", "/scenarios", json=scenario)
        try:
            yield
        finally:
            self.control("DELETE", f"/scenarios/{loaded['id']}")

    @staticmethod
    def _ask(method: str, url: str, **named):
        response = requests.request(method, url, timeout=60, **named)
        assert response.ok, f"{method} {url}: {response.status_code} {response.text}"
        return response.json() if response.content else None


class Area(unittest.TestCase):
    """The tests of one area of the SDK; they share an environment."""

    env: Environment
    scalekit: ScalekitClient

    @classmethod
    def setUpClass(cls):
        cls.env = Environment()
        cls.addClassCleanup(cls.env.close)
        cls.scalekit = cls.env.scalekit()
        cls.addClassCleanup(cls.scalekit.core_client.grpc_secure_channel.close)

    def fails(self, kind: type, call, *args, **named) -> ScalekitServerException:
        """The call raises exactly this class, with a code and a message."""
        with self.assertRaises(ScalekitServerException) as caught:
            call(*args, **named)
        error = caught.exception
        self.assertIs(type(error), kind, str(error))
        self.assertTrue(error.error_code, str(error))
        self.assertTrue(error.message, str(error))
        return error

    def not_found(self, call, *args, **named):
        return self.fails(ScalekitNotFoundException, call, *args, **named)

    def conflicts(self, call, *args, **named):
        return self.fails(ScalekitConflictException, call, *args, **named)

    def refuses(self, field: str, call, *args, **named):
        """The call raises a validation error for this field."""
        error = self.fails(ScalekitBadRequestException, call, *args, **named)
        fields = [
            violation.field
            for info in error._unpacked_details
            for violation in info.validation_error_info.field_violations
        ]
        self.assertIn(field, fields, str(error))

    def throttles(self, operation: str, call, *args, **named):
        """The call raises an error when a scenario throttles the operation once; the next call succeeds."""
        with self.env.scenario("rate-limit-once", operation=operation, times=ATTEMPTS):
            error = self.fails(ScalekitTooManyRequestsException, call, *args, **named)
        self.assertEqual(error.error_code, "RATE_LIMITED")
        return call(*args, **named)

    def pages(self, fetch, rows: str, size: int = 1) -> list:
        """Returns every row of several pages. `fetch(page_size, page_token)` returns one page."""
        found, token, count = [], None, 0
        while True:
            page = fetch(size, token)
            self.assertLessEqual(len(getattr(page, rows)), size)
            found += getattr(page, rows)
            count += 1
            token = page.next_page_token
            if not token:
                break
            self.assertLess(count, 100, "pages without end")
        self.assertGreater(count, 1)
        return found
