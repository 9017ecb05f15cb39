from scalekit.common.exceptions import ScalekitBadRequestException, ScalekitConflictException
from scalekit.v1.roles.roles_pb2 import (
    CreateOrganizationRole,
    CreatePermission,
    CreateRole,
    UpdateDefaultOrganizationRolesRequest,
    UpdateRole,
)

from support import ACME, Area


class Roles(Area):
    def setUp(self):
        self.roles = self.scalekit.roles

    def create(self, name: str, **named):
        return self.roles.create_role(CreateRole(name=name, display_name=name.title(), **named))[0].role

    def test_life(self):
        made = self.create("auditor", description="Reads everything", permissions=["invoices:read"])
        self.assertFalse(made.default_creator or made.default_member)
        got = self.roles.get_role("auditor")[0].role
        self.assertEqual((got.id, got.description), (made.id, "Reads everything"))
        self.assertIn("auditor", [each.name for each in self.roles.list_roles()[0].roles])
        updated = self.roles.update_role("auditor", UpdateRole(display_name="Chief auditor"))[0].role
        self.assertEqual((updated.display_name, updated.description), ("Chief auditor", "Reads everything"))
        self.assertEqual(self.roles.get_role_users_count("auditor")[0].count, 0)
        self.roles.delete_role("auditor")
        self.not_found(self.roles.get_role, "auditor")

    def test_relations(self):
        self.create("base", permissions=["invoices:read"])
        self.create("leaf", extends="base")
        dependents = self.roles.list_dependent_roles("base")[0].roles
        self.assertEqual([each.name for each in dependents], ["leaf"])
        self.roles.delete_role_base("leaf")
        self.assertEqual(len(self.roles.list_dependent_roles("base")[0].roles), 0)
        self.roles.delete_role("base", reassign_role_name="leaf")

    def test_defaults(self):
        self.create("newcomer")
        defaults = self.roles.update_default_roles(default_creator_role="admin", default_member_role="newcomer")[0]
        self.assertEqual(defaults.default_member.name, "newcomer")
        self.roles.update_default_roles(default_creator_role="admin", default_member_role="member")

    def test_not_found(self):
        self.not_found(self.roles.get_role, "nobody")

    def test_validation(self):
        self.refuses("role.name", self.create, "")

    def test_conflict(self):
        self.create("twin")
        self.assertIn("duplicate", self.fails(ScalekitConflictException, self.create, "twin").message)

    def test_throttling(self):
        self.throttles("RolesService_GetRole", self.roles.get_role, "admin")


class OrganizationRoles(Area):
    def setUp(self):
        self.roles = self.scalekit.roles

    def create(self, name: str, **named):
        role = CreateOrganizationRole(name=name, display_name=name.title(), **named)
        return self.roles.create_organization_role(ACME, role)[0].role

    def test_life(self):
        made = self.create("acme_auditor", extends="member")
        self.assertEqual(self.roles.get_organization_role(ACME, "acme_auditor")[0].role.id, made.id)
        names = [each.name for each in self.roles.list_organization_roles(ACME)[0].roles]
        self.assertIn("acme_auditor", names)
        self.assertIn("admin", names)
        changed = self.roles.update_organization_role(ACME, "acme_auditor", UpdateRole(description="Reads"))[0].role
        self.assertEqual((changed.description, changed.display_name), ("Reads", made.display_name))
        self.assertEqual(self.roles.get_organization_role_users_count(ACME, "acme_auditor")[0].count, 0)
        self.roles.delete_organization_role_base(ACME, "acme_auditor")
        self.roles.delete_organization_role(ACME, "acme_auditor")
        self.not_found(self.roles.get_organization_role, ACME, "acme_auditor")

    def test_defaults(self):
        self.create("acme_newcomer")
        defaults = UpdateDefaultOrganizationRolesRequest(default_member_role="acme_newcomer")
        answer = self.roles.update_default_organization_roles(ACME, defaults)[0]
        self.assertEqual(answer.default_member.name, "acme_newcomer")

    def test_users(self):
        self.assertEqual(self.roles.get_organization_role_users_count(ACME, "billing_viewer")[0].count, 1)
        error = self.fails(
            ScalekitBadRequestException, self.roles.delete_organization_role, ACME, "billing_viewer"
        )
        self.assertTrue(error.message)

    def test_conflict(self):
        self.fails(ScalekitConflictException, self.create, "billing_viewer")

    def test_validation(self):
        self.refuses("role.display_name", self.roles.create_organization_role, ACME, CreateOrganizationRole(name="x"))


class Permissions(Area):
    def setUp(self):
        self.permissions = self.scalekit.permissions

    def create(self, name: str):
        permission = CreatePermission(name=name, description=f"May {name}")
        return self.permissions.create_permission(permission)[0].permission

    def test_life(self):
        made = self.create("reports:read")
        self.assertEqual(self.permissions.get_permission("reports:read")[0].permission.id, made.id)
        changed = self.permissions.update_permission(
            "reports:read", CreatePermission(name="reports:read", description="Reads reports")
        )
        self.assertEqual(changed[0].permission.description, "Reads reports")
        self.permissions.delete_permission("reports:read")
        self.not_found(self.permissions.get_permission, "reports:read")

    def test_of_roles(self):
        self.create("reports:write")
        self.scalekit.roles.create_role(CreateRole(name="writer", display_name="Writer", extends="member"))
        self.permissions.add_permissions_to_role("writer", ["reports:write", "invoices:read"])
        own = {each.name for each in self.permissions.list_role_permissions("writer")[0].permissions}
        self.assertEqual(own, {"reports:write", "invoices:read"})
        effective = {each.name for each in self.permissions.list_effective_role_permissions("writer")[0].permissions}
        self.assertGreater(effective, own)
        self.permissions.remove_permission_from_role("writer", "invoices:read")
        own = {each.name for each in self.permissions.list_role_permissions("writer")[0].permissions}
        self.assertEqual(own, {"reports:write"})

    def test_not_found(self):
        self.not_found(self.permissions.get_permission, "non_existent_permission")

    def test_validation(self):
        self.refuses("permission.name", self.create, "")

    def test_conflict(self):
        self.fails(ScalekitConflictException, self.create, "invoices:read")

    def test_paging(self):
        found = self.pages(
            lambda size, token: self.permissions.list_permissions(page_token=token, page_size=size)[0],
            "permissions",
            5,
        )
        self.assertIn("invoices:read", [each.name for each in found])

    def test_throttling(self):
        self.throttles("RolesService_GetPermission", self.permissions.get_permission, "invoices:read")
