"""Identity providers that push people and groups."""

from __future__ import annotations

from conftest import ACME

from understudy_testing import Environment

MIA = "mia@acme.example"


def test_an_identity_provider_pushes(understudy_env: Environment) -> None:
    okta = understudy_env.idp("okta")

    created = okta.create(MIA, given_name="Mia", groups=["Finance"])

    assert created["directory_id"] == "dir_10000000000000601"
    assert {push["status"] for push in created["pushes"]} == {"DONE"}
    okta.change(MIA, given_name="Maria")
    okta.move(MIA, [])
    [mia] = [user for user in okta.offboard(MIA)["users"] if user["email"] == MIA]
    assert (mia["given_name"], mia["active"], mia["groups"]) == ("Maria", False, [])


def test_an_identity_provider_pushes_late(understudy_env: Environment) -> None:
    entra = understudy_env.idp("entra", organization=ACME)

    waiting = entra.create(MIA, late="cycle")

    assert not waiting["users"][0]["is_pushed"]
    understudy_env.clock.advance("40m")
    assert entra.sync()["users"][0]["is_pushed"]
    [push] = entra.send_patch(MIA)["pushes"]
    assert push["attempts"][0]["requests"][0]["status"] == 400


def test_an_identity_provider_does_the_rest(understudy_env: Environment) -> None:
    okta = understudy_env.idp("okta")
    okta.create_group("Sales")
    okta.rename_group("Sales", "Revenue")
    okta.create(MIA, groups=["Revenue"])
    okta.deactivate(MIA)
    okta.activate(MIA)
    okta.recreate(MIA)

    assert [group["members"] for group in okta.push_all()["groups"] if group["name"] == "Revenue"] == [[MIA]]
    okta.delete(MIA)
    assert "Revenue" not in [group["name"] for group in okta.delete_group("Revenue")["groups"]]
