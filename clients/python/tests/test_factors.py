"""Passkeys, authenticator apps and signing keys."""

from __future__ import annotations

from typing import Any, cast

import httpx
import pytest

from understudy_testing import Environment, UnderstudyError

EMAIL = "ada@acme.example"
ADA = "usr_10000000000000101"


def send(env: Environment, path: str, body: dict[str, Any]) -> httpx.Response:
    headers = {"authorization": f"Bearer {env.access_token()}"}
    return httpx.post(env.http_url + path, json=body, headers=headers, trust_env=False, timeout=60)


def challenge(env: Environment) -> str:
    begun = send(env, "/api/v1/webauthn/authentication:begin", {"email": EMAIL})
    return cast(str, begun.json()["options"]["challenge"])


def test_a_passkey_signs_in(understudy_env: Environment) -> None:
    made = understudy_env.passkeys.create(EMAIL, algorithm="EdDSA", display_name="Phone", rp_id="localhost")
    assert (made["user_id"], made["rp_id"]) == (ADA, "localhost")
    assert made["playwright"]["id"] == made["credential_id"]
    assert made["cdp"]["userName"] == EMAIL

    answer = understudy_env.passkeys.sign(challenge(understudy_env))

    assert answer["operation"] == "WebAuthnService_FinishAuthentication"
    finished = send(understudy_env, "/api/v1/webauthn/authentication:finish", answer["body"])
    assert finished.json()["user_id"] == ADA
    assert understudy_env.passkeys.list()[1].get("id") == made.get("id")


def test_the_options_of_a_passkey_make_a_sign_in_fail(understudy_env: Environment) -> None:
    known = understudy_env.passkeys.list()[0]["credential_id"]
    wanted = {"origin": "https://evil.example", "user_verified": False, "sign_count": 7}

    answer = understudy_env.passkeys.sign(challenge(understudy_env), credential_id=known, **wanted)

    finished = send(understudy_env, "/api/v1/webauthn/authentication:finish", answer["body"])
    assert "has the origin https://evil.example" in finished.json()["message"]
    assert understudy_env.passkeys.list()[0]["sign_count"] == 7


def test_a_code_of_an_authenticator_app_is_accepted_once(understudy_env: Environment) -> None:
    app = understudy_env.totp(EMAIL)
    enrolled = app.enrol()
    assert (enrolled["status"], len(enrolled["backup_codes"])) == ("ENABLED", 10)
    understudy_env.clock.freeze("2040-01-01T00:00:00Z")

    def valid(code: str) -> bool:
        answer = send(understudy_env, f"/api/v1/user/{ADA}/totp:verify", {"code": code})
        return cast(bool, answer.json()["valid"])

    code = app.code()
    assert [valid(code), valid(code), valid(app.code(drift=-3600)), valid(app.code())] == [
        True,
        False,
        False,
        True,
    ]
    assert app.get()["secret"] == enrolled["secret"]


def test_a_rotation_retires_the_former_key(understudy_env: Environment) -> None:
    def status(token: str) -> int:
        headers = {"authorization": f"Bearer {token}"}
        url = f"{understudy_env.http_url}/api/v1/organizations"
        return httpx.get(url, headers=headers, trust_env=False, timeout=60).status_code

    old = understudy_env.access_token()
    rotated = understudy_env.rotate_keys(overlap="1h")
    assert [key["kid"] for key in rotated["keys"]] == [rotated["kid"], "snk_10000000000000001"]
    assert status(old) == 200

    assert len(understudy_env.rotate_keys(overlap="0s")["keys"]) == 1
    assert status(old) == 401
    assert status(understudy_env.access_token()) == 200


def test_a_user_signs_in_without_a_browser(understudy_env: Environment) -> None:
    tokens = understudy_env.sign_in(EMAIL)

    headers = {"authorization": f"Bearer {tokens.access_token}"}
    user = httpx.get(f"{understudy_env.url}/userinfo", headers=headers, timeout=60)
    assert user.json()["email"] == EMAIL
    assert tokens.id_token
    assert tokens.refresh_token


def test_a_refused_sign_in_is_an_error(understudy_env: Environment) -> None:
    understudy_env.scenario("sign-in-denied", error="user_not_active")

    with pytest.raises(UnderstudyError, match=f"{EMAIL} was not signed in: user_not_active: the identity provider"):
        understudy_env.sign_in(EMAIL)
