from scalekit.common.exceptions import ScalekitBadRequestException
from scalekit.v1.commons.commons_pb2 import TimeUnit
from scalekit.v1.organizations.organizations_pb2 import (
    CreateOrganization,
    Feature,
    SessionPolicyType,
    UpdateOrganization,
)

from support import ACME, NO_ORGANIZATION, Area


class Organizations(Area):
    def setUp(self):
        self.organizations = self.scalekit.organization

    def create(self, name: str, **named):
        organization = CreateOrganization(display_name=name, **named)
        return self.organizations.create_organization(organization)[0].organization

    def test_life(self):
        made = self.create("Globex", external_id="crm-globex", metadata={"plan": "trial"})
        self.assertTrue(made.id.startswith("org_"))
        self.assertGreater(made.create_time.seconds, 0)

        got = self.organizations.get_organization(made.id)[0].organization
        self.assertEqual(got, made)
        by_external_id = self.organizations.get_organization_by_external_id("crm-globex")[0].organization
        self.assertEqual(by_external_id, made)

        renamed = self.organizations.update_organization(made.id, UpdateOrganization(display_name="Globex Ltd"))
        self.assertEqual(renamed[0].organization.display_name, "Globex Ltd")
        self.assertEqual(dict(renamed[0].organization.metadata), {"plan": "trial"})
        again = self.organizations.update_organization_by_external_id(
            "crm-globex", UpdateOrganization(metadata={"plan": "paid"})
        )
        self.assertEqual(again[0].organization.metadata["plan"], "paid")
        self.assertEqual(again[0].organization.display_name, "Globex Ltd")

        self.organizations.delete_organization(made.id)
        self.not_found(self.organizations.get_organization, made.id)

    def test_not_found(self):
        self.not_found(self.organizations.get_organization, NO_ORGANIZATION)
        self.not_found(self.organizations.get_organization_by_external_id, "crm-nobody")
        self.not_found(self.organizations.delete_organization, NO_ORGANIZATION)

    def test_validation(self):
        self.refuses("organization.display_name", self.create, "")

    def test_conflict(self):
        error = self.fails(ScalekitBadRequestException, self.create, "Another Acme", external_id="crm-acme")
        self.assertIn("duplicate", error.message)

    def test_paging(self):
        made = self.create("Newest")
        found = self.pages(
            lambda size, token: self.organizations.list_organizations(page_size=size, page_token=token)[0],
            "organizations",
        )
        self.assertEqual(found[0].id, made.id)
        self.assertIn(ACME, [each.id for each in found])
        self.assertEqual(self.organizations.list_organizations()[0].total_size, len(found))

    def test_throttling(self):
        self.throttles("OrganizationService_GetOrganization", self.organizations.get_organization, ACME)

    def test_portal_link(self):
        link = self.organizations.generate_portal_link(ACME, [Feature.sso])
        self.assertTrue(link.location.startswith("http"), link)
        self.assertGreater(link.expire_time.seconds, 0)
        self.assertTrue(self.organizations.generate_portal_link(ACME).id)

    def test_settings(self):
        made = self.create("Features")
        both = [{"name": "sso", "enabled": True}, {"name": "dir_sync", "enabled": False}]
        settings = self.organizations.update_organization_settings(made.id, both)[0].organization.settings
        self.assertEqual({each.name: each.enabled for each in settings.features}, {"sso": True, "dir_sync": False})

    def test_user_management(self):
        made = self.create("Seats")
        for seats in (25, 0):
            settings = self.organizations.upsert_user_management_settings(made.id, max_allowed_users=seats)
            self.assertTrue(settings.HasField("max_allowed_users"))
            self.assertEqual(settings.max_allowed_users.value, seats)

    def test_session_policy(self):
        made = self.create("Policies")
        policy = self.organizations.get_organization_session_policy(made.id)[0].policy
        self.assertEqual(policy.policy_source, SessionPolicyType.APPLICATION)
        updated = self.organizations.update_organization_session_policy(
            made.id,
            SessionPolicyType.CUSTOM,
            absolute_session_timeout=12,
            absolute_session_timeout_unit=TimeUnit.HOURS,
            idle_session_timeout_enabled=False,
        )[0].policy
        self.assertEqual(updated.policy_source, SessionPolicyType.CUSTOM)
        self.assertEqual(updated.absolute_session_timeout.value, 12 * 60)
        self.assertEqual(updated.absolute_session_timeout_unit, TimeUnit.MINUTES)
        self.assertTrue(updated.HasField("idle_session_timeout_enabled"))
        self.assertFalse(updated.idle_session_timeout_enabled.value)
        self.assertEqual(self.organizations.get_organization_session_policy(made.id)[0].policy, updated)
