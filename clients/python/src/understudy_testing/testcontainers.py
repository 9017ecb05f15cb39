"""Understudy for testcontainers: `pip install 'understudy-testing[testcontainers]'`."""

from __future__ import annotations

import ipaddress
from pathlib import Path

from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import HttpWaitStrategy
from typing_extensions import Self

from understudy_testing.start import IMAGE
from understudy_testing.trust import certificate_files
from understudy_testing.understudy import Understudy, connect

PORT = 8080
HEALTH = "/_control/v1/health"


class UnderstudyContainer(DockerContainer):
    """The image of Understudy. It keeps its state in memory. `start` waits until the service is ready.

    Any variable of `understudy serve` can be given with `with_env`, such as `UNDERSTUDY_FIXTURE`.
    """

    def __init__(self, image: str = IMAGE) -> None:
        super().__init__(image)
        self._control_token: str | None = None
        self._folders: dict[str, list[str]] = {"UNDERSTUDY_SCENARIOS": [], "UNDERSTUDY_FIXTURES": []}
        self.with_exposed_ports(PORT)
        self.with_env("UNDERSTUDY_MEMORY", "1")
        self.with_env("UNDERSTUDY_LOG_LEVEL", "warn")
        self.waiting_for(HttpWaitStrategy(PORT, HEALTH))

    def with_scenario_folder(self, folder: str | Path) -> Self:
        """Copies a folder with scenarios of your own into the container."""
        return self._with_folder("UNDERSTUDY_SCENARIOS", folder)

    def with_fixture_folder(self, folder: str | Path) -> Self:
        """Copies a folder with fixtures of your own into the container."""
        return self._with_folder("UNDERSTUDY_FIXTURES", folder)

    def with_control_token(self, token: str) -> Self:
        """The token that the control API requires. `connect` sends it."""
        self._control_token = token
        return self.with_env("UNDERSTUDY_CONTROL_TOKEN", token)

    def start(self) -> Self:
        """Gives the service a certificate for the host of the address and for its names in a network."""
        names = [self.get_docker_client().host(), *(self._network_aliases or [])]
        if "UNDERSTUDY_TLS_CERT" not in self.env:
            certificate, key = certificate_files(*(name for name in names if not _is_local(name)))
            self.with_copy_into_container(certificate, "/mounted/certificate.pem")
            self.with_copy_into_container(key, "/mounted/key.pem")
            self.with_envs(
                UNDERSTUDY_TLS_CERT="/mounted/certificate.pem",
                UNDERSTUDY_TLS_KEY="/mounted/key.pem",
            )
        return super().start()

    @property
    def url(self) -> str:
        """The address with TLS, as the tests see it."""
        return f"https://{self._place()}"

    @property
    def http_url(self) -> str:
        """The address without TLS."""
        return f"http://{self._place()}"

    def connect(self) -> Understudy:
        """The service as `understudy_testing.start` returns it. Its `stop` leaves the container running."""
        return connect(self.http_url, token=self._control_token)

    def _with_folder(self, variable: str, folder: str | Path) -> Self:
        targets = self._folders[variable]
        target = f"/mounted/{variable.lower()}-{len(targets)}"
        targets.append(target)
        # One by one, because the user of the container may not read a folder with the mode of its owner.
        for file in Path(folder).rglob("*"):
            if file.is_file():
                self.with_copy_into_container(file, f"{target}/{file.relative_to(folder).as_posix()}")
        return self.with_env(variable, ",".join(targets))

    def _place(self) -> str:
        return f"{self.get_container_host_ip()}:{self.get_exposed_port(PORT)}"


def _is_local(name: str) -> bool:
    """Every certificate has these names."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"
