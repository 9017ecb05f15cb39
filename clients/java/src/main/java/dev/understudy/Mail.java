package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;

/** A mail that the service would have sent. */
public final class Mail {
    private final JsonNode json;

    Mail(JsonNode json) {
        this.json = json;
    }

    public String id() {
        return text("id");
    }

    /** {@code invitation}, {@code invitation_reminder}, {@code passwordless} or {@code verification}. */
    public String kind() {
        return text("kind");
    }

    public String to() {
        return text("to");
    }

    public String subject() {
        return text("subject");
    }

    public String text() {
        return text("text");
    }

    public String html() {
        return text("html");
    }

    /** The code in the mail, or null. */
    public String code() {
        return text("code");
    }

    /** The link in the mail, or null. */
    public String link() {
        return text("link");
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
        return json.path(field).asText(null);
    }
}
