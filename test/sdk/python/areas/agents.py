"""The official Python client of the Model Context Protocol, connected to the servers of connected accounts."""

import asyncio
import os
from urllib.parse import urlsplit

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from scalekit.v1.mcp.mcp_pb2 import McpConfig, McpConfigConnectionToolMapping

from support import Area

USER = "research-bot"


class Agents(Area):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        mapping = McpConfigConnectionToolMapping(connection_name="exa", tools=["exa_search", "exa_answer"])
        config = McpConfig(name="agents", connection_tool_mappings=[mapping])
        cls.config = cls.scalekit.mcp.create_config(config)[0].config

    def test_instance(self):
        instance = self.scalekit.mcp.ensure_instance(None, "agents", USER)[0].instance

        async def talk():
            async with Client(here(instance.url)) as client:
                listed = await client.list_tools()
                self.assertEqual([tool.name for tool in listed.tools], ["exa_search", "exa_answer"])
                found = await client.call_tool("exa_search", {"query": "bees"})
                self.assertFalse(found.is_error)
                self.assertIn("results", found.structured_content)
                refused = await client.call_tool("exa_search", {"query": 5})
                self.assertTrue(refused.is_error)
                self.assertIn("params.query must be string", refused.content[0].text)
                with self.assertRaises(MCPError):
                    await client.call_tool("gmail_fetch_mails", {})

        asyncio.run(talk())

    def test_config_with_a_session_token(self):
        token = self.scalekit.mcp.create_session_token(self.config.id, USER)[0].token

        async def talk():
            headers = {"authorization": f"Bearer {token}"}
            async with httpx2.AsyncClient(headers=headers) as http:
                transport = streamable_http_client(here(self.config.mcp_server_url), http_client=http)
                async with Client(transport) as client:
                    found = await client.call_tool("exa_answer", {"query": "bees"})
                    self.assertFalse(found.is_error)

        asyncio.run(talk())

    def test_config_without_a_token(self):
        answer = httpx2.post(here(self.config.mcp_server_url), json={})
        self.assertEqual(answer.status_code, 401)
        self.assertIn("resource_metadata=", answer.headers["www-authenticate"])


def here(url: str) -> str:
    """The address without TLS, because the client does not know the simulator's authority."""
    return os.environ["UNDERSTUDY_URL"] + urlsplit(url).path
