package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** A call to the service with its answer, without secrets. */
public final class JournalEntry {
    private final JsonNode json;

    JournalEntry(JsonNode json) {
        this.json = json;
    }

    /** The id of the call, as in the header {@code understudy-request-id}. */
    public String id() {
        return json.path("id").asText();
    }

    /** The HTTP method. */
    public String method() {
        return json.path("method").asText();
    }

    /** The path, without the query. */
    public String path() {
        return json.path("path").asText();
    }

    /** Such as {@code OrganizationService_GetOrganization}, or null. */
    public @Nullable String operation() {
        return json.path("operation").asText(null);
    }

    /** The status of the answer. Zero: the call got no answer. */
    public int status() {
        return json.path("status").asInt();
    }

    /** Everything that the control API says of it. */
    public JsonNode json() {
        return json;
    }

    /** Says in a few lines why the call was answered as it was. */
    public String explanation() {
        return Explanation.of(json);
    }

    @Override
    public String toString() {
        return Explanation.lineOf(json);
    }
}
