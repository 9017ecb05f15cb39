from scalekit.v1.commons.commons_pb2 import Role
from scalekit.v1.users.users_pb2 import (
    CreateMembership,
    CreateUser,
    CreateUserProfile,
    UpdateMembership,
    UpdateUser,
    UpdateUserProfile,
)

from support import ACME, ADA, NOBODY, NORDWIND, Area


class Users(Area):
    def setUp(self):
        self.users = self.scalekit.users

    def create(self, name: str, invite: bool = False, **named):
        user = CreateUser(
            email=f"{name}@globex.example",
            user_profile=CreateUserProfile(given_name=name.title(), family_name="Test"),
            **named,
        )
        return self.users.create_user_and_membership(ACME, user, send_invitation_email=invite)[0].user

    def test_life(self):
        made = self.create("lena", external_id="crm-lena", metadata={"source": "test"})
        self.assertEqual(made.memberships[0].organization_id, ACME)
        self.assertEqual(made.user_profile.first_name, "Lena")

        self.assertEqual(self.users.get_user(made.id)[0].user.email, "lena@globex.example")
        self.assertEqual(self.users.get_user_by_external_id("crm-lena")[0].user.id, made.id)

        profile = UpdateUserProfile(given_name="Helena")
        updated = self.users.update_user(made.id, UpdateUser(user_profile=profile))[0].user
        self.assertEqual(updated.user_profile.given_name, "Helena")
        self.assertEqual(updated.user_profile.family_name, "Test")
        updated = self.users.update_user_by_external_id("crm-lena", UpdateUser(metadata={"source": "api"}))[0].user
        self.assertEqual(updated.metadata["source"], "api")

        self.users.delete_user(made.id)
        self.not_found(self.users.get_user, made.id)

    def test_delete_by_external_id(self):
        self.create("gone", external_id="crm-gone")
        self.users.delete_user_by_external_id("crm-gone")
        self.not_found(self.users.get_user_by_external_id, "crm-gone")

    def test_memberships(self):
        made = self.create("tom", external_id="crm-tom")
        admin = [Role(name="admin")]
        user = self.users.create_membership(
            NORDWIND, made.id, CreateMembership(roles=admin), send_invitation_email=False
        )[0].user
        self.assertEqual(len(user.memberships), 2)
        user = self.users.update_membership(
            NORDWIND, made.id, UpdateMembership(roles=[Role(name="member")], metadata={"desk": "3"})
        )[0].user
        mine = next(each for each in user.memberships if each.organization_id == NORDWIND)
        self.assertEqual([role.name for role in mine.roles], ["member"])
        self.users.delete_membership(NORDWIND, made.id)
        self.not_found(self.users.delete_membership, NORDWIND, made.id)

        self.users.create_membership_by_external_id(
            NORDWIND, "crm-tom", CreateMembership(), send_invitation_email=False
        )
        user = self.users.update_membership_by_external_id(NORDWIND, "crm-tom", UpdateMembership(roles=admin))[0].user
        mine = next(each for each in user.memberships if each.organization_id == NORDWIND)
        self.assertEqual([role.name for role in mine.roles], ["admin"])
        self.users.delete_membership_by_external_id(NORDWIND, "crm-tom")
        self.not_found(self.users.update_membership, NORDWIND, made.id, UpdateMembership(roles=admin))

    def test_invitation(self):
        made = self.create("mia", invite=True)
        invite = self.users.resend_invite(ACME, made.id)[0].invite
        self.assertEqual((invite.status, invite.resent_count), ("PENDING_INVITE", 1))
        self.assertGreater(invite.expires_at.seconds, invite.created_at.seconds)

    def test_roles_and_permissions(self):
        roles = self.users.list_user_roles(ACME, ADA)[0].roles
        self.assertEqual([role.name for role in roles], ["admin"])
        permissions = self.users.list_user_permissions(ACME, ADA)[0].permissions
        self.assertGreater(len(permissions), 0)

    def test_not_found(self):
        self.not_found(self.users.get_user, NOBODY)

    def test_validation(self):
        self.refuses("user.email", self.users.create_user_and_membership, ACME, CreateUser(email="nobody"))

    def test_conflict(self):
        self.create("twin")
        self.conflicts(self.create, "twin")

    def test_paging(self):
        everybody = self.pages(
            lambda size, token: self.users.list_users(page_size=size, page_token=token)[0], "users", 3
        )
        self.assertIn(ADA, [each.id for each in everybody])
        members = self.pages(
            lambda size, token: self.users.list_organization_users(ACME, page_size=size, page_token=token)[0],
            "users",
            2,
        )
        self.assertLess(len(members), len(everybody))

    def test_throttling(self):
        self.throttles("UserService_GetUser", self.users.get_user, ADA)
