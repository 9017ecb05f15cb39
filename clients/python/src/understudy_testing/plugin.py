"""The pytest plugin: options, fixtures, and the journal in the report of a failed test."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from typing import Any, Optional, cast

import pytest

from understudy_testing._bundles import bundle_line
from understudy_testing._kept_tests import keep_failed, keep_passed, kept_tests
from understudy_testing._process import repeated
from understudy_testing.environment import Environment
from understudy_testing.errors import UnderstudyError
from understudy_testing.start import start
from understudy_testing.understudy import Understudy, connect

MARKER = "understudy(name, fixture, seed, scenarios, clock, strict): how understudy_env makes the environment of a test"

ENVIRONMENT = pytest.StashKey[Environment]()
# The service that all workers of pytest-xdist share, so that there is one report.
SHARED = pytest.StashKey[Understudy]()

# Each is an option of the command line, --understudy-NAME, and of the ini file, understudy_NAME.
OPTIONS = {
    "url": "join the Understudy that runs at this address (variable: UNDERSTUDY_URL)",
    "command": "start Understudy with this command, such as `npx understudy-server` or `node dist/understudy.js`",
    "image": "start this image in Docker",
    "fixture": "the rows that environments start with: the name of a fixture",
    "seed": "the number that ids, secrets and random values come from",
    "report": "write a report at the end of the run: .html, .xml, .json, .md, or github (variable: UNDERSTUDY_REPORT)",
}
# Pydantic warns about the models of the official SDK, dozens of times a run.
SDK_WARNINGS = "ignore:(Support for class-based|Pydantic V1 style|.json_encoders):DeprecationWarning"
FOLDERS = {
    "scenarios": "a folder with scenarios of your own; repeatable",
    "fixtures": "a folder with fixtures of your own; repeatable",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("understudy", "Understudy, a simulator of the Scalekit API")
    for name, text in OPTIONS.items():
        group.addoption(f"--understudy-{name}", metavar=name.upper(), help=text)
        parser.addini(f"understudy_{name}", text)
    for name, text in FOLDERS.items():
        group.addoption(f"--understudy-{name}", metavar="FOLDER", action="append", help=text)
        parser.addini(f"understudy_{name}", text, type="paths")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)
    config.addinivalue_line("filterwarnings", SDK_WARNINGS)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Called by pytest-xdist in its main process for each worker."""
    config: pytest.Config = node.config
    if _report(config) is None or _joined_url(config) is not None:
        return
    if SHARED not in config.stash:
        config.stash[SHARED] = start(**_start_options(config))
    node.workerinput["understudy_url"] = config.stash[SHARED].http_url


@pytest.hookimpl(hookwrapper=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, None, None]:
    """Stops the service after the workers."""
    yield
    shared = session.config.stash.get(SHARED, None)
    if shared is None:
        return
    try:
        shared.stop()
    except UnderstudyError as error:
        print(f"\nunderstudy: {error}", file=sys.stderr)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def understudy(pytestconfig: pytest.Config) -> Iterator[Understudy]:
    """A running Understudy: joined or started, and stopped at the end if it was started."""
    kept_tests()  # A wrong value must not come to light when a test fails.
    url = _joined_url(pytestconfig)
    running = connect(url) if url else start(**_start_options(pytestconfig))
    with running:
        yield running


@pytest.fixture
def understudy_env(understudy: Understudy, request: pytest.FixtureRequest) -> Iterator[Environment]:
    """An isolated environment for one test, dropped at its end unless UNDERSTUDY_KEEP keeps it."""
    node = cast(pytest.Item, request.node)
    marker = node.get_closest_marker("understudy")
    options: dict[str, Any] = {**_environment_options(request.config), **(marker.kwargs if marker else {})}
    with understudy.environment(**options) as environment:
        node.stash[ENVIRONMENT] = environment
        yield environment


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    """Keeps the environments of a test as UNDERSTUDY_KEEP says. Adds the journal of each to the report of a failure."""
    outcome = yield
    report = outcome.get_result()
    if report.failed and report.when != "teardown":
        is_joined = _shared_url(item.config) is None and _joined_url(item.config) is not None
        for each in _environments_of(item):
            bundle = bundle_line(each, item.nodeid, str(call.excinfo.value) if call.excinfo else "")
            place = keep_failed(each, item.nodeid, is_joined=is_joined)
            text = "\n".join(line for line in (_journal_of(each), place, bundle) if line is not None)
            report.sections.append((f"Understudy journal of {each.name}", text))
    elif report.passed and report.when == "call":
        for each in _environments_of(item):
            keep_passed(each, item.nodeid)


def _environments_of(item: pytest.Item) -> list[Environment]:
    """The environment of the test, and those that other fixtures have returned."""
    made = item.stash.get(ENVIRONMENT, None)
    values = [made, *getattr(item, "funcargs", {}).values()]
    return list(dict.fromkeys(each for each in values if isinstance(each, Environment)))


def _journal_of(environment: Environment) -> str:
    try:
        return environment.journal()
    except UnderstudyError as error:
        return f"the journal cannot be read: {error}"


def _option(config: pytest.Config, name: str) -> str | None:
    return cast(Optional[str], config.getoption(f"understudy_{name}") or config.getini(f"understudy_{name}") or None)


def _folders(config: pytest.Config, name: str) -> list[str]:
    given = config.getoption(f"understudy_{name}") or config.getini(f"understudy_{name}")
    return [str(each) for each in given]


def _shared_url(config: pytest.Config) -> str | None:
    """The service that the main process of pytest-xdist has started for its workers. It ends with the run."""
    return cast(Optional[str], getattr(config, "workerinput", {}).get("understudy_url"))


def _joined_url(config: pytest.Config) -> str | None:
    """What the command line says comes first, then the variable, then the ini file."""
    shared = _shared_url(config)
    if shared:
        return shared
    if config.getoption("understudy_url"):
        return _option(config, "url")
    if config.getoption("understudy_command") or config.getoption("understudy_image"):
        return None
    return os.environ.get("UNDERSTUDY_URL") or _option(config, "url")


def _report(config: pytest.Config) -> str | None:
    """A service that is joined writes its own reports."""
    return config.getoption("understudy_report") or os.environ.get("UNDERSTUDY_REPORT") or _option(config, "report")


def _seed(config: pytest.Config) -> int | None:
    text = _option(config, "seed")
    if text is not None and not text.isdecimal():
        raise pytest.UsageError(f"understudy_seed must be a whole number, not {text}")
    return None if text is None else int(text)


def _start_options(config: pytest.Config) -> dict[str, Any]:
    return {
        "command": _option(config, "command"),
        "image": _option(config, "image"),
        "fixture": _option(config, "fixture"),
        "seed": _seed(config),
        "scenario_folders": _folders(config, "scenarios"),
        "fixture_folders": _folders(config, "fixtures"),
        "flags": repeated("--report", filter(None, [_report(config)])),
    }


def _environment_options(config: pytest.Config) -> dict[str, Any]:
    """A service that was started here has these options itself."""
    if _joined_url(config) is None:
        return {}
    return {"fixture": _option(config, "fixture"), "seed": _seed(config)}
