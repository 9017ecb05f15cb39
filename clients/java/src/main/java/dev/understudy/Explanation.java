package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** A call of the journal as text. */
final class Explanation {
    private static final int FIRST_ERROR = 400;
    private static final int LONGEST_VALUE = 300;

    private Explanation() {}

    static String lineOf(JsonNode entry) {
        return entry.path("method").asText() + " " + entry.path("path").asText() + " "
                + entry.path("status").asText("no answer") + " "
                + entry.path("operation").asText("no operation") + " (" + entry.path("id").asText() + ")";
    }

    /** The line of the call, and below it each reason for its answer. */
    static String of(JsonNode entry) {
        List<String> reasons = new ArrayList<>();
        addWhy(reasons, entry);
        addContract(reasons, entry);
        addEffects(reasons, entry);
        return lineOf(entry) + String.join("", reasons);
    }

    /** A line for a call that went well, and one sentence more for others. */
    static String summaryOf(JsonNode entry) {
        boolean isPlain = entry.path("status").asInt(FIRST_ERROR) < FIRST_ERROR
                && !entry.path("scenario").has("name");
        if (isPlain || !entry.has("why")) return isPlain ? lineOf(entry) : of(entry);
        return lineOf(entry) + "\n  " + entry.path("why").path("summary").asText();
    }

    private static void addWhy(List<String> reasons, JsonNode entry) {
        JsonNode why = entry.path("why");
        if (why.isMissingNode()) {
            if (entry.path("status").asInt() >= FIRST_ERROR)
                add(reasons, "answer: " + messageIn(entry.path("response").path("body")));
            return;
        }
        add(reasons, why.path("summary").asText());
        for (JsonNode fact : why.path("because")) add(reasons, fact.path("text").asText());
        for (JsonNode remedy : why.path("remedies"))
            add(
                    reasons,
                    "helps: " + remedy.path("text").asText() + " "
                            + remedy.path("method").asText() + " "
                            + remedy.path("path").asText());
    }

    private static void addContract(List<String> reasons, JsonNode entry) {
        JsonNode validation = entry.path("validation");
        if (validation.path("unknown").size() > 0)
            add(reasons, "unknown fields: " + String.join(", ", Json.list(validation.path("unknown"), Explanation::text)));
        if (validation.has("response"))
            add(reasons, "the answer breaks the contract: " + text(validation.path("response")));
    }

    private static void addEffects(List<String> reasons, JsonNode entry) {
        entry.path("fault")
                .fields()
                .forEachRemaining(each -> add(reasons, "fault: " + each.getKey() + " " + text(each.getValue())));
        for (JsonNode change : entry.path("changes"))
            add(
                    reasons,
                    ("change: " + change.path("op").asText() + " " + change.path("path").asText() + " "
                                    + (change.has("value") ? text(change.path("value")) : ""))
                            .stripTrailing());
        if (entry.has("error")) add(reasons, "cause: " + entry.path("error").asText());
    }

    private static void add(List<String> reasons, String reason) {
        reasons.add("\n  " + reason);
    }

    private static String messageIn(JsonNode body) {
        for (String name : List.of("error_description", "message"))
            if (body.path(name).isTextual()) return body.path(name).asText();
        return body.isMissingNode() || body.isNull() ? "no body" : text(body);
    }

    private static String text(JsonNode value) {
        String text = value.isTextual() ? value.asText() : value.toString();
        return text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE) + "…";
    }
}
