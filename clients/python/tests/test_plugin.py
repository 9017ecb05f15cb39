"""The fixtures, the options and the report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from conftest import COMMAND

from understudy_testing import Understudy, start

# Playwright's plugin takes a test that runs others in its process for one of them.
ALONE = ["-p", "no:playwright"]


def run(pytester: pytest.Pytester, understudy: Understudy, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess(*ALONE, f"--understudy-url={understudy.http_url}", *arguments)


def names(understudy: Understudy) -> list[str]:
    return [each["name"] for each in understudy.environments()]


def test_each_test_has_an_environment_that_is_dropped(pytester: pytest.Pytester, understudy: Understudy) -> None:
    before = names(understudy)
    pytester.makepyfile("""
        used = []
        def test_one(understudy_env): used.append(understudy_env.name)
        def test_two(understudy_env): assert understudy_env.name not in used
    """)

    run(pytester, understudy).assert_outcomes(passed=2)

    assert names(understudy) == before


def test_warnings_about_the_models_of_the_sdk_are_hidden(pytester: pytest.Pytester, understudy: Understudy) -> None:
    pytester.makepyfile("""
        import warnings
        def test_warns():
            for text in ("Support for class-based `config` is deprecated", "Pydantic V1 style `@validator`", "another"):
                warnings.warn(text, DeprecationWarning)
    """)

    run(pytester, understudy).assert_outcomes(passed=1, warnings=1)


def test_a_failed_test_shows_the_journal(pytester: pytest.Pytester, understudy: Understudy) -> None:
    pytester.makepyfile("""
        import httpx
        def call(env):
            headers = {"authorization": "Bearer " + env.access_token()}
            httpx.get(env.http_url + "/api/v1/organizations/org_404", headers=headers, timeout=60)
        def test_that_fails(understudy_env):
            call(understudy_env)
            assert False
        def test_that_passes(understudy_env):
            call(understudy_env)
    """)

    result = run(pytester, understudy)

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*Understudy journal of *",
            "POST /oauth/token 200 * (req_1)",
            "GET /api/v1/organizations/org_404 404 OrganizationService_GetOrganization (req_2)",
            "  No organization has the id org_404 in environment *",
            "for more: npx understudy-server explain --environment *",
        ]
    )
    assert result.stdout.str().count("Understudy journal of") == 1


FAILING = """
    import pytest
    @pytest.fixture
    def other(understudy):
        with understudy.environment(fixture="empty") as environment:
            yield environment
    class TestRole:
        @pytest.mark.parametrize("name", ["admin"])
        def test_is_created(self, understudy_env, name):
            understudy_env.access_token()
            assert False
    def test_in_another(other): assert False
    def test_that_drops(understudy_env):
        understudy_env.drop()
        assert False
    def test_that_passes(understudy_env, other): pass
