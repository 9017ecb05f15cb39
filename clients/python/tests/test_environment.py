"""An environment: rows, clock, scenarios, mails and snapshots."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import httpx
import pytest
from conftest import ACME, Caller

from understudy_testing import ControlError, Environment, Understudy, UnderstudyError
from understudy_testing._transport import Transport


def test_two_environments_are_isolated(understudy: Understudy) -> None:
    with understudy.environment() as one, understudy.environment() as other:
        one.state.patch("organizations", ACME, {"display_name": "Acme AG"})

        assert one.state.get("organizations", ACME)["display_name"] == "Acme AG"
        assert other.state.get("organizations", ACME)["display_name"] != "Acme AG"
        assert one.client_id != other.client_id


def test_a_with_block_drops_the_environment(understudy: Understudy) -> None:
    with understudy.environment(name="for-a-while"):
        pass

    assert "for-a-while" not in [each["name"] for each in understudy.environments()]


def test_environments_at_rest_come_in_pages(understudy: Understudy) -> None:
    pages = {
        None: {"environments": [{"name": "default"}, {"name": "at-rest-1"}], "next": "at-rest-1"},
        "at-rest-1": {"environments": [{"name": "at-rest-2"}]},
    }

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/environments":
            return httpx.Response(200, json=pages[request.url.params.get("since")])
        return httpx.get(f"{understudy.http_url}/_control/v1{request.url.path}", timeout=60)

    http = httpx.Client(base_url="http://many.example", transport=httpx.MockTransport(answer))
    many = Understudy(Transport(http), understudy.http_url, http.close)

    assert [each["name"] for each in many.environments()] == ["default", "at-rest-1", "at-rest-2"]
    many.stop()


def test_rows_come_filtered_sorted_and_in_pages(understudy: Understudy) -> None:
    with understudy.environment(fixture="empty") as environment:
        for number, name in enumerate(["Zebra", "Ant", "Mole"], 1):
            members = {"display_name": name, "region_code": "US", "metadata": {}}
            row = {**members, "create_time": "now", "update_time": "now"}
            environment.state.put("organizations", f"org_{number}", row)
        rows = environment.state

        assert [each["id"] for each in rows.list("organizations", limit=1, offset=1)] == ["org_2"]
        by_name = rows.list("organizations", sort="display_name", reverse=True)
        assert [each["id"] for each in by_name] == ["org_1", "org_3", "org_2"]
        assert [each["id"] for each in rows.list("organizations", contains="mole us")] == ["org_3"]


def test_an_environment_can_be_dropped_twice(understudy: Understudy) -> None:
    environment = understudy.environment()
    environment.drop()
    environment.drop()

    with pytest.raises(ControlError) as caught:
        environment.clock.get()
    assert caught.value.status == 404


def test_a_later_environment_of_the_same_name_has_another_secret(understudy: Understudy) -> None:
    with understudy.environment(name="seeded", seed=7) as first:
        secret = first.client_secret
    with understudy.environment(name="seeded", seed=7) as again:
        assert again.client_secret != secret


def test_a_fork_continues_from_the_state(understudy_env: Environment) -> None:
    understudy_env.state.patch("organizations", ACME, {"display_name": "Acme AG"})

    with understudy_env.fork() as fork:
        assert fork.state.get("organizations", ACME)["display_name"] == "Acme AG"
        assert fork.name != understudy_env.name


def test_rows_can_be_written_and_deleted(understudy_env: Environment) -> None:
    state = understudy_env.state
    before = state.hash()
    row = {"display_name": "Globex", "region_code": "US", "metadata": {}, "create_time": "now", "update_time": "now"}

    assert state.put("organizations", "org_1", row)["display_name"] == "Globex"
    assert "org_1" in [each["id"] for each in state.list("organizations")]
    assert [each["id"] for each in state.list("organizations", where={"display_name": "Globex"})] == ["org_1"]
    assert state.counts()["organizations"] == len(state.list("organizations"))
    state.delete("organizations", "org_1")
    assert state.hash() == before
    state.replace({"include": ["empty"]})
    assert state.all().get("organizations", []) == []


def test_a_reset_can_be_of_parts(understudy_env: Environment) -> None:
    understudy_env.state.patch("organizations", ACME, {"display_name": "Acme AG"})
    understudy_env.clock.advance("1h")

    understudy_env.reset("clock")
    assert understudy_env.clock.get()["mode"] == "real"
    assert understudy_env.state.get("organizations", ACME)["display_name"] == "Acme AG"
    understudy_env.reset()
    assert understudy_env.state.get("organizations", ACME)["display_name"] != "Acme AG"


def test_a_save_point_can_be_restored(understudy_env: Environment) -> None:
    understudy_env.snapshots.take("start")
    understudy_env.state.delete("organizations", ACME)

    understudy_env.snapshots.restore("start")

    assert understudy_env.state.get("organizations", ACME)["id"] == ACME
    assert [each["name"] for each in understudy_env.snapshots.list()] == ["start"]
    understudy_env.snapshots.delete("start")
    assert understudy_env.snapshots.list() == []


def test_the_clock_takes_texts_datetimes_and_timedeltas(understudy: Understudy) -> None:
    start = datetime(2030, 1, 1, 9, tzinfo=timezone.utc)
    with understudy.environment(clock=start) as environment:
        clock = environment.clock
        assert clock.advance(timedelta(hours=1))["now"] == "2030-01-01T10:00:00.000Z"
        assert clock.advance("30m")["now"] == "2030-01-01T10:30:00.000Z"
        assert clock.freeze(datetime(2031, 1, 1))["now"] == "2031-01-01T00:00:00.000Z"
        assert clock.set("offset", offset="-2h")["offset_ms"] == -7_200_000
        assert clock.set("real")["offset_ms"] == 0


def test_a_scenario_applies_with_its_parameters(understudy_env: Environment, caller: Caller) -> None:
    understudy_env.scenario("rate-limit-once", retry_after=5)

    refused = caller.get(f"/api/v1/organizations/{ACME}")

    assert (refused.status_code, refused.headers["retry-after"]) == (429, "5")
    assert caller.get(f"/api/v1/organizations/{ACME}").status_code == 200
    assert understudy_env.scenarios.get("rate-limit-once")["rules"][0]["hits"] == 1


def test_scenarios_can_be_dicts_and_yaml_and_be_unloaded(understudy_env: Environment, caller: Caller) -> None:
    understudy_env.scenario(
        {"name": "own", "rules": [{"on": "OrganizationService_*", "reply": {"error": "unavailable"}}]}
    )
    understudy_env.scenarios.load_yaml("name: second\nrules: [{ on: UserService_*, reply: { error: unavailable } }]\n")
    assert caller.get(f"/api/v1/organizations/{ACME}").status_code == 503
    assert [each["name"] for each in understudy_env.scenarios.list()["loaded"]] == ["own", "second"]

    understudy_env.scenarios.unload("own")

    assert caller.get(f"/api/v1/organizations/{ACME}").status_code == 200
    understudy_env.scenarios.unload()
    assert understudy_env.scenarios.list()["loaded"] == []


def test_a_mail_has_its_code(understudy_env: Environment, caller: Caller) -> None:
    caller.post("/api/v1/passwordless/email/send", {"email": "ada@acme.example"})

    mail = understudy_env.mail.wait(to="*@acme.example", kind="passwordless")

    assert mail["code"] in mail["text"]
    assert understudy_env.mail.list() == [mail]
    whole = understudy_env.mail.get(mail["id"])
    assert mail["code"] in whole["html"]
    assert {name: value for name, value in whole.items() if name != "html"} == mail
    understudy_env.mail.clear()
    assert understudy_env.mail.list(to="ada@acme.example") == []


def test_coverage_counts_the_calls(understudy_env: Environment, caller: Caller) -> None:
    caller.get(f"/api/v1/organizations/{ACME}")

    operations = understudy_env.coverage()["operations"]

    calls = {each["id"]: each["calls"] for each in operations}
    assert calls["OrganizationService_GetOrganization"] == 1


def test_headers_and_browser_url_lead_to_the_environment(understudy_env: Environment) -> None:
    understudy_env.clock.freeze()
    address = f"{understudy_env.http_url}/_control/v1/clock"

    assert httpx.get(address, headers=understudy_env.headers, timeout=60).json()["mode"] == "frozen"
    assert httpx.get(address, timeout=60).json()["mode"] == "real"
    port = httpx.URL(understudy_env.http_url).port
    assert understudy_env.browser_url == f"http://{understudy_env.name}.localhost:{port}"


def test_the_variables_are_those_of_the_sdk(understudy_env: Environment) -> None:
    assert understudy_env.variables == {
        "SCALEKIT_ENVIRONMENT_URL": understudy_env.url,
        "SCALEKIT_ENV_URL": understudy_env.url,
        "SCALEKIT_CLIENT_ID": understudy_env.client_id,
        "SCALEKIT_CLIENT_SECRET": understudy_env.client_secret,
    }


def test_a_refused_token_is_an_error(understudy_env: Environment) -> None:
    understudy_env.client_secret = "wrong"
    with pytest.raises(UnderstudyError, match="no token for"):
        understudy_env.access_token()


def test_the_environment_default_belongs_to_the_service(understudy: Understudy) -> None:
    assert understudy.name == "default"
    assert understudy.health()["status"] == "ok"
    assert understudy.state.get("organizations", ACME)["id"] == ACME
