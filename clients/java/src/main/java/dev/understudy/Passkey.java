package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** A passkey of the software authenticator. */
public final class Passkey {
    private final JsonNode json;

    Passkey(JsonNode json) {
        this.json = json;
    }

    /** Its id, or null if the service has no such passkey. */
    public @Nullable String id() {
        return json.path("id").asText(null);
    }

    /** The id of the user. */
    public String userId() {
        return json.path("user_id").asText();
    }

    /** In base64url. */
    public String credentialId() {
        return json.path("credential_id").asText();
    }

    /** The host that the passkey belongs to. */
    public String rpId() {
        return json.path("rp_id").asText();
    }

    /** The signature counter. */
    public long signCount() {
        return json.path("sign_count").asLong();
    }

    /** The second parameter of Playwright's {@code context.credentials.create}. */
    public JsonNode playwright() {
        return json.path("playwright");
    }

    /** The credential of {@code WebAuthn.addCredential} in the Chrome DevTools Protocol. */
    public JsonNode cdp() {
        return json.path("cdp");
    }

    /** Everything that the control API says of it. */
    public JsonNode json() {
        return json;
    }

    @Override
    public String toString() {
        return credentialId() + " of " + userId() + " at " + rpId();
    }
}
