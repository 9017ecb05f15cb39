package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** A mail that the service would have sent. */
public final class Mail {
    private final JsonNode json;

    Mail(JsonNode json) {
        this.json = json;
    }

    /** The id of the mail. */
    public String id() {
        return text("id");
    }

    /** {@code invitation}, {@code invitation_reminder}, {@code passwordless} or {@code verification}. */
    public String kind() {
        return text("kind");
    }

    /** The address that it goes to. */
    public String to() {
        return text("to");
    }

    /** The subject. */
    public String subject() {
        return text("subject");
    }

    /** The plain text. */
    public String text() {
        return text("text");
    }

    /** The same as HTML, or null if the filter did not ask for it. */
    public @Nullable String html() {
        return json.path("html").asText(null);
    }

    /** The code in the mail, or null. */
    public @Nullable String code() {
        return json.path("code").asText(null);
    }

    /** The link in the mail, or null. */
    public @Nullable String link() {
        return json.path("link").asText(null);
    }

    /** Everything that the control API says of it. */
    public JsonNode json() {
        return json;
    }

    @Override
    public String toString() {
        return kind() + " to " + to() + ", \"" + subject() + "\"";
    }

    private String text(String field) {
        return json.path(field).asText();
    }
}
