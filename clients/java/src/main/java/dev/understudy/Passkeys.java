package dev.understudy;

import java.util.List;

/** An authenticator without a browser. */
public final class Passkeys {
    private final Transport transport;

    Passkeys(Transport transport) {
        this.transport = transport;
    }

    /** Makes a passkey and registers it for the user, by id or e-mail address. */
    public Passkey create(String user) {
        return create(user, new PasskeyOptions());
    }

    /** Makes this passkey and registers it for the user. */
    public Passkey create(String user, PasskeyOptions options) {
        return new Passkey(transport.post("/passkeys", options.bodyFor(user)));
    }

    /** Answers a challenge of {@code registration:begin} or {@code authentication:begin}. */
    public PasskeyAnswer sign(String challenge) {
        return sign(challenge, new SignOptions());
    }

    /** Answers a challenge with these options. */
    public PasskeyAnswer sign(String challenge, SignOptions options) {
        return new PasskeyAnswer(transport.post("/passkeys/sign", options.bodyFor(challenge)));
    }

    /** The passkeys of the authenticator, oldest first. */
    public List<Passkey> list() {
        return Json.list(transport.get("/passkeys", Query.none()).path("passkeys"), Passkey::new);
    }
}
