package dev.understudy;

import java.time.Duration;
import java.util.Map;

/** The authenticator app of one user, without a telephone. */
public final class Totp {
    private final Transport transport;
    private final String user;

    Totp(Transport transport, String user) {
        this.transport = transport;
        this.user = user;
    }

    /** Registers and enables an app for the user, who needs its code at the next sign-in. */
    public TotpAuthenticator enrol() {
        return new TotpAuthenticator(transport.post("/totp", Json.object(Map.of("user", user))));
    }

    /** The app: its secret, its code, and the unused backup codes. */
    public TotpAuthenticator get() {
        return new TotpAuthenticator(transport.get("/totp", Query.of("user", user)));
    }

    /** What the app shows by the clock of the environment; the next code if the service has used that up. */
    public String code() {
        return get().code();
    }

    /** What an app shows whose clock is ahead, or behind if the drift is negative. */
    public String code(Duration drift) {
        Query query = Query.of("user", user).with("drift", drift.toSeconds());
        return transport.get("/totp", query).path("code").asText();
    }
}
