from scalekit.common.exceptions import ScalekitBadRequestException
from scalekit.v1.clients.clients_pb2 import CustomClaim, OrganizationClient

from support import ACME, NO_ORGANIZATION, Area


class OrganizationClients(Area):
    def setUp(self):
        self.clients = self.scalekit.m2m_client

    def create(self, name: str, **named):
        return self.clients.create_organization_client(ACME, OrganizationClient(name=name, **named))[0]

    def test_life(self):
        claims = [CustomClaim(key="team", value="ops")]
        made = self.create("Nightly", scopes=["invoices:read"], audience=["billing"], custom_claims=claims, expiry=900)
        self.assertTrue(made.plain_secret)
        self.assertTrue(made.client.client_id.startswith("m2morg_"))
        client_id = made.client.client_id
        self.assertEqual(self.clients.get_organization_client(ACME, client_id)[0].client.name, "Nightly")

        token = self.scalekit.generate_client_token(client_id, made.plain_secret)
        granted = self.scalekit.validate_access_token_and_get_claims(token)
        self.assertEqual((granted["oid"], granted["scopes"]), (ACME, ["invoices:read"]))

        changed = self.clients.update_organization_client(ACME, client_id, OrganizationClient(description="At night"))
        self.assertEqual((changed[0].client.name, changed[0].client.description), ("Nightly", "At night"))
        self.assertEqual(list(changed[0].client.scopes), ["invoices:read"])

        second = self.clients.add_organization_client_secret(ACME, client_id)[0]
        self.assertTrue(second.plain_secret)
        self.clients.remove_organization_client_secret(ACME, client_id, made.client.secrets[0].id)
        error = self.fails(
            ScalekitBadRequestException,
            self.clients.remove_organization_client_secret,
            ACME,
            client_id,
            second.secret.id,
        )
        self.assertEqual(error.message, "last client cannot be deleted")

        self.clients.delete_organization_client(ACME, client_id)
        self.not_found(self.clients.get_organization_client, ACME, client_id)

    def test_not_found(self):
        self.not_found(self.clients.get_organization_client, ACME, "m2morg_99999999999999999")
        self.not_found(self.clients.list_organization_clients, NO_ORGANIZATION)

    def test_validation(self):
        self.refuses("client.custom_claims[0].key", self.create, "Bad", custom_claims=[CustomClaim(value="v")])

    def test_paging(self):
        self.create("One")
        self.create("Two")
        found = self.pages(
            lambda size, token: self.clients.list_organization_clients(ACME, page_size=size, page_token=token)[0],
            "clients",
        )
        self.assertLessEqual({"One", "Two"}, {each.name for each in found})

    def test_throttling(self):
        self.throttles(
            "ClientService_ListOrganizationClients", self.clients.list_organization_clients, ACME, page_size=5
        )
