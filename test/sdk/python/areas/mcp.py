from datetime import timedelta

from scalekit.actions.models.mcp_config import McpConfigConnectionToolMapping as Mapping
from scalekit.common.exceptions import ScalekitBadRequestException
from scalekit.v1.mcp.mcp_pb2 import McpConfig, McpConfigConnectionToolMapping

from support import Area

EXA = ["exa_search", "exa_answer"]
NO_CONFIG = "cfg_99999999999999999"
NO_INSTANCE = "inst_99999999999999999"


class Mcp(Area):
    def setUp(self):
        self.mcp = self.scalekit.mcp

    def create(self, name: str):
        mapping = McpConfigConnectionToolMapping(connection_name="exa", tools=EXA)
        return self.mcp.create_config(McpConfig(name=name, connection_tool_mappings=[mapping]))[0].config

    def test_configs(self):
        made = self.create("searches")
        self.assertTrue(made.mcp_server_url.startswith("http"))
        changed = self.mcp.update_config(made.id, description="Searches the web")[0].config
        self.assertEqual((changed.name, changed.description), ("searches", "Searches the web"))
        self.assertEqual(list(changed.connection_tool_mappings[0].tools), EXA)
        accounts = self.mcp.list_mcp_connected_accounts(made.id, "research-bot", include_auth_link=True)[0]
        self.assertEqual([each.connection_name for each in accounts.connected_accounts], ["exa"])
        session = self.mcp.create_session_token(made.id, "research-bot", expiry=timedelta(minutes=5))[0]
        self.assertTrue(session.token)
        self.assertGreater(session.expires_at.seconds, 0)
        self.mcp.delete_config(made.id)
        self.not_found(self.mcp.delete_config, made.id)

    def test_instances(self):
        self.create("answers")
        made = self.mcp.ensure_instance(None, "answers", "research-bot")[0].instance
        again = self.mcp.ensure_instance(None, "answers", "research-bot")[0].instance
        self.assertEqual(again.id, made.id)
        named = self.mcp.update_instance(made.id, name="Bot")[0].instance
        self.assertEqual(named.name, "Bot")
        self.assertEqual(self.mcp.get_instance(made.id)[0].instance.config.name, "answers")
        state = self.mcp.get_instance_auth_state(made.id, include_auth_links=True)[0]
        self.assertEqual([each.connection_name for each in state.connections], ["exa"])
        self.mcp.delete_instance(made.id)
        self.not_found(self.mcp.get_instance, made.id)

    def test_not_found(self):
        self.not_found(self.mcp.get_instance, NO_INSTANCE)
        self.not_found(self.mcp.update_config, NO_CONFIG, description="x")

    def test_validation(self):
        self.refuses("config.name", self.create, "")

    def test_conflict(self):
        self.create("twin")
        with self.assertRaises(Exception) as caught:
            self.create("twin")
        self.assertIn(type(caught.exception).__name__, ("ScalekitConflictException", ScalekitBadRequestException.__name__))

    def test_paging(self):
        configs = self.pages(
            lambda size, token: self.mcp.list_configs(page_size=size, page_token=token)[0], "configs"
        )
        self.assertIn("research", [each.name for each in configs])
        instances = self.pages(
            lambda size, token: self.mcp.list_instances(page_size=size, page_token=token)[0], "instances"
        )
        self.assertEqual(len({each.id for each in instances}), len(instances))

    def test_throttling(self):
        self.throttles("McpService_ListMcpConfigs", self.mcp.list_configs)


class _Actions:
    """Tests the MCP methods of `actions` and of `actions.mcp`."""

    def group(self):
        raise NotImplementedError

    def test_configs(self):
        mcp = self.group()
        mappings = [Mapping(connection_name="exa", tools=EXA)]
        made = mcp.create_config("finder", description="Finds", connection_tool_mappings=mappings).config
        found = mcp.list_configs(filter_name="finder", page_size=5)
        self.assertEqual([each.id for each in found.configs], [made.id])
        changed = mcp.update_config(made.id, connection_tool_mappings=[Mapping(connection_name="exa", tools=EXA[:1])])
        self.assertEqual(changed.config.connection_tool_mappings[0].tools, EXA[:1])
        self.assertEqual(changed.config.description, "Finds")
        mcp.delete_config(made.id)
        self.not_found(mcp.delete_config, made.id)

    def test_instances(self):
        mcp = self.group()
        made = mcp.ensure_instance("research", "lena", name="Lena's").instance
        self.assertEqual((made.name, made.user_identifier), ("Lena's", "lena"))
        self.assertEqual(mcp.update_instance(made.id, name="Helena's").instance.name, "Helena's")
        self.assertEqual(mcp.get_instance(made.id).instance.config.name, "research")
        found = mcp.list_instances(filter_user_identifier="lena", page_size=5).instances
        self.assertEqual([each.id for each in found], [made.id])
        states = mcp.get_instance_auth_state(made.id, include_auth_links=True).connections
        self.assertEqual({each.connection_name for each in states}, {"exa", "apifymcp"})
        mcp.delete_instance(made.id)
        self.not_found(mcp.get_instance, made.id)


class OfActions(_Actions, Area):
    def group(self):
        return self.scalekit.actions


class OfActionsMcp(_Actions, Area):
    def group(self):
        return self.scalekit.actions.mcp

    def test_accounts_and_tokens(self):
        mcp = self.group()
        config = mcp.list_configs(filter_name="research").configs[0].id
        accounts = mcp.list_mcp_connected_accounts(config, "research-bot").connected_accounts
        self.assertEqual({each.connection_name for each in accounts}, {"exa", "apifymcp"})
        self.assertEqual({each.connected_account_status for each in accounts}, {"ACTIVE"})
        session = mcp.create_session_token(config, "research-bot", expiry=timedelta(minutes=5))
        self.assertTrue(session.token)
