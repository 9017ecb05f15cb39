"""Identity providers that push people and groups over SCIM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from understudy_testing._transport import Transport
from understudy_testing.types import Idp

__tracebackhide__ = True

IdpProvider = Literal["okta", "entra", "google", "generic"]


class IdpControl:
    """One identity provider. People are named by their e-mail address.

    `late` pushes later by the clock of the environment: after `40m`, or with `cycle` when the provider usually does.
    """

    def __init__(
        self, transport: Transport, provider: str | None, organization: str | None, directory: str | None
    ) -> None:
        self._transport = transport
        self._target = {"provider": provider, "organization_id": organization, "directory_id": directory}

    def push_all(self, *, late: str | None = None) -> Idp:
        """Pushes everybody and every group, even what has not changed."""
        return self._act("push_all", late=late)

    def create(
        self,
        user: str,
        *,
        given_name: str | None = None,
        family_name: str | None = None,
        groups: Sequence[str] | None = None,
        late: str | None = None,
    ) -> Idp:
        """Lets a person join. Groups that are missing are made."""
        names = {"given_name": given_name, "family_name": family_name}
        return self._act("create", user=user, groups=groups and list(groups), late=late, **names)

    def change(
        self,
        user: str,
        *,
        given_name: str | None = None,
        family_name: str | None = None,
        email: str | None = None,
        late: str | None = None,
    ) -> Idp:
        """Renames the person, or changes their e-mail address."""
        names = {"given_name": given_name, "family_name": family_name}
        return self._act("change", user=user, email=email, late=late, **names)

    def move(self, user: str, groups: Sequence[str], *, late: str | None = None) -> Idp:
        """Puts the person into these groups, and takes them out of all others."""
        return self._act("move", user=user, groups=list(groups), late=late)

    def deactivate(self, user: str, *, late: str | None = None) -> Idp:
        return self._act("deactivate", user=user, late=late)

    def activate(self, user: str, *, late: str | None = None) -> Idp:
        return self._act("activate", user=user, late=late)

    def delete(self, user: str, *, late: str | None = None) -> Idp:
        return self._act("delete", user=user, late=late)

    def recreate(self, user: str, *, late: str | None = None) -> Idp:
        """Deletes the person and creates another one with the same e-mail address."""
        return self._act("recreate", user=user, late=late)

    def offboard(self, user: str, *, late: str | None = None) -> Idp:
        """What the provider does when somebody leaves: Entra ID deactivates, and deletes after 30 days."""
        return self._act("offboard", user=user, late=late)

    def create_group(self, group: str, *, late: str | None = None) -> Idp:
        return self._act("create_group", group_name=group, late=late)

    def rename_group(self, group: str, name: str, *, late: str | None = None) -> Idp:
        return self._act("rename_group", group_name=group, new_name=name, late=late)

    def delete_group(self, group: str, *, late: str | None = None) -> Idp:
        return self._act("delete_group", group_name=group, late=late)

    def sync(self) -> Idp:
        """Pushes now what waits, and tries again what failed."""
        return self._act("sync")

    def send_patch(self, user: str, patch: Mapping[str, Any] | None = None) -> Idp:
        """Sends one PATCH for the person: without `patch`, a mistake that the provider could make."""
        return self._act("send_patch", user=user, patch=patch)

    def _act(self, action: str, **more: Any) -> Idp:
        wanted = {**self._target, "action": action, **more}
        body = {name: value for name, value in wanted.items() if value is not None}
        return cast(Idp, self._transport.call("POST", "/idp/actions", body=body))
