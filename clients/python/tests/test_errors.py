"""The complaints of the control API."""

from __future__ import annotations

import socket

import pytest
from conftest import Caller

from understudy_testing import ControlError, Environment, NotReachableError, WaitError, connect


def test_an_unknown_scenario_is_named_with_the_nearest(understudy_env: Environment) -> None:
    with pytest.raises(ControlError, match="did you mean rate-limit-once") as caught:
        understudy_env.scenario("rate-limit-onse")
    assert (caught.value.status, caught.value.error_code) == (404, "RESOURCE_NOT_FOUND")


def test_every_violation_is_in_the_message(understudy_env: Environment) -> None:
    with pytest.raises(ControlError, match="display_name") as caught:
        understudy_env.state.patch("organizations", "org_10000000000000001", {"display_name": 7})
    assert "display_name" in caught.value.violations[0]["field"]
    assert "PATCH http" in str(caught.value)


def test_a_wait_lists_the_other_mails(understudy_env: Environment, caller: Caller) -> None:
    caller.post("/api/v1/passwordless/email/send", {"email": "ada@acme.example"})
    with pytest.raises(WaitError, match=r'other mail: passwordless to ada@acme\.example, "'):
        understudy_env.mail.wait(to="nobody@acme.example", timeout="1ms")


def test_an_address_where_nothing_listens() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(NotReachableError, match=url):
            connect(url, timeout=0)


def test_a_misspelt_collection_does_not_pass_the_type_checker(understudy_env: Environment) -> None:
    with pytest.raises(ControlError, match="did you mean organizations"):
        understudy_env.state.list("organisations")  # type: ignore[arg-type]
