from scalekit.actions.models.custom_provider import AuthField, AuthPattern, OAuthConfig
from scalekit.actions.models.requests.create_custom_provider_request import CreateCustomProviderRequest
from scalekit.actions.models.requests.delete_custom_provider_request import DeleteCustomProviderRequest
from scalekit.actions.models.requests.list_providers_request import ListProvidersRequest
from scalekit.actions.models.requests.update_custom_provider_request import UpdateCustomProviderRequest
from scalekit.v1.providers.providers_pb2 import ProviderType

from support import Area

URL = "https://mcp.globex.example/sse"
BEARER = AuthPattern(
    type="BEARER",
    display_name="Token",
    fields=[AuthField(field_name="token", label="Token", input_type="password", hint="From your page", required=True)],
)


class Providers(Area):
    def setUp(self):
        self.providers = self.scalekit.actions._providers_client

    def create(self, name: str):
        return self.providers.create_custom_provider(
            name, URL, description="Ours", auth_patterns=[BEARER], metadata={"owner": "ops"}
        )[0].provider

    def test_life(self):
        made = self.create("Globex Tools")
        self.assertTrue(made.is_custom)
        self.assertEqual(dict(made.metadata), {"owner": "ops"})
        changed = self.providers.update_custom_provider(
            made.identifier, "Globex Tools", URL, auth_patterns=[BEARER], metadata={}
        )
        self.assertEqual(changed[0].provider.description, "Ours")
        self.assertEqual(changed[0].provider.auth_patterns, made.auth_patterns)
        self.providers.delete_custom_provider(made.identifier)
        self.not_found(self.providers.delete_custom_provider, made.identifier)

    def test_paging(self):
        found = self.pages(
            lambda size, token: self.providers.list_providers(
                page_size=size, page_token=token, provider_type=ProviderType.ALL
            )[0],
            "providers",
            5,
        )
        self.assertIn("GMAIL", [each.identifier for each in found])

    def test_validation(self):
        self.refuses("provider.display_name", self.providers.create_custom_provider, "", URL)
        self.refuses("provider.auth_patterns", self.providers.create_custom_provider, "Bare", URL)

    def test_conflict(self):
        """Two providers may have the same name; their identifiers differ."""
        self.assertNotEqual(self.create("Twin").identifier, self.create("Twin").identifier)

    def test_throttling(self):
        self.throttles("ProviderService_ListProviders", self.providers.list_providers)


class ActionProviders(Area):
    def setUp(self):
        self.providers = self.scalekit.actions.providers

    def test_life(self):
        mcp = AuthPattern(type="OAUTH", display_name="Login", is_mcp=True, oauth_config=OAuthConfig())
        made = self.providers.create_custom_provider(
            CreateCustomProviderRequest(display_name="Globex MCP", proxy_url=URL, auth_patterns=[mcp])
        ).provider
        self.assertTrue(made.is_custom and made.is_custom_mcp)
        self.assertEqual(made.auth_patterns[0].fields, [])
        self.assertTrue(made.auth_patterns[0].oauth_config.pkce_enabled)
        changed = self.providers.update_custom_provider(
            UpdateCustomProviderRequest(
                identifier=made.identifier, display_name="Globex", proxy_url=URL, auth_patterns=[BEARER]
            )
        ).provider
        self.assertEqual(changed.auth_patterns[0].fields[0].hint, "From your page")
        self.assertIsNone(changed.auth_patterns[0].oauth_config)
        mine = ListProvidersRequest(provider_type=ProviderType.CUSTOM, page_size=30)
        self.assertIn(made.identifier, [each.identifier for each in self.providers.list_providers(mine).providers])
        self.providers.delete_custom_provider(DeleteCustomProviderRequest(identifier=made.identifier))
        self.assertNotIn(made.identifier, [each.identifier for each in self.providers.list_providers(mine).providers])
