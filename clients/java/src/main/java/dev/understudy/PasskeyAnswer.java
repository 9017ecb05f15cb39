package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;

/** What a browser answers to a challenge. */
public final class PasskeyAnswer {
    private final JsonNode json;

    PasskeyAnswer(JsonNode json) {
        this.json = json;
    }

    /** The operation that comes next: {@code WebAuthnService_FinishAuthentication} or {@code _FinishRegistration}. */
    public String operation() {
        return json.path("operation").asText();
    }

    /** The body of the call that comes next. */
    public JsonNode body() {
        return json.path("body");
    }
}
