from google.protobuf.wrappers_pb2 import BoolValue
from scalekit.common.exceptions import (
    ScalekitNotFoundException,
    ScalekitToolException,
    ScalekitToolForbiddenException,
    ScalekitToolRateLimitException,
    ScalekitToolUnauthorizedException,
)
from scalekit.v1.tools.tools_pb2 import Filter, ScopedToolFilter

from support import ATTEMPTS, Area

FETCH = {"tool_name": "gmail_fetch_mails", "identifier": "default", "connection_name": "gmail"}


class Tools(Area):
    def setUp(self):
        self.tools = self.scalekit.tools

    def test_execute(self):
        answer = self.tools.execute_tool(**FETCH, params={"max_results": 3})[0]
        self.assertTrue(answer.execution_id)
        self.assertGreater(len(answer.data), 0)
        self.tools.execute_tool("gmail_fetch_mails", "default")

    def test_list(self):
        gmail = self.tools.list_tools(filter=Filter(provider="GMAIL"))[0]
        self.assertIn("gmail_fetch_mails", [each.definition["name"] for each in gmail.tools])
        self.assertEqual({each.provider for each in gmail.tools}, {"GMAIL"})
        names = self.tools.list_tools(filter=Filter(provider="GMAIL", summary=BoolValue(value=True)))[0].tool_names
        self.assertIn("gmail_fetch_mails", names)
        scoped = self.tools.list_scoped_tools("default", filter=ScopedToolFilter(connection_names=["gmail"]))[0]
        self.assertGreater(len(scoped.tools), 0)
        self.assertEqual({each.connected_account_id for each in scoped.tools}, {"ca_10000000000000301"})
        self.assertIn("input_schema", scoped.tools[0].tool.definition)

    def test_search(self):
        found = self.tools.search_tools("fetch mails", identifier="default", top_k=3)[0].tools
        self.assertEqual(found[0].name, "gmail_fetch_mails")
        self.assertLessEqual(len(found), 3)
        self.assertIn("ca_10000000000000301", [each.connected_account_id for each in found[0].connections])

    def test_not_found(self):
        error = self.fails(ScalekitNotFoundException, self.tools.execute_tool, "no_such_tool", "default")
        self.assertIn("tool not found", error.message.lower())
        error = self.fails(ScalekitNotFoundException, self.tools.execute_tool, "gmail_fetch_mails", "nobody")
        self.assertEqual(error.error_code, "RESOURCE_NOT_FOUND")

    def test_validation(self):
        self.refuses("identifier", self.tools.list_scoped_tools, "", filter=ScopedToolFilter(providers=["GMAIL"]))

    def test_paging(self):
        found = self.pages(
            lambda size, token: self.tools.list_tools(page_size=size, page_token=token)[0], "tools", 10
        )
        self.assertEqual(len({each.id for each in found}), len(found))

    def test_throttling(self):
        self.throttles("ToolService_ExecuteTool", self.tools.execute_tool, **FETCH)

    def test_failures(self):
        for scenario, kind in (
            ("tool-failure", ScalekitToolException),
            ("tool-rate-limited", ScalekitToolRateLimitException),
            ("tool-unauthorized", ScalekitToolUnauthorizedException),
            ("tool-forbidden", ScalekitToolForbiddenException),
        ):
            with self.subTest(scenario), self.env.scenario(scenario, times=ATTEMPTS):
                error = self.fails(kind, self.tools.execute_tool, **FETCH)
                self.assertEqual(error.error_code, "TOOL_ERROR")
                self.assertTrue(error.tool_error_code)
                self.assertTrue(error.tool_error_message)
                self.assertTrue(error.execution_id)
        self.tools.execute_tool(**FETCH)
