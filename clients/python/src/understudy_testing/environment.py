"""An environment as tests use it: address, credentials and controls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast
from urllib.parse import urlsplit

from typing_extensions import Self

from understudy_testing._explanation import summary_of
from understudy_testing._transport import LOOPBACK, Transport, path_of
from understudy_testing.clock import ClockControl
from understudy_testing.connected_accounts import ConnectedAccountControl
from understudy_testing.durations import Duration, duration_text
from understudy_testing.errors import ControlError
from understudy_testing.idp import IdpControl, IdpProvider
from understudy_testing.mail import MailControl
from understudy_testing.outgoing import OutgoingControl
from understudy_testing.passkeys import PasskeyControl
from understudy_testing.requests import RequestControl
from understudy_testing.scenarios import ScenarioControl
from understudy_testing.snapshots import SnapshotControl
from understudy_testing.state import StateControl
from understudy_testing.tokens import Tokens, client_token, user_tokens
from understudy_testing.totp import TotpControl
from understudy_testing.types import Coverage, LoadedScenarioId, SigningKeys
from understudy_testing.types import Environment as Made
from understudy_testing.webhooks import WebhookControl

__tracebackhide__ = True

NOT_FOUND = 404
JOURNAL_LIMIT = 50
LONGEST_NAME = 1000
LONGEST_FAILURE = 10_000
Outcome = Literal["failed", "passed"]
Part = Literal["state", "requests", "mail", "webhooks", "scenarios", "clock"]


class Controls:
    """The address and the credentials of an environment, and the calls that control it."""

    def __init__(self, service: Transport, http_url: str, made: Made) -> None:
        self._service = service
        self._transport = transport = service.of(made["name"])
        self.name = made["name"]
        self.http_url = http_url
        """The address without TLS, for programs that need none."""
        self.url = tls_url(http_url)
        """The address for the SDK, which uses TLS only. The credentials select this environment."""
        self.browser_url = _browser_url(http_url, self.name)
        """The address for a browser that has no credentials yet."""
        self.client_id = made["client_id"]
        self.client_secret = made["client_secret"]
        self.headers = {"understudy-environment": self.name}
        """Headers for a call without credentials: they select this environment."""
        self.clock = ClockControl(transport)
        self.state = StateControl(transport)
        self.scenarios = ScenarioControl(transport)
        self.requests = RequestControl(transport)
        self.mail = MailControl(transport)
        self.webhooks = WebhookControl(transport)
        self.outgoing = OutgoingControl(transport)
        self.snapshots = SnapshotControl(transport)
        self.connected_accounts = ConnectedAccountControl(transport)
        self.passkeys = PasskeyControl(transport)

    @property
    def variables(self) -> dict[str, str]:
        """The variables that programs give to the SDK, for `monkeypatch.setenv` or a child process."""
        return {
            "SCALEKIT_ENVIRONMENT_URL": self.url,
            "SCALEKIT_ENV_URL": self.url,
            "SCALEKIT_CLIENT_ID": self.client_id,
            "SCALEKIT_CLIENT_SECRET": self.client_secret,
        }

    def scenario(self, scenario: str | Mapping[str, Any], /, **params: Any) -> LoadedScenarioId:
        """Loads a scenario: `scenario("rate-limit-once", retry_after=5)`, or a scenario as a dict."""
        return self.scenarios.load(scenario, **params)

    def idp(
        self,
        provider: IdpProvider | None = None,
        *,
        organization: str | None = None,
        directory: str | None = None,
    ) -> IdpControl:
        """An identity provider that pushes people and groups: `env.idp("okta").offboard("ada@acme.example")`.

        Without a provider, it is the one of the directory that has the person.
        """
        return IdpControl(self._transport, provider, organization, directory)

    def totp(self, user: str) -> TotpControl:
        """The authenticator app of a user, by id or e-mail address."""
        return TotpControl(self._transport, user)

    def rotate_keys(self, *, overlap: Duration | None = None) -> SigningKeys:
        """Signs new tokens with a new key.

        `/keys` lists the former ones until `overlap` (24h) is over on the environment's clock. Then their tokens are
        refused.
        """
        body = {} if overlap is None else {"overlap": duration_text(overlap)}
        return cast(SigningKeys, self._transport.call("POST", "/keys/rotate", body=body))

    def access_token(self) -> str:
        """An access token of the environment's own client, for code that is given a token."""
        return client_token(self.http_url, self.client_id, self.client_secret)

    def sign_in(self, email: str) -> Tokens:
        """Signs a user in without a browser. Raises an UnderstudyError if the sign-in is refused."""
        return user_tokens(self.url, self.client_id, self.client_secret, email)

    def bundle(self, test: str | None = None, *, file: str | None = None, failure: str | None = None) -> bytes:
        """One compressed file with everything of the environment up to now, without secrets.

        `understudy open` shows it on any machine, and `understudy replay` makes its calls again. `test`, `file` and
        `failure` say which test it is for, and what that has said.
        """
        if test is None:
            return cast(bytes, self._transport.call("GET", "/bundle"))
        named = {
            "test": test[:LONGEST_NAME],
            "file": file and file[:LONGEST_NAME],
            "failure": failure and failure[:LONGEST_FAILURE],
        }
        body = {name: value for name, value in named.items() if value}
        return cast(bytes, self._transport.call("POST", "/bundle", body=body))

    def reset(self, *only: Part) -> None:
        """Resets the environment to its fixture, wholly or in parts."""
        self._transport.call("POST", "/reset", query={"only": ",".join(only) or None})

    def coverage(self, *, all_environments: bool = False) -> Coverage:
        """Which parts of the API the calls to this environment have used, or those to every environment."""
        query = {"format": "json", "environments": "all" if all_environments else None}
        return cast(Coverage, self._transport.call("GET", "/coverage", query=query))

    def journal(self, limit: int = JOURNAL_LIMIT) -> str:
        """The latest calls as text: a line each, and the reasons below those that failed."""
        entries = self.requests.list(limit=limit, why=True)
        return "\n".join(map(summary_of, entries)) or "no calls"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} at {self.http_url}>"


