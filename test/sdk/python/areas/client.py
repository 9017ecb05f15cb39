import base64
import hashlib
import hmac
import time
from urllib.parse import parse_qs, urlparse

import jwt
import requests
from scalekit import AuthorizationUrlOptions, CodeAuthenticationOptions, ScalekitClient
from scalekit.common.exceptions import (
    ScalekitServerException,
    ScalekitUnauthorizedException,
    ScalekitValidateTokenFailureException,
    WebhookVerificationError,
)
from scalekit.common.scalekit import LogoutUrlOptions, TokenValidationOptions

from support import ACME, ADA, Area, Environment

CALLBACK = "http://localhost:3000/callback"
SECRET = "whsec_dGVzdC1zZWNyZXQt"


def signed(prefix: str, payload: str, at: float | None = None) -> dict[str, str]:
    moment = str(int(at or time.time()))
    key = base64.b64decode(SECRET.split("_")[1])
    digest = hmac.new(key, f"msg_1.{moment}.{payload}".encode(), hashlib.sha256).digest()
    signature = f"v1,{base64.b64encode(digest).decode()}"
    return {f"{prefix}-id": "msg_1", f"{prefix}-timestamp": moment, f"{prefix}-signature": signature}


class Client(Area):
    def sign_in(self) -> dict:
        """Exchanges the code of Ada's sign-in, which needs no page."""
        options = AuthorizationUrlOptions()
        options.login_hint = "ada@acme.example"
        options.scopes = ["openid", "profile", "email", "offline_access"]
        url = f"{self.scalekit.get_authorization_url(CALLBACK, options)}&understudy_auto=1"
        back = requests.get(url, allow_redirects=False, timeout=60).headers["location"]
        self.code = parse_qs(urlparse(back).query)["code"][0]
        return self.exchange()

    def exchange(self) -> dict:
        return self.scalekit.authenticate_with_code(self.code, CALLBACK, CodeAuthenticationOptions())

    def test_code(self):
        got = self.sign_in()
        self.assertEqual((got["user"]["id"], got["user"]["email"]), (ADA, "ada@acme.example"))
        self.assertEqual(got["organization_id"], ACME)
        self.assertTrue(self.scalekit.validate_access_token(got["access_token"]))
        self.assertRaises(ScalekitServerException, self.exchange)

    def test_refresh(self):
        first = self.sign_in()["refresh_token"]
        fresh = self.scalekit.refresh_access_token(first)
        self.assertEqual(self.scalekit.validate_token(fresh["access_token"])["sub"], ADA)
        self.assertNotEqual(fresh["refresh_token"], first)

    def test_logout(self):
        got = self.sign_in()
        url = self.scalekit.get_logout_url(
            LogoutUrlOptions(id_token_hint=got["id_token"], post_logout_redirect_uri=CALLBACK, state="bye")
        )
        out = requests.get(url, allow_redirects=False, timeout=60)
        self.assertEqual(out.headers["location"], f"{CALLBACK}?state=bye")
        self.assertRaises(ScalekitServerException, self.scalekit.refresh_access_token, got["refresh_token"])

    def test_tokens(self):
        token = self.scalekit.get_client_access_token()
        issuer = jwt.decode(token, options={"verify_signature": False})["iss"]
        self.assertTrue(self.scalekit.validate_access_token(token, TokenValidationOptions(issuer=issuer)))
        self.assertEqual(self.scalekit.validate_token(token)["client_id"], self.env.client_id)
        self.assertEqual(self.scalekit.get_idp_initiated_login_claims(token)["iss"], issuer)
        elsewhere = TokenValidationOptions(issuer="https://elsewhere.example")
        self.assertFalse(self.scalekit.validate_access_token(token, elsewhere))
        with self.assertRaises(ScalekitValidateTokenFailureException):
            self.scalekit.validate_access_token_and_get_claims(token, elsewhere)

    def test_scopes(self):
        token = self.scalekit.generate_client_token("m2morg_10000000000000001", "test_acme_m2m_secret")
        self.assertTrue(self.scalekit.verify_scopes(token, ["invoices:read"]))
        with self.assertRaises(ScalekitValidateTokenFailureException):
            self.scalekit.verify_scopes(token, ["invoices:write"])

    def test_urls(self):
        options = AuthorizationUrlOptions()
        options.organization_id, options.state = ACME, "s-1"
        url = urlparse(self.scalekit.get_authorization_url("https://app.example.com/callback", options))
        self.assertEqual(url.path, "/oauth/authorize")
        self.assertEqual(parse_qs(url.query)["organization_id"], [ACME])
        out = self.scalekit.get_logout_url(LogoutUrlOptions(state="s-1"))
        self.assertEqual(urlparse(out).path, "/oidc/logout")

    def test_signatures(self):
        payload = '{"type":"organization.created"}'
        self.assertTrue(self.scalekit.verify_webhook_payload(SECRET, signed("webhook", payload), payload))
        self.assertTrue(self.scalekit.verify_interceptor_payload(SECRET, signed("interceptor", payload), payload))
        with self.assertRaises(WebhookVerificationError):
            self.scalekit.verify_webhook_payload(SECRET, signed("webhook", payload), "other")

    def test_wrong_secret(self):
        url = self.scalekit.core_client.env_url
        with self.assertRaises(ScalekitUnauthorizedException):
            ScalekitClient(url, self.env.client_id, "wrong")

    def test_expired_token(self):
        """The gRPC channel keeps sending the client's first token, so the service must accept a call by its new token."""
        env = Environment()
        self.addCleanup(env.close)
        own = env.scalekit()
        self.addCleanup(own.core_client.grpc_secure_channel.close)
        before = own.core_client.access_token
        env.control("POST", "/clock/advance", json={"by": "25h"})
        self.assertEqual(own.organization.get_organization(ACME)[0].organization.id, ACME)
        self.assertNotEqual(own.core_client.access_token, before)
