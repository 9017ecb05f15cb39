from scalekit.common.exceptions import ScalekitToolException

from support import ATTEMPTS, Area

OAUTH = {"oauth_token": {"access_token": "gho_1", "refresh_token": "ghr_1", "scopes": ["repo"]}}
FETCH = {"tool_name": "gmail_fetch_mails", "identifier": "default", "connection_name": "gmail"}
GMAIL_CONFIG = {"version": "v1", "domain": "acme", "api_endpoint": "https://g.example", "custom_auth_header": "x-a"}


class Accounts(Area):
    def setUp(self):
        self.actions = self.scalekit.actions

    def test_life(self):
        made = self.actions.create_connected_account("github", "lena", OAUTH).connected_account
        self.assertEqual((made.identifier, made.authorization_type), ("lena", "OAUTH"))
        read = self.actions.get_connected_account("github", "lena").connected_account
        self.assertEqual(read.authorization_details["oauth_token"]["access_token"], "gho_1")
        details = self.actions.get_connected_account_details("github", "lena").connected_account
        self.assertEqual(details.id, made.id)
        token = {"oauth_token": {**OAUTH["oauth_token"], "access_token": "gho_2"}}
        changed = self.actions.update_connected_account("github", "lena", token).connected_account
        self.assertEqual(changed.authorization_details["oauth_token"]["access_token"], "gho_2")
        self.actions.delete_connected_account("github", "lena")
        self.not_found(self.actions.get_connected_account, "github", "lena")

    def test_get_or_create(self):
        made = self.actions.get_or_create_connected_account("github", "tom", OAUTH).connected_account
        again = self.actions.upsert_connected_account("github", "tom").connected_account
        self.assertEqual(again.id, made.id)

    def test_without_details(self):
        made = self.actions.create_connected_account("notion", "mia").connected_account
        self.assertEqual(made.status, "PENDING_AUTH")

    def test_api_config(self):
        made = self.actions.create_connected_account("gmail", "configured", OAUTH, api_config=GMAIL_CONFIG)
        config = made.connected_account.api_config
        self.assertEqual({key: config[key] for key in GMAIL_CONFIG}, GMAIL_CONFIG)
        self.assertIn("custom_headers", config)

    def test_link(self):
        link = self.actions.get_authorization_link("ada@acme.example", "notion", state="s-1")
        self.assertTrue(link.link.startswith("http"))
        self.assertIsNotNone(link.expiry)

    def test_verification(self):
        answer = self.actions.verify_connected_account_user("YXV0aHJlcV9nb29nbGVjYWxlbmRhcg", "ada@acme.example")
        self.assertTrue(answer.post_user_verify_redirect_url.endswith("/connect/success"))

    def test_conflict(self):
        self.actions.create_connected_account("github", "twin", OAUTH)
        self.conflicts(self.actions.create_connected_account, "github", "twin", OAUTH)

    def test_validation(self):
        self.refuses("page_size", self.actions.list_connected_accounts, page_size=1000)

    def test_paging(self):
        found = self.pages(
            lambda size, token: self.actions.list_connected_accounts(page_size=size, page_token=token),
            "connected_accounts",
            3,
        )
        self.assertGreater(len(found), 3)

    def test_throttling(self):
        self.throttles(
            "ConnectedAccountService_GetConnectedAccountDetails",
            self.actions.get_connected_account_details,
            "gmail",
            "default",
        )


class Tools(Area):
    def setUp(self):
        self.actions = self.scalekit.actions

    def test_execute(self):
        answer = self.actions.execute_tool({"max_results": 3}, **FETCH)
        self.assertTrue(answer.execution_id)
        self.assertTrue(answer.data)

    def test_list(self):
        listed = self.actions.list_tools(provider="GMAIL", page_size=3)
        self.assertEqual({each.provider for each in listed.tools}, {"GMAIL"})
        self.assertTrue(listed.next_page_token)

    def test_failure(self):
        with self.env.scenario("tool-failure", times=ATTEMPTS):
            error = self.fails(ScalekitToolException, self.actions.execute_tool, {}, **FETCH)
        self.assertEqual(error.tool_error_code, "TOOL_EXEC_FAILED")

    def test_modifiers(self):
        actions = self.env.scalekit().actions

        @actions.pre_modifier("gmail_fetch_mails")
        def fewer(arguments):
            return {**arguments, "max_results": 1}

        @actions.post_modifier(["gmail_fetch_mails"])
        def summed(data):
            return {"keys": len(data)}

        actions.add_modifier(actions.get_modifiers("gmail_fetch_mails", "post")[0])
        self.assertEqual(len(actions.get_modifiers()), 3)
        answer = actions.execute_tool({"max_results": 3}, **FETCH)
        self.assertEqual(list(answer.data), ["keys"])


class Proxy(Area):
    def setUp(self):
        self.request = self.scalekit.actions.request

    def test_request(self):
        answer = self.request("gmail", "default", "/gmail/v1/users/me/profile")
        self.assertEqual(answer.status_code, 200)
        self.assertIn("emailAddress", answer.json())

    def test_failures_of_the_provider(self):
        gone = self.request("freshdesk", "support-desk", "/api/v2/tickets/404")
        self.assertEqual((gone.status_code, gone.headers["x-request-id"]), (404, "fd-7"))
        limit = self.request("exa", "research-bot", "/search/limited", method="POST", body={"query": "x"})
        self.assertEqual((limit.status_code, limit.headers["retry-after"]), (429, "30"))
