"""Trust in Understudy's certificate."""

from __future__ import annotations

import os
import ssl
from pathlib import Path

import certifi
import httpx
import pytest
import requests
from conftest import ACME, COMMAND
from scalekit import ScalekitClient

from understudy_testing import Environment, connect, start
from understudy_testing.trust import VARIABLES


def test_the_usual_clients_trust_the_certificate(understudy_env: Environment) -> None:
    address = f"{understudy_env.url}/keys"
    assert address.startswith("https://localhost:")
    assert requests.get(address, timeout=60).status_code == 200
    assert httpx.get(address, timeout=60).status_code == 200


def test_what_was_trusted_before_is_still_trusted(understudy_env: Environment) -> None:
    context = ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])
    usual = ssl.create_default_context(cafile=certifi.where())
    ours = {each["subject"] for each in context.get_ca_certs()}
    assert {each["subject"] for each in usual.get_ca_certs()} <= ours
    assert understudy_env.url.startswith("https:")


def test_what_a_variable_names_is_kept_and_the_variable_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    company = tmp_path / "company.pem"
    company.write_text("# the company's authority\n")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path))
    monkeypatch.delenv("SSL_CERT_FILE")
    monkeypatch.setenv("NO_PROXY", "intranet")

    with start(command=COMMAND):
        assert "# the company's authority" in Path(os.environ["SSL_CERT_FILE"]).read_text()
        assert len({os.environ[name] for name in VARIABLES}) == 1
        assert os.environ["NO_PROXY"] == "intranet,localhost,127.0.0.1"

    assert os.environ["REQUESTS_CA_BUNDLE"] == str(tmp_path)
    assert "SSL_CERT_FILE" not in os.environ
    assert os.environ["NO_PROXY"] == "intranet"


def test_the_sdk_works_with_a_second_service_of_the_process(understudy_env: Environment) -> None:
    organization = call_with_sdk(understudy_env)

    with start(command=COMMAND) as second, second.environment() as other:
        assert call_with_sdk(other) == organization


def call_with_sdk(environment: Environment) -> str:
    client = ScalekitClient(environment.url, environment.client_id, environment.client_secret)
    response = client.organization.get_organization(ACME)
    return str(response[0].organization.id)


def test_a_proxy_is_not_asked(understudy_env: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://localhost:9")

    with connect(understudy_env.http_url) as joined:
        assert requests.get(f"{joined.url}/keys", timeout=60).status_code == 200
