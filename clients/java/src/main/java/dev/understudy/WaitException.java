package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;

/** Nothing that matches came in time. The message shows what came instead. */
public final class WaitException extends ControlException {
    private static final long serialVersionUID = 1L;

    WaitException(String message, String call, int status, JsonNode body) {
        super(message, call, status, body);
    }
}