"""


def kept(understudy: Understudy) -> list[tuple[str, str]]:
    found = understudy.environments()
    return [(each["kept"]["test"], each["kept"]["outcome"]) for each in found if "kept" in each]


@pytest.fixture
def own_service() -> Iterator[Understudy]:
    with start(command=COMMAND) as running:
        yield running


def test_environments_of_failed_tests_are_kept(
    pytester: pytest.Pytester, own_service: Understudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_KEEP", "failed")
    pytester.makepyfile(test_roles=FAILING)

    result = run(pytester, own_service)

    result.assert_outcomes(failed=3, passed=1)
    assert kept(own_service) == [
        ("test_roles.py::TestRole::test_is_created[admin]", "failed"),
        ("test_roles.py::test_in_another", "failed"),
    ]
    [_, role, other] = own_service.environments()
    for each in (role, other):
        result.stdout.fnmatch_lines([f"kept: {own_service.http_url}/_control/#/{each['name']}/requests"])


def test_environments_of_all_tests_are_kept(
    pytester: pytest.Pytester, own_service: Understudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_KEEP", "all")
    pytester.makepyfile(test_roles=FAILING)

    run(pytester, own_service)

    assert kept(own_service)[2:] == [("test_roles.py::test_that_passes", "passed")] * 2


def test_another_value_of_the_variable_is_refused(
    pytester: pytest.Pytester, understudy: Understudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_KEEP", "yes")
    pytester.makepyfile("def test_it(understudy_env): pass")

    result = run(pytester, understudy)

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*UNDERSTUDY_KEEP must be failed or all, not yes"])


def test_a_service_that_was_started_is_gone_after_the_tests(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_KEEP", "failed")
    monkeypatch.delenv("UNDERSTUDY_URL", raising=False)
    pytester.makepyfile("def test_it(understudy_env): assert False")

    result = pytester.runpytest_subprocess(f"--understudy-command={COMMAND}")

    result.stdout.fnmatch_lines(["for more: npx understudy-server explain --environment *"])
    assert "kept: " not in result.stdout.str()


def test_a_fixture_that_fails_shows_the_journal(pytester: pytest.Pytester, understudy: Understudy) -> None:
    pytester.makepyfile("""
        import pytest
        @pytest.fixture
        def signed_in(understudy_env):
            understudy_env.access_token()
            raise RuntimeError("no")
        def test_it(signed_in): pass
    """)

    result = run(pytester, understudy)

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*Understudy journal of *", "POST /oauth/token 200 *"])


def test_a_failure_shows_the_line_of_the_test_and_not_the_client(
    pytester: pytest.Pytester, understudy: Understudy
) -> None:
    pytester.makepyfile("""
        def test_it(understudy_env):
            understudy_env.requests.verify(operation="UserService_*")
    """)

    result = run(pytester, understudy)

    result.stdout.fnmatch_lines(["*understudy_env.requests.verify(*", "E*VerificationError: *"])
    assert "_transport.py" not in result.stdout.str()


def test_the_marker_says_how_the_environment_is_made(pytester: pytest.Pytester, understudy: Understudy) -> None:
    pytester.makepyfile("""
        import pytest
        @pytest.mark.understudy(fixture="empty", clock="2030-01-01T09:00:00Z", scenarios=["rate-limit-once"])
        def test_it(understudy_env):
            assert understudy_env.state.all().get("organizations", []) == []
            assert understudy_env.clock.get()["now"] == "2030-01-01T09:00:00.000Z"
            assert len(understudy_env.scenarios.list()["loaded"]) == 1
        @pytest.mark.understudy(colour="red")
        def test_mistake(understudy_env): pass
    """)

    result = run(pytester, understudy, "--strict-markers")

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["E*unexpected keyword argument 'colour'*"])


def test_options_of_the_command_line_reach_environments_of_a_joined_service(
    pytester: pytest.Pytester, understudy: Understudy
) -> None:
    pytester.makepyfile("""
        def test_it(understudy_env):
            assert understudy_env.state.all().get("organizations", []) == []
    """)
    run(pytester, understudy, "--understudy-fixture=empty").assert_outcomes(passed=1)


def test_the_ini_file_starts_a_service_with_its_folders(pytester: pytest.Pytester) -> None:
    folder = pytester.mkdir("scenarios")
    (folder / "own.yaml").write_text("name: own\nrules: [{ on: '*', reply: { error: unavailable } }]\n")
    (pytester.mkdir("fixtures") / "mine.json").write_text('{"include": ["empty"]}')
    pytester.makeini(f"""
        [pytest]
        understudy_command = {COMMAND}
        understudy_fixture = mine
        understudy_fixtures = fixtures
        understudy_scenarios = scenarios
        understudy_seed = 7
    """)
    pytester.makepyfile("""
        def test_it(understudy, understudy_env):
            understudy_env.scenario("own")
            assert understudy_env.state.all().get("organizations", []) == []
            print("at", understudy.http_url)
    """)

    result = pytester.runpytest_subprocess("-s", "-p", "no:cacheprovider")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*at http://*"])


def test_the_variable_comes_before_the_ini_file(
    pytester: pytest.Pytester, understudy: Understudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_URL", understudy.http_url)
    pytester.makeini("[pytest]\nunderstudy_command = no-such-command\n")
    pytester.makepyfile("def test_it(understudy_env): pass")

    pytester.runpytest_inprocess(*ALONE).assert_outcomes(passed=1)


def test_a_seed_that_is_no_number(pytester: pytest.Pytester, understudy: Understudy) -> None:
    pytester.makepyfile("def test_it(understudy_env): pass")

    result = run(pytester, understudy, "--understudy-seed=many")

    result.stdout.fnmatch_lines(["*understudy_seed must be a whole number, not many*"])


def test_the_service_ends_when_pytest_is_killed(pytester: pytest.Pytester, tmp_path: Path) -> None:
    address = tmp_path / "address"
    pytester.makepyfile(f"""
        import os, pathlib
        def test_it(understudy):
            pathlib.Path({str(address)!r}).write_text(understudy.http_url)
            os._exit(9)
    """)

    pytester.runpytest_subprocess(f"--understudy-command={COMMAND}")

    assert is_gone(address.read_text())


def is_gone(url: str) -> bool:
    """Waits until the service has closed its connection: its event stream ends."""
    try:
        with httpx.stream("GET", f"{url}/_control/v1/events", timeout=60) as stream:
            for _ in stream.iter_bytes():
                pass
    except httpx.TransportError:
        pass
    try:
        httpx.get(f"{url}/_control/v1/health", timeout=60)
    except httpx.TransportError:
        return True
    return False
