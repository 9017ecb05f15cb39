package dev.understudy;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Which passkey is made. */
public final class PasskeyOptions {
    private final ObjectNode json = Json.object();

    /** {@code ES256} or {@code EdDSA}. Without it, ES256. */
    public PasskeyOptions algorithm(String algorithm) {
        json.put("algorithm", algorithm);
        return this;
    }

    /** The name that the user sees. */
    public PasskeyOptions displayName(String name) {
        json.put("display_name", name);
        return this;
    }

    /** The host that it belongs to, such as that of {@code browserUrl()}. Without it, it signs for every host. */
    public PasskeyOptions rpId(String host) {
        json.put("rp_id", host);
        return this;
    }

    ObjectNode bodyFor(String user) {
        return json.deepCopy().put("user", user);
    }
}
