from google.protobuf.struct_pb2 import Struct
from scalekit.v1.connected_accounts.connected_accounts_pb2 import (
    AuthorizationDetails,
    ConnectorStatus,
    CreateConnectedAccount,
    OauthToken,
    StaticAuth,
    UpdateConnectedAccount,
)

from support import Area

PENDING = {"auth_request_id": "YXV0aHJlcV9nb29nbGVjYWxlbmRhcg", "identifier": "ada@acme.example"}


def oauth(token: str) -> AuthorizationDetails:
    return AuthorizationDetails(oauth_token=OauthToken(access_token=token, refresh_token="refresh", scopes=["repo"]))


class ConnectedAccounts(Area):
    def setUp(self):
        self.accounts = self.scalekit.connected_accounts

    def create(self, identifier: str, connector: str = "github", details: AuthorizationDetails | None = None):
        account = CreateConnectedAccount(authorization_details=details or oauth("gho_1"))
        return self.accounts.create_connected_account(connector, identifier, account)[0].connected_account

    def test_life(self):
        made = self.create("lena")
        self.assertEqual((made.identifier, made.connector, made.provider), ("lena", "github", "GITHUB"))
        read = self.accounts.get_connected_account_by_identifier("github", "lena")[0].connected_account
        self.assertEqual(read.authorization_details.oauth_token.access_token, "gho_1")
        self.assertEqual(list(read.authorization_details.oauth_token.scopes), ["repo"])
        bare = self.accounts.get_connected_account_details_by_identifier("github", "lena")[0].connected_account
        self.assertEqual(bare.id, made.id)
        self.assertFalse(bare.HasField("authorization_details"))

        changed = self.accounts.update_connected_account(
            "github", "lena", UpdateConnectedAccount(authorization_details=oauth("gho_2"))
        )[0].connected_account
        self.assertEqual(changed.authorization_details.oauth_token.access_token, "gho_2")
        by_id = self.accounts.get_connected_account_by_identifier("", "", connected_account_id=made.id)
        self.assertEqual(by_id[0].connected_account.identifier, "lena")

        self.accounts.delete_connected_account("github", "lena")
        self.not_found(self.accounts.get_connected_account_by_identifier, "github", "lena")

    def test_static_details(self):
        details = Struct()
        details.update({"username": "ada", "password": "secret", "domain": "acme"})
        made = self.create("ada", "freshdesk", AuthorizationDetails(static_auth=StaticAuth(details=details)))
        self.assertEqual(made.authorization_details.static_auth.details, details)

    def test_magic_link(self):
        self.create("linked")
        link = self.accounts.get_magic_link_for_connected_account(
            "github", "linked", state="s-1", user_verify_url="https://app.example.com/verify"
        )[0]
        self.assertTrue(link.link.startswith("http"))
        self.assertGreater(link.expiry.seconds, 0)

    def test_verification(self):
        answer = self.accounts.verify_connected_account_user(**PENDING)[0]
        self.assertTrue(answer.post_user_verify_redirect_url.endswith("/connect/success"))
        account = self.accounts.get_connected_account_by_identifier("googlecalendar", "ada@acme.example")
        self.assertEqual(account[0].connected_account.status, ConnectorStatus.ACTIVE)

    def test_not_found(self):
        self.not_found(self.accounts.get_connected_account_by_identifier, "github", "nobody")

    def test_validation(self):
        self.refuses("page_size", self.accounts.list_connected_accounts, page_size=1000)

    def test_conflict(self):
        self.create("twin")
        self.conflicts(self.create, "twin")

    def test_paging(self):
        found = self.pages(
            lambda size, token: self.accounts.list_connected_accounts(page_size=size, page_token=token)[0],
            "connected_accounts",
            3,
        )
        self.assertEqual(len({each.id for each in found}), len(found))
        exa = self.accounts.list_connected_accounts(connector="exa")[0].connected_accounts
        self.assertEqual([each.identifier for each in exa], ["research-bot"])
        two = self.accounts.list_connected_accounts(connection_names=["exa", "apifymcp"])[0].connected_accounts
        self.assertEqual({each.connector for each in two}, {"exa", "apifymcp"})

    def test_throttling(self):
        self.throttles(
            "ConnectedAccountService_GetConnectedAccountAuth",
            self.accounts.get_connected_account_by_identifier,
            "gmail",
            "default",
        )
