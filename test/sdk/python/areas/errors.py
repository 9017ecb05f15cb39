import grpc
from scalekit.common import exceptions as of

from support import ACME, ATTEMPTS, Area

# Two errors have their own tests: those of a client without a token, and the one after which the SDK
# retries.
KINDS = {
    "CANCELLED": of.ScalekitCancelledException,
    "UNKNOWN": of.ScalekitInternalServerException,
    "INVALID_ARGUMENT": of.ScalekitBadRequestException,
    "DEADLINE_EXCEEDED": of.ScalekitGatewayTimeoutException,
    "NOT_FOUND": of.ScalekitNotFoundException,
    "ALREADY_EXISTS": of.ScalekitConflictException,
    "PERMISSION_DENIED": of.ScalekitForbiddenException,
    "RESOURCE_EXHAUSTED": of.ScalekitTooManyRequestsException,
    "FAILED_PRECONDITION": of.ScalekitBadRequestException,
    "ABORTED": of.ScalekitConflictException,
    "OUT_OF_RANGE": of.ScalekitBadRequestException,
    "UNIMPLEMENTED": of.ScalekitNotImplementedException,
    "INTERNAL": of.ScalekitInternalServerException,
    "DATA_LOSS": of.ScalekitInternalServerException,
}
GET = "OrganizationService_GetOrganization"


class Errors(Area):
    """The SDK raises its own class for each error of a scenario."""

    def setUp(self):
        self.get = self.scalekit.organization.get_organization

    def test_codes(self):
        for code, kind in KINDS.items():
            reply = {"error": "internal", "grpc": code, "message": f"told {code}: 100% “so”"}
            with self.subTest(code), self.env.rules({"on": GET, "times": ATTEMPTS, "reply": reply}):
                # `fails` cannot be used here, because the SDK can't print CANCELLED.
                with self.assertRaises(of.ScalekitServerException) as caught:
                    self.get(ACME)
                self.assertIs(type(caught.exception), kind)
                self.assertEqual(caught.exception.grpc_status, grpc.StatusCode[code])
                self.assertEqual(caught.exception.message, reply["message"])
        self.get(ACME)

    def test_unavailable(self):
        """The SDK retries after a while, so the caller gets no error."""
        with self.env.scenario("unavailable", operation=GET, times=1):
            self.get(ACME)

    def test_dropped_connection(self):
        """The SDK also retries after a dropped connection."""
        with self.env.scenario("dropped-connections", operation=GET, times=1):
            self.get(ACME)

    def test_unauthenticated(self):
        """The SDK requests a new token after a rejected one, instead of reusing it."""
        reply = {"error": "unauthenticated", "message": "Token empty"}
        with self.env.rules({"on": GET, "times": 1, "reply": reply}):
            self.get(ACME)
