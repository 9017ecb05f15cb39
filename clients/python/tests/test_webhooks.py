"""Webhooks without a server."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import ACME
from standardwebhooks.webhooks import WebhookVerificationError

from understudy_testing import Environment, WaitError


def rename(environment: Environment, name: str) -> None:
    environment.state.patch("organizations", ACME, {"display_name": name}, events=True)


def test_an_inbox_returns_each_webhook_once_and_in_order(understudy_env: Environment) -> None:
    inbox = understudy_env.webhooks.inbox(["organization.*"])
    rename(understudy_env, "One")
    rename(understudy_env, "Two")

    names = [inbox.next("organization.updated").payload["data"]["display_name"] for _ in range(2)]

    assert names == ["One", "Two"]
    with pytest.raises(WaitError, match="2 of 3 deliveries had come"):
        inbox.next(timeout="1ms")
    assert len(inbox.all()) == 2
    inbox.clear()
    assert inbox.all() == []


def test_a_signature_is_verified_with_the_secret(understudy_env: Environment) -> None:
    inbox = understudy_env.webhooks.inbox()
    rename(understudy_env, "One")

    webhook = inbox.next("organization.updated")

    webhook.verify(inbox.secret)
    old = inbox.secret
    assert inbox.rotate_secret() != old
    with pytest.raises(WebhookVerificationError):
        webhook.verify(inbox.secret)


def test_an_event_can_be_triggered_with_data_of_its_own(understudy_env: Environment) -> None:
    inbox = understudy_env.webhooks.inbox()

    event = understudy_env.webhooks.trigger("organization.created", data={"display_name": "Globex"})
    own = understudy_env.webhooks.trigger("scalekit.dir.user.create", like="organization.directory.user_created")

    webhook = inbox.next("organization.created")
    webhook.verify(inbox.secret)
    assert webhook.payload["id"] == event["id"]
    assert webhook.payload["data"]["display_name"] == "Globex"
    assert inbox.next().payload["type"] == own["type"] == "scalekit.dir.user.create"


def test_a_wrong_argument_is_refused_with_the_signature(understudy_env: Environment) -> None:
    webhooks: Any = understudy_env.webhooks
    clock: Any = understudy_env.clock

    with pytest.raises(TypeError, match=r"webhooks.add_endpoint\(url, .* takes url as text, not {'url'"):
        webhooks.add_endpoint({"url": "http://localhost:9"})
    with pytest.raises(TypeError, match=r"webhooks.trigger\(type, .* takes type as text, not {'type'"):
        webhooks.trigger({"type": "user.login"})
    with pytest.raises(TypeError, match=r"clock.set\(mode, \*, at, offset\) takes mode as text, not {'mode'"):
        clock.set({"mode": "real"})
    with pytest.raises(TypeError, match='a duration is text such as "25h", or a timedelta, not 25'):
        clock.advance(25)


def test_endpoints_can_be_changed_and_removed(understudy_env: Environment) -> None:
    webhooks = understudy_env.webhooks
    made = webhooks.add_endpoint("http://localhost:9/hooks", event_types=["user.*"], enabled=False)

    changed = webhooks.update_endpoint(made["id"], event_types=["*"], description="all")

    assert (changed["description"], changed["event_types"]) == ("all", ["*"])
    assert webhooks.endpoint(made["id"]) == changed
    assert made["id"] in [each["id"] for each in webhooks.endpoints()]
    webhooks.remove_endpoint(made["id"])
    assert made["id"] not in [each["id"] for each in webhooks.endpoints()]


def test_deliveries_can_be_waited_for_and_sent_again(understudy_env: Environment) -> None:
    webhooks = understudy_env.webhooks
    inbox = webhooks.inbox(["organization.*"])
    rename(understudy_env, "One")

    first = webhooks.wait_for_deliveries(endpoint=inbox.id, type="organization.*")[-1]
    again = webhooks.redeliver(first["id"])

    assert len(again["attempts"]) == 2
    assert webhooks.delivery(first["id"]) == again
    assert webhooks.deliveries(type="organization.updated", endpoint=inbox.id) == [again]
    inbox.remove()
    assert webhooks.deliveries() == []
