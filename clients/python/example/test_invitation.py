"""The official SDK against Understudy: an expired invitation, a rate limit and a webhook."""

import pytest
from scalekit import ScalekitClient
from scalekit.common.exceptions import ScalekitTooManyRequestsException

from understudy_testing import Environment

NORDWIND = "org_10000000000000002"
LENA = "usr_10000000000000105"


@pytest.fixture
def client(understudy_env: Environment) -> ScalekitClient:
    return ScalekitClient(understudy_env.url, understudy_env.client_id, understudy_env.client_secret)


def test_an_expired_invitation_can_be_sent_again(understudy_env: Environment, client: ScalekitClient) -> None:
    understudy_env.scenario("invite-expired")

    client.users.resend_invite(NORDWIND, LENA)

    mail = understudy_env.mail.wait(to="lena@nordwind.example")
    assert mail["kind"] == "invitation"


def test_a_rate_limit_is_reported(understudy_env: Environment, client: ScalekitClient) -> None:
    understudy_env.scenario("rate-limit-once", operation="OrganizationService_GetOrganization")

    with pytest.raises(ScalekitTooManyRequestsException):
        client.organization.get_organization(NORDWIND)

    understudy_env.requests.verify(operation="OrganizationService_GetOrganization", status=429, times=1)


def test_a_new_organization_is_announced(understudy_env: Environment, client: ScalekitClient) -> None:
    inbox = understudy_env.webhooks.inbox(["organization.*"])

    understudy_env.state.patch("organizations", NORDWIND, {"display_name": "Nordwind AG"}, events=True)

    webhook = inbox.next("organization.updated")
    assert client.verify_webhook_payload(inbox.secret, webhook.headers, webhook.body)
