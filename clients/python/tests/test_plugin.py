"""The fixtures, the options and the report."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from conftest import COMMAND

from understudy_testing import Understudy


def run(pytester: pytest.Pytester, understudy: Understudy, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess(f"--understudy-url={understudy.http_url}", *arguments)


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


def test_a_failed_test_shows_the_journal(pytester: pytest.Pytester, understudy: Understudy) -> None:
    pytester.makepyfile("""
        import httpx
        def call(env):
            headers = {"authorization": "Bearer " + env.access_token()}
            httpx.get(env.http_url + "/api/v1/organizations/org_404", headers=headers)
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
            "  answer: *",
        ]
    )
    assert result.stdout.str().count("Understudy journal of") == 1


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

    pytester.runpytest_inprocess().assert_outcomes(passed=1)


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
        with httpx.stream("GET", f"{url}/_control/v1/events", timeout=30) as stream:
            for _ in stream.iter_bytes():
                pass
    except httpx.TransportError:
        pass
    try:
        httpx.get(f"{url}/_control/v1/health")
    except httpx.TransportError:
        return True
    return False
