from scalekit.v1.clients.clients_pb2 import ResourceClient, ResourceType

from support import Area

TODO_APP = "res_10000000000000001"
NO_RESOURCE = "res_99999999999999999"
AGENT = "m2m_10000000000000001"
CONSENT = "usrcnst_10000000000000001"


class Resources(Area):
    def setUp(self):
        self.resources = self.scalekit.resources

    def create(self, name: str):
        return self.resources.create_resource_client(TODO_APP, ResourceClient(name=name, scopes=["todo:read"]))[0]

    def test_resources(self):
        shown = self.resources.get_resource(TODO_APP)[0].resource
        self.assertEqual((shown.name, shown.resource_type), ("Todo server", ResourceType.MCP_SERVER))
        self.assertEqual([each.name for each in shown.scopes], ["todo:read", "todo:write"])
        self.assertEqual(shown.protected_metadata["resource"], "http://localhost:3001/mcp")
        self.assertTrue(shown.protected_metadata_uri.endswith(TODO_APP))
        listed = self.resources.list_resources(ResourceType.MCP_SERVER, page_size=5)[0]
        self.assertEqual([each.id for each in listed.resources], [TODO_APP])
        self.assertEqual(self.resources.list_resources(ResourceType.WEB)[0].total_size, 0)

    def test_clients(self):
        made = self.create("Bot")
        key = made.client.client_id
        self.assertTrue(made.plain_secret)
        changed = self.resources.update_resource_client(
            TODO_APP, key, name="", description="Reads", scopes=[], redirect_uris=["https://bot.example/callback"]
        )[0].client
        self.assertEqual((changed.name, changed.description, list(changed.scopes)), ("Bot", "Reads", []))
        shown = self.resources.get_resource_client(TODO_APP, key)[0]
        self.assertEqual(list(shown.client.redirect_uris), ["https://bot.example/callback"])
        listed = self.resources.list_resource_clients(TODO_APP)[0]
        self.assertIn(key, [each.client_id for each in listed.clients])
        self.resources.delete_resource_client(TODO_APP, key)
        self.not_found(self.resources.get_resource_client, TODO_APP, key)

    def test_secrets(self):
        made = self.create("Keeper").client
        added = self.resources.create_resource_client_secret(TODO_APP, made.client_id)[0]
        self.assertTrue(added.plain_secret)
        self.resources.delete_resource_client_secret(TODO_APP, made.client_id, added.secret.id)
        left = self.resources.get_resource_client(TODO_APP, made.client_id)[0].client.secrets
        self.assertEqual(len(left), 1)

    def test_consents(self):
        found = self.resources.list_user_consents(TODO_APP)[0]
        self.assertEqual([each.id for each in found.consents], [CONSENT])
        self.assertEqual(found.consents[0].client_name, "Reporting agent")
        user = found.consents[0].external_user_id
        sizes = [self.resources.list_user_consents(TODO_APP, user_ids=[each])[0].total_size for each in (user, "x")]
        self.assertEqual(sizes, [1, 0])
        self.resources.revoke_user_consent(AGENT, CONSENT)
        self.assertEqual(self.resources.list_user_consents(TODO_APP)[0].total_size, 0)
        self.not_found(self.resources.revoke_user_consent, AGENT, CONSENT)

    def test_not_found(self):
        self.not_found(self.resources.get_resource, NO_RESOURCE)
        self.not_found(self.resources.list_user_consents, NO_RESOURCE)

    def test_throttling(self):
        self.throttles("ClientService_GetResource", self.resources.get_resource, TODO_APP)
