from google.protobuf.wrappers_pb2 import StringValue
from scalekit.v1.connections.connections_pb2 import (
    ConnectionProvider,
    ConnectionType,
    CreateConnection,
    Flags,
    OAuthConnectionConfig,
    UpdateConnection,
)

from support import ACME, Area

OKTA = "conn_10000000000000251"
NO_CONNECTION = "conn_99999999999999999"


class Connections(Area):
    def setUp(self):
        self.connections = self.scalekit.connection

    def test_life(self):
        oidc = CreateConnection(provider=ConnectionProvider.OKTA, type=ConnectionType.OIDC)
        made = self.connections.create_connection(ACME, oidc)[0].connection
        self.assertEqual((made.type, made.organization_id), (ConnectionType.OIDC, ACME))
        self.assertEqual(self.connections.get_connection(ACME, made.id)[0].connection.id, made.id)
        everything = self.connections.list_connections(ACME, include="all")[0].connections
        self.assertIn(made.id, [each.id for each in everything])
        ready = self.connections.list_connections(ACME)[0].connections
        self.assertEqual([each.id for each in ready], [OKTA])
        self.connections.delete_connection(ACME, made.id)
        self.not_found(self.connections.get_connection, ACME, made.id)

    def test_switch(self):
        self.assertFalse(self.connections.disable_connection(ACME, OKTA)[0].enabled)
        self.assertTrue(self.connections.enable_connection(ACME, OKTA)[0].enabled)

    def test_by_domain(self):
        found = self.connections.list_connections_by_domain("acme.example", include="all")[0].connections
        self.assertIn(OKTA, [each.id for each in found])

    def create_app(self, **named):
        connection = CreateConnection(
            provider=ConnectionProvider.CUSTOM, type=ConnectionType.OAUTH, provider_key="HUBSPOT", **named
        )
        return self.connections.create_environment_connection(connection, Flags(is_app=True))[0].connection

    def test_of_environment(self):
        made = self.create_app()
        self.assertTrue(made.key_id.startswith("hubspot-"))
        self.assertTrue(made.enabled)
        self.assertIn("hubspot.com", made.oauth_config.authorize_uri.value)
        settings = OAuthConnectionConfig(
            client_id=StringValue(value="hs-client"), client_secret=StringValue(value="hs-secret")
        )
        changed = self.connections.update_environment_connection(
            made.id,
            UpdateConnection(provider=made.provider, type=made.type, key_id=made.key_id, oauth_config=settings),
        )[0].connection
        self.assertEqual(changed.oauth_config.client_id.value, "hs-client")
        self.assertEqual(changed.oauth_config.authorize_uri, made.oauth_config.authorize_uri)
        got = self.connections.get_environment_connection(made.id)[0].connection
        self.assertEqual(got.oauth_config.client_id.value, "hs-client")

    def test_not_found(self):
        self.not_found(self.connections.get_connection, ACME, NO_CONNECTION)
        self.not_found(self.connections.get_environment_connection, NO_CONNECTION)

    def test_validation(self):
        self.refuses("page_size", self.connections.list_app_connections, page_size=1000)

    def test_conflict(self):
        self.conflicts(self.create_app, key_id="gmail")

    def test_paging(self):
        apps = self.pages(
            lambda size, token: self.connections.list_app_connections(page_size=size, page_token=token)[0],
            "connections",
            5,
        )
        self.assertIn("gmail", [each.key_id for each in apps])
        gmail = self.connections.list_app_connections(provider="GMAIL")[0].connections
        self.assertEqual(sorted(each.key_id for each in gmail), ["GMAIL", "MY_GMAIL", "gmail"])

    def test_throttling(self):
        self.throttles("ConnectionService_GetConnection", self.connections.get_connection, ACME, OKTA)