class Environment(Controls):
    """An isolated copy of everything: rows, clock, scenarios, journal, mails and webhooks."""

    is_kept = False
    """Whether `keep` has kept it for a test. The end of a `with` block does not drop it then."""

    def fork(self, name: str | None = None, *, at: str | None = None) -> Environment:
        """Copies the environment as it is, to try several continuations of one setup.

        `at`: as it was after a request such as `req_17`, at a time, or after a number of commits.
        """
        body = {key: value for key, value in {"name": name, "at": at}.items() if value is not None}
        path = f"/environments{path_of(self.name, 'fork')}"
        made = self._service.call("POST", path, body=body, service=True)
        return Environment(self._service, self.http_url, made)

    def keep(self, test: str, outcome: Outcome = "failed") -> None:
        """Keeps the environment for a test that has ended, so that `understudy requests --test` finds it.

        The environments of 50 tests are kept, and the next one drops the oldest.
        """
        body = {"test": test[:LONGEST_NAME], "outcome": outcome}
        self._transport.call("POST", "/keep", body=body)
        self.is_kept = True

    def drop(self) -> None:
        """Removes the environment. Does nothing if it is already gone."""
        try:
            self._service.call("DELETE", f"/environments{path_of(self.name)}", service=True)
        except ControlError as error:
            if error.status != NOT_FOUND:
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not self.is_kept:
            self.drop()


def tls_url(url: str) -> str:
    """The same host and port with TLS. The certificate has the name `localhost`."""
    parts = urlsplit(url)
    if parts.scheme == "https":
        return url
    host = "localhost" if parts.hostname in LOOPBACK else parts.hostname
    return f"https://{host}:{parts.port or 80}{parts.path.rstrip('/')}"


def _browser_url(url: str, name: str) -> str:
    parts = urlsplit(url)
    host = "localhost" if name == "default" else f"{name}.localhost"
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{host}{port}"
