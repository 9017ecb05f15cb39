package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;

/** The tokens of a user who has signed in. */
public final class Tokens {
    private final JsonNode json;

    Tokens(JsonNode json) {
        this.json = json;
    }

    /** The token for calls of the user. */
    public String accessToken() {
        return json.path("access_token").asText();
    }

    /** The token that says who has signed in. */
    public String idToken() {
        return json.path("id_token").asText();
    }

    /** The token for new tokens of the same session. */
    public String refreshToken() {
        return json.path("refresh_token").asText();
    }
}
