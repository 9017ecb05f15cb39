"""The journal."""

from __future__ import annotations

import httpx
import pytest
from conftest import ACME, NO_ORGANIZATION, Caller

from understudy_testing import Environment, VerificationError, WaitError

GET = "OrganizationService_GetOrganization"


def test_calls_can_be_listed_found_and_cleared(understudy_env: Environment, caller: Caller) -> None:
    caller.get(f"/api/v1/organizations/{ACME}")
    caller.get(f"/api/v1/organizations/{NO_ORGANIZATION}")
    requests = understudy_env.requests

    assert [each.get("status") for each in requests.list(operation=GET)] == [200, 404]
    missed = requests.find(status="4xx")
    assert missed is not None
    assert missed["path"] == f"/api/v1/organizations/{NO_ORGANIZATION}"
    whole = requests.get(missed["id"])
    assert whole["why"]["kind"] == "unknown"
    assert {name: value for name, value in whole.items() if name != "why"} == missed
    assert [each["path"] for each in requests.list(before=missed["id"], operation=GET)] == [
        f"/api/v1/organizations/{ACME}"
    ]
    assert requests.find(contains=f"{ACME} http", protocol="http/*", status=200) is not None
    assert requests.list(caller="usr_*") == []
    requests.clear()
    assert requests.find(operation=GET) is None


def test_wait_returns_calls_that_came(understudy_env: Environment, caller: Caller) -> None:
    caller.get(f"/api/v1/organizations/{ACME}")
    caller.get(f"/api/v1/organizations/{ACME}")

    assert len(understudy_env.requests.wait(operation=GET, count=2)) == 2


def test_wait_says_what_came_instead(understudy_env: Environment, caller: Caller) -> None:
    caller.get(f"/api/v1/organizations/{ACME}")

    with pytest.raises(WaitError, match=rf"GET /api/v1/organizations/{ACME} 200"):
        understudy_env.requests.wait(operation="UserService_*", timeout="1ms")


def test_verify_counts_calls(understudy_env: Environment, caller: Caller) -> None:
    caller.post("/api/v1/organizations", {"display_name": "Globex"})
    requests = understudy_env.requests
    create = "OrganizationService_CreateOrganization"

    assert requests.verify(operation=create, body={"display_name": "Globex"}, times=1) == 1
    with pytest.raises(VerificationError, match=r'body.display_name  expected "Hooli"\n +was +"Globex"') as caught:
        requests.verify(operation=create, body={"display_name": "Hooli"})
    assert (caught.value.count, len(caught.value.nearest)) == (0, 1)
    with pytest.raises(VerificationError, match="those that match: req_"):
        requests.verify(operation=create, times=0)


def test_a_remedy_is_applied_when_it_is_asked_for(understudy_env: Environment, caller: Caller) -> None:
    refused = caller.get("/api/v1/organizations/org_404")
    call = refused.headers["understudy-request-id"]

    remedies = understudy_env.requests.remedies(call)
    done = understudy_env.requests.fix(call, remedies[0]["number"])

    assert remedies[0]["text"] == "Create organizations/org_404."
    assert remedies[0]["code"]["python"].startswith('env.state.put("organizations", "org_404", ')
    assert done["status"] == 200
    assert caller.get("/api/v1/organizations/org_404").status_code == 200


def test_a_trace_shows_what_a_call_caused(understudy_env: Environment, caller: Caller) -> None:
    created = caller.post("/api/v1/organizations", {"display_name": "Globex"})
    call = created.headers["understudy-request-id"]

    trace = understudy_env.requests.trace(call)

    assert [step["kind"] for step in trace["steps"]][:3] == ["call", "row", "event"]
    event = trace["steps"][2]["row"].split("/")[1]
    assert understudy_env.requests.trace(event)["call"] == call


def test_explain_says_why_a_call_was_answered_so(understudy_env: Environment, caller: Caller) -> None:
    understudy_env.scenario("rate-limit-once", operation=GET)
    refused = caller.get(f"/api/v1/organizations/{ACME}")
    created = caller.post("/api/v1/organizations", {"display_name": "Globex", "colour": "red"})
    broken = caller.post("/api/v1/organizations", {})
    explain = understudy_env.requests.explain

    limited = explain(refused.headers["understudy-request-id"]).splitlines()
    assert limited[0].startswith(f"GET /api/v1/organizations/{ACME} 429 {GET}")
    assert any("Rule 0 of scenario rate-limit-once answered 429" in line for line in limited)
    assert "unknown fields: colour" in explain(created.headers["understudy-request-id"])
    assert "change: add /organizations/org_" in explain(created.headers["understudy-request-id"])
    assert "breaks the contract: organization.display_name: " in explain(broken.headers["understudy-request-id"])


def test_the_first_call_of_the_sdk_for_node_is_no_failure(understudy_env: Environment) -> None:
    headers = {**understudy_env.headers, "x-sdk-version": "Scalekit-Node/2.11.0"}
    httpx.get(f"{understudy_env.http_url}/api/v1/users", headers=headers, timeout=60)

    assert "This is no failure" in understudy_env.journal()


def test_the_journal_is_text(understudy_env: Environment, caller: Caller) -> None:
    caller.get(f"/api/v1/organizations/{ACME}")
    caller.get(f"/api/v1/organizations/{NO_ORGANIZATION}")

    lines = understudy_env.journal().splitlines()

    assert lines[-3].startswith(f"GET /api/v1/organizations/{ACME} 200 {GET} (req_")
    assert lines[-2].startswith(f"GET /api/v1/organizations/{NO_ORGANIZATION} 404 {GET} (req_")
    assert lines[-1].startswith(f"  No organization has the id {NO_ORGANIZATION}")
    understudy_env.requests.clear()
    assert understudy_env.journal() == "no calls"
