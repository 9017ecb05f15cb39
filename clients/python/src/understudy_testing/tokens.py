"""Tokens, as a program of the environment gets them."""

from __future__ import annotations

from typing import NamedTuple, cast

import httpx

from understudy_testing._transport import is_local, time_limit
from understudy_testing.errors import UnderstudyError

# Nothing listens there: only the redirect to this address is read.
CALLBACK = "http://localhost/callback"


class Tokens(NamedTuple):
    """The tokens of a user who has signed in."""

    access_token: str
    id_token: str
    refresh_token: str


def client_token(url: str, client_id: str, client_secret: str) -> str:
    form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": client_secret}
    return _exchange(url, form)["access_token"]


def user_tokens(url: str, client_id: str, client_secret: str, email: str) -> Tokens:
    form = {
        "grant_type": "authorization_code",
        "code": _code(url, client_id, email),
        "redirect_uri": CALLBACK,
        "client_id": client_id,
        "client_secret": client_secret,
    }
    answer = _exchange(url, form)
    return Tokens(answer["access_token"], answer["id_token"], answer["refresh_token"])


def _code(url: str, client_id: str, email: str) -> str:
    request = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": CALLBACK,
        "scope": "openid profile email offline_access",
        "login_hint": email,
        "understudy_auto": "1",
    }
    response = httpx.get(f"{url}/oauth/authorize", params=request, trust_env=_trust_env(url), timeout=time_limit())
    location = response.headers.get("location", "")
    if not location.startswith(CALLBACK):
        raise UnderstudyError(f"{email} was not signed in: {response.status_code} {location or response.text}")
    answer = httpx.URL(location).params
    if "code" not in answer:
        raise UnderstudyError(f"{email} was not signed in: {answer.get('error')}: {answer.get('error_description')}")
    return answer["code"]


def _exchange(url: str, form: dict[str, str]) -> dict[str, str]:
    response = httpx.post(f"{url}/oauth/token", data=form, trust_env=_trust_env(url), timeout=time_limit())
    if not response.is_success:
        raise UnderstudyError(f"no token for {form['client_id']}: {response.text}")
    return cast("dict[str, str]", response.json())


def _trust_env(url: str) -> bool:
    """A proxy does not know this machine. Over TLS, SSL_CERT_FILE has the certificate of Understudy."""
    return url.startswith("https:") or not is_local(url)
