from scalekit.common.exceptions import ScalekitBadRequestException

from support import ADA, NOBODY, Area

NINA = "usr_10000000000000103"
ADAS = "ses_10000000000000401"
REVOKED = "ses_10000000000000405"


class Sessions(Area):
    def setUp(self):
        self.sessions = self.scalekit.sessions

    def test_get(self):
        session = self.sessions.get_session(ADAS)[0]
        self.assertEqual((session.user_id, session.status, session.device.browser), (ADA, "active", "Chrome"))
        self.assertGreater(session.absolute_expires_at.seconds, session.created_at.seconds)

    def test_paging(self):
        found = self.pages(
            lambda size, token: self.sessions.get_user_sessions(NINA, page_size=size, page_token=token)[0], "sessions"
        )
        self.assertEqual(len(found), 2)
        active = self.sessions.create_session_filter(status=["logout"])
        found = self.sessions.get_user_sessions(NINA, filter=active)[0].sessions
        self.assertEqual([each.status for each in found], ["logout"])

    def test_revoke(self):
        revoked = self.sessions.revoke_session("ses_10000000000000403")[0].revoked_session
        self.assertEqual(revoked.status, "revoked")
        self.assertEqual(self.sessions.revoke_all_user_sessions(NINA)[0].total_revoked, 0)

    def test_not_found(self):
        self.not_found(self.sessions.get_session, "ses_99999999999999999")
        self.not_found(self.sessions.revoke_all_user_sessions, NOBODY)

    def test_validation(self):
        self.refuses("session_id", self.sessions.get_session, "")

    def test_conflict(self):
        error = self.fails(ScalekitBadRequestException, self.sessions.revoke_session, REVOKED)
        self.assertEqual(error.error_code, "FAILED_PRECONDITION")

    def test_throttling(self):
        self.throttles("SessionService_GetSession", self.sessions.get_session, ADAS)
