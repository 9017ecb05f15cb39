from google.protobuf.timestamp_pb2 import Timestamp
from scalekit.common.exceptions import ScalekitValidateTokenFailureException

from support import ACME, ADA, NO_ORGANIZATION, Area


class Tokens(Area):
    def setUp(self):
        self.tokens = self.scalekit.tokens

    def test_life(self):
        made = self.tokens.create_token(
            ACME, user_id=ADA, custom_claims={"plan": "paid", "seat": "3"}, description="Warehouse"
        )
        self.assertTrue(made.token)
        self.assertEqual(made.token_info.token_id, made.token_id)
        for handle in (made.token, made.token_id):
            info = self.tokens.validate_token(handle).token_info
            self.assertEqual((info.organization_id, info.user_id), (ACME, ADA))
            self.assertEqual(dict(info.custom_claims), {"plan": "paid", "seat": "3"})

        changed = self.tokens.update_token(made.token_id, custom_claims={"plan": "free", "seat": ""}).token_info
        self.assertEqual(dict(changed.custom_claims), {"plan": "free"})
        self.assertEqual(changed.description, "Warehouse")
        self.assertEqual(self.tokens.update_token(made.token, description="Lake").token_info.description, "Lake")

        self.tokens.invalidate_token(made.token)
        with self.assertRaises(ScalekitValidateTokenFailureException):
            self.tokens.validate_token(made.token)

    def test_not_found(self):
        with self.assertRaises(ScalekitValidateTokenFailureException):
            self.tokens.validate_token("UnderstudyNobodyHasThisToken")
        self.not_found(self.tokens.create_token, NO_ORGANIZATION)

    def test_validation(self):
        self.refuses("page_size", self.tokens.list_tokens, ACME, page_size=1000)

    def test_expired(self):
        """An expired token, and a token that expires before it begins."""
        with self.assertRaises(ScalekitValidateTokenFailureException):
            self.tokens.validate_token("UnderstudyExpiredToken0003")
        with self.assertRaises(Exception) as caught:
            self.tokens.create_token(ACME, expiry=Timestamp(seconds=1))
        self.assertEqual(type(caught.exception).__name__, "ScalekitBadRequestException")

    def test_paging(self):
        found = self.pages(
            lambda size, token: self.tokens.list_tokens(ACME, page_size=size, page_token=token), "tokens"
        )
        self.assertEqual(len({each.token_id for each in found}), len(found))
        adas = self.tokens.list_tokens(ACME, user_id=ADA).tokens
        self.assertLess(0, len(adas))
        self.assertLess(len(adas), len(found))

    def test_throttling(self):
        self.throttles("ApiTokenService_ListTokens", self.tokens.list_tokens, ACME)
