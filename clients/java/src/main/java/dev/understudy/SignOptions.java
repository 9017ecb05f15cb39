package dev.understudy;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** How the software authenticator answers a challenge. */
public final class SignOptions {
    private final ObjectNode json = Json.object();

    /** The passkey that signs, in base64url. Without it, the newest one that fits. */
    public SignOptions credentialId(String id) {
        json.put("credential_id", id);
        return this;
    }

    /** The origin of the page. Without it, the first allowed one. */
    public SignOptions origin(String origin) {
        json.put("origin", origin);
        return this;
    }

    /** {@code false}: the authenticator did not verify the user. */
    public SignOptions userVerified(boolean verified) {
        json.put("user_verified", verified);
        return this;
    }

    /** The signature counter. Without it, the next one. */
    public SignOptions signCount(long count) {
        json.put("sign_count", count);
        return this;
    }

    ObjectNode bodyFor(String challenge) {
        return json.deepCopy().put("challenge", challenge);
    }
}
