from scalekit.common.exceptions import ScalekitBadRequestException
from scalekit.v1.auth.passwordless_pb2 import TemplateType

from support import ADA, Area

LOGIN = "lri_10000000000000601"
OWN_LOGIN = "conn_10000000000000253"
NO_REQUEST = "cGFzc3dvcmRsZXNzLW5vYm9keS1oYXMtZXZlci1hc2tlZC0tLS0"


class Passwordless(Area):
    def setUp(self):
        self.passwordless = self.scalekit.passwordless

    def test_life(self):
        sent = self.passwordless.send_passwordless_email(
            "mail@globex.example", template="SIGNIN", expires_in=600, template_variables={"team_name": "Ops"}
        )[0]
        self.assertEqual(sent.expires_in, 600)
        code = self.code("mail@globex.example")
        again = self.passwordless.resend_passwordless_email(sent.auth_request_id)[0]
        self.assertTrue(again.auth_request_id)
        wrong = "000000" if code != "000000" else "000001"
        self.fails(ScalekitBadRequestException, self.verify, wrong, again.auth_request_id)
        verified = self.verify(self.code("mail@globex.example"), again.auth_request_id)[0]
        self.assertEqual((verified.email, verified.template), ("mail@globex.example", TemplateType.SIGNIN))

    def verify(self, code: str, auth_request_id: str):
        return self.passwordless.verify_passwordless_email(code=code, auth_request_id=auth_request_id)

    def code(self, address: str) -> str:
        return self.env.control("GET", "/mail", params={"to": address})["mails"][-1]["code"]

    def test_not_found(self):
        self.not_found(self.passwordless.resend_passwordless_email, NO_REQUEST)

    def test_validation(self):
        self.refuses("email", self.passwordless.send_passwordless_email, "nobody")

    def test_limit(self):
        """The limit of mails is a rule of the service, not a scenario."""
        for _ in range(2):
            self.passwordless.send_passwordless_email("often@globex.example")
        with self.assertRaises(Exception) as caught:
            self.passwordless.send_passwordless_email("often@globex.example")
        self.assertEqual(type(caught.exception).__name__, "ScalekitTooManyRequestsException")

    def test_throttling(self):
        self.throttles(
            "PasswordlessService_SendPasswordlessEmail",
            self.passwordless.send_passwordless_email,
            "throttled@globex.example",
        )


class LoginRequests(Area):
    def test_details(self):
        self.scalekit.auth.update_login_user_details(
            OWN_LOGIN, LOGIN, {"sub": "desk-18", "email": "mia@empty-desk.example"}
        )
        row = self.env.row("login_requests", LOGIN)
        self.assertEqual(row["user"], {"sub": "desk-18", "email": "mia@empty-desk.example"})

    def test_not_found(self):
        details = {"sub": "desk-18", "email": "a@b.example"}
        self.not_found(self.scalekit.auth.update_login_user_details, OWN_LOGIN, "lri_99999999999999999", details)

    def test_validation(self):
        self.refuses("connection_id", self.scalekit.auth.update_login_user_details, "", LOGIN, {"email": "a@b.example"})


class Passkeys(Area):
    PASSKEY = "cred_10000000000000501"

    def setUp(self):
        self.webauthn = self.scalekit.webauthn

    def test_life(self):
        found = self.webauthn.list_credentials(ADA)[0]
        self.assertEqual(len(found.credentials), 2)
        self.assertEqual(found.credentials[0].user_id, ADA)
        self.assertIsInstance(found.credentials[0].credential_id, bytes)
        named = self.webauthn.update_credential(self.PASSKEY, "Work laptop")[0].credential
        self.assertEqual(named.display_name, "Work laptop")
        self.assertTrue(self.webauthn.delete_credential("cred_10000000000000502")[0].success)
        self.assertEqual(len(self.webauthn.list_credentials(ADA)[0].credentials), 1)

    def test_not_found(self):
        self.not_found(self.webauthn.delete_credential, "cred_99999999999999999")

    def test_validation(self):
        self.refuses("display_name", self.webauthn.update_credential, self.PASSKEY, "x" * 200)

    def test_throttling(self):
        self.throttles("WebAuthnService_ListCredentials", self.webauthn.list_credentials, ADA)
