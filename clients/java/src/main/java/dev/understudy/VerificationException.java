package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;

/** More or fewer calls match than expected. The message shows the nearest calls. */
public final class VerificationException extends ControlException {
    private static final long serialVersionUID = 1L;

    VerificationException(String message, String call, int status, JsonNode body) {
        super(message, call, status, body);
    }

    /** How many calls match. */
    public int count() {
        return body().path("count").asInt();
    }
}
