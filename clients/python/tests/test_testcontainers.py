"""The image in a container, where Docker runs and somebody has built the image: `docker build -t understudy .`"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

import httpx
import pytest
from conftest import ROOT

from understudy_testing import ControlError, Understudy
from understudy_testing.testcontainers import UnderstudyContainer

SCENARIO = "name: own\nrules: [{ on: UserService_*, reply: { error: unavailable } }]\n"


def has_image() -> bool:
    if shutil.which("docker") is None:
        return False
    command = ["docker", "image", "inspect", "understudy"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


pytestmark = pytest.mark.skipif(not has_image(), reason="Docker has no image `understudy`")


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[UnderstudyContainer]:
    scenarios, fixtures = tmp_path_factory.mktemp("scenarios"), tmp_path_factory.mktemp("fixtures")
    (scenarios / "own.yaml").write_text(SCENARIO)
    shutil.copy(ROOT / "fixtures" / "empty.json", fixtures / "no-rows.json")
    configured = UnderstudyContainer().with_scenario_folder(scenarios).with_fixture_folder(fixtures)
    with configured.with_control_token("let-me-in") as started:
        yield started


@pytest.fixture
def service(container: UnderstudyContainer) -> Iterator[Understudy]:
    with container.connect() as connected:
        yield connected


def test_the_client_has_the_address_and_the_token(service: Understudy, container: UnderstudyContainer) -> None:
    assert service.http_url == container.http_url
    with service.environment() as env:
        assert env.access_token().startswith("ey")
    refused = httpx.get(f"{container.http_url}/_control/v1/environments", timeout=60)
    assert refused.status_code == httpx.codes.UNAUTHORIZED


def test_folders_are_copied(service: Understudy) -> None:
    with service.environment(fixture="no-rows") as env:
        env.scenario("own")
        assert env.state.list("organizations") == []
        with pytest.raises(ControlError):
            env.scenario("nobody-has-this")


def test_the_certificate_is_trusted_for_the_host_of_the_address(
    service: Understudy, container: UnderstudyContainer
) -> None:
    assert service.health()["status"] == "ok"
    assert httpx.get(f"{container.url}/_control/v1/health", timeout=60).status_code == httpx.codes.OK
