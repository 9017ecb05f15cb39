package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** The control API refuses a call. The message says what is wrong, field by field. */
public class ControlException extends UnderstudyException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final transient JsonNode body;

    ControlException(String message, String call, int status, JsonNode body) {
        super(message + "\n  (" + origin(status, body) + " from " + call + ")");
        this.status = status;
        this.body = body;
    }

    /** The status of the answer. */
    public final int status() {
        return status;
    }

    /** Such as {@code RESOURCE_NOT_FOUND}, or an empty text. */
    public final String errorCode() {
        return errorCode(body);
    }

    /** The whole answer. */
    public final JsonNode body() {
        return body;
    }

    /** The rules that the call broke, each with {@code field}, {@code description} and {@code constraint}. */
    public final List<JsonNode> violations() {
        return violationsIn(body);
    }

    static List<JsonNode> violationsIn(JsonNode body) {
        List<JsonNode> found = new ArrayList<>();
        for (JsonNode detail : body.path("details"))
            detail.path("validation_error_info").path("field_violations").forEach(found::add);
        return found;
    }

    private static String errorCode(JsonNode body) {
        return body.path("details").path(0).path("error_code").asText();
    }

    private static String origin(int status, JsonNode body) {
        return (status + " " + errorCode(body)).trim();
    }
}
